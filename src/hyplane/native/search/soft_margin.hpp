// The soft-margin solver: multistart on a small sample of the rows, a few finalists on larger
// samples, the best on all rows.
#pragma once

#include <algorithm>
#include <vector>

#include "multistart.hpp"
#include "sample.hpp"

namespace hyplane {

struct Solution {
    Hyperplane plane;
    double value;
    int n_iter;
    std::size_t n_evaluations;
    Stop stop;
};

// What is known where a descent stalled. No decrease can be larger than the value, since the
// objective is not negative. Kink steps aim at less than the tolerance asked for.
inline Stop judged(const Problem& problem, const Options& options, const Candidate& best,
                   const Hyperplane& plane) {
    if (best.stop != Stop::stalled) return best.stop;
    const double most = best.predicted < best.value ? best.predicted : best.value;
    if (most <= options.tol * std::abs(best.value)) return Stop::converged;
    return most <= problem.resolution(plane) ? Stop::converged_to_rounding : Stop::stalled;
}

// Carry finalists to the minimum on all rows and leave the best.
template <class Watch>
void finish(const Problem& problem, const Options& options, std::vector<Candidate>& finalists,
            const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const bool exact = problem.points.n_rows <= tuning.exact_rows;
    for (Candidate& each : finalists) each.n_iter = 0;
    if (!kink_steps_possible(problem, tuning)) {
        descend(problem, finalists, {options.tol, options.max_iter, exact}, tuning, watch);
        keep_best(finalists, 1, tuning);
        return;
    }
    descend(problem, finalists, {tuning.rough_tol, options.max_iter, false}, tuning, watch);
    keep_best(finalists, 1, tuning);
    Candidate& best = finalists.front();
    kink_steps(problem, best, tuning.kink_tol * options.tol, options.max_iter - best.n_iter, tuning,
               watch);
}

// `watch` is called before every evaluation; it may throw to interrupt the fit.
template <class Watch>
Solution fit_soft_margin(const Problem& problem, const Options& options, const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const std::size_t n_rows = problem.points.n_rows;
    Random random(options.seed);
    std::size_t n_evaluations = 0;
    std::vector<Candidate> candidates;
    for (std::size_t size = std::max(tuning.least_sample,
                                     tuning.sample_per_parameter * problem.n_parameters());
         2 * size < n_rows && size <= tuning.largest_sample; size *= tuning.sample_growth) {
        const Sample sample = Sample::draw(problem, size, random);
        const Problem part = sample.problem(problem.C);
        if (candidates.empty())
            candidates = Multistart<Watch>(part, options, random, watch).run_briefly();
        else
            descend(part, candidates, {tuning.rough_tol, tuning.rough_iterations, false}, tuning,
                    watch);
        keep_best(candidates, size < tuning.exact_rows ? tuning.finalists : 1, tuning);
        n_evaluations += part.n_evaluations;
    }
    const bool sampled = !candidates.empty();
    if (!sampled) candidates = Multistart<Watch>(problem, options, random, watch).run();
    if (!sampled && kink_steps_pay(problem, tuning)) {
        keep_best(candidates, 1, tuning);  // which is at its minimum
        Candidate& best = candidates.front();
        if (best.stop == Stop::out_of_iterations && best.n_iter < options.max_iter)
            kink_steps(problem, best, tuning.kink_tol * options.tol,
                       options.max_iter - best.n_iter, tuning, watch);
    } else {
        keep_best(candidates, n_rows > tuning.exact_rows ? 1 : tuning.finalists, tuning);
        finish(problem, options, candidates, watch);
    }
    n_evaluations += problem.n_evaluations;
    const Candidate& best = candidates.front();
    const Hyperplane plane = problem.hyperplane(best.theta);
    return {plane, best.value, best.n_iter, n_evaluations, judged(problem, options, best, plane)};
}

}  // namespace hyplane
