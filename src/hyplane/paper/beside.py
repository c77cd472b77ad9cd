"""What a folder already reports: shown beside a new run, or not to be lost."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from hyplane.paper._trials import OwnMethod
from hyplane.paper.experiment import Experiment
from hyplane.paper.own_data import OwnPoints
from hyplane.paper.pieces import DamagedPiece, PieceStore
from hyplane.paper.settings import frozen

# Settings that all experiments of a report share.
_ALIKE = ("seed", "data", "protocol")


class ReportInTheWay(ValueError):
    """A folder holds a report that a new one would replace.

    Examples
    --------
    >>> issubclass(ReportInTheWay, ValueError)
    True
    """


def experiments_beside(
    folder: Path,
    store: PieceStore,
    experiments: Sequence[Experiment],
    *,
    quick: bool,
    known: Mapping[str, type[Experiment]],
) -> list[Experiment]:
    """Return the experiments that a folder reports and that are not run now.

    Parameters
    ----------
    folder : Path
        Of the report.
    store : PieceStore
        Its finished pieces.
    experiments : sequence of Experiment
        Those to be run.
    quick : bool
        Whether this is a quick run.
    known : dict
        Classes of experiments by name.

    Returns
    -------
    others : list of Experiment
        All of their pieces are finished.

    Raises
    ------
    ReportInTheWay
        If they cannot be shown beside the new ones, or a quick run would replace a full one.
    """
    try:
        report = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        found, run = dict(report["experiments"]), dict(report["run"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    if quick and not run.get("quick", False):
        raise ReportInTheWay(
            f"{folder} holds a full run ({', '.join(found)}), which a quick one would replace. "
            "Give another folder for the report."
        )
    running = {each.name for each in experiments}
    others = {name: summary for name, summary in found.items() if name not in running}
    if not others:
        return []
    words = f"{folder} holds a report on {' and '.join(others)} too"
    if bool(run.get("quick", False)) != quick:
        raise ReportInTheWay(f"{words}, of a quick run. Give another folder for this report.")
    for key in _ALIKE:
        new = getattr(experiments[0], key)
        for summary in others.values():
            old = summary["settings"].get(key)
            if old != new:
                raise ReportInTheWay(
                    f"{words}, with {key} = {old!r} instead of {new!r}. Give another folder for "
                    "this report."
                )
    kept = [_rebuilt(name, summary["settings"], known) for name, summary in others.items()]
    for experiment in kept:
        if experiment is None or not _is_finished(experiment, store):
            raise ReportInTheWay(
                f"{words}, computed by another version of the code, so that they cannot be shown "
                "beside this run. Give another folder for this report."
            )
    return [experiment for experiment in kept if experiment is not None]


def _rebuilt(
    name: str, settings: Mapping[str, Any], known: Mapping[str, type[Experiment]]
) -> Experiment | None:
    kind = known.get(name)
    if kind is None:
        return None
    names = {each.name for each in fields(kind)}
    values = {key: frozen(value) for key, value in settings.items() if key in names}
    # The digests are enough to find finished pieces.
    for key, wrap in (("estimators", OwnMethod), ("datasets", OwnPoints)):
        if key in values:
            values[key] = {each: wrap(digest) for each, digest in values[key].items()}
    try:
        return kind(**values)
    except (TypeError, ValueError):
        return None


def _is_finished(experiment: Experiment, store: PieceStore) -> bool:
    try:
        return all(store.load(piece) is not None for piece in experiment.pieces())
    except (DamagedPiece, ValueError, OSError):
        return False
