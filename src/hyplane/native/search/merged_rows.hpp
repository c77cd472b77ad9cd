// Large data with few different rows: each of them once, with the sum of the weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "../objective/chosen_rows.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// Equal rows share a kink. Merged, they are few enough to be looked at one by one.

// A number that is the same for equal rows.
inline std::uint64_t key_of_row(const Problem& problem, std::size_t row) {
    std::uint64_t key = problem.labels[row] > 0;
    for (std::size_t c = 0; c <= problem.points.n_dim; ++c) {
        const double number = problem.points.at(row, c) + 0.0;  // -0 becomes 0
        std::uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        key = (key ^ bits) * 0x9E3779B97F4A7C15ull;
        key ^= key >> 32;
    }
    return key;
}

// What some rows, spread over all of them, tell of all.
struct Look {
    std::size_t n_rows = 0, n_different = 0;
    std::size_t n_repeated = 0;      // different ones that occur more than once

    Look(const Problem& problem, const Tuning& tuning) {
        const std::size_t all = problem.points.n_rows;
        const std::size_t stride = std::max<std::size_t>(1, all / tuning.rows_looked_at);
        std::vector<std::pair<std::uint64_t, std::size_t>> keys;
        for (std::size_t row = 0; row < all; row += stride)
            if (problem.labels[row] != 0) keys.emplace_back(key_of_row(problem, row), row);
        std::sort(keys.begin(), keys.end());
        n_rows = keys.size();
        for (std::size_t first = 0, last; first < n_rows; first = last, ++n_different) {
            for (last = first; last < n_rows && keys[last].first == keys[first].first; ++last) {
            }
            n_repeated += last - first > 1;
        }
    }

    // Whether most rows seem to be repeated: several of those that were looked at occur more than once,
    // or half of them are repetitions. A single point that occurs often is not enough.
    bool mostly_repeated(const Tuning& tuning) const {
        return n_repeated >= tuning.repeated_rows || 2 * n_different <= n_rows;
    }
};

// The different rows of a problem and the sum of the weights of each, found by their keys.
class DifferentRows {
  public:
    explicit DifferentRows(const Problem& problem)
        : problem_(problem), places_(1024, free_place) {}

    void add(std::size_t row) {
        const std::uint64_t key = key_of_row(problem_, row);
        std::size_t place = key & (places_.size() - 1);
        for (; places_[place] != free_place; place = (place + 1) & (places_.size() - 1))
            if (equal_rows(problem_, rows[places_[place]], row)) break;
        if (places_[place] == free_place) {
            places_[place] = rows.size();
            rows.push_back(row);
            keys_.push_back(key);
            weights.push_back(0.0);
        }
        weights[places_[place]] += problem_.weight(row);
        if (2 * rows.size() > places_.size()) grow();
    }

    std::vector<std::size_t> rows;
    Vector weights;

  private:
    static constexpr std::size_t free_place = static_cast<std::size_t>(-1);

    void grow() {
        places_.assign(2 * places_.size(), free_place);
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            std::size_t place = keys_[k] & (places_.size() - 1);
            while (places_[place] != free_place) place = (place + 1) & (places_.size() - 1);
            places_[place] = k;
        }
    }

    const Problem& problem_;
    std::vector<std::size_t> places_;  // a power of two of them: which row is there
    std::vector<std::uint64_t> keys_;
};

// Nothing where rows are not repeated, or not often enough.
template <class Watch>
std::optional<ChosenRows> merged_rows(const Problem& problem, const Tuning& tuning,
                                      const Watch& watch) {
    constexpr std::size_t between_looks = 1 << 16;
    const std::size_t n_rows = problem.points.n_rows;
    const std::size_t most = std::max(n_rows / tuning.least_repeats, tuning.few_rows);
    if (!Look(problem, tuning).mostly_repeated(tuning)) return {};
    DifferentRows different(problem);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (row % between_looks == 0) watch();
        if (problem.labels[row] != 0) different.add(row);
        const std::size_t count = different.rows.size();
        if (count > most) return {};
        if (row == n_rows / 8 &&
            static_cast<double>(count) > tuning.most_different * static_cast<double>(row + 1))
            return {};
    }
    ChosenRows merged(problem, different.rows);
    merged.weights = std::move(different.weights);
    merged.weights.resize(merged.points.n_padded_rows(), 0.0);
    return merged;
}

}  // namespace hyplane
