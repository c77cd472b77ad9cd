// The convex piecewise quadratic program of one polishing step,
//
//     minimise  g·x + ½|x|² + Σ c_j max(0, gap_j + v_j·x),
//
// through its dual, a quadratic program in 0 <= λ_j <= c_j: the dual active set method of
// Goldfarb and Idnani (1983) with an upper bound on each multiplier. The dual value rises with
// every step, whatever the rank of the rows, and x = -g - Σ λ_j v_j at all times.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "quasi_newton.hpp"

namespace hyplane {

class BoxProgram {
  public:
    struct Row {
        Vector v;
        double gap, bound;  // bound: c_j
        double multiplier;  // at the start 0 or c_j
    };
    std::vector<Row> rows;
    Vector x;

    // False where rounding errors kept it from ending; x is a usable guess even then.
    bool solve(const Vector& g) {
        n_ = g.size();
        prepare(g);
        const std::size_t most = 50 + 10 * (rows.size() + n_);
        for (std::size_t step = 0; step < most; ++step) {
            const std::size_t entering = most_violated();
            if (entering == none) return true;
            settle(entering);
        }
        return false;
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void prepare(const Vector& g) {
        tight_.clear();
        is_tight_.assign(rows.size(), 0);
        length_.resize(rows.size());
        q_.assign(n_ * n_, 0.0);
        r_.assign(n_ * n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i) q_[i * n_ + i] = 1.0;
        x.assign(n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i) x[i] = -g[i];
        for (std::size_t j = 0; j < rows.size(); ++j) {
            length_[j] = std::sqrt(dot(rows[j].v, rows[j].v));
            if (rows[j].multiplier == 0.0) continue;
            for (std::size_t i = 0; i < n_; ++i) x[i] -= rows[j].multiplier * rows[j].v[i];
        }
    }

    double residual(std::size_t j) const { return rows[j].gap + dot(rows[j].v, x); }

    // The row whose kink is farthest on the wrong side.
    std::size_t most_violated() const {
        std::size_t worst = none;
        double distance = 0.0;
        const double size = std::sqrt(dot(x, x));
        for (std::size_t j = 0; j < rows.size(); ++j) {
            if (is_tight_[j] || !(length_[j] > 0.0)) continue;
            const double r = residual(j);
            const bool wrong = r > 0.0 ? rows[j].multiplier < rows[j].bound
                                       : rows[j].multiplier > 0.0;
            const double noise = 1e-12 * (std::abs(rows[j].gap) / length_[j] + size);
            const double far = std::abs(r) / length_[j];
            if (wrong && far > noise && far > distance) {
                distance = far;
                worst = j;
            }
        }
        return worst;
    }

    // Move the multiplier of one row until the row is tight or the multiplier at its bound; tight
    // rows whose multiplier meets a bound on the way are let go.
    void settle(std::size_t j) {
        const double r = residual(j), sign = r > 0.0 ? 1.0 : -1.0;
        Row& row = rows[j];
        for (;;) {
            const std::size_t n_tight = tight_.size();
            const Vector d = rotated(row.v);
            Vector change(d.begin(), d.begin() + n_tight);  // of the tight multipliers, times -sign
            for (std::size_t i = n_tight; i-- > 0;) {
                for (std::size_t k = i + 1; k < n_tight; ++k)
                    change[i] -= r_[k * n_ + i] * change[k];
                change[i] /= r_[i * n_ + i];
            }
            double free = 0.0;
            for (std::size_t i = n_tight; i < n_; ++i) free += d[i] * d[i];
            const bool dependent = free <= 1e-22 * length_[j] * length_[j];
            double t = sign > 0.0 ? row.bound - row.multiplier : row.multiplier;
            std::size_t leaving = none;
            bool full = false;
            for (std::size_t i = 0; i < n_tight; ++i) {
                const Row& other = rows[tight_[i]];
                const double rate = -sign * change[i];
                if (rate == 0.0) continue;
                const double room = rate < 0.0 ? other.multiplier : other.bound - other.multiplier;
                if (std::max(room, 0.0) / std::abs(rate) < t) {
                    t = std::max(room, 0.0) / std::abs(rate);
                    leaving = i;
                }
            }
            if (!dependent && std::abs(residual(j)) / free <= t) {
                t = std::abs(residual(j)) / free;
                full = true;
            }
            if (std::isinf(t)) return;
            if (!dependent)
                for (std::size_t i = n_tight; i < n_; ++i)
                    for (std::size_t k = 0; k < n_; ++k)
                        x[k] -= sign * t * d[i] * q_[i * n_ + k];
            for (std::size_t i = 0; i < n_tight; ++i)
                rows[tight_[i]].multiplier -= sign * t * change[i];
            row.multiplier += sign * t;
            if (full) {
                add(j, d);
                return;
            }
            if (leaving == none) {
                row.multiplier = sign > 0.0 ? row.bound : 0.0;
                return;
            }
            Row& other = rows[tight_[leaving]];
            other.multiplier = -sign * change[leaving] < 0.0 ? 0.0 : other.bound;
            drop(leaving);
        }
    }

    // Rows of q_ are an orthonormal basis whose first part spans the tight rows; the column of
    // tight row k in that basis is r_[k * n_ ...], upper triangular.
    Vector rotated(const Vector& v) const {
        Vector out(n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t k = 0; k < n_; ++k) out[i] += q_[i * n_ + k] * v[k];
        return out;
    }

    void add(std::size_t j, Vector d) {
        const std::size_t n_tight = tight_.size();
        for (std::size_t i = n_ - 1; i > n_tight; --i) {
            const double length = std::hypot(d[i - 1], d[i]);
            if (length == 0.0) continue;
            turn(i - 1, d[i - 1] / length, d[i] / length);
            d[i - 1] = length;
            d[i] = 0.0;
        }
        std::copy(d.begin(), d.begin() + n_tight + 1, r_.begin() + n_tight * n_);
        tight_.push_back(j);
        is_tight_[j] = 1;
    }

    void drop(std::size_t place) {
        is_tight_[tight_[place]] = 0;
        tight_.erase(tight_.begin() + place);
        for (std::size_t k = place; k < tight_.size(); ++k) {
            for (std::size_t i = 0; i <= k + 1; ++i) r_[k * n_ + i] = r_[(k + 1) * n_ + i];
        }
        for (std::size_t k = place; k < tight_.size(); ++k) {
            const double length = std::hypot(r_[k * n_ + k], r_[k * n_ + k + 1]);
            if (length == 0.0) continue;
            const double c = r_[k * n_ + k] / length, s = r_[k * n_ + k + 1] / length;
            turn(k, c, s);
            for (std::size_t l = k; l < tight_.size(); ++l) {
                double& upper = r_[l * n_ + k];
                double& lower = r_[l * n_ + k + 1];
                const double old = upper;
                upper = c * old + s * lower;
                lower = c * lower - s * old;
            }
        }
    }

    // A Givens rotation of two neighbouring rows of the basis.
    void turn(std::size_t i, double c, double s) {
        double* a = &q_[i * n_];
        double* b = a + n_;
        for (std::size_t k = 0; k < n_; ++k) {
            const double old = a[k];
            a[k] = c * old + s * b[k];
            b[k] = c * b[k] - s * old;
        }
    }

    std::size_t n_ = 0;
    std::vector<std::size_t> tight_;
    std::vector<char> is_tight_;
    Vector length_, q_, r_;
};

}  // namespace hyplane
