"""HyperbolicSVC.certify: a proof is of the rows, weights and C that it is asked about."""

from copy import copy

import numpy as np
import pytest
from helpers import refuses

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians


@pytest.fixture(scope="module")
def weighted():
    """Rows, labels and weights of which the weights matter, and a fit to them."""
    X, y = make_hyperbolic_gaussians(120, n_classes=2, random_state=3)
    weights = np.random.default_rng(0).exponential(size=len(y)) ** 3
    return X, y, weights, HyperbolicSVC(random_state=0).fit(X, y, weights)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_the_papers_gaussians_are_solved_to_a_proven_hundredth_of_a_percent(multi_class, C):
    X, y = make_hyperbolic_gaussians(random_state=1)
    clf = HyperbolicSVC(C, multi_class=multi_class, random_state=0).fit(X, y)
    certificates = clf.certify(X, y)
    assert len(certificates) == len(clf.coef_)
    for certificate, objective in zip(certificates, clf.objective_, strict=True):
        assert certificate.objective == pytest.approx(objective, rel=1e-12)
        assert certificate.lower_bound <= objective
        assert certificate.proven
        assert certificate.gap <= 1e-4


def test_weights_are_those_of_the_fit():
    X, y = make_hyperbolic_gaussians(100, n_classes=2, random_state=3)
    weights = np.random.default_rng(0).uniform(0.0, 2.0, len(y))
    weights[:10] = 0.0
    clf = HyperbolicSVC(class_weight="balanced", random_state=0).fit(X, y, weights)
    assert clf.certify(X, y, weights)[0].gap <= 1e-4


@pytest.mark.parametrize("other", ["weights", "rows", "C"])
def test_other_weights_rows_and_C_are_judged_for_themselves(weighted, other):
    X, y, weights, fitted = weighted
    assert fitted.certify(X, y, weights)[0].proven
    # With the row that is farthest out, so that the hyperplane meets the ball of the rows.
    some = np.union1d(np.arange(30), [np.linalg.norm(X, axis=1).argmax()])
    rows = some if other == "rows" else slice(None)
    clf = copy(fitted).set_params(C=100.0 if other == "C" else 1.0)
    [found] = clf.certify(X[rows], y[rows], None if other == "weights" else weights[rows])
    assert not found.proven
    assert found.gap > 1e-3
    assert found.objective != pytest.approx(fitted.objective_[0], rel=1e-3)


def test_a_constant_label_needs_no_proof():
    X, y = make_hyperbolic_gaussians(60, n_classes=2, random_state=0)
    Y = np.column_stack([y == 0, np.ones_like(y)]).astype(int)
    first, second = HyperbolicSVC(random_state=0).fit(X, Y).certify(X, Y)
    assert first.gap <= 1e-4
    assert second is None


def test_other_labels_other_dimensions_and_the_hard_margin_are_refused():
    X, y = make_hyperbolic_gaussians(60, n_classes=3, random_state=0)
    clf = HyperbolicSVC(random_state=0).fit(X, y)
    refuses("not the classes", clf.certify, X, y % 2)
    refuses("not the classes", clf.certify, X, np.eye(3, dtype=int)[y])
    with pytest.raises(ValueError, match="not the classes"):
        HyperbolicSVC(random_state=0).fit(X, y).set_params(multi_class="ovo").certify(X, y)
    Z = np.column_stack([X, np.zeros(len(X))])
    refuses("plane", HyperbolicSVC(random_state=0).fit(Z, y).certify, Z, y)
    apart = HyperbolicSVC(C=np.inf).fit([[0.5, 0.0], [-0.5, 0.0]], [0, 1])
    refuses("gap_", apart.certify, [[0.5, 0.0], [-0.5, 0.0]], [0, 1])
