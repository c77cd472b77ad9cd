// The soft-margin solver: many starts on a small sample, few survivors on larger ones, the best
// on all rows. What a sample learns about curvature is handed on with the hyperplane.
#pragma once

#include <algorithm>
#include <vector>

#include "polish.hpp"
#include "problem.hpp"
#include "quasi_newton.hpp"
#include "race.hpp"

namespace hyplane {

struct Solution {
    Hyperplane plane;
    double value;
    int n_iter;
    std::size_t n_evaluations;
    Stop stop;
};

// Rows of a problem with labels and weights of their own, so that sums over them estimate sums
// over all rows: each class is sampled for itself, since one may be rare.
struct Sample {
    Points points;
    std::vector<std::int8_t> labels;
    std::vector<double> weights;

    static Sample draw(const Problem& problem, std::size_t size, Random& random) {
        std::vector<std::size_t> rows[2];
        for (std::size_t row = 0; row < problem.points.n_rows; ++row)
            if (problem.labels[row] != 0) rows[problem.labels[row] > 0].push_back(row);
        std::size_t wanted[2];
        const std::size_t rare = rows[1].size() < rows[0].size() ? 1 : 0;
        wanted[rare] = std::min(rows[rare].size(), size / 2);
        wanted[1 - rare] = std::min(rows[1 - rare].size(), size - wanted[rare]);
        std::vector<std::size_t> chosen;
        std::vector<double> weight;
        for (int side : {0, 1}) {
            const double share = static_cast<double>(rows[side].size()) / wanted[side];
            for (std::size_t i = 0; i < wanted[side]; ++i) {
                std::swap(rows[side][i], rows[side][i + random.below(rows[side].size() - i)]);
                const std::size_t row = rows[side][i];
                weight.push_back(share *
                                 (problem.weights == nullptr ? 1.0 : problem.weights[row]));
            }
            // In their own order the rows are read, not searched for.
            std::vector<std::size_t> order(wanted[side]);
            const std::size_t first = chosen.size();
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return rows[side][a] < rows[side][b];
            });
            std::vector<double> sorted(order.size());
            for (std::size_t i = 0; i < order.size(); ++i) {
                chosen.push_back(rows[side][order[i]]);
                sorted[i] = weight[first + order[i]];
            }
            std::copy(sorted.begin(), sorted.end(), weight.begin() + first);
        }
        Sample sample{problem.points.take(chosen), {}, std::move(weight)};
        for (std::size_t row : chosen) sample.labels.push_back(problem.labels[row]);
        const std::size_t padded = sample.points.n_blocks() * rows_per_block;
        sample.labels.resize(padded, 0);
        sample.weights.resize(padded, 0.0);
        return sample;
    }

    Problem problem(double C) const { return {points, labels.data(), weights.data(), C}; }
};

// `watch` is called before every evaluation; it may throw to interrupt the fit.
template <class Watch>
Solution fit_soft_margin(const Problem& problem, const Options& options, const Watch& watch) {
    const std::size_t n_rows = problem.points.n_rows;
    const std::size_t first = std::max<std::size_t>(512, 32 * problem.n_parameters());
    constexpr std::size_t growth = 8, exact_rows = 16384, n_finalists = 3;
    Random random(options.seed);
    std::size_t n_evaluations = 0;
    std::vector<Descent> field;
    for (std::size_t size = first; 2 * size < n_rows; size *= growth) {
        const Sample sample = Sample::draw(problem, size, random);
        const Problem part = sample.problem(problem.C);
        if (field.empty())
            field = Race(part, options, random, watch).run_briefly();
        else
            descend(part, field, {1e-5, 60, false}, watch);
        keep_best(field, size < exact_rows ? n_finalists : 1);
        n_evaluations += part.n_evaluations;
    }
    const bool sampled = !field.empty();
    if (!sampled) field = Race(problem, options, random, watch).run();
    if (!sampled && polish_pays(problem)) {
        keep_best(field, 1);  // which is at its minimum
    } else {
        keep_best(field, n_rows > exact_rows ? 1 : n_finalists);
        for (Descent& runner : field) runner.n_iter = 0;
        if (can_polish(problem)) {
            descend(problem, field, {1e-5, options.max_iter, false}, watch);
            keep_best(field, 1);
            polish(problem, field[0], options.tol, options.max_iter - field[0].n_iter, watch);
        } else {
            descend(problem, field, {options.tol, options.max_iter, n_rows <= exact_rows}, watch);
            keep_best(field, 1);
        }
    }
    n_evaluations += problem.n_evaluations;
    const Descent& best = field.front();
    return {problem.hyperplane(best.theta), best.value, best.n_iter, n_evaluations, best.stop};
}

}  // namespace hyplane
