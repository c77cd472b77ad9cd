"""Runs the paper's experiments and writes the report."""

import json
import os
import platform
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import Any

from joblib import delayed, effective_n_jobs

from hyplane._utils.files import write_text
from hyplane._utils.optional import import_optional
from hyplane._utils.parallel import results_of
from hyplane._utils.progress import Progress
from hyplane._utils.typing import ArrayLike
from hyplane.evaluation import METHODS
from hyplane.paper.evolving_networks import EvolvingNetworks
from hyplane.paper.experiment import Experiment, OwnData, imported_method, own_method, own_points
from hyplane.paper.figures import figure_style
from hyplane.paper.gaussian_mixtures import GaussianMixtures
from hyplane.paper.pieces import Own, Piece, PieceStore, as_json, package_digest, run_pieces
from hyplane.paper.published import OURS, PAPER
from hyplane.paper.real_networks import RealNetworks
from hyplane.paper.report import Section, summary_rows, write_report
from hyplane.paper.summaries import frame_of

# The experiments that `reproduce` knows by name.
EXPERIMENTS: dict[str, type[Experiment]] = {
    experiment.name: experiment for experiment in (GaussianMixtures, EvolvingNetworks, RealNetworks)
}
# Settings at the top of experiment.toml: fields of every experiment.
SHARED = ("n_trials", "methods", "data", "protocol", "seed", "Cs")


class ReportInTheWay(ValueError):
    """Error raised if the folder holds a report that the new one would replace.

    Examples
    --------
    >>> issubclass(ReportInTheWay, ValueError)
    True
    """


@dataclass(frozen=True)
class ReproductionSummary:
    """The results of a run, and the folder of its report.

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
    >>> from hyplane.paper import GaussianMixtures, reproduce
    >>> small = GaussianMixtures(n_datasets=2, n_classes=2, n_per_class=10, n_trials=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = reproduce(small, output=folder, n_jobs=1, progress=False)
    >>> summary.report.name, list(summary.experiments)
    ('index.html', ['gaussian'])
    >>> list(summary.table[0])[:3]
    ['Experiment', 'Pairs', 'Mean difference']
    """

    output: Path
    experiments: dict[str, dict[str, Any]]
    run: dict[str, Any]

    @property
    def report(self) -> Path:
        """The page of the report."""
        return self.output / "index.html"

    @property
    def table(self) -> list[dict[str, str]]:
        """One row per experiment, ready to print: our test beside the paper's."""
        return summary_rows(list(self.experiments.values()))


