// The objective of one binary problem and its gradient, in one pass over the rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "../kernels/hashes.hpp"
#include "../kernels/product.hpp"
#include "../rows/packed_points.hpp"
#include "../rows/row_threads.hpp"
#include "near_pass.hpp"

namespace hyplane {

inline double squared_chord(const PackedPoints& points, std::size_t row, const Vector& normal) {
    double chord = 0.0;
    for (std::size_t c = 0; c < points.n_dim; ++c) {
        const double d = points.at(row, c + 1) - normal[c];
        chord += d * d;
    }
    return chord;
}

inline void far_pass(const PackedPoints& points, std::size_t first, std::size_t last,
                     const std::int8_t* labels, const double* weights,
                     const OrientedHyperplane& plane, Sums& sums) {
    const FarProduct product(plane);
    for (std::size_t row = first; row < last; ++row) {
        const double y = plane.orientation * labels[row];
        if (y == 0.0) continue;
        const FarProduct::Row at =
            product.at(points.at(row, 0), squared_chord(points, row, plane.normal));
        const double loss = arsinh_of_1 - y * at.t;
        if (loss <= 0.0) continue;
        const double c = weights == nullptr ? 1.0 : weights[row];
        sums.loss += c * loss;
        sums.scale += c * y * at.by_log_scale;
        sums.lift += c * y * (at.by_offset - at.by_log_scale);
        const double pull = c * y * at.by_direction;
        for (std::size_t k = 0; k < points.n_dim; ++k)
            sums.direction[k] += pull * (points.at(row, k + 1) - plane.normal[k]);
    }
}

// The sums over one range of blocks, at any radius. `weights` may be null.
inline Sums sums_over_blocks(const PackedPoints& points, std::size_t first, std::size_t last,
                             const std::int8_t* labels, const double* weights,
                             const OrientedHyperplane& plane) {
    Sums sums;
    sums.direction.assign(points.n_dim, 0.0);
    Vector totals(points.n_dim * parts, 0.0);
    if (points.far)
        far_pass(points, first * rows_per_block, std::min(points.n_rows, last * rows_per_block),
                 labels, weights, plane, sums);
    else
        near_sums(points, first, last, labels, weights, plane, totals.data(), sums);
    return sums;
}

// The rows are summed up in ranges of this many blocks, whatever the number of threads, and the
// sums of the ranges added up in their order: the result has the same bits. A range is some 30
// microseconds of work.
inline std::size_t blocks_of_a_range(std::size_t n_dim) {
    return std::max<std::size_t>(16, 3072 / (n_dim + 1));
}

inline std::size_t n_ranges_of(const PackedPoints& points) {
    const std::size_t step = blocks_of_a_range(points.n_dim);
    return std::max<std::size_t>(1, (points.n_blocks() + step - 1) / step);
}

// The sums over all rows; `threads` may be null.
inline Sums sums_over_rows(const PackedPoints& points, const std::int8_t* labels,
                           const double* weights, const OrientedHyperplane& plane,
                           RowThreads* threads = nullptr) {
    const std::size_t n_blocks = points.n_blocks(), step = blocks_of_a_range(points.n_dim);
    const std::size_t n_ranges = n_ranges_of(points);
    const auto range = [&](std::size_t k) {
        return sums_over_blocks(points, k * step, std::min(n_blocks, (k + 1) * step), labels,
                                weights, plane);
    };
    if (threads == nullptr || n_ranges == 1) {
        Sums sums = range(0);
        for (std::size_t k = 1; k < n_ranges; ++k) sums.add(range(k));
        return sums;
    }
    std::vector<Sums> each(n_ranges);
    threads->run(n_ranges, [&](std::size_t k) { each[k] = range(k); });
    for (std::size_t k = 1; k < n_ranges; ++k) each[0].add(each[k]);
    return std::move(each[0]);
}

// One binary soft-margin problem:
//
//     minimise  ½ s² + C Σ c_j max(0, arsinh 1 - arsinh(y_j w*x_j)),   w = s (sinh a, cosh a · u),
//
// over |a| <= R + `beyond`, where R is the radius of the ball around the origin that holds the
// points: the hyperplane meets this ball, or a larger one. Without a bound the infimum need not be
// attained.

struct Problem {
    const PackedPoints& points;
    const std::int8_t* labels;  // +1, -1, or 0 for a row that does not count; one per packed row
    const double* weights;      // or null
    double C;
    double beyond = 0.0;            // how far outside that ball the hyperplane may be
    RowThreads* threads = nullptr;  // that share each pass over the rows; null for none
    mutable std::size_t n_evaluations = 0;

    std::size_t n_parameters() const { return points.n_dim + 2; }
    double offset_limit() const { return points.largest_radius + beyond; }
    double weight(std::size_t row) const { return weights == nullptr ? 1.0 : weights[row]; }

    // Move a hyperplane outside the ball of the points to the limit if the objective is lower
    // there: with s cosh a, the products stay nearly the same.
    void move_out(Hyperplane& plane, double& value) const {
        const double a = std::abs(plane.offset), limit = offset_limit();
        if (!(a > points.largest_radius && a < limit)) return;
        Hyperplane moved = plane;
        moved.log_scale += log_cosh(a) - log_cosh(limit);
        moved.offset = std::copysign(limit, plane.offset);
        const double reached = this->value(moved);
        if (!(reached < value)) return;
        plane = std::move(moved);
        value = reached;
    }

