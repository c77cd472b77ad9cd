// The search for the lowest minimum, on samples and on all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../local/kink_steps.hpp"
#include "../local/quasi_newton.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "far.hpp"
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
    bool brief;                      // two rounds at most, for fits that only compare values of C
    Tuning tuning;
};

struct Solution {
    Hyperplane plane;
    double value;
    int n_iter;
    std::size_t n_evaluations;
    Stop stop;
};

template <class Watch>
Solution search(const Problem& problem, const Options& options, const Watch& watch);

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
          watch_(watch), with_kinks_(kink_steps_possible(problem, tuning_)),
          few_parameters_(problem.n_parameters() <= tuning_.few_parameters) {}

    // Two rounds: enough to know which minima of a sample are worth a closer look. One, where its
    // searches all ended at the same minimum. On all rows two, each carried as far as others.
    std::vector<Candidate> run_briefly(double tolerance, bool on_a_sample) {
        const std::size_t n_carried = on_a_sample ? tuning_.carried_briefly : tuning_.carried;
        tolerance_ = tolerance;
        round(first_starts(), n_carried);
        const bool only_one = on_a_sample && found_.size() > 1 && count_best(found_) == found_.size();
        if (few_parameters_ && !only_one)
            round(starts(tuning_.starts_of_a_brief_round), n_carried);
        return std::move(found_);
    }

    // The stopping rule. A problem is easy where the classes are of similar size and every search of
    // the first round, and the best of one round of random starts, ended at one minimum. Otherwise
    // rounds go on until the best minimum was the result
    // of several of them, or two rounds of random starts led nowhere else. A rare class has more
    // minima, so it gets more rounds. benchmarks/README.md compares this with the Bayesian rule of
    // Boender and Rinnooy Kan (1987).
    std::vector<Candidate> run() {
        tolerance_ = tuning_.kink_tol * options_.tol;
        if (!options_.starts.empty() || options_.brief ||
            (!kink_steps_pay(problem_, tuning_) && !problem_.points.far))
            return run_briefly(tolerance_, false);
        round(first_starts());
        if (seems_easy()) {
            round(starts(tuning_.easy_starts), tuning_.easy_carried);
            if (count_best(found_) == found_.size()) return std::move(found_);
        }
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
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    // At large radii the minimum with smaller ones is a start too.
    std::vector<Hyperplane> first_starts() const {
        std::vector<Hyperplane> planes = informed_starts(problem_, tuning_, watch_);
        if (with_kinks_ && problem_.points.largest_radius > tuning_.large_radius) {
            const PackedPoints points = with_cut_radii(problem_.points, tuning_.cut_radius);
            const Problem similar{points, problem_.labels, problem_.weights, problem_.C,
                                  problem_.beyond, problem_.threads};
            const Solution found = search(similar, options_, watch_);
            problem_.n_evaluations += found.n_evaluations;
            planes.push_back(found.plane);
            choose_scale(problem_, planes.back(), tuning_);
        }
        planes.insert(planes.end(), options_.starts.begin(), options_.starts.end());
        return planes;
    }

    std::vector<Hyperplane> starts(std::size_t count) {
        return random_starts(problem_, count, with_kinks_, tuning_, random_, watch_);
    }

    // Classes of similar size, and one minimum so far.
    bool seems_easy() const {
        return with_kinks_ && share_of_the_rarer_class() > tuning_.easy_share &&
               count_best(found_) == found_.size();
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
    void round(const std::vector<Hyperplane>& planes, std::size_t most_carried = none) {
        const std::size_t n_carried =
            few_parameters_ ? std::min(tuning_.carried, most_carried) : 1;
        std::vector<Candidate> candidates;
        for (const Hyperplane& plane : planes) {
            Candidate each;
            each.theta = problem_.parameters(plane);
            candidates.push_back(std::move(each));
        }
        if (with_kinks_)
            step_briefly(candidates);
        else
            descend_briefly(candidates);
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

    // In high dimension only the best start is followed: a kink step costs as much as many
    // evaluations there. At large radii kink steps end in other minima than quasi-Newton, so both
    // are tried.
    void step_briefly(std::vector<Candidate>& candidates) {
        for (Candidate& each : candidates) each.value = problem_(each.theta, each.gradient);
        if (!few_parameters_) return;
        std::vector<Candidate> others;
        if (problem_.points.largest_radius > tuning_.large_radius) {
            others = candidates;
            descend_briefly(others);
        }
        const int few = std::min(tuning_.brief_kink_steps, options_.max_iter);
        for (Candidate& each : candidates)
            kink_steps(problem_, each, tuning_.brief_tol, few, tuning_, watch_);
        candidates.insert(candidates.end(), others.begin(), others.end());
    }

    void descend_briefly(std::vector<Candidate>& candidates) {
        const int few = std::min(tuning_.brief_iterations, options_.max_iter);
        descend(problem_, candidates, {tuning_.brief_tol, few, false}, tuning_, watch_);
    }

    void finish(Candidate& candidate) {
        const int left = options_.max_iter - candidate.n_iter;
        kink_steps(problem_, candidate, tolerance_, std::min(tuning_.rough_iterations, left),
                   tuning_, watch_);
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
                                    problem_.beyond, problem_.threads};
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
    const bool with_kinks_, few_parameters_;
    double tolerance_ = 0.0;
    std::vector<Candidate> found_, results_;
};

// The soft-margin solver: multistart on a small sample of the rows, a few finalists on larger
// samples, the best on all rows.

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
    if (!kink_steps_possible(problem, tuning) &&
        !few_rows_have_a_loss(problem, finalists.front(), tuning)) {
        descend(problem, finalists, {options.tol, options.max_iter, exact}, tuning, watch);
        keep_best(finalists, 1, tuning);
        return;
    }
    if (finalists.size() > 1)
        for (Candidate& each : finalists)
            kink_steps(problem, each, tuning.rough_tol,
                       std::min(tuning.brief_kink_steps, options.max_iter), tuning, watch);
    keep_best(finalists, 1, tuning);
    Candidate& best = finalists.front();
    kink_steps(problem, best, tuning.final_tol * options.tol, options.max_iter - best.n_iter,
               tuning, watch);
}

template <class Watch>
Solution search(const Problem& problem, const Options& options, const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const std::size_t n_rows = problem.points.n_rows;
    Random random(options.seed);
    std::size_t n_evaluations = 0;
    std::vector<Candidate> candidates;
    for (std::size_t size = std::max(tuning.least_sample,
                                     tuning.sample_per_parameter * problem.n_parameters());
         2 * size < n_rows && size <= tuning.largest_sample; size *= tuning.sample_growth) {
        const Sample sample = Sample::draw(problem, size, random);
        const Problem part = sample.problem(problem.C, problem.beyond, problem.threads);
        if (candidates.empty())
            candidates =
                Multistart<Watch>(part, options, random, watch)
                    .run_briefly(tuning.sample_tol, true);
        else if (kink_steps_possible(part, tuning) ||
                 few_rows_have_a_loss(part, candidates.front(), tuning))
            for (Candidate& each : candidates)
                kink_steps(part, each, tuning.sample_tol, tuning.brief_kink_steps, tuning, watch);
        else
            descend(part, candidates, {tuning.rough_tol, tuning.rough_iterations, false}, tuning,
                    watch);
        keep_best(candidates, size < tuning.paying_rows ? tuning.finalists : 1, tuning);
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

// Far points in their scaled form (ScaledPoints). Where some radii had to be cut, the minima with
// weights that make up for it are starts too.
// The search among far points themselves is for what the scaled form does not hold: hyperplanes
// about as far out as the points.
template <class Watch>
class FarSearch {
  public:
    FarSearch(const Problem& problem, const Options& options, const Watch& watch)
        : problem_(problem), options_(options), watch_(watch), scaled_(problem.points),
          near_{scaled_.points, problem.labels, problem.weights, problem.C, problem.beyond} {}

    Solution run() {
        Options here = options_;
        for (Hyperplane& start : here.starts) start = scaled_.to_scaled(start);
        take(search(near_, here, watch_));
        if (scaled_.cut) {
            const Vector weights = scaled_.weights(problem_);
            take_minimum_near(search(
                Problem{scaled_.points, problem_.labels, weights.data(), problem_.C,
                        problem_.beyond},
                here, watch_));
        }
        if (std::abs(best_.plane.offset) > scaled_.reach || (scaled_.cut && !separates())) {
            Solution far = search(problem_, options_, watch_);
            const Hyperplane plane = far.plane;
            take(std::move(far), false);
            if (std::abs(plane.offset) <= scaled_.reach)
                take_minimum_near({scaled_.to_scaled(plane), 0.0, 0, 0, Stop::stalled});
        }
        best_.n_evaluations = n_evaluations_;
        if (best_.stop == Stop::stalled && best_.value <= problem_.resolution(best_.plane))
            best_.stop = Stop::converged_to_rounding;
        return best_;
    }

  private:
    // Keep a minimum of the scaled form, or of the far points themselves, if it is the lowest.
    void take(Solution found, bool is_scaled = true) {
        n_evaluations_ += found.n_evaluations;
        if (is_scaled) {
            found.plane = scaled_.from_scaled(found.plane);
            found.value = value(found.plane);
            // A row at its margin may have lost a few digits of its radius.
            Hyperplane larger = found.plane;
            larger.log_scale += 1e-15 * problem_.points.largest_radius;
            const double at_larger = value(larger);
            if (at_larger < found.value) {
                found.plane = larger;
                found.value = at_larger;
            }
        }
        // Of two that are equally low, the one that is known to be a minimum.
        const double same = std::isinf(best_.value) ? 0.0 : options_.tol * best_.value;
        if (found.value < best_.value - same ||
            (found.value < best_.value + same && found.stop != Stop::stalled))
            best_ = std::move(found);
    }

    // From the minimum of a similar problem to one of the scaled form.
    void take_minimum_near(const Solution& other) {
        const std::size_t before = near_.n_evaluations;
        Hyperplane plane = other.plane;
        choose_scale(near_, plane, options_.tuning);
        std::vector<Candidate> candidates(1);
        candidates.front().theta = near_.parameters(plane);
        finish(near_, options_, candidates, watch_);
        const Candidate& each = candidates.front();
        const Hyperplane moved = near_.hyperplane(each.theta);
        take({moved, each.value, each.n_iter, other.n_evaluations + near_.n_evaluations - before,
              judged(near_, options_, each, moved)});
    }

    double value(const Hyperplane& plane) {
        double d_scale, d_offset;
        Vector d_normal;
        ++n_evaluations_;
        return problem_.at_hyperplane(plane, d_scale, d_offset, d_normal);
    }

    bool separates() const {
        double total = 0.0;
        for (std::size_t row = 0; row < problem_.points.n_rows; ++row)
            if (problem_.labels[row] != 0) total += problem_.weight(row);
        return best_.value <= options_.tol * problem_.C * total;
    }

    const Problem& problem_;
    const Options& options_;
    const Watch& watch_;
    const ScaledPoints scaled_;
    const Problem near_;
    Solution best_{{}, std::numeric_limits<double>::infinity(), 0, 0, Stop::stalled};
    std::size_t n_evaluations_ = 0;
};

// `watch` is called before every evaluation; it may throw to interrupt the fit.
template <class Watch>
Solution fit_soft_margin(const Problem& problem, const Options& options, const Watch& watch) {
    return problem.points.far ? FarSearch<Watch>(problem, options, watch).run()
                              : search(problem, options, watch);
}

}  // namespace hyplane
