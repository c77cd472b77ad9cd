#include "sigmoid.hpp"

#include <algorithm>
#include <cmath>

namespace hyplane {

namespace {

// The cross entropy of targets and σ(slope · score + intercept), and its derivatives.
struct CrossEntropy {
    const SigmoidRows& rows;
    double value = 0.0, slope = 0.0, intercept = 0.0;  // and the first derivatives
    double slope_slope = 0.0, slope_intercept = 0.0, intercept_intercept = 0.0;

    void evaluate(double a, double b, const std::function<void()>& watch) {
        constexpr std::size_t rows_between_calls = 1 << 20;
        value = slope = intercept = slope_slope = slope_intercept = intercept_intercept = 0.0;
        for (std::size_t j = 0; j < rows.n_rows; ++j) {
            if (j % rows_between_calls == 0) watch();
            const double x = rows.score[j], c = rows.weight ? rows.weight[j] : 1.0;
            const double log_odds = a * x + b;
            const double small = std::exp(-std::abs(log_odds)), per_sum = 1.0 / (1.0 + small);
            const double probability = log_odds >= 0.0 ? per_sum : small * per_sum;
            const double excess = c * (probability - rows.target[j]);
            const double curvature = c * small * per_sum * per_sum;
            value += c * (std::max(log_odds, 0.0) + std::log1p(small) - rows.target[j] * log_odds);
            slope += excess * x;
            intercept += excess;
            slope_slope += curvature * x * x;
            slope_intercept += curvature * x;
            intercept_intercept += curvature;
        }
    }
};

}  // namespace

std::pair<double, double> fit_sigmoid(const SigmoidRows& rows, double intercept, int max_iter,
                                      const std::function<void()>& watch) {
    CrossEntropy at{rows};
    double slope = 0.0;
    at.evaluate(slope, intercept, watch);
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
            at.evaluate(slope + share * step_slope, intercept + share * step_intercept, watch);
            if (at.value < before - 1e-4 * share * predicted) break;
        }
        if (!(share > 1e-10)) break;
        slope += share * step_slope;
        intercept += share * step_intercept;
    }
    return {slope, intercept};
}

}  // namespace hyplane
