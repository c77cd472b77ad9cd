// What a fit asks of rows that are read block by block.
//
// A block holds the class of each row as a number, and many problems share it. A problem is three
// numbers: the class on the positive side, the class on the negative side (-1 for all others), and
// the fold whose rows do not count (-1 for none).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../local/neighbourhood.hpp"
#include "../objective/problem.hpp"
#include "multistart.hpp"

namespace hyplane {

struct BlockRows {
    const PackedPoints& points;
    const std::int32_t* codes;
    const double* weights;        // or null; one per row
    const std::int32_t* folds;    // or null
};

struct BlockProblem {
    std::int32_t positive, negative, left_out;
};

// 1, -1, or 0 where a row does not count, filled up to whole blocks.
inline void labels_for(const BlockRows& rows, const BlockProblem& problem,
                       std::vector<std::int8_t>& labels) {
    const std::size_t n_rows = rows.points.n_rows;
    labels.assign(rows.points.n_padded_rows(), 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::int32_t code = rows.codes[row];
        const bool other = problem.negative < 0 || code == problem.negative;
        labels[row] = static_cast<std::int8_t>((code == problem.positive) -
                                               (code != problem.positive && other));
    }
    if (rows.folds == nullptr || problem.left_out < 0) return;
    for (std::size_t row = 0; row < n_rows; ++row)
        if (rows.folds[row] == problem.left_out) labels[row] = 0;
}

// Rows of a block whose product y w*x is below `reach`, at most `most` of them, and how many have a
// loss.
struct NearRows {
    std::vector<std::int64_t> rows;
    Vector products;
    std::size_t n_with_loss = 0;
};

inline void signed_products_at_any_radius(const PackedPoints& points, const std::int8_t* labels,
                                          const Hyperplane& plane, Vector& products) {
    if (!points.far) {
        Neighbourhood(points, plane).products(labels, products);
        return;
    }
    const OrientedHyperplane oriented(plane);
    const FarProduct product(oriented);
    products.resize(points.n_padded_rows());
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        const double t = product.at(points.at(row, 0),
                                    squared_chord(points, row, oriented.normal)).t;
        products[row] = oriented.orientation * labels[row] * std::sinh(t);
    }
}

inline NearRows near_rows(const PackedPoints& points, const std::int8_t* labels,
                          const Hyperplane& plane, double reach, std::size_t most,
                          Vector& products) {
    signed_products_at_any_radius(points, labels, plane, products);
    NearRows near;
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        if (!(products[row] < reach) || labels[row] == 0) continue;
        near.rows.push_back(static_cast<std::int64_t>(row));
        near.n_with_loss += products[row] < 1.0;
    }
    if (near.rows.size() > most) {
        const auto middle = near.rows.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(near.rows.begin(), middle, near.rows.end(),
                         [&](std::int64_t a, std::int64_t b) { return products[a] < products[b]; });
        near.rows.resize(most);
        std::sort(near.rows.begin(), near.rows.end());
    }
    for (std::int64_t row : near.rows) near.products.push_back(products[row]);
    return near;
}

// Several sets of points one after the other; far if one of them is.
inline PackedPoints joined(const std::vector<const PackedPoints*>& parts) {
    std::size_t n_rows = 0;
    bool far = false;
    double largest = 0.0;
    for (const PackedPoints* part : parts) {
        n_rows += part->n_rows;
        far = far || part->far;
        largest = std::max(largest, part->largest_radius);
    }
    PackedPoints all(n_rows, parts.front()->n_dim, far);
    std::size_t to = 0;
    for (const PackedPoints* part : parts)
        for (std::size_t row = 0; row < part->n_rows; ++row, ++to) {
            all.at(to, 0) = far ? part->radius(row) : part->at(row, 0);
            for (std::size_t c = 1; c <= all.n_dim; ++c) all.at(to, c) = part->at(row, c);
        }
    all.largest_radius = largest;
    return all;
}

// From a start to the minimum, by sums from elsewhere. The points of the problem are a sample that
// tells the curvature.
template <class Watch>
Solution descend_elsewhere(const Problem& problem, const Options& options, const Hyperplane& start,
                           const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const auto watched = [&](const Vector& theta, Vector& gradient) {
        watch();
        return problem(theta, gradient);
    };
    Candidate best;
    best.theta = problem.parameters(start);
    best.value = watched(best.theta, best.gradient);
    if (Metric::is_dense(problem.n_parameters(), tuning))
        best.metric.seed(smoothed_inverse_hessian(problem, best.theta, tuning));
    quasi_newton(watched, best, {options.tol, options.max_iter, false}, tuning);
    Hyperplane plane = problem.hyperplane(best.theta);
    problem.move_out(plane, best.value);
    return {plane, best.value, best.n_iter, problem.n_evaluations,
            judged(problem, options, best, plane)};
}

}  // namespace hyplane
