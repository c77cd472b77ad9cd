"""Tables, models and reports in words, for `hyplane info`."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane.cli._choice import take_points
from hyplane.cli._models import space_of_model
from hyplane.cli._tables import Table
from hyplane.cli._text import ArrowText, coded, floats_of
from hyplane.cli._words import is_whole, shortened

_MOST_COLUMNS, _MOST_CLASSES, _MOST_LETTERS = 20, 6, 300
_DECOMPOSITIONS = {
    "binary": "two classes",
    "ovr": "one class against the rest",
    "ovo": "pairs of classes",
    "multilabel": "several labels a point",
}
_OUTPUTS = {"decision_function": "--scores", "predict_proba": "--proba"}
_OUTPUTS |= {"signed_distance": "--distance"}


def about_table(data: Table) -> list[str]:
    """Describe a table: its columns, and what would be taken for the points."""
    names = list(data.columns)
    lines = [f"{data.origin}: a table of {data.n_rows} rows and {len(names)} columns"]
    if not data.named:
        lines.append("  without names of columns: they are called 1, 2, …")
    kinds = [(name, _kind(data, name)) for name in names[:_MOST_COLUMNS]]
    width = max((len(name) for name, _ in kinds), default=0)
    lines += [f"  {name.ljust(width)}  {kind}" for name, kind in kinds]
    if len(names) > _MOST_COLUMNS:
        lines.append(f"  … and {len(names) - _MOST_COLUMNS} more")
    words = [name for name, kind in kinds if kind.startswith("words")]
    try:
        taken = take_points(data, (), words, None, None)
    except ValueError as error:
        return [*lines, f"points: not clear. {error}"]
    return [*lines, f"points: {shortened(taken.names)} ({taken.dim}-D, {taken.read_in})"]


def _kind(data: Table, name: str) -> str:
    """Say what a column holds."""
    column = data.columns[name]
    if isinstance(column, tuple | ArrowText):
        words, codes = coded(column)
        numbers = None if all(map(is_whole, words)) else floats_of(column)
        if numbers is None:
            kind = "whole numbers" if words and all(map(is_whole, words)) else "words"
            return _classes(kind, words, np.bincount(codes, minlength=len(words)))
        return _range(numbers)
    if column.dtype.kind == "f":
        return _range(column)
    kinds = {"b": "true or false", "i": "whole numbers", "u": "whole numbers"}
    counts = Counter(str(cell) for cell in column.tolist())
    return _classes(kinds.get(column.dtype.kind, "words"), list(counts), list(counts.values()))


def _range(numbers: NDArray[Any]) -> str:
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return "numbers, none of them finite"
    text = f"numbers from {finite.min():.6g} to {finite.max():.6g}"
    missing = len(numbers) - len(finite)
    return f"{text}, {missing} not finite" if missing else text


def _classes(kind: str, words: list[str], counts: Any) -> str:
    if not words:
        return "nothing"
    if len(words) > _MOST_CLASSES:
        return f"{kind}, {len(words)} different"
    pairs = sorted(zip(words, counts, strict=True))
    listed = (f"{word or 'empty'} ({count})" for word, count in pairs)
    return f"{kind}: {', '.join(listed)}"


def about_model(file: str, saved: Any, format_version: Any) -> list[str]:
    """Describe a model: the classifier, its classes, the points it takes."""
    from sklearn.base import BaseEstimator  # here, where the model has loaded it

    clf = saved.estimator
    space = space_of_model(clf)
    n_columns = clf.n_features_in_
    columns = saved.point_columns or [f"{n_columns} columns"]
    classes = [str(name) for name in clf.classes_.tolist()]
    labels = f" of {shortened(saved.label_columns)}" if saved.label_columns else ""
    head = f"{file}: a hyplane model (format {format_version}, hyplane {saved.hyplane_version})"
    parameters = " ".join(BaseEstimator.__repr__(clf).split())
    lines = [head, f"  classifier: {parameters[:_MOST_LETTERS]}"]
    if hasattr(clf, "choice_"):
        lines.append(f"  chosen: {str(clf.choice_)[: 2 * _MOST_LETTERS]}")
    lines.append(f"  points: {shortened(columns)} ({space.dim(n_columns)}-D, {space})")
    if getattr(clf, "decomposition_", "") == "multilabel":
        lines.append(f"  labels: {shortened(saved.label_columns or classes, _MOST_CLASSES)}")
    else:
        lines.append(f"  classes{labels}: {len(classes)} ({shortened(classes, _MOST_CLASSES)})")
    if hasattr(clf, "results_"):
        how = _DECOMPOSITIONS[clf.decomposition_]
        lines.append(f"  binary problems: {len(clf.results_)}, {how}{_converged(clf)}")
    if hasattr(clf, "C_"):
        chosen = Counter(f"{C:g}" for C in clf.C_)
        listed = ", ".join(f"{C} ({count} times)" for C, count in chosen.items())
        lines.append(f"  chosen C: {listed}")
    offered = [option for method, option in _OUTPUTS.items() if hasattr(clf, method)]
    return [*lines, f"  hyplane predict offers: {', '.join(offered) or 'classes only'}"]


def _converged(clf: Any) -> str:
    if not hasattr(clf, "converged_"):
        return ""
    failed = int((~clf.converged_).sum())
    return f"; {failed} did not converge" if failed else "; all converged"


def about_report(file: str, summary: Any) -> list[str]:
    """Describe a report of `hyplane reproduce`."""
    if not isinstance(summary, dict) or not isinstance(summary.get("experiments"), dict):
        raise ValueError(f"{file} is not of a report of hyplane: it has no summary.json")
    run = summary.get("run") or {}
    size = "quick" if run.get("quick") else "full"
    lines = [f"{file}: a report of hyplane reproduce, {size}, {run.get('date', 'of no date')}"]
    kept = [f"{key} {run[key]}" for key in ("seed", "data", "protocol") if key in run]
    if kept:
        lines.append(f"  {', '.join(kept)}")
    for name, found in summary["experiments"].items():
        lines.append(f"  {name}: {found.get('outcome', 'no outcome')}")
    return lines


def about_evaluation(file: str, content: dict[str, Any]) -> list[str]:
    """Describe what `hyplane evaluate --json` printed."""
    score = content.get("score", "macro_average_precision")
    lines = [f"{file}: scores of hyplane evaluate on {content['table']}"]
    lines.append(f"  {content.get('n_points')} points, {content.get('trials')} trials")
    for name, found in content["methods"].items():
        mean = (found.get("mean") or {}).get(score)
        lines.append(f"  {name}: {score} {'unknown' if mean is None else f'{mean:.3f}'}")
    return lines
