// Points row by row, for steps that read single rows.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../linalg/row_panel.hpp"
#include "packed_points.hpp"

namespace hyplane {

// A line is e^2r, one number that means nothing, the unit direction, and zeros up to a whole number
// of vectors: as long as the derivatives of w*x in the coordinates of `Neighbourhood`. Of few rows
// the lines are kept. Of many rows only some are ever read, and they are taken from the blocks.
class PointLines {
  public:
    PointLines(const PackedPoints& points, std::size_t most_kept)
        : points_(points),
          stride_(panel_stride(points.n_dim + 2)),
          lines_(points.n_rows > most_kept ? 0 : points.n_padded_rows() * stride_) {
        std::fill_n(lines_.data(), lines_.size(), 0.0);
        if (kept())
            for (std::size_t row = 0; row < points.n_padded_rows(); ++row)
                gather(row, lines_.data() + row * stride_);
    }

    bool kept() const { return lines_.size() > 0; }
    const double* line(std::size_t row) const { return lines_.data() + row * stride_; }

    // The line of a row but for its zeros.
    HYPLANE_INLINE void gather(std::size_t row, double* to) const {
        const double* const from = points_.block(row / rows_per_block) + row % rows_per_block;
        to[0] = from[0];
        for (std::size_t c = 1; c <= points_.n_dim; ++c) to[c + 1] = from[c * rows_per_block];
    }

  private:
    const PackedPoints& points_;
    const std::size_t stride_;
    LargeArray lines_;
};

}  // namespace hyplane
