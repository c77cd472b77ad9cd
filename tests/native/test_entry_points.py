"""No call of a compiled function ends the interpreter: bad arguments get an error that says why."""

import numpy as np
import pytest
from helpers import run_python

from hyplane.native import certificate, core, skipgram


def packed(m=4, n=2, radius=1.0, *, far=False):
    points = core.PackedPoints(m, n, far)
    direction = np.zeros((m, n))
    direction[:, 0] = np.where(np.arange(m) % 2, 1.0, -1.0)
    points.fill(0, np.full(m, radius), direction)
    return points


def alternating(m=4):
    return np.where(np.arange(m) % 2, 1, -1).astype(np.int8)


def solve(points, labels, weights=None, C=1.0, tol=1e-6, max_iter=100, starts=None):
    return core.solve_soft_margin(points, labels, weights, C, tol, max_iter, 0, starts)


def fit_folds(points, labels, folds, which, Cs, weights=None, tol=1e-6, max_iter=100):
    folds, which = np.array(folds, dtype=np.int64), np.array(which, dtype=np.int64)
    return core.fit_folds(
        points, labels, weights, folds, which, np.array(Cs, dtype=float), tol, max_iter, 0
    )


def printed(code):
    """Return the words that a program prints, which must not end by a crash."""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_class_without_weight_is_an_error_and_not_the_end_of_the_process():
    words = printed(
        """
        import numpy as np
        from hyplane.native import core
        n_refused = 0
        for m in (6, 3000):
            points = core.PackedPoints(m, 2, False)
            points.fill(0, np.linspace(0.1, 3.0, m), np.tile([[1.0, 0.0]], (m, 1)))
            y = np.where(np.arange(m) % 2, 1, -1).astype(np.int8)
            for labels, weights in (
                (np.ones(m, np.int8), None),
                (np.zeros(m, np.int8), None),
                (y, np.where(y > 0, 0.0, 1.0)),
                (y, np.zeros(m)),
                (y, np.where(y > 0, 5e-324, 1.0)),
                (y, np.full(m, 1e308)),
                (y, np.full(m, np.nan)),
                (y, -np.ones(m)),
                (np.full(m, 7, np.int8), None),
            ):
                try:
                    core.solve_soft_margin(points, labels, weights, 1.0, 1e-6, 100, 0)
                except ValueError:
                    n_refused += 1
        print(n_refused)
        """
    )
    assert words == ["18"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("core.PackedPoints(1, 2**64 - 1, False)", "more than memory"),
        ("core.PackedPoints(0, 2**64 - 1, False)", "more than memory"),
        ("core.PackedPoints(2**64 - 1, 1, False)", "more than memory"),
        ("core.PackedPoints(2**62, 2**62, False)", "more than memory"),
        ("core.PackedPoints.__new__(core.PackedPoints).__setstate__(state)", "more than memory"),
        ("charts.scores(X, 'ball', 1.0, *planes, 'product')", "more than memory"),
    ],
)
def test_sizes_that_no_memory_holds_are_errors_and_not_the_end_of_the_process(call, sentence):
    words = printed(
        f"""
        import numpy as np
        from hyplane.native import charts, core
        state = (1, 2**64 - 1, False, 0.0, np.empty(0))
        X = np.broadcast_to(0.0, (1, 2**59))
        planes = np.empty(0), np.empty(0), np.empty((0, 2**59))
        try:
            {call}
        except ValueError as error:
            print(error)
        """
    )
    assert sentence in " ".join(words)


