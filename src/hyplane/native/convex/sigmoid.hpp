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

// Slope and intercept of the sigmoid with the least cross entropy, from slope 0 and an intercept, by
// Newton's method with halved steps as in Lin, Lin and Weng (2007).
std::pair<double, double> fit_sigmoid(const SigmoidRows& rows, double intercept, int max_iter,
                                      const std::function<void()>& watch);

}  // namespace hyplane
