// What the compiled entry points ask of their arguments. Python validates earlier and with better
// words; these checks make sure that no call can divide by zero or read outside an array.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "objective/problem.hpp"
#include "objective/sample.hpp"
#include "tuning.hpp"

namespace hyplane {

inline void check_labels(const Labels& labels, std::size_t n_rows) {
    if (labels.shape(0) != n_rows)
        throw std::invalid_argument("there are " + std::to_string(n_rows) + " points but " +
                                    std::to_string(labels.shape(0)) + " labels");
    const std::int8_t* const label = labels.data();
    std::uint8_t largest = 0;  // looked at all together first, which the compiler vectorises
    for (std::size_t row = 0; row < n_rows; ++row)
        largest = std::max(largest, static_cast<std::uint8_t>(label[row] + 1));
    for (std::size_t row = 0; row < n_rows && largest > 2; ++row)
        if (labels(row) < -1 || labels(row) > 1)
            throw std::invalid_argument("row " + std::to_string(row) + " has label " +
                                        std::to_string(labels(row)) +
                                        "; labels must be 1, -1, or 0 for a row that does not "
                                        "count");
}

inline void check_weights(const Doubles& weights, std::size_t n_rows) {
    if (weights.shape(0) != n_rows)
        throw std::invalid_argument("there are " + std::to_string(n_rows) + " points but " +
                                    std::to_string(weights.shape(0)) + " weights");
    for (std::size_t row = 0; row < n_rows; ++row)
        if (!(weights(row) >= 0.0) || std::isinf(weights(row)))
            throw std::invalid_argument("row " + std::to_string(row) + " has weight " +
                                        std::to_string(weights(row)) +
                                        "; weights must be finite and not negative");
}

inline void check_C(double C) {
    if (!(C > 0.0) || std::isinf(C))
        throw std::invalid_argument("C must be positive and finite; got " + std::to_string(C));
}

inline void check_hyperplane(const Hyperplane& plane, std::size_t n_dim, const std::string& name) {
    constexpr double loose = 1e-6;  // of a unit vector's square; rounding is far below
    if (plane.normal.size() != n_dim)
        throw std::invalid_argument(name + " has a normal of " +
                                    std::to_string(plane.normal.size()) +
                                    " entries for points of " + std::to_string(n_dim) +
                                    " dimensions");
    if (!std::isfinite(plane.log_scale) || !std::isfinite(plane.offset) ||
        !(std::abs(dot(plane.normal, plane.normal) - 1.0) <= loose))
        throw std::invalid_argument(name +
                                    " must have finite numbers and a normal of unit length");
}

// Each class needs a total weight whose inverse is finite, and so is its product with C.
inline void check_both_classes(const Problem& problem) {
    double total[2] = {0.0, 0.0};
    if (problem.weights == nullptr) {
        std::size_t count[2];
        count_classes(problem.labels, problem.points.n_rows, count);
        for (int side : {0, 1}) total[side] = static_cast<double>(count[side]);
    } else {
        for (std::size_t row = 0; row < problem.points.n_rows; ++row)
            if (problem.labels[row] != 0) total[problem.labels[row] > 0] += problem.weight(row);
    }
    for (int side : {0, 1}) {
        const std::string label = side ? "1" : "-1";
        if (total[side] == 0.0)
            throw std::invalid_argument("no row with label " + label +
                                        " has a positive weight; both labels must occur");
        for (double size : {total[side], problem.C * total[side]})
            if (size < std::numeric_limits<double>::min() || std::isinf(size))
                throw std::invalid_argument(
                    "the weights of the rows with label " + label +
                    (std::isinf(size) ? " add up to more" : " add up to less") +
                    " than double precision holds, alone or times C");
    }
}

// Products of a hyperplane that far outside are within exp(-40) of their limit at infinity.
inline void check_beyond(double beyond) {
    if (!(beyond >= 0.0 && beyond <= 20.0))
        throw std::invalid_argument("beyond must be between 0 and 20; got " +
                                    std::to_string(beyond));
}

// Rows of (log s, a, u).
inline std::vector<Hyperplane> hyperplanes(const Matrix& rows, std::size_t n_dim) {
    if (rows.shape(1) != n_dim + 2)
        throw std::invalid_argument("starts must have " + std::to_string(n_dim + 2) +
                                    " columns: log s, a and the entries of u");
    std::vector<Hyperplane> planes;
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
        const double* row = rows.data() + i * (n_dim + 2);
        planes.push_back({row[0], row[1], {row + 2, row + 2 + n_dim}});
        check_hyperplane(planes.back(), n_dim, "start " + std::to_string(i));
    }
    return planes;
}

