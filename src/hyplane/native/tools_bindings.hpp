// Bindings for tests and measurements: the linear algebra, the quadratic program, the draw of a
// sample, the tuning.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "checks.hpp"
#include "linalg/box_program.hpp"
#include "linalg/dense.hpp"
#include "objective/sample.hpp"
#include "row_threads.hpp"
#include "search/starts.hpp"
#include "tuning.hpp"

namespace hyplane {

using namespace nb::literals;
using NumpyMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

inline Vector square_matrix(const Matrix& A) {
    if (A.shape(0) != A.shape(1)) throw std::invalid_argument("the matrix must be square");
    return Vector(A.data(), A.data() + A.size());
}

// The factor, or None where the matrix is not positive definite.
inline std::optional<NumpyMatrix> cholesky_factor(Matrix A, double smallest_pivot) {
    const std::size_t n = A.shape(0);
    Vector L = square_matrix(A);
    if (!cholesky(L, n, smallest_pivot)) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) L[i * n + j] = 0.0;
    return owned<NumpyMatrix>(L, {n, n});
}

inline NumpyVector solve_triangular(Matrix L, Doubles b, bool transposed) {
    const std::size_t n = L.shape(0);
    const Vector factor = square_matrix(L);
    if (b.shape(0) != n) throw std::invalid_argument("the vector must have one entry per line");
    Vector x(b.data(), b.data() + n);
    for (std::size_t i = 0; i < n; ++i)
        if (factor[i * n + i] == 0.0) throw std::invalid_argument("the matrix is singular");
    if (transposed)
        solve_lower_transposed(factor.data(), x.data(), n, n);
    else
        solve_lower(factor.data(), x.data(), n, n);
    return to_array(x);
}

inline NumpyMatrix inverse(Matrix A) {
    const std::size_t n = A.shape(0);
    Vector L = square_matrix(A);
    if (!cholesky(L, n, 0.0)) throw std::invalid_argument("the matrix is not positive definite");
    return owned<NumpyMatrix>(inverse_from(L, n), {n, n});
}

// v has one line per kink here.
inline std::tuple<NumpyVector, NumpyVector, bool> solve_box_program(
    Doubles g, Matrix v, Doubles gap, Doubles bound, std::optional<Doubles> start) {
    const std::size_t n = g.shape(0), count = v.shape(0);
    if (n == 0 || v.shape(1) != n || gap.shape(0) != count || bound.shape(0) != count)
        throw std::invalid_argument("v must have one line per kink and one column per coordinate");
    const Tuning tuning;
    BoxProgram program(tuning);
    program.v.reset(n, count);
    for (std::size_t j = 0; j < count; ++j) {
        if (!(bound(j) >= 0.0)) throw std::invalid_argument("a bound must not be negative");
        for (std::size_t i = 0; i < n; ++i) program.v.line(i)[j] = v(j, i);
    }
    program.gap.assign(gap.data(), gap.data() + count);
    program.bound.assign(bound.data(), bound.data() + count);
    program.multiplier.assign(count, 0.0);
    if (start) {
        if (start->shape(0) != count) throw std::invalid_argument("start needs one entry per kink");
        for (std::size_t j = 0; j < count; ++j)
            program.multiplier[j] = std::max(0.0, std::min(bound(j), (*start)(j)));
    }
    const bool solved = program.solve(Vector(g.data(), g.data() + n), [] {});
    return {to_array(program.x), to_array(program.multiplier), solved};
}

inline std::vector<std::size_t> drawn_rows(Labels labels, std::size_t negative,
                                           std::size_t positive, std::uint64_t seed,
                                           std::int64_t n_threads) {
    check_labels(labels, labels.size());
    std::size_t count[2];
    const std::size_t wanted[2] = {negative, positive};
    count_classes(labels.data(), labels.size(), count);
    if (negative > count[0] || positive > count[1])
        throw std::invalid_argument("a class has fewer rows than are wanted of it");
    Random random(seed);
    RowThreads threads(checked_threads(n_threads), {});
    return draw_rows(labels.data(), labels.size(), count, wanted, random, &threads);
}

inline std::tuple<std::vector<std::size_t>, NumpyVector> rows_drawn_by_weight(
    Labels labels, Doubles weights, std::size_t negative, std::size_t positive, std::uint64_t seed) {
    if (weights.shape(0) != labels.shape(0))
        throw std::invalid_argument("each label needs a weight");
    const std::size_t wanted[2] = {negative, positive};
    Random random(seed);
    Vector drawn_weights;
    const std::vector<std::size_t> rows = draw_by_weight(
        labels.data(), weights.data(), labels.size(), wanted, random, drawn_weights);
    return {rows, to_array(drawn_weights)};
}

