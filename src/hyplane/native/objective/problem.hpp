// The objective of one binary problem and its gradient, in one pass over the rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "points.hpp"

namespace hyplane {

// The sums of the soft-margin loss and its gradient in one pass over the rows.

// Sums over the rows with y z < 1, where z = w*x and each row counts with its weight c.
struct Sums {
    double loss = 0.0;   // Σ c (arsinh 1 - arsinh(y z))
    double scale = 0.0;  // Σ c y (dz / d log s) / sqrt(1+z²)
    double offset = 0.0;  // Σ c y (dz / da) / sqrt(1+z²)
    Vector direction;     // Σ c y (dz / du) / sqrt(1+z²)
};

constexpr double one_plus_sqrt2 = 2.41421356237309504880;  // e^arsinh(1)

// |u - v|² of each row of a block; four columns at a time, which reads the sums less often.
HYPLANE_INLINE void squared_chords(const double* columns, const double* normal, std::size_t n,
                                   double* chord) {
    constexpr std::size_t rows = rows_per_block;
    std::size_t c = 0;
    for (std::size_t j = 0; j < rows; ++j) chord[j] = 0.0;
    for (; c + 4 <= n; c += 4) {
        const double* v = columns + c * rows;
        const double u0 = normal[c], u1 = normal[c + 1], u2 = normal[c + 2], u3 = normal[c + 3];
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double d0 = v[j] - u0, d1 = v[j + rows] - u1;
            const double d2 = v[j + 2 * rows] - u2, d3 = v[j + 3 * rows] - u3;
            chord[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3);
        }
    }
    for (; c < n; ++c) {
        const double* v = columns + c * rows;
        const double u = normal[c];
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double d = v[j] - u;
            chord[j] += d * d;
        }
    }
}

// direction += Σ pull (v - u), four columns at a time.
HYPLANE_INLINE void add_pulls(const double* columns, const double* normal, std::size_t n,
                              const double* pull, double* direction) {
    constexpr std::size_t rows = rows_per_block;
    std::size_t c = 0;
    for (; c + 4 <= n; c += 4) {
        const double* v = columns + c * rows;
        const double u0 = normal[c], u1 = normal[c + 1], u2 = normal[c + 2], u3 = normal[c + 3];
        double t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;
#pragma omp simd reduction(+ : t0, t1, t2, t3)
        for (std::size_t j = 0; j < rows; ++j) {
            t0 += pull[j] * (v[j] - u0);
            t1 += pull[j] * (v[j + rows] - u1);
            t2 += pull[j] * (v[j + 2 * rows] - u2);
            t3 += pull[j] * (v[j + 3 * rows] - u3);
        }
        direction[c] += t0;
        direction[c + 1] += t1;
        direction[c + 2] += t2;
        direction[c + 3] += t3;
    }
    for (; c < n; ++c) {
        const double* v = columns + c * rows;
        const double u = normal[c];
        double total = 0.0;
#pragma omp simd reduction(+ : total)
        for (std::size_t j = 0; j < rows; ++j) total += pull[j] * (v[j] - u);
        direction[c] += total;
    }
}

// Σ log x of many blocks with a single logarithm at the end: exponents add up, mantissas multiply.
struct LogSum {
    double mantissa = 1.0;
    std::int64_t exponent = 0;

    HYPLANE_INLINE void add(const double* x) {
        constexpr std::size_t rows = rows_per_block;
        std::uint64_t exponents = 0;
        double mantissas = 1.0;
#pragma omp simd reduction(+ : exponents) reduction(* : mantissas)
        for (std::size_t j = 0; j < rows; ++j) {
            std::uint64_t bits;
            std::memcpy(&bits, &x[j], sizeof bits);
            exponents += bits >> 52;
            mantissas *= with_exponent_0(bits);
        }
        mantissas *= mantissa;
        std::uint64_t bits;
        std::memcpy(&bits, &mantissas, sizeof bits);
        mantissa = with_exponent_0(bits);
        exponent += static_cast<std::int64_t>(exponents + (bits >> 52)) -
                    1023 * static_cast<std::int64_t>(rows + 1);
    }

    double value() const {
        return std::log(mantissa) + log_of_2 * static_cast<double>(exponent);
    }

