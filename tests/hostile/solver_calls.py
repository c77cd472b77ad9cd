"""More calls of the catalogue: the solvers, and rows that are read block by block."""

from functools import partial

import numpy as np
from calls import OBEYED, SLOW, feed, feed_options, parameters, then
from values import LABELS, SCALARS, TABLES, WEIGHTS, X, y

from hyplane import HyperbolicSVC, predict_to_file, solvers
from hyplane._utils.validation import is_lazy
from hyplane.out_of_core import DiskBlocks, MemoryBlocks, ParquetTable
from hyplane.out_of_core.disk import as_blocks
from hyplane.out_of_core.parquet import parquet_files
from hyplane.out_of_core.rows import Workers
from hyplane.out_of_core.writers import write_columns
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import best_of_rows, scores_of_rows

POINTS = solvers.Points.from_chart(X)
SIGNS = np.where(y, 1, -1).astype(np.int8)
RESULT = solvers.solve_soft_margin(POINTS, SIGNS)
PLANES = Hyperplanes.of_results([RESULT])


def counts(*names):
    """Say which options are not given numbers that are obeyed and take for ever."""
    return lambda option, what: option in names and what in SLOW


def solver_calls():
    soft = partial(solvers.solve_soft_margin, POINTS)
    certify = partial(solvers.certify_soft_margin, POINTS, C=1.0, plane=RESULT, max_seconds=0.1)
    hard = partial(solvers.solve_hard_margin, POINTS)
    options = {
        "solve_soft_margin": (soft, "C tol max_iter seed starts bound brief n_threads"),
        "solve_hard_margin": (hard, "tol max_iter"),
        "certify_soft_margin": (certify, "C plane rel_gap max_seconds max_boxes bound"),
    }
    skip = counts("n_threads", *OBEYED)
    for name, (call, names) in options.items():
        yield from feed("labels of a solver", name, call, {**LABELS, **TABLES}, "labels: ")
        if name != "solve_hard_margin":
            fed = partial(call, SIGNS)
            yield from feed("weights of a solver", name, fed, WEIGHTS, "weights: ")
        slow = counts("n_threads", "max_iter") if call is soft else skip
        yield from feed_options(name, partial(call, SIGNS), names.split(), skip=slow)
    word = "points of a solver"
    call = lambda value: solvers.solve_soft_margin(value, SIGNS)  # noqa: E731
    yield from feed(word, "solve_soft_margin", call, SCALARS)
    call = lambda value: solvers.certify_soft_margin(value, SIGNS, C=1.0, plane=RESULT)  # noqa: E731
    yield from feed(word, "certify_soft_margin", call, SCALARS)
    for name, function in {
        "scores_of_rows": partial(scores_of_rows, planes=PLANES, kind="product"),
        "best_of_rows": partial(best_of_rows, planes=PLANES),
        "Points.from_chart": solvers.Points.from_chart,
    }.items():
        yield from feed(word, name, function, TABLES)
        skip = counts("planes", "n_threads")
        yield from feed_options(name, partial(function, X), parameters(function), skip=skip)
    radius, direction = POINTS.radius, POINTS.direction
    for name, argument, call in (
        ("Points", "radius: ", lambda table: solvers.Points(table, direction).packed),
        ("Points", "direction: ", lambda table: solvers.Points(radius, table).packed),
        ("solve_hard_margin", "", lambda table: solvers.solve_hard_margin(table, SIGNS)),
    ):
        yield from feed(word, name, call, TABLES, argument)


def block_calls():
    clf = HyperbolicSVC().fit(X, y)
    for maker in (MemoryBlocks, DiskBlocks):
        name = maker.__name__
        fitted = then(maker, lambda blocks: HyperbolicSVC().fit(blocks, None).coef_)
        yield from feed("points of blocks", name, lambda t, f=fitted: f(t, y), TABLES)
        yield from feed("labels of blocks", name, partial(fitted, X), LABELS, "y: ")
        yield from feed("weights of blocks", name, partial(fitted, X, y), WEIGHTS, "weight: ")
        options = ["n_threads", "rows_per_block"]
        yield from feed_options(name, partial(fitted, X, y), options, skip=counts(*options))
    call = lambda path: write_columns(path, [{"label": y}], 10)  # noqa: E731
    yield from feed("paths to write", "write_columns", call, {**SCALARS, **LABELS})
    call = lambda path="p.npy", methods=("predict",): predict_to_file(clf, X, path, methods)  # noqa: E731
    yield from feed_options("predict_to_file", call, ["path", "methods"])
    call = lambda table: predict_to_file(clf, table, "p.npy")  # noqa: E731
    yield from feed("points to predict", "predict_to_file", call, TABLES)
    yield from feed("tables on disk", "ParquetTable", ParquetTable, SCALARS)
    yield from feed("blocks", "as_blocks", as_blocks, TABLES)


def part_calls():
    """What fits are put together from, where it takes data or settings of users."""
    yield from feed("paths to read", "parquet_files", parquet_files, SCALARS)
    yield from feed("blocks", "is_lazy", is_lazy, SCALARS)
    few = {what: value for what, value in SCALARS.items() if what not in SLOW}
    yield from feed("blocks", "Workers", Workers, few)


SOLVER_GROUPS = {"solvers": solver_calls, "blocks": block_calls, "parts of fits": part_calls}
