"""Claims about HyperbolicSVCCV that hold for every way of computing it, by public names alone."""

import numpy as np
import pytest

from hyplane import HyperbolicSVCCV
from hyplane.out_of_core import ParquetTable


def rising(scores, probabilities):
    """Whether no probability is lower than that of a lower score, but for rounding."""
    return np.diff(probabilities[np.argsort(scores)]).min() >= -1e-15


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_never_fall_with_the_score_whatever_the_labels(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-0.6, 0.6, (24, 2)), rng.permutation(np.arange(24) % 2)
    clf = HyperbolicSVCCV((1.0,), cv=12, scoring="roc_auc", random_state=0).fit(X, y)
    assert rising(clf.decision_function(X), clf.predict_proba(X)[:, 1])


def test_probabilities_do_not_fall_where_held_out_scores_have_the_wrong_order():
    # Few labels that mean nothing: the class that a fold has less of is the one it is tested on.
    rng = np.random.default_rng(5)
    X, y = rng.uniform(-0.6, 0.6, (24, 2)), rng.permutation(np.arange(24) % 2)
    clf = HyperbolicSVCCV((1.0,), cv=12, scoring="roc_auc", random_state=0).fit(X, y)
    assert clf.cv_scores_[0, 0] < 0.45  # a sigmoid without a lower bound would fall
    scores, probabilities = clf.decision_function(X), clf.predict_proba(X)[:, 1]
    assert rising(scores, probabilities)
    assert probabilities[scores.argmin()] < probabilities[scores.argmax()]
    np.testing.assert_allclose(probabilities, 0.5, atol=0.01)


def test_every_label_of_several_has_a_sigmoid_that_does_not_fall():
    rng = np.random.default_rng(0)
    X, Y = rng.uniform(-0.6, 0.6, (24, 2)), rng.integers(0, 2, (24, 4))
    clf = HyperbolicSVCCV((1.0,), cv=6, random_state=0).fit(X, Y)
    scores, probabilities = clf.decision_function(X), clf.predict_proba(X)
    for label in range(4):
        assert rising(scores[:, label], probabilities[:, label])


def test_probabilities_do_not_fall_out_of_core_either(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-0.6, 0.6, (140_000, 2)), rng.integers(0, 2, 140_000)
    parquet.write_table(pa.table({"x": X[:, 0], "y": X[:, 1], "label": y}), tmp_path / "t.parquet")
    table = ParquetTable(tmp_path / "t.parquet")
    rows = table[["x", "y"]]
    clf = HyperbolicSVCCV((1.0,), cv=3, scoring="roc_auc", random_state=2)
    clf.fit(rows, table["label"])
    assert clf.cv_scores_[0, 0] < 0.5  # held-out rows are in the wrong order, if only slightly
    assert rising(clf.decision_function(rows), clf.predict_proba(rows)[:, 1])


@pytest.fixture(scope="module")
def rows():
    """More rows than are read into memory at once."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 140_000)
    X = 0.7 * np.tanh(0.4 * rng.standard_normal((len(y), 2)) + 0.3 * (2 * y - 1)[:, None])
    return {"x": X[:, 0], "y": X[:, 1], "label": y}


@pytest.fixture
def fit(rows, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    whole = pa.table(rows)

    def run(name, cuts, rows_per_group, seed=0):
        """Write files that end at the cuts, in groups of rows, and fit what is in the folder."""
        folder = tmp_path / name
        folder.mkdir()
        ends = zip([0, *cuts], [*cuts, len(whole)], strict=True)
        for place, (begin, end) in enumerate(ends):
            file = folder / f"{place}.parquet"
            parquet.write_table(whole[begin:end], file, row_group_size=rows_per_group)
        table = ParquetTable(folder)
        X, y = table[["x", "y"]], table["label"]
        return HyperbolicSVCCV((0.01,), cv=3, random_state=seed).fit(X, y)

    return run


def test_folds_do_not_depend_on_the_division_into_files_and_groups(fit, rows):
    one = fit("one", [], len(rows["label"]))
    for name, cuts, size in (
        ("groups", [], 9_000),
        ("two", [1], 140_000),
        ("five", [10, 70_000, 70_001, 100_000], 30_000),
    ):
        other = fit(name, cuts, size)
        np.testing.assert_allclose(other.cv_scores_, one.cv_scores_, rtol=1e-12)
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-9, atol=1e-12)
    # Other folds move the score by much more.
    another = fit("another", [], len(rows["label"]), seed=1)
    assert abs(another.cv_scores_ - one.cv_scores_).max() > 1e-7
