"""``hyplane info``: what a file is."""

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyplane.cli import options
from hyplane.cli.errors import say

if TYPE_CHECKING:
    from hyplane.cli.tables import Table


@options.command
@partial(options.table, name="file")
def command(file: options.TableFile) -> None:
    """Describe a table, a model, a report or saved scores.

    For a table, the output lists the columns and says which of them the other commands would use
    as the points, and in which chart. Saved scores are the output of 'hyplane evaluate --json'.

    Example:
      hyplane info points.csv
      hyplane info model.json
      hyplane info report
    """
    from hyplane.cli.table_files import read_table

    path = Path(file.path)
    if path.is_dir() or path.name.lower() == "index.html":
        summary = (path if path.is_dir() else path.parent) / "summary.json"
        if not summary.exists():
            raise ValueError(f"{path} is not a report: there is no {summary}")
        lines = _about_report(file.path, _json(summary))
    elif path.suffix.lower() == ".json":
        lines = _about_json(file.path)
    else:
        lines = _about_table(read_table(file))
    say(*lines)


def _about_table(data: "Table") -> list[str]:
    from hyplane.cli.point_columns import take_points

    most = 20
    names = list(data.columns)
    lines = [f"{data.origin}: a table of {data.n_rows} rows and {len(names)} columns"]
    if not data.named:
        lines.append("  without names of columns: they are called 1, 2, …")
    kinds = {name: _kind(data, name) for name in names[:most]}
    width = max(map(len, kinds), default=0)
    lines += [f"  {name.ljust(width)}  {kind}" for name, kind in kinds.items()]
    if len(names) > most:
        lines.append(f"  … and {len(names) - most} more")
    words = [name for name, kind in kinds.items() if kind.startswith("words")]
    try:
        return [*lines, str(take_points(data, options.PointOptions(), words))]
    except ValueError as error:
        return [*lines, f"points: not clear. {error}"]


def _kind(data: "Table", name: str) -> str:
    """Describe what a column holds."""
    import numpy as np

    from hyplane.cli.tables import is_whole, numbers_of

    column = data.columns[name]
    cells = column.tolist() if isinstance(column, np.ndarray) else column
    counts, kind = Counter(map(str, cells)), "words"
    if not counts:
        return "nothing"
    if all(map(is_whole, counts)):
        kind = "whole numbers"
    elif set(counts) <= {"True", "False"}:
        kind = "true or false"
    elif (numbers := numbers_of(column)) is not None:
        finite = numbers[np.isfinite(numbers)]
        missing = len(numbers) - len(finite)
        if not finite.size:
            return "numbers, none of them finite"
        between = f"numbers from {finite.min():.6g} to {finite.max():.6g}"
        return f"{between}, {missing} not finite" if missing else between
    if len(counts) > 6:
        return f"{kind}, {len(counts)} different"
    listed = (f"{word or 'empty'} ({count})" for word, count in sorted(counts.items()))
    return f"{kind}: {', '.join(listed)}"


def _about_json(file: str) -> list[str]:
    from hyplane.persistence import read_model

    content = _json(file)
    keys = set(content) if isinstance(content, dict) else set()
    if {"experiments", "run"} <= keys:
        return _about_report(file, content)
    if {"methods", "records", "table"} <= keys:
        score = content.get("score", "macro_average_precision")
        lines = [f"{file}: scores of hyplane evaluate on {content['table']}"]
        lines.append(f"  {content.get('n_points')} points, {content.get('trials')} trials")
        for name, found in content["methods"].items():
            mean = (found.get("mean") or {}).get(score)
            lines.append(f"  {name}: {score} {'unknown' if mean is None else f'{mean:.3f}'}")
        return lines
    return _about_model(file, read_model(file), content)


def _about_model(file: str, saved: Any, content: Any) -> list[str]:
    import numpy as np
    from sklearn.base import BaseEstimator

    from hyplane.cli.fit import listed_C
    from hyplane.cli.point_columns import space_of_model
    from hyplane.cli.tables import shortened

    clf, space = saved.estimator, space_of_model(saved.estimator)
    columns = saved.point_columns or [f"{clf.n_features_in_} columns"]
    classes = [str(name) for name in clf.classes_.tolist()]
    version = f"format {content['format_version']}, hyplane {saved.hyplane_version}"
    parameters = " ".join(BaseEstimator.__repr__(clf).split())
    lines = [f"{file}: a hyplane model ({version})", f"  classifier: {parameters[:300]}"]
    if hasattr(clf, "choice_"):
        lines.append(f"  chosen: {str(clf.choice_)[:600]}")
    lines.append(f"  points: {shortened(columns)} ({space.dim(clf.n_features_in_)}-D, {space})")
    how = getattr(clf, "decomposition_", "")
    if how == "multilabel":
        lines.append(f"  labels: {shortened(saved.label_columns or classes, 6)}")
    else:
        labels = f" of {shortened(saved.label_columns)}" if saved.label_columns else ""
        lines.append(f"  classes{labels}: {len(classes)} ({shortened(classes, 6)})")
    if hasattr(clf, "results_"):
        n_failed = int((~getattr(clf, "converged_", np.array(True))).sum())
        ended = f"{n_failed} did not converge" if n_failed else "all converged"
        lines.append(f"  binary problems: {len(clf.results_)} ({how}), {ended}")
    if hasattr(clf, "C_"):
        lines.append(f"  chosen C: {listed_C(clf.C_)}")
    outputs = {"decision_function": "--scores", "predict_proba": "--proba"}
    outputs |= {"signed_distance": "--distance"}
    offered = [option for method, option in outputs.items() if hasattr(clf, method)]
    return [*lines, f"  hyplane predict offers: {', '.join(offered) or 'classes only'}"]


def _about_report(file: str, summary: Any) -> list[str]:
    if not isinstance(summary, dict) or not isinstance(summary.get("experiments"), dict):
        raise ValueError(f"{file} is not a report of hyplane: its summary.json has no experiments")
    run = summary.get("run") or {}
    size = "quick" if run.get("quick") else "full"
    lines = [f"{file}: a report of hyplane reproduce, {size}, {run.get('date', 'of no date')}"]
    kept = [f"{key} {run[key]}" for key in ("seed", "data", "protocol") if key in run]
    lines += [f"  {', '.join(kept)}"] if kept else []
    for name, found in summary["experiments"].items():
        lines.append(f"  {name}: {found.get('outcome', 'no outcome')}")
    return lines


def _json(file: str | Path) -> Any:
    from hyplane._utils.files import read_bytes

    try:
        return json.loads(read_bytes(file))
    except (ValueError, RecursionError):
        return None  # `read_model` says what is wrong with it
