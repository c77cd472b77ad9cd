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
from hyplane.evaluation import METHODS
from hyplane.experiments._digest import LIBRARIES, package_digest
from hyplane.experiments.evolving_networks import EvolvingNetworks
from hyplane.experiments.experiment import Experiment
from hyplane.experiments.gaussian_mixtures import GaussianMixtures
from hyplane.experiments.paper import OURS, PAPER
from hyplane.experiments.pieces import PieceStore
from hyplane.experiments.real_networks import RealNetworks
from hyplane.experiments.report import Section, write_report
from hyplane.experiments.runner import run_pieces
from hyplane.experiments.summaries import Frame, frame_of

# The register: an experiment that is named here is run, reported and known to the command.
EXPERIMENTS: dict[str, type[Experiment]] = {
    experiment.name: experiment for experiment in (GaussianMixtures, EvolvingNetworks, RealNetworks)
}


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
    def reproduced(self) -> dict[str, bool | None]:
        """Whether the paper's finding shows, by experiment; None where the run is too small."""
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
    data: str = "recipe",
    protocol: str = "holdout",
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
        after an interruption or with other methods, computes only what is not there. A piece
        counts as there only if the same code computed it.
    quick : bool, default=False
        A small part of each experiment, in seconds.
    methods : iterable of str, optional
        Methods to compare beside the paper's hyperbolic and Euclidean SVM and our own: names of
        `hyplane.evaluation.METHODS`.
    data : {"recipe", "authors"}, default="recipe"
        Data drawn anew by the paper's recipe, or the files that its authors published: those are
        looked for, and else fetched, as `hyplane.datasets.fetch_hyplinear` does.
    protocol : {"holdout", "twofold"}, default="holdout"
        Whether one half of each trial is tested, or both in turn.
    seed : int, default=0
        The seed of everything.
    n_jobs : int, optional
        Processes; all processors by default. The numbers do not depend on it.
    progress : bool, default=True
        Say on the standard error how far it is.

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
    chosen = _methods(methods)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed must be an integer of at least 0; got {seed!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of processes, or -1 for all.")
    experiments = [
        replace(EXPERIMENTS[name](), methods=chosen, data=data, protocol=protocol, seed=seed)
        for name in names
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
    experiments : sequence of Experiment
        Those of the paper, or one's own.
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
    needed = {module for experiment in experiments for module in experiment.requires}
    for module in ("matplotlib", "pandas", "jinja2", *sorted(needed)):
        import_optional(module, "experiments")
    start = time.perf_counter()
    folder = Path(output)
    store = PieceStore(folder / "pieces")
    pieces = [piece for experiment in experiments for piece in experiment.pieces()]
    n_computed = run_pieces(pieces, store, n_jobs=n_jobs, progress=progress)

    sections, rows = {}, []
    for experiment in experiments:
        own = experiment.rows(store)
        frame = frame_of(own)
        summary = _sum_up(experiment, frame, store, quick)
        sections[experiment.name] = Section(
            summary, experiment.tables(summary), experiment.figures(frame, summary)
        )
        rows += own
    run = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "quick": quick,
        "data": experiments[0].data,
        "protocol": experiments[0].protocol,
        "seed": experiments[0].seed,
        "n_jobs": effective_n_jobs(-1 if n_jobs is None else n_jobs),
        "n_pieces": len(pieces),
        "n_computed": n_computed,
        "seconds": time.perf_counter() - start,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "code": package_digest(),
        "versions": _versions(),
    }
    write_report(folder, sections, frame_of(rows), run)
    summaries = {name: dict(section.summary) for name, section in sections.items()}
    return ReproductionSummary(folder, summaries, run)


def _sum_up(experiment: Experiment, frame: Frame, store: PieceStore, quick: bool) -> dict[str, Any]:
    results = [store.obtain(piece) for piece in experiment.pieces()]
    summary = {
        "title": experiment.title,
        "published": asdict(experiment.finding),
        "settings": asdict(experiment),
        "n_datasets": int(frame["dataset"].nunique()),
        **experiment.summarize(frame),
        "warnings": sorted({text for result in results for text in result.get("warnings", ())}),
        "work_seconds": sum(result["seconds"] for result in results),
    }
    summary["outcome"] = "too small to tell" if quick else experiment.outcome(summary)
    summary["reproduced"] = {"reproduced": True, "too small to tell": None}.get(
        summary["outcome"], False
    )
    summary["reading"] = experiment.reading(summary)
    return summary


def _methods(others: Iterable[str] | None) -> tuple[str, ...]:
    names = [others] if isinstance(others, str) else list(others or ())
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise ValueError(f"no method {unknown[0]!r}: there are {', '.join(METHODS)}.")
    return tuple(dict.fromkeys((*PAPER, *OURS, *names)))


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
    for library in (*LIBRARIES, "joblib", "pandas", "matplotlib", "networkx"):
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
