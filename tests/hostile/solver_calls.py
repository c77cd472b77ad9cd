"""More calls of the catalogue: the solvers, and rows that are read block by block."""

from functools import partial

import numpy as np
from calls import OBEYED, SLOW, feed, feed_options, parameters, then
from values import LABELS, SCALARS, TABLES, WEIGHTS, X, y

from hyplane import HyperbolicSVC, predict_to_file, solvers
from hyplane.out_of_core import DiskBlocks, MemoryBlocks, ParquetTable
from hyplane.out_of_core.disk import as_blocks
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
    soft, hard = solvers.solve_soft_margin, solvers.solve_hard_margin
    certify = partial(solvers.certify_soft_margin, C=1.0, plane=RESULT, max_seconds=0.1)
    obeyed = counts("n_threads", *OBEYED)
    names = "C tol max_iter seed starts bound brief n_threads"
    for name, call, options, skip in (
        ("solve_soft_margin", soft, names, counts("n_threads", "max_iter")),
        ("solve_hard_margin", hard, "tol max_iter", obeyed),
        ("certify_soft_margin", certify, "C plane rel_gap max_seconds max_boxes bound", obeyed),
    ):
        fed = partial(call, POINTS, SIGNS)
        yield from feed_options(name, fed, options.split(), skip=skip)
        yield from feed(name, partial(call, POINTS), {**LABELS, **TABLES}, "labels: ")
        if call is not hard:
            yield from feed(name, fed, WEIGHTS, "weights: ")
            yield from feed(name, lambda value, call=call: call(value, SIGNS), SCALARS)
    yield from feed("solve_hard_margin", lambda table: hard(table, SIGNS), TABLES)
    for name, function in {
        "scores_of_rows": partial(scores_of_rows, planes=PLANES, kind="product"),
        "best_of_rows": partial(best_of_rows, planes=PLANES),
        "Points.from_chart": solvers.Points.from_chart,
    }.items():
        yield from feed(name, function, TABLES)
        skip = counts("planes", "n_threads")
        yield from feed_options(name, partial(function, X), parameters(function), skip=skip)
    given = {"radius": POINTS.radius, "direction": POINTS.direction}
    call = lambda **changed: solvers.Points(**{**given, **changed}).packed  # noqa: E731
    yield from feed_options("Points", call, list(given), TABLES)


def block_calls():
    clf = HyperbolicSVC().fit(X, y)
    for maker in (MemoryBlocks, DiskBlocks):
        name = maker.__name__
        fitted = then(maker, lambda blocks: HyperbolicSVC().fit(blocks, None).coef_)
        yield from feed(name, lambda table, fitted=fitted: fitted(table, y), TABLES)
        yield from feed(name, partial(fitted, X), LABELS, "y: ")
        yield from feed(name, partial(fitted, X, y), WEIGHTS, "weight: ")
        options = ["n_threads", "rows_per_block"]
        yield from feed_options(name, partial(fitted, X, y), options, skip=counts(*options))
    call = lambda path: write_columns(path, [{"label": y}], 10)  # noqa: E731
    yield from feed("write_columns", call, {**SCALARS, **LABELS})
    given = {"X": X, "path": "p.npy", "methods": ("predict",)}
    call = lambda **changed: predict_to_file(clf, **{**given, **changed})  # noqa: E731
    yield from feed_options("predict_to_file", call, ["path", "methods"])
    yield from feed_options("predict_to_file", call, ["X"], TABLES)
    yield from feed("ParquetTable", ParquetTable, SCALARS)
    yield from feed("as_blocks", as_blocks, TABLES)


SOLVER_GROUPS = {"solvers": solver_calls, "blocks": block_calls}
