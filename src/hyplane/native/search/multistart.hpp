// The search for the lowest minimum, on samples and on all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../local/kink_steps.hpp"
#include "../local/quasi_newton.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "starts.hpp"

namespace hyplane {

// The search for the lowest of many minima: multistart in rounds. A round takes several starts a
// few steps down and carries the best of them to their minima; the best of a round is perturbed
// until nothing lower is found (iterated local search).

struct Options {
    double tol;
    int max_iter;
    std::uint64_t seed;
    std::vector<Hyperplane> starts;  // of a similar problem; they take the place of random ones
    Tuning tuning;
};

inline bool lower(const Candidate& a, const Candidate& b) { return a.value < b.value; }

// Whether two values belong to one minimum, as far as can be told.
inline bool same_minimum(double value, double best, const Tuning& tuning) {
    return value <= best + tuning.same_minimum * std::abs(best);
}

inline void keep_best(std::vector<Candidate>& candidates, std::size_t count, const Tuning& tuning) {
    std::sort(candidates.begin(), candidates.end(), lower);
    std::vector<Candidate> kept;
    for (Candidate& each : candidates) {
        if (kept.size() == count) break;
        if (kept.empty() || !same_minimum(each.value, kept.back().value, tuning))
            kept.push_back(std::move(each));
    }
    candidates = std::move(kept);
}

template <class Watch>
void descend(const Problem& problem, std::vector<Candidate>& candidates, const Tolerance& tolerance,
             const Tuning& tuning, const Watch& watch) {
    const auto watched = [&](const Vector& theta, Vector& gradient) {
        watch();
        return problem(theta, gradient);
    };
    const bool guess = !kink_steps_pay(problem, tuning) &&
                       Metric::is_dense(problem.n_parameters(), tuning);
    for (Candidate& each : candidates) {
        each.value = watched(each.theta, each.gradient);
        if (guess)
            each.metric.seed(smoothed_inverse_hessian(problem, each.theta, tuning));
        else if (!kink_steps_pay(problem, tuning))
            each.metric.reset();
        quasi_newton(watched, each, tolerance, tuning);
    }
}

template <class Watch>
class Multistart {
  public:
    Multistart(const Problem& problem, const Options& options, Random& random, const Watch& watch)
        : problem_(problem), options_(options), tuning_(options.tuning), random_(random),
          watch_(watch), with_kinks_(kink_steps_pay(problem, tuning_)) {}

    // Two rounds: enough to know which minima of a sample are worth a closer look.
    std::vector<Candidate> run_briefly() {
        round(first_starts());
        if (problem_.n_parameters() <= tuning_.few_parameters)
            round(starts(tuning_.starts_of_a_brief_round));
        return std::move(found_);
    }

    // The stopping rule. A problem is easy where every search of the first round ended at one
    // minimum that separates the classes, the classes are of similar size and the points are near:
    // then there is no second round. Otherwise rounds go on until the best minimum was the result
    // of several of them, or two rounds of random starts led nowhere else. A rare class has more
    // minima, so it gets more rounds. benchmarks/README.md compares this with the Bayesian rule of
    // Boender and Rinnooy Kan (1987).
    std::vector<Candidate> run() {
        if (!options_.starts.empty() || (!with_kinks_ && !problem_.points.far))
            return run_briefly();
        round(first_starts());
        if (is_easy()) return std::move(found_);
        const bool rare = share_of_the_rarer_class() < tuning_.rare_class;
        const std::size_t n_hits = rare ? tuning_.hits_if_rare : tuning_.hits;
        const std::size_t most = rare ? tuning_.rounds_if_rare : tuning_.rounds;
        for (std::size_t n = 0; n < most; ++n) {
            const std::size_t first = found_.size();
            round(starts(tuning_.starts_of_a_round));
            const std::size_t n_best = count_best(found_);
            if (!with_kinks_) {
                if (n_best >= n_hits) break;
                continue;
            }
            const bool only_one = n_best == found_.size();
            if (only_one && n == 0) continue;
            const auto best = std::min_element(found_.begin() + first, found_.end(), lower);
            perturb(*best, only_one ? tuning_.perturbations_if_one : tuning_.perturbations);
            results_.push_back(*best);
            if (only_one || count_best(results_) >= n_hits) break;
        }
        return std::move(found_);
    }

  private:
    std::vector<Hyperplane> first_starts() const {
        std::vector<Hyperplane> planes = informed_starts(problem_, tuning_, watch_);
        planes.insert(planes.end(), options_.starts.begin(), options_.starts.end());
        return planes;
    }

    std::vector<Hyperplane> starts(std::size_t count) {
        return random_starts(problem_, count, with_kinks_, tuning_, random_, watch_);
    }

    bool is_easy() const {
        return with_kinks_ && problem_.points.largest_radius < tuning_.easy_radius &&
               share_of_the_rarer_class() > tuning_.easy_share &&
               count_best(found_) == found_.size() && clearly_separates();
    }

