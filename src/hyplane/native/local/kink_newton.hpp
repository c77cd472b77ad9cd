// From a start to a minimum: steps on a model that keeps the kinks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "neighbourhood.hpp"
#include "step_model.hpp"
#include "stop.hpp"

namespace hyplane {

// When to stop.
struct Limits {
    double tolerance;  // of the predicted decrease, relative to the objective
    int max_iter;
    // The search is given up where many times the predicted decrease would not bring it below this.
    double goal = std::numeric_limits<double>::infinity();
    // And where it comes to this value, within the tolerance: that of a known minimum.
    double known = std::numeric_limits<double>::infinity();

    bool at_known(double x) const { return std::abs(x - known) <= tolerance * std::abs(x); }
};

// Steps to a minimum with kinks (composite nonsmooth optimisation: Fletcher 1982, Womersley and
// Fletcher 1986), by ask and tell: `ask` says at which hyperplane the objective is to be evaluated,
// `tell` takes the evaluation. In the coordinates δ of Neighbourhood each w*x is linear, so the
// model has the kinks in their true places, and the second derivatives of everything else are
// known.
//
// A Model has an Evaluation with the members `plane` and `value`, and
//     expand(evaluation, neighbourhood)   sets the model around a hyperplane,
//     step()                              that model,
//     stepped()                           is called once the step is known,
//     refine()                            whether another evaluation of the same hyperplane tells
//                                         more,
//     is_exact()                          whether the prediction can be trusted,
//     smallest_product(evaluation)        the smallest y w*x,
//     cheap_evaluations                   whether steps may be tried at twice their length,
//     limit(), rounding()                 the bound on |a|, and the rounding of the objective.
//
// Converged means: no step of the model, with the least damping that makes it convex, predicts a
// decrease beyond the tolerance or beyond the rounding of the sum of losses.
template <class Model>
class KinkNewton {
  public:
    using Evaluation = typename Model::Evaluation;

    KinkNewton(Model& model, const Hyperplane& start, const Limits& limits, const Tuning& tuning)
        : model_(model), limits_(limits), tuning_(tuning), next_(start) {}

    bool done() const { return done_; }
    const Hyperplane& ask() const { return next_; }

    // The evaluation is swapped with the last one where it is better.
    void tell(Evaluation& evaluated, const Watch& watch) {
        if (state_ == State::stepping) {
            const double gained = at_.value - evaluated.value;
            lengthen(gained);
            if (!(gained > sufficient_decrease * t_ * predicted_)) {
                fail(-gained, watch);
                return;
            }
            n_failed_ = 0;
            if (t_ >= 1.0)
                relax(std::sqrt(tuning_.damping_factor));
            else if (t_ < tuning_.short_step)
                raise(tuning_.damping_factor);
            if (Model::cheap_evaluations && t_ >= 1.0 && gained > tuning_.surplus * predicted_) {
                std::swap(at_, evaluated);
                return extend(watch);
            }
        } else if (state_ == State::extending) {
            if (!(evaluated.value < at_.value)) return propose(watch);
            std::swap(at_, evaluated);
            return extend(watch);
        } else if (state_ == State::scaling) {
            if (!(evaluated.value < at_.value)) {
                stall(watch);
                return;
            }
            n_failed_ = 0;
        }
        std::swap(at_, evaluated);
        propose(watch);
    }

    const Hyperplane& plane() const { return at_.plane; }
    double value() const { return at_.value; }
    double predicted() const { return predicted_; }
    Stop stop() const { return stop_; }
    int n_iter() const { return n_iter_; }

  private:
    static constexpr double sufficient_decrease = 1e-4;  // of the prediction (Armijo)
    static constexpr double shortest_step = 1e-4;        // of the model's step
    static constexpr double longest_step = 4.0;          // times the last one
    static constexpr int failed_steps = 4;               // in a row: a stall
    static constexpr double past_the_margin = 1e-12;     // of log s: the rounding of w*x

    enum class State { starting, stepping, extending, refining, scaling };

