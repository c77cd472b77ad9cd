// What a fit asks of rows that are read block by block.
//
// A block holds the class of each row as a number, and many problems share it. A problem is three
// numbers: the class on the positive side, the class on the negative side (-1 for all others), and
// the fold whose rows do not count (-1 for none). Where rows have several labels, the positive class
// is the number of a label, and the rows without it are on the other side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../local/neighbourhood.hpp"
#include "../objective/problem.hpp"
#include "multistart.hpp"

namespace hyplane {

struct BlockRows {
    const PackedPoints& points;
    const std::int32_t* codes;    // the class of each row, or null
    const std::int8_t* several;   // else one line per row: 1 for each label that it has, and 0
    std::size_t n_labels;         // of a line
    const double* weights;        // or null; one per row
    const std::int32_t* folds;    // or null
};

struct BlockProblem {
    std::int32_t positive, negative, left_out;
};

// 1, -1, or 0 where a row does not count, filled up to whole blocks.
HYPLANE_EVERY_CPU void labels_for(const BlockRows& rows, const BlockProblem& problem,
                                  std::vector<std::int8_t>& labels) {
    const std::size_t n_rows = rows.points.n_rows, n_labels = rows.n_labels;
    labels.resize(rows.points.n_padded_rows());
    // Pointers to bytes may point anywhere, unless the compiler is told.
    std::int8_t* const __restrict out = labels.data();
    const std::int32_t* const codes = rows.codes;
    const std::int32_t positive = problem.positive, negative = problem.negative;
    if (rows.several != nullptr) {
        const std::int8_t* const present = rows.several + positive;
        for (std::size_t row = 0; row < n_rows; ++row) out[row] = present[row * n_labels] ? 1 : -1;
    } else if (negative < 0) {
        for (std::size_t row = 0; row < n_rows; ++row) out[row] = codes[row] == positive ? 1 : -1;
    } else {
        for (std::size_t row = 0; row < n_rows; ++row)
            out[row] = static_cast<std::int8_t>((codes[row] == positive) - (codes[row] == negative));
    }
    for (std::size_t row = n_rows; row < labels.size(); ++row) out[row] = 0;
    if (rows.folds == nullptr || problem.left_out < 0) return;
    const std::int32_t* const folds = rows.folds;
    const std::int32_t left_out = problem.left_out;
    for (std::size_t row = 0; row < n_rows; ++row)
        if (folds[row] == left_out) out[row] = 0;
}

// A number in [0, 1) of the number of each row and a seed, by SplitMix64.
HYPLANE_EVERY_CPU void keys_of_stretch(const std::int64_t* rows, std::size_t count,
                                       std::uint64_t seed, double* keys) {
    const std::uint64_t first = seed * 0xD1342543DE82EF95u + 1u;
    for (std::size_t j = 0; j < count; ++j) {
        std::uint64_t z = (static_cast<std::uint64_t>(rows[j]) + first) * 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        keys[j] = static_cast<double>(static_cast<std::int64_t>((z ^ (z >> 31)) >> 11)) * 0x1p-53;
    }
}

// Rows of a block whose product y w*x is below `reach`, at most `most` of them, and how many have a
// loss.
struct NearRows {
    std::vector<std::int64_t> rows;
    Vector products;
    std::size_t n_with_loss = 0;
};

// e^-r of every row, which all hyperplanes need.
inline Vector inverse_sizes(const PackedPoints& points) {
    Vector inverse(points.far ? 0 : points.n_padded_rows());
    for (std::size_t row = 0; row < inverse.size(); ++row)
        inverse[row] = 1.0 / std::sqrt(points.at(row, 0));
    return inverse;
}

// y w*x of the rows of some packed blocks, and how many of each block are below `reach`.
HYPLANE_EVERY_CPU void products_below(const PackedPoints& points, std::size_t first,
                                      std::size_t last, const std::int8_t* labels,
                                      const double* inverse, const OrientedHyperplane& plane,
                                      const NearProduct& product, double reach, double* products,
                                      double* n_below) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double chord[rows], sign[rows];
    const double orientation = plane.orientation;
    for (std::size_t b = first; b < last; ++b) {
        const double* block = points.block(b);
        const double* const size = inverse + b * rows;
        const std::int8_t* const y = labels + b * rows;
        double* const out = products + (b - first) * rows;
        squared_chords(block + rows, plane.normal.data(), points.n_dim, chord);
        for (std::size_t j = 0; j < rows; ++j) sign[j] = orientation * y[j];
        double below = 0.0;
#pragma omp simd reduction(+ : below)
        for (std::size_t j = 0; j < rows; ++j) {
            out[j] = sign[j] * size[j] * product.value(block[j], chord[j]);
            below += ((out[j] < reach) & (sign[j] != 0.0)) ? 1.0 : 0.0;
        }
        n_below[b - first] = below;
    }
}

// Most rows have no loss, and are not near: whole packed blocks are passed over.
inline NearRows near_rows(const PackedPoints& points, const std::int8_t* labels,
                          const Hyperplane& plane, double reach, std::size_t most,
                          const Vector& inverse) {
    constexpr std::size_t stretch = 64;
    NearRows near;
    const auto look = [&](std::size_t row, double product) {
        if (labels[row] == 0 || !(product < reach)) return;
        near.rows.push_back(static_cast<std::int64_t>(row));
        near.products.push_back(product);
        near.n_with_loss += product < 1.0;
    };
    const OrientedHyperplane oriented(plane);
    if (points.far) {
        const FarProduct product(oriented);
        for (std::size_t row = 0; row < points.n_rows; ++row)
            look(row, oriented.orientation * labels[row] *
                          std::sinh(product.at(points.at(row, 0),
                                               squared_chord(points, row, oriented.normal)).t));
    } else {
        const NearProduct product(oriented);
        double products[stretch * rows_per_block];
        double n_below[stretch];
        for (std::size_t first = 0; first < points.n_blocks(); first += stretch) {
            const std::size_t last = std::min(points.n_blocks(), first + stretch);
            products_below(points, first, last, labels, inverse.data(), oriented, product, reach,
                           products, n_below);
            for (std::size_t b = first; b < last; ++b)
                for (std::size_t j = 0; n_below[b - first] > 0.0 && j < rows_per_block; ++j)
                    look(b * rows_per_block + j, products[(b - first) * rows_per_block + j]);
        }
    }
    if (near.rows.size() <= most) return near;
    std::vector<std::size_t> order(near.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                     [&](std::size_t a, std::size_t b) { return near.products[a] < near.products[b]; });
    order.resize(most);
    std::sort(order.begin(), order.end());
    NearRows nearest;
    nearest.n_with_loss = near.n_with_loss;
    for (std::size_t k : order) {
        nearest.rows.push_back(near.rows[k]);
        nearest.products.push_back(near.products[k]);
    }
    return nearest;
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
