"""HyperbolicSVC.certify: a proof is of the rows, weights and C that it is asked about."""

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


def test_without_the_weights_of_the_fit_nothing_is_proven(weighted):
    X, y, weights, clf = weighted
    assert clf.certify(X, y, weights)[0].proven
    [without] = clf.certify(X, y)
    assert not without.proven
    assert without.gap > 1e-3


def test_other_rows_are_judged_for_themselves(weighted):
    X, y, weights, clf = weighted
    # With the row that is farthest out, so that the hyperplane meets the ball of the rows.
    some = np.union1d(np.arange(30), [np.linalg.norm(X, axis=1).argmax()])
    [other] = clf.certify(X[some], y[some], weights[some])
    assert not other.proven
    assert other.objective != pytest.approx(clf.objective_[0], rel=1e-3)


def test_another_C_is_judged_for_itself(weighted):
    X, y, weights, fitted = weighted
    clf = HyperbolicSVC(random_state=0).fit(X, y, weights).set_params(C=100.0)
    [other] = clf.certify(X, y, weights)
    assert not other.proven
    assert other.gap > 1e-3
    assert fitted.certify(X, y, weights)[0].proven


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
