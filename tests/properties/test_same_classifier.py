"""Changes of the data that must leave the fitted classifier as it was.

With the bound "ball" only problems with an optimum inside it are used: this bound depends on the
origin and on the farthest point, the rest of the problem does not. The bound "horosphere" depends
on neither, so there degenerate problems are used too. Curved boundaries have a bound far beyond
these data.

The problems are not convex. The solver misses its optimum in about one of a thousand fits of
hyperplanes and in one of two hundred fits of curved boundaries to three classes. A few misses are
therefore allowed in all. The fits of folds search more briefly: in one of twelve draws of three
classes the scores of a fold differ.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hyplane import CurvedHyperbolicSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV
from hyplane.geometry import CHARTS, apply_isometry, convert, lorentz_boost, rotation

few = settings(max_examples=5, deadline=None, derandomize=True)
seeds = st.integers(0, 10_000)
dimensions = st.integers(2, 4)


def assert_same_objectives(misses, objective, expected):
    """Same minimum, but for the few misses of the solver."""
    if not np.allclose(objective, expected, rtol=2e-6, atol=0.0):
        misses.add(tuple(np.round(expected, 3)))  # hypothesis draws some examples several times
        assume(len(misses) > 3)
    np.testing.assert_allclose(objective, expected, rtol=2e-6)


class Plane:
    """HyperbolicSVC: points that are not at the hyperplane are on the same side of it."""

    misses = set()  # noqa: RUF012 (of all tests)
    n_rows = 60

    def drawn(self, seed):
        return self

    def make(self, **parameters):
        return HyperbolicSVC(**{"coordinates": "tangent", "random_state": 0} | parameters)

    def data(self, overlapping_classes, seed, n):
        return overlapping_classes(seed, n)

    def is_interior(self, clf, V):
        return (np.abs(clf.hyperplanes_.offset) < np.linalg.norm(V, axis=1).max() - 0.2).all()

    def assert_same(self, clf, reference, X, V, sign=1.0):
        assert_same_objectives(self.misses, clf.objective_, reference.objective_)
        expected = reference.signed_distance(V)
        away = np.abs(expected) > 0.02
        assert away.mean() > 0.8
        assert (np.sign(sign * clf.signed_distance(X)) == np.sign(expected))[away].all()


class Curved(Plane):
    """CurvedHyperbolicSVC: the scores, which are about distances, are the same."""

    misses = set()  # noqa: RUF012 (of all tests)
    n_rows = 40

    def __init__(self, surface="any"):
        self.surface = surface

    def drawn(self, seed):
        return Curved(["any", "horosphere", "sphere"][seed % 3])

    def make(self, **parameters):
        # Where the objective is flat, scores are known to about the square root of the tolerance.
        space = {"coordinates": "tangent", "random_state": 0, "tol": 1e-9}
        return CurvedHyperbolicSVC(surface=self.surface, **(space | parameters))

    def data(self, overlapping_classes, seed, n):
        """Classes side by side, or for spheres one around the other: the best one is bounded."""
        V, y = overlapping_classes(seed, n)
        if self.surface != "sphere":
            return V, y
        V = np.random.default_rng(seed).standard_normal((len(V), n))
        radius = np.linalg.norm(V, axis=1)[:, None]
        return np.where(y[:, None], 1.2 + 0.5 * radius, 0.8 * radius) * V / radius + 0.2, y

    def is_interior(self, clf, V):
        return True

    def assert_same(self, clf, reference, X, V, sign=1.0):
        assert_same_objectives(self.misses, clf.objective_, reference.objective_)
        scores = sign * clf.decision_function(X)
        np.testing.assert_allclose(scores, reference.decision_function(V), atol=5e-3)


PLANE = Plane()
of_both = pytest.mark.parametrize("kind", [PLANE, Curved()], ids=["plane", "curved"])


def turned_and_boosted(V, radius, seed):
    """Return the points after a rotation and a boost by a distance in a random direction."""
    rng = np.random.default_rng(seed)
    way = rng.standard_normal(V.shape[1])
    place = convert([radius * way / np.linalg.norm(way)], "tangent", "hyperboloid")[0]
    turn = rotation(np.linalg.qr(rng.standard_normal((len(way), len(way))))[0])
    return apply_isometry(lorentz_boost(place) @ turn, V, "tangent")


@of_both
@few
@given(seed=seeds, n=dimensions, multi_class=st.sampled_from(["ovr", "ovo"]))
def test_permuting_the_rows_changes_nothing(overlapping_classes, kind, seed, n, multi_class):
    V, y = overlapping_classes(seed, n, n_classes=3, m=kind.n_rows)
    order = np.random.default_rng(seed).permutation(len(V))
    reference = kind.make(multi_class=multi_class).fit(V, y)
    kind.assert_same(kind.make(multi_class=multi_class).fit(V[order], y[order]), reference, V, V)


@of_both
@few
@given(seed=seeds, n=dimensions)
def test_swapping_two_classes_turns_the_boundary_round(overlapping_classes, kind, seed, n):
    kind = kind.drawn(seed)
    V, y = kind.data(overlapping_classes, seed, n)
    kind.assert_same(kind.make().fit(V, 1 - y), kind.make().fit(V, y), V, V, sign=-1.0)


@of_both
@few
@given(seed=seeds, n=dimensions)
def test_renaming_many_classes_renames_the_answers(overlapping_classes, kind, seed, n):
    V, y = overlapping_classes(seed, n, n_classes=4, m=kind.n_rows)
    names = np.random.default_rng(seed).permutation(["ash", "birch", "cedar", "elm"])
    reference, clf = kind.make().fit(V, y), kind.make().fit(V, names[y])
    assert_same_objectives(kind.misses, clf.objective_, reference.objective_[np.argsort(names)])
    scores = np.sort(reference.decision_function(V), axis=1)
    clear = scores[:, -1] - scores[:, -2] > 0.02 * np.abs(scores).max(axis=1)
    assert clear.mean() > 0.6
    assert (clf.predict(V) == names[reference.predict(V)])[clear].all()


@of_both
@few
@given(seed=seeds, n=dimensions, copies=st.integers(2, 3))
def test_copies_of_the_data_with_a_part_of_the_weight_each_change_nothing(
    overlapping_classes, kind, seed, n, copies
):
    kind = kind.drawn(seed)
    V, y = kind.data(overlapping_classes, seed, n)
    weights = np.full(copies * len(V), 1 / copies)
    clf = kind.make().fit(np.tile(V, (copies, 1)), np.tile(y, copies), weights)
    kind.assert_same(clf, kind.make().fit(V, y), V, V)


@of_both
@few
@given(seed=seeds, n=dimensions, factor=st.floats(0.05, 20.0))
def test_weights_of_all_rows_are_the_same_as_C(overlapping_classes, kind, seed, n, factor):
    V, y = overlapping_classes(seed, n)
    reference = kind.make(C=factor).fit(V, y)
    kind.assert_same(kind.make().fit(V, y, np.full(len(V), factor)), reference, V, V)
    kind.assert_same(kind.make(class_weight={0: factor, 1: factor}).fit(V, y), reference, V, V)


@of_both
@few
@given(seed=seeds, n=dimensions, radius=st.floats(0.0, 1.5))
def test_rotating_and_boosting_the_points_moves_the_boundary_along(
    overlapping_classes, kind, seed, n, radius
):
    kind = kind.drawn(seed)
    V, y = kind.data(overlapping_classes, seed, n)
    moved = turned_and_boosted(V, radius, seed)
    reference, clf = kind.make().fit(V, y), kind.make().fit(moved, y)
    assume(kind.is_interior(reference, V) and kind.is_interior(clf, moved))
    kind.assert_same(clf, reference, moved, V)


@few
@given(seed=seeds, n=dimensions, radius=st.floats(0.1, 3.0), share=st.sampled_from([2, 5, 12]))
def test_the_bound_without_an_origin_is_invariant_under_isometries(
    overlapping_classes, seed, n, radius, share
):
    V, _ = overlapping_classes(seed, n)
    y = (np.arange(len(V)) % share == 0).astype(int)  # rare and mixed with the rest: degenerate
    moved = turned_and_boosted(V, radius, seed)
    reference, clf = (PLANE.make(bound="horosphere", tol=1e-9).fit(each, y) for each in (V, moved))
    assert_same_objectives(PLANE.misses, clf.objective_, reference.objective_)
    assert (clf.degenerate_ == reference.degenerate_).all()
    scores, expected = clf.decision_function(moved), reference.decision_function(V)
    np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


@of_both
@few
@given(
    seed=seeds,
    n=dimensions,
    chart=st.sampled_from(CHARTS),
    curvature=st.floats(-9.0, -0.1) | st.sampled_from([-1e6, -1e-6]),
)
def test_chart_and_curvature_with_points_rescaled_change_nothing(
    overlapping_classes, kind, seed, n, chart, curvature
):
    V, y = overlapping_classes(seed, n)
    X = convert(V / np.sqrt(-curvature), "tangent", chart, curvature=curvature)
    clf = kind.make(coordinates=chart, curvature=curvature).fit(X, y)
    kind.assert_same(clf, kind.make().fit(V, y), X, V)


@of_both
@few
@given(seed=seeds, n=dimensions)
def test_a_point_far_behind_its_margin_changes_nothing(overlapping_classes, kind, seed, n):
    kind = kind.drawn(seed)
    V, y = kind.data(overlapping_classes, seed, n)
    # Two rows, one a class, at the largest radius: more points within it do not move the bound.
    way = np.eye(n)[0]
    V, y = np.concatenate([V, [6.0 * way, -6.0 * way]]), np.append(y, [0, 1])
    reference = kind.make().fit(V, y)
    extra = max(5.5 * way, -5.5 * way, key=lambda x: reference.decision_function(x[None])[0])
    score = reference.decision_function(extra[None])[0]
    assume(abs(score) > 1.5)  # the loss ends at a product of 1, and a score of arsinh 1
    clf = kind.make().fit(np.vstack([V, extra]), np.append(y, int(score > 0)))
    kind.assert_same(clf, reference, V, V)


@pytest.mark.parametrize("seed", range(2))
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


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_the_hard_margin_does_not_depend_on_order_chart_or_origin(multi_class):
    rng = np.random.default_rng(3)
    y = np.arange(45) % 3
    angle = 2 * np.pi * y / 3
    V = 2.5 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.2 * rng.standard_normal((45, 2))
    reference = PLANE.make(C=np.inf, multi_class=multi_class).fit(V, y)
    boost = lorentz_boost(convert([[0.7, -0.4]], "tangent", "hyperboloid")[0])
    order = rng.permutation(45)
    X = convert(apply_isometry(boost, V[order], "tangent"), "tangent", "halfspace")
    clf = HyperbolicSVC(C=np.inf, coordinates="halfspace", multi_class=multi_class).fit(X, y[order])
    np.testing.assert_allclose(clf.margin_, reference.margin_, atol=2e-6)
    assert (clf.predict(X) == reference.predict(V)[order]).all()


def folds_of(order, n_folds=3):
    """Folds that follow the rows: row ``order[i]`` of the data stands at place i."""
    fold = np.asarray(order) // 7 % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


misses_in_folds = set()
CROSS_VALIDATED = [
    lambda cv, **more: HyperbolicSVCCV(coordinates="tangent", cv=cv, random_state=0, **more),
    lambda cv, **more: EuclideanSVCCV(cv=cv, random_state=0, **more),
]


def assert_same_probabilities(probabilities, expected):
    """Pooled scores of another minimum of equal objective may differ in their last digits."""
    np.testing.assert_allclose(probabilities, expected, atol=5e-3)


@pytest.mark.parametrize("make", CROSS_VALIDATED, ids=["hyperbolic", "euclidean"])
@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=seeds)
def test_probabilities_do_not_depend_on_the_order_of_rows_or_names(overlapping_classes, make, seed):
    V, y = overlapping_classes(seed, n_classes=3)
    rows = np.arange(len(V))
    reference = make(folds_of(rows)).fit(V, y)
    # Degenerate hyperplanes of equal objective rank the points of a fold differently.
    assume(not np.any(getattr(reference, "degenerate_", False)))
    order = np.random.default_rng(seed).permutation(len(V))
    clf = make(folds_of(order)).fit(V[order], y[order])
    if not np.allclose(clf.cv_scores_, reference.cv_scores_, atol=1e-3):
        misses_in_folds.add(seed)
        assume(len(misses_in_folds) > 2)
    np.testing.assert_array_equal(clf.C_, reference.C_)
    assert_same_probabilities(clf.predict_proba(V), reference.predict_proba(V))
    renamed = make(folds_of(rows)).fit(V, 2 - y)
    assert_same_probabilities(renamed.predict_proba(V)[:, ::-1], reference.predict_proba(V))


@pytest.mark.parametrize("make", CROSS_VALIDATED, ids=["hyperbolic", "euclidean"])
@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=seeds)
def test_probabilities_count_two_halves_of_a_row_as_the_row(overlapping_classes, make, seed):
    V, y = overlapping_classes(seed)
    rows = np.arange(len(V))
    reference = make(folds_of(rows)).fit(V, y)
    clf = make(folds_of(np.tile(rows, 2))).fit(
        np.tile(V, (2, 1)), np.tile(y, 2), np.full(2 * len(V), 0.5)
    )
    np.testing.assert_array_equal(clf.C_, reference.C_)
    assert_same_probabilities(clf.predict_proba(V), reference.predict_proba(V))


@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=seeds, chart=st.sampled_from(CHARTS), curvature=st.floats(-4.0, -0.3))
def test_probabilities_do_not_depend_on_chart_curvature_or_origin(
    overlapping_classes, seed, chart, curvature
):
    V, y = overlapping_classes(seed)
    folds = folds_of(np.arange(len(V)))
    reference = HyperbolicSVCCV([1.0], coordinates="tangent", cv=folds, random_state=0).fit(V, y)
    boost = lorentz_boost(convert([[0.3, 0.2]], "tangent", "hyperboloid")[0])
    moved = apply_isometry(boost, V, "tangent")
    X = convert(moved / np.sqrt(-curvature), "tangent", chart, curvature=curvature)
    clf = HyperbolicSVCCV(
        [1.0], coordinates=chart, curvature=curvature, cv=folds, random_state=0
    ).fit(X, y)
    assume(PLANE.is_interior(reference, V) and PLANE.is_interior(clf, moved))
    assert_same_probabilities(clf.predict_proba(X), reference.predict_proba(V))
