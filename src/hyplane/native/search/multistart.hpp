// The search for the lowest minimum on one set of rows: starts in rounds, perturbations, and when
// to stop.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "candidates.hpp"
#include "far.hpp"
#include "starts.hpp"

namespace hyplane {

// The search for the lowest of many minima: multistart in rounds. A round takes several starts a
// few steps down and carries the best of them to their minima; the best of a round is perturbed
// until nothing lower is found (iterated local search).

// Whether a search from any start is cheap, so that there can be many.
inline bool searches_are_cheap(const Problem& problem, const Tuning& tuning) {
    return problem.points.n_rows <= tuning.small_rows &&
           problem.n_parameters() <= 2 * tuning.few_parameters;
}

// Whether the only search need not tell minima apart. At large radii the last steps are slow.
inline bool single_search_ends_early(const Problem& problem, const Tuning& tuning) {
    return problem.n_parameters() > tuning.few_parameters &&
           problem.points.largest_radius <= tuning.large_radius;
}

class Multistart {
  public:
    Multistart(const Problem& problem, const Options& options, Random& random, const Watch& watch)
        : problem_(problem),
          options_(options),
          tuning_(options.tuning),
          random_(random),
          watch_(watch),
          few_parameters_(problem.n_parameters() <= tuning_.few_parameters),
          rare_(share_of_the_rarer_class() < tuning_.rare_class),
          model_(problem, tuning_) {}

    // Two rounds. On a sample they tell which minima are worth a closer look, and one round is
    // enough where all its searches ended at the same minimum.
    std::vector<Candidate> run_briefly(double tolerance, bool on_a_sample) {
        tolerance_ = tolerance;
        round(first_starts());
        const bool only_one =
            on_a_sample && found_.size() > 1 && count_best(found_) == found_.size();
        if (few_parameters_ && !only_one)
            round(starts(tuning_.starts_of_a_round), options_.brief ? 1 : none);
        return std::move(found_);
    }

