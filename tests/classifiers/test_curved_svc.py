"""Large-margin classifiers with curved boundaries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hyplane import CurvedHyperbolicSVC, HyperbolicSVC
from hyplane.geometry import busemann, distance, surface_distance, surface_kind


def test_hyperplanes_are_those_of_the_hyperbolic_svc(data):
    X, y = data
    plane = HyperbolicSVC(random_state=0, tol=1e-8).fit(X, y)
    curved = CurvedHyperbolicSVC(surface="hyperplane", random_state=0).fit(X, y)
    assert_allclose(curved.objective_, plane.objective_)
    assert_array_equal(curved.level_, 0.0)
    assert_allclose(np.sinh(curved.decision_function(X)), plane.decision_function(X), rtol=1e-4)


@pytest.mark.parametrize("surface", ["horosphere", "sphere"])
def test_each_kind_of_surface_is_found_where_it_is_the_truth(surface):
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.95, 0.95, size=(800, 2))
    X = X[np.linalg.norm(X, axis=1) < 0.95]
    inside, outside = distance(X, [0.4, 0.2]) > 1.0, busemann(X, [0.6, 0.8]) > -0.3
    truth = inside if surface == "sphere" else outside
    clf = CurvedHyperbolicSVC(100.0, surface=surface).fit(X, truth)
    plane = HyperbolicSVC(100.0).fit(X, truth)
    assert clf.score(X, truth) > 0.98 > plane.score(X, truth)
    w, c = clf.coef_[0], clf.level_[0]
    if surface == "sphere":
        assert surface_kind(w) == "sphere"
    assert_array_equal(surface_distance(X, w, c) > 0, clf.predict(X))
    free = CurvedHyperbolicSVC(100.0).fit(X, truth)
    assert free.objective_[0] <= clf.objective_[0] * (1 + 1e-4)
