// The search for the lowest of many minima: starts race against each other in heats, and the
// winner of a heat is shaken until nothing better falls out (iterated local search).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "curvature.hpp"
#include "polish.hpp"
#include "problem.hpp"
#include "quasi_newton.hpp"
#include "starts.hpp"

namespace hyplane {

struct Options {
    double tol;
    int max_iter;
    int n_random_starts;  // at most
    int n_hits;           // how many heats must end at the best minimum before the search does
    std::uint64_t seed;
    std::vector<Hyperplane> starts;  // of a problem like this one; they take the place of random ones
};

inline bool lower(const Descent& a, const Descent& b) { return a.value < b.value; }

// Two values that belong to one minimum, as far as can be told.
inline bool same_minimum(double value, double best) {
    return value <= best + 1e-5 * std::abs(best);
}

inline void keep_best(std::vector<Descent>& field, std::size_t count) {
    std::sort(field.begin(), field.end(), lower);
    std::vector<Descent> kept;
    for (Descent& runner : field) {
        if (kept.size() == count) break;
        if (kept.empty() || !same_minimum(runner.value, kept.back().value))
            kept.push_back(std::move(runner));
    }
    field = std::move(kept);
}

template <class Watch>
void descend(const Problem& problem, std::vector<Descent>& field, const Tolerance& tolerance,
             const Watch& watch) {
    const auto watched = [&](const Vector& theta, Vector& gradient) {
        watch();
        return problem(theta, gradient);
    };
    for (Descent& runner : field) {
        runner.value = problem(runner.theta, runner.gradient);
        if (!polish_pays(problem))
            runner.metric.seed(smoothed_inverse_hessian(problem, runner.theta),
                               problem.n_parameters());
        minimise(watched, runner, tolerance);
    }
}

template <class Watch>
class Race {
  public:
    Race(const Problem& problem, const Options& options, Random& random, const Watch& watch)
        : problem_(problem), options_(options), random_(random), watch_(watch),
          polished_(polish_pays(problem)) {}

    // Two heats and no more: enough to know which valleys of a sample are worth a closer look.
    std::vector<Descent> run_briefly() {
        constexpr std::size_t heat_size = 4;
        heat(first_starts());
        if (problem_.n_parameters() <= few_parameters)
            heat(random_starts(problem_, heat_size, polished_, random_));
        return std::move(field_);
    }

    // Heats go on until the best minimum has been found several times over, so that an easy
    // problem costs little and a rugged one gets many starts.
    std::vector<Descent> run() {
        constexpr std::size_t heat_size = 8;
        constexpr int few_shakes = 1, many_shakes = 5;
        if (!options_.starts.empty() || (!polished_ && !problem_.points.far)) return run_briefly();
        heat(first_starts());
        const double rarer = share_of_the_rarer_class();
        const bool rugged = rarer < 0.15;
        const bool near = problem_.points.largest_radius < 6.0;
        if (near && rarer > 0.3 && everybody_agrees() && clearly_separates())
            return std::move(field_);
        const std::size_t n_hits = rugged ? hits() : (hits() + 1) / 2;
        const int n_random = rugged ? options_.n_random_starts : options_.n_random_starts / 2;
        for (int n = 0; n < n_random; n += heat_size) {
            const std::size_t first = field_.size();
            heat(random_starts(problem_, heat_size, polished_, random_));
            const std::size_t n_same = count_best(field_);
            if (!polished_) {
                if (n_same >= n_hits) break;
                continue;
            }
            // If every start of two heats ended at the same place there is hardly a second one.
            const bool alone = n_same == field_.size();
            if (alone && n == 0) continue;
            const auto winner = std::min_element(field_.begin() + first, field_.end(), lower);
            shake(*winner, alone ? few_shakes : many_shakes);
            winners_.push_back(*winner);
            if (alone || count_best(winners_) >= n_hits) break;
        }
        return std::move(field_);
    }

  private:
    // Beyond this a heat costs too much to be held often.
    static constexpr std::size_t few_parameters = 24;

