#include "pack.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "../kernels/dispatch.hpp"

namespace hyplane::charts {

static_assert(n_lanes % rows_per_block == 0, "a block of the charts is whole blocks of the solver");

HYPLANE_EVERY_CPU double pack_block(Block& block, std::size_t first, std::size_t count,
                                    bool any_far, PackedPoints& points) {
    const double* const lengths = points.far ? block.radius : block.sinh;
    const std::size_t n_near = points.far ? 0 : n_lanes;
    double* const sizes = block.columns();
    double largest = any_far ? std::numeric_limits<double>::infinity() : 0.0;
#pragma omp simd reduction(max : largest)
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const double counted = j < count ? lengths[j] : 0.0;
        largest = counted > largest ? counted : largest;
        sizes[j] = lengths[j];
    }
#pragma omp simd
    for (std::size_t j = 0; j < n_near; ++j) {
        const double power = block.decay[j] + 2.0 * sizes[j];
        sizes[j] = power * power;
    }
    for (std::size_t c = 0; c <= points.n_dim; ++c) {
        double* const column = block.columns() + c * n_lanes;
        if (count < n_lanes)
            std::fill(column + count, column + n_lanes, c == 0 && !points.far ? 1.0 : 0.0);
        for (std::size_t at = 0; at < count; at += rows_per_block)
            std::memcpy(points.block((first + at) / rows_per_block) + c * rows_per_block,
                        column + at, rows_per_block * sizeof(double));
    }
    return largest;
}

}  // namespace hyplane::charts
