// From the neighbourhood of a minimum to the minimum: steps on a model that keeps the kinks.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../objective/points.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "kink_model.hpp"
#include "neighbourhood.hpp"
#include "quasi_newton.hpp"

namespace hyplane {

// The last steps to a minimum with kinks. Quasi-Newton is slow where many points lie exactly on
// their margin y w*x = 1; there each step solves a model that keeps the kinks (composite
// nonsmooth optimisation: Fletcher 1982, Womersley and Fletcher 1986). In the coordinates δ of
// Neighbourhood each w*x is linear, so the model has the kinks in their true places, and the
// second derivatives of everything else are known.

// Points so far out that the products overflow are left to quasi-Newton; so are problems with too
// many kinks for the quadratic programs. So is large data, whose many kinks together are nearly smooth
// unless some of them are heavy.
inline bool kink_steps_possible(const Problem& problem, const Tuning& tuning) {
    const std::size_t most =
        problem.heavy ? std::max(tuning.kink_steps_rows, tuning.heavy_rows) : tuning.kink_steps_rows;
    return !problem.points.far && problem.points.n_rows <= most &&
           problem.n_parameters() <= tuning.kink_steps_parameters;
}

// Whether kink steps are cheaper than quasi-Newton from any start.
inline bool kink_steps_pay(const Problem& problem, const Tuning& tuning) {
    return kink_steps_possible(problem, tuning) && problem.points.n_rows <= tuning.paying_rows &&
           problem.n_parameters() <= tuning.paying_parameters;
}

// Step along δ: half as far until the objective decreases, or twice as far where it decreases more
// than predicted. Returns how far, or 0.
inline double search_along(const Problem& problem, const KinkModel& model,
                           const Neighbourhood& around, const Vector& delta, double predicted,
                           const Tuning& tuning, Evaluated& at, Evaluated& next) {
    const double bound = problem.offset_limit(), start = at.value;
    double found = 0.0;
    Evaluated outer;
    const auto lower_at = [&](double t, double goal) {
        if (!around.moved(delta, t, bound, tuning, next.plane)) return false;
        model.evaluate(next);
        if (problem.may_move_out(next.plane)) {
            outer.plane = problem.moved_out(next.plane);
            model.evaluate(outer);
            if (outer.value < next.value) std::swap(outer, next);
        }
        if (!(next.value < goal)) return false;
        found = t;
        std::swap(at, next);
        return true;
    };
    for (double t = 1.0; t > tuning.shortest_kink_step; t *= 0.5)
        if (lower_at(t, start - tuning.sufficient_decrease * t * predicted)) break;
    if (found == 1.0 && start - at.value > tuning.surplus * predicted)
        while (found < tuning.longest_kink_step && lower_at(2.0 * found, at.value)) {
        }
    return found;
}

// A hyperplane with every row on its own side needs only the scale that brings all of them to their
// margins. Kink steps can miss it where the products differ by many orders of magnitude.
inline bool scale_to_margins(const KinkModel& model, const Tuning& tuning, Evaluated& at,
                             Evaluated& next) {
    const double smallest = model.smallest_product(at);
    if (!(smallest > 0.0) || !(smallest < 1.0)) return false;
    next.plane = at.plane;
    next.plane.log_scale += tuning.past_the_margin - std::log(smallest);
    model.evaluate(next);
    if (!(next.value < at.value)) return false;
    std::swap(at, next);
    return true;
}

// Converged means: no step of the model, with the least damping that makes it convex, predicts a
// decrease beyond the tolerance or beyond the rounding of the sum of losses. The search is given up
// where many times the predicted decrease would not bring it below `goal`, the value of a minimum.
// The gradient of the candidate is left as it was.
template <class Watch>
void kink_steps(const Problem& problem, KinkModel& model, Candidate& state, double tolerance,
                int max_iter, const Tuning& tuning, const Watch& watch,
                double goal = std::numeric_limits<double>::infinity()) {
    const double rounding = tuning.rounding_of_a_loss * problem.C *
                            static_cast<double>(problem.points.n_rows);
    model.forget();
    Evaluated at{problem.hyperplane(state.theta), {}}, next;
    model.evaluate(at);
    Vector delta;
    double damping = 0.0;
    const auto relax = [&](double factor) {
        damping = damping < tuning.least_damping ? 0.0 : factor * damping;
    };
    int n_failed = 0;
    bool again = false;  // the hyperplane and the curvature are those of the last model
    state.stop = Stop::out_of_iterations;
    for (int iteration = 0; iteration < max_iter; ++iteration) {
        watch();
        const Neighbourhood around(problem.points, at.plane);
        const double asked = damping;
        state.predicted = model.minimum(at, around, damping, delta, watch, again);
        again = false;
        if (!std::isfinite(state.predicted)) {
            state.stop = Stop::stalled;
            break;
        }
        if (at.value - tuning.hopeful_decrease * state.predicted > goal) break;
        const double enough = tolerance * std::abs(at.value) + rounding;
        if (state.predicted <= enough) {
            // A part of the rows cannot tell that this is the minimum.
            if (model.be_exact()) continue;
            state.stop = Stop::converged;
            if (damping > asked || damping == 0.0) break;
            // The tolerance must be met by the least damping, not by this one.
            relax(tuning.damping_after_a_prediction);
            again = true;
            continue;
        }
        state.stop = Stop::out_of_iterations;
        ++state.n_iter;
        const double t =
            search_along(problem, model, around, delta, state.predicted, tuning, at, next);
        n_failed = t > 0.0 ? 0 : n_failed + 1;
        if (n_failed > 0) model.be_exact();
        if (n_failed == tuning.failed_kink_steps && scale_to_margins(model, tuning, at, next))
            n_failed = 0;
        if (n_failed == tuning.failed_kink_steps) {
            state.stop = Stop::stalled;
            break;
        }
        if (t >= 1.0)
            relax(tuning.damping_after_a_full_step);
        else if (t < tuning.short_kink_step)
            damping = std::max(tuning.smallest_raised_damping,
                               damping * (t > 0.0 ? tuning.damping_after_a_short_step
                                                  : tuning.damping_after_a_failure));
    }
    if (state.stop == Stop::stalled) {
        // Damping makes the prediction small. What is left to gain is told without it.
        damping = 0.0;
        model.be_exact();
        state.predicted = model.minimum(at, Neighbourhood(problem.points, at.plane), damping, delta,
                                        watch);
    }
    state.theta = problem.parameters(at.plane);
    state.value = at.value;
    state.metric.reset();
}

template <class Watch>
void kink_steps(const Problem& problem, Candidate& state, double tolerance, int max_iter,
                const Tuning& tuning, const Watch& watch) {
    KinkModel model(problem, tuning);
    kink_steps(problem, model, state, tolerance, max_iter, tuning, watch);
}

}  // namespace hyplane
