"""``hyplane score``: how well a fitted model does on a table with labels."""

from typing import TYPE_CHECKING, Any

import click

from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import PointOptions, TableFile, flag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli.tables import Table


@options.command
@click.argument("model", type=options.FILE)
@options.label("Column of the classes.  [default: the one MODEL was fitted on]", required=False)
@options.points("those of the model", "the table's, or the model's", curvature=False)
@flag("--json as_json", "Print the scores as JSON.")
@options.table
def command(
    model: str, table: TableFile, label: tuple[str, ...], points: PointOptions, as_json: bool
) -> None:
    """Compare the predictions of MODEL with the labels of TABLE.

    Use rows that the model was not trained on. To split a single table into training and test
    rows, use 'hyplane evaluate'.

    Example:
      hyplane score model.json new.csv
      hyplane score model.json new.csv --label class --json
    """
    from sklearn.metrics import precision_recall_fscore_support

    from hyplane.cli.evaluate import json_text, laid_out
    from hyplane.cli.point_columns import points_for_model
    from hyplane.cli.predict import in_blocks
    from hyplane.cli.table_files import read_table, write_stdout
    from hyplane.evaluation import score_predictions
    from hyplane.persistence import read_model

    saved = read_model(model)
    clf = saved.estimator
    data = read_table(table)
    labels = data.find(label or saved.label_columns or [])
    if not labels:
        raise click.UsageError(f"{model} does not say where labels are: name them with --label.")
    taken = points_for_model(data, saved, model, points, labels)
    y = _labels(data, labels, clf, model)
    taken.announce(labels)
    ranking = "decision_function" if hasattr(clf, "decision_function") else "predict_proba"
    found = in_blocks(clf, taken.X, ["predict", ranking], f"scoring {len(y)} points")
    values, predicted = found[ranking], found["predict"]
    if ranking == "predict_proba" and y.ndim == 1 and values.shape[1] == 2:
        values = values[:, 1]
    scores = score_predictions(y, values, predicted, clf.classes_)
    several = y.ndim == 2
    names = labels if several else [str(name) for name in clf.classes_]
    known = None if several else clf.classes_
    columns = precision_recall_fscore_support(y, predicted, labels=known, zero_division=0.0)
    classes: list[dict[str, Any]] = [
        {"class": name, "n_points": int(n), "precision": float(p), "recall": float(r)}
        for name, p, r, _, n in zip(names, *columns, strict=True)
    ]
    if as_json:
        summary = {"model": model, "table": table.path, "n_points": len(y)}
        write_stdout(json_text({**summary, "scores": scores, "classes": classes}).encode())
        return
    kinds = "labels" if several else "classes"
    say(f"{data.origin}: {len(y)} points of {len(names)} {kinds}, {model}", "")
    shown = ("accuracy", "macro_average_precision", "macro_roc_auc")
    titles = [name.replace("_", " ").replace("roc auc", "ROC AUC") for name in shown]
    say(*laid_out([[t, f"{scores[name]:.3f}"] for t, name in zip(titles, shown, strict=True)]))
    rows = [["label" if several else "class", "points", "precision", "recall"]]
    for name, n, p, r in map(dict.values, classes):
        rows.append([name, str(n), f"{p:.3f}", f"{r:.3f}"])
    say("", *laid_out(rows))


def _labels(data: "Table", names: list[str], clf: Any, model: str) -> "NDArray[Any]":
    """Return the labels of the table, which must be among those of the model."""
    data.check_rows()
    several = getattr(clf, "decomposition_", "") == "multilabel"
    if several != (len(names) > 1) or (several and len(names) != len(clf.classes_)):
        wanted = f"{len(clf.classes_)} columns of 0 and 1" if several else "one column of classes"
        raise ValueError(f"{model} was fitted on {wanted}; --label names {len(names)}")
    if several:
        return data.labels(names)
    y, known = data.classes(names[0]), set(clf.classes_.tolist())
    row = next((row for row, label in enumerate(y.tolist()) if label not in known), None)
    if row is not None:
        classes = ", ".join(str(name) for name in clf.classes_[:8])
        raise ValueError(
            f"{data.where(row)}, column {names[0]!r}: {y.tolist()[row]!r} is not a class of "
            f"{model}, which has {classes}{', …' * (len(clf.classes_) > 8)}"
        )
    return y
