"""The paper's experiments from nothing to a report."""

import os
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs

from hyplane._optional import import_optional
from hyplane.evaluation.methods import chosen_methods
from hyplane.experiments.evolving_networks import EvolvingNetworks
from hyplane.experiments.figures import (
    Figure,
    evolving_figures,
    gaussian_figures,
    real_figures,
)
from hyplane.experiments.gaussian_mixtures import GaussianMixtures
from hyplane.experiments.pieces import PieceStore
from hyplane.experiments.reading import outcome, read
from hyplane.experiments.real_networks import RealNetworks
from hyplane.experiments.report import write_report
from hyplane.experiments.runner import run_pieces
from hyplane.experiments.summaries import SUM_UP, Row

Experiment = GaussianMixtures | EvolvingNetworks | RealNetworks

EXPERIMENTS: dict[str, type[Experiment]] = {
    "gaussian": GaussianMixtures,
    "evolving": EvolvingNetworks,
    "real": RealNetworks,
}
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib", "matplotlib", "networkx", "gensim")


@dataclass(frozen=True)
class ReproductionSummary:
    """What a run found and where it wrote it.

    Attributes
    ----------
    output : Path
        The folder: ``index.html``, ``summary.json``, ``scores.csv``, ``figures`` and ``pieces``.
    experiments : dict
        By name: ``table``, ``tests``, ``reading``, ``outcome``, ``reproduced``, ``settings`` and
        more, as in ``summary.json``.
    run : dict
        Date, seed, versions, machine, number of pieces and seconds.

    Examples
    --------
    >>> import tempfile
    >>> from hyplane.experiments import GaussianMixtures, run_experiments
    >>> small = GaussianMixtures(n_datasets=2, n_per_class=20, n_trials=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = run_experiments([small], output=folder, n_jobs=1, progress=False)
    >>> summary.report.name, list(summary.experiments)
    ('index.html', ['gaussian'])
    """

    output: Path
    experiments: dict[str, dict[str, Any]]
    run: dict[str, Any]

    @property
    def report(self) -> Path:
        """The page to open."""
        return self.output / "index.html"

    @property
    def reproduced(self) -> dict[str, bool]:
        """Whether the paper's finding shows, and not in part only, by experiment."""
        return {name: each["reproduced"] for name, each in self.experiments.items()}

    @property
    def reading(self) -> list[str]:
        """What the numbers say, in plain words."""
        return [sentence for each in self.experiments.values() for sentence in each["reading"]]


