// What a fit asks of rows that are read block by block.
//
// A block holds the class of each row as a number, and many problems share it. A problem is three
// numbers: the class on the positive side, the class on the negative side (-1 for all others), and
// the fold whose rows do not count (-1 for none). Where rows have several labels, the positive
// class is the number of a label, and the rows without it are on the other side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packed_points.hpp"

namespace hyplane {

struct BlockRows {
    const PackedPoints& points;
    const std::int32_t* codes;      // the class of each row, or null
    const std::int8_t* multilabel;  // else one line per row: 1 for each label that it has, and 0
    std::size_t n_labels;           // of a line
    const double* weights;          // or null; one per row
    const std::int32_t* folds;      // or null
};

struct BlockProblem {
    std::int32_t positive, negative, left_out;
};

// 1, -1, or 0 where a row does not count, as the rows that fill up the last block do not.
inline void labels_for(const BlockRows& rows, const BlockProblem& problem,
                       std::vector<std::int8_t>& labels) {
    const std::size_t n_labels = rows.n_labels, count = rows.points.n_rows;
    labels.assign(rows.points.n_padded_rows(), 0);
    std::int8_t* const out = labels.data();
    const std::int32_t* const codes = rows.codes;
    const std::int32_t positive = problem.positive, negative = problem.negative;
    if (rows.multilabel != nullptr) {
        const std::int8_t* const present = rows.multilabel + positive;
        for (std::size_t j = 0; j < count; ++j) out[j] = present[j * n_labels] ? 1 : -1;
    } else if (negative < 0) {
        for (std::size_t j = 0; j < count; ++j) out[j] = codes[j] == positive ? 1 : -1;
    } else {
        for (std::size_t j = 0; j < count; ++j)
            out[j] = static_cast<std::int8_t>((codes[j] == positive) - (codes[j] == negative));
    }
    if (rows.folds == nullptr || problem.left_out < 0) return;
    for (std::size_t j = 0; j < count; ++j)
        if (rows.folds[j] == problem.left_out) out[j] = 0;
}

}  // namespace hyplane