    void end(Stop why) {
        stop_ = why;
        done_ = true;
    }
    void ask_for(State state, Hyperplane plane) {
        state_ = state;
        next_ = std::move(plane);
    }
    // Damping makes the model's steps too short. The next one is first tried as long as a parabola
    // through the last one says, if that is at least twice as long. In memory see `extend`.
    void lengthen(double gained) {
        const double curvature = (2.0 * predicted_ - gained / t_) / t_, longest = longest_step * t_;
        const double lowest = predicted_ < curvature * longest ? predicted_ / curvature : longest;
        const bool full = t_ >= length_ && damping_ > 0.0 && !Model::cheap_evaluations;
        length_ = full && lowest >= 2.0 ? lowest : 1.0;
    }
    void relax(double factor) {
        damping_ = damping_ <= tuning_.first_damping ? 0.0 : damping_ / factor;
    }
    void raise(double factor) {
        damping_ = std::max(tuning_.damping_factor * tuning_.first_damping, factor * damping_);
    }

    // Find the step from the last evaluation, unless that is the end.
    void propose(const Watch& watch) {
        if (n_iter_ >= limits_.max_iter || limits_.at_known(at_.value))
            return end(Stop::out_of_iterations);
        around_.emplace(at_.plane);
        model_.expand(at_, *around_);
        const double enough = limits_.tolerance * std::abs(at_.value) + model_.rounding();
        for (;;) {
            watch();
            const double asked = damping_;
            predicted_ = model_.step().minimum(damping_, delta_, watch);
            if (!std::isfinite(predicted_)) return end(Stop::stalled);
            if (at_.value - tuning_.largest_surplus * predicted_ > limits_.goal)
                return end(Stop::out_of_iterations);
            // Damping divides the decrease by as much as it multiplies the curvature.
            if (predicted_ * std::max(1.0, damping_) > enough) break;
            // The tolerance must be met by the least damping, and by an exact model.
            if (!model_.is_exact() && model_.refine()) return ask_for(State::refining, at_.plane);
            if (damping_ > asked || damping_ == 0.0) return end(Stop::converged);
            relax(tuning_.damping_factor);
        }
        model_.stepped();
        ++n_iter_;
        t_ = length_;
        try_step(watch);
    }

    // The next hyperplane along the step, nearer until it is one.
    void try_step(const Watch& watch) {
        state_ = State::stepping;
        const bool held = model_.step().hold() > 0.0;
        for (; t_ > shortest_step; t_ *= 0.5)
            if (around_->moved(delta_, t_, model_.limit(), held, next_)) return;
        give_up_step(watch);
    }

    // The objective decreases more than predicted: go twice as far.
    void extend(const Watch& watch) {
        t_ *= 2.0;
        state_ = State::extending;
        const bool held = model_.step().hold() > 0.0;
        if (!around_->moved(delta_, t_, model_.limit(), held, next_)) propose(watch);
    }

    void fail(double rise, const Watch& watch) {
        const double slope = t_ * predicted_;
        const double lowest = 0.5 * t_ * slope / (rise + slope);  // of the parabola
        t_ = std::isfinite(lowest) ? std::max(0.1 * t_, std::min(0.5 * t_, lowest)) : 0.1 * t_;
        try_step(watch);
    }

    // No point of the step is lower: try another one with more damping and an exact model.
    void give_up_step(const Watch& watch) {
        raise(tuning_.damping_factor * tuning_.damping_factor);
        if (++n_failed_ < failed_steps) {
            if (model_.refine()) return ask_for(State::refining, at_.plane);
            return propose(watch);
        }
        // A hyperplane with every row on its own side needs only the scale that brings all of them
        // to their margins. Steps can miss it where the products differ by many orders of
        // magnitude.
        const double smallest = model_.smallest_product(at_);
        if (smallest > 0.0 && smallest < 1.0) {
            Hyperplane scaled = at_.plane;
            scaled.log_scale += past_the_margin - std::log(smallest);
            return ask_for(State::scaling, std::move(scaled));
        }
        stall(watch);
    }

    // Damping makes the prediction small. What is left to gain is seen without it.
    void stall(const Watch& watch) {
        damping_ = 0.0;
        predicted_ = model_.step().minimum(damping_, delta_, watch);
        end(Stop::stalled);
    }

    Model& model_;
    const Limits limits_;
    const Tuning& tuning_;
    State state_ = State::starting;
    Evaluation at_;
    std::optional<Neighbourhood> around_;
    Hyperplane next_;
    Vector delta_;
    double predicted_ = 0.0, damping_ = 0.0, t_ = 1.0;
    double length_ = 1.0;  // at which the next step is first tried
    int n_failed_ = 0, n_iter_ = 0;
    bool done_ = false;
    Stop stop_ = Stop::out_of_iterations;
};

}  // namespace hyplane
