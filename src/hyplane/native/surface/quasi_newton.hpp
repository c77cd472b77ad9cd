// Quasi-Newton steps to a minimum of the objective of curved surfaces.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "../linalg/dense.hpp"
#include "../stop.hpp"
#include "../tuning.hpp"

namespace hyplane {

// A point of a descent: where it is, what the metric has learned, why the descent stopped there.

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

struct QuasiNewtonState {
    Vector theta, gradient;
    double value = std::numeric_limits<double>::infinity();
    double predicted = std::numeric_limits<double>::infinity();  // the last predicted decrease
    Metric metric;
    int n_iter = 0;
    Stop stop = Stop::out_of_iterations;
};

// Quasi-Newton minimisation of a function with kinks: BFGS with the weak Wolfe line search of
// Lewis and Overton (2013), which needs no smoothness at the minimum. In high dimension the
// inverse Hessian is kept as its last updates (limited memory).

// Move along `direction` to a point of weak Wolfe; false where none was found.
template <class Function>
bool line_search(const Function& f, const QuasiNewtonState& state, const Vector& direction,
                 const Tuning& tuning, Vector& next, Vector& next_gradient, double& next_value) {
    const double slope = dot(state.gradient, direction);
    double low = 0.0, high = std::numeric_limits<double>::infinity(), t = 1.0;
    for (int trial = 0; trial < tuning.line_search_trials; ++trial) {
        for (std::size_t i = 0; i < next.size(); ++i) next[i] = state.theta[i] + t * direction[i];
        next_value = f(next, next_gradient);
        if (!(next_value <= state.value + tuning.sufficient_decrease * t * slope))
            high = t;
        else if (dot(next_gradient, direction) < tuning.slope_reduction * slope)
            low = t;
        else
            return true;
        t = std::isinf(high) ? 2.0 * low : 0.5 * (low + high);
        // The decrease that the slope predicts would be lost in rounding.
        if (-t * slope < tuning.line_search_rounding * std::abs(state.value)) break;
    }
    // A decrease without the second condition, along a long valley, is progress too.
    return low > 0.0 && next_value < state.value;
}

// Shorten a step so that no entry is above `longest`.
inline void limit(Vector& direction, double longest) {
    double size = 0.0;
    for (double d : direction) size = std::max(size, std::abs(d));
    if (size > longest)
        for (double& d : direction) d *= longest / size;
}

struct Tolerance {
    double relative;  // wanted relative accuracy of the objective
    int max_iter;
    bool confirm;  // before stopping, start once more with a metric that knows nothing
};

// One run of quasi-Newton from a candidate to the place where it stops.
template <class Function>
class QuasiNewton {
  public:
    QuasiNewton(const Function& f, QuasiNewtonState& state, const Tolerance& tolerance,
                const Tuning& tuning)
        : f_(f), state_(state), tolerance_(tolerance), tuning_(tuning),
          confirmed_(!tolerance.confirm) {}

    void run() {
        while (used_ < tolerance_.max_iter) {
            if (dot(state_.gradient, state_.gradient) == 0.0) {
                state_.stop = Stop::converged;
                return;
            }
            const bool fresh = !state_.metric.known();
            Vector direction;
            if (fresh) {
                direction = first_direction();
            } else {
                direction = state_.metric.times(state_.gradient);
                const double predicted = dot(direction, state_.gradient);
                if (!(predicted > 0.0)) {
                    state_.metric.reset();
                    continue;
                }
                state_.predicted = predicted;
                if (predicted <= small()) {
                    if (ends(Stop::converged)) return;
                    continue;
                }
            }
            for (double& d : direction) d = -d;
            limit(direction, tuning_.longest_step);
            if (!step(direction)) {
                if (ends(Stop::stalled)) return;
                if (fresh) return;
            }
        }
        state_.stop = Stop::out_of_iterations;
    }

  private:
    double small() const { return tolerance_.relative * std::abs(state_.value); }

    Vector first_direction() const {
        Vector direction = state_.gradient;
        const double steepness = std::sqrt(dot(direction, direction));
        for (double& d : direction) d *= tuning_.first_step / steepness;
        return direction;
    }

    // Whether this is the end. If a confirmation is asked for, the first time is not: the metric is
    // forgotten instead. A stall of the confirmation that gained less than the tolerance does not
    // take back that the tolerance was met before.
    bool ends(Stop why) {
        if (confirmed_) {
            const bool met_before = met_ && value_met_ - state_.value <= small();
            state_.stop = why == Stop::stalled && met_before ? Stop::converged : why;
            return true;
        }
        confirmed_ = true;
        met_ = why == Stop::converged;
        value_met_ = state_.value;
        state_.stop = why;
        state_.metric.reset();
        return false;
    }

    bool step(const Vector& direction) {
        ++used_;
        ++state_.n_iter;
        const std::size_t n = state_.theta.size();
        Vector next(n), next_gradient(n);
        double value = 0.0;
        if (!line_search(f_, state_, direction, tuning_, next, next_gradient, value)) return false;
        Vector moved(n), change(n);
        for (std::size_t i = 0; i < n; ++i) {
            moved[i] = next[i] - state_.theta[i];
            change[i] = next_gradient[i] - state_.gradient[i];
        }
        state_.metric.update(moved, change, tuning_);
        state_.theta = std::move(next);
        state_.gradient = std::move(next_gradient);
        state_.value = value;
        return true;
    }

    const Function& f_;
    QuasiNewtonState& state_;
    const Tolerance& tolerance_;
    const Tuning& tuning_;
    bool confirmed_, met_ = false;
    double value_met_ = 0.0;
    int used_ = 0;
};

template <class Function>
void quasi_newton(const Function& f, QuasiNewtonState& state, const Tolerance& tolerance,
                  const Tuning& tuning) {
    QuasiNewton<Function>(f, state, tolerance, tuning).run();
}

}  // namespace hyplane
