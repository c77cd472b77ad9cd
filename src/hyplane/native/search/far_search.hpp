// The whole solver: near points directly, far points in their scaled form first.
#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "far.hpp"
#include "search.hpp"

namespace hyplane {

// Far points are searched in their scaled form (ScaledPoints). Where that cuts some radii, it is
// searched again with weights that make up for the lost losses. Hyperplanes about as far out as the
// points are not among those of the scaled form, so the points themselves are searched where
// needed.
class FarSearch {
  public:
    FarSearch(const Problem& problem, const Options& options, const Watch& watch)
        : problem_(problem),
          options_(options),
          watch_(watch),
          scaled_(problem.points, options.tuning),
          near_(problem.with(scaled_.points, problem.labels, problem.weights)) {}

    Solution run() {
        Options here = options_;
        for (Hyperplane& start : here.starts) start = scaled_.to_scaled(start);
        take(search(near_, here, watch_));
        if (scaled_.cut) {
            const Vector weights = scaled_.weights(problem_);
            take_minimum_near(search(problem_.with(scaled_.points, problem_.labels, weights.data()),
                                     here, watch_));
        }
        if (std::abs(best_.plane.offset) > scaled_.reach || (scaled_.cut && !separates())) {
            take_far_out();
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
            found.plane.log_scale -= scaled_.shift;
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
        // The first is kept whatever its value, which overflows where C times a weight and a radius
        // do.
        const bool first = best_.plane.normal.empty() || std::isnan(best_.value);
        // Of two that are equally low, the one that is known to be a minimum.
        const double same = std::isinf(best_.value) ? 0.0 : options_.tol * best_.value;
        if (first || found.value < best_.value - same ||
            (found.value < best_.value + same && found.stop != Stop::stalled))
            best_ = std::move(found);
    }

    // Hyperplanes about as far out as the points: half-way between two of them, and the minimum
    // with radii cut. There is no descent among these.
    void take_far_out() {
        const Tuning& tuning = options_.tuning;
        const PackedPoints cut = with_cut_radii(problem_.points, largest_near_radius);
        Solution found =
            search(problem_.with(cut, problem_.labels, problem_.weights), options_, watch_);
        std::vector<Hyperplane> planes{found.plane};
        Random random(options_.seed);
        for (const Hyperplane& plane :
             random_bisectors(problem_, 8 * tuning.starts_of_a_round, tuning, random))
            planes.push_back(plane);
        found.stop = Stop::stalled;
        for (Hyperplane& plane : planes) {
            watch_();
            choose_scale(problem_, plane, tuning);
            found.plane = plane;
            found.value = value(plane);
            take(found, false);
            found.n_evaluations = 0;
        }
        if (std::abs(best_.plane.offset) <= scaled_.reach)
            take_minimum_near({scaled_.to_scaled(best_.plane), 0.0, 0, 0, Stop::stalled});
    }

    // From the minimum of a similar problem to one of the scaled form.
    void take_minimum_near(const Solution& other) {
        const std::size_t before = near_.n_evaluations;
        Hyperplane plane = other.plane;
        choose_scale(near_, plane, options_.tuning);
        std::vector<Candidate> candidates(1);
        candidates.front().plane = plane;
        ManyRowsOptions on_all;
        on_all.n_working = options_.tuning.working_rows;
        on_all.reach = 1.0;
        Random random(options_.seed);
        finish(near_, options_, candidates, on_all, random, watch_);
        const Candidate& each = candidates.front();
        take({each.plane, each.value, each.n_iter,
              other.n_evaluations + near_.n_evaluations - before, judged(near_, options_, each)});
    }

    double value(const Hyperplane& plane) {
        ++n_evaluations_;
        return problem_.value(plane);
    }

    bool separates() const {
        const double total = PassProblem::of(problem_).total_weight;
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
inline Solution fit_soft_margin(const Problem& problem, const Options& options,
                                const Watch& watch) {
    return problem.points.far ? FarSearch(problem, options, watch).run()
                              : search(problem, options, watch);
}

}  // namespace hyplane
