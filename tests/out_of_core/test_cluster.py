"""Classifiers on a Dask cluster of two processes find what they find in memory."""

import copy
import operator
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from helpers import count_passes

pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.geometry import PointError
from hyplane.out_of_core import Block, MemoryBlocks
from hyplane.out_of_core.dask import DaskBlocks

pytestmark = pytest.mark.slow  # a cluster of two processes

# So exact that different ways to the minimum end at the same one.
EXACT = {"tol": 1e-11, "coordinates": "tangent", "random_state": 0}
CHUNKS = ((1500, 0, 700, 2300, 1500), (1, 1))


@pytest.fixture(autouse=True)
def _small_samples(limits):
    limits(MOST_ROWS=0, SAMPLE_ROWS=600)


@pytest.fixture
def many_passes(limits):
    """Let a working set be so small that every step is a pass over all rows."""
    limits(WORKING_ROWS=128)


class ChunksHere(MemoryBlocks):
    """The same blocks, in this process."""

    def _read(self):
        if self._kept is not None:
            return iter(self._kept)
        X, y, _ = self._columns.values()
        ends = np.cumsum(CHUNKS[0]).tolist()
        return (
            Block(end - size, X[end - size : end], y[end - size : end])
            for size, end in zip(CHUNKS[0], ends, strict=True)
            if size
        )


def on_cluster(X, y):
    return da.from_array(X, chunks=CHUNKS), da.from_array(y, chunks=2500)


def assert_same_fit(found, expected):
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-9)
    np.testing.assert_array_equal(found.classes_, expected.classes_)


@pytest.mark.parametrize("settings", [{"C": 1e-3}, {"class_weight": "balanced"}], ids=str)
def test_a_fit_on_the_cluster_has_the_objective_and_the_predictions_of_one_in_memory(
    cluster, settings, clouds
):
    # In some other draws the best minima are within 1e-7 of each other, and either may be found.
    X, y = clouds(n_classes=3, seed=5)
    expected = HyperbolicSVC(**EXACT, **settings).fit(X, y)
    lazy = on_cluster(X, y)
    found = HyperbolicSVC(**EXACT, **settings).fit(*lazy)
    assert_same_fit(found, expected)
    np.testing.assert_array_equal(found.predict(lazy[0]).compute(), expected.predict(X))
    np.testing.assert_allclose(
        found.decision_function(lazy[0]).compute(),
        expected.decision_function(X),
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize("settings", [{}, {"multi_class": "ovo"}, {"C": 1e-3}], ids=str)
def test_a_fit_on_the_cluster_has_the_bits_of_the_same_blocks_here(cluster, settings, clouds):
    X, y = clouds(n_classes=3)
    found = HyperbolicSVC(**EXACT, **settings).fit(*on_cluster(X, y))
    here = HyperbolicSVC(**EXACT, **settings).fit(ChunksHere(X, y), None)
    np.testing.assert_array_equal(found.coef_, here.coef_)
    # In memory the search may end in another of several minima close to each other.
    expected = HyperbolicSVC(**EXACT, **settings).fit(X, y)
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-5)


def test_predictions_are_lazy_and_know_their_type_shape_and_chunks(cluster, clouds):
    X, y = clouds()
    names = np.array(["left", "right"])[y]
    clf = HyperbolicSVC(**EXACT).fit(X, names)
    lazy, _ = on_cluster(X, y)
    for method in ("predict", "decision_function", "signed_distance", "minkowski_products"):
        found, expected = getattr(clf, method)(lazy), getattr(clf, method)(X)
        assert isinstance(found, da.Array)
        assert (found.dtype, found.shape, found.chunks) == (expected.dtype, (6000,), CHUNKS[:1])
        assert found._meta.shape == (0,)
        np.testing.assert_array_equal(found.compute(), expected)


def test_rows_of_another_number_of_columns_are_refused_before_anything_is_computed(cluster, clouds):
    clf = HyperbolicSVC(**EXACT).fit(*clouds(m=50))
    with pytest.raises(ValueError, match="3 features"):
        clf.predict(da.ones((4, 3)))


class MeasuredBlocks(DaskBlocks):
    """Blocks that say how many bytes a pass brings back."""

    sizes = []  # noqa: RUF012 (one list for all copies)

    def map(self, function, *args):
        results = list(super().map(function, *args))
        self.sizes.append(len(pickle.dumps(results)))
        return iter(results)


