"""The solvers of binary problems as a user of them sees them."""

import numpy as np
import pytest

from hyplane.solvers import BinaryProblem, HardMargin, Points, SoftMargin

POINTS = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
PROBLEM = BinaryProblem(np.array([1, -1], dtype=np.int8))
WRONG = [{"tol": "x"}, {"tol": None}, {"max_iter": "x"}]


@pytest.mark.parametrize("solver", [SoftMargin, HardMargin])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_solver_refuses_an_argument_of_a_wrong_kind(solver, wrong):
    with pytest.raises(TypeError):
        solver(**wrong).solve(POINTS, PROBLEM, C=1.0)


@pytest.mark.parametrize("wrong", WRONG)
def test_so_do_its_fits_of_folds(wrong):
    folds = np.array([0, 1])
    with pytest.raises(TypeError):
        SoftMargin(**wrong).out_of_fold_scores(POINTS, PROBLEM, folds, [0, 1], np.array([1.0]))


def test_a_solver_refuses_a_C_that_is_no_number():
    with pytest.raises(TypeError):
        SoftMargin().solve(POINTS, PROBLEM, C="x")
