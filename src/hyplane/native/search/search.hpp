// The search for the lowest minimum: on samples of large data, then on all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "../local/few_losses.hpp"
#include "candidates.hpp"
#include "heavy_rows.hpp"
#include "merged_rows.hpp"
#include "multistart.hpp"
#include "starts.hpp"

namespace hyplane {

// The soft-margin solver: multistart on a small sample of the rows, a few finalists on larger
// samples, the best on all rows.

// Carry finalists to the minimum on all rows and leave the best.
template <class Watch>
void finish(const Problem& problem, const Options& options, std::vector<Candidate>& finalists,
            const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const bool exact = problem.points.n_rows <= tuning.exact_rows;
    for (Candidate& each : finalists) each.n_iter = 0;
    if (!kink_steps_possible(problem, tuning)) {
        if (!kink_steps_on_few(problem, finalists, tuning.final_tol * options.tol,
                               options.max_iter, tuning, watch))
            descend(problem, finalists, {options.tol, options.max_iter, exact}, tuning, watch);
        keep_best(finalists, 1, tuning);
        return;
    }
    KinkModel model(problem, tuning);
    if (finalists.size() > 1)
        for (Candidate& each : finalists)
            kink_steps(problem, model, each, tuning.rough_tol,
                       std::min(tuning.sample_kink_steps, options.max_iter), tuning, watch);
    keep_best(finalists, 1, tuning);
    Candidate& best = finalists.front();
    kink_steps(problem, model, best, tuning.final_tol * options.tol, options.max_iter - best.n_iter,
               tuning, watch);
}

template <class Watch>
Solution search(const Problem& problem, const Options& options, const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const std::size_t n_rows = problem.points.n_rows;
    if (n_rows > tuning.kink_steps_rows && !problem.heavy && problem.elsewhere == nullptr) {
        const Look look(problem, tuning);
        if (const std::optional<ChosenRows> merged = merged_rows(problem, look, tuning, watch))
            return search(merged->problem(problem), options, watch);
        if (!look.often.empty())
            return search(HeavyPoints(problem, look.often, watch).problem(), options, watch);
        if (has_a_heavy_row(problem, tuning)) {
            Problem heavy = problem;
            heavy.heavy = true;
            heavy.n_evaluations = 0;
            return search(heavy, options, watch);
        }
    }
    Random random(options.seed);
    std::size_t n_evaluations = 0;
    std::vector<Candidate> candidates;
    const bool single = single_search_ends_early(problem, tuning);
    for (std::size_t size = std::max(tuning.least_sample,
                                     tuning.sample_per_parameter * problem.n_parameters());
         (candidates.empty() ? 2 : tuning.sample_worth) * size < n_rows &&
         size <= tuning.largest_sample;
         size *= tuning.sample_growth) {
        const ChosenRows sample = draw_sample(problem, size, random);
        const Problem part = sample.problem(problem);
        if (candidates.empty()) {
            Multistart<Watch> first(part, options, random, watch);
            // With its heavy rows a sample is much like the whole, and worth a full search.
            candidates =
                problem.heavy
                    ? first.run()
                    : first.run_briefly(single ? tuning.single_sample_tol : tuning.sample_tol, true);
        }
        else if (kink_steps_possible(part, tuning)) {
            KinkModel model(part, tuning);
            for (Candidate& each : candidates)
                kink_steps(part, model, each, tuning.sample_tol, tuning.sample_kink_steps, tuning,
                           watch);
        } else if (!kink_steps_on_few(part, candidates, tuning.sample_tol,
                                      tuning.sample_kink_steps, tuning, watch))
            descend(part, candidates, {tuning.rough_tol, tuning.rough_iterations, false}, tuning,
                    watch);
        keep_best(candidates, size < tuning.paying_rows ? tuning.finalists : 1, tuning);
        n_evaluations += part.n_evaluations;
    }
    const bool sampled = !candidates.empty();
    std::vector<Hyperplane> minima;
    if (!sampled) {
        candidates = Multistart<Watch>(problem, options, random, watch).run();
        keep_best(candidates, tuning.finalists, tuning);
        for (const Candidate& each : candidates) minima.push_back(problem.hyperplane(each.theta));
    }
    if (!sampled && kink_steps_possible(problem, tuning)) {
        keep_best(candidates, 1, tuning);  // which is at its minimum
        Candidate& best = candidates.front();
        if (best.stop == Stop::out_of_iterations && best.n_iter < options.max_iter)
            kink_steps(problem, best, tuning.kink_tol * options.tol,
                       options.max_iter - best.n_iter, tuning, watch);
    } else {
        keep_best(candidates, n_rows > tuning.exact_rows ? 1 : tuning.finalists, tuning);
        finish(problem, options, candidates, watch);
    }
    Candidate& best = candidates.front();
    Hyperplane plane = problem.hyperplane(best.theta);
    if (best.stop == Stop::stalled && std::abs(plane.offset) > problem.points.largest_radius) {
        // At the limit the coordinates of kink steps are far from all points. Those of
        // quasi-Newton turn a hyperplane at the limit along it.
        best.n_iter = 0;
        descend(problem, candidates, {options.tol, options.max_iter, true}, tuning, watch);
        plane = problem.hyperplane(best.theta);
    }
    // Kink steps add up the losses in another order; the other methods end with an evaluation.
    if (kink_steps_possible(problem, tuning)) best.value = problem(best.theta, best.gradient);
    problem.move_out(plane, best.value);
    n_evaluations += problem.n_evaluations;
    if (minima.empty()) minima.resize(1);
    minima.front() = plane;
    return {plane,         best.value, best.n_iter, n_evaluations, judged(problem, options, best, plane),
            std::move(minima)};
}

}  // namespace hyplane