  private:
    static HYPLANE_INLINE double with_exponent_0(std::uint64_t bits) {
        bits = (bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
        double mantissa;
        std::memcpy(&mantissa, &bits, sizeof mantissa);
        return mantissa;
    }
};

// With E = e^r there is one division, by sqrt(E² + Z²) with Z = E z, in place of one by E and one
// by sqrt(1+z²).
template <bool weighted>
HYPLANE_INLINE void near_pass(const PackedPoints& points, const std::int8_t* labels,
                              const double* weights, const OrientedHyperplane& plane, Sums& sums) {
    constexpr std::size_t rows = rows_per_block;
    const std::size_t n = points.n_dim;
    const NearProduct product(plane);
    const double orientation = plane.orientation;
    const double* const normal = plane.normal.data();
    alignas(64) double chord[rows], pull[rows], excess[rows], square[rows], sign[rows];
    double scale = 0.0, offset = 0.0;
    LogSum excesses, squares;
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* block = points.block(b);
        const std::int8_t* label = labels + b * rows;
        squared_chords(block + rows, normal, n, chord);
        // Converted apart, or the narrow labels would set the width of the loop that follows.
        for (std::size_t j = 0; j < rows; ++j) sign[j] = orientation * label[j];
        double block_scale = 0.0, block_offset = 0.0;
#pragma omp simd reduction(+ : block_scale, block_offset)
        for (std::size_t j = 0; j < rows; ++j) {
            const double E2 = block[j], y = sign[j];
            const double Z = product.value(E2, chord[j]);
            const double root = std::sqrt(E2 + Z * Z), yZ = y * Z;
            // y z < 1, that is yZ < E, without E itself; a label of 0 never counts.
            const bool active = ((yZ < 0.0) | (Z * Z < E2)) & (y != 0.0);
            excess[j] = active ? one_plus_sqrt2 * (root - yZ) : 1.0;  // E e^loss
            square[j] = active ? E2 : 1.0;
            double slope = y / root;
            if constexpr (weighted) slope *= weights[b * rows + j];
            slope = active ? slope : 0.0;
            block_scale += slope * Z;
            block_offset += slope * product.by_offset(E2, chord[j]);
            pull[j] = slope * (E2 - 1.0);
        }
        scale += block_scale;
        offset += block_offset;
        if constexpr (weighted) {
            double loss = 0.0;
#pragma omp simd reduction(+ : loss)
            for (std::size_t j = 0; j < rows; ++j)
                loss += weights[b * rows + j] * fast_log(excess[j] * excess[j] / square[j]);
            sums.loss += 0.5 * loss;
        } else {
            excesses.add(excess);
            squares.add(square);
        }
        add_pulls(block + rows, normal, n, pull, sums.direction.data());
    }
    if constexpr (!weighted) sums.loss = excesses.value() - 0.5 * squares.value();
    sums.scale = scale;
    sums.offset = offset;
    for (double& total : sums.direction) total *= product.by_direction();
}

HYPLANE_EVERY_CPU void near_pass_plain(const PackedPoints& points, const std::int8_t* labels,
                                       const OrientedHyperplane& plane, Sums& sums) {
    near_pass<false>(points, labels, nullptr, plane, sums);
}

HYPLANE_EVERY_CPU void near_pass_weighted(const PackedPoints& points, const std::int8_t* labels,
                                          const double* weights, const OrientedHyperplane& plane,
                                          Sums& sums) {
    near_pass<true>(points, labels, weights, plane, sums);
}

inline double squared_chord(const PackedPoints& points, std::size_t row, const Vector& normal) {
    double chord = 0.0;
    for (std::size_t c = 0; c < points.n_dim; ++c) {
        const double d = points.at(row, c + 1) - normal[c];
        chord += d * d;
    }
    return chord;
}

inline void far_pass(const PackedPoints& points, const std::int8_t* labels, const double* weights,
                     const OrientedHyperplane& plane, Sums& sums) {
    const FarProduct product(plane);
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        const double y = plane.orientation * labels[row];
        if (y == 0.0) continue;
        const FarProduct::Row at =
            product.at(points.at(row, 0), squared_chord(points, row, plane.normal));
        const double loss = std::log(one_plus_sqrt2) - y * at.t;
        if (loss <= 0.0) continue;
        const double c = weights == nullptr ? 1.0 : weights[row];
        sums.loss += c * loss;
        sums.scale += c * y * at.by_log_scale;
        sums.offset += c * y * at.by_offset;
        const double pull = c * y * at.by_direction;
        for (std::size_t k = 0; k < points.n_dim; ++k)
            sums.direction[k] += pull * (points.at(row, k + 1) - plane.normal[k]);
    }
}

// The sums at any radius. `weights` may be null.
inline Sums sums_over_rows(const PackedPoints& points, const std::int8_t* labels,
                           const double* weights, const OrientedHyperplane& plane) {
    Sums sums;
    sums.direction.assign(points.n_dim, 0.0);
    if (points.far)
        far_pass(points, labels, weights, plane, sums);
    else if (weights == nullptr)
        near_pass_plain(points, labels, plane, sums);
    else
        near_pass_weighted(points, labels, weights, plane, sums);
    return sums;
}

