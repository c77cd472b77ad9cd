"""More calls of the catalogue: the solvers, and functions that other groups leave out."""

import itertools
from functools import partial
from importlib.util import find_spec

import numpy as np
from calls import parameters
from more_calls import OBEYED, SLOW
from values import GRAPHS, LABELS, SCALARS, TABLES, WEIGHTS, X, y

from hyplane import HyperbolicSVC, datasets, embeddings, model_files, solvers
from hyplane.classifiers import predict_to_file
from hyplane.cli import main
from hyplane.out_of_core import DiskBlocks, MemoryBlocks, ParquetTable
from hyplane.out_of_core.disk import as_blocks, is_lazy
from hyplane.out_of_core.parquet import parquet_files
from hyplane.out_of_core.rows import Workers
from hyplane.out_of_core.writers import write_columns
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import best_of_rows, scores_of_rows

POINTS = solvers.Points.from_chart(X)
SIGNS = np.where(y, 1, -1).astype(np.int8)
RESULT = solvers.solve_soft_margin(POINTS, SIGNS)
PLANES = Hyperplanes.of_results([RESULT])


def solver_calls():
    soft = partial(solvers.solve_soft_margin, POINTS)
    certify = partial(solvers.certify_soft_margin, POINTS, C=1.0, plane=RESULT, max_seconds=0.1)
    hard = partial(solvers.solve_hard_margin, POINTS.radius, POINTS.direction)
    for what, labels in {**LABELS, **TABLES}.items():
        yield "labels of a solver", f"solve_soft_margin(labels: {what})", partial(soft, labels)
        yield "labels of a solver", f"solve_hard_margin(labels: {what})", partial(hard, labels)
        yield "labels of a solver", f"certify_soft_margin(labels: {what})", partial(certify, labels)
    for what, weights in WEIGHTS.items():
        call = partial(soft, SIGNS, weights)
        yield "weights of a solver", f"solve_soft_margin(weights: {what})", call
        call = partial(certify, SIGNS, weights)
        yield "weights of a solver", f"certify_soft_margin(weights: {what})", call
    for what, value in SCALARS.items():
        for name in ("C", "tol", "max_iter", "seed", "starts", "bound", "brief", "n_threads"):
            if what not in SLOW or name not in ("max_iter", "n_threads"):
                call = partial(soft, SIGNS, **{name: value})
                yield f"option {name}", f"solve_soft_margin({name}: {what})", call
        for name in ("tol", "max_iter"):
            call = partial(hard, SIGNS, **{name: value})
            yield f"option {name}", f"solve_hard_margin({name}: {what})", call
        for name in ("C", "plane", "rel_gap", "max_seconds", "max_boxes", "bound"):
            if what not in SLOW or name not in OBEYED:
                call = partial(certify, SIGNS, **{name: value})
                yield f"option {name}", f"certify_soft_margin({name}: {what})", call
        call = partial(solvers.solve_soft_margin, value, SIGNS)
        yield "points of a solver", f"solve_soft_margin({what})", call
        call = partial(solvers.certify_soft_margin, value, SIGNS, C=1.0, plane=RESULT)
        yield "points of a solver", f"certify_soft_margin({what})", call
    yield from point_calls()


def point_calls():
    planes = {"scores_of_rows": partial(scores_of_rows, planes=PLANES, kind="product"),
              "best_of_rows": partial(best_of_rows, planes=PLANES),
              "Points.from_chart": solvers.Points.from_chart}  # fmt: skip
    for name, function in planes.items():
        for what, table in TABLES.items():
            yield "points of a solver", f"{name}({what})", partial(function, table)
        for option, (what, value) in itertools.product(parameters(function), SCALARS.items()):
            if option not in ("planes", "n_threads") or what not in SLOW:
                call = partial(function, X, **{option: value})
                yield f"option {option}", f"{name}({option}: {what})", call
    for what, table in TABLES.items():
        call = partial(solvers.Points, table, POINTS.direction)
        yield "points of a solver", f"Points(radius: {what})", lambda c=call: c().packed
        call = partial(solvers.Points, POINTS.radius, table)
        yield "points of a solver", f"Points(direction: {what})", lambda c=call: c().packed
        call = partial(solvers.solve_hard_margin, table, POINTS.direction, SIGNS)
        yield "points of a solver", f"solve_hard_margin(radius: {what})", call
        call = partial(solvers.solve_hard_margin, POINTS.radius, table, SIGNS)
        yield "points of a solver", f"solve_hard_margin(direction: {what})", call


