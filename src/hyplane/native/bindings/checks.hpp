// What the compiled entry points ask of their arguments. Python validates earlier and with better
// words; these checks make sure that no call can divide by zero or read outside an array.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../objective/problem.hpp"
#include "../rows/sample.hpp"
#include "arrays.hpp"

namespace hyplane {

inline void check_labels(const Labels& labels, std::size_t n_rows) {
    check(labels.shape(0) == n_rows, "there are ", n_rows, " points but ", labels.shape(0),
          " labels");
    const std::int8_t* const label = labels.data();
    std::uint8_t largest = 0;  // looked at all together, which the compiler vectorises
    for (std::size_t row = 0; row < n_rows; ++row)
        largest = std::max(largest, static_cast<std::uint8_t>(label[row] + 1));
    check(largest <= 2, "labels must be 1, -1, or 0 for a row that does not count");
}

inline void check_weights(const Doubles& weights, std::size_t n_rows) {
    check(weights.shape(0) == n_rows, "there are ", n_rows, " points but ", weights.shape(0),
          " weights");
    for (std::size_t row = 0; row < n_rows; ++row)
        check(weights(row) >= 0.0 && !std::isinf(weights(row)), "row ", row, " has weight ",
              weights(row), "; weights must be finite and not negative");
}

inline void check_C(double C) {
    check(C > 0.0 && !std::isinf(C), "C must be positive and finite; got ", C);
}

inline void check_limits(double tol, int max_iter, double beyond) {
    check(tol >= 0.0 && !std::isinf(tol), "tol must be finite and not negative; got ", tol);
    check(max_iter >= 1, "max_iter must be at least 1; got ", max_iter);
    // Products of a hyperplane that far outside are within exp(-40) of their limit at infinity.
    check(beyond >= 0.0 && beyond <= 20.0, "beyond must be between 0 and 20; got ", beyond);
}

inline void check_hyperplane(const Hyperplane& plane, std::size_t n_dim, const std::string& name) {
    constexpr double loose = 1e-6;  // of a unit vector's square; rounding is far below
    check(plane.normal.size() == n_dim, name, " has a normal of ", plane.normal.size(),
          " entries for points of ", n_dim, " dimensions");
    check(std::isfinite(plane.log_scale) && std::isfinite(plane.offset) &&
              std::abs(dot(plane.normal, plane.normal) - 1.0) <= loose,
          name, " must have finite numbers and a normal of unit length");
}

inline Hyperplane checked_hyperplane(double log_scale, double offset, const Doubles& normal,
                                     std::size_t n_dim) {
    Hyperplane plane{log_scale, offset, {normal.data(), normal.data() + normal.shape(0)}};
    check_hyperplane(plane, n_dim, "the hyperplane");
    return plane;
}

// Rows of (log s, a, u).
inline std::vector<Hyperplane> hyperplanes(const Matrix& rows, std::size_t n_dim) {
    check(rows.shape(1) == n_dim + 2, "starts must have ", n_dim + 2,
          " columns: log s, a and the entries of u");
    std::vector<Hyperplane> planes;
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
        const double* row = rows.data() + i * (n_dim + 2);
        planes.push_back({row[0], row[1], {row + 2, row + 2 + n_dim}});
        check_hyperplane(planes.back(), n_dim, "start " + std::to_string(i));
    }
    return planes;
}

// Each class needs a total weight whose inverse is finite, and so is its product with C.
inline void check_both_classes(const Problem& problem) {
    const ClassTotals totals(problem.labels, problem.weights, problem.points.n_rows);
    for (int side : {0, 1}) {
        const char* const label = side ? "1" : "-1";
        const double total = totals.weight[side];
        check(total != 0.0, "no row with label ", label,
              " has a positive weight; both labels must occur");
        for (double size : {total, problem.C * total})
            check(size >= std::numeric_limits<double>::min() && !std::isinf(size),
                  "the weights of the rows with label ", label, " add up to ",
                  std::isinf(size) ? "more" : "less",
                  " than double precision holds, alone or times C");
    }
}

// Labels and weights filled up to whole blocks, as the pass over rows reads them.
struct Rowwise {
    std::vector<std::int8_t> labels;
    Vector weights;

    Rowwise(const PackedPoints& points, const Labels& y, const std::optional<Doubles>& c) {
        check_labels(y, points.n_rows);
        labels.assign(y.data(), y.data() + points.n_rows);
        labels.resize(points.n_padded_rows(), 0);
        if (!c) return;
        check_weights(*c, points.n_rows);
        weights.assign(c->data(), c->data() + points.n_rows);
        weights.resize(points.n_padded_rows(), 0.0);
        // A row of weight 0 does not count anywhere, not even in the starts.
        for (std::size_t row = 0; row < labels.size(); ++row)
            if (weights[row] == 0.0) labels[row] = 0;
    }

    Problem problem(const PackedPoints& points, double C, double beyond = 0.0,
                    RowThreads* threads = nullptr) const {
        return {points, labels.data(), weights.empty() ? nullptr : weights.data(),
                C,      beyond,        threads};
    }
};

}  // namespace hyplane
