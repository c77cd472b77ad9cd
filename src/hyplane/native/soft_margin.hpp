// The soft-margin solver: many starts on a small sample, few survivors on larger ones, the best
// on all rows.
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
        const std::size_t n_rows = problem.points.n_rows;
        std::size_t count[2] = {0, 0}, wanted[2];
        for (std::size_t row = 0; row < n_rows; ++row)
            if (problem.labels[row] != 0) ++count[problem.labels[row] > 0];
        const std::size_t rare = count[1] < count[0] ? 1 : 0;
        wanted[rare] = std::min(count[rare], size / 2);
        wanted[1 - rare] = std::min(count[1 - rare], size - wanted[rare]);
        // One walk over the rows takes each with the chance that leaves the wanted number in the
        // end (Knuth's algorithm S): in order, and with no list of all rows.
        std::size_t left[2] = {count[0], count[1]}, needed[2] = {wanted[0], wanted[1]};
        std::vector<std::size_t> chosen;
        std::vector<std::int8_t> labels;
        std::vector<double> weights;
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (problem.labels[row] == 0) continue;
            const int side = problem.labels[row] > 0;
            if (random.below(left[side]--) >= needed[side]) continue;
            --needed[side];
            chosen.push_back(row);
            labels.push_back(problem.labels[row]);
            weights.push_back(static_cast<double>(count[side]) / wanted[side] *
                              (problem.weights == nullptr ? 1.0 : problem.weights[row]));
        }
        Sample sample{problem.points.take(chosen), std::move(labels), std::move(weights)};
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
    constexpr std::size_t growth = 8, largest_sample = 1 << 19, exact_rows = 16384;
    constexpr std::size_t n_finalists = 3;
    Random random(options.seed);
    std::size_t n_evaluations = 0;
    std::vector<Descent> field;
    for (std::size_t size = first; 2 * size < n_rows && size <= largest_sample; size *= growth) {
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
            polish(problem, field[0], polish_tol(options.tol),
                   options.max_iter - field[0].n_iter, watch);
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
