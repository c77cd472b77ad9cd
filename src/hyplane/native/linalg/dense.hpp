// Dense linear algebra for a few hundred unknowns, and the quadratic program of a kink step.
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

// The Cholesky factor L, A = L Lᵀ, in place of the lower triangle of A; false where a pivot is not
// above `smallest_pivot`.
inline bool cholesky(Vector& A, std::size_t n, double smallest_pivot) {
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

// b <- L⁻¹ b.
inline void solve_lower(const double* L, double* b, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        b[i] = (b[i] - sum_of_products(L + i * n, b, i)) / L[i * n + i];
}

// b <- L⁻ᵀ b, where L has lines of length `stride`.
inline void solve_lower_transposed(const double* L, double* b, std::size_t n, std::size_t stride) {
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
        solve_lower(L.data(), column.data(), n);
        solve_lower_transposed(L.data(), column.data(), n, n);
        for (std::size_t i = 0; i < n; ++i) inverse[i * n + j] = column[i];
    }
    return inverse;
}

// The convex piecewise quadratic program of one kink step,
//
//     minimise  g·x + ½|x|² + Σ c_j max(0, gap_j + v_j·x),
//
// through its dual, a quadratic program in 0 <= λ_j <= c_j: the dual active set method of
// Goldfarb and Idnani (1983) with an upper bound on each multiplier. The dual value rises with
// every step, whatever the rank of the rows, and x = -g - Σ λ_j v_j at all times.

class BoxProgram {
  public:
    // Filled in by the caller: v as a matrix with one column for each row j, one line for each
    // coordinate; multipliers at the start are 0 or c_j.
    Columns v;
    Vector gap, bound, multiplier;
    Vector x;

    // False where the limit on the number of steps was reached. In exact arithmetic the method
    // ends by itself; rounding can make it cycle.
    template <class Watch> bool solve(const Vector& g, const Watch& watch) {
        prepare(g);
        const std::size_t most = 50 + 10 * (v.count + n_);
        for (std::size_t step = 0; step < most; ++step) {
            const std::size_t entering = most_violated();
            if (entering == none) return true;
            if (step % 64 == 63) watch();
            settle(entering);
        }
        return false;
    }

    // Σ c (max(0, gap + v·x) - max(0, gap)); rows without a bound are constraints, which x meets.
    double change_of_kinks() {
        residuals();
        double total = 0.0;
        for (std::size_t j = 0; j < v.count; ++j)
            if (!std::isinf(bound[j]))
                total += bound[j] * (std::max(0.0, residual_[j]) - std::max(0.0, gap[j]));
        return total;
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    // Limits of double precision, not of the method: a residual below the first, relative to what
    // it was computed from, is noise; a squared length below the second is that of a dependent row.
    static constexpr double noise_of_a_residual = 1e-12, dependent_square = 1e-22;

    void prepare(const Vector& g) {
        n_ = v.n_dim;
        tight_.clear();
        is_tight_.assign(v.count, 0);
        r_.assign(n_ * n_, 0.0);
        q_.assign(n_ * n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i) q_[i * n_ + i] = 1.0;
        length_.assign(v.count, 0.0);
        x.resize(n_);
        d_.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            const double* line = v.line(i);
            for (std::size_t j = 0; j < v.count; ++j) length_[j] += line[j] * line[j];
            x[i] = -g[i] - sum_of_products(line, multiplier.data(), v.count);
        }
        for (double& length : length_) length = std::sqrt(length);
    }

    void residuals() {
        residual_ = gap;
        for (std::size_t i = 0; i < n_; ++i)
            add_multiple(residual_.data(), x[i], v.line(i), v.count);
    }

    // The row whose multiplier contradicts its residual most, measured as a distance in x.
    std::size_t most_violated() {
        residuals();
        std::size_t worst = none;
        double distance = 0.0;
        const double size = std::sqrt(dot(x, x));
        for (std::size_t j = 0; j < v.count; ++j) {
            const bool wrong = residual_[j] > 0.0 ? multiplier[j] < bound[j] : multiplier[j] > 0.0;
            if (!wrong || is_tight_[j] || !(length_[j] > 0.0)) continue;
            const double far = std::abs(residual_[j]) / length_[j];
            const double noise = noise_of_a_residual * (std::abs(gap[j]) / length_[j] + size);
            if (far > noise && far > distance) {
                distance = far;
                worst = j;
            }
        }
        return worst;
    }

