"""Changes of the data that must leave a classifier with curved boundaries as it was.

The objective knows no origin but for how far out a surface may lie, which is far beyond these data.
The problem is not convex, and the solver misses its optimum in about one of two hundred fits to
three classes. A few misses are therefore allowed in all.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hyplane import CurvedHyperbolicSVC
from hyplane.geometry import CHARTS, apply_isometry, convert, lorentz_boost, rotation

few = settings(max_examples=12, deadline=None, derandomize=True)
seeds, dimensions = st.integers(0, 10_000), st.integers(2, 4)
surfaces = st.sampled_from(["any", "horosphere", "sphere"])


def two_classes(overlapping_classes, seed, n, surface):
    """Classes side by side, or for spheres one around the other, where the best one is bounded."""
    V, y = overlapping_classes(seed, n)
    if surface != "sphere":
        return V, y
    V = np.random.default_rng(seed).standard_normal((len(V), n))
    radius = np.linalg.norm(V, axis=1)[:, None]
    return np.where(y[:, None], 1.2 + 0.5 * radius, 0.8 * radius) * V / radius + 0.2, y


def svc(surface="any", **parameters):
    # Where the objective is flat, scores are known to about the square root of the tolerance.
    space = {"coordinates": "tangent", "random_state": 0, "tol": 1e-9}
    return CurvedHyperbolicSVC(surface=surface, **(space | parameters))


misses = set()  # hypothesis draws some examples several times
ALLOWED_MISSES = 2


def assert_same_objectives(objective, expected):
    """Same minimum, but for the few misses of the solver."""
    if not np.allclose(objective, expected, rtol=2e-6, atol=0.0):
        misses.add(tuple(np.round(expected, 3)))
        assume(len(misses) > ALLOWED_MISSES)
    np.testing.assert_allclose(objective, expected, rtol=2e-6)


def assert_same(clf, reference, probes, reference_probes, sign=1.0):
    """Same objective, and same scores (about distances) of all points."""
    assert_same_objectives(clf.objective_, reference.objective_)
    scores = sign * clf.decision_function(probes)
    np.testing.assert_allclose(scores, reference.decision_function(reference_probes), atol=5e-3)


@few
@given(seed=seeds, n=dimensions, multi_class=st.sampled_from(["ovr", "ovo"]))
def test_permuting_the_rows_changes_nothing(overlapping_classes, seed, n, multi_class):
    V, y = overlapping_classes(seed, n, n_classes=3)
    order = np.random.default_rng(seed).permutation(len(V))
    reference = svc(multi_class=multi_class).fit(V, y)
    assert_same(svc(multi_class=multi_class).fit(V[order], y[order]), reference, V, V)


@few
@given(seed=seeds, n=dimensions, surface=surfaces)
def test_swapping_two_classes_turns_the_surface_round(overlapping_classes, seed, n, surface):
    V, y = two_classes(overlapping_classes, seed, n, surface)
    assert_same(svc(surface).fit(V, 1 - y), svc(surface).fit(V, y), V, V, sign=-1.0)


@few
@given(seed=seeds, n=dimensions)
def test_renaming_many_classes_renames_the_answers(overlapping_classes, seed, n):
    V, y = overlapping_classes(seed, n, n_classes=4)
    names = np.random.default_rng(seed).permutation(["ash", "birch", "cedar", "elm"])
    reference, clf = svc().fit(V, y), svc().fit(V, names[y])
    order = np.argsort(names)
    assert_same_objectives(clf.objective_, reference.objective_[order])
    scores = reference.decision_function(V)[:, order]
    np.testing.assert_allclose(clf.decision_function(V), scores, atol=5e-3)


@few
@given(seed=seeds, n=dimensions, surface=surfaces)
def test_the_data_twice_with_half_the_weight_change_nothing(overlapping_classes, seed, n, surface):
    V, y = two_classes(overlapping_classes, seed, n, surface)
    clf = svc(surface).fit(np.tile(V, (2, 1)), np.tile(y, 2), np.full(2 * len(V), 0.5))
    assert_same(clf, svc(surface).fit(V, y), V, V)


@few
@given(seed=seeds, n=dimensions, factor=st.floats(0.05, 20.0))
def test_weights_of_all_rows_are_the_same_as_C(overlapping_classes, seed, n, factor):
    V, y = overlapping_classes(seed, n)
    reference = svc(C=factor).fit(V, y)
    assert_same(svc().fit(V, y, np.full(len(V), factor)), reference, V, V)
    assert_same(svc(class_weight={0: factor, 1: factor}).fit(V, y), reference, V, V)


@few
@given(seed=seeds, n=dimensions, radius=st.floats(0.0, 1.5), surface=surfaces)
def test_rotating_and_boosting_the_points_moves_the_surface_along(
    overlapping_classes, seed, n, radius, surface
):
    V, y = two_classes(overlapping_classes, seed, n, surface)
    rng = np.random.default_rng(seed)
    way = rng.standard_normal(n)
    place = convert([radius * way / np.linalg.norm(way)], "tangent", "hyperboloid")[0]
    turn = rotation(np.linalg.qr(rng.standard_normal((n, n)))[0])
    moved = apply_isometry(lorentz_boost(place) @ turn, V, "tangent")
    assert_same(svc(surface).fit(moved, y), svc(surface).fit(V, y), moved, V)


@few
@given(seed=seeds, n=dimensions, chart=st.sampled_from(CHARTS), curvature=st.floats(-9.0, -0.1))
def test_chart_and_curvature_with_points_rescaled_change_nothing(
    overlapping_classes, seed, n, chart, curvature
):
    V, y = overlapping_classes(seed, n)
    X = convert(V / np.sqrt(-curvature), "tangent", chart, curvature=curvature)
    clf = svc(coordinates=chart, curvature=curvature).fit(X, y)
    assert_same(clf, svc().fit(V, y), X, V)


@few
@given(seed=seeds, n=dimensions, surface=surfaces)
def test_a_point_far_behind_its_margin_changes_nothing(overlapping_classes, seed, n, surface):
    V, y = two_classes(overlapping_classes, seed, n, surface)
    # Two rows at the largest radius: another one within it does not move the bound.
    way = np.eye(n)[0]
    V, y = np.concatenate([V, [6.0 * way, -6.0 * way]]), np.append(y, [0, 1])
    reference = svc(surface).fit(V, y)
    score = reference.decision_function(5.5 * way[None])[0]
    assume(abs(score) > 1.0)  # the loss ends at arsinh 1
    clf = svc(surface).fit(np.vstack([V, 5.5 * way]), np.append(y, int(score > 0)))
    assert_same(clf, reference, V, V)


@pytest.mark.parametrize("seed", range(8))
def test_scores_differ_between_charts_by_the_root_of_the_default_tolerance(
    overlapping_classes, seed
):
    V, y = overlapping_classes(seed)
    scores = []
    for chart in CHARTS:
        X = convert(V, "tangent", chart)
        clf = CurvedHyperbolicSVC(coordinates=chart, random_state=0).fit(X, y)
        scores.append(clf.decision_function(X))
    np.testing.assert_allclose(scores, [scores[0]] * len(CHARTS), atol=1e-4)