def test_answers_that_no_rows_gave_are_no_end_of_the_process():
    words = printed(
        """
        import numpy as np
        from hyplane.native import core
        m, rng = 3000, np.random.default_rng(0)
        points = core.PackedPoints(m, 2, False)
        points.fill(0, np.linspace(0.1, 3.0, m), np.tile([[1.0, 0.0]], (m, 1)))
        labels = np.where(np.arange(m) % 2, 1, -1).astype(np.int8)
        codes, problem = (labels > 0).astype(np.int32), np.array([[1, -1, -1]], dtype=np.int32)
        for case in range(200):
            search = core.Descent(
                points, labels, np.ones(m), 1.0, np.array([[0.0, 0.0, 1.0, 0.0]]), 1e-6, 10, 64, 0.0
            )
            while not search.done:
                asked = search.ask()
                try:
                    [answer] = core.passes_of_block(
                        points, codes, None, None, asked[None], problem
                    )
                    counts = np.flatnonzero((answer == np.floor(answer)) & (answer > 3))
                    wrong = rng.integers(len(answer), size=1 + case % 7)
                    wrong = np.setdiff1d(wrong, counts)
                    answer[wrong] = rng.choice([0.0, -1.0, 1e300, np.inf, -np.inf, np.nan])
                    search.tell(core.merge_passes(answer, answer, asked))
                except ValueError:
                    break
            search.result()
        print("alive")
        """
    )
    assert words == ["alive"]


def test_a_descent_from_where_no_row_has_a_loss_is_no_end_of_the_process():
    # Each row weighs so much that none is below the product up to which rows are asked for.
    words = printed(
        """
        import numpy as np
        from hyplane.native import core
        m = 200
        y, weights = np.where(np.arange(m) % 2, 1, -1).astype(np.int8), np.full(m, 1e4)
        codes, problem = (y > 0).astype(np.int32), np.array([[1, -1, -1]], dtype=np.int32)
        start = np.array([[2.0, 0.0, -1.0, 0.0]])  # every row is beyond its margin
        for seed in range(20):
            V = 0.1 * np.random.default_rng(seed).standard_normal((m, 2))
            V[:, 0] += y
            points = core.pack(V, "tangent", 1.0)[0]
            search = core.Descent(points, y, weights, 1.0, start, 1e-6, 100, 17, 0.0)
            while not search.done:
                asked = search.ask()[None]
                search.tell(core.passes_of_block(points, codes, weights, None, asked, problem)[0])
            expected = core.solve_soft_margin(points, y, weights, 1.0, 1e-6, 100, 0)
            print(search.result()[3] / expected[3] - 1.0)
        """
    )
    assert [float(word) for word in words] == pytest.approx([0.0] * 20, abs=1e-5)


def test_losses_that_overflow_are_no_end_of_the_process():
    words = printed(
        """
        import numpy as np
        from hyplane.native import core
        m = 30
        points = core.PackedPoints(m, 1, True)
        side = np.where(np.arange(m) % 3, 1.0, -1.0)
        points.fill(0, np.linspace(1e280, 8e281, m), side[:, None])
        labels = np.where(np.arange(m) % 2, 1, -1).astype(np.int8)
        weights = np.logspace(-140, 146, m)
        for beyond in (0.0, 8.0):
            solution = core.solve_soft_margin(
                points, labels, weights, 2e7, 1e-6, 30, 0, beyond=beyond
            )
            assert len(solution[2]) == 1, solution
            core.fit_folds(
                points, labels, weights, np.arange(m) % 5, np.arange(5), np.array([1e7, 2e7]),
                1e-6, 30, 0, beyond=beyond,
            )
        print("alive")
        """
    )
    assert words == ["alive"]


def test_weights_as_small_as_doubles_go_still_have_an_answer():
    weights = np.where(alternating(40) > 0, 1e-300, 1.0)
    assert np.isfinite(solve(packed(40), alternating(40), weights)[3])


SOLVER = {
    "points": packed(),
    "labels": alternating(),
    "weights": None,
    "C": 1.0,
    "tol": 1e-6,
    "max_iter": 100,
}
FOLDS = {
    "points": packed(),
    "labels": alternating(),
    "folds": [0, 0, 1, 1],
    "which": [0, 1],
    "Cs": [1.0, 2.0],
}
BOUND = {
    "radius": np.ones(2),
    "angle": np.array([0.0, 3.0]),
    "signed_weights": np.array([1.0, -1.0]),
    "largest_offset": 1.0,
    "line": False,
    "known": 1.0,
    "rel_gap": 0.1,
    "max_seconds": 1.0,
    "max_boxes": 10,
}
WALKS = {  # one walk of three nodes
    "vectors": np.full((3, 8), 0.1, dtype=np.float32),
    "outputs": np.zeros((3, 8), dtype=np.float32),
    "walks": np.array([[0, 1, 2, 1]], dtype=np.int32),
    "narrowing": np.zeros((1, 4), dtype=np.int64),
    "window": 2,
    "path_start": np.array([0, 1, 3, 5]),
    "turns": np.array([1, 1, 0, 1, 0], dtype=np.int32),
    "codes": np.array([0, 1, 0, 1, 1], dtype=np.uint8),
    "rate": 0.1,
}


