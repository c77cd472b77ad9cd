"""Packed points, the objective and its gradient, the soft-margin solver."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


LARGEST_NEAR_RADIUS: float = 80.0

class Stop(enum.Enum):
    """Why the solver stopped."""

    CONVERGED = 0
    """The predicted decrease of the objective is below the tolerance."""

    CONVERGED_TO_ROUNDING = 1
    """
    No step decreases the objective, and the predicted decrease is below what double precision resolves there.
    """

    STALLED = 2
    """
    No step decreases the objective, though the predicted decrease is above the tolerance and above rounding.
    """

    ITERATIONS_RAN_OUT = 3
    """The iterations ran out."""

class Tuning:
    """
    The numbers of the search and of the local methods, for measurements; tuning.hpp says what each is and where it came from.
    """

    def __init__(self) -> None: ...

    @property
    def dense_metric(self) -> int: ...

    @dense_metric.setter
    def dense_metric(self, arg: int, /) -> None: ...

    @property
    def metric_memory(self) -> int: ...

    @metric_memory.setter
    def metric_memory(self, arg: int, /) -> None: ...

    @property
    def least_curvature(self) -> float: ...

    @least_curvature.setter
    def least_curvature(self, arg: float, /) -> None: ...

    @property
    def sufficient_decrease(self) -> float: ...

    @sufficient_decrease.setter
    def sufficient_decrease(self, arg: float, /) -> None: ...

    @property
    def slope_reduction(self) -> float: ...

    @slope_reduction.setter
    def slope_reduction(self, arg: float, /) -> None: ...

    @property
    def line_search_trials(self) -> int: ...

    @line_search_trials.setter
    def line_search_trials(self, arg: int, /) -> None: ...

    @property
    def line_search_rounding(self) -> float: ...

    @line_search_rounding.setter
    def line_search_rounding(self, arg: float, /) -> None: ...

    @property
    def longest_step(self) -> float: ...

    @longest_step.setter
    def longest_step(self, arg: float, /) -> None: ...

    @property
    def first_step(self) -> float: ...

    @first_step.setter
    def first_step(self, arg: float, /) -> None: ...

    @property
    def band_share(self) -> float: ...

    @band_share.setter
    def band_share(self, arg: float, /) -> None: ...

    @property
    def widest_band(self) -> float: ...

    @widest_band.setter
    def widest_band(self, arg: float, /) -> None: ...

    @property
    def narrowest_band(self) -> float: ...

    @narrowest_band.setter
    def narrowest_band(self, arg: float, /) -> None: ...

    @property
    def curvature_ridge(self) -> float: ...

    @curvature_ridge.setter
    def curvature_ridge(self, arg: float, /) -> None: ...

    @property
    def curvature_rows(self) -> int: ...

    @curvature_rows.setter
    def curvature_rows(self, arg: int, /) -> None: ...

    @property
    def smallest_pivot(self) -> float: ...

    @smallest_pivot.setter
    def smallest_pivot(self, arg: float, /) -> None: ...

    @property
    def least_kinks(self) -> int: ...

    @least_kinks.setter
    def least_kinks(self, arg: int, /) -> None: ...

    @property
    def kinks_per_parameter(self) -> int: ...

    @kinks_per_parameter.setter
    def kinks_per_parameter(self, arg: int, /) -> None: ...

    @property
    def spare_kinks(self) -> float: ...

    @spare_kinks.setter
    def spare_kinks(self, arg: float, /) -> None: ...

    @property
    def first_reach(self) -> float: ...

    @first_reach.setter
    def first_reach(self, arg: float, /) -> None: ...

    @property
    def reach_trials(self) -> int: ...

    @reach_trials.setter
    def reach_trials(self, arg: int, /) -> None: ...

    @property
    def model_rows(self) -> int: ...

    @model_rows.setter
    def model_rows(self, arg: int, /) -> None: ...

    @property
    def least_model_rows(self) -> int: ...

    @least_model_rows.setter
    def least_model_rows(self, arg: int, /) -> None: ...

    @property
    def kink_reach(self) -> float: ...

    @kink_reach.setter
    def kink_reach(self, arg: float, /) -> None: ...

    @property
    def kink_stiffness(self) -> float: ...

    @kink_stiffness.setter
    def kink_stiffness(self, arg: float, /) -> None: ...

    @property
    def first_damping(self) -> float: ...

    @first_damping.setter
    def first_damping(self, arg: float, /) -> None: ...

    @property
    def least_damping(self) -> float: ...

    @least_damping.setter
    def least_damping(self, arg: float, /) -> None: ...

    @property
    def largest_damping(self) -> float: ...

    @largest_damping.setter
    def largest_damping(self, arg: float, /) -> None: ...

    @property
    def shortest_kink_step(self) -> float: ...

    @shortest_kink_step.setter
    def shortest_kink_step(self, arg: float, /) -> None: ...

    @property
    def short_kink_step(self) -> float: ...

    @short_kink_step.setter
    def short_kink_step(self, arg: float, /) -> None: ...

    @property
    def longest_kink_step(self) -> float: ...

    @longest_kink_step.setter
    def longest_kink_step(self, arg: float, /) -> None: ...

    @property
    def surplus(self) -> float: ...

    @surplus.setter
    def surplus(self, arg: float, /) -> None: ...

    @property
    def damping_after_a_prediction(self) -> float: ...

    @damping_after_a_prediction.setter
    def damping_after_a_prediction(self, arg: float, /) -> None: ...

    @property
    def damping_after_a_full_step(self) -> float: ...

    @damping_after_a_full_step.setter
    def damping_after_a_full_step(self, arg: float, /) -> None: ...

    @property
    def damping_after_a_short_step(self) -> float: ...

    @damping_after_a_short_step.setter
    def damping_after_a_short_step(self, arg: float, /) -> None: ...

    @property
    def damping_after_a_failure(self) -> float: ...

    @damping_after_a_failure.setter
    def damping_after_a_failure(self, arg: float, /) -> None: ...

    @property
    def smallest_raised_damping(self) -> float: ...

    @smallest_raised_damping.setter
    def smallest_raised_damping(self, arg: float, /) -> None: ...

    @property
    def failed_kink_steps(self) -> int: ...

    @failed_kink_steps.setter
    def failed_kink_steps(self, arg: int, /) -> None: ...

    @property
    def rounding_of_a_loss(self) -> float: ...

    @rounding_of_a_loss.setter
    def rounding_of_a_loss(self, arg: float, /) -> None: ...

    @property
    def smallest_kept_scale(self) -> float: ...

    @smallest_kept_scale.setter
    def smallest_kept_scale(self, arg: float, /) -> None: ...

    @property
    def smallest_kept_square(self) -> float: ...

    @smallest_kept_square.setter
    def smallest_kept_square(self, arg: float, /) -> None: ...

    @property
    def kink_tol(self) -> float: ...

    @kink_tol.setter
    def kink_tol(self, arg: float, /) -> None: ...

    @property
    def hopeful_decrease(self) -> float: ...

    @hopeful_decrease.setter
    def hopeful_decrease(self, arg: float, /) -> None: ...

    @property
    def final_tol(self) -> float: ...

    @final_tol.setter
    def final_tol(self, arg: float, /) -> None: ...

    @property
    def kink_steps_rows(self) -> int: ...

    @kink_steps_rows.setter
    def kink_steps_rows(self, arg: int, /) -> None: ...

    @property
    def kink_steps_parameters(self) -> int: ...

    @kink_steps_parameters.setter
    def kink_steps_parameters(self, arg: int, /) -> None: ...

    @property
    def many_for_few(self) -> int: ...

    @many_for_few.setter
    def many_for_few(self, arg: int, /) -> None: ...

    @property
    def unlucky_few(self) -> float: ...

    @unlucky_few.setter
    def unlucky_few(self, arg: float, /) -> None: ...

    @property
    def most_of_few(self) -> float: ...

    @most_of_few.setter
    def most_of_few(self, arg: float, /) -> None: ...

    @property
    def program_steps(self) -> int: ...

    @program_steps.setter
    def program_steps(self, arg: int, /) -> None: ...

    @property
    def program_steps_each(self) -> int: ...

    @program_steps_each.setter
    def program_steps_each(self, arg: int, /) -> None: ...

    @property
    def program_sweeps(self) -> int: ...

    @program_sweeps.setter
    def program_sweeps(self, arg: int, /) -> None: ...

    @property
    def residual_noise(self) -> float: ...

    @residual_noise.setter
    def residual_noise(self, arg: float, /) -> None: ...

    @property
    def dependent_square(self) -> float: ...

    @dependent_square.setter
    def dependent_square(self, arg: float, /) -> None: ...

    @property
    def independent_square(self) -> float: ...

    @independent_square.setter
    def independent_square(self, arg: float, /) -> None: ...

    @property
    def enough_left(self) -> float: ...

    @enough_left.setter
    def enough_left(self, arg: float, /) -> None: ...

    @property
    def free_radius(self) -> float: ...

    @free_radius.setter
    def free_radius(self, arg: float, /) -> None: ...

    @property
    def least_scaled_radius(self) -> float: ...

    @least_scaled_radius.setter
    def least_scaled_radius(self, arg: float, /) -> None: ...

    @property
    def scaled_radius(self) -> float: ...

    @scaled_radius.setter
    def scaled_radius(self, arg: float, /) -> None: ...

    @property
    def past_the_margin(self) -> float: ...

    @past_the_margin.setter
    def past_the_margin(self, arg: float, /) -> None: ...

    @property
    def share_of_few(self) -> float: ...

    @share_of_few.setter
    def share_of_few(self, arg: float, /) -> None: ...

    @property
    def rounds_on_few(self) -> int: ...

    @rounds_on_few.setter
    def rounds_on_few(self, arg: int, /) -> None: ...

    @property
    def paying_rows(self) -> int: ...

    @paying_rows.setter
    def paying_rows(self, arg: int, /) -> None: ...

    @property
    def paying_parameters(self) -> int: ...

    @paying_parameters.setter
    def paying_parameters(self, arg: int, /) -> None: ...

    @property
    def only_given_starts(self) -> bool: ...

    @only_given_starts.setter
    def only_given_starts(self, arg: bool, /) -> None: ...

    @property
    def widest_start(self) -> float: ...

    @widest_start.setter
    def widest_start(self, arg: float, /) -> None: ...

    @property
    def widest_bisector(self) -> float: ...

    @widest_bisector.setter
    def widest_bisector(self, arg: float, /) -> None: ...

    @property
    def near_cap(self) -> float: ...

    @near_cap.setter
    def near_cap(self, arg: float, /) -> None: ...

    @property
    def far_cap(self) -> float: ...

    @far_cap.setter
    def far_cap(self, arg: float, /) -> None: ...

    @property
    def regression_ridge(self) -> float: ...

    @regression_ridge.setter
    def regression_ridge(self, arg: float, /) -> None: ...

    @property
    def largest_regression(self) -> int: ...

    @largest_regression.setter
    def largest_regression(self, arg: int, /) -> None: ...

    @property
    def n_scales(self) -> int: ...

    @n_scales.setter
    def n_scales(self, arg: int, /) -> None: ...

    @property
    def n_scales_if_one(self) -> int: ...

    @n_scales_if_one.setter
    def n_scales_if_one(self, arg: int, /) -> None: ...

    @property
    def largest_scale(self) -> float: ...

    @largest_scale.setter
    def largest_scale(self, arg: float, /) -> None: ...

    @property
    def smallest_scale(self) -> float: ...

    @smallest_scale.setter
    def smallest_scale(self, arg: float, /) -> None: ...

    @property
    def scale_per_radius(self) -> float: ...

    @scale_per_radius.setter
    def scale_per_radius(self, arg: float, /) -> None: ...

    @property
    def same_minimum(self) -> float: ...

    @same_minimum.setter
    def same_minimum(self, arg: float, /) -> None: ...

    @property
    def improvement(self) -> float: ...

    @improvement.setter
    def improvement(self, arg: float, /) -> None: ...

    @property
    def few_parameters(self) -> int: ...

    @few_parameters.setter
    def few_parameters(self, arg: int, /) -> None: ...

    @property
    def starts_of_a_brief_round(self) -> int: ...

    @starts_of_a_brief_round.setter
    def starts_of_a_brief_round(self, arg: int, /) -> None: ...

    @property
    def carried(self) -> int: ...

    @carried.setter
    def carried(self, arg: int, /) -> None: ...

    @property
    def carried_again(self) -> int: ...

    @carried_again.setter
    def carried_again(self, arg: int, /) -> None: ...

    @property
    def carried_briefly(self) -> int: ...

    @carried_briefly.setter
    def carried_briefly(self, arg: int, /) -> None: ...

    @property
    def brief_iterations(self) -> int: ...

    @brief_iterations.setter
    def brief_iterations(self, arg: int, /) -> None: ...

    @property
    def brief_kink_steps(self) -> int: ...

    @brief_kink_steps.setter
    def brief_kink_steps(self, arg: int, /) -> None: ...

    @property
    def brief_kink_steps_if_several(self) -> int: ...

    @brief_kink_steps_if_several.setter
    def brief_kink_steps_if_several(self, arg: int, /) -> None: ...

    @property
    def large_radius(self) -> float: ...

    @large_radius.setter
    def large_radius(self, arg: float, /) -> None: ...

    @property
    def cut_radius(self) -> float: ...

    @cut_radius.setter
    def cut_radius(self, arg: float, /) -> None: ...

    @property
    def brief_tol(self) -> float: ...

    @brief_tol.setter
    def brief_tol(self, arg: float, /) -> None: ...

    @property
    def rough_iterations(self) -> int: ...

    @rough_iterations.setter
    def rough_iterations(self, arg: int, /) -> None: ...

    @property
    def rough_tol(self) -> float: ...

    @rough_tol.setter
    def rough_tol(self, arg: float, /) -> None: ...

    @property
    def perturbed_steps(self) -> int: ...

    @perturbed_steps.setter
    def perturbed_steps(self, arg: int, /) -> None: ...

    @property
    def most_perturbations(self) -> int: ...

    @most_perturbations.setter
    def most_perturbations(self, arg: int, /) -> None: ...

    @property
    def starts_of_a_round(self) -> int: ...

    @starts_of_a_round.setter
    def starts_of_a_round(self, arg: int, /) -> None: ...

    @property
    def perturbations(self) -> int: ...

    @perturbations.setter
    def perturbations(self, arg: int, /) -> None: ...

    @property
    def perturbations_far_out(self) -> int: ...

    @perturbations_far_out.setter
    def perturbations_far_out(self, arg: int, /) -> None: ...

    @property
    def perturbations_if_one(self) -> int: ...

    @perturbations_if_one.setter
    def perturbations_if_one(self, arg: int, /) -> None: ...

    @property
    def hits(self) -> int: ...

    @hits.setter
    def hits(self, arg: int, /) -> None: ...

    @property
    def hits_if_rare(self) -> int: ...

    @hits_if_rare.setter
    def hits_if_rare(self, arg: int, /) -> None: ...

    @property
    def rounds(self) -> int: ...

    @rounds.setter
    def rounds(self, arg: int, /) -> None: ...

    @property
    def rounds_if_rare(self) -> int: ...

    @rounds_if_rare.setter
    def rounds_if_rare(self, arg: int, /) -> None: ...

    @property
    def rare_class(self) -> float: ...

    @rare_class.setter
    def rare_class(self, arg: float, /) -> None: ...

    @property
    def easy_starts(self) -> int: ...

    @easy_starts.setter
    def easy_starts(self, arg: int, /) -> None: ...

    @property
    def easy_carried(self) -> int: ...

    @easy_carried.setter
    def easy_carried(self, arg: int, /) -> None: ...

    @property
    def easy_share(self) -> float: ...

    @easy_share.setter
    def easy_share(self, arg: float, /) -> None: ...

    @property
    def compared_kinks(self) -> int: ...

    @compared_kinks.setter
    def compared_kinks(self, arg: int, /) -> None: ...

    @property
    def compared_again(self) -> int: ...

    @compared_again.setter
    def compared_again(self, arg: int, /) -> None: ...

    @property
    def rows_looked_at(self) -> int: ...

    @rows_looked_at.setter
    def rows_looked_at(self, arg: int, /) -> None: ...

    @property
    def repeated_rows(self) -> int: ...

    @repeated_rows.setter
    def repeated_rows(self, arg: int, /) -> None: ...

    @property
    def most_different(self) -> float: ...

    @most_different.setter
    def most_different(self, arg: float, /) -> None: ...

    @property
    def least_repeats(self) -> int: ...

    @least_repeats.setter
    def least_repeats(self, arg: int, /) -> None: ...

    @property
    def often_seen(self) -> int: ...

    @often_seen.setter
    def often_seen(self, arg: int, /) -> None: ...

    @property
    def heavy_share(self) -> float: ...

    @heavy_share.setter
    def heavy_share(self, arg: float, /) -> None: ...

    @property
    def heavy_rows(self) -> int: ...

    @heavy_rows.setter
    def heavy_rows(self, arg: int, /) -> None: ...

    @property
    def least_sample(self) -> int: ...

    @least_sample.setter
    def least_sample(self, arg: int, /) -> None: ...

    @property
    def sample_per_parameter(self) -> int: ...

    @sample_per_parameter.setter
    def sample_per_parameter(self, arg: int, /) -> None: ...

    @property
    def sample_growth(self) -> int: ...

    @sample_growth.setter
    def sample_growth(self, arg: int, /) -> None: ...

    @property
    def sample_worth(self) -> int: ...

    @sample_worth.setter
    def sample_worth(self, arg: int, /) -> None: ...

    @property
    def largest_sample(self) -> int: ...

    @largest_sample.setter
    def largest_sample(self, arg: int, /) -> None: ...

    @property
    def sample_tol(self) -> float: ...

    @sample_tol.setter
    def sample_tol(self, arg: float, /) -> None: ...

    @property
    def single_sample_tol(self) -> float: ...

    @single_sample_tol.setter
    def single_sample_tol(self, arg: float, /) -> None: ...

    @property
    def sample_kink_steps(self) -> int: ...

    @sample_kink_steps.setter
    def sample_kink_steps(self, arg: int, /) -> None: ...

    @property
    def exact_rows(self) -> int: ...

    @exact_rows.setter
    def exact_rows(self, arg: int, /) -> None: ...

    @property
    def finalists(self) -> int: ...

    @finalists.setter
    def finalists(self, arg: int, /) -> None: ...

def cholesky(A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], smallest_pivot: float = 0.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))] | None:
    """
    The lower factor of a symmetric matrix; None where it is not positive definite.
    """

def solve_triangular(L: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transposed: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Solve L x = b, or its transpose, for a lower triangular L."""

