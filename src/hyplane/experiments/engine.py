"""The paper's experiments from nothing to a report."""

import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs

from hyplane._utils.files import write_text
from hyplane._utils.optional import import_optional
from hyplane._utils.progress import Progress
from hyplane._utils.typing import ArrayLike
from hyplane.evaluation import METHODS
from hyplane.experiments._digest import LIBRARIES, package_digest
from hyplane.experiments._trials import OwnMethod
from hyplane.experiments.beside import experiments_beside
from hyplane.experiments.evolving_networks import EvolvingNetworks
from hyplane.experiments.execution import Begin, run_pieces
from hyplane.experiments.experiment import Experiment
from hyplane.experiments.figures import models_figure
from hyplane.experiments.gaussian_mixtures import GaussianMixtures
from hyplane.experiments.own_data import OwnData, OwnPoints
from hyplane.experiments.paper import OURS, PAPER
from hyplane.experiments.pieces import PieceStore
from hyplane.experiments.real_networks import RealNetworks
from hyplane.experiments.report import Section, write_report
from hyplane.experiments.settings import (
    FILE,
    SHARED,
    check_keys,
    read_settings,
    with_settings,
    written,
)
from hyplane.experiments.summaries import Frame, frame_of

_REPRODUCED = {"reproduced": True, "too small to tell": None, "not in the paper": None}

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
    >>> small = GaussianMixtures(n_datasets=2, n_classes=2, n_per_class=10, n_trials=1)
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
    which: str | Iterable[str] | None = None,
    *,
    output: str | os.PathLike[str] = "report",
    quick: bool | None = None,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    networks: Iterable[str] | None = None,
    datasets: Mapping[str, tuple[ArrayLike, ArrayLike] | OwnPoints] | None = None,
    trials: int | None = None,
    Cs: Iterable[float] | None = None,
    data: str | None = None,
    protocol: str | None = None,
    seed: int | None = None,
    settings: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    dask: str | None = None,
    progress: bool = True,
) -> ReproductionSummary:
    """Run the paper's experiments, or variations of them, and write a report.

    Parameters
    ----------
    which : {"gaussian", "evolving", "real", "all"} or several of them, optional
        The experiments; by default all, or with ``datasets`` none but these.
    output : path, default="report"
        Folder of the report. Finished pieces are kept in its folder ``pieces``: running again,
        after an interruption or with other methods, computes only what is not there. A piece
        counts as there only if the same code computed it. Experiments that the folder already
        holds stay in the report, if they have the same seed, data and protocol; if they cannot be
        shown beside these, that is an error before the work begins.
    quick : bool, default=False
        A small part of each experiment, in seconds.
    methods : iterable of str or dict of str to estimator, optional
        Methods to compare beside the paper's hyperbolic and Euclidean SVM and our own: names of
        `hyplane.evaluation.METHODS`, ``"module:object"`` for an estimator, or for what makes one,
        that can be imported, or a dict of estimators by name. Their input is points of the ball.
    networks : iterable of str, optional
        Networks of the experiment ``real``: names of the paper's, or ``"FILE:LABELS"`` for one's
        own, where LABELS is an attribute of the nodes (GML, GraphML) or a table with the label of
        each node.
    datasets : dict of str to (X, y), optional
        Data sets of one's own, points of the ball with their labels, compared in the same way.
    trials : int, default=5
        Hold-outs on each data set.
    Cs : iterable of float, optional
        The grid that C is chosen from.
    data : {"recipe", "authors"}, default="recipe"
        Data drawn anew by the paper's recipe, or the files that its authors published: those are
        looked for, and else fetched, as `hyplane.datasets.fetch_hyplinear` does.
    protocol : {"holdout", "twofold"}, default="holdout"
        Whether one half of each trial is tested, or both in turn.
    seed : int, default=0
        The seed of everything.
    settings : path or dict, optional
        An ``experiment.toml``, such as every report has, or its content; what is given beside it
        counts more. A table named after an experiment holds any of its fields.
    n_jobs : int, optional
        Processes; all processors by default. The numbers do not depend on it.
    dask : str, optional
        Address of the scheduler of a Dask cluster, whose workers compute the pieces instead of
        processes here. Needs the extra ``dask``, and this version of hyplane on every worker.
    progress : bool, default=True
        Show progress on the standard error.

    Returns
    -------
    summary : ReproductionSummary

    Raises
    ------
    ReproductionInterrupted
        On Ctrl-C: a KeyboardInterrupt whose message says how to go on.
    ReportInTheWay
        If the folder holds a report that must not be lost.

    Examples
    --------
    >>> from hyplane.experiments import reproduce
    >>> summary = reproduce("gaussian", output="report", quick=True)  # doctest: +SKIP
    >>> summary.report  # doctest: +SKIP
    PosixPath('report/index.html')
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> reproduce(
    ...     "real", methods={"forest": RandomForestClassifier()}, networks=["karate"], trials=2
    ... )  # doctest: +SKIP
    """
    given = {} if settings is None else read_settings(settings)
    check_keys(given, [*EXPERIMENTS, OwnData.name])
    if n_jobs is not None and (not isinstance(n_jobs, int) or n_jobs == 0 or abs(n_jobs) > 10_000):
        raise ValueError(
            f"n_jobs must be a number of processes, or -1 for all; it must not be {n_jobs!r}."
        )
    quick = given.get("quick", False) if quick is None else quick
    explicit = {"n_trials": trials, "data": data, "protocol": protocol, "seed": seed}
    shared = {key: given[key] for key in SHARED if key in given}
    shared |= {key: value for key, value in explicit.items() if value is not None}
    if Cs is not None:
        shared["Cs"] = [float(C) for C in Cs]
    number = shared.get("seed", 0)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"seed must be an integer of at least 0; got {number!r}.")
    named = shared.pop("methods", ()) if methods is None else methods
    shared["methods"], shared["estimators"] = _methods(named, given.get("estimators", {}))
    experiments: list[Experiment] = []
    for name in _names(given.get("experiments", () if datasets else "all"), which):
        base = EXPERIMENTS[name]().quick() if quick else EXPERIMENTS[name]()
        experiments.append(with_settings(with_settings(base, shared), given.get(name, {})))
    if datasets:
        own = {
            name: each if isinstance(each, OwnPoints) else OwnPoints.of(*each)
            for name, each in datasets.items()
        }
        experiments.append(with_settings(OwnData(datasets=own), shared))
    if networks is not None:
        named = [networks] if isinstance(networks, str) else list(networks)
        experiments = [each.on_networks(named) for each in experiments]
    return run_experiments(
        experiments, output=output, quick=quick, n_jobs=n_jobs, dask=dask, progress=progress
    )


