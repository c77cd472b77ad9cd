// Rows of a problem with labels and weights of their own, so that sums over them estimate sums
// over all rows: each class is sampled for itself, since one may be rare.
#pragma once

#include <algorithm>
#include <vector>

#include "../objective/problem.hpp"
#include "random.hpp"

namespace hyplane {

struct Sample {
    PackedPoints points;
    std::vector<std::int8_t> labels;
    Vector weights;

    static Sample draw(const Problem& problem, std::size_t size, Random& random) {
        const std::size_t n_rows = problem.points.n_rows;
        std::size_t count[2] = {0, 0}, wanted[2];
        for (std::size_t row = 0; row < n_rows; ++row)
            if (problem.labels[row] != 0) ++count[problem.labels[row] > 0];
        const std::size_t rare = count[1] < count[0] ? 1 : 0;
        wanted[rare] = std::min(count[rare], size / 2);
        wanted[1 - rare] = std::min(count[1 - rare], size - wanted[rare]);
        // One walk over the rows takes each with the probability that leaves the wanted number in
        // the end (Knuth's algorithm S): in order, and with no list of all rows.
        std::size_t left[2] = {count[0], count[1]}, needed[2] = {wanted[0], wanted[1]};
        std::vector<std::size_t> chosen;
        std::vector<std::int8_t> labels;
        Vector weights;
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (problem.labels[row] == 0) continue;
            const int side = problem.labels[row] > 0;
            if (random.below(left[side]--) >= needed[side]) continue;
            --needed[side];
            chosen.push_back(row);
            labels.push_back(problem.labels[row]);
            weights.push_back(static_cast<double>(count[side]) / wanted[side] *
                              problem.weight(row));
        }
        Sample sample{problem.points.take(chosen), std::move(labels), std::move(weights)};
        sample.labels.resize(sample.points.n_padded_rows(), 0);
        sample.weights.resize(sample.points.n_padded_rows(), 0.0);
        return sample;
    }

    Problem problem(double C) const { return {points, labels.data(), weights.data(), C}; }
};

}  // namespace hyplane
