// Small dense linear algebra in loops that the compiler vectorises.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel.hpp"

namespace hyplane {

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

// sum += Σ c_k b_k b_kᵀ over the columns from `first` to `last`, lower triangle only.
HYPLANE_EVERY_CPU void add_gram(const Columns& b, const double* c, std::size_t first,
                                std::size_t last, double* sum) {
    constexpr std::size_t stretch = 256;
    double scaled[stretch];
    const std::size_t n = b.n_dim;
    for (; first < last; first += stretch) {
        const std::size_t count = std::min(stretch, last - first);
        for (std::size_t i = 0; i < n; ++i) {
            const double* line = b.line(i) + first;
            for (std::size_t k = 0; k < count; ++k) scaled[k] = c[first + k] * line[k];
            for (std::size_t j = 0; j <= i; ++j)
                sum[i * n + j] += sum_of_products(scaled, b.line(j) + first, count);
        }
    }
}

// The Cholesky factor of a symmetric matrix (lower triangle, overwritten) of unit-sized diagonal;
// false where it is not positive definite beyond rounding errors.
inline bool cholesky(Vector& A, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            const double rest = A[i * n + j] - sum_of_products(&A[i * n], &A[j * n], j);
            if (j < i)
                A[i * n + j] = rest / A[j * n + j];
            else if (rest > 1e-14)
                A[i * n + i] = std::sqrt(rest);
            else
                return false;
        }
    return true;
}

// L⁻¹ times each column.
HYPLANE_EVERY_CPU void solve_lower(const double* L, Columns& b) {
    const std::size_t n = b.n_dim;
    for (std::size_t i = 0; i < n; ++i) {
        double* line = b.line(i);
        for (std::size_t k = 0; k < i; ++k)
            add_multiple(line, -L[i * n + k], b.line(k), b.count);
        for (std::size_t j = 0; j < b.count; ++j) line[j] /= L[i * n + i];
    }
}

}  // namespace hyplane
