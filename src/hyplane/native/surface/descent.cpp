#include "descent.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace hyplane {

namespace {

using Vector = std::vector<double>;

// The two conditions of weak Wolfe, with the usual constants.
constexpr double sufficient_decrease = 1e-4, slope_reduction = 0.9;
constexpr int line_search_trials = 50;  // a step halved so often is near the last place
constexpr double resolution = 1e-14;    // relative; what is smaller is rounding
constexpr std::size_t window = 8;       // iterations over which progress is judged

double dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// `size` times a, plus b.
Vector sum(double size, const Vector& a, const Vector& b) {
    Vector out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = size * a[i] + b[i];
    return out;
}

// The inverse Hessian as BFGS learns it from steps and changes of the gradient.
class InverseHessian {
  public:
    InverseHessian(std::size_t n, double size) : lines_(n, Vector(n, 0.0)) {
        for (std::size_t i = 0; i < n; ++i) lines_[i][i] = size;
    }

    Vector times(const Vector& g) const {
        Vector out;
        for (const Vector& line : lines_) out.push_back(dot(line, g));
        return out;
    }

    void update(const Vector& step, const Vector& change) {
        const double curvature = dot(step, change);
        if (!(curvature > resolution * std::sqrt(dot(step, step) * dot(change, change)))) return;
        const Vector h = times(change);
        const double factor = (1.0 + dot(change, h) / curvature) / curvature;
        for (std::size_t i = 0; i < h.size(); ++i)
            for (std::size_t j = 0; j < h.size(); ++j)
                lines_[i][j] +=
                    factor * step[i] * step[j] - (h[i] * step[j] + step[i] * h[j]) / curvature;
    }

  private:
    std::vector<Vector> lines_;
};

struct Point {
    Vector theta, gradient;
    double value;

    Point(const GradientFunction& f, Vector at) : theta(std::move(at)) {
        value = f(theta, gradient);
    }
};

// The point of weak Wolfe against an ascending direction, by bisection. If the trials run out, the
// best point with a sufficient decrease; if there is none, `from`.
Point line_search(const GradientFunction& f, const Point& from, const Vector& uphill) {
    const double slope = -dot(from.gradient, uphill);
    double low = 0.0, high = std::numeric_limits<double>::infinity(), t = 1.0;
    Point best = from;
    for (int trial = 0; trial < line_search_trials; ++trial) {
        Point next(f, sum(-t, uphill, from.theta));
        if (next.value < from.value + sufficient_decrease * t * slope) {
            if (-dot(next.gradient, uphill) >= slope_reduction * slope) return next;
            if (next.value < best.value) best = std::move(next);
            low = t;
        } else {
            high = t;
        }
        t = std::isinf(high) ? 2.0 * t : 0.5 * (low + high);
        if (high - low < resolution * high) break;
    }
    return best;
}

}  // namespace

DescentResult descend(const GradientFunction& f, Vector theta, double tol, int max_iter) {
    Point at(f, std::move(theta));
    const std::size_t n = at.theta.size();
    InverseHessian inverse(n, 1.0 / std::max(1.0, std::sqrt(dot(at.gradient, at.gradient))));
    Vector values = {at.value};
    int n_iter = 0;
    const auto end = [&](bool converged) {
        return DescentResult{at.theta, at.value, n_iter, converged};
    };
    while (n_iter < max_iter) {
        ++n_iter;
        Vector uphill = inverse.times(at.gradient);
        if (!(dot(uphill, at.gradient) > 0.0)) {
            inverse = InverseHessian(n, 1.0);
            uphill = at.gradient;
        }
        if (dot(uphill, at.gradient) == 0.0) return end(true);
        Point next = line_search(f, at, uphill);
        if (!(next.value < at.value)) return end(false);
        inverse.update(sum(-1.0, at.theta, next.theta), sum(-1.0, at.gradient, next.gradient));
        at = std::move(next);
        values.push_back(at.value);
        if (values.size() <= window) continue;
        if (values[values.size() - 1 - window] - at.value <= tol * std::abs(at.value))
            return end(true);
    }
    return end(false);
}

}  // namespace hyplane
