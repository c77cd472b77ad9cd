// A point of a descent: where it is, what the metric has learned, why the descent stopped there.
#pragma once

#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "../linalg/dense.hpp"
#include "../tuning.hpp"

namespace hyplane {

// The inverse Hessian as BFGS learns it from steps and changes of the gradient.
class Metric {
  public:
    void reset() {
        known_ = false;
        pairs_.clear();
    }
    bool known() const { return known_; }

    // Begin with a guess of the inverse Hessian; an empty one is no guess.
    void seed(Vector inverse) {
        reset();
        inverse_ = std::move(inverse);
        known_ = !inverse_.empty();
    }

    // Whether the whole matrix is kept, rather than the last updates.
    static bool is_dense(std::size_t n, const Tuning& tuning) { return n <= tuning.dense_metric; }

    Vector times(const Vector& gradient) const {
        return pairs_.empty() ? dense_times(gradient) : two_loops(gradient);
    }

    void update(const Vector& step, const Vector& change, const Tuning& tuning) {
        const double curvature = dot(step, change);
        const double sizes = std::sqrt(dot(step, step) * dot(change, change));
        if (!(curvature > tuning.least_curvature * sizes)) return;
        if (is_dense(step.size(), tuning)) {
            dense_update(step, change, curvature);
        } else {
            pairs_.push_back({step, change, curvature});
            if (pairs_.size() > tuning.metric_memory) pairs_.pop_front();
        }
        known_ = true;
    }

  private:
    struct Pair {
        Vector step, change;
        double curvature;
    };

    Vector dense_times(const Vector& g) const {
        const std::size_t n = g.size();
        Vector out(n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) out[i] += inverse_[i * n + j] * g[j];
        return out;
    }

    void dense_update(const Vector& s, const Vector& y, double sy) {
        const std::size_t n = s.size();
        if (!known_) {
            inverse_.assign(n * n, 0.0);
            for (std::size_t i = 0; i < n; ++i) inverse_[i * n + i] = sy / dot(y, y);
        }
        const Vector hy = dense_times(y);
        const double factor = (1.0 + dot(y, hy) / sy) / sy;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                inverse_[i * n + j] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
    }

    Vector two_loops(const Vector& g) const {
        Vector q = g, alpha(pairs_.size());
        for (std::size_t k = pairs_.size(); k-- > 0;) {
            alpha[k] = dot(pairs_[k].step, q) / pairs_[k].curvature;
            for (std::size_t i = 0; i < q.size(); ++i) q[i] -= alpha[k] * pairs_[k].change[i];
        }
        const Pair& last = pairs_.back();
        const double size = last.curvature / dot(last.change, last.change);
        for (double& value : q) value *= size;
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            const double beta = dot(pairs_[k].change, q) / pairs_[k].curvature;
            for (std::size_t i = 0; i < q.size(); ++i)
                q[i] += (alpha[k] - beta) * pairs_[k].step[i];
        }
        return q;
    }

    bool known_ = false;
    Vector inverse_;
    std::deque<Pair> pairs_;
};

// Why a descent stopped.
enum class Stop {
    converged,              // the predicted decrease of the objective is below the tolerance
    converged_to_rounding,  // no step decreases it, and the predicted decrease is below what double
                            // precision resolves there (Problem::resolution)
    stalled,                // no step decreases it, though the predicted decrease is above both
    out_of_iterations
};

struct Candidate {
    Vector theta, gradient;
    double value = std::numeric_limits<double>::infinity();
    double predicted = std::numeric_limits<double>::infinity();  // the last predicted decrease
    Metric metric;
    int n_iter = 0;
    Stop stop = Stop::out_of_iterations;
};

}  // namespace hyplane
