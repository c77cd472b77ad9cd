// Small convex fits that cross validation makes by the thousand: the squared hinge of Euclidean
// lines, and Platt's sigmoid. Newton's method, as their Python callers say.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "../bindings.hpp"
#include "../checks.hpp"
#include "../interrupt.hpp"
#include "../linalg/dense.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace {

// slack = 1 - w·z of each row, z a column of Z.
HYPLANE_EVERY_CPU void slacks(const Columns& Z, const double* w, double* slack) {
    std::fill(slack, slack + Z.count, 1.0);
    for (std::size_t i = 0; i < Z.n_dim; ++i) add_multiple(slack, -w[i], Z.line(i), Z.count);
}

// Σ c max(0, slack)².
HYPLANE_EVERY_CPU double sum_of_squares(const double* c, const double* slack, std::size_t n_rows) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < n_rows; ++j)
        total += slack[j] > 0.0 ? c[j] * slack[j] * slack[j] : 0.0;
    return total;
}

// g <- w - 2 Σ active slack z.
HYPLANE_EVERY_CPU void gradient_of(const Columns& Z, const double* w, const double* pull,
                                   double* gradient) {
    for (std::size_t i = 0; i < Z.n_dim; ++i)
        gradient[i] = w[i] - 2.0 * sum_of_products(Z.line(i), pull, Z.count);
}

// New memory can take a second to be cleared: large arrays are filled in parts of this size.
constexpr std::size_t numbers_between_calls = std::size_t(1) << 20;

Vector zeros(std::size_t size, const CompiledCall& call) {
    Vector out;
    out.reserve(size);
    while (out.size() < size) {
        call();
        out.resize(std::min(size, out.size() + numbers_between_calls));
    }
    return out;
}

// Minimises ½|w|² + Σ c max(0, 1 - w·z)² from w = 0.
class SquaredHinge {
  public:
    SquaredHinge(const Columns& Z, const CompiledCall& call)
        : Z_(Z), n_(Z.n_dim), hessian_(zeros(n_ * n_, call)), slack_(Z.count), active_(Z.count),
          pull_(Z.count), gradient_(n_), step_(n_), moved_(n_) {}

    // False where the steps ran out.
    bool solve(const double* c, double tolerance, int most, double* w, const CompiledCall& call) {
        std::fill(w, w + n_, 0.0);
        for (int iteration = 0; iteration < most; ++iteration) {
            call();
            if (!newton_step(c, w, call)) return false;
            double longest = 0.0, largest = 0.0;
            for (std::size_t i = 0; i < n_; ++i) {
                longest = std::max(longest, std::abs(step_[i]));
                largest = std::max(largest, std::abs(w[i]));
                if (!std::isfinite(step_[i])) return false;
            }
            if (longest <= tolerance * (1.0 + largest)) return true;
            take_step(c, w, call);
        }
        return false;
    }

  private:
    bool newton_step(const double* c, const double* w, const CompiledCall& call) {
        slacks(Z_, w, slack_.data());
        for (std::size_t j = 0; j < Z_.count; ++j) {
            active_[j] = slack_[j] > 0.0 ? c[j] : 0.0;
            pull_[j] = active_[j] * slack_[j];
        }
        gradient_of(Z_, w, pull_.data(), gradient_.data());
        std::fill(hessian_.begin(), hessian_.end(), 0.0);
        add_all_grams(call);
        for (double& each : hessian_) {
            each *= 2.0;
            if (std::isinf(each)) return false;  // its factor could be finite, and wrong
        }
        for (std::size_t i = 0; i < n_; ++i) {
            hessian_[i * n_ + i] += 1.0;
            step_[i] = -gradient_[i];
        }
        if (!cholesky(hessian_, n_, 0.0, call)) return false;
        solve_lower(hessian_.data(), step_.data(), n_, n_);
        solve_lower_transposed(hessian_.data(), step_.data(), n_, n_);
        return true;
    }

