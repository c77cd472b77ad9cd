// Quasi-Newton descent for few parameters, from a start that may be far from any minimum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "../linalg/dense.hpp"
#include "quasi_newton.hpp"
#include "../tuning.hpp"

namespace hyplane {

// BFGS with the weak Wolfe line search of Lewis and Overton (2013). Beside the quasi-Newton of the
// hyperplanes it judges progress by what was gained, not by what is predicted: where a surface rests
// on as many kinks as it has parameters, the prediction is too small long before the minimum.
template <class Function>
class SurfaceDescent {
  public:
    enum class End { gained_little, flat, no_step, out_of_iterations };

    Vector theta, gradient;
    double value;
    int n_iter = 0;
    End end = End::out_of_iterations;

    SurfaceDescent(const Function& f, Vector start, const Tuning& tuning)
        : theta(std::move(start)), f_(f), tuning_(tuning), n_(theta.size()) {
        value = f_(theta, gradient);
    }

    void run(double tol, int max_iter) {
        forget(1.0 / std::max(1.0, std::sqrt(dot(gradient, gradient))));
        Vector values = {value};
        while (n_iter < max_iter) {
            ++n_iter;
            Vector direction = metric_.times(gradient);
            for (double& d : direction) d = -d;
            if (!(dot(direction, gradient) < 0.0)) {
                forget(1.0);
                for (std::size_t i = 0; i < n_; ++i) direction[i] = -gradient[i];
            }
            if (dot(direction, gradient) == 0.0) return stop(End::flat);
            if (!step(direction)) return stop(End::no_step);
            values.push_back(value);
            if (values.size() > window &&
                values[values.size() - 1 - window] - value <= tol * std::abs(value))
                return stop(End::gained_little);
        }
    }

  private:
    static constexpr std::size_t window = 8;  // iterations over which progress is judged

    void stop(End why) { end = why; }

    void forget(double size) {
        Vector inverse(n_ * n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i) inverse[i * n_ + i] = size;
        metric_.seed(std::move(inverse));
    }

    // Bisect until the step decreases enough and the slope has become flatter. Where the trials run
    // out, the best step that decreases is taken; false where there is none.
    bool step(const Vector& direction) {
        const double slope = dot(gradient, direction);
        double low = 0.0, high = std::numeric_limits<double>::infinity(), t = 1.0, best = value;
        Vector next(n_), next_gradient, best_theta, best_gradient;
        for (int trial = 0; trial < tuning_.line_search_trials; ++trial) {
            for (std::size_t i = 0; i < n_; ++i) next[i] = theta[i] + t * direction[i];
            const double reached = f_(next, next_gradient);
            if (!(reached < value + tuning_.sufficient_decrease * t * slope)) {
                high = t;
            } else {
                if (reached < best) {
                    best = reached;
                    best_theta = next;
                    best_gradient = next_gradient;
                }
                if (dot(next_gradient, direction) >= tuning_.slope_reduction * slope) {
                    best = reached;
                    best_theta = next;
                    best_gradient = next_gradient;
                    break;
                }
                low = t;
            }
            t = std::isinf(high) ? 2.0 * t : 0.5 * (low + high);
            if (high - low < tuning_.least_curvature * high) break;
        }
        if (best_theta.empty()) return false;
        update(best_theta, best_gradient);
        theta = std::move(best_theta);
        gradient = std::move(best_gradient);
        value = best;
        return true;
    }

    void update(const Vector& next, const Vector& next_gradient) {
        Vector moved(n_), change(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            moved[i] = next[i] - theta[i];
            change[i] = next_gradient[i] - gradient[i];
        }
        metric_.update(moved, change, tuning_);
    }

    const Function& f_;
    const Tuning& tuning_;
    std::size_t n_;
    Metric metric_;
};

}  // namespace hyplane