def checked(call, good, *changes):
    """Return parameters of a test: a call with one argument changed, and what is said of it."""
    return [pytest.param(call, good, {n: value}, sentence) for n, value, sentence in changes]


@pytest.mark.parametrize(
    ("call", "good", "changed", "sentence"),
    [
        *checked(
            solve, SOLVER,
            ("labels", alternating(5), "4 points but 5 labels"),
            ("C", 0.0, "C must be positive"),
            ("C", np.inf, "C must be positive"),
            ("C", np.nan, "C must be positive"),
            ("C", 1e-320, "less than double precision"),
            ("tol", np.nan, "tol"),
            ("tol", -1.0, "tol"),
            ("max_iter", 0, "max_iter"),
            ("starts", np.array([[0.0, np.nan, 1.0, 0.0]]), "start 0"),
            ("starts", np.array([[0.0, 0.0, 1.0, 1.0]]), "unit length"),
            ("starts", np.array([[0.0, 0.0, 1.0]]), "4 columns"),
            ("weights", np.ones(3), "3 weights"),
        ),
        *checked(
            fit_folds, FOLDS,
            ("folds", [0, 0, 1], "folds of 3"),
            ("folds", [0, 1, 0, 1], "no row with label"),
            ("folds", [0, 0, 0, 0], "no row with label"),
            ("Cs", [1.0, np.nan], "C must be"),
            ("Cs", [0.0], "C must be"),
            ("Cs", [1e-320], "less than double precision"),
            ("weights", np.array([1.0, 1.0, 0.0, 0.0]), "no row with label"),
            ("weights", np.array([1.0, 1.0, np.nan, 1.0]), "weight"),
            ("tol", np.nan, "tol"),
            ("max_iter", 0, "max_iter"),
            ("labels", alternating(3), "3 labels"),
        ),
        *checked(
            certificate.bound_objective, BOUND,
            ("radius", np.array([1.0, -1.0]), "."),
            ("radius", np.array([1.0, 81.0]), "."),
            ("radius", np.empty(0), "."),
            ("angle", np.array([0.0, np.inf]), "."),
            ("signed_weights", np.array([1.0, 0.0]), "."),
            ("signed_weights", np.array([1.0, np.nan]), "."),
            ("largest_offset", np.nan, "."),
            ("known", 0.0, "."),
            ("rel_gap", 0.0, "."),
            ("max_seconds", np.nan, "."),
            ("max_boxes", 0, "."),
        ),
        *checked(
            skipgram.train_walks, WALKS,
            ("vectors", np.zeros((2, 8), np.float32), "differ in shape"),
            ("vectors", np.zeros((3, 16), np.float32), "differ in shape"),
            ("walks", np.array([[0, 1, 3, 1]], np.int32), "node"),
            ("walks", np.array([[0, 1, -1, 1]], np.int32), "node"),
            ("walks", np.zeros((2, 4), np.int32), "differ in shape"),
            ("narrowing", np.array([[0, 3, 0, 0]]), "narrowed"),
            ("narrowing", np.array([[0, -1, 0, 0]]), "narrowed"),
            ("path_start", np.array([0, 1, 3, 6]), "not in order"),
            ("path_start", np.array([0, 3, 1, 5]), "not in order"),
            ("path_start", np.array([-1, 1, 3, 5]), "not in order"),
            ("path_start", np.array([0, 1, 5]), "paths"),
            ("turns", np.array([1, 1, 0, 1, 3], np.int32), "node"),
            ("codes", np.zeros(4, np.uint8), "paths"),
            ("rate", np.inf, "rate"),
            ("rate", 1e300, "rate"),
        ),
    ],
)  # fmt: skip
def test_arguments_are_checked(call, good, changed, sentence):
    call(**good)
    with pytest.raises(ValueError, match=sentence):
        call(**(good | changed))


