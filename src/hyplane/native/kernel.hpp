// The soft-margin loss and its gradient in one pass over the rows.
//
// A hyperplane is w = s (sinh a, cosh a · u) with s > 0 and |u| = 1. For a point of radius r and
// direction v the Minkowski product is
//
//     w*x = s (sinh(a - r) + cosh a · sinh r · |u - v|²/2),
//
// which keeps its digits where sinh a cosh r - cosh a sinh r (u·v) cancels. With a < 0 the same
// cancellation comes back for v near -u, so the kernel always sees a >= 0: (a, u, y) and
// (-a, -u, -y) have the same loss.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "points.hpp"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && defined(__GLIBC__)
#define HYPLANE_EVERY_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HYPLANE_EVERY_CPU
#endif
#if defined(__GNUC__)
#define HYPLANE_INLINE inline __attribute__((always_inline))
#else
#define HYPLANE_INLINE inline
#endif

namespace hyplane {

struct Hyperplane {
    double log_scale;
    double offset;
    std::vector<double> normal;  // of unit length
};

// Sums over the rows with y z < 1, where z = w*x and each row counts with its weight c.
struct Sums {
    double loss = 0.0;              // Σ c (arsinh 1 - arsinh(y z))
    double scale = 0.0;             // Σ c y (dz / d log s) / sqrt(1+z²)
    double offset = 0.0;            // Σ c y (dz / da) / sqrt(1+z²)
    std::vector<double> direction;  // Σ c y (dz / du) / sqrt(1+z²)
};

constexpr double one_plus_sqrt2 = 2.41421356237309504880;  // e^arsinh(1)
constexpr double log_of_2 = 0.69314718055994530942;

// log of x >= 1 in straight-line code, which the compiler vectorises: x = m 2^e with m in
// [sqrt ½, sqrt 2), then the odd series of log m in (m-1)/(m+1). Within 2 ulp.
HYPLANE_INLINE double fast_log(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint64_t shifted = bits - 0x3FE6A09E667F3BCDull;  // bits of sqrt ½
    const std::int64_t whole = static_cast<std::int64_t>(shifted) >> 52;
    const std::uint64_t mantissa = bits - (static_cast<std::uint64_t>(whole) << 52);
    double m;
    std::memcpy(&m, &mantissa, sizeof m);
    // An integer below 2^51 as a double without a conversion instruction, which AVX2 lacks.
    const std::uint64_t magic = 0x4338000000000000ull + static_cast<std::uint64_t>(whole);
    double exponent;
    std::memcpy(&exponent, &magic, sizeof exponent);
    exponent -= 6755399441055744.0;
    const double t = (m - 1.0) / (m + 1.0), t2 = t * t;
    double p = 2.0 / 21.0;
    p = p * t2 + 2.0 / 19.0;
    p = p * t2 + 2.0 / 17.0;
    p = p * t2 + 2.0 / 15.0;
    p = p * t2 + 2.0 / 13.0;
    p = p * t2 + 2.0 / 11.0;
    p = p * t2 + 2.0 / 9.0;
    p = p * t2 + 2.0 / 7.0;
    p = p * t2 + 2.0 / 5.0;
    p = p * t2 + 2.0 / 3.0;
    return exponent * log_of_2 + (2.0 * t + t * t2 * p);
}

struct NearPlane {
    double scale, cosh_offset, sinh_offset, grow, shrink;  // grow = e^a, shrink = e^-a
    const double* normal;
};

// |u - v|² of each row of a block; four columns at a time, so that the sums are fetched less often.
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

// direction += Σ pull (v - u), likewise.
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

// With E = e^r everything is multiplied by E, or E²: Z = z E needs E² only, and in place of the
// divisions by E and by sqrt(1+z²) there is one, by sqrt(E² + Z²).
template <bool weighted>
HYPLANE_INLINE void near_pass(const Points& points, const std::int8_t* labels,
                              const double* weights, double orientation, const NearPlane& plane,
                              Sums& sums) {
    constexpr std::size_t rows = rows_per_block;
    const std::size_t n = points.n_dim;
    const double level = 0.5 * plane.scale * plane.grow, fall = 0.5 * plane.scale * plane.shrink;
    const double lever = 0.25 * plane.scale * plane.cosh_offset;
    const double lever_slope = 0.25 * plane.scale * plane.sinh_offset;
    alignas(64) double chord[rows], pull[rows], excess[rows], square[rows], sign[rows];
    double scale = 0.0, offset = 0.0;
    LogSum excesses, squares;
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* block = points.block(b);
        const std::int8_t* label = labels + b * rows;
        squared_chords(block + rows, plane.normal, n, chord);
        // Converted apart, or the narrow labels would set the width of the loop that follows.
        for (std::size_t j = 0; j < rows; ++j) sign[j] = orientation * label[j];
        double block_scale = 0.0, block_offset = 0.0;
#pragma omp simd reduction(+ : block_scale, block_offset)
        for (std::size_t j = 0; j < rows; ++j) {
            const double E2 = block[j], y = sign[j];
            const double swing = chord[j] * (E2 - 1.0);
            const double Z = level - fall * E2 + lever * swing;
            const double root = std::sqrt(E2 + Z * Z), yZ = y * Z;
            // y z < 1, that is yZ < E, without E itself; a label of 0 never counts.
            const bool active = ((yZ < 0.0) | (Z * Z < E2)) & (y != 0.0);
            excess[j] = active ? one_plus_sqrt2 * (root - yZ) : 1.0;  // E e^loss
            square[j] = active ? E2 : 1.0;
            double slope = y / root;
            if constexpr (weighted) slope *= weights[b * rows + j];
            slope = active ? slope : 0.0;
            block_scale += slope * Z;
            block_offset += slope * (level + fall * E2 + lever_slope * swing);
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
        add_pulls(block + rows, plane.normal, n, pull, sums.direction.data());
    }
    if constexpr (!weighted) sums.loss = excesses.value() - 0.5 * squares.value();
    sums.scale = scale;
    sums.offset = offset;
    for (double& total : sums.direction) total *= -2.0 * lever;
}

HYPLANE_EVERY_CPU void near_pass_plain(const Points& points, const std::int8_t* labels,
                                       double orientation, const NearPlane& plane, Sums& sums) {
    near_pass<false>(points, labels, nullptr, orientation, plane, sums);
}

HYPLANE_EVERY_CPU void near_pass_weighted(const Points& points, const std::int8_t* labels,
                                          const double* weights, double orientation,
                                          const NearPlane& plane, Sums& sums) {
    near_pass<true>(points, labels, weights, orientation, plane, sums);
}

// log sinh x and log cosh x for x >= 0, at any size.
inline double log_sinh(double x) { return x + std::log(-std::expm1(-2.0 * x)) - log_of_2; }
inline double log_cosh(double x) { return x + std::log1p(std::exp(-2.0 * x)) - log_of_2; }

// The same sums at any radius: sizes are carried as logarithms.
inline void far_pass(const Points& points, const std::int8_t* labels, const double* weights,
                     double orientation, double log_scale, double offset, const double* normal,
                     Sums& sums) {
    // Beyond this the steepness of the loss in u is kept at e^600, so that sums stay finite.
    constexpr double steepest = 600.0;
    const std::size_t n = points.n_dim;
    const double log_cosh_a = log_cosh(offset);
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        const double y = orientation * labels[row];
        if (y == 0.0) continue;
        const double r = points.at(row, 0);
        double chord = 0.0;
        for (std::size_t c = 0; c < n; ++c) {
            const double d = points.at(row, c + 1) - normal[c];
            chord += d * d;
        }
        const double gap = offset - r;
        const double log_first = log_sinh(std::abs(gap));
        const double log_lever = log_cosh_a + log_sinh(r);
        const double log_second = log_lever + std::log(0.5 * chord);
        const double largest = std::max({log_first, log_second, log_cosh(std::abs(gap)) - 36.0});
        const double first = std::copysign(std::exp(log_first - largest), gap);
        const double second = std::exp(log_second - largest);
        const double turn = first + second;  // w*x = turn · e^(log_scale + largest)
        const double size = log_scale + largest;
        const double slope_a = std::exp(log_cosh(std::abs(gap)) - largest) +
                               std::tanh(offset) * second;
        // t = arsinh(w*x), and d(w*x)/sqrt(1+(w*x)²) as a multiple of d(turn).
        double t, per_turn;
        if (size > 300.0) {
            t = turn == 0.0 ? 0.0
                            : std::copysign(size + std::log(std::abs(turn)) + log_of_2, turn);
            per_turn = 1.0 / std::max(std::abs(turn), std::exp(-steepest));
        } else {
            const double z = std::exp(size) * turn;
            t = std::asinh(z);
            per_turn = std::exp(size) / std::sqrt(1.0 + z * z);
        }
        const double loss = std::log(one_plus_sqrt2) - y * t;
        if (loss <= 0.0) continue;
        const double c = weights == nullptr ? 1.0 : weights[row];
        sums.loss += c * loss;
        sums.scale += c * y * per_turn * turn;
        sums.offset += c * y * per_turn * slope_a;
        const double lever =
            c * y * std::exp(std::min(std::log(per_turn) + log_lever - largest, steepest));
        for (std::size_t k = 0; k < n; ++k)
            sums.direction[k] -= lever * (points.at(row, k + 1) - normal[k]);
    }
}

}  // namespace hyplane
