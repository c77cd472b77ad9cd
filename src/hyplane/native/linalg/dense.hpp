// Dense linear algebra for a few hundred unknowns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../kernels/dispatch.hpp"
#include "../kernels/watch.hpp"

namespace hyplane {

// Small dense linear algebra in loops that the compiler vectorises. Matrices are stored line after
// line; of symmetric ones only the lower triangle is read.

using Vector = std::vector<double>;

HYPLANE_INLINE double sum_of_products(const double* a, const double* b, std::size_t n) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t i = 0; i < n; ++i) total += a[i] * b[i];
    return total;
}

inline double dot(const Vector& a, const Vector& b) {
    return sum_of_products(a.data(), b.data(), a.size());
}

HYPLANE_INLINE void add_multiple(double* a, double factor, const double* b, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) a[i] += factor * b[i];
}

// Lines of a whole number of lanes leave no remainder after the last full vector. Loops over short
// lines take `lanes * blocks` as their length, so that the compiler knows.
constexpr std::size_t lanes = 4;
inline std::size_t blocks_of(std::size_t n) { return (n + lanes - 1) / lanes; }

// out_k = line_k · b, four lines at a time.
HYPLANE_INLINE void products_with_lines(const double* lines, std::size_t count, std::size_t stride,
                                        std::size_t blocks, const double* b, double* out) {
    const std::size_t n = lanes * blocks;
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *a0 = lines + k * stride, *a1 = a0 + stride, *a2 = a1 + stride,
                     *a3 = a2 + stride;
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
        for (std::size_t i = 0; i < n; ++i) {
            s0 += a0[i] * b[i];
            s1 += a1[i] * b[i];
            s2 += a2[i] * b[i];
            s3 += a3[i] * b[i];
        }
        out[k] = s0;
        out[k + 1] = s1;
        out[k + 2] = s2;
        out[k + 3] = s3;
    }
    for (; k < count; ++k) out[k] = sum_of_products(lines + k * stride, b, n);
}

// a += Σ factor_k line_k, four lines at a time.
HYPLANE_INLINE void add_lines(double* a, const double* factor, const double* lines,
                              std::size_t count, std::size_t stride, std::size_t n) {
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *b0 = lines + k * stride, *b1 = b0 + stride, *b2 = b1 + stride,
                     *b3 = b2 + stride;
        const double f0 = factor[k], f1 = factor[k + 1], f2 = factor[k + 2], f3 = factor[k + 3];
#pragma omp simd
        for (std::size_t i = 0; i < n; ++i)
            a[i] += (f0 * b0[i] + f1 * b1[i]) + (f2 * b2[i] + f3 * b3[i]);
    }
    for (; k < count; ++k) add_multiple(a, factor[k], lines + k * stride, n);
}

// A Givens rotation of two lines.
HYPLANE_INLINE void rotate(double* a, double* b, double c, double s, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        const double old = a[i];
        a[i] = c * old + s * b[i];
        b[i] = c * b[i] - s * old;
    }
}

// `count` vectors side by side: line i holds the i-th coordinate of each.
struct Columns {
    std::size_t n_dim = 0, count = 0, capacity = 0;
    Vector data;

    void reset(std::size_t dim, std::size_t size) {
        n_dim = dim;
        count = capacity = size;
        data.resize(dim * size);
    }
    double* line(std::size_t i) { return data.data() + i * capacity; }
    const double* line(std::size_t i) const { return data.data() + i * capacity; }
};

// The Cholesky factor L, A = L Lᵀ, in place of the lower triangle of A; false where a pivot is not
// above `smallest_pivot`. `watch` is called now and then where n is large, and may throw.
bool cholesky(Vector& A, std::size_t n, double smallest_pivot, const Watch& watch = [] {});

// b <- L⁻¹ b, where L has lines of length `stride`.
HYPLANE_INLINE void solve_lower(const double* L, double* b, std::size_t n, std::size_t stride) {
    for (std::size_t i = 0; i < n; ++i)
        b[i] = (b[i] - sum_of_products(L + i * stride, b, i)) / L[i * stride + i];
}

// b <- L⁻ᵀ b.
HYPLANE_INLINE void solve_lower_transposed(const double* L, double* b, std::size_t n,
                                           std::size_t stride) {
    for (std::size_t i = n; i-- > 0;) {
        b[i] /= L[i * stride + i];
        add_multiple(b, -b[i], L + i * stride, i);
    }
}

// L⁻¹ D b for each column of b, D the diagonal matrix of `scale`. Four lines at a time are taken
// from another, which reads it less often.
void solve_lower(const double* L, const Vector& scale, const Columns& b, Columns& out);

}  // namespace hyplane
