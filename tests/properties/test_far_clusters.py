"""Every classifier tells clean clusters apart at any radius, or says that it cannot.

Points are in polar coordinates, the only chart but the tangent space that holds such radii.
"""

import numpy as np
import pytest

from hyplane import CurvedHyperbolicSVC, HyperbolicKernelSVC, HyperbolicLogisticRegression
from hyplane import HyperbolicSVC as SVC
from hyplane.evaluation import METHODS

CLASSIFIERS = {
    **{name: method.single for name, method in METHODS.items()},
    "euclidean, cross-validated": METHODS["euclidean"].make,
    "hyperbolic, cross-validated": METHODS["hyperbolic"].make,
    "hyperbolic, horospheres as limits": lambda **space: SVC(bound="horosphere", **space),
    "hyperbolic, hard margin": lambda **space: SVC(C=np.inf, **space),
    **{
        f"curved, {surface}": lambda surface=surface, **space: CurvedHyperbolicSVC(
            surface=surface, **space
        )
        for surface in ("hyperplane", "horosphere", "sphere")
    },
    **{
        f"kernel, {kernel}": lambda kernel=kernel, **space: HyperbolicKernelSVC(
            kernel=kernel, **space
        )
        for kernel in ("tangent_rbf", "ball_rbf")
    },
}
# Linear in coordinates that cannot hold radii above 18 (Klein), 37 (ball) and about 70 (ambient).
OF_A_CHART = {"klein", "euclidean", "euclidean-ours", "rbf", "ambient"}


def clusters(radius, seed, sizes=(20, 20)):
    """Two clusters at right angles, one unit deep."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], sizes)
    angle = 0.5 * np.pi * y + rng.uniform(-0.3, 0.3, len(y))
    return np.column_stack([radius - rng.random(len(y)), angle]), y


def accuracy(name, radius):
    """Return the accuracy on rows that were not in the fit."""
    clf = CLASSIFIERS[name](coordinates="polar")
    if "random_state" in clf.get_params():
        clf.set_params(random_state=0)
    return clf.fit(*clusters(radius, seed=0)).score(*clusters(radius, seed=1))


@pytest.mark.parametrize("radius", [25.0, 36.0, 300.0])
@pytest.mark.parametrize("name", sorted(CLASSIFIERS.keys() - OF_A_CHART))
def test_clean_clusters_are_told_apart_without_a_warning(name, radius):
    assert accuracy(name, radius) == 1.0


@pytest.mark.parametrize(
    ("name", "radius"),
    [(name, radius) for name in sorted(OF_A_CHART) for radius in (25.0, 36.0, 100.0, 300.0)]
    + [(name, 1e4) for name in sorted(CLASSIFIERS)],
)
def test_an_answer_is_right_or_comes_with_a_warning_or_an_error(name, radius):
    try:
        reached = accuracy(name, radius)
    except (ValueError, UserWarning):  # warnings are errors here
        return
    assert reached == 1.0


@pytest.mark.parametrize("surface", ["any", "hyperplane"])
def test_logistic_regression_says_where_its_solver_finds_no_step(surface):
    """Two overlapping classes beyond radius 200 have a minimum that L-BFGS does not reach."""
    angle, y = np.random.default_rng(0).uniform(0, 2 * np.pi, 120), np.arange(120) % 2
    clf = HyperbolicLogisticRegression(1e-3, surface=surface, coordinates="polar")
    clf.fit(np.column_stack([np.full(120, 50.0), angle]), y)  # converges, with no warning
    with pytest.warns(UserWarning, match="stopped before it converged"):
        clf.fit(np.column_stack([np.full(120, 400.0), angle]), y)


def test_a_row_in_the_direction_of_each_ideal_point_leaves_a_forest_its_cuts():
    X, y = clusters(300.0, seed=2, sizes=(100, 5))
    clf = METHODS["forest"].single(coordinates="polar", random_state=0)
    assert clf.fit(X, y).score(X, y) == 1.0
