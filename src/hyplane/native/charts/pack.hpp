// Blocks of the charts as the points that the solver reads.
#pragma once

#include <cstddef>

#include "../rows/packed_points.hpp"
#include "rows.hpp"

namespace hyplane::charts {

// Write a filled block to the blocks of the solver that begin with row `first`; what is left of the
// last of them becomes rows at the origin. Near points are packed as e^2r = (e^-r + 2 sinh r)²,
// which needs no logarithm, far points as r. Returns the largest sinh r or r, and infinity where a
// row is too far for a near point.
double pack_block(Block& block, std::size_t first, std::size_t count, bool any_far,
                  PackedPoints& points);

}  // namespace hyplane::charts