// The search takes the best of what it keeps, so that it must keep something. It would not end where
// samples or the damping do not grow, where steps shrink for ever, or where a similar problem with
// smaller radii has large ones. Numbers of rows must be positive, and their products must not wrap.
inline void check_tuning(const Tuning& tuning) {
    constexpr std::size_t most = 1 << 20;
    const auto demand = [](bool holds, const char* words) {
        if (!holds) throw std::invalid_argument(std::string("the tuning does not fit: ") + words);
    };
    for (std::size_t count : {tuning.carried, tuning.carried_again, tuning.carried_briefly,
                              tuning.easy_carried, tuning.compared_again, tuning.finalists})
        demand(count > 0, "at least one search must be carried on, and one finalist kept");
    demand(tuning.starts_of_a_round > 0, "starts_of_a_round must be at least 1");
    for (std::size_t count :
         {tuning.starts_of_a_round, tuning.starts_of_a_brief_round, tuning.easy_starts})
        demand(count <= most, "a round must have at most 1048576 starts");
    // Each halves the range of the scales, and doubles have no more than 2^11 powers of two.
    for (int count : {tuning.n_scales, tuning.n_scales_if_one})
        demand(count <= 2048, "n_scales and n_scales_if_one must be at most 2048");
    for (int count :
         {tuning.line_search_trials, tuning.reach_trials, tuning.failed_kink_steps,
          tuning.rounds_on_few, tuning.program_sweeps, tuning.brief_iterations,
          tuning.brief_kink_steps, tuning.brief_kink_steps_if_several, tuning.rough_iterations,
          tuning.perturbed_steps, tuning.most_perturbations, tuning.perturbations,
          tuning.perturbations_far_out, tuning.perturbations_if_one, tuning.sample_kink_steps})
        demand(count <= 10000, "steps, trials and perturbations must be at most 10000 each");
    for (std::size_t count : {tuning.rounds, tuning.rounds_if_rare, tuning.program_steps,
                              tuning.program_steps_each})
        demand(count <= 10000, "rounds and steps of the program must be at most 10000 each");
    demand(tuning.sample_worth > 1 && tuning.sample_worth <= most,
           "sample_worth must be between 2 and 1048576");
    demand(tuning.spare_kinks >= 0.0 && tuning.spare_kinks <= 1.0,
           "spare_kinks must be between 0 and 1");
    demand(tuning.sample_growth > 1 && tuning.sample_growth <= most,
           "sample_growth must be between 2 and 1048576");
    for (std::size_t count :
         {tuning.least_sample, tuning.sample_per_parameter, tuning.curvature_rows})
        demand(count > 0 && count <= most, "least_sample, sample_per_parameter and curvature_rows "
                                           "must be between 1 and 1048576");
    demand(tuning.rows_looked_at > 0 && tuning.rows_looked_at <= most,
           "rows_looked_at must be between 1 and 1048576");
    demand(tuning.least_repeats > 1 && tuning.least_repeats <= most,
           "least_repeats must be between 2 and 1048576");
    demand(tuning.largest_sample <= (std::size_t{1} << 40), "largest_sample must be at most 2^40");
    demand(tuning.shortest_kink_step >= 0.0, "shortest_kink_step must not be negative");
    demand(tuning.first_damping > 0.0, "first_damping must be positive");
    demand(tuning.kink_reach > 0.0, "kink_reach must be positive");
    demand(tuning.share_of_few > 0.0 && tuning.share_of_few <= 1.0,
           "share_of_few must be above 0 and at most 1");
    demand(tuning.cut_radius < tuning.large_radius, "cut_radius must be below large_radius");
}

inline void check_limits(double tol, int max_iter) {
    if (!(tol >= 0.0) || std::isinf(tol))
        throw std::invalid_argument("tol must be finite and not negative; got " +
                                    std::to_string(tol));
    if (max_iter < 1)
        throw std::invalid_argument("max_iter must be at least 1; got " +
                                    std::to_string(max_iter));
}

}  // namespace hyplane
