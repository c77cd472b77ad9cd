// The search for the lowest minimum: on samples of large data, then on all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "candidates.hpp"
#include "many_rows.hpp"
#include "multistart.hpp"
#include "repeated_rows.hpp"
#include "starts.hpp"

namespace hyplane {

// From a candidate to its minimum on a sample.
inline void descend_on_sample(const Problem& sample, Candidate& state, const Limits& limits,
                              const ManyRowsOptions& options, const Tuning& tuning,
                              const Watch& watch) {
    if (sample.points.n_rows <= tuning.few_rows)
        descend(sample, state, limits, tuning, watch);
    else
        descend_on_many(sample, state, limits, options, tuning, watch);
}

// A row's loss varies over angles of e^-r: with smaller radii there are fewer minima. On each of
// several samples the minimum with radii cut at 2 leads to one with radii cut at 3, and so on. The
// best on all rows are returned.
inline std::vector<Candidate> minima_by_cut_radii(const Problem& problem, const Candidate& start,
                                                  Random& random, const Tuning& tuning,
                                                  const Watch& watch) {
    const Limits limits{tuning.level_tol, rough_iterations};
    const std::size_t size =
        std::min(tuning.few_rows, std::max(tuning.few_rows / 4, problem.points.n_rows / 8));
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
    keep_best(found, tuning.carried, tuning);
    return found;
}

// Samples of growing size, each drawn from the next larger one; none where all rows are few.
inline std::vector<ChosenRows> nested_samples(const Problem& problem, Random& random,
                                              const Tuning& tuning) {
    std::vector<std::size_t> sizes;
    for (std::size_t size =
             std::max(problem.weights != nullptr ? tuning.small_rows : tuning.least_sample,
                      tuning.sample_per_parameter * problem.n_parameters());
         (sizes.empty() ? 2 : tuning.sample_growth / 2) * size < problem.points.n_rows;
         size *= tuning.sample_growth)
        sizes.push_back(size);
    std::vector<ChosenRows> samples;
    for (std::size_t k = sizes.size(); k-- > 0;)
        samples.push_back(draw_sample(samples.empty() ? problem : samples.back().problem(problem),
                                      sizes[k], random));
    std::reverse(samples.begin(), samples.end());
    return samples;
}

// Multistart on the smallest sample; the best minima are followed on larger ones.
inline std::vector<Candidate> minima_of_samples(const Problem& problem, const Options& options,
                                                Random& random, ManyRowsOptions& on_all,
                                                const Watch& watch) {
    const Tuning& tuning = options.tuning;
    std::vector<Candidate> candidates;
    for (const ChosenRows& sample : nested_samples(problem, random, tuning)) {
        const Problem part = sample.problem(problem);
        if (candidates.empty()) {
            Multistart first(part, options, random, watch);
            // Heavy rows are in every sample, which is much like the whole then, and worth a full
            // search.
            candidates =
                problem.weights != nullptr
                    ? first.run()
                    : first.run_briefly(single_search_ends_early(problem, tuning) ? tuning.level_tol
                                                                                  : options.tol,
                                        true);
        } else {
            ManyRowsOptions here;
            here.spread = on_all.spread;
            for (Candidate& each : candidates)
                descend_on_sample(part, each, {options.tol, rough_iterations}, here, tuning, watch);
        }
        keep_best(candidates, part.points.n_rows < tuning.small_rows ? tuning.carried : 1, tuning);
        if (problem.points.n_rows > tuning.few_rows)
            on_all = ManyRowsOptions(part, candidates.front().plane, tuning.working_rows, tuning);
        problem.n_evaluations += part.n_evaluations;
    }
    if (on_all.wide)
        candidates = minima_by_cut_radii(problem, candidates.front(), random, tuning, watch);
    return candidates;
}

// A few steps on a random part of the rows, which lead over small barriers.
inline Candidate perturbed(const Problem& problem, const Candidate& start, double tol,
                           Random& random, const Tuning& tuning, const Watch& watch) {
    const ChosenRows sample =
        draw_sample(problem, problem.points.n_rows / tuning.sample_growth, random);
    const Problem part = sample.problem(problem);
    Candidate moved = start;
    descend_on_sample(part, moved, {tol, 2 * tuning.perturbed_steps}, {}, tuning, watch);
    problem.n_evaluations += part.n_evaluations;
    moved.n_iter = 0;
    return moved;
}

// Where radii vary widely, small barriers separate many minima. Perturb, descend on all rows, and
// keep the lower minimum (iterated local search).
inline void perturb_on_all(const Problem& problem, const Options& options, const Limits& limits,
                           Candidate& best, Random& random, const ManyRowsOptions& on_all,
                           const Watch& watch) {
    const Tuning& tuning = options.tuning;
    for (int failures = 0, n = 0;
         failures < tuning.wide_perturbations && n < 10 * tuning.wide_perturbations; ++n) {
        Candidate moved = perturbed(problem, best, options.tol, random, tuning, watch);
        descend_on_many(problem, moved, limits, on_all, tuning, watch);
        ++failures;
        if (moved.value < best.value - limits.tolerance * std::abs(best.value)) {
            best = std::move(moved);
            failures = 0;
        }
    }
}

// Carry finalists to the minimum on all rows and leave the best.
inline void finish(const Problem& problem, const Options& options,
                   std::vector<Candidate>& finalists, ManyRowsOptions on_all, Random& random,
                   const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const bool many = problem.points.n_rows > tuning.few_rows;
    std::optional<KinkModel> model;
    if (!many) model.emplace(problem, tuning);
    const auto to_minimum = [&](Candidate& each, const Limits& limits) {
        each.n_iter = 0;
        if (many)
            descend_on_many(problem, each, limits, on_all, tuning, watch);
        else
            descend(*model, each, limits, tuning, watch);
    };
    if (finalists.size() > 1) {
        for (Candidate& each : finalists) to_minimum(each, {tuning.level_tol, options.max_iter});
        keep_best(finalists, 1, tuning);
        on_all.spread = 0.0;  // it is near now
    }
    const Limits limits{tuning.final_tol * options.tol, options.max_iter};
    to_minimum(finalists.front(), limits);
    on_all.spread = 0.0;
    if (on_all.wide)
        perturb_on_all(problem, options, limits, finalists.front(), random, on_all, watch);
}

// Few rows: multistart. Many rows: multistart on a sample, then larger samples, then all rows.
inline Solution search(const Problem& problem, const Options& options, const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const std::size_t n_rows = problem.points.n_rows;
    if (n_rows > tuning.small_rows)
        if (const std::optional<ChosenRows> different =
                without_repetitions(problem, n_rows / 2, watch))
            return search(different->problem(problem), options, watch);
    Random random(options.seed);
    ManyRowsOptions on_all;
    std::vector<Candidate> candidates = minima_of_samples(problem, options, random, on_all, watch);
    std::vector<Hyperplane> minima(1);
    if (candidates.empty()) {
        candidates = Multistart(problem, options, random, watch).run();
        keep_best(candidates, tuning.carried, tuning);
        minima.clear();
        for (const Candidate& each : candidates) minima.push_back(each.plane);
        Candidate& best = candidates.front();
        // A new model can lead on from a stall, but far out it may see a minimum where there is
        // none.
        const bool again =
            best.stop == Stop::out_of_iterations ||
            (best.stop == Stop::stalled && problem.points.largest_radius <= tuning.large_radius);
        if (again && best.n_iter < options.max_iter)
            descend(problem, best, {tuning.kink_tol * options.tol, options.max_iter - best.n_iter},
                    tuning, watch);
    } else {
        finish(problem, options, candidates, on_all, random, watch);
    }
    Candidate& best = candidates.front();
    if (n_rows <= tuning.few_rows) best.value = problem.value(best.plane);
    problem.move_out(best.plane, best.value);
    minima.front() = best.plane;
    return {best.plane,
            best.value,
            best.n_iter,
            problem.n_evaluations,
            judged(problem, options, best),
            std::move(minima)};
}

}  // namespace hyplane
