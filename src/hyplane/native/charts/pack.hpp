// Blocks of the charts as the points that the solver reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "../objective/packed_points.hpp"
#include "rows.hpp"

namespace hyplane::charts {

static_assert(n_lanes % rows_per_block == 0, "a block of the charts is whole blocks of the solver");

// Write a filled block to the blocks of the solver that begin with row `first`; what is left of the
// last of them becomes rows at the origin. Near points are packed as e^2r = (e^-r + 2 sinh r)²,
// which needs no logarithm, far points as r. Returns the largest sinh r or r, and infinity where a
// row is too far for a near point.
inline double pack_block(Block& block, std::size_t first, std::size_t count, bool any_far,
                         PackedPoints& points) {
    const double* const lengths = points.far ? block.radius : block.sinh;
    double largest = any_far ? std::numeric_limits<double>::infinity() : 0.0;
#pragma omp simd reduction(max : largest)
    for (std::size_t j = 0; j < count; ++j) largest = std::max(largest, lengths[j]);
    for (std::size_t j = 0; j < count; ++j) {
        const double power = points.far ? 0.0 : block.decay[j] + 2.0 * block.sinh[j];
        block.columns()[j] = points.far ? block.radius[j] : power * power;
    }
    for (std::size_t c = 0; c <= points.n_dim; ++c) {
        double* const column = block.columns() + c * n_lanes;
        std::fill(column + count, column + n_lanes, c == 0 && !points.far ? 1.0 : 0.0);
        for (std::size_t at = 0; at < count; at += rows_per_block)
            std::copy_n(column + at, rows_per_block,
                        points.block((first + at) / rows_per_block) + c * rows_per_block);
    }
    return largest;
}

}  // namespace hyplane::charts
