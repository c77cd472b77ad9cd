// Platt's sigmoid, which turns scores into probabilities.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace hyplane {

struct SigmoidRows {
    const double *score, *target, *weight;  // weight may be null
    std::size_t n_rows;
};

// Slope and intercept of the sigmoid with the least cross entropy, by Newton's method with halved
// steps as in Lin, Lin and Weng (2007), from slope 0 and the given intercept. `watch` is called now
// and then, and may throw.
std::pair<double, double> fit_sigmoid(const SigmoidRows& rows, double intercept, int max_iter,
                                      const std::function<void()>& watch);

}  // namespace hyplane