def run_experiments(
    experiments: Sequence[Experiment],
    *,
    output: str | os.PathLike[str],
    quick: bool = False,
    n_jobs: int | None = None,
    dask: str | None = None,
    progress: bool = True,
) -> ReproductionSummary:
    """Run experiments of any size and write a report; `reproduce` with the sizes chosen.

    Parameters
    ----------
    experiments : sequence of Experiment
        Those of the paper, or one's own.
    output, n_jobs, dask, progress
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
    >>> small = GaussianMixtures(n_datasets=2, n_classes=2, n_per_class=10, n_trials=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = run_experiments([small], output=folder, n_jobs=1, progress=False)
    ...     print(summary.report.is_file())
    True
    """
    # What is missing should be known before the work, not after it.
    for each in experiments:
        if not isinstance(each, Experiment):
            raise TypeError(f"experiments must be a list of experiments; got {each!r} in it.")
    needed = {module for experiment in experiments for module in experiment.requires}
    for module in ("matplotlib", "pandas", "jinja2", *sorted(needed)):
        import_optional(module, "experiments")
    start = time.perf_counter()
    folder = Path(output)
    store = PieceStore(folder / "pieces")
    known: dict[str, type[Experiment]] = {**EXPERIMENTS, OwnData.name: OwnData}
    others = experiments_beside(folder, store, experiments, quick=quick, known=known)
    experiments = sorted([*experiments, *others], key=_rank)
    pieces = [piece for experiment in experiments for piece in experiment.pieces()]
    sections: dict[str, Section] = {}
    rows: list[dict[str, Any]] = []

    def draw(begin: Begin) -> None:
        steps = len(experiments) + 1
        with Progress(steps, "drawing the report", shown=progress) as bar:
            drawn = []
            for experiment in experiments:
                bar.advance(0, f"drawing the report, {experiment.name}")
                drawn.append(begin(_section, experiment, store, quick))
            models_figure()  # is kept for the report
            for experiment, future in zip(experiments, drawn, strict=True):
                sections[experiment.name], own = future.result()
                rows.extend(own)
                bar.advance()

    n_computed = run_pieces(pieces, store, n_jobs=n_jobs, dask=dask, progress=progress, then=draw)
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
    given = {name: own for each in experiments for name, own in each.estimators.items()}
    places = {name: own.place for name, own in given.items() if own.place}
    write_text(folder / FILE, written(experiments, quick=quick, places=places))
    write_report(folder, sections, frame_of(rows), run)
    summaries = {name: dict(section.summary) for name, section in sections.items()}
    return ReproductionSummary(folder, summaries, run)