def reproduce(
    which: str | Iterable[str] = "all",
    *,
    output: str | os.PathLike[str] = "report",
    quick: bool = False,
    methods: Iterable[str] | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> ReproductionSummary:
    """Run the paper's experiments and write a report.

    Parameters
    ----------
    which : {"gaussian", "evolving", "real", "all"} or several of them, default="all"
        The experiments.
    output : path, default="report"
        Folder of the report. Finished pieces are kept in its folder ``pieces``: running again,
        after an interruption or with other methods, computes only what is not there.
    quick : bool, default=False
        A small part of each experiment, in seconds.
    methods : iterable of str, optional
        Methods to compare beside the hyperbolic and the Euclidean SVM: names of
        `hyplane.evaluation.METHODS`.
    seed : int, default=0
        The seed of everything.
    n_jobs : int, optional
        Processes; all processors by default. The numbers do not depend on it.
    progress : bool, default=True
        Show a progress bar on a terminal.

    Returns
    -------
    summary : ReproductionSummary

    Raises
    ------
    ReproductionInterrupted
        On Ctrl-C: a KeyboardInterrupt whose message says how to go on.

    Examples
    --------
    >>> from hyplane.experiments import reproduce
    >>> summary = reproduce("gaussian", output="report", quick=True)  # doctest: +SKIP
    >>> summary.report  # doctest: +SKIP
    PosixPath('report/index.html')
    """
    names = _names(which)
    chosen = chosen_methods(methods)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed must be an integer of at least 0; got {seed!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of processes, or -1 for all.")
    experiments: list[Experiment] = [
        replace(EXPERIMENTS[name](), methods=chosen, seed=seed) for name in names
    ]
    if quick:
        experiments = [experiment.quick() for experiment in experiments]
    return run_experiments(
        experiments, output=output, quick=quick, n_jobs=n_jobs, progress=progress
    )


def run_experiments(
    experiments: Sequence[Experiment],
    *,
    output: str | os.PathLike[str],
    quick: bool = False,
    n_jobs: int | None = None,
    progress: bool = True,
) -> ReproductionSummary:
    """Run experiments of any size and write a report; `reproduce` with the sizes chosen.

    Parameters
    ----------
    experiments : sequence of GaussianMixtures, EvolvingNetworks and RealNetworks
    output, n_jobs, progress
        As in `reproduce`.
    quick : bool, default=False
        Say in the report that this is a part of the experiments only.

    Returns
    -------
    summary : ReproductionSummary

    Examples
    --------
    >>> import tempfile
    >>> from hyplane.experiments import GaussianMixtures, run_experiments
    >>> small = GaussianMixtures(n_datasets=2, n_per_class=20, n_trials=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = run_experiments([small], output=folder, n_jobs=1, progress=False)
    ...     print(summary.report.is_file())
    True
    """
    # What is missing should be known before the work, not after it.
    import_optional("matplotlib.figure", "plot")
    if any(isinstance(experiment, RealNetworks) for experiment in experiments):
        import_optional("gensim", "experiments")
        import_optional("networkx", "experiments")
    start = time.perf_counter()
    folder = Path(output)
    store = PieceStore(folder / "pieces")
    # The longest pieces, embeddings of real networks, are first: none is left for the end alone.
    pieces = sorted(
        (piece for experiment in experiments for piece in experiment.pieces()),
        key=lambda piece: -piece.cost if "embedding" in piece.name else 0.0,
    )
    n_computed = run_pieces(pieces, store, n_jobs=n_jobs, progress=progress)

    summaries, figures, rows = {}, {}, []
    for experiment in experiments:
        own = experiment.rows(store)
        summary = _sum_up(experiment, own, store, quick)
        summaries[experiment.name] = summary
        figures[experiment.name] = _figures(experiment, own, summary)
        rows += own
    run = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "quick": quick,
        "seed": experiments[0].seed,
        "n_jobs": effective_n_jobs(-1 if n_jobs is None else n_jobs),
        "n_pieces": len(pieces),
        "n_computed": n_computed,
        "seconds": time.perf_counter() - start,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "versions": _versions(),
    }
    write_report(folder, summaries, figures, rows, run)
    return ReproductionSummary(folder, summaries, run)


def _sum_up(
    experiment: Experiment, rows: Sequence[Row], store: PieceStore, quick: bool
) -> dict[str, Any]:
    results = [store.obtain(piece) for piece in experiment.pieces()]
    summary = {
        "title": experiment.title,
        "quick": quick,
        "settings": asdict(experiment),
        **SUM_UP[experiment.name](rows),
        "warnings": sorted({text for result in results for text in result.get("warnings", ())}),
        "work_seconds": sum(result["seconds"] for result in results),
    }
    summary["outcome"] = outcome(experiment.name, summary)
    summary["reproduced"] = summary["outcome"] == "reproduced"
    summary["reading"] = read(experiment.name, summary)
    return summary


def _figures(experiment: Experiment, rows: Sequence[Row], summary: dict[str, Any]) -> list[Figure]:
    if isinstance(experiment, GaussianMixtures):
        return gaussian_figures(experiment, rows)
    if isinstance(experiment, EvolvingNetworks):
        return evolving_figures(experiment, rows)
    return real_figures(summary["table"])


def _names(which: str | Iterable[str]) -> list[str]:
    names = [which] if isinstance(which, str) else list(which)
    if "all" in names:
        return list(EXPERIMENTS)
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown or not names:
        raise ValueError(
            f"which must be one of {', '.join(EXPERIMENTS)} and all; got "
            f"{unknown[0] if unknown else which!r}."
        )
    return [name for name in EXPERIMENTS if name in names]


def _versions() -> dict[str, str]:
    found = {"hyplane": version("hyplane"), "Python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
