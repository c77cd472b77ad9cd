// Blocks of rows of any chart as the pass of the solver reads them, written where they stay.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "blocks.hpp"
#include "../objective/packed_points.hpp"

namespace hyplane::charts {

static_assert(lanes % rows_per_block == 0, "a block of the charts is whole blocks of the solver");

struct PackTask {
    Task rows;
    PackedPoints& points;
};

// Write one column of a block of the charts to the blocks of the solver that begin with row
// `first`; rows from `count` on, up to the end of the last block, are set to `rest`.
HYPLANE_LANE void write_column(PackedPoints& points, std::size_t first, std::size_t count,
                               std::size_t column, const double* from, double rest) {
    for (std::size_t at = 0; at < count; at += rows_per_block) {
        double* const to =
            points.block((first + at) / rows_per_block) + column * rows_per_block;
        const std::size_t present = std::min(rows_per_block, count - at);
        if (present == rows_per_block) {
            std::memcpy(to, from + at, rows_per_block * sizeof(double));
            continue;
        }
        std::copy_n(from + at, present, to);
        std::fill_n(to + present, rows_per_block - present, rest);
    }
}

// Rows from `first` to `last`. Near points are written as e^2r = (e^-r + 2 sinh r)², which the
// charts tell without a logarithm; the largest sinh r, or the largest radius of far points, is kept
// in the block, and infinity where a near point was wanted and the row is beyond e^115.
template <bool fused>
HYPLANE_LANE void pack_rows(const PackTask& task, std::size_t first, std::size_t last,
                            Block& block) {
    PackedPoints& points = task.points;
    alignas(64) double sizes[lanes];
    for (; first < last; first += lanes) {
        const std::size_t count = std::min(lanes, last - first);
        if (points.far) {
            fill_block<fused, false>(task.rows, first, count, block);
            for (std::size_t j = 0; j < lanes; ++j) {
                sizes[j] = block.radius[j];
                const double largest = j < count ? sizes[j] : 0.0;
                block.largest[j] = largest > block.largest[j] ? largest : block.largest[j];
            }
        } else {
            const bool far = fill_block<fused, true>(task.rows, first, count, block);
            if (far) block.largest[0] = std::numeric_limits<double>::infinity();
#pragma omp simd
            for (std::size_t j = 0; j < lanes; ++j) {
                const double size = block.decay[j] + 2.0 * block.sinh[j];
                sizes[j] = size * size;
                const double largest = j < count ? block.sinh[j] : 0.0;
                block.largest[j] = largest > block.largest[j] ? largest : block.largest[j];
            }
        }
        write_column(points, first, count, 0, sizes, points.far ? 0.0 : 1.0);
        for (std::size_t c = 0; c < task.rows.n; ++c)
            write_column(points, first, count, c + 1, block.coordinates() + c * lanes, 0.0);
    }
}

#if HYPLANE_X86_LEVELS
HYPLANE_AVX512 inline void pack_avx512(const PackTask& task, std::size_t first, std::size_t last,
                                       Block& block) {
    pack_rows<true>(task, first, last, block);
}
HYPLANE_AVX2 inline void pack_avx2(const PackTask& task, std::size_t first, std::size_t last,
                                   Block& block) {
    pack_rows<true>(task, first, last, block);
}
#endif
inline void pack_plain(const PackTask& task, std::size_t first, std::size_t last, Block& block) {
    pack_rows<fused_everywhere>(task, first, last, block);
}

// The fastest way to pack that this build has and this machine can run.
inline decltype(&pack_plain) fastest_pack() {
#if HYPLANE_X86_LEVELS
    if (has_avx512()) return pack_avx512;
    if (has_avx2()) return pack_avx2;
#endif
    return pack_plain;
}

}  // namespace hyplane::charts