@pytest.mark.usefixtures("many_passes")  # else so many rows near the margin come back
def test_only_small_things_come_back(cluster, clouds):
    X, y = clouds(m=600_000)
    lazy = da.from_array(X, chunks=(150_000, 2)).persist()
    blocks = MeasuredBlocks(lazy, da.from_array(y, chunks=150_000).persist())
    HyperbolicSVC(coordinates="tangent", random_state=0).fit(blocks, None)
    # Of each block at most some thousand rows near the margin, however many it has.
    assert len(blocks.sizes) > 4
    assert max(blocks.sizes) < X.nbytes / 15


def test_data_frames_with_names_of_columns_and_labels_that_are_words(cluster, clouds):
    X, y = clouds()
    table = pd.DataFrame(X, columns=["east", "north"])
    table["side"] = np.array(["left", "right"])[y]
    lazy = dd.from_pandas(table, npartitions=3)
    points, labels = lazy[["east", "north"]], lazy["side"]
    expected = HyperbolicSVC(**EXACT).fit(table[["east", "north"]], table["side"])
    found = HyperbolicSVC(**EXACT).fit(points, labels)
    assert_same_fit(found, expected)
    assert found.feature_names_in_.tolist() == ["east", "north"]
    predicted = found.predict(points)
    assert (predicted.dtype, predicted.npartitions) == (np.dtype("U5"), 3)
    np.testing.assert_array_equal(predicted.compute(), expected.predict(table[["east", "north"]]))
    with pytest.raises(ValueError, match="feature names"):
        found.predict(lazy[["north", "east"]])


def test_a_row_that_is_no_point_is_named_by_its_number(cluster, clouds):
    X, y = clouds()
    X[4321, 1] = np.nan
    with pytest.raises(PointError, match="row 4321"):
        HyperbolicSVC(**EXACT).fit(*on_cluster(X, y))
    X[4321, 1] = 0.0
    clf = HyperbolicSVC(**EXACT).fit(X, y)
    X[4321, 1] = np.inf
    with pytest.raises(PointError, match="row 4321"):
        clf.predict(on_cluster(X, y)[0]).compute()


def test_weights_on_the_cluster_count_like_repeated_rows(cluster, clouds):
    X, y = clouds()
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    expected = HyperbolicSVC(**EXACT).fit(np.repeat(X, weights.astype(int), axis=0),
                                          np.repeat(y, weights.astype(int)))  # fmt: skip
    found = HyperbolicSVC(**EXACT).fit(*on_cluster(X, y), da.from_array(weights, chunks=6000))
    assert_same_fit(found, expected)