def of_blocks(maker, *columns, **settings):
    """Return a call that makes blocks and fits a classifier to them."""
    return lambda: HyperbolicSVC().fit(maker(*columns, **settings), None).coef_


def block_calls():
    clf = HyperbolicSVC().fit(X, y)
    for maker in (MemoryBlocks, DiskBlocks):
        name = maker.__name__
        for what, table in TABLES.items():
            yield "points of blocks", f"{name}({what})", of_blocks(maker, table, y)
        for what, labels in LABELS.items():
            yield "labels of blocks", f"{name}(y: {what})", of_blocks(maker, X, labels)
        for what, weights in WEIGHTS.items():
            yield "weights of blocks", f"{name}(weight: {what})", of_blocks(maker, X, y, weights)
        for what, value in SCALARS.items():
            if what not in SLOW:
                for option in ("n_threads", "rows_per_block"):
                    call = of_blocks(maker, X, y, **{option: value})
                    yield f"option {option}", f"{name}({option}: {what})", call
    for what, value in {**SCALARS, **LABELS}.items():
        call = partial(write_columns, value, [{"label": y}], 10)
        yield "paths to write", f"write_columns({what})", call
    for what, value in SCALARS.items():
        for name, words in {"path": (X, value), "methods": (X, "p.npy", value)}.items():
            call = partial(predict_to_file, clf, *words)
            yield f"option {name}", f"predict_to_file({name}: {what})", call
        yield "tables on disk", f"ParquetTable({what})", partial(ParquetTable, value)
    for what, table in TABLES.items():
        yield "blocks", f"as_blocks({what})", partial(as_blocks, table)
        call = partial(predict_to_file, clf, table, "p.npy")
        yield "points to predict", f"predict_to_file({what})", call


def left_out():
    yield from block_calls()
    for what, value in {**SCALARS, **GRAPHS}.items():
        call = partial(embeddings.place_new_nodes, X, value)
        yield "neighbours", f"place_new_nodes(neighbors: {what})", call
        call = partial(embeddings.place_new_nodes, X, [value])
        yield "neighbours", f"place_new_nodes(neighbors of one: {what})", call
        call = partial(embeddings.place_new_nodes, X, [[0, 1]], weights=value)
        yield "neighbours", f"place_new_nodes(weights: {what})", call
        yield "models to read", f"read_model({what})", partial(model_files.read_model, value)
        if what not in ("word", "empty word"):  # names of folders
            yield "folders", f"get_data_home({what})", partial(datasets.get_data_home, value)
    for what, table in TABLES.items():
        call = partial(embeddings.place_new_nodes, table, [[0]])
        yield "points of a function", f"place_new_nodes({what})", call
        if find_spec("torch"):
            yield "foreign points", f"to_geoopt({what})", partial(embeddings.to_geoopt, table)
    for what, value in SCALARS.items():
        yield "words of a command", f"main({what})", partial(main, [value])


def part_calls():
    """What fits are put together from, where it takes data or settings of users."""
    for what, value in SCALARS.items():
        for name in parameters(solvers.HardMargin):
            call = partial(solvers.HardMargin, **{name: value})
            name_of = f"HardMargin({name}: {what})"
            yield f"setting {name}", name_of, lambda c=call: c().fit(POINTS, SIGNS)
        yield "paths to read", f"parquet_files({what})", partial(parquet_files, value)
        yield "blocks", f"is_lazy({what})", partial(is_lazy, value)
        if what not in SLOW:
            yield "blocks", f"Workers({what})", partial(Workers, value)


SOLVER_GROUPS = {"solvers": solver_calls, "left out": left_out, "parts of fits": part_calls}
