// Large data where single points outweigh thousands of others: they occur very often, or have a large weight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "merged_rows.hpp"

namespace hyplane {

// At the kink of such a point quasi-Newton stalls, or stops where its first guess of the curvature, which
// takes the kink for a steep bend, predicts no decrease. Kink steps keep it as what it is. Of a point that
// occurs often one row gets the sum of the weights, and the others the label 0: the points stay where they
// are in memory.
class HeavyPoints {
  public:
    // The points of the given rows, which are all different.
    template <class Watch>
    HeavyPoints(const Problem& problem, const std::vector<std::size_t>& rows, const Watch& watch)
        : problem_(problem), places_(2 * power_of_two(rows.size()), free_place),
          labels_(problem.labels, problem.labels + problem.points.n_padded_rows()),
          weights_(problem.points.n_padded_rows(), 0.0) {
        constexpr std::size_t between_looks = 1 << 16;
        for (std::size_t row : rows) places_[find(row)] = row;
        std::vector<std::size_t> first(places_.size(), free_place);  // row of each point
        for (std::size_t row = 0; row < problem.points.n_rows; ++row) {
            if (row % between_looks == 0) watch();
            if (labels_[row] == 0) continue;
            weights_[row] = problem.weight(row);
            const std::size_t place = find(row);
            if (places_[place] == free_place) continue;
            if (first[place] == free_place) {
                first[place] = row;
            } else {
                weights_[first[place]] += weights_[row];
                weights_[row] = 0.0;
                labels_[row] = 0;
            }
        }
    }

    Problem problem() const {
        Problem heavy = problem_;
        heavy.labels = labels_.data();
        heavy.weights = weights_.data();
        heavy.heavy = true;
        heavy.n_evaluations = 0;
        return heavy;
    }

  private:
    static constexpr std::size_t free_place = static_cast<std::size_t>(-1);

    static std::size_t power_of_two(std::size_t least) {
        std::size_t power = 1;
        while (power < least) power *= 2;
        return power;
    }

    // The place of the same point, or a free one. The first two numbers of a row tell most points apart.
    std::size_t find(std::size_t row) const {
        std::uint64_t bits[2];
        for (std::size_t c : {0, 1}) {
            const double number = problem_.points.at(row, c) + 0.0;  // -0 becomes 0
            std::memcpy(&bits[c], &number, sizeof number);
        }
        const std::uint64_t key =
            (bits[0] * 0x9E3779B97F4A7C15ull ^ bits[1]) * 0x9E3779B97F4A7C15ull;
        std::size_t place = (key >> 32) & (places_.size() - 1);
        while (places_[place] != free_place && !equal_rows(problem_, places_[place], row))
            place = (place + 1) & (places_.size() - 1);
        return place;
    }

    const Problem& problem_;
    std::vector<std::size_t> places_;  // a power of two of them: a row with the point that is there
    std::vector<std::int8_t> labels_;
    Vector weights_;
};

// Whether a single row has a large part of the weight of all.
inline bool has_a_heavy_row(const Problem& problem, const Tuning& tuning) {
    if (problem.weights == nullptr) return false;
    double largest = 0.0, total = 0.0;
    for (std::size_t row = 0; row < problem.points.n_rows; ++row) {
        if (problem.labels[row] == 0) continue;
        largest = std::max(largest, problem.weights[row]);
        total += problem.weights[row];
    }
    return largest > tuning.heavy_share * total;
}

}  // namespace hyplane