// One binary soft-margin problem as an unconstrained function of a vector, smooth except at kinks:
//
//     minimise  ½ s² + C Σ c_j max(0, arsinh 1 - arsinh(y_j w*x_j)),   w = s (sinh a, cosh a · u),
//
// in θ = (log s, α, p) with a = R sin(α / R) and u = p / |p|. R is the radius of the ball around
// the origin that holds the points: |a| <= R says that the hyperplane meets this ball, without
// which the infimum need not be attained. The sine makes a minimum on that bound an ordinary
// stationary point.

struct Problem {
    const PackedPoints& points;
    const std::int8_t* labels;  // +1, -1, or 0 for a row that does not count; one per packed row
    const double* weights;      // or null
    double C;
    double beyond = 0.0;  // how far outside that ball the hyperplane may be
    mutable std::size_t n_evaluations = 0;

    std::size_t n_parameters() const { return points.n_dim + 2; }
    double offset_limit() const { return points.largest_radius + beyond; }
    double weight(std::size_t row) const { return weights == nullptr ? 1.0 : weights[row]; }

    // A hyperplane outside the ball of the points can go to the limit in one step: with s cosh a,
    // the products stay nearly the same.
    bool may_move_out(const Hyperplane& plane) const {
        const double a = std::abs(plane.offset);
        return a > points.largest_radius && a < offset_limit();
    }
    Hyperplane moved_out(Hyperplane plane) const {
        const double limit = offset_limit();
        plane.log_scale += log_cosh(std::abs(plane.offset)) - log_cosh(limit);
        plane.offset = std::copysign(limit, plane.offset);
        return plane;
    }
    // Go there if that is lower; returns whether it went.
    bool move_out(Hyperplane& plane, double& value) const {
        if (!may_move_out(plane)) return false;
        Hyperplane moved = moved_out(plane);
        double d_log_scale, d_offset;
        Vector d_normal;
        const double reached = at_hyperplane(moved, d_log_scale, d_offset, d_normal);
        if (!(reached < value)) return false;
        plane = std::move(moved);
        value = reached;
        return true;
    }

    Hyperplane hyperplane(const Vector& theta) const {
        const double bound = offset_limit();
        Hyperplane plane;
        plane.log_scale = theta[0];
        plane.offset = bound > 0.0 ? bound * std::sin(theta[1] / bound) : 0.0;
        plane.normal.assign(theta.begin() + 2, theta.end());
        double length = 0.0;
        for (double p : plane.normal) length += p * p;
        length = std::sqrt(length);
        for (double& p : plane.normal) p /= length;
        return plane;
    }

    Vector parameters(const Hyperplane& plane) const {
        const double bound = offset_limit();
        Vector theta = {plane.log_scale, 0.0};
        if (bound > 0.0)
            theta[1] = bound * std::asin(std::max(-1.0, std::min(1.0, plane.offset / bound)));
        theta.insert(theta.end(), plane.normal.begin(), plane.normal.end());
        return theta;
    }

    // The objective and its gradient in (log s, a, u); the latter not yet tangential to the sphere.
    double at_hyperplane(const Hyperplane& plane, double& d_log_scale, double& d_offset,
                         Vector& d_normal) const {
        ++n_evaluations;
        const OrientedHyperplane oriented(plane);
        const Sums sums = sums_over_rows(points, labels, weights, oriented);
        const double squared_scale = std::exp(2.0 * plane.log_scale);
        d_log_scale = squared_scale - C * sums.scale;
        d_offset = -C * oriented.orientation * sums.offset;
        d_normal.resize(points.n_dim);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            d_normal[c] = -C * oriented.orientation * sums.direction[c];
        return 0.5 * squared_scale + C * sums.loss;
    }

    double operator()(const Vector& theta, Vector& gradient) const {
        const Hyperplane plane = hyperplane(theta);
        double d_log_scale, d_offset;
        Vector d_normal;
        const double value = at_hyperplane(plane, d_log_scale, d_offset, d_normal);
        const double bound = offset_limit();
        gradient.resize(n_parameters());
        gradient[0] = d_log_scale;
        gradient[1] = bound > 0.0 ? d_offset * std::cos(theta[1] / bound) : 0.0;
        double along = 0.0, length = 0.0;
        for (std::size_t c = 0; c < points.n_dim; ++c) {
            along += d_normal[c] * plane.normal[c];
            length += theta[c + 2] * theta[c + 2];
        }
        length = std::sqrt(length);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            gradient[c + 2] = (d_normal[c] - along * plane.normal[c]) / length;
        return value;
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
        const double log_scale = std::abs(plane.log_scale), margin = std::log(one_plus_sqrt2);
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

}  // namespace hyplane
