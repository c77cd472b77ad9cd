"""HyperbolicSVC.certify: the fit is proven to be close to the global optimum."""

import numpy as np
import pytest

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_the_papers_gaussians_are_solved_to_a_proven_hundredth_of_a_percent(multi_class):
    X, y = make_hyperbolic_gaussians(200, random_state=1)
    clf = HyperbolicSVC(multi_class=multi_class, random_state=0).fit(X, y)
    certificates = clf.certify(X, y)
    assert len(certificates) == len(clf.coef_)
    for certificate, objective in zip(certificates, clf.objective_, strict=True):
        assert certificate.lower_bound <= objective
        assert certificate.gap <= 1e-4


def test_weights_are_those_of_the_fit():
    X, y = make_hyperbolic_gaussians(100, n_classes=2, random_state=3)
    weights = np.random.default_rng(0).uniform(0.0, 2.0, len(y))
    weights[:10] = 0.0
    clf = HyperbolicSVC(class_weight="balanced", random_state=0).fit(X, y, weights)
    assert clf.certify(X, y, weights)[0].gap <= 1e-4


def test_a_label_of_all_rows_needs_no_proof():
    X, y = make_hyperbolic_gaussians(60, n_classes=2, random_state=0)
    Y = np.column_stack([y == 0, np.ones_like(y)]).astype(int)
    first, second = HyperbolicSVC(random_state=0).fit(X, Y).certify(X, Y)
    assert first.gap <= 1e-4
    assert second is None


def test_other_labels_other_dimensions_and_the_hard_margin_are_refused():
    X, y = make_hyperbolic_gaussians(60, n_classes=3, random_state=0)
    clf = HyperbolicSVC(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="fitted on"):
        clf.certify(X, y % 2)
    Z = np.column_stack([X, np.zeros(len(X))])
    with pytest.raises(ValueError, match="plane"):
        HyperbolicSVC(random_state=0).fit(Z, y).certify(Z, y)
    apart = HyperbolicSVC(C=np.inf).fit([[0.5, 0.0], [-0.5, 0.0]], [0, 1])
    with pytest.raises(ValueError, match="gap_"):
        apart.certify([[0.5, 0.0], [-0.5, 0.0]], [0, 1])
