// What a fit asks of rows that are read block by block.
//
// A block holds the class of each row as a number, and many problems share it. A problem is three
// numbers: the class on the positive side, the class on the negative side (-1 for all others), and
// the fold whose rows do not count (-1 for none). Where rows have several labels, the positive class
// is the number of a label, and the rows without it are on the other side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../local/neighbourhood.hpp"
#include "../objective/problem.hpp"
#include "../search/multistart.hpp"

namespace hyplane {

struct BlockRows {
    const PackedPoints& points;
    const std::int32_t* codes;    // the class of each row, or null
    const std::int8_t* several;   // else one line per row: 1 for each label that it has, and 0
    std::size_t n_labels;         // of a line
    const double* weights;        // or null; one per row
    const std::int32_t* folds;    // or null
};

struct BlockProblem {
    std::int32_t positive, negative, left_out;
};

// 1, -1, or 0 where a row does not count; `out` is for the rows from `first` to `last`, of which
// those beyond the last row do not count.
HYPLANE_EVERY_CPU void labels_between(const BlockRows& rows, const BlockProblem& problem,
                                      std::size_t first, std::size_t last,
                                      std::int8_t* __restrict out) {
    const std::size_t n_labels = rows.n_labels;
    const std::size_t count = std::min(last, rows.points.n_rows) - first;
    const std::int32_t* const codes = rows.codes == nullptr ? nullptr : rows.codes + first;
    const std::int32_t positive = problem.positive, negative = problem.negative;
    if (rows.several != nullptr) {
        const std::int8_t* const present = rows.several + first * n_labels + positive;
        for (std::size_t j = 0; j < count; ++j) out[j] = present[j * n_labels] ? 1 : -1;
    } else if (negative < 0) {
        for (std::size_t j = 0; j < count; ++j) out[j] = codes[j] == positive ? 1 : -1;
    } else {
        for (std::size_t j = 0; j < count; ++j)
            out[j] = static_cast<std::int8_t>((codes[j] == positive) - (codes[j] == negative));
    }
    for (std::size_t j = count; j < last - first; ++j) out[j] = 0;
    if (rows.folds == nullptr || problem.left_out < 0) return;
    const std::int32_t* const folds = rows.folds + first;
    const std::int32_t left_out = problem.left_out;
    for (std::size_t j = 0; j < count; ++j)
        if (folds[j] == left_out) out[j] = 0;
}

// The same of all rows, filled up to whole blocks.
inline void labels_for(const BlockRows& rows, const BlockProblem& problem,
                       std::vector<std::int8_t>& labels) {
    labels.resize(rows.points.n_padded_rows());
    labels_between(rows, problem, 0, labels.size(), labels.data());
}

// A number in [0, 1) of the number of each row and a seed, by SplitMix64.
HYPLANE_EVERY_CPU void keys_of_stretch(const std::int64_t* rows, std::size_t count,
                                       std::uint64_t seed, double* keys) {
    const std::uint64_t first = seed * 0xD1342543DE82EF95u + 1u;
    for (std::size_t j = 0; j < count; ++j) {
        std::uint64_t z = (static_cast<std::uint64_t>(rows[j]) + first) * 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        keys[j] = static_cast<double>(static_cast<std::int64_t>((z ^ (z >> 31)) >> 11)) * 0x1p-53;
    }
}

// Several sets of points one after the other; far if one of them is.
inline PackedPoints joined(const std::vector<const PackedPoints*>& parts) {
    std::size_t n_rows = 0;
    bool far = false;
    double largest = 0.0;
    for (const PackedPoints* part : parts) {
        n_rows += part->n_rows;
        far = far || part->far;
        largest = std::max(largest, part->largest_radius);
    }
    PackedPoints all(n_rows, parts.front()->n_dim, far);
    std::size_t to = 0;
    for (const PackedPoints* part : parts)
        for (std::size_t row = 0; row < part->n_rows; ++row, ++to) {
            all.at(to, 0) = far ? part->radius(row) : part->at(row, 0);
            for (std::size_t c = 1; c <= all.n_dim; ++c) all.at(to, c) = part->at(row, c);
        }
    all.largest_radius = largest;
    return all;
}

}  // namespace hyplane
