// Large data in which most rows are repeated: each different row once, with the sum of the weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../kernels/watch.hpp"
#include "../objective/chosen_rows.hpp"
#include "../objective/problem.hpp"

namespace hyplane {

// Whether most rows seem to be repeated: of some rows, spread over all of them, several occur more
// than once, or half are repetitions. A single point that occurs often is not enough.
inline bool mostly_repeated(const Problem& problem) {
    constexpr std::size_t n_seen = 512, several = 4;
    const std::size_t n_rows = problem.points.n_rows;
    const std::size_t step = std::max<std::size_t>(1, n_rows / n_seen);
    std::unordered_map<std::uint64_t, std::size_t> times;
    std::size_t count = 0, n_repeated = 0;
    for (std::size_t row = 0; row < n_rows; row += step) {
        if (problem.labels[row] == 0) continue;
        ++count;
        n_repeated += ++times[identity_of_row(problem, row)] == 2;
    }
    return n_repeated >= several || 2 * times.size() <= count;
}

// Nothing where rows are not repeated, or there are more than `most` different ones.
inline std::optional<ChosenRows> without_repetitions(const Problem& problem, std::size_t most,
                                                     const Watch& watch) {
    constexpr std::size_t rows_between_calls = 1 << 16;
    if (!mostly_repeated(problem)) return {};
    std::unordered_map<std::uint64_t, std::size_t> place_of;
    std::vector<std::size_t> rows;
    Vector weights;
    for (std::size_t row = 0; row < problem.points.n_rows; ++row) {
        if (row % rows_between_calls == 0) watch();
        if (problem.labels[row] == 0) continue;
        const auto [found, is_new] = place_of.emplace(identity_of_row(problem, row), rows.size());
        if (is_new) {
            if (rows.size() == most) return {};
            rows.push_back(row);
            weights.push_back(0.0);
        }
        weights[found->second] += problem.weight(row);
    }
    ChosenRows different(problem, rows);
    different.weights = std::move(weights);
    different.weights.resize(different.points.n_padded_rows(), 0.0);
    return different;
}

}  // namespace hyplane