    // Move the multiplier of one row until the row is tight or the multiplier at its bound; tight
    // rows whose multiplier meets a bound on the way are let go.
    void settle(std::size_t j) {
        const double sign = residual_[j] > 0.0 ? 1.0 : -1.0;
        double left = std::abs(residual_[j]);
        Vector row(n_);
        for (std::size_t i = 0; i < n_; ++i) row[i] = v.line(i)[j];
        for (;;) {
            const std::size_t n_tight = tight_.size();
            for (std::size_t i = 0; i < n_; ++i)
                d_[i] = sum_of_products(&q_[i * n_], row.data(), n_);
            const Vector rate = rates(sign);
            double free = 0.0;
            for (std::size_t i = n_tight; i < n_; ++i) free += d_[i] * d_[i];
            const bool dependent = free <= dependent_square * length_[j] * length_[j];
            double t = sign > 0.0 ? bound[j] - multiplier[j] : multiplier[j];
            std::size_t leaving = none;
            for (std::size_t i = 0; i < n_tight; ++i) {
                const std::size_t k = tight_[i];
                if (rate[i] == 0.0) continue;
                const double room = rate[i] < 0.0 ? multiplier[k] : bound[k] - multiplier[k];
                const double reached = std::max(room, 0.0) / std::abs(rate[i]);
                if (reached < t) {
                    t = reached;
                    leaving = i;
                }
            }
            const bool full = !dependent && left / free <= t;
            if (full) t = left / free;
            if (std::isinf(t)) return;
            if (!dependent) {
                for (std::size_t i = n_tight; i < n_; ++i)
                    add_multiple(x.data(), -sign * t * d_[i], &q_[i * n_], n_);
                left -= t * free;
            }
            for (std::size_t i = 0; i < n_tight; ++i) multiplier[tight_[i]] += t * rate[i];
            multiplier[j] += sign * t;
            if (full) {
                add(j);
                return;
            }
            if (leaving == none) {
                multiplier[j] = sign > 0.0 ? bound[j] : 0.0;
                return;
            }
            multiplier[tight_[leaving]] = rate[leaving] < 0.0 ? 0.0 : bound[tight_[leaving]];
            drop(leaving);
        }
    }

    // How the multipliers of tight rows change with that of the row whose coordinates are d_.
    Vector rates(double sign) const {
        const std::size_t n_tight = tight_.size();
        Vector rate(n_tight);
        for (std::size_t i = 0; i < n_tight; ++i) rate[i] = -sign * d_[i];
        solve_lower_transposed(r_.data(), rate.data(), n_tight, n_);
        return rate;
    }

    // Lines of q_ are an orthonormal basis whose first part spans the tight rows; line k of r_ has
    // the coordinates of tight row k, all zero after the k-th.
    void add(std::size_t j) {
        const std::size_t n_tight = tight_.size();
        for (std::size_t i = n_ - 1; i > n_tight; --i) {
            const double length = std::sqrt(d_[i - 1] * d_[i - 1] + d_[i] * d_[i]);
            if (length == 0.0) continue;
            rotate(&q_[(i - 1) * n_], &q_[i * n_], d_[i - 1] / length, d_[i] / length, n_);
            d_[i - 1] = length;
        }
        std::copy(d_.begin(), d_.begin() + n_tight + 1, r_.begin() + n_tight * n_);
        tight_.push_back(j);
        is_tight_[j] = 1;
    }

    void drop(std::size_t place) {
        is_tight_[tight_[place]] = 0;
        tight_.erase(tight_.begin() + place);
        std::copy(r_.begin() + (place + 1) * n_, r_.begin() + (tight_.size() + 1) * n_,
                  r_.begin() + place * n_);
        for (std::size_t k = place; k < tight_.size(); ++k) {
            double* line = &r_[k * n_ + k];
            const double length = std::sqrt(line[0] * line[0] + line[1] * line[1]);
            if (length == 0.0) continue;
            const double c = line[0] / length, s = line[1] / length;
            rotate(&q_[k * n_], &q_[(k + 1) * n_], c, s, n_);
            for (std::size_t l = k; l < tight_.size(); ++l) {
                double* other = &r_[l * n_ + k];
                const double old = other[0];
                other[0] = c * old + s * other[1];
                other[1] = c * other[1] - s * old;
            }
        }
    }

    std::size_t n_ = 0;
    std::vector<std::size_t> tight_;
    std::vector<char> is_tight_;
    Vector length_, residual_, q_, r_, d_;
};

}  // namespace hyplane