def inverse(A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The inverse of a symmetric positive definite matrix."""

def solve_box_program(g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], bool]:
    """
    Minimise g·x + |x|²/2 + Σ bound_j max(0, gap_j + v_j·x); x, the multipliers, and whether the method came to its end. `start`: multipliers to begin with.
    """

def draw_rows_by_weight(labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], negative: int, positive: int, seed: int) -> tuple[list[int], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Rows of each class drawn by their weights, and with which weight each stands for others.
    """

def draw_rows(labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], negative: int, positive: int, seed: int, n_threads: int = 1) -> list[int]:
    """So many rows of label -1 and 1, each with the same chance."""

class PackedPoints:
    """
    Points in native polar coordinates, packed in column blocks. All are at the origin until they are filled in.
    """

    def __init__(self, n_rows: int, n_dim: int, far: bool) -> None: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_dim(self) -> int: ...

    @property
    def far(self) -> bool: ...

    @property
    def largest_radius(self) -> float: ...

    @property
    def nbytes(self) -> int: ...

    def fill(self, first: int, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Set the rows from `first` on."""

    def take(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> PackedPoints:
        """The named rows, with a largest radius of their own."""

    def __getstate__(self) -> tuple[int, int, bool, float, NDArray[numpy.float64]]: ...

    def __setstate__(self, arg: tuple[int, int, bool, float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

def pack(X: numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64], chart: str, k: float, n_threads: int = 1) -> tuple[PackedPoints, int]:
    """
    Rows of a chart of curvature -k as packed points, and the first row that is no point (or -1).
    """

def loss_and_gradient(points: PackedPoints, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, C: float, log_scale: float, offset: float, normal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[float, float, float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """The objective and its derivatives in log s, a and u."""

def solve_soft_margin(points: PackedPoints, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, C: float, tol: float, max_iter: int, seed: int, starts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, tuning: Tuning = ..., n_threads: int = 1, beyond: float = 0.0) -> tuple[float, float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, int, int, Stop]:
    """
    log s, a, u, the objective, iterations, evaluations and why the solver stopped. |a| is at most the largest radius and `beyond`.
    """

def fit_folds(points: PackedPoints, labels: NDArray[numpy.int8], weights: NDArray[numpy.float64] | None, folds: NDArray[numpy.int64], which: NDArray[numpy.int64], Cs: NDArray[numpy.float64], tol: float, max_iter: int, seed: int, tuning: Tuning = ..., n_threads: int = 1, beyond: float = 0.0) -> NDArray[numpy.float64]:
    """
    Fits that only compare values of C, each without the rows of one fold: (log s, a, u) for each fold and each C.
    """

def descend(points: PackedPoints, labels: NDArray[numpy.int8], weights: NDArray[numpy.float64] | None, C: float, tol: float, max_iter: int, start: NDArray[numpy.float64], sums: Callable[[float, float, NDArray[numpy.float64]], NDArray[numpy.float64]], tuning: Tuning = ..., beyond: float = 0.0) -> tuple[float, float, NDArray[numpy.float64], float, int, int, Stop]:
    """
    As solve_soft_margin, from one start (log s, a, u) and with sums over all rows that a function of (log s, a, u) gives; the points are a sample of those rows.
    """

def sums_of_block(points: PackedPoints, codes: NDArray[numpy.signedinteger], weights: NDArray[numpy.float64] | None, folds: NDArray[numpy.int32] | None, planes: NDArray[numpy.float64], problems: NDArray[numpy.int32], sides: NDArray[numpy.float64] | None = None) -> NDArray[numpy.float64]:
    """
    For each hyperplane (log s, a, u) and problem (positive class, negative class or -1, fold left out or -1) the sum of the losses and of the derivatives of arsinh(y w*x). `sides` are weights of the positive and the negative rows of each problem. A matrix of codes has 1 for each label of a row, and 0.
    """

def near_rows_of_block(points: PackedPoints, codes: NDArray[numpy.signedinteger], folds: NDArray[numpy.int32] | None, planes: NDArray[numpy.float64], problems: NDArray[numpy.int32], reach: float, most: Sequence[int]) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.float64], int]]:
    """
    For each hyperplane and problem the rows with y w*x below `reach`, at most so many for each, their products, and how many rows have a loss.
    """

def keys_of_rows(rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """A number in [0, 1) for the number of each row, by SplitMix64."""

def rows_drawn(rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The rows whose key is below the share of their class."""

def polar(points: PackedPoints) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """Their radii and directions."""

def join(parts: Sequence[PackedPoints]) -> PackedPoints:
    """Several sets of points, one after the other."""