    // In parts, so that Ctrl-C is answered where there are many rows or columns.
    void add_all_grams(const CompiledCall& call) {
        constexpr std::size_t products = 1 << 24;  // between two calls
        const std::size_t rows = gram_stretch * (products / (gram_stretch * (n_ * n_ + 1)) + 1);
        const std::size_t lines = gram_lines * (products / (gram_lines * rows * (n_ + 1)) + 1);
        for (std::size_t first = 0; first < Z_.count; first += rows)
            for (std::size_t line = 0; line < n_; line += lines) {
                add_gram(Z_, active_.data(), first, std::min(Z_.count, first + rows),
                         hessian_.data(), line, line + lines);
                call();
            }
    }

    // Halves the step until the objective falls enough; the full one nearly always does. Rounding
    // must not stop the last, tiny steps.
    void take_step(const double* c, double* w, const CompiledCall& call) {
        const double before = objective(c, w), slope = dot(gradient_, step_);
        double size = 1.0;
        for (int trial = 0; trial < 50; ++trial) {
            call();
            for (std::size_t i = 0; i < n_; ++i) moved_[i] = w[i] + size * step_[i];
            if (objective(c, moved_.data()) <= before + 1e-4 * size * slope + 1e-12 * before) break;
            size *= 0.5;
        }
        for (std::size_t i = 0; i < n_; ++i) w[i] += size * step_[i];
    }

    double objective(const double* c, const double* w) {
        slacks(Z_, w, slack_.data());
        return 0.5 * sum_of_products(w, w, n_) + sum_of_squares(c, slack_.data(), Z_.count);
    }

    const Columns& Z_;
    const std::size_t n_;
    Vector hessian_;  // first: with too many columns this does not fit into memory
    Vector slack_, active_, pull_, gradient_, step_, moved_;
};

void check_finite(const double* values, std::size_t size, const char* name) {
    for (std::size_t i = 0; i < size; ++i)
        if (!std::isfinite(values[i]))
            throw std::invalid_argument(std::string(name) + " must be finite");
}

void check_not_negative(const double* values, std::size_t size, const char* name) {
    for (std::size_t i = 0; i < size; ++i)
        if (!(values[i] >= 0.0) || std::isinf(values[i]))
            throw std::invalid_argument(std::string(name) + " must be finite and not negative");
}

Columns copied(const Matrix& Z, const CompiledCall& call) {
    Columns columns;
    columns.n_dim = Z.shape(0);
    columns.count = columns.capacity = Z.shape(1);
    columns.data.reserve(Z.size());
    for (std::size_t first = 0; first < Z.size(); first += numbers_between_calls) {
        call();
        columns.data.insert(columns.data.end(), Z.data() + first,
                            Z.data() + std::min(Z.size(), first + numbers_between_calls));
    }
    return columns;
}

NumpyVector squared_hinge(Matrix Z, Matrix weights, double tolerance, int max_iter) {
    if (weights.shape(1) != Z.shape(1))
        throw std::invalid_argument("there are " + std::to_string(Z.shape(1)) + " rows but " +
                                    std::to_string(weights.shape(1)) + " weights of each fit");
    // An array without rows of any shape takes no memory; products of sizes must not overflow.
    constexpr std::size_t most = std::size_t(1) << 31;
    if (Z.shape(0) >= most || weights.shape(0) >= most)
        throw std::invalid_argument("there are too many columns or fits");
    check_finite(Z.data(), Z.size(), "Z");
    check_not_negative(weights.data(), weights.size(), "weights");
    check_limits(tolerance, max_iter);
    Vector w(weights.shape(0) * Z.shape(0));
    std::size_t n_solved = 0;
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        const Columns columns = copied(Z, call);
        SquaredHinge solver(columns, call);
        while (n_solved < weights.shape(0) &&
               solver.solve(weights.data() + n_solved * columns.count, tolerance, max_iter,
                            w.data() + n_solved * columns.n_dim, call))
            ++n_solved;
    }
    if (n_solved < weights.shape(0))
        throw std::invalid_argument("Newton's method did not end within " +
                                    std::to_string(max_iter) +
                                    " steps; are the columns of X of very different sizes? Scale "
                                    "them.");
    return to_array(w);
}

// The cross entropy of targets and σ(slope · score + intercept), and its derivatives.
struct CrossEntropy {
    const double *score, *target, *weight;  // weight may be null
    std::size_t n_rows;
    double value = 0.0, slope = 0.0, intercept = 0.0;           // and the first derivatives
    double slope_slope = 0.0, slope_intercept = 0.0, intercept_intercept = 0.0;

