// Some rows of a problem, packed separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace hyplane {

// Rows with labels and weights of their own. The ball of the points is that of all rows.
struct ChosenRows {
    PackedPoints points;
    std::vector<std::int8_t> labels;
    Vector weights;  // none where the problem has none

    ChosenRows(const Problem& all, const std::vector<std::size_t>& rows)
        : points(all.points.take(rows, all.threads)),
          labels(points.n_padded_rows(), 0),
          weights(all.weights == nullptr ? 0 : points.n_padded_rows(), 0.0) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            labels[i] = all.labels[rows[i]];
            if (!weights.empty()) weights[i] = all.weights[rows[i]];
        }
    }

    // With the settings of the problem that they were taken from.
    Problem problem(const Problem& all) const {
        return all.with(points, labels.data(), weights.empty() ? nullptr : weights.data());
    }
};

}  // namespace hyplane