    // As s goes to 0 every loss becomes arsinh 1. A hyperplane that tells little about the labels
    // ends near that value, and then there are many minima.
    bool clearly_separates() const {
        double total = 0.0;
        for (std::size_t row = 0; row < problem_.points.n_rows; ++row)
            if (problem_.labels[row] != 0) total += problem_.weight(row);
        return found_.front().value <
               tuning_.easy_value * problem_.C * total * std::log(one_plus_sqrt2);
    }

    double share_of_the_rarer_class() const {
        std::size_t count[2] = {0, 0};
        for (std::size_t row = 0; row < problem_.points.n_rows; ++row)
            if (problem_.labels[row] != 0) ++count[problem_.labels[row] > 0];
        return static_cast<double>(std::min(count[0], count[1])) / (count[0] + count[1]);
    }

    std::size_t count_best(const std::vector<Candidate>& candidates) const {
        const double best = std::min_element(candidates.begin(), candidates.end(), lower)->value;
        return static_cast<std::size_t>(
            std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& each) {
                return same_minimum(each.value, best, tuning_);
            }));
    }

    // A few steps from every start; the best are carried to their minimum.
    void round(const std::vector<Hyperplane>& planes) {
        const std::size_t n_carried =
            problem_.n_parameters() <= tuning_.few_parameters ? tuning_.carried : 1;
        std::vector<Candidate> candidates;
        for (const Hyperplane& plane : planes) {
            Candidate each;
            each.theta = problem_.parameters(plane);
            candidates.push_back(std::move(each));
        }
        const int few = std::min(tuning_.brief_iterations, options_.max_iter);
        descend(problem_, candidates, {tuning_.brief_tol, few, false}, tuning_, watch_);
        for (Candidate& each : candidates) move_out(each);
        keep_best(candidates, n_carried, tuning_);
        if (with_kinks_)
            for (Candidate& each : candidates) finish(each);
        else
            descend(problem_, candidates, {tuning_.rough_tol, tuning_.rough_iterations, false},
                    tuning_, watch_);
        for (Candidate& each : candidates) found_.push_back(std::move(each));
    }

    void move_out(Candidate& candidate) {
        Hyperplane plane = problem_.hyperplane(candidate.theta);
        if (!problem_.move_out(plane, candidate.value)) return;
        candidate.theta = problem_.parameters(plane);
        candidate.value = problem_(candidate.theta, candidate.gradient);
        candidate.metric.reset();
    }

    void finish(Candidate& candidate) {
        const int left = options_.max_iter - candidate.n_iter;
        kink_steps(problem_, candidate, tuning_.kink_tol * options_.tol,
                   std::min(tuning_.rough_iterations, left), tuning_, watch_);
    }

    // For a few steps each row gets a random weight. That moves a hyperplane out of a shallow
    // minimum by steps that fit the problem, however different the scales of its directions are.
    void perturb(Candidate& best, int failures_allowed) {
        const std::size_t n_rows = problem_.points.n_rows;
        Vector weights(problem_.points.n_padded_rows(), 0.0);
        const int most = tuning_.most_perturbations * failures_allowed;
        for (int failures = 0, n = 0; failures < failures_allowed && n < most; ++n) {
            for (std::size_t row = 0; row < n_rows; ++row)
                weights[row] = -std::log1p(-random_.uniform()) * problem_.weight(row);
            const Problem perturbed{problem_.points, problem_.labels, weights.data(), problem_.C,
                                    problem_.beyond};
            Candidate moved = best;
            moved.value = perturbed(moved.theta, moved.gradient);
            kink_steps(perturbed, moved, tuning_.brief_tol, tuning_.perturbed_steps, tuning_,
                       watch_);
            problem_.n_evaluations += perturbed.n_evaluations;
            moved.value = problem_(moved.theta, moved.gradient);
            moved.n_iter = 0;
            finish(moved);
            ++failures;
            if (moved.value < best.value - tuning_.improvement * std::abs(best.value)) {
                best = std::move(moved);
                failures = 0;
            }
        }
    }

    const Problem& problem_;
    const Options& options_;
    const Tuning& tuning_;
    Random& random_;
    const Watch& watch_;
    const bool with_kinks_;
    std::vector<Candidate> found_, results_;
};

// The soft-margin solver: multistart on a small sample of the rows, a few finalists on larger
// samples, the best on all rows.

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
        const Problem part = sample.problem(problem.C, problem.beyond);
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
    Candidate& best = candidates.front();
    Hyperplane plane = problem.hyperplane(best.theta);
    if (best.stop == Stop::stalled && std::abs(plane.offset) > problem.points.largest_radius) {
        // At the limit the coordinates of kink steps are far from all points. Those of
        // quasi-Newton turn a hyperplane at the limit along it.
        best.n_iter = 0;
        descend(problem, candidates, {options.tol, options.max_iter, true}, tuning, watch);
        plane = problem.hyperplane(best.theta);
    }
    n_evaluations += problem.n_evaluations;
    problem.move_out(plane, best.value);
    return {plane, best.value, best.n_iter, n_evaluations, judged(problem, options, best, plane)};
}

}  // namespace hyplane