    void evaluate(double a, double b, const CompiledCall& call) {
        constexpr std::size_t rows_between_calls = 1 << 20;
        value = slope = intercept = slope_slope = slope_intercept = intercept_intercept = 0.0;
        for (std::size_t j = 0; j < n_rows; ++j) {
            if (j % rows_between_calls == 0) call();
            const double x = score[j], log_odds = a * x + b, c = weight ? weight[j] : 1.0;
            const double small = std::exp(-std::abs(log_odds)), per_sum = 1.0 / (1.0 + small);
            const double probability = log_odds >= 0.0 ? per_sum : small * per_sum;
            const double excess = c * (probability - target[j]);
            const double curvature = c * small * per_sum * per_sum;
            value += c * (std::max(log_odds, 0.0) + std::log1p(small) - target[j] * log_odds);
            slope += excess * x;
            intercept += excess;
            slope_slope += curvature * x * x;
            slope_intercept += curvature * x;
            intercept_intercept += curvature;
        }
    }
};

// Newton's method with halved steps, as in Lin, Lin and Weng (2007).
std::pair<double, double> sigmoid(Doubles scores, Doubles targets, std::optional<Doubles> weights,
                                  double intercept, int max_iter) {
    const std::size_t n_rows = scores.shape(0);
    if (targets.shape(0) != n_rows || (weights && weights->shape(0) != n_rows))
        throw std::invalid_argument("scores, targets and weights differ in length");
    check_finite(scores.data(), n_rows, "scores");
    for (std::size_t j = 0; j < n_rows; ++j)
        if (!(targets(j) >= 0.0 && targets(j) <= 1.0))
            throw std::invalid_argument("targets must be probabilities");
    if (weights) check_not_negative(weights->data(), n_rows, "weights");
    check_finite(&intercept, 1, "intercept");
    CompiledCall call;
    nb::gil_scoped_release unlocked;
    CrossEntropy at{scores.data(), targets.data(), weights ? weights->data() : nullptr, n_rows};
    double slope = 0.0;
    at.evaluate(slope, intercept, call);
    for (int iteration = 0; iteration < max_iter; ++iteration) {
        // Not singular, also where all scores are equal or all probabilities 0 or 1.
        const double ridge = 1e-12 * (at.intercept_intercept + 1.0);
        const double h_slope = at.slope_slope + ridge, h_intercept = at.intercept_intercept + ridge;
        const double determinant = h_slope * h_intercept - at.slope_intercept * at.slope_intercept;
        const double step_slope =
            -(h_intercept * at.slope - at.slope_intercept * at.intercept) / determinant;
        const double step_intercept =
            -(h_slope * at.intercept - at.slope_intercept * at.slope) / determinant;
        const double predicted = -(at.slope * step_slope + at.intercept * step_intercept);
        if (!(predicted > 1e-14 * at.value)) break;
        const double before = at.value;
        double share = 1.0;
        for (; share > 1e-10; share *= 0.5) {
            at.evaluate(slope + share * step_slope, intercept + share * step_intercept, call);
            if (at.value < before - 1e-4 * share * predicted) break;
        }
        if (!(share > 1e-10)) break;
        slope += share * step_slope;
        intercept += share * step_intercept;
    }
    return {slope, intercept};
}

}  // namespace

NB_MODULE(convex, m) {
    nb::set_leak_warnings(false);
    m.doc() = "Small convex fits: the squared hinge of lines, and Platt's sigmoid.";
    CompiledCall::cancel_at_exit();
    m.def("squared_hinge", &squared_hinge, "Z"_a.noconvert(), "weights"_a.noconvert(),
          "tolerance"_a, "max_iter"_a,
          "The minima of ½|w|² + Σ c max(0, 1 - w·z)², z the columns of Z, one after the other for "
          "each line of weights.");
    m.def("sigmoid", &sigmoid, "scores"_a, "targets"_a, "weights"_a.none(), "intercept"_a,
          "max_iter"_a, "Slope and intercept of the sigmoid with the least cross entropy.");
}
