// Quasi-Newton minimisation of a function with kinks: BFGS with the weak Wolfe line search of
// Lewis and Overton (2013), which needs no smoothness at the minimum. In high dimension the
// inverse Hessian is kept as its last updates (limited memory).
#pragma once

#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "dense.hpp"

namespace hyplane {

// The inverse Hessian as BFGS learns it from steps and changes of the gradient.
class Metric {
  public:
    void reset() {
        known_ = false;
        pairs_.clear();
    }
    bool known() const { return known_; }

    // Begin with a guess of the inverse Hessian; an empty one, or one too large, is no guess.
    void seed(Vector inverse, std::size_t n) {
        reset();
        if (n > largest_dense || inverse.empty()) return;
        inverse_ = std::move(inverse);
        known_ = true;
    }

    Vector times(const Vector& gradient) const {
        return gradient.size() <= largest_dense ? dense_times(gradient) : two_loops(gradient);
    }

    void update(const Vector& step, const Vector& change) {
        const double curvature = dot(step, change);
        if (!(curvature > 1e-14 * std::sqrt(dot(step, step) * dot(change, change)))) return;
        if (step.size() <= largest_dense)
            dense_update(step, change, curvature);
        else
            remember(step, change, curvature);
        known_ = true;
    }

  private:
    static constexpr std::size_t largest_dense = 256;
    static constexpr std::size_t memory = 40;
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

    void remember(const Vector& s, const Vector& y, double sy) {
        pairs_.push_back({s, y, sy});
        if (pairs_.size() > memory) pairs_.pop_front();
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

enum class Stop { stationary, stalled, out_of_iterations };

struct Descent {
    Vector theta, gradient;
    double value = std::numeric_limits<double>::infinity();
    Metric metric;
    int n_iter = 0;
    Stop stop = Stop::out_of_iterations;
};

struct Tolerance {
    double relative;  // wanted relative accuracy of the objective
    int max_iter;
    bool confirm;  // before stopping, start once more with a metric that knows nothing
};

// Move along `direction` to a point of weak Wolfe; false where none was found.
template <class Function>
bool line_search(const Function& f, Descent& state, const Vector& direction, Vector& next,
                 Vector& next_gradient, double& next_value) {
    constexpr double sufficient = 1e-4, flat = 0.9;
    const double slope = dot(state.gradient, direction);
    double low = 0.0, high = std::numeric_limits<double>::infinity(), t = 1.0;
    for (int trial = 0; trial < 50; ++trial) {
        for (std::size_t i = 0; i < next.size(); ++i) next[i] = state.theta[i] + t * direction[i];
        next_value = f(next, next_gradient);
        if (!(next_value <= state.value + sufficient * t * slope))
            high = t;
        else if (dot(next_gradient, direction) < flat * slope)
            low = t;
        else
            return true;
        t = std::isinf(high) ? 2.0 * low : 0.5 * (low + high);
        // Nothing that rounding would not hide is to be gained any more.
        if (-t * slope < 1e-15 * std::abs(state.value)) break;
    }
    // A long valley without the second condition is still progress.
    return low > 0.0 && next_value < state.value;
}

// Steps are kept below one natural unit (of log s, of hyperbolic length, of angle) times this.
inline void limit(Vector& direction, double longest) {
    double size = 0.0;
    for (double d : direction) size = std::max(size, std::abs(d));
    if (size > longest)
        for (double& d : direction) d *= longest / size;
}

template <class Function>
void minimise(const Function& f, Descent& state, const Tolerance& tolerance) {
    constexpr double longest_step = 4.0, first_step = 0.1;
    constexpr int patience = 8;
    Vector next(state.theta.size()), next_gradient(state.theta.size());
    bool confirmed = !tolerance.confirm;
    int idle = 0, used = 0;
    // True when it is time to stop; the first time, if asked for, only forgets the metric.
    const auto finish = [&](Stop why) {
        state.stop = why;
        if (confirmed) return true;
        confirmed = true;
        idle = 0;
        state.metric.reset();
        return false;
    };
    while (used < tolerance.max_iter) {
        const double small = tolerance.relative * std::abs(state.value);
        const double steepness = std::sqrt(dot(state.gradient, state.gradient));
        if (steepness == 0.0) {
            state.stop = Stop::stationary;
            return;
        }
        const bool fresh = !state.metric.known();
        Vector direction = fresh ? state.gradient : state.metric.times(state.gradient);
        const double predicted = dot(direction, state.gradient);
        if (fresh)
            for (double& d : direction) d *= first_step / steepness;
        else if (!(predicted > 0.0)) {
            state.metric.reset();
            continue;
        } else if (predicted <= small) {
            if (finish(Stop::stationary)) return;
            continue;
        }
        for (double& d : direction) d = -d;
        limit(direction, longest_step);
        double value = 0.0;
        ++used;
        ++state.n_iter;
        if (!line_search(f, state, direction, next, next_gradient, value)) {
            if (finish(Stop::stalled)) return;
            if (fresh) {
                state.stop = Stop::stalled;
                return;
            }
            continue;
        }
        const double decrease = state.value - value;
        Vector step(next.size()), change(next.size());
        for (std::size_t i = 0; i < next.size(); ++i) {
            step[i] = next[i] - state.theta[i];
            change[i] = next_gradient[i] - state.gradient[i];
        }
        state.metric.update(step, change);
        state.theta = next;
        state.gradient = next_gradient;
        state.value = value;
        idle = decrease <= small / patience ? idle + 1 : 0;
        if (idle >= patience && finish(Stop::stalled)) return;
    }
    state.stop = Stop::out_of_iterations;
}

}  // namespace hyplane
