"""``hyplane score``: how well a fitted model does on a table with labels."""

import json
from typing import TYPE_CHECKING, Any

import click

from hyplane.cli._formats import read_table, write_stdout
from hyplane.cli._options import debug_option, format_options, model_points_options, table_argument
from hyplane.cli._standard_streams import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli._tables import Table

_TITLES = {
    "accuracy": "accuracy",
    "macro_average_precision": "macro average precision",
    "macro_roc_auc": "macro ROC AUC",
}


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane score model.json new.csv\n"
    "  hyplane score model.json new.csv --label class --json",
)
@click.argument("model", type=click.Path())
@table_argument
@click.option(
    "--label",
    multiple=True,
    metavar="NAMES",
    help="Columns of the classes.  [default: those of the model]",
)
@model_points_options
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@format_options
@debug_option
def command(
    model: str,
    table: str,
    label: tuple[str, ...],
    points: tuple[str, ...],
    coordinates: str | None,
    as_json: bool,
    format: str | None,
    header: bool | None,
) -> None:
    """Compare what MODEL predicts with the labels of TABLE.

    The rows should be others than those the model was fitted on; 'hyplane evaluate' divides one
    table for that.
    """
    from hyplane.cli._comparison import laid_out, plain_number
    from hyplane.cli._models import computed, points_for_model
    from hyplane.evaluation import score_predictions
    from hyplane.persistence import read_model

    saved = read_model(model)
    clf = saved.estimator
    data = read_table(table, format, header)
    labels = data.find(label or saved.label_columns or [])
    if not labels:
        raise click.UsageError(f"{model} does not say where labels are: name them with --label.")
    taken = points_for_model(
        data, saved, model, given=points, labels=labels, coordinates=coordinates
    )
    y = _labels(data, labels, clf, model)
    taken.announce(labels)
    ranking = "decision_function" if hasattr(clf, "decision_function") else "predict_proba"
    found = computed(clf, taken.X, ["predict", ranking], f"scoring {len(y)} points")
    values = found[ranking]
    if ranking == "predict_proba" and y.ndim == 1 and values.shape[1] == 2:
        values = values[:, 1]
    scores = score_predictions(y, values, found["predict"], clf.classes_)
    names = labels if y.ndim == 2 else [str(name) for name in clf.classes_]
    classes = _by_class(y, found["predict"], clf.classes_, names)
    if as_json:
        told: dict[str, Any] = {"model": model, "table": table, "n_points": len(y)}
        told["scores"] = {name: plain_number(value) for name, value in scores.items()}
        told["classes"] = classes
        write_stdout(f"{json.dumps(told, indent=1)}\n".encode())
        return
    kind = "labels" if y.ndim == 2 else "classes"
    say(f"{data.origin}: {len(y)} points of {len(names)} {kind}, {model}", "")
    say(*laid_out([[words, f"{scores[name]:.3f}"] for name, words in _TITLES.items()]))
    say("", *laid_out(_rows(classes, kind[:-1] if y.ndim == 2 else "class")))


def _labels(data: "Table", names: list[str], clf: Any, model: str) -> "NDArray[Any]":
    """Return the labels of the table, which must be among those of the model."""
    import numpy as np

    if not data.n_rows:
        raise ValueError(f"{data.origin} has no rows")
    several = clf.decomposition_ == "multilabel" if hasattr(clf, "decomposition_") else False
    if several != (len(names) > 1) or (several and len(names) != len(clf.classes_)):
        wanted = f"{len(clf.classes_)} columns of 0 and 1" if several else "one column of classes"
        raise ValueError(f"{model} was fitted on {wanted}; --label names {len(names)}")
    if several:
        return data.labels(names)
    y = data.classes(names[0])
    known = np.array([label in set(clf.classes_.tolist()) for label in y.tolist()])
    if not known.all():
        row = int(np.argmin(known))
        classes = ", ".join(str(name) for name in clf.classes_[:8])
        raise ValueError(
            f"{data.where(row)}, column {names[0]!r}: {y.tolist()[row]!r} is not a class of "
            f"{model}, which has {classes}{', …' * (len(clf.classes_) > 8)}"
        )
    return y


def _by_class(
    y: "NDArray[Any]", predicted: "NDArray[Any]", classes: "NDArray[Any]", names: list[str]
) -> list[dict[str, Any]]:
    from sklearn.metrics import precision_recall_fscore_support

    columns = precision_recall_fscore_support(
        y, predicted, labels=classes if y.ndim == 1 else None, zero_division=0.0
    )
    return [
        {"class": name, "n_points": int(n), "precision": float(p), "recall": float(r)}
        for name, p, r, _, n in zip(names, *columns, strict=True)
    ]


def _rows(classes: list[dict[str, Any]], head: str) -> list[list[str]]:
    rows = [[head, "points", "precision", "recall"]]
    for each in classes:
        numbers = (f"{each[name]:.3f}" for name in ("precision", "recall"))
        rows.append([each["class"], str(each["n_points"]), *numbers])
    return rows
