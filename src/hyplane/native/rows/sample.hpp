// Which rows a sample of a binary problem consists of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../linalg/dense.hpp"

namespace hyplane {

// How many rows are of class -1 and of class +1, and the sums of their weights.
struct ClassTotals {
    std::size_t count[2] = {0, 0};
    double weight[2] = {0.0, 0.0};

    // `weights` may be null: all are 1.
    ClassTotals(const std::int8_t* labels, const double* weights, std::size_t n_rows) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            count[0] += labels[row] < 0;
            count[1] += labels[row] > 0;
        }
        for (int side : {0, 1}) weight[side] = static_cast<double>(count[side]);
        if (weights == nullptr) return;
        weight[0] = weight[1] = 0.0;
        for (std::size_t row = 0; row < n_rows; ++row)
            if (labels[row] != 0) weight[labels[row] > 0] += weights[row];
    }
};

// The factor by which weights are multiplied to give the probabilities with which rows of one class
// are drawn, at most 1, so that about `wanted` are.
inline double rate_of_class(const std::int8_t* labels, const double* weights, std::size_t n_rows,
                            int side, std::size_t wanted, double total) {
    constexpr int most_passes = 10;  // each finds rows that are drawn for certain
    double rate = static_cast<double>(wanted) / total;
    std::size_t n_certain = 0;
    for (int pass = 0; weights != nullptr && pass < most_passes; ++pass) {
        std::size_t certain = 0;
        double left = 0.0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (labels[row] != (side == 1 ? 1 : -1)) continue;
            if (rate * weights[row] >= 1.0)
                ++certain;
            else
                left += weights[row];
        }
        if (certain == n_certain || !(left > 0.0) || certain >= wanted) break;
        n_certain = certain;
        rate = static_cast<double>(wanted - certain) / left;
    }
    return rate;
}

// Rows drawn independently of each other, with probabilities in proportion to their weights, about
// as many of each class as are wanted; the heaviest row of a class is always among them. Each gets
// the weight with which it stands for others in `new_weights`: these add up to the weight of the
// class.
template <class Random>
std::vector<std::size_t> draw_rows(const std::int8_t* labels, const double* weights,
                                   std::size_t n_rows, const ClassTotals& totals,
                                   const std::size_t wanted[2], Random& random,
                                   Vector& new_weights) {
    std::size_t heaviest[2] = {n_rows, n_rows};
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (labels[row] == 0) continue;
        std::size_t& known = heaviest[labels[row] > 0];
        if (known == n_rows || (weights != nullptr && weights[row] > weights[known])) known = row;
        if (weights == nullptr && heaviest[0] < n_rows && heaviest[1] < n_rows) break;
    }
    double rate[2];
    for (int side : {0, 1})
        rate[side] =
            rate_of_class(labels, weights, n_rows, side, wanted[side], totals.weight[side]);
    std::vector<std::size_t> rows;
    double left[2] = {totals.weight[0], totals.weight[1]}, count[2] = {0.0, 0.0};
    const auto take = [&](std::size_t row, bool sure) {
        const int side = labels[row] > 0;
        const double c = weights == nullptr ? 1.0 : weights[row];
        rows.push_back(row);
        new_weights.push_back(sure ? c : 0.0);
        left[side] -= sure ? c : 0.0;
        count[side] += sure ? 0.0 : 1.0;
    };
    const std::size_t sure[2] = {std::min(heaviest[0], heaviest[1]),
                                 std::max(heaviest[0], heaviest[1])};
    std::size_t n_sure = 0;
    // Without weights the number of rows up to the next that the larger rate draws is geometric:
    // one random number for all of them.
    const double most = weights == nullptr ? std::max(rate[0], rate[1]) : 1.0;
    const double per_log = most < 1.0 ? 1.0 / std::log1p(-most) : 0.0;
    for (double next = 0.0;; next += 1.0) {
        if (most < 1.0) next += std::floor(per_log * std::log(1.0 - random.uniform()));
        const bool more = next < static_cast<double>(n_rows);
        const std::size_t row = more ? static_cast<std::size_t>(next) : n_rows;
        for (; n_sure < 2 && sure[n_sure] < n_rows && sure[n_sure] <= row; ++n_sure)
            take(sure[n_sure], true);
        if (!more) break;
        const int side = labels[row] > 0;
        if (labels[row] == 0 || row == heaviest[side]) continue;
        const double chance = rate[side] * (weights == nullptr ? 1.0 / most : weights[row]);
        if (chance >= 1.0 || random.uniform() < chance)
            take(row, weights != nullptr && chance >= 1.0);
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const int side = labels[rows[k]] > 0;
        // Rows that were not drawn for certain share the rest.
        if (new_weights[k] == 0.0) new_weights[k] = left[side] / count[side];
    }
    return rows;
}

}  // namespace hyplane