def _rank(experiment: Experiment) -> int:
    """Put the paper's experiments first, in its order."""
    names = list(EXPERIMENTS)
    return names.index(experiment.name) if experiment.name in names else len(names)


def _section(
    experiment: Experiment, store: PieceStore, quick: bool
) -> tuple[Section, list[dict[str, Any]]]:
    """Return what the report says of an experiment whose pieces are finished, and its scores."""
    rows = experiment.rows(store)
    frame = frame_of(rows)
    summary = _sum_up(experiment, frame, store, quick)
    section = Section(summary, experiment.tables(summary), experiment.figures(frame, summary))
    return section, rows


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
    summary["outcome"] = experiment.outcome(summary)
    if quick and summary["outcome"] != "not in the paper":
        summary["outcome"] = "too small to tell"
    summary["reproduced"] = _REPRODUCED.get(summary["outcome"], False)
    summary["reading"] = experiment.reading(summary)
    return summary


def _methods(
    given: Iterable[str] | Mapping[str, Any], places: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, OwnMethod]]:
    """Return the names of all methods, the paper's first, and the estimators that are not ours."""
    named = [given] if isinstance(given, str) else list(given)
    estimators = {name: OwnMethod.named(place) for name, place in places.items()}
    if isinstance(given, Mapping):
        estimators |= {name: OwnMethod.of(estimator) for name, estimator in given.items()}
    for name in named:
        if ":" in name and name not in estimators:
            estimators[name.rpartition(":")[2]] = OwnMethod.named(name)
    names = [name.rpartition(":")[2] for name in named] + list(estimators)
    taken = [name for name in estimators if name in METHODS]
    if taken:
        raise ValueError(f"{taken[0]!r} is the name of a method of hyplane: give it another.")
    unknown = [name for name in names if name not in METHODS and name not in estimators]
    if unknown:
        raise ValueError(
            f"no method {unknown[0]!r}: there are {', '.join(METHODS)}, and module:object for one "
            "of your own."
        )
    return tuple(dict.fromkeys((*PAPER, *OURS, *names))), estimators


def _names(default: str | Iterable[str], which: str | Iterable[str] | None) -> list[str]:
    chosen = default if which is None else which
    names = [chosen] if isinstance(chosen, str) else list(chosen)
    if "all" in names:
        return list(EXPERIMENTS)
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown or (not names and which is not None):
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
