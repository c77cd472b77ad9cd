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

#include "../objective/problem.hpp"
#include "../rows/sample.hpp"
#include "../tuning.hpp"
#include "arrays.hpp"

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
        throw std::invalid_argument(
            name + " has a normal of " + std::to_string(plane.normal.size()) +
            " entries for points of " + std::to_string(n_dim) + " dimensions");
    if (!std::isfinite(plane.log_scale) || !std::isfinite(plane.offset) ||
        !(std::abs(dot(plane.normal, plane.normal) - 1.0) <= loose))
        throw std::invalid_argument(name + " must have finite numbers and a normal of unit length");
}

// Each class needs a total weight whose inverse is finite, and so is its product with C.
inline void check_both_classes(const Problem& problem) {
    const ClassTotals totals(problem.labels, problem.weights, problem.points.n_rows);
    for (int side : {0, 1}) {
        const std::string label = side ? "1" : "-1";
        const double total = totals.weight[side];
        if (total == 0.0)
            throw std::invalid_argument("no row with label " + label +
                                        " has a positive weight; both labels must occur");
        for (double size : {total, problem.C * total})
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

inline void check_limits(double tol, int max_iter) {
    if (!(tol >= 0.0) || std::isinf(tol))
        throw std::invalid_argument("tol must be finite and not negative; got " +
                                    std::to_string(tol));
    if (max_iter < 1)
        throw std::invalid_argument("max_iter must be at least 1; got " + std::to_string(max_iter));
}

}  // namespace hyplane