    // The same settings for other rows.
    Problem with(const PackedPoints& others, const std::int8_t* their_labels,
                 const double* their_weights) const {
        return {others, their_labels, their_weights, C, beyond, threads};
    }

    // The objective and its gradient in (log s, a, u); the latter not yet tangential to the sphere.
    double at_hyperplane(const Hyperplane& plane, double& d_log_scale, double& d_offset,
                         Vector& d_normal) const {
        ++n_evaluations;
        const OrientedHyperplane oriented(plane);
        const Sums sums = sums_over_rows(points, labels, weights, oriented, threads);
        const double squared_scale = std::exp(2.0 * plane.log_scale);
        d_log_scale = squared_scale - C * sums.scale;
        d_offset = -C * oriented.orientation * (sums.lift + sums.scale);
        d_normal.resize(points.n_dim);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            d_normal[c] = -C * oriented.orientation * sums.direction[c];
        return 0.5 * squared_scale + C * sums.loss;
    }

    double value(const Hyperplane& plane) const {
        double d_log_scale, d_offset;
        Vector d_normal;
        return at_hyperplane(plane, d_log_scale, d_offset, d_normal);
    }

    // How finely double precision resolves the objective at a hyperplane: by how much it can change
    // where log s, a, each entry of u, and each term of each product move by one unit in the last
    // place. Rows that such a change could bring below their margin count too. It is at least one
    // unit in the last place of the range of the objective, C Σ c arsinh 1 (the value as s -> 0).
    double resolution(const Hyperplane& plane) const {
        constexpr double unit = std::numeric_limits<double>::epsilon();
        const OrientedHyperplane at(plane);
        const NearProduct near(at);
        const FarProduct far(at);
        const double log_scale = std::abs(plane.log_scale), margin = arsinh_of_1;
        double total = std::exp(2.0 * plane.log_scale) * (0.5 + log_scale) / C;
        double range = 0.0;
        for (std::size_t row = 0; row < points.n_rows; ++row) {
            const double y = at.orientation * labels[row];
            if (y == 0.0) continue;
            const double chord = squared_chord(points, row, at.normal);
            double turned = 0.0;  // Σ |u_k (v_k - u_k)|
            for (std::size_t k = 0; k < points.n_dim; ++k)
                turned += std::abs(at.normal[k] * (points.at(row, k + 1) - at.normal[k]));
            double t, moved;
            if (points.far) {
                const FarProduct::Row each = far.at(points.at(row, 0), chord);
                t = each.t;
                moved = each.size_of_terms + log_scale * std::abs(each.by_log_scale) +
                        at.offset * each.by_offset + turned * std::abs(each.by_direction);
            } else {
                const double E2 = points.at(row, 0), Z = near.value(E2, chord);
                t = std::asinh(Z / std::sqrt(E2));
                moved = (near.size_of_terms(E2, chord) + log_scale * std::abs(Z) +
                         at.offset * near.by_offset(E2, chord) +
                         turned * (E2 - 1.0) * std::abs(near.by_direction())) /
                        std::sqrt(E2 + Z * Z);
            }
            const double loss = margin - y * t;
            if (loss > -unit * moved) total += weight(row) * (moved + std::abs(loss));
            range += weight(row) * margin;
        }
        return unit * C * std::max(total, range);
    }
};

// y e^-r of each row, and y w*x given these; near points only.
inline Vector signs_of_rows(const PackedPoints& points, const std::int8_t* labels) {
    Vector sign(points.n_padded_rows());
    for (std::size_t row = 0; row < sign.size(); ++row)
        sign[row] = labels[row] / std::sqrt(points.at(row, 0));
    return sign;
}
inline void products_of_rows(const PackedPoints& points, const Vector& sign,
                             const Hyperplane& plane, Vector& product) {
    const OrientedHyperplane oriented(plane);
    product.resize(sign.size());
    signed_products(points, 0, points.n_blocks(), sign.data(), oriented, NearProduct(oriented),
                    product.data());
}

// A number that equal rows, and in practice no others, have in common: points, labels and all.
inline std::uint64_t identity_of_row(const PackedPoints& points, std::size_t row, int label) {
    std::uint64_t hash = label > 0;
    for (std::size_t c = 0; c <= points.n_dim; ++c) hash = mixed(hash ^ bits_of(points.at(row, c)));
    return hash;
}
inline std::uint64_t identity_of_row(const Problem& problem, std::size_t row) {
    return identity_of_row(problem.points, row, problem.labels[row]);
}

// Whether two rows are the same point with the same label.
inline bool equal_rows(const Problem& problem, std::size_t a, std::size_t b) {
    bool equal = problem.labels[a] == problem.labels[b];
    for (std::size_t c = 0; equal && c <= problem.points.n_dim; ++c)
        equal = problem.points.at(a, c) == problem.points.at(b, c);
    return equal;
}

}  // namespace hyplane
