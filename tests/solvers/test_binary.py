"""The solvers of binary problems as a user of them sees them."""

import numpy as np
import pytest

from hyplane.solvers import BinaryProblem, HardMargin, Points, SoftMargin


@pytest.mark.parametrize("solver", [SoftMargin, HardMargin])
@pytest.mark.parametrize("wrong", [{"tol": "x"}, {"tol": None}, {"max_iter": 1.5}])
def test_a_solver_names_the_argument_of_a_wrong_kind(solver, wrong):
    [name] = wrong
    with pytest.raises(TypeError, match=f"^{name} must be an? (number|integer)"):
        solver(**wrong)


def test_a_solver_names_a_wrong_C_and_not_the_compiled_function():
    points = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
    problem = BinaryProblem(np.array([1, -1], dtype=np.int8))
    with pytest.raises(TypeError, match=r"^C must be a number; got 'x'\.$"):
        SoftMargin().solve(points, problem, C="x")