inline void bind_tuning(nb::module_& m) {
    nb::class_<Tuning>(m, "Tuning",
                       "The numbers of the search and of the local methods, for measurements; "
                       "tuning.hpp says what each is and where it came from.")
        .def(nb::init<>())
        .def_rw("dense_metric", &Tuning::dense_metric)
        .def_rw("metric_memory", &Tuning::metric_memory)
        .def_rw("least_curvature", &Tuning::least_curvature)
        .def_rw("sufficient_decrease", &Tuning::sufficient_decrease)
        .def_rw("slope_reduction", &Tuning::slope_reduction)
        .def_rw("line_search_trials", &Tuning::line_search_trials)
        .def_rw("line_search_rounding", &Tuning::line_search_rounding)
        .def_rw("longest_step", &Tuning::longest_step)
        .def_rw("first_step", &Tuning::first_step)
        .def_rw("band_share", &Tuning::band_share)
        .def_rw("widest_band", &Tuning::widest_band)
        .def_rw("narrowest_band", &Tuning::narrowest_band)
        .def_rw("curvature_ridge", &Tuning::curvature_ridge)
        .def_rw("curvature_rows", &Tuning::curvature_rows)
        .def_rw("smallest_pivot", &Tuning::smallest_pivot)
        .def_rw("least_kinks", &Tuning::least_kinks)
        .def_rw("kinks_per_parameter", &Tuning::kinks_per_parameter)
        .def_rw("spare_kinks", &Tuning::spare_kinks)
        .def_rw("first_reach", &Tuning::first_reach)
        .def_rw("reach_trials", &Tuning::reach_trials)
        .def_rw("model_rows", &Tuning::model_rows)
        .def_rw("least_model_rows", &Tuning::least_model_rows)
        .def_rw("kink_reach", &Tuning::kink_reach)
        .def_rw("kink_stiffness", &Tuning::kink_stiffness)
        .def_rw("first_damping", &Tuning::first_damping)
        .def_rw("least_damping", &Tuning::least_damping)
        .def_rw("largest_damping", &Tuning::largest_damping)
        .def_rw("shortest_kink_step", &Tuning::shortest_kink_step)
        .def_rw("short_kink_step", &Tuning::short_kink_step)
        .def_rw("longest_kink_step", &Tuning::longest_kink_step)
        .def_rw("surplus", &Tuning::surplus)
        .def_rw("damping_after_a_prediction", &Tuning::damping_after_a_prediction)
        .def_rw("damping_after_a_full_step", &Tuning::damping_after_a_full_step)
        .def_rw("damping_after_a_short_step", &Tuning::damping_after_a_short_step)
        .def_rw("damping_after_a_failure", &Tuning::damping_after_a_failure)
        .def_rw("smallest_raised_damping", &Tuning::smallest_raised_damping)
        .def_rw("failed_kink_steps", &Tuning::failed_kink_steps)
        .def_rw("rounding_of_a_loss", &Tuning::rounding_of_a_loss)
        .def_rw("smallest_kept_scale", &Tuning::smallest_kept_scale)
        .def_rw("smallest_kept_square", &Tuning::smallest_kept_square)
        .def_rw("kink_tol", &Tuning::kink_tol)
        .def_rw("hopeful_decrease", &Tuning::hopeful_decrease)
        .def_rw("final_tol", &Tuning::final_tol)
        .def_rw("kink_steps_rows", &Tuning::kink_steps_rows)
        .def_rw("kink_steps_parameters", &Tuning::kink_steps_parameters)
        .def_rw("many_for_few", &Tuning::many_for_few)
        .def_rw("unlucky_few", &Tuning::unlucky_few)
        .def_rw("most_of_few", &Tuning::most_of_few)
        .def_rw("program_steps", &Tuning::program_steps)
        .def_rw("program_steps_each", &Tuning::program_steps_each)
        .def_rw("program_sweeps", &Tuning::program_sweeps)
        .def_rw("residual_noise", &Tuning::residual_noise)
        .def_rw("dependent_square", &Tuning::dependent_square)
        .def_rw("independent_square", &Tuning::independent_square)
        .def_rw("enough_left", &Tuning::enough_left)
        .def_rw("free_radius", &Tuning::free_radius)
        .def_rw("least_scaled_radius", &Tuning::least_scaled_radius)
        .def_rw("scaled_radius", &Tuning::scaled_radius)
        .def_rw("past_the_margin", &Tuning::past_the_margin)
        .def_rw("share_of_few", &Tuning::share_of_few)
        .def_rw("rounds_on_few", &Tuning::rounds_on_few)
        .def_rw("paying_rows", &Tuning::paying_rows)
        .def_rw("paying_parameters", &Tuning::paying_parameters)
        .def_rw("only_given_starts", &Tuning::only_given_starts)
        .def_rw("widest_start", &Tuning::widest_start)
        .def_rw("widest_bisector", &Tuning::widest_bisector)
        .def_rw("near_cap", &Tuning::near_cap)
        .def_rw("far_cap", &Tuning::far_cap)
        .def_rw("regression_ridge", &Tuning::regression_ridge)
        .def_rw("largest_regression", &Tuning::largest_regression)
        .def_rw("n_scales", &Tuning::n_scales)
        .def_rw("n_scales_if_one", &Tuning::n_scales_if_one)
        .def_rw("largest_scale", &Tuning::largest_scale)
        .def_rw("smallest_scale", &Tuning::smallest_scale)
        .def_rw("scale_per_radius", &Tuning::scale_per_radius)
        .def_rw("same_minimum", &Tuning::same_minimum)
        .def_rw("improvement", &Tuning::improvement)
        .def_rw("few_parameters", &Tuning::few_parameters)
        .def_rw("starts_of_a_brief_round", &Tuning::starts_of_a_brief_round)
        .def_rw("carried", &Tuning::carried)
        .def_rw("carried_again", &Tuning::carried_again)
        .def_rw("carried_briefly", &Tuning::carried_briefly)
        .def_rw("brief_iterations", &Tuning::brief_iterations)
        .def_rw("brief_kink_steps", &Tuning::brief_kink_steps)
        .def_rw("brief_kink_steps_if_several", &Tuning::brief_kink_steps_if_several)
        .def_rw("large_radius", &Tuning::large_radius)
        .def_rw("cut_radius", &Tuning::cut_radius)
        .def_rw("brief_tol", &Tuning::brief_tol)
        .def_rw("rough_iterations", &Tuning::rough_iterations)
        .def_rw("rough_tol", &Tuning::rough_tol)
        .def_rw("perturbed_steps", &Tuning::perturbed_steps)
        .def_rw("most_perturbations", &Tuning::most_perturbations)
        .def_rw("starts_of_a_round", &Tuning::starts_of_a_round)
        .def_rw("perturbations", &Tuning::perturbations)
        .def_rw("perturbations_far_out", &Tuning::perturbations_far_out)
        .def_rw("perturbations_if_one", &Tuning::perturbations_if_one)
        .def_rw("hits", &Tuning::hits)
        .def_rw("hits_if_rare", &Tuning::hits_if_rare)
        .def_rw("rounds", &Tuning::rounds)
        .def_rw("rounds_if_rare", &Tuning::rounds_if_rare)
        .def_rw("rare_class", &Tuning::rare_class)
        .def_rw("easy_starts", &Tuning::easy_starts)
        .def_rw("easy_carried", &Tuning::easy_carried)
        .def_rw("easy_share", &Tuning::easy_share)
        .def_rw("compared_kinks", &Tuning::compared_kinks)
        .def_rw("compared_again", &Tuning::compared_again)
        .def_rw("rows_looked_at", &Tuning::rows_looked_at)
        .def_rw("repeated_rows", &Tuning::repeated_rows)
        .def_rw("most_different", &Tuning::most_different)
        .def_rw("least_repeats", &Tuning::least_repeats)
        .def_rw("often_seen", &Tuning::often_seen)
        .def_rw("heavy_share", &Tuning::heavy_share)
        .def_rw("heavy_rows", &Tuning::heavy_rows)
        .def_rw("least_sample", &Tuning::least_sample)
        .def_rw("sample_per_parameter", &Tuning::sample_per_parameter)
        .def_rw("sample_growth", &Tuning::sample_growth)
        .def_rw("sample_worth", &Tuning::sample_worth)
        .def_rw("largest_sample", &Tuning::largest_sample)
        .def_rw("sample_tol", &Tuning::sample_tol)
        .def_rw("single_sample_tol", &Tuning::single_sample_tol)
        .def_rw("sample_kink_steps", &Tuning::sample_kink_steps)
        .def_rw("exact_rows", &Tuning::exact_rows)
        .def_rw("finalists", &Tuning::finalists);
}