@pytest.mark.parametrize("first", [1, 3, 2**63, 2**64 - 1])
def test_rows_are_filled_within_the_points_only(first):
    with pytest.raises(ValueError, match="among the 2 rows"):
        core.PackedPoints(2, 2, False).fill(first, np.ones(2), np.eye(2))


@pytest.mark.parametrize("radius", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("far", [False, True])
def test_a_radius_is_finite_and_not_negative(radius, far):
    with pytest.raises(ValueError, match="row 1 has radius"):
        core.PackedPoints(2, 2, far).fill(0, np.array([1.0, radius]), np.eye(2))


def test_a_direction_has_unit_length():
    with pytest.raises(ValueError, match="direction of row 1 has length 2"):
        core.PackedPoints(2, 2, False).fill(0, np.ones(2), np.diag([1.0, 2.0]))


def test_a_fill_that_is_refused_changes_nothing():
    points = packed()
    with pytest.raises(ValueError, match="row 1"):
        points.fill(0, np.array([70.0, -1.0]), np.eye(2))
    assert points.largest_radius == 1.0


def test_points_that_were_never_filled_are_at_the_origin():
    points = core.PackedPoints(20, 2, False)
    assert points.take(np.arange(20)).largest_radius == 0.0
    assert np.isfinite(solve(points, alternating(20))[3])


@pytest.mark.parametrize("batch_size", [1, 3, 2**64 - 1])
def test_any_batch_size_covers_every_pair_of_the_skip_gram_once(batch_size):
    rng = np.random.default_rng(0)
    nodes = np.arange(4, dtype=np.int32)
    args = (rng.random((4, 2)), rng.random((4, 2)), np.zeros(4), nodes, nodes[::-1].copy())
    loss = skipgram.train(*args, np.zeros((4, 2), np.int32), batch_size, 0.0, 0.0)
    expected = skipgram.train(*args, np.zeros((4, 2), np.int32), 4, 0.0, 0.0)
    assert loss == pytest.approx(expected, rel=1e-12)


def test_the_skip_gram_refuses_nodes_that_are_not_there_and_rates_that_are_not_finite():
    args = (np.ones((2, 2)), np.ones((2, 2)), np.zeros(2))
    nodes, none = np.array([5], np.int32), np.zeros((1, 0), np.int32)
    with pytest.raises(ValueError, match="node"):
        skipgram.train(*args, nodes, nodes, none, 1, 0.1, 0.1)
    with pytest.raises(ValueError, match="rate"):
        skipgram.train(*args, nodes * 0, nodes * 0, none, 1, np.nan, 0.1)


def test_walks_of_no_nodes_are_refused_however_many_they_are():
    none = {"walks": np.zeros((2**40, 0), np.int32), "narrowing": np.zeros((2**40, 0), np.int64)}
    with pytest.raises(ValueError, match="no node"):
        skipgram.train_walks(**WALKS | none)


@pytest.mark.parametrize("n_dim", [0, 8, 16, 24, 32])
def test_a_training_on_walks_that_diverged_does_not_leave_its_table(n_dim):
    for start in (np.nan, np.inf, 3e38, 0.1):
        vectors = np.full((3, n_dim), start, dtype=np.float32)
        skipgram.train_walks(
            **WALKS | {"vectors": vectors, "outputs": vectors.copy(), "rate": 3e38}
        )


@pytest.mark.parametrize("m", [0, 4])
def test_no_fold_or_no_grid_makes_no_fit(m):
    points = core.PackedPoints(m, 2, False)
    assert fit_folds(points, alternating(m), [0] * m, [0, 1], []).size == 0
    assert fit_folds(points, alternating(m), [0] * m, [], [1.0]).size == 0


def test_the_numbers_of_folds_are_any_integers():
    far = [-(2**63), -(2**63), 2**63 - 1, 2**63 - 1]
    wanted = fit_folds(packed(), alternating(), [0, 0, 1, 1], [0, 1, 7], [1.0, 2.0])
    found = fit_folds(packed(), alternating(), far, [-(2**63), 2**63 - 1, 7], [1.0, 2.0])
    np.testing.assert_array_equal(found, wanted)
