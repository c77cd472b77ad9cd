// Blocks of rows of any chart as polar coordinates.
#pragma once

#include <cstddef>

#include "rows.hpp"

namespace hyplane::charts {

// Scores of rows beyond this radius are worked out with logarithms: e^115 is 1e50, and the
// products of sizes up to 1e50 of a row, an offset and a scale keep within the doubles.
constexpr double largest_plain_radius = 115.0;

// Read `count` rows into a block and make unit directions of its columns. If `scoring`, the block
// gets sinh r and e^-r; rows beyond `largest_plain_radius` are marked as far and get their radius.
// Otherwise all rows get their radius. Rows that are no points have an infinite radius. Returns
// whether a row is far.
//
// What becomes of a row never depends on its neighbours, so that the result does not depend on
// where blocks begin or which thread has them.
bool fill_block(const Task& task, std::size_t first, std::size_t count, bool scoring, Block& block,
                Faults& faults);

}  // namespace hyplane::charts
