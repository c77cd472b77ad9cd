"""Passes over blocks: what they find in any division, points joined, and what is refused."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyplane.geometry import from_polar
from hyplane.native import core
from hyplane.solvers import Points
from hyplane.solvers.result import Hyperplanes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 3))
CODES = RNG.integers(0, 3, 100).astype(np.int32)
FOLDS = RNG.integers(0, 2, 100).astype(np.int32)
WEIGHTS = RNG.random(100)
PACKED = Points.from_chart(X, "tangent", pack=True).packed
PLANES = np.array([[0.3, -0.4, 0.6, 0.8, 0.0], [-0.5, 0.7, 0.0, 0.0, 1.0]])
PROBLEMS = np.array([[0, -1, -1], [2, 1, 1]], dtype=np.int32)


def questions(n_kinks=0, n_curved=0, n_lowest=0, reach=4.0, planes=PLANES, spread=0.0):
    """Return a question for each hyperplane, with cutoffs that leave no row out."""
    cutoffs = np.finfo(float).max, 0.0
    asked = np.tile([n_kinks, n_curved, n_lowest, reach, spread, *cutoffs], (len(planes), 1))
    return np.hstack([asked, planes])


@dataclass
class Answer:
    """The numbers of a pass by name."""

    loss: float
    scale: float
    lift: float
    smallest_product: float
    cutoffs: np.ndarray  # of the near rows, those of the curvature, the lowest
    n_active: float  # rows with a loss
    direction: np.ndarray
    near: np.ndarray  # e^2r, direction, label, weight, key of each row
    curved: np.ndarray
    lowest: np.ndarray

    @classmethod
    def of(cls, numbers, n_dim):
        first, numbers = numbers[:8], numbers[8:]
        direction, numbers = numbers[:n_dim], numbers[n_dim:]
        tables = []
        for _ in range(3):
            count, width = int(numbers[0]), n_dim + 4
            tables.append(numbers[1 : 1 + count * width].reshape(count, width))
            numbers = numbers[1 + count * width :]
        assert len(numbers) == 0
        return cls(*first[:4], first[4:7], first[7], direction, *tables)


def labels(k):
    positive, negative, left_out = PROBLEMS[k]
    y = np.where(positive == CODES, 1, -1)
    y[(positive != CODES) & (negative >= 0) & (negative != CODES)] = 0
    y[(left_out >= 0) & (left_out == FOLDS)] = 0
    return y.astype(np.int8)


def products(points, plane):
    """Return w*x of each row, by the Minkowski product."""
    x = from_polar(points.radius, points.direction, "hyperboloid")
    log_scale, a, u = plane[0], plane[1], plane[2:]
    return np.exp(log_scale) * (np.sinh(a) * x[:, 0] - np.cosh(a) * (x[:, 1:] @ u))


def loss(points, y, weights, plane):
    losses = np.arcsinh(1.0) - np.arcsinh(y * products(points, plane))
    return np.sum(np.abs(y) * weights * np.maximum(0.0, losses))


def gradient(answer, plane):
    """Return the slopes of the loss in log s, a and u that a pass tells."""
    side = 1.0 if plane[1] >= 0 else -1.0
    by_offset = -side * (answer.lift + answer.scale)
    return np.r_[-answer.scale, by_offset, -side * answer.direction]


def test_a_pass_has_the_loss_and_the_gradient_of_each_problem_alone():
    found = core.passes_of_block(PACKED, CODES, WEIGHTS, FOLDS, questions(), PROBLEMS)
    for k, (numbers, plane) in enumerate(zip(found, PLANES, strict=True)):
        answer = Answer.of(numbers, 3)
        value, d_scale, d_offset, d_normal = core.loss_and_gradient(
            PACKED, labels(k), WEIGHTS, 1.0, plane[0], plane[1], plane[2:]
        )
        square = np.exp(2 * plane[0])
        size = {"rtol": 1e-12, "atol": 1e-12 * abs(value)}
        np.testing.assert_allclose(answer.loss, value - 0.5 * square, **size)
        expected = [d_scale - square, d_offset, *d_normal]
        np.testing.assert_allclose(gradient(answer, plane), expected, **size)


def test_the_loss_and_the_gradient_of_a_pass_are_those_of_their_formulas():
    points = Points.from_chart(X, "tangent")
    sides = np.array([[1.0, 1.0], [3.0, 0.25]])
    found = core.passes_of_block(points.packed, CODES, WEIGHTS, FOLDS, questions(), PROBLEMS, sides)
    for k, (numbers, plane) in enumerate(zip(found, PLANES, strict=True)):
        answer, y = Answer.of(numbers, 3), labels(k)
        weights = WEIGHTS * np.where(y > 0, *sides[k])
        assert answer.loss == pytest.approx(loss(points, y, weights, plane), rel=1e-12)
        slopes = []
        for step in 1e-6 * np.eye(5):
            moved = [loss(points, y, weights, plane + sign * step) for sign in (1, -1)]
            slopes.append((moved[0] - moved[1]) / 2e-6)
        slopes = np.array(slopes)
        told = gradient(answer, plane)
        # The gradient in u is told along the sphere and some multiple of u.
        for each in (slopes, told):
            each[2:] -= (each[2:] @ plane[2:]) * plane[2:]
        np.testing.assert_allclose(told, slopes, rtol=1e-6, atol=1e-6 * answer.loss)


def test_the_lowest_rows_are_those_of_the_products():
    points = Points.from_chart(X, "tangent")
    asked = questions(n_lowest=100)
    found = core.passes_of_block(points.packed, CODES, None, FOLDS, asked, PROBLEMS)
    few = core.passes_of_block(points.packed, CODES, None, FOLDS, questions(n_lowest=5), PROBLEMS)
    planes = Hyperplanes(PLANES[:, 0], PLANES[:, 1], PLANES[:, 2:])
    scores = points.scores(planes, "product")
    for k in range(2):
        answer, fewer = Answer.of(found[k], 3), Answer.of(few[k], 3)
        wanted = np.where(labels(k) == 0, np.inf, labels(k) * scores[:, k])
        order = np.argsort(wanted, kind="stable")[: np.count_nonzero(wanted < 4.0)]
        np.testing.assert_allclose(answer.lowest[:, -1], wanted[order], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(answer.lowest[:, 1:4], points.direction[order], atol=1e-15)
        np.testing.assert_array_equal(answer.lowest[:, 4], labels(k)[order])
        assert answer.smallest_product == pytest.approx(wanted.min(), rel=1e-9)
        assert answer.n_active == np.count_nonzero(wanted < 1.0)
        np.testing.assert_array_equal(fewer.lowest, answer.lowest[:5])
        assert fewer.cutoffs[2] == answer.lowest[5, -1]
        assert fewer.n_active == answer.n_active


@pytest.mark.parametrize("spread", [0.0, 0.01])
def test_near_rows_are_thinned_in_proportion_to_how_far_their_kinks_are(spread):
    """All rows nearer than the cutoff are there, of the others a share of cutoff / distance.

    Rows within the spread count as if they were as far as that.
    """
    points = Points.from_chart(RNG.normal(size=(20_000, 3)), "tangent")
    codes = RNG.integers(0, 2, 20_000).astype(np.int32)
    asked = questions(n_kinks=400, planes=PLANES[:1], spread=spread)
    [numbers] = core.passes_of_block(points.packed, codes, None, None, asked, PROBLEMS[:1])
    answer = Answer.of(numbers, 3)
    squares = np.exp(2.0 * points.radius)
    products_of_rows = np.where(codes == 0, 1, -1) * products(points, PLANES[0])
    distance, cutoff = (1.0 - products_of_rows) ** 2 / squares, answer.cutoffs[0]
    kept = np.isin(squares.round(9), answer.near[:, 0].round(9))
    assert len(answer.near) == 400
    assert kept[distance < cutoff].all() or cutoff < spread
    bands = [distance < 0.001, distance < 0.01] if spread else [distance > cutoff]
    bands += [(distance > far * cutoff) & (distance < 2 * far * cutoff) for far in (3.0, 10.0)]
    for band in bands:
        expected = np.minimum(cutoff / np.maximum(distance[band], spread), 1.0).sum()
        assert abs(kept[band].sum() - expected) < 5 * np.sqrt(expected)


def merged(rows, asked, ends, order=None):
    """Merge the passes over the blocks that end at these rows."""
    points, codes, weights = rows
    parts = []
    for block in np.split(np.arange(len(codes)), ends):
        some = points.packed.take(block)
        parts += core.passes_of_block(some, codes[block], weights[block], None, asked, PROBLEMS[:1])
    first, *others = parts if order is None else [parts[k] for k in order]
    for other in others:
        first = core.merge_passes(first, other, asked[0])
    return first


def passes(rows, asked, ends, order=None):
    return Answer.of(merged(rows, asked, ends, order), rows[0].n_dim)


def some_rows(m, n, seed=0, radius=3.0):
    rng = np.random.default_rng(seed)
    points = Points.from_chart(radius * rng.standard_normal((m, n)) / np.sqrt(n), "tangent")
    return points, rng.integers(0, 2, m).astype(np.int32), rng.random(m) + 0.1


def assert_same_pass(found, expected):
    """The sums are the same but for rounding, the rows and what chose them bit for bit."""
    for name in ("loss", "scale", "lift", "direction", "n_active"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11 * expected.loss)
    assert found.smallest_product == expected.smallest_product
    np.testing.assert_array_equal(found.cutoffs, expected.cutoffs)
    for name in ("near", "curved", "lowest"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@given(
    ends=st.lists(st.integers(0, 3000), max_size=12).map(sorted),
    n_dim=st.integers(1, 4),
    offset=st.floats(-3, 3),
    spread=st.sampled_from([0.0, 1e-4, 0.1]),
    shuffled=st.randoms(use_true_random=False),
)
def test_passes_over_blocks_merge_to_the_pass_over_all_rows(ends, n_dim, offset, spread, shuffled):
    rows = some_rows(3000, n_dim)
    plane = np.r_[0.1, offset, np.eye(n_dim)[0]]
    asked = questions(160, 192, 300, 2.0, planes=plane[None], spread=spread)
    expected = passes(rows, asked, [])
    assert_same_pass(passes(rows, asked, ends), expected)
    order = list(range(len(ends) + 1))
    shuffled.shuffle(order)
    assert_same_pass(passes(rows, asked, ends, order), expected)


def test_fewer_rows_than_are_asked_for_are_all_told():
    rows = some_rows(50, 2)
    asked = questions(160, 192, 300, np.inf, planes=np.array([[0.0, 0.3, 0.6, 0.8]]))
    answer = passes(rows, asked, [1, 1, 17])
    assert (len(answer.near), len(answer.lowest)) == (50, 50)
    assert len(answer.curved) == answer.n_active
    assert answer.cutoffs[0] > answer.near[:, -1].max()
    assert answer.cutoffs[1:].tolist() == [0.0, np.inf]
    assert_same_pass(answer, passes(rows, asked, []))


def test_equal_rows_of_different_blocks_are_one_kink_of_their_weight():
    points, codes, _ = some_rows(40, 2)
    place = np.random.default_rng(1).permutation(np.repeat(np.arange(40), 25))
    copies = points[place], codes[place], np.ones(1000)
    asked = questions(100, planes=np.array([[0.0, 0.3, 0.6, 0.8]]))
    once = passes((points, codes, np.full(40, 25.0)), asked, [])
    for ends in ([], [500], [3, 400, 990]):
        answer = passes(copies, asked, ends)
        order, same = np.argsort(answer.near[:, 0]), np.argsort(once.near[:, 0])
        np.testing.assert_allclose(answer.near[order], once.near[same], rtol=1e-12)


def descent(rows, ends, *, n_working=400, tol=1e-9, start=None):
    """Descend on blocks by ask and tell."""
    points, codes, weights = rows
    y = np.where(codes == 0, 1, -1).astype(np.int8)
    if start is None:
        start = np.r_[0.0, 0.0, np.eye(points.n_dim)[0]]
    search = core.Descent(points.packed, y, weights, 1.0, start[None], tol, 1000, n_working, 0.0)
    n_passes = 0
    while not search.done:
        search.tell(merged(rows, search.ask()[None], ends))
        n_passes += 1
    assert n_passes < 100
    return search.result()


@pytest.mark.parametrize("apart", [0.5, 3.0])  # many rows with a loss, few
def test_a_descent_ends_at_the_same_minimum_in_any_division(apart):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, 20_000).astype(np.int32)
    V = rng.standard_normal((20_000, 3))
    V[:, 0] += apart * (1 - 2 * codes)
    rows = Points.from_chart(V, "tangent"), codes, np.ones(20_000)
    y = np.where(codes == 0, 1, -1)
    values = []
    for ends in ([], [10_000], [1, 300, 300, 7000, 19_999], range(640, 20_000, 640)):
        *plane, value, _, _, stop = descent(rows, ends, start=np.array([0.0, 0.0, -1.0, 0.0, 0.0]))
        plane = np.r_[plane[0], plane[1], plane[2]]
        assert stop == core.Stop.CONVERGED
        square = 0.5 * np.exp(2 * plane[0])
        assert value == pytest.approx(square + loss(rows[0], y, 1.0, plane), rel=1e-12)
        values.append(value)
    assert values == pytest.approx([values[0]] * 4, rel=1e-8)


def test_joined_points_keep_their_bits():
    parts = [Points.from_chart(part, "tangent", pack=True).packed for part in np.split(X, [17, 60])]
    joined = core.join(parts)
    assert joined.n_rows == 100
    assert joined.largest_radius == PACKED.largest_radius
    for ours, theirs in zip(core.polar(joined), core.polar(PACKED), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_near_and_far_points_are_joined_as_far_points():
    near = Points.from_chart([[1.0, 0.0]], "tangent", pack=True).packed
    far = Points.from_chart([[0.0, 200.0]], "tangent", pack=True).packed
    radius, direction = core.polar(core.join([near, far]))
    np.testing.assert_allclose(radius, [1.0, 200.0], rtol=1e-15)
    np.testing.assert_allclose(direction, np.eye(2), atol=1e-15)


def test_what_is_refused():
    far = Points.from_chart(60.0 * X, "tangent", pack=True).packed
    asked = questions(5, 5, 5)
    with pytest.raises(ValueError, match="one code, and one fold if any, for each of the 100"):
        core.passes_of_block(PACKED, CODES[1:], None, None, asked, PROBLEMS)
    with pytest.raises(ValueError, match="one code, and one fold if any"):
        core.passes_of_block(PACKED, CODES, None, FOLDS[1:], asked, PROBLEMS)
    with pytest.raises(ValueError, match="two weights for each question"):
        core.passes_of_block(PACKED, CODES, None, None, asked, PROBLEMS, np.ones((1, 2)))
    with pytest.raises(ValueError, match="one line per hyperplane"):
        core.passes_of_block(PACKED, CODES, None, None, asked, PROBLEMS[:1])
    with pytest.raises(ValueError, match="near points only"):
        core.passes_of_block(far, CODES, None, None, asked, PROBLEMS)
    with pytest.raises(ValueError, match="normal of 2 entries for points of 3"):
        core.passes_of_block(PACKED, CODES, None, None, asked[:, :-1].copy(), PROBLEMS)
    with pytest.raises(ValueError, match="finite numbers"):
        core.passes_of_block(PACKED, CODES, None, None, questions(planes=np.nan * PLANES), PROBLEMS)
    with pytest.raises(ValueError, match="no points to join"):
        core.join([])
    with pytest.raises(ValueError, match="different dimensions"):
        core.join([PACKED, Points.from_chart([[0.5, 0.0]], pack=True).packed])


@pytest.mark.parametrize("count", [-1.0, 2e9, np.nan, np.inf])
def test_a_count_that_is_none_is_refused(count):
    with pytest.raises(ValueError, match="count must be between 0 and 1e9"):
        core.passes_of_block(PACKED, CODES, None, None, questions(count), PROBLEMS)


def test_numbers_that_are_no_answer_are_refused():
    asked = questions(5, 5, 5)
    answer, _ = core.passes_of_block(PACKED, CODES, None, None, asked, PROBLEMS)
    merged = core.merge_passes(answer, answer, asked[0])
    assert Answer.of(merged, 3).loss == 2 * answer[0]
    for wrong, sentence in (
        (answer[:-1], "too few numbers"),
        (answer[:4], "too few numbers"),
        (np.empty(0), "too few numbers"),
        (np.r_[answer, 1.0], "too many numbers"),
        (np.where(np.arange(len(answer)) == 11, np.nan, answer), "count must be between"),
    ):
        for pair in ((answer, wrong), (wrong, answer)):
            with pytest.raises(ValueError, match=sentence):
                core.merge_passes(*pair, asked[0])
        search = core.Descent(PACKED, labels(0), WEIGHTS, 1.0, PLANES[:1], 1e-6, 9, 5, 0.0)
        with pytest.raises(ValueError, match=r"numbers|count"):
            search.tell(wrong)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("labels", np.ones(99, np.int8), "100 points but 99 labels"),
        ("weights", np.ones(99), "99 weights"),
        ("weights", np.full(100, -1.0), "not negative"),
        ("C", 0.0, "C must be positive"),
        ("start", PLANES, "one start"),
        ("start", PLANES[:1, :-1].copy(), "5 columns"),
        ("start", np.nan * PLANES[:1], "finite numbers"),
        ("tol", np.nan, "tol"),
        ("max_iter", 0, "max_iter"),
        ("n_working", 0, "n_working"),
        ("n_working", 2**40, "n_working"),
        ("beyond", 21.0, "beyond"),
        ("sample", Points.from_chart(60.0 * X, "tangent", pack=True).packed, "near points only"),
    ],
)
def test_arguments_of_a_descent_are_checked(name, value, sentence):
    arguments = {
        "sample": PACKED,
        "labels": labels(0),
        "weights": WEIGHTS,
        "C": 1.0,
        "start": PLANES[:1],
        "tol": 1e-6,
        "max_iter": 9,
        "n_working": 5,
        "beyond": 0.0,
    }
    core.Descent(**arguments)
    with pytest.raises(ValueError, match=sentence):
        core.Descent(**(arguments | {name: value}))


def test_a_descent_that_has_ended_takes_no_answer():
    search = core.Descent(PACKED, labels(0), WEIGHTS, 1.0, PLANES[:1], 1e-6, 100, 500, 0.0)
    while not search.done:
        asked = search.ask()[None]
        [answer] = core.passes_of_block(PACKED, CODES, WEIGHTS, None, asked, PROBLEMS[:1])
        search.tell(answer)
    with pytest.raises(RuntimeError, match="has ended"):
        search.tell(answer)
