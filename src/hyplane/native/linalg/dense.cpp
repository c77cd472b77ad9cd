#include "dense.hpp"

namespace hyplane {

// The lines `first` to `last` of the factor, where those before are done. Its transpose is in the
// upper triangle, so that all loops are along lines.
HYPLANE_EVERY_CPU bool cholesky_lines(Vector& A, std::size_t n, std::size_t first, std::size_t last,
                                      double smallest_pivot) {
    constexpr std::size_t together = 4;  // lines, which are taken from the others at once
    for (std::size_t top = first; top < last; top += together) {
        const std::size_t end = std::min(last, top + together);
        for (std::size_t k = top; k < end; ++k) {
            double* const line = &A[k * n];
            if (!(line[k] > smallest_pivot)) return false;
            const double root = std::sqrt(line[k]), per_root = 1.0 / root;
            line[k] = root;
            for (std::size_t j = k + 1; j < n; ++j) line[j] *= per_root;
            for (std::size_t i = k + 1; i < end; ++i) {
                add_multiple(&A[i * n + i], -line[i], line + i, n - i);
                A[i * n + k] = line[i];
            }
        }
        for (std::size_t i = end; i < n; ++i) {
            double factor[together];
            for (std::size_t k = top; k < end; ++k) {
                A[i * n + k] = A[k * n + i];
                factor[k - top] = -A[k * n + i];
            }
            add_lines(&A[i * n + i], factor, &A[top * n + i], end - top, n, n - i);
        }
    }
    return true;
}

bool cholesky(Vector& A, std::size_t n, double smallest_pivot, const Watch& watch) {
    constexpr std::size_t products = 1 << 24;  // between two calls of `watch`
    constexpr std::size_t side = 64;           // of squares that stay in the cache
    const std::size_t lines = products / (n * n + 1) + 1;
    for (std::size_t top = 0; top < n; top += side)
        for (std::size_t left = 0; left <= top; left += side)
            for (std::size_t i = top; i < std::min(n, top + side); ++i)
                for (std::size_t j = left; j < std::min(i, left + side); ++j)
                    A[j * n + i] = A[i * n + j];
    for (std::size_t first = 0; first < n; first += lines) {
        if (first > 0) watch();
        if (!cholesky_lines(A, n, first, std::min(n, first + lines), smallest_pivot)) return false;
    }
    return true;
}

HYPLANE_EVERY_CPU void solve_lower(const double* L, const Vector& scale, const Columns& b,
                                   Columns& out) {
    const std::size_t n = b.n_dim;
    for (std::size_t i = 0; i < n; ++i) {
        const double *const factor = L + i * n, *const from = b.line(i);
        double* const line = out.line(i);
        const double size = scale[i];
        for (std::size_t j = 0; j < b.count; ++j) line[j] = size * from[j];
        std::size_t k = 0;
        for (; k + 4 <= i; k += 4) {
            const double *b0 = out.line(k), *b1 = out.line(k + 1), *b2 = out.line(k + 2),
                         *b3 = out.line(k + 3);
            const double f0 = factor[k], f1 = factor[k + 1], f2 = factor[k + 2], f3 = factor[k + 3];
#pragma omp simd
            for (std::size_t j = 0; j < b.count; ++j)
                line[j] -= (f0 * b0[j] + f1 * b1[j]) + (f2 * b2[j] + f3 * b3[j]);
        }
        for (; k < i; ++k) add_multiple(line, -factor[k], out.line(k), b.count);
        const double per_pivot = 1.0 / factor[i];
        for (std::size_t j = 0; j < b.count; ++j) line[j] *= per_pivot;
    }
}

}  // namespace hyplane
