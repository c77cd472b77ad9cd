"""A model file and a table that it is to classify: the same columns, the same chart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.progress import Progress, Waiting
from hyplane.cli._choice import ChosenPoints, doubt, model_columns, resolve_space, told_space
from hyplane.cli._spaces import Space
from hyplane.cli._tables import Table

# Rows that are classified at a time, so that a bar can move.
_BLOCK = 50_000


def space_of_model(estimator: Any) -> Space:
    """Return chart and curvature of the points that a classifier takes.

    Parameters
    ----------
    estimator : classifier
        One that a model file can hold.

    Returns
    -------
    space : Space
    """
    inner = getattr(estimator, "estimator", estimator)
    first = inner.steps[0][1] if hasattr(inner, "steps") else inner
    return Space(first.coordinates or "ball", float(first.curvature))


def points_for_model(
    data: Table,
    saved: Any,
    model: str,
    *,
    given: Sequence[str] = (),
    labels: Sequence[str] = (),
    coordinates: str | None = None,
) -> ChosenPoints:
    """Return the points of a table in the chart of a model, or say why they do not fit it.

    Parameters
    ----------
    data : Table
    saved : SavedModel
    model : str
        What to call it in messages.
    given : sequence of str
        Columns that were named; by default those that the model was fitted on.
    labels : sequence of str
        Columns that hold labels.
    coordinates : str, optional
        Chart of the table, if not that of the model: the points are converted.

    Returns
    -------
    points : ChosenPoints
    """
    from hyplane.geometry import convert

    fitted_on = space_of_model(saved.estimator)
    known = [name for name in saved.label_columns or [] if name in data.columns]
    names = data.find(given) or model_columns(data, saved.point_columns, [*known, *labels], model)
    told = told_space(data, names)
    if told is None:
        read_in = Space(coordinates or fitted_on.coordinates, fitted_on.curvature)
    else:
        read_in = resolve_space(data, names, coordinates, None)
        _check_fit(data, told, model, fitted_on, converts=coordinates is not None)
    wanted = saved.estimator.n_features_in_
    if read_in.coordinates == fitted_on.coordinates and len(names) != wanted:
        raise ValueError(
            f"{data.origin} has points of {len(names)} columns and {model} was fitted on {wanted}"
        )
    hint = "" if given or told else doubt("--coordinates", stated=coordinates is not None)
    X = data.points(names, read_in, hint)
    if read_in.coordinates != fitted_on.coordinates:
        with data.rows_named(names):
            X = convert(
                X, read_in.coordinates, fitted_on.coordinates, curvature=fitted_on.curvature
            )
        if X.shape[1] != wanted:
            raise ValueError(
                f"{data.origin} has points of dimension {read_in.dim(len(names))} and {model} was "
                f"fitted on dimension {fitted_on.dim(wanted)}"
            )
    return ChosenPoints(names, X, fitted_on, read_in)


def computed(
    estimator: Any, X: NDArray[Any], methods: Sequence[str], description: str
) -> dict[str, NDArray[Any]]:
    """Call methods of a classifier on blocks of rows, and show progress.

    Parameters
    ----------
    estimator : classifier
    X : ndarray of shape (n_points, n_columns)
    methods : sequence of str
        Names of methods that take rows, such as ``predict``.
    description : str
        What is being done.

    Returns
    -------
    values : dict of str to ndarray
        What each method returned, for all rows.
    """
    found: dict[str, list[NDArray[Any]]] = {method: [] for method in methods}
    total = len(X) * len(methods)
    with Waiting(description), Progress(total, description, lines=True) as bar:
        for start in range(0, max(len(X), 1), _BLOCK):
            rows = X[start : start + _BLOCK]
            for method in methods:
                found[method].append(np.asarray(getattr(estimator, method)(rows)))
                bar.advance(len(rows))
    return {method: np.concatenate(parts) for method, parts in found.items()}


def _check_fit(data: Table, told: Space, model: str, fitted_on: Space, *, converts: bool) -> None:
    if told.curvature != fitted_on.curvature:
        raise ValueError(
            f"{data.origin} says that its points are in the chart {told}, and {model} was fitted "
            f"on points of curvature {fitted_on.curvature:g}: these are different spaces"
        )
    if told.coordinates != fitted_on.coordinates and not converts:
        raise ValueError(
            f"{data.origin} says that its points are in the chart {told}, and {model} was fitted "
            f"on the chart {fitted_on}. Add --coordinates {told.coordinates} to have them converted"
        )
