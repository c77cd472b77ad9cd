// The search for the lowest minimum: on samples of large data, then on all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "candidates.hpp"
#include "many_rows.hpp"
#include "merged_rows.hpp"
#include "multistart.hpp"
#include "starts.hpp"

namespace hyplane {

// The product that about so many of all rows are below, as a sample tells.
inline double product_of_rank(const Problem& sample, const Hyperplane& plane, double count) {
    const std::size_t n_rows = sample.points.n_padded_rows();
    Vector sign(n_rows), product(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row)
        sign[row] = sample.labels[row] / std::sqrt(sample.points.at(row, 0));
    const OrientedHyperplane oriented(plane);
    signed_products(sample.points, 0, sample.points.n_blocks(), sign.data(), oriented,
                    NearProduct(oriented), product.data());
    std::vector<std::pair<double, double>> products;  // and for how many rows each stands
    for (std::size_t row = 0; row < sample.points.n_rows; ++row)
        if (sample.labels[row] != 0) products.emplace_back(product[row], sample.weight(row));
    std::sort(products.begin(), products.end());
    for (const auto& [product, rows] : products)
        if ((count -= rows) < 0.0) return product;
    return std::numeric_limits<double>::infinity();
}

// Whether radii differ so much that the losses of the farthest rows vary over far smaller angles than
// those of most.
inline bool has_wide_radii(const Problem& problem, const Tuning& tuning) {
    Vector radii;
    const std::size_t step = 1 + problem.points.n_rows / tuning.few_rows;
    for (std::size_t row = 0; row < problem.points.n_rows; row += step)
        if (problem.labels[row] != 0) radii.push_back(problem.points.radius(row));
    const auto quantile = [&](double share) {
        const auto place = radii.begin() + static_cast<std::ptrdiff_t>(share * (radii.size() - 1));
        std::nth_element(radii.begin(), place, radii.end());
        return *place;
    };
    const double median = quantile(0.5);
    return quantile(0.99) - median > tuning.wide_radii;
}

// From a candidate to its minimum on a sample.
template <class Watch>
void descend_on_sample(const Problem& sample, Candidate& state, const Limits& limits, const Tuning& tuning,
                       const Watch& watch) {
    if (sample.points.n_rows <= tuning.few_rows)
        descend(sample, state, limits, tuning, watch);
    else
        descend_on_many(sample, state, limits, 0.0, tuning, watch);
}

// A row's loss varies over angles of e^-r: with smaller radii there are fewer minima. On each of several
// samples the minimum with radii cut at 2 leads to one with radii cut at 3, and so on. The best on all rows
// is returned.
template <class Watch>
std::vector<Candidate> minima_by_cut_radii(const Problem& problem, const Candidate& start, Random& random,
                                           const Tuning& tuning, const Watch& watch) {
    const Limits limits{tuning.level_tol, tuning.rough_iterations};
    const std::size_t size =
        std::min(tuning.few_rows, std::max(tuning.least_wide_sample, problem.points.n_rows / 8));
    std::vector<Candidate> found(tuning.wide_samples, start);
    for (Candidate& each : found) {
        const ChosenRows sample = draw_sample(problem, size, random);
        const Problem part = sample.problem(problem);
        for (double radius = tuning.first_cut; radius < problem.points.largest_radius;
             radius *= tuning.cut_growth) {
            const PackedPoints cut = with_cut_radii(sample.points, radius);
            descend(part.with(cut, part.labels, part.weights), each, limits, tuning, watch);
        }
        descend(part, each, limits, tuning, watch);
        each.value = problem.value(each.plane);
    }
    keep_best(found, tuning.finalists, tuning);
    return found;
}

// Few rows: multistart. Many rows: multistart on a sample, then larger samples, then all rows.
template <class Watch>
Solution search(const Problem& problem, const Options& options, const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const std::size_t n_rows = problem.points.n_rows;
    if (n_rows > tuning.few_rows)
        if (const std::optional<ChosenRows> merged = merged_rows(problem, tuning, watch))
            return search(merged->problem(problem), options, watch);
    Random random(options.seed);
    std::size_t n_evaluations = 0;
    double reach = 1.0;
    std::vector<Candidate> candidates;
    for (std::size_t size = std::max(problem.weights != nullptr ? tuning.least_weighted_sample
                                                                : tuning.least_sample,
                                     tuning.sample_per_parameter * problem.n_parameters());
         (candidates.empty() ? 2 : tuning.sample_worth) * size < n_rows &&
         size <= tuning.largest_sample;
         size *= tuning.sample_growth) {
        const ChosenRows sample = draw_sample(problem, size, random);
        const Problem part = sample.problem(problem);
        if (candidates.empty()) {
            const bool single = single_search_ends_early(problem, tuning);
            Multistart<Watch> first(part, options, random, watch);
            // Heavy rows are in every sample, which is much like the whole then, and worth a full search.
            candidates =
                problem.weights != nullptr
                    ? first.run()
                    : first.run_briefly(single ? tuning.single_sample_tol : tuning.sample_tol, true);
        } else {
            for (Candidate& each : candidates)
                descend_on_sample(part, each, {tuning.sample_tol, tuning.sample_kink_steps}, tuning,
                                  watch);
        }
        keep_best(candidates, size < tuning.paying_rows ? tuning.finalists : 1, tuning);
        if (n_rows > tuning.few_rows)
            reach = product_of_rank(part, candidates.front().plane,
                                    static_cast<double>(tuning.working_rows));
        n_evaluations += part.n_evaluations;
    }
    if (n_rows > tuning.few_rows && has_wide_radii(problem, tuning))
        candidates = minima_by_cut_radii(problem, candidates.front(), random, tuning, watch);
    std::vector<Hyperplane> minima;
    if (candidates.empty()) {
        candidates = Multistart<Watch>(problem, options, random, watch).run();
        keep_best(candidates, tuning.finalists, tuning);
        for (const Candidate& each : candidates) minima.push_back(each.plane);
        keep_best(candidates, 1, tuning);
        Candidate& best = candidates.front();
        if (best.stop == Stop::out_of_iterations && best.n_iter < options.max_iter)
            descend(problem, best, {tuning.kink_tol * options.tol, options.max_iter - best.n_iter},
                    tuning, watch);
    } else {
        finish(problem, options, candidates, reach, watch);
    }
    Candidate& best = candidates.front();
    best.value = problem.value(best.plane);
    problem.move_out(best.plane, best.value);
    n_evaluations += problem.n_evaluations;
    if (minima.empty()) minima.resize(1);
    minima.front() = best.plane;
    return {best.plane,    best.value, best.n_iter, n_evaluations, judged(problem, options, best),
            std::move(minima)};
}

// Carry finalists to the minimum on all rows and leave the best.
template <class Watch>
void finish(const Problem& problem, const Options& options, std::vector<Candidate>& finalists,
            double reach, const Watch& watch) {
    const Tuning& tuning = options.tuning;
    for (Candidate& each : finalists) each.n_iter = 0;
    Limits limits{tuning.final_tol * options.tol, options.max_iter};
    if (problem.points.n_rows > tuning.few_rows) {
        if (finalists.size() > 1)
            for (Candidate& each : finalists)
                descend_on_many(problem, each, {tuning.level_tol, options.max_iter}, reach, tuning, watch);
        keep_best(finalists, 1, tuning);
        finalists.front().n_iter = 0;
        descend_on_many(problem, finalists.front(), limits, reach, tuning, watch);
        return;
    }
    KinkModel model(problem, tuning);
    if (finalists.size() > 1)
        for (Candidate& each : finalists)
            descend(model, each,
                    {tuning.rough_tol, std::min(tuning.sample_kink_steps, options.max_iter)}, tuning,
                    watch);
    keep_best(finalists, 1, tuning);
    Candidate& best = finalists.front();
    limits.max_iter -= best.n_iter;
    descend(model, best, limits, tuning, watch);
}

}  // namespace hyplane