def test_cross_validation_on_the_cluster_is_that_of_the_same_blocks_here(cluster, clouds):
    X, y = clouds(n_classes=3)
    lazy = on_cluster(X, y)
    found = HyperbolicSVCCV(**EXACT, score_function="auto").fit(*lazy)
    here = HyperbolicSVCCV(**EXACT, score_function="auto").fit(ChunksHere(X, y), None)
    for name in ("coef_", "C_", "cv_scores_", "n_folds_", "score_functions_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(here, name))
    np.testing.assert_array_equal(found.sigmoids_.slope, here.sigmoids_.slope)
    probabilities = found.predict_proba(lazy[0])
    assert (probabilities.shape, probabilities.chunks) == ((6000, 3), (CHUNKS[0], (3,)))
    np.testing.assert_array_equal(probabilities.compute(), found.predict_proba(X))
    np.testing.assert_array_equal(found.predict(lazy[0]).compute(), found.predict(X))
    np.testing.assert_array_equal(
        found.decision_function(lazy[0]).compute(), found.decision_function(X)
    )


def test_several_labels_a_row_on_the_cluster_are_those_of_the_same_blocks_here(cluster, clouds):
    X, y = clouds(n_classes=3)
    indicators = np.column_stack([y == 0, X[:, 1] > 0.3])
    lazy = da.from_array(X, chunks=CHUNKS)
    found = HyperbolicSVC(**EXACT).fit(lazy, da.from_array(indicators, chunks=(2500, 1)))
    here = HyperbolicSVC(**EXACT).fit(ChunksHere(X, indicators), None)
    np.testing.assert_array_equal(found.coef_, here.coef_)
    predicted = found.predict(lazy)
    assert predicted.chunks == (CHUNKS[0], (2,))
    np.testing.assert_array_equal(predicted.compute(), found.predict(X))


def test_rows_that_workers_hold_already_are_taken_where_they_are(cluster, clouds):
    X, y = clouds()
    chunks = da.from_array(X, chunks=(700, 2)).persist(), da.from_array(y, chunks=700).persist()
    found = HyperbolicSVC(**EXACT).fit(*chunks)
    blocks = MemoryBlocks(X, y, rows_per_block=700)
    np.testing.assert_array_equal(found.coef_, HyperbolicSVC(**EXACT).fit(blocks, None).coef_)
    # Labels in other chunks are divided anew.
    other = HyperbolicSVC(**EXACT).fit(chunks[0], da.from_array(y, chunks=500).persist())
    np.testing.assert_array_equal(found.coef_, other.coef_)


def test_blocks_stay_in_order_whoever_is_known_to_hold_them(cluster, monkeypatch):
    original = type(cluster).who_has

    def forgetful(self, futures):
        """Know of one block in four, as while the rows are still being made."""
        return dict(list(original(self, futures).items())[3::4])

    monkeypatch.setattr(type(cluster), "who_has", forgetful)
    rows = np.arange(16.0).reshape(8, 2)
    blocks = DaskBlocks(da.from_array(rows, chunks=(1, 2)).persist())
    for _ in range(4):
        # No functions of this module: workers need not be able to import it.
        found = np.concatenate(list(blocks.map(operator.attrgetter("X"))))
        np.testing.assert_array_equal(found, rows)
        blocks = blocks.prepared(copy.copy)


def test_a_pass_is_one_task_for_each_worker(cluster, monkeypatch):
    blocks = DaskBlocks(da.from_array(np.ones((60, 2)), chunks=(3, 2)))
    assert list(blocks.map(len)) == [3] * 20
    n_tasks, original = [], dask.compute
    monkeypatch.setattr(
        dask, "compute", lambda *tasks: n_tasks.append(len(tasks)) or original(*tasks)
    )
    assert list(blocks.map(len)) == [3] * 20
    assert n_tasks == [2]


def test_blocks_that_cannot_be_made_say_why(cluster):
    blocks = DaskBlocks(da.from_array(np.ones((60, 2)), chunks=(3, 2)).persist())
    with pytest.raises(TypeError, match="bad operand"):
        list(blocks.prepared(abs).map(len))
    assert list(blocks.map(len)) == [3] * 20


@pytest.mark.usefixtures("many_passes")
def test_a_fit_with_a_pass_for_each_step_has_the_objective_of_one_in_memory(cluster, clouds):
    X, y = clouds(m=20_000)
    lazy = da.from_array(X, chunks=(4000, 2)), da.from_array(y, chunks=4000)
    found, expected = HyperbolicSVC(**EXACT).fit(*lazy), HyperbolicSVC(**EXACT).fit(X, y)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9)


@pytest.mark.usefixtures("many_passes")
def test_a_worker_killed_in_the_middle_changes_nothing_but_the_time(cluster, clouds):
    lazy = on_cluster(*clouds())
    expected = HyperbolicSVC(**EXACT).fit(*lazy)
    before = set(cluster.run(os.getpid).values())

    def kill(number):
        if number == 5:
            os.kill(min(before), signal.SIGKILL)

    blocks = count_passes(DaskBlocks(*lazy), kill)
    found = HyperbolicSVC(**EXACT).fit(blocks, None)
    assert len(blocks.passes) > 5
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_array_equal(found.objective_, expected.objective_)
    assert set(cluster.run(os.getpid).values()) != before


def test_a_client_that_is_closed_during_a_fit_is_named(clouds):
    with Client(processes=False, dashboard_address=None) as client:
        blocks = DaskBlocks(*on_cluster(*clouds()))
        count_passes(blocks, lambda number: number == 2 and client.close())
        with pytest.raises(OSError, match="Dask client that holds the rows was closed"):
            HyperbolicSVC(**EXACT).fit(blocks, None)


def test_a_client_that_is_closed_during_a_pass_is_named():
    with Client(processes=False, dashboard_address=None) as client:
        blocks = DaskBlocks(da.ones((60, 2), chunks=(30, 2)))
        assert list(blocks.map(len)) == [30, 30]
        timer = threading.Timer(0.2, client.close)
        timer.start()
        with pytest.raises(OSError, match="Dask client that holds the rows was closed"):
            list(blocks.map(_slowly))
        timer.join()


def _slowly(block):
    time.sleep(0.5)
