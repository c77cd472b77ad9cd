// Quasi-Newton minimisation of a function with kinks: BFGS with the weak Wolfe line search of
// Lewis and Overton (2013), which needs no smoothness at the minimum. In high dimension the
// inverse Hessian is kept as its last updates (limited memory).
#pragma once

#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "../linalg/dense.hpp"
#include "../tuning.hpp"
#include "candidate.hpp"

namespace hyplane {

// Move along `direction` to a point of weak Wolfe; false where none was found.
template <class Function>
bool line_search(const Function& f, const Candidate& state, const Vector& direction,
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
    QuasiNewton(const Function& f, Candidate& state, const Tolerance& tolerance,
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
    Candidate& state_;
    const Tolerance& tolerance_;
    const Tuning& tuning_;
    bool confirmed_, met_ = false;
    double value_met_ = 0.0;
    int used_ = 0;
};

template <class Function>
void quasi_newton(const Function& f, Candidate& state, const Tolerance& tolerance,
                  const Tuning& tuning) {
    QuasiNewton<Function>(f, state, tolerance, tuning).run();
}

}  // namespace hyplane
