"""The solvers of binary problems as a user of them sees them."""

import numpy as np
import pytest

from hyplane.solvers import BinaryProblem, HardMargin, Points, SoftMargin

POINTS = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
PROBLEM = BinaryProblem(np.array([1, -1], dtype=np.int8))
WRONG = [
    ({"tol": "x"}, r"^tol must be a number; got 'x'\.$"),
    ({"tol": None}, r"^tol must be a number; got None\.$"),
    ({"max_iter": "x"}, r"^max_iter must be an integer below 2147483648; got 'x'\.$"),
]


@pytest.mark.parametrize("solver", [SoftMargin, HardMargin])
@pytest.mark.parametrize(("wrong", "words"), WRONG)
def test_a_solver_names_the_argument_of_a_wrong_kind(solver, wrong, words):
    with pytest.raises(TypeError, match=words):
        solver(**wrong).solve(POINTS, PROBLEM, C=1.0)


@pytest.mark.parametrize(("wrong", "words"), WRONG)
def test_so_do_its_fits_of_folds(wrong, words):
    folds = np.array([0, 1])
    with pytest.raises(TypeError, match=words):
        SoftMargin(**wrong).out_of_fold_scores(POINTS, PROBLEM, folds, [0, 1], np.array([1.0]))


def test_a_solver_names_a_wrong_C_and_not_the_compiled_function():
    with pytest.raises(TypeError, match=r"^C must be a number; got 'x'\.$"):
        SoftMargin().solve(POINTS, PROBLEM, C="x")
