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

// The products of two vectors with each of four others, added to two lines of four numbers.
HYPLANE_INLINE void add_products(const double* a0, const double* a1, const double* b,
                                 std::size_t stride, std::size_t n, double* sum0, double* sum1) {
    const double *b0 = b, *b1 = b + stride, *b2 = b + 2 * stride, *b3 = b + 3 * stride;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, t0, t1, t2, t3)
    for (std::size_t k = 0; k < n; ++k) {
        s0 += a0[k] * b0[k];
        s1 += a0[k] * b1[k];
        s2 += a0[k] * b2[k];
        s3 += a0[k] * b3[k];
        t0 += a1[k] * b0[k];
        t1 += a1[k] * b1[k];
        t2 += a1[k] * b2[k];
        t3 += a1[k] * b3[k];
    }
    sum0[0] += s0;
    sum0[1] += s1;
    sum0[2] += s2;
    sum0[3] += s3;
    sum1[0] += t0;
    sum1[1] += t1;
    sum1[2] += t2;
    sum1[3] += t3;
}

// sum += Σ c_k b_k b_kᵀ over the columns from `first` to `last`, lower triangle only. Two lines at
// a time with four others, which reads each number less often.
HYPLANE_EVERY_CPU void add_gram(const Columns& b, const double* c, std::size_t first,
                                std::size_t last, double* sum) {
    constexpr std::size_t stretch = 256;
    double scaled[2][stretch];
    const std::size_t n = b.n_dim;
    for (; first < last; first += stretch) {
        const std::size_t count = std::min(stretch, last - first);
        for (std::size_t i = 0; i < n; i += 2) {
            const std::size_t lines = std::min<std::size_t>(2, n - i);
            for (std::size_t l = 0; l < lines; ++l) {
                const double* line = b.line(i + l) + first;
                for (std::size_t k = 0; k < count; ++k) scaled[l][k] = c[first + k] * line[k];
            }
            std::size_t j = 0;
            if (lines == 2)
                for (; j + 4 <= i + 1; j += 4)
                    add_products(scaled[0], scaled[1], b.line(j) + first, b.capacity, count,
                                 sum + i * n + j, sum + (i + 1) * n + j);
            for (std::size_t l = 0; l < lines; ++l)
                for (std::size_t k = j; k <= i + l; ++k)
                    sum[(i + l) * n + k] += sum_of_products(scaled[l], b.line(k) + first, count);
        }
    }
}

// The Cholesky factor L, A = L Lᵀ, in place of the lower triangle of A; false where a pivot is not
// above `smallest_pivot`.
HYPLANE_EVERY_CPU bool cholesky(Vector& A, std::size_t n, double smallest_pivot) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            const double rest = A[i * n + j] - sum_of_products(&A[i * n], &A[j * n], j);
            if (j < i)
                A[i * n + j] = rest / A[j * n + j];
            else if (rest > smallest_pivot)
                A[i * n + i] = std::sqrt(rest);
            else
                return false;
        }
    return true;
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

// b <- L⁻¹ b for each column.
HYPLANE_EVERY_CPU void solve_lower(const double* L, Columns& b) {
    const std::size_t n = b.n_dim;
    for (std::size_t i = 0; i < n; ++i) {
        double* line = b.line(i);
        for (std::size_t k = 0; k < i; ++k)
            add_multiple(line, -L[i * n + k], b.line(k), b.count);
        for (std::size_t j = 0; j < b.count; ++j) line[j] /= L[i * n + i];
    }
}

// The inverse of A from its Cholesky factor.
inline Vector inverse_from(const Vector& L, std::size_t n) {
    Vector inverse(n * n, 0.0), column(n);
    for (std::size_t j = 0; j < n; ++j) {
        std::fill(column.begin(), column.end(), 0.0);
        column[j] = 1.0;
        solve_lower(L.data(), column.data(), n, n);
        solve_lower_transposed(L.data(), column.data(), n, n);
        for (std::size_t i = 0; i < n; ++i) inverse[i * n + j] = column[i];
    }
    return inverse;
}

}  // namespace hyplane
