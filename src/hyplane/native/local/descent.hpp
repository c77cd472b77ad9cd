// From a start to a minimum.
#pragma once

#include <limits>
#include <vector>

#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "kink_model.hpp"
#include "kink_newton.hpp"

namespace hyplane {

// A hyperplane on its way to a minimum.
struct Candidate {
    Hyperplane plane;
    double value = std::numeric_limits<double>::infinity();
    double predicted = std::numeric_limits<double>::infinity();  // the last predicted decrease
    int n_iter = 0;
    Stop stop = Stop::out_of_iterations;
};

// On rows in memory, each of which is looked at in every step.
inline void descend(KinkModel& model, Candidate& state, const Limits& limits, const Tuning& tuning,
                    const Watch& watch) {
    model.forget();
    KinkNewton<KinkModel> newton(model, state.plane, limits, tuning);
    for (Evaluated next; !newton.done(); newton.tell(next, watch)) {
        watch();
        next.plane = newton.ask();
        model.evaluate(next);
    }
    state.plane = newton.plane();
    state.value = newton.value();
    state.predicted = newton.predicted();
    state.stop = newton.stop();
    state.n_iter += newton.n_iter();
}

inline void descend(const Problem& problem, Candidate& state, const Limits& limits,
                    const Tuning& tuning, const Watch& watch) {
    KinkModel model(problem, tuning);
    descend(model, state, limits, tuning, watch);
}

}  // namespace hyplane
