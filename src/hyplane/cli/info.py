"""``hyplane info``: what a file is."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hyplane.cli import options
from hyplane.cli.errors import say

if TYPE_CHECKING:
    from hyplane.cli.tables import Table


@options.command
@partial(options.table, name="file")
def command(file: options.TableFile) -> None:
    """Describe a table or a model.

    For a table, the output lists the columns and says which of them the other commands would use
    as the points, and in which chart.

    Example:
      hyplane info points.csv
      hyplane info model.json
    """
    from hyplane.cli.table_files import read_table

    is_model = Path(file.path).suffix.lower() == ".json"
    say(*(_about_model(file.path) if is_model else _about_table(read_table(file))))


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


def _about_model(file: str) -> list[str]:
    import numpy as np
    from sklearn.base import BaseEstimator

    from hyplane.cli.fit import listed_C
    from hyplane.cli.point_columns import space_of_model
    from hyplane.cli.tables import shortened
    from hyplane.persistence import read_model

    saved = read_model(file)
    clf, space = saved.estimator, space_of_model(saved.estimator)
    columns = saved.point_columns or [f"{clf.n_features_in_} columns"]
    classes = [str(name) for name in clf.classes_.tolist()]
    parameters = " ".join(BaseEstimator.__repr__(clf).split())
    title = f"{file}: a model of hyplane {saved.hyplane_version}"
    lines = [title, f"  classifier: {parameters[:300]}"]
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
