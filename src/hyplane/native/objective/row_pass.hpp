// The sums of the soft-margin loss and its gradient in one pass over the rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "packed_points.hpp"
#include "product.hpp"

namespace hyplane {

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

}  // namespace hyplane
