// The convex piecewise quadratic program of one kink step,
//
//     minimise  g·x + ½|x|² + Σ c_j max(0, gap_j + v_j·x),
//
// through its dual, a quadratic program in 0 <= λ_j <= c_j: the dual active set method of
// Goldfarb and Idnani (1983) with an upper bound on each multiplier. The dual value rises with
// every step, whatever the rank of the rows, and x = -g - Σ λ_j v_j at all times.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dense.hpp"

namespace hyplane {

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
            const double noise = 1e-12 * (std::abs(gap[j]) / length_[j] + size);
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
            const bool dependent = free <= 1e-22 * length_[j] * length_[j];
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