inline void bind_tools(nb::module_& m) {
    bind_tuning(m);
    m.def("cholesky", &cholesky_factor, "A"_a, "smallest_pivot"_a = 0.0,
          "The lower factor of a symmetric matrix; None where it is not positive definite.");
    m.def("solve_triangular", &solve_triangular, "L"_a, "b"_a, "transposed"_a = false,
          "Solve L x = b, or its transpose, for a lower triangular L.");
    m.def("inverse", &inverse, "A"_a, "The inverse of a symmetric positive definite matrix.");
    m.def("solve_box_program", &solve_box_program, "g"_a, "v"_a, "gap"_a, "bound"_a,
          "start"_a.none() = nb::none(),
          "Minimise g·x + |x|²/2 + Σ bound_j max(0, gap_j + v_j·x); x, the multipliers, and "
          "whether the method came to its end. `start`: multipliers to begin with.");
    m.def("draw_rows_by_weight", &rows_drawn_by_weight, "labels"_a, "weights"_a, "negative"_a,
          "positive"_a, "seed"_a,
          "Rows of each class drawn by their weights, and with which weight each stands for others.");
    m.def("draw_rows", &drawn_rows, "labels"_a, "negative"_a, "positive"_a, "seed"_a,
          "n_threads"_a = 1, "So many rows of label -1 and 1, each with the same chance.");
}

}  // namespace hyplane