def reproduce(
    which: str | Experiment | Iterable[str | Experiment] | None = None,
    *,
    output: str | os.PathLike[str] = "report",
    quick: bool | None = None,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    networks: Iterable[str] | None = None,
    datasets: Mapping[str, Sequence[ArrayLike]] | None = None,
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
    which : {"gaussian", "evolving", "real", "all"}, Experiment, or several of them, optional
        The experiments, by name or with sizes of your own. By default all of them, or none if
        ``datasets`` are given.
    output : path, default="report"
        Folder of the report. Finished pieces are kept in its folder ``pieces``. Another run, after
        an interruption or with more methods, computes only the missing ones. Pieces of another
        version of the code are not used. Experiments that the folder already holds stay in the
        report if they have the same seed, data and protocol; otherwise ReportInTheWay is raised
        before the work begins.
    quick : bool, default=False
        Run a small part of each experiment.
    methods : iterable of str or dict of str to estimator, optional
        Methods to compare beside the paper's hyperbolic and Euclidean SVM and our own: names of
        `hyplane.evaluation.METHODS`, ``"module:object"`` for an estimator that can be imported, or
        for a class or function that returns one, or a dict of estimators by name. Their input is
        points of the ball.
    networks : iterable of str, optional
        Networks of the experiment ``real``: names of the paper's, or ``"FILE:LABELS"`` for one of
        your own, where LABELS is an attribute of the nodes (GML, GraphML) or a table with the
        label of each node.
    datasets : dict of str to (X, y), optional
        Data sets of your own, points of the ball with their labels, compared in the same way. A
        third element, the file they were read from, is noted in ``experiment.toml``.
    trials : int, default=5
        Hold-outs on each data set.
    Cs : iterable of float, optional
        Values of C to choose from.
    data : {"recipe", "authors"}, default="recipe"
        Data drawn by the paper's recipe, or the files that its authors published, which
        `hyplane.datasets.fetch_hyplinear` reads or downloads.
    protocol : {"holdout", "twofold"}, default="holdout"
        Whether one half of each trial is tested, or both in turn.
    seed : int, default=0
        Seed that all others are derived from.
    settings : path or dict, optional
        The ``experiment.toml`` of a report, or a dict of the same form. Arguments take precedence
        over it. A table named after an experiment sets any of its fields.
    n_jobs : int, optional
        Number of processes; by default one per processor. Results do not depend on it.
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
        On Ctrl-C: a KeyboardInterrupt whose message says how to continue.
    ReportInTheWay
        If the folder holds a report that would be lost.

    Examples
    --------
    >>> import tempfile
    >>> from hyplane.paper import GaussianMixtures, reproduce
    >>> small = GaussianMixtures(n_datasets=2, n_classes=2, n_per_class=10, n_trials=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = reproduce(small, output=folder, n_jobs=1, progress=False)
    ...     print(summary.report.is_file())
    True
    >>> summary = reproduce("gaussian", output="report", quick=True)  # doctest: +SKIP
    >>> summary.report  # doctest: +SKIP
    PosixPath('report/index.html')
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> reproduce(
    ...     "real", methods={"forest": RandomForestClassifier()}, networks=["karate"], trials=2
    ... )  # doctest: +SKIP
    """
    given = {} if settings is None else read_settings(settings)
    for key in given:
        known = ["experiments", "quick", "estimators", *SHARED, *EXPERIMENTS, OwnData.name]
        _check_known(key, known, "the settings have")
    if n_jobs is not None and not (isinstance(n_jobs, int) and 0 < abs(n_jobs) <= 10_000):
        raise ValueError(f"n_jobs must be a number of processes, or -1 for all; got {n_jobs!r}.")
    quick = given.get("quick", False) if quick is None else quick
    grid = None if Cs is None else [float(C) for C in Cs]
    explicit = dict(zip(SHARED, (trials, methods, data, protocol, seed, grid), strict=True))
    shared = {key: given[key] for key in SHARED if key in given}
    shared |= {key: value for key, value in explicit.items() if value is not None}
    if "methods" in shared or "estimators" in given:
        named, places = shared.get("methods", ()), given.get("estimators", {})
        shared["methods"], shared["estimators"] = _methods(named, places)
    chosen = given.get("experiments", () if datasets else "all") if which is None else which
    experiments = []
    for base in _chosen(chosen, quick):
        own = dict(given.get(base.name, {}))
        if networks is not None and isinstance(base, RealNetworks):
            own["networks"] = (networks,) if isinstance(networks, str) else tuple(networks)
        experiments.append(_with_settings(base, {**shared, **own}))
    if datasets:
        points = {name: own_points(*each) for name, each in datasets.items()}
        experiments.append(_with_settings(OwnData(datasets=points), shared))
    if not experiments:
        raise ValueError(f"which must be one of {', '.join(EXPERIMENTS)} and all; got {which!r}.")
    return _run(experiments, Path(output), quick, -1 if n_jobs is None else n_jobs, dask, progress)


def _run(
    experiments: list[Experiment],
    folder: Path,
    quick: bool,
    n_jobs: int,
    dask: str | None,
    progress: bool,
) -> ReproductionSummary:
    # Missing packages should raise an error before the work, not after it.
    for module in ("matplotlib", "pandas", "jinja2", "networkx"):
        import_optional(module, "experiments")
    start = time.perf_counter()
    store = PieceStore(folder)
    experiments += _beside(folder, store, experiments, quick)
    names = list(EXPERIMENTS)  # the paper's first, in its order
    experiments.sort(key=lambda each: names.index(each.name) if each.name in names else len(names))
    work = [experiment.pieces() for experiment in experiments]
    pieces = [piece for own in work for piece in own]
    n_jobs = effective_n_jobs(n_jobs)
    n_computed = run_pieces(pieces, store, n_jobs=n_jobs, dask=dask, progress=progress)
    tasks = (
        delayed(_section)(experiment, own, store, quick)
        for experiment, own in zip(experiments, work, strict=True)
    )
    sections = {}
    with Progress(len(experiments), "drawing the report", shown=progress) as bar:
        for section in results_of(tasks, min(n_jobs, len(experiments))):
            sections[section.name] = section
            bar.advance()
    libraries = ("hyplane", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "networkx")
    run = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "quick": quick,
        **{key: getattr(experiments[0], key) for key in ("data", "protocol", "seed")},
        "n_jobs": n_jobs,
        "n_pieces": len(pieces),
        "n_computed": n_computed,
        "seconds": time.perf_counter() - start,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "code": package_digest(),
        "versions": {"Python": platform.python_version(), **{n: version(n) for n in libraries}},
    }
    write_text(folder / "experiment.toml", _settings_text(experiments, quick))
    write_report(folder, sections, run)
    summaries = {name: dict(section.summary) for name, section in sections.items()}
    return ReproductionSummary(folder, summaries, run)


def _section(
    experiment: Experiment, pieces: Sequence[Piece], store: PieceStore, quick: bool
) -> Section:
    """Return the part of the report on an experiment whose pieces are finished."""
    results = [store.obtain(piece) for piece in pieces]
    rows = [
        {"experiment": experiment.name, **piece.labels, **record}
        for piece, result in zip(pieces, results, strict=True)
        for record in result.get("records", ())
    ]
    frame = frame_of(rows)
    summary = {
        "title": experiment.title,
        "published": {"claim": experiment.claim, "p_value": experiment.published_p},
        "settings": dict(vars(experiment)),
        "n_datasets": int(frame["dataset"].nunique()),
        **experiment.summarize(frame),
        "warnings": sorted({text for result in results for text in result.get("warnings", ())}),
        "work_seconds": sum(result["seconds"] for result in results),
    }
    outcome = experiment.outcome(summary)
    if quick and outcome != "not in the paper":
        outcome = "too small to tell"
    undecided = ("too small to tell", "not in the paper")
    summary["outcome"] = outcome
    summary["reproduced"] = None if outcome in undecided else outcome == "reproduced"
    summary["reading"] = experiment.reading(summary)
    with figure_style():
        figures = experiment.figures(frame, summary)
    return Section(experiment.name, summary, experiment.tables(summary), figures, rows)


def _beside(
    folder: Path, store: PieceStore, experiments: Sequence[Experiment], quick: bool
) -> list[Experiment]:
    """Return the experiments of the report in a folder that are not run now.

    ReportInTheWay is raised if they cannot stay in the report, or if a quick run would replace a
    full one.
    """
    try:
        report = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        found, run = dict(report["experiments"]), dict(report["run"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    running = [each.name for each in experiments]
    others = {name: found[name]["settings"] for name in found if name not in running}
    if not others and (run.get("quick") or not quick):
        return []
    settings = {key: getattr(experiments[0], key) for key in ("seed", "data", "protocol")}
    reasons = [
        f"with {key} = {run.get(key)!r} instead of {new!r}"
        for key, new in {"quick": quick, **settings}.items()
        if run.get(key) != new
    ]
    try:
        kept = [_rebuilt(name, own) for name, own in others.items()]
        if not all(store.load(piece) for each in kept for piece in each.pieces()):
            reasons.append("computed by another version of the code")
    except (KeyError, TypeError, ValueError, OSError):
        reasons.append("computed by another version of the code")
    if reasons:
        raise ReportInTheWay(
            f"{folder} holds a report on {' and '.join(others or found)}, {reasons[0]}. Give "
            "another folder."
        )
    return kept


def _rebuilt(name: str, settings: Mapping[str, Any]) -> Experiment:
    """Return an experiment with the settings of a summary, whose digests suffice to find pieces."""
    own = {
        key: {each: Own(digest) for each, digest in settings[key].items()}
        for key in {"estimators", "datasets"} & set(settings)
    }
    kind = OwnData if name == OwnData.name else EXPERIMENTS[name]
    return _with_settings(kind(), {**settings, **own})


def _methods(
    given: Iterable[str] | Mapping[str, Any], places: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, Own]]:
    """Return the names of all methods, the paper's first, and the estimators that are not ours."""
    estimators = {name: imported_method(place) for name, place in places.items()}
    names = list(estimators)
    for name in [given] if isinstance(given, str) else given:
        names.append(str(name).rpartition(":")[2])
        if isinstance(given, Mapping):
            estimators[names[-1]] = own_method(given[name])
        elif ":" in str(name):
            estimators[names[-1]] = imported_method(name)
    for name in names:
        if name in METHODS and name in estimators:
            raise ValueError(f"{name!r} is the name of a method of hyplane: give it another.")
        if name not in METHODS and name not in estimators:
            known = ", ".join(METHODS)
            raise ValueError(
                f"no method {name!r}: there are {known}, and module:object for your own."
            )
    return tuple(dict.fromkeys((*PAPER, *OURS, *names))), estimators


def _chosen(which: Any, quick: bool) -> list[Experiment]:
    """Return the given experiments, then those given by name in the paper's order."""
    chosen = [which] if isinstance(which, str | Experiment) else list(which)
    given = [each for each in chosen if isinstance(each, Experiment)]
    names = [each for each in chosen if not isinstance(each, Experiment)]
    unknown = [name for name in names if name not in (*EXPERIMENTS, "all")]
    if unknown:
        known = f"which must be one of {', '.join(EXPERIMENTS)} and all"
        raise ValueError(f"{known}; got {unknown[0]!r}.")
    new = [EXPERIMENTS[name]() for name in EXPERIMENTS if name in names or "all" in names]
    return given + [each.quick() if quick else each for each in new]


def read_settings(source: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return settings from an ``experiment.toml``, or from a dict of the same form."""
    if isinstance(source, Mapping):
        return dict(source)
    try:
        return tomllib.loads(Path(source).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{os.fspath(source)} is no TOML file: {error}.") from error


def _with_settings(experiment: Experiment, settings: Mapping[str, Any]) -> Experiment:
    """Return an experiment with fields replaced; lists of a file become tuples."""
    for key in settings:
        _check_known(key, list(vars(experiment)), f"{experiment.name} has")
    return replace(experiment, **{key: _frozen(each) for key, each in settings.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _check_known(key: str, names: Sequence[str], who: str) -> None:
    if key not in names:
        close = get_close_matches(key, names, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}."
        raise ValueError(f"{who} an unknown key {key!r}; {hint}")


def _settings_text(experiments: Sequence[Experiment], quick: bool) -> str:
    """Return ``experiment.toml``: shared settings at the top, a table for each experiment."""
    first = experiments[0]
    top: dict[str, Any] = {key: getattr(first, key) for key in SHARED}
    names = [each.name for each in experiments if each.name in EXPERIMENTS]
    top |= {"experiments": names, "quick": quick, "estimators": _places(first.estimators)}
    top["methods"] = [name for name in first.methods if name not in first.estimators]
    for experiment in experiments:
        own = vars(experiment)
        same = [key for key in SHARED if own[key] == getattr(first, key)]
        top[experiment.name] = {key: own[key] for key in own if key not in (*same, "estimators")}
        if isinstance(experiment, OwnData):
            top[experiment.name]["datasets"] = _places(experiment.datasets)
    comment = "# Settings of a run of hyplane. To run the same again:\n"
    comment += "#     hyplane reproduce --settings experiment.toml\n"
    return comment + "\n".join(_toml(top)) + "\n"


def _places(own: Mapping[str, Own]) -> dict[str, str]:
    return {
        as_json(name, ensure_ascii=False): each.place or f"given from Python: {each.digest}"
        for name, each in own.items()
    }


def _toml(values: Mapping[str, Any], table: str = "") -> list[str]:
    lines, tables = [], []
    for key, value in values.items():
        if not isinstance(value, Mapping):  # is written alike in JSON and in TOML
            lines.append(f"{key} = {as_json(value, ensure_ascii=False)}")
        elif value:
            tables += ["", f"[{table}{key}]", *_toml(value, f"{table}{key}.")]
    return lines + tables