    std::vector<Hyperplane> first_starts() const {
        std::vector<Hyperplane> planes = informed_starts(problem_);
        planes.insert(planes.end(), options_.starts.begin(), options_.starts.end());
        return planes;
    }

    bool everybody_agrees() const { return polished_ && count_best(field_) == field_.size(); }

    // As s goes to 0 every loss becomes arsinh 1. Labels that hardly depend on the place end near
    // that value and have many minima; classes that are well apart, and not too far out, hardly
    // ever have two.
    bool clearly_separates() const {
        double total = 0.0;
        for (std::size_t row = 0; row < problem_.points.n_rows; ++row)
            if (problem_.labels[row] != 0)
                total += problem_.weights == nullptr ? 1.0 : problem_.weights[row];
        return field_.front().value < 0.6 * problem_.C * total * std::log(one_plus_sqrt2);
    }

    double share_of_the_rarer_class() const {
        std::size_t count[2] = {0, 0};
        for (std::size_t row = 0; row < problem_.points.n_rows; ++row)
            if (problem_.labels[row] != 0) ++count[problem_.labels[row] > 0];
        return static_cast<double>(std::min(count[0], count[1])) / (count[0] + count[1]);
    }

    std::size_t hits() const { return static_cast<std::size_t>(options_.n_hits); }

    static std::size_t count_best(const std::vector<Descent>& field) {
        const double best = std::min_element(field.begin(), field.end(), lower)->value;
        return static_cast<std::size_t>(
            std::count_if(field.begin(), field.end(), [best](const Descent& runner) {
                return same_minimum(runner.value, best);
            }));
    }

    // Begin at every plane, run a little, and carry the best to their minimum.
    void heat(const std::vector<Hyperplane>& planes) {
        const std::size_t n_carried = problem_.n_parameters() <= few_parameters ? 3 : 1;
        std::vector<Descent> runners;
        for (const Hyperplane& plane : planes) {
            Descent runner;
            runner.theta = problem_.parameters(plane);
            runners.push_back(std::move(runner));
        }
        descend(problem_, runners, {1e-3, std::min(12, options_.max_iter), false}, watch_);
        keep_best(runners, n_carried);
        if (polished_)
            for (Descent& runner : runners) finish(runner);
        else
            descend(problem_, runners, {1e-5, 60, false}, watch_);
        for (Descent& runner : runners) field_.push_back(std::move(runner));
    }

    void finish(Descent& runner) {
        constexpr int enough = 60;
        polish(problem_, runner, polish_tol(options_.tol),
               std::min(enough, options_.max_iter - runner.n_iter), watch_);
    }

    // For a few steps each row gets a random weight. That lifts a hyperplane out of a shallow
    // minimum by steps that fit the problem, however different the scales of its directions are.
    void shake(Descent& best, int patience) {
        constexpr int few_steps = 5;
        const std::size_t n_rows = problem_.points.n_rows;
        std::vector<double> weights(problem_.points.n_blocks() * rows_per_block, 0.0);
        for (int failures = 0, n = 0; failures < patience && n < 10 * patience; ++n) {
            for (std::size_t row = 0; row < n_rows; ++row)
                weights[row] = -std::log1p(-random_.uniform()) *
                               (problem_.weights == nullptr ? 1.0 : problem_.weights[row]);
            const Problem shaken{problem_.points, problem_.labels, weights.data(), problem_.C};
            Descent runner = best;
            runner.value = shaken(runner.theta, runner.gradient);
            polish(shaken, runner, 1e-3, few_steps, watch_);
            problem_.n_evaluations += shaken.n_evaluations;
            runner.value = problem_(runner.theta, runner.gradient);
            runner.n_iter = 0;
            finish(runner);
            ++failures;
            if (runner.value < best.value - 1e-7 * std::abs(best.value)) {
                best = std::move(runner);
                failures = 0;
            }
        }
    }

    const Problem& problem_;
    const Options& options_;
    Random& random_;
    const Watch& watch_;
    const bool polished_;
    std::vector<Descent> field_, winners_;
};

}  // namespace hyplane