    // The stopping rule. A problem is easy where the classes are of similar size and every search
    // of the first round, and of one round of random starts, ended at one minimum. Otherwise more
    // rounds follow, unless random starts lead nowhere else. A rare class has more minima, so it
    // gets more rounds.
    std::vector<Candidate> run() {
        tolerance_ = tuning_.kink_tol * options_.tol;
        if (!options_.starts.empty() || options_.brief || !searches_are_cheap(problem_, tuning_))
            return run_briefly(single_search_ends_early(problem_, tuning_)
                                   ? tuning_.final_tol * options_.tol
                                   : tolerance_,
                               false);
        round(first_starts());
        if (seems_easy()) {
            round(starts(tuning_.starts_of_a_round));
            if (count_best(found_) == found_.size()) return std::move(found_);
        }
        const std::size_t most = (rare_ ? 2 : 1) * tuning_.rounds;
        for (std::size_t n = 0; n < most; ++n) {
            const std::size_t first = found_.size();
            round(starts(tuning_.starts_of_a_round));
            const std::size_t n_best = count_best(found_);
            const bool only_one = n_best == found_.size();
            if (only_one && n == 0) continue;
            const auto best = std::min_element(found_.begin() + first, found_.end(), lower);
            if (!known_result(*best)) perturb(*best, failures_allowed(only_one));
            results_.push_back(*best);
            if (only_one) break;
        }
        return std::move(found_);
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    // At large radii the minimum with smaller ones is a start too.
    std::vector<Hyperplane> first_starts() const {
        std::vector<Hyperplane> planes = informed_starts(problem_, tuning_, watch_);
        if (far_out()) {
            const PackedPoints points = with_cut_radii(problem_.points, tuning_.large_radius);
            const Problem similar = problem_.with(points, problem_.labels, problem_.weights);
            const Solution found = search(similar, options_, watch_);
            problem_.n_evaluations += found.n_evaluations;
            planes.push_back(found.plane);
            choose_scale(problem_, planes.back(), tuning_);
        }
        planes.insert(planes.end(), options_.starts.begin(), options_.starts.end());
        return planes;
    }

    std::vector<Hyperplane> starts(std::size_t count) {
        return random_starts(problem_, count, tuning_, random_, watch_);
    }

    // Classes of similar size, and one minimum so far.
    bool seems_easy() const {
        return share_of_the_rarer_class() > 2.0 * tuning_.rare_class &&
               count_best(found_) == found_.size();
    }

    double share_of_the_rarer_class() const {
        const ClassTotals rows(problem_.labels, nullptr, problem_.points.n_rows);
        return std::min(rows.weight[0], rows.weight[1]) / (rows.weight[0] + rows.weight[1]);
    }

    std::size_t count_best(const std::vector<Candidate>& candidates) const {
        const double best = std::min_element(candidates.begin(), candidates.end(), lower)->value;
        return static_cast<std::size_t>(std::count_if(
            candidates.begin(), candidates.end(),
            [&](const Candidate& each) { return same_minimum(each.value, best, tuning_); }));
    }

    // At large radii perturbations seldom lead out of a minimum, and it gets more of them.
    bool far_out() const { return problem_.points.largest_radius > tuning_.large_radius; }

    int failures_allowed(bool only_one) const {
        if (only_one) return 1;
        return far_out() ? 2 * tuning_.perturbations : tuning_.perturbations;
    }

    // Whether a round before ended at this minimum, so that it was perturbed already.
    bool known_result(const Candidate& candidate) const {
        if (far_out()) return false;
        return std::any_of(results_.begin(), results_.end(), [&](const Candidate& each) {
            return same_minimum(candidate.value, each.value, tuning_) &&
                   same_minimum(each.value, candidate.value, tuning_);
        });
    }

    // A few steps from every start; the best are carried to their minimum.
    void round(const std::vector<Hyperplane>& planes, std::size_t most_carried = none) {
        const std::size_t n_carried = few_parameters_ ? std::min(tuning_.carried, most_carried) : 1;
        // Whether all searches end at one minimum is seen only where they are carried to the end.
        const bool several = !rare_ && !found_.empty() && count_best(found_) < found_.size();
        std::vector<Candidate> candidates(planes.size());
        for (std::size_t k = 0; k < planes.size(); ++k) {
            candidates[k].plane = planes[k];
            candidates[k].value = problem_.value(planes[k]);
        }
        // In high dimension only the best start is followed: a step costs as much as many
        // evaluations.
        if (few_parameters_) step_briefly(candidates);
        for (Candidate& each : candidates) problem_.move_out(each.plane, each.value);
        keep_best(candidates, n_carried, tuning_);
        double lowest = std::numeric_limits<double>::infinity();
        for (Candidate& each : candidates) {
            const auto known = std::min_element(found_.begin(), found_.end(), lower);
            finish(each, lowest, known == found_.end() ? nullptr : &*known);
            if (several) lowest = std::min(lowest, each.value);
            found_.push_back(std::move(each));
        }
    }

    void step_briefly(std::vector<Candidate>& candidates) {
        const int few = std::min(tuning_.brief_steps, options_.max_iter);
        for (Candidate& each : candidates)
            descend(model_, each, {tuning_.level_tol, few}, tuning_, watch_);
    }

    // Carry a candidate to its minimum, unless that is clearly higher than `lowest` (the minima of
    // a rare class are too many for that), or a minimum that is known already.
    void finish(Candidate& candidate, double lowest, const Candidate* known) {
        const int left = options_.max_iter - candidate.n_iter;
        Limits limits{tolerance_, std::min(rough_iterations, left)};
        if (!rare_) limits.goal = lowest + tuning_.same_minimum * std::abs(lowest);
        if (known != nullptr) limits.known = known->value;
        descend(model_, candidate, limits, tuning_, watch_);
        if (candidate.stop == Stop::out_of_iterations && limits.at_known(candidate.value))
            candidate = Candidate(*known);
    }

    // See `perturb_weights`.
    void perturb(Candidate& best, int most_failures) {
        Vector weights(problem_.points.n_padded_rows(), 0.0);
        const Problem perturbed = problem_.with(problem_.points, problem_.labels, weights.data());
        KinkModel model(perturbed, tuning_);
        const int most = 10 * most_failures;
        for (int failures = 0, n = 0; failures < most_failures && n < most; ++n) {
            perturb_weights(problem_, random_, weights);
            model.read_weights();
            perturbed.n_evaluations = 0;
            Candidate moved = best;
            descend(model, moved, {tuning_.level_tol, tuning_.perturbed_steps}, tuning_, watch_);
            problem_.n_evaluations += perturbed.n_evaluations;
            moved.n_iter = 0;
            finish(moved, best.value, &best);
            ++failures;
            if (moved.value <
                best.value - tuning_.final_tol * options_.tol * std::abs(best.value)) {
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
    const bool few_parameters_, rare_;
    double tolerance_ = 0.0;
    KinkModel model_;
    std::vector<Candidate> found_, results_;
};

}  // namespace hyplane
