// Dense linear algebra for a few hundred unknowns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../simd.hpp"

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

// The products of three vectors with each of four others, as three lines of four numbers.
HYPLANE_INLINE void products_of_three(const double* a, std::size_t stride, const double* const* b,
                                      std::size_t n, double* sums) {
    const double *a0 = a, *a1 = a + stride, *a2 = a + 2 * stride;
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;
    double u0 = 0.0, u1 = 0.0, u2 = 0.0, u3 = 0.0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, t0, t1, t2, t3, u0, u1, u2, u3)
    for (std::size_t k = 0; k < n; ++k) {
        s0 += a0[k] * b0[k];
        t0 += a1[k] * b0[k];
        u0 += a2[k] * b0[k];
        s1 += a0[k] * b1[k];
        t1 += a1[k] * b1[k];
        u1 += a2[k] * b1[k];
        s2 += a0[k] * b2[k];
        t2 += a1[k] * b2[k];
        u2 += a2[k] * b2[k];
        s3 += a0[k] * b3[k];
        t3 += a1[k] * b3[k];
        u3 += a2[k] * b3[k];
    }
    const double all[12] = {s0, s1, s2, s3, t0, t1, t2, t3, u0, u1, u2, u3};
    std::copy(all, all + 12, sums);
}

// sum += Σ c_k b_k b_kᵀ over the columns from `first` to `last`. The lower triangle is complete; of the
// upper one some numbers change too. Three lines are multiplied by four others at a time, so that each
// number is read less often; where fewer are left, the last line stands in for the missing ones and its
// products are dropped. To share the work, split the columns at multiples of `gram_stretch` or the
// lines of the sum at multiples of `gram_lines`.
constexpr std::size_t gram_stretch = 256, gram_lines = 3;
HYPLANE_EVERY_CPU void add_gram(const Columns& b, const double* c, std::size_t first,
                                std::size_t last, double* sum, std::size_t first_line = 0,
                                std::size_t last_line = std::size_t(-1)) {
    constexpr std::size_t stretch = gram_stretch, most_lines = gram_lines, most_others = 4;
    alignas(64) double scaled[most_lines][stretch];
    double products[most_lines * most_others];
    const std::size_t n = b.n_dim;
    for (; first < last; first += stretch) {
        const std::size_t count = std::min(stretch, last - first);
        for (std::size_t i = first_line; i < std::min(n, last_line); i += most_lines) {
            const std::size_t n_lines = std::min(most_lines, n - i);
            for (std::size_t l = 0; l < most_lines; ++l) {
                const double* line = b.line(std::min(i + l, n - 1)) + first;
                for (std::size_t k = 0; k < count; ++k) scaled[l][k] = c[first + k] * line[k];
            }
            for (std::size_t j = 0; j < i + n_lines; j += most_others) {
                const std::size_t n_others = std::min(most_others, n - j);
                const double* others[most_others];
                for (std::size_t k = 0; k < most_others; ++k)
                    others[k] = b.line(std::min(j + k, n - 1)) + first;
                products_of_three(scaled[0], stretch, others, count, products);
                for (std::size_t l = 0; l < n_lines; ++l)
                    for (std::size_t k = 0; k < n_others; ++k)
                        sum[(i + l) * n + j + k] += products[l * most_others + k];
            }
        }
    }
}

// The lines `first` to `last` of the factor below, where those before are done.
HYPLANE_EVERY_CPU bool cholesky_lines(Vector& A, std::size_t n, std::size_t first, std::size_t last,
                                      double smallest_pivot) {
    for (std::size_t k = first; k < last; ++k) {
        double* const line = &A[k * n];
        if (!(line[k] > smallest_pivot)) return false;
        const double root = std::sqrt(line[k]), per_root = 1.0 / root;
        line[k] = root;
        for (std::size_t j = k + 1; j < n; ++j) line[j] *= per_root;
        for (std::size_t i = k + 1; i < n; ++i) {
            add_multiple(&A[i * n + i], -line[i], line + i, n - i);
            A[i * n + k] = line[i];
        }
    }
    return true;
}

// The Cholesky factor L, A = L Lᵀ, in place of the lower triangle of A; false where a pivot is not
// above `smallest_pivot`. On the way Lᵀ is in the upper triangle, so that all loops are along lines.
// `watch` is called now and then, and may throw.
template <class Watch>
bool cholesky(Vector& A, std::size_t n, double smallest_pivot, const Watch& watch) {
    constexpr std::size_t products = 1 << 24;  // between two calls of `watch`
    const std::size_t lines = products / (n * n + 1) + 1;
    // In squares, which stay in the cache.
    constexpr std::size_t side = 64;
    for (std::size_t top = 0; top < n; top += side) {
        for (std::size_t left = 0; left <= top; left += side)
            for (std::size_t i = top; i < std::min(n, top + side); ++i)
                for (std::size_t j = left; j < std::min(i, left + side); ++j)
                    A[j * n + i] = A[i * n + j];
        watch();
    }
    for (std::size_t first = 0; first < n; first += lines) {
        if (!cholesky_lines(A, n, first, std::min(n, first + lines), smallest_pivot)) return false;
        watch();
    }
    return true;
}

inline bool cholesky(Vector& A, std::size_t n, double smallest_pivot) {
    return cholesky(A, n, smallest_pivot, [] {});
}

// b <- L⁻¹ b, where L has lines of length `stride`.
HYPLANE_INLINE void solve_lower(const double* L, double* b, std::size_t n, std::size_t stride) {
    for (std::size_t i = 0; i < n; ++i)
        b[i] = (b[i] - sum_of_products(L + i * stride, b, i)) / L[i * stride + i];
}

// b <- L⁻ᵀ b.
HYPLANE_INLINE void solve_lower_transposed(const double* L, double* b, std::size_t n, std::size_t stride) {
    for (std::size_t i = n; i-- > 0;) {
        b[i] /= L[i * stride + i];
        add_multiple(b, -b[i], L + i * stride, i);
    }
}

// b <- L⁻¹ b for each column. Four lines at a time are taken from another, which reads it less often.
HYPLANE_EVERY_CPU void solve_lower(const double* L, Columns& b) {
    const std::size_t n = b.n_dim;
    for (std::size_t i = 0; i < n; ++i) {
        const double* const factor = L + i * n;
        double* const line = b.line(i);
        std::size_t k = 0;
        for (; k + 4 <= i; k += 4) {
            const double *b0 = b.line(k), *b1 = b.line(k + 1), *b2 = b.line(k + 2),
                         *b3 = b.line(k + 3);
            const double f0 = factor[k], f1 = factor[k + 1], f2 = factor[k + 2],
                         f3 = factor[k + 3];
#pragma omp simd
            for (std::size_t j = 0; j < b.count; ++j)
                line[j] -= (f0 * b0[j] + f1 * b1[j]) + (f2 * b2[j] + f3 * b3[j]);
        }
        for (; k < i; ++k) add_multiple(line, -factor[k], b.line(k), b.count);
        const double per_pivot = 1.0 / factor[i];
        for (std::size_t j = 0; j < b.count; ++j) line[j] *= per_pivot;
    }
}

}  // namespace hyplane
