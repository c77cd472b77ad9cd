// Blocks of rows of any chart as polar coordinates, column by column.
//
// All rows of a block take the same straight-line code; the few that need more are done once
// again, one by one, by careful.hpp. What becomes of a row never depends on its neighbours,
// so that the result does not depend on where blocks begin or which thread has them.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "careful.hpp"
#include "../kernels/elementary.hpp"
#include "rows.hpp"

namespace hyplane::charts {

// Scores of rows beyond this radius are worked out with logarithms: e^115 is 1e50, and the
// products of sizes up to 1e50 of a row, an offset and a scale keep within the doubles.
constexpr double largest_plain_radius = 115.0;
constexpr double largest_plain_sinh = 4e49;

// Σ x² over columns in doubled precision, added to what is there.
template <bool fused>
HYPLANE_LANE void add_squares(const double* columns, std::size_t n, double* sum, double* rest) {
    std::size_t c = 0;
    for (; c + 2 <= n; c += 2) {
        const double* const x = columns + c * lanes;
#pragma omp simd
        for (std::size_t j = 0; j < lanes; ++j) {
            const Pair one = two_product<fused>(x[j], x[j]);
            const Pair two = two_product<fused>(x[j + lanes], x[j + lanes]);
            const Pair both = two_sum(one.value, two.value), total = two_sum(sum[j], both.value);
            sum[j] = total.value;
            rest[j] += (total.error + both.error) + (one.error + two.error);
        }
    }
    if (c == n) return;
    const double* const x = columns + c * lanes;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const Pair square = two_product<fused>(x[j], x[j]), total = two_sum(sum[j], square.value);
        sum[j] = total.value;
        rest[j] += total.error + square.error;
    }
}

// Renormalise: the first double of the pair becomes the rounded sum.
HYPLANE_LANE void carry(Block& block) {
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const Pair sum = two_sum(block.square[j], block.square_rest[j]);
        block.square[j] = sum.value;
        block.square_rest[j] = sum.error;
    }
}

template <bool fused>
HYPLANE_LANE void sum_of_squares(const double* columns, std::size_t n, Block& block) {
    if (n == 0) {
        for (std::size_t j = 0; j < lanes; ++j) block.square[j] = block.square_rest[j] = 0.0;
        return;
    }
    // The first column sets the sums: zeros would have to be written before they are read.
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const Pair square = two_product<fused>(columns[j], columns[j]);
        block.square[j] = square.value;
        block.square_rest[j] = square.error;
    }
    add_squares<fused>(columns + lanes, n - 1, block.square, block.square_rest);
    carry(block);
}

// k|x|² in doubled precision.
template <bool fused>
HYPLANE_LANE Pair scaled_square(const Block& block, std::size_t j, double k) {
    const Pair product = two_product<fused>(k, block.square[j]);
    return {product.value, product.error + k * block.square_rest[j]};
}

// 1 - (square + rest). Two numbers, not a Pair: the compiler does not vectorise loops that hand
// over structures.
HYPLANE_LANE double gap_of(double square, double rest) {
    const Pair gap = two_sum(1.0, -square);
    return gap.value + (gap.error - rest);
}

// With b = |x| (in the ball tanh(r/2), in the Klein model tanh(r)), e^2artanh(b) is
// (1+b)² / (1-b²), and s of log_ratio is b itself near the origin.
template <bool fused, bool klein, bool scoring>
HYPLANE_LANE void flat_block(const Task& task, Block& block) {
    sum_of_squares<fused>(block.coordinates(), task.n, block);
    const double k = task.curvature.k, root = task.curvature.root, tiny = task.tiny_gap;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const Pair square = scaled_square<fused>(block, j, k);
        const double exact = gap_of(square.value, square.error);
        const bool plain = (square.value > 1e-270) & (exact > tiny);
        const double b = std::sqrt(plain ? square.value : 0.25);
        const double gap = plain ? exact : 0.75;
        const double more = 1.0 + b;
        block.careful[j] = plain ? 0.0 : 1.0;
        if constexpr (scoring) {
            // One division for all three.
            const double width = klein ? std::sqrt(gap) : gap;
            const double shared = 1.0 / (b * width * more);
            const double per_more = shared * b * width;
            block.factor[j] = plain ? root * (shared * width * more) : 1.0;
            block.sinh[j] = (klein ? b : 2.0 * b) * (shared * b * more);
            block.decay[j] = klein ? width * per_more : width * (per_more * per_more);
            block.far[j] = 0.0;
        } else {
            const Pair big = two_product<fused>(more, more);
            const double rest = big.error + 2.0 * more * (b - (more - 1.0));
            const double logarithm = log_ratio<fused>(big.value, rest, gap, b, 1.0);
            block.factor[j] = plain ? root / b : 1.0;
            block.radius[j] = klein ? 0.5 * logarithm : logarithm;
        }
    }
}

HYPLANE_LANE bool any_marked(const double* marks) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < lanes; ++j) sum += marks[j];
    return sum != 0.0;
}

// Mark the rows whose sinh r is too large for plain products, and find their radius.
template <bool fused>
HYPLANE_LANE void mark_far_by_sinh(Block& block) {
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j)
        block.far[j] = block.sinh[j] > largest_plain_sinh ? 1.0 : 0.0;
    if (!any_marked(block.far)) return;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) block.radius[j] = arsinh<fused>(block.sinh[j]);
}

// sinh r = |x1:|, which never cancels; x0 is looked at to see that the row is on the sheet.
template <bool fused, bool scoring>
HYPLANE_LANE void hyperboloid_block(const Task& task, Block& block) {
    sum_of_squares<fused>(block.coordinates(), task.n, block);
    const double k = task.curvature.k, root = task.curvature.root, per_k = 1.0 / k;
    const double slack = 64.0 * task.eps;
    const double* const time = block.columns;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const double expected = std::sqrt(per_k + block.square[j]);
        // |x0 - expected| <= 1e-6/k / (x0 + expected) + slack x0 · x0 / (x0 + expected)
        const double miss = std::fabs(time[j] - expected) * (time[j] + expected);
        const bool sheet = (time[j] > 0.0) & (time[j] < 1e150) &
                           (miss <= 1e-6 * per_k + slack * time[j] * time[j]);
        const Pair square = scaled_square<fused>(block, j, k);
        const bool plain = sheet & (square.value > 1e-270) & (square.value < 1e290);
        const double t = plain ? std::sqrt(square.value) : 1.0;
        const double one = std::sqrt(1.0 + (plain ? square.value : 1.0));
        block.careful[j] = plain ? 0.0 : 1.0;
        block.factor[j] = plain ? root / t : 1.0;
        if constexpr (scoring) {
            block.sinh[j] = t;
            block.decay[j] = 1.0 / (t + one);
        } else {
            block.radius[j] = arsinh_with_root<fused>(t, one);
        }
    }
    if constexpr (scoring) mark_far_by_sinh<fused>(block);
}

// sinh²(r/2) = |h - e1|² / (4 h1), in the direction of (1 - |h|², 2 h2, …).
template <bool fused, bool scoring>
HYPLANE_LANE void halfspace_block(const Task& task, Block& block) {
    double* const heights = block.coordinates();
    sum_of_squares<fused>(heights + lanes, task.n - 1, block);
    alignas(64) double flat[lanes];
    for (std::size_t j = 0; j < lanes; ++j) flat[j] = block.square[j];
    add_squares<fused>(heights, 1, block.square, block.square_rest);
    carry(block);
    const Curvature& curvature = task.curvature;
    const double k = curvature.k, root = curvature.root, root_rest = curvature.root_rest;
    const double tiny = task.tiny_gap, largest = scoring ? 1e140 : 1e200;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const double given = heights[j];
        const Pair height = two_product<fused>(root, given);
        const Pair less_one = two_sum(height.value, -1.0);
        const double along = less_one.value + (less_one.error + (height.error + root_rest * given));
        const double across = k * flat[j];
        const Pair square = scaled_square<fused>(block, j, k);
        const double gap = gap_of(square.value, square.error);
        const double offset = multiply_add<fused>(along, along, across);
        // |w|² of w = (1 - |h|², 2 h2, …).
        const double length = multiply_add<fused>(gap, gap, 4.0 * across);
        const bool sized = (given > 1e-150) & (square.value < 1e140) & (offset > 1e-270) &
                           (length > 1e-270) & (offset < largest * height.value);
        const bool plain = sized & ((std::fabs(gap) > tiny) | (across > 1e-10));
        const double q = plain ? offset / (4.0 * height.value) : 1.0;
        const double t = std::sqrt(q), one = std::sqrt(1.0 + q);
        const double unit = 1.0 / std::sqrt(plain ? length : 1.0);
        block.careful[j] = plain ? 0.0 : 1.0;
        block.factor[j] = plain ? 2.0 * root * unit : 1.0;
        block.square[j] = plain ? gap * unit : given;  // the first coordinate, for the loop below
        if constexpr (scoring) {
            const double shrink = 1.0 / (t + one);
            block.sinh[j] = 2.0 * t * one;
            block.decay[j] = shrink * shrink;
        } else {
            block.radius[j] = 2.0 * arsinh_with_root<fused>(t, one);
        }
    }
    for (std::size_t j = 0; j < lanes; ++j) heights[j] = block.square[j];
    if constexpr (scoring) mark_far_by_sinh<fused>(block);
}

// sinh r and e^-r from r up to `largest_plain_radius`; farther rows are marked.
template <bool fused>
HYPLANE_LANE void grow_from_radius(Block& block) {
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const double r = block.radius[j];
        const bool plain = (r >= 0.0) & (r <= largest_plain_radius);
        const double more = exp_minus_1<fused>(plain ? r : 0.0), decay = 1.0 / (1.0 + more);
        block.far[j] = plain ? 0.0 : 1.0;
        block.sinh[j] = 0.5 * (more + more * decay);
        block.decay[j] = decay;
    }
}

template <bool fused, bool scoring>
HYPLANE_LANE void tangent_block(const Task& task, Block& block) {
    sum_of_squares<fused>(block.coordinates(), task.n, block);
    const double k = task.curvature.k, root = task.curvature.root;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const Pair square = scaled_square<fused>(block, j, k);
        const bool plain = (square.value > 1e-270) & (square.value < 1e290);
        const double r = plain ? std::sqrt(square.value) : 1.0;
        block.careful[j] = plain ? 0.0 : 1.0;
        block.factor[j] = plain ? root / r : 1.0;
        block.radius[j] = r;
    }
    if constexpr (scoring) grow_from_radius<fused>(block);
}

// Angles in the first column as unit vectors in two.
template <bool fused>
HYPLANE_LANE void write_angles(double* x) {
    alignas(64) double large[lanes], angles[lanes];
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        angles[j] = x[j];
        large[j] = std::fabs(x[j]) <= largest_plain_angle ? 0.0 : 1.0;
        const OnCircle point = on_circle<fused>(x[j]);
        x[j] = point.cosine;
        x[j + lanes] = point.sine;
    }
    if (!any_marked(large)) return;
    for (std::size_t j = 0; j < lanes; ++j) {
        if (large[j] == 0.0) continue;
        x[j] = std::cos(angles[j]);
        x[j + lanes] = std::sin(angles[j]);
    }
}

// A radius and a unit vector; or, in the plane, an angle, written out as a unit vector first.
template <bool fused, bool scoring>
HYPLANE_LANE void polar_block(const Task& task, Block& block) {
    const double* const given = block.columns;
    double* const x = block.coordinates();
    if (task.chart == Chart::angle) write_angles<fused>(x);
    sum_of_squares<fused>(x, task.n, block);
    const double root = task.given_root;
    const double slack = 64.0 * task.eps > 1e-6 ? 64.0 * task.eps : 1e-6;
    const bool angle = task.chart == Chart::angle;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const double r = root * given[j], length = std::sqrt(block.square[j]);
        const bool plain = (r > 0.0) & (r < 1e300) & (std::fabs(length - 1.0) <= slack);
        block.careful[j] = plain ? 0.0 : 1.0;
        block.factor[j] = (plain & !angle) ? 1.0 / length : 1.0;
        block.radius[j] = r;
    }
    if constexpr (scoring) grow_from_radius<fused>(block);
}

// Polar coordinates as they are, not looked at.
template <bool fused>
HYPLANE_LANE void given_block(const Task& task, std::size_t first, std::size_t count,
                              Block& block) {
    for (std::size_t j = 0; j < lanes; ++j) {
        block.radius[j] = j < count ? task.radius[first + j] : 0.0;
        block.careful[j] = block.radius[j] < 0.0 ? 1.0 : 0.0;
        block.factor[j] = 1.0;
    }
    for (std::size_t j = 0; j < lanes; ++j) block.columns[j] = block.radius[j];
    grow_from_radius<fused>(block);
}

// Do the marked rows again.
HYPLANE_APART inline void careful_rows(const Task& task, std::size_t first, std::size_t count, bool scoring,
                         Block& block) {
    for (std::size_t j = 0; j < count; ++j) {
        if (block.careful[j] == 0.0) continue;
        const Row row{block.coordinates() + j, task.n};
        double radius;
        const Fault fault = careful_row(task.chart, block.columns[j], row, task.curvature,
                                        task.given_root, task.eps, radius);
        if (fault != no_fault) block.faults.note(fault, first + j);
        block.radius[j] = fault == no_fault ? radius : std::numeric_limits<double>::infinity();
        if (!scoring) continue;
        block.far[j] = std::fabs(radius) <= largest_plain_radius ? 0.0 : 1.0;
        if (block.far[j] != 0.0) continue;
        block.sinh[j] = std::sinh(radius);
        block.decay[j] = std::exp(-radius);
    }
}

// Fill a block: directions in its columns, and the radius, or for scores sinh r and e^-r. Returns
// whether any row is far.
template <bool fused, bool scoring>
HYPLANE_LANE bool fill_block(const Task& task, std::size_t first, std::size_t count,
                             Block& block) {
    read_block(task, first, count, block);
    switch (task.chart) {
        case Chart::ball: flat_block<fused, false, scoring>(task, block); break;
        case Chart::klein: flat_block<fused, true, scoring>(task, block); break;
        case Chart::hyperboloid: hyperboloid_block<fused, scoring>(task, block); break;
        case Chart::halfspace: halfspace_block<fused, scoring>(task, block); break;
        case Chart::tangent: tangent_block<fused, scoring>(task, block); break;
        case Chart::polar:
        case Chart::angle: polar_block<fused, scoring>(task, block); break;
        case Chart::given: given_block<fused>(task, first, count, block); break;
    }
    const bool kept = task.chart == Chart::given || task.chart == Chart::angle;
    const std::size_t from = task.chart == Chart::halfspace ? 1 : 0;
    for (std::size_t c = from; c < task.n && !kept; ++c) {
        double* const x = block.coordinates() + c * lanes;
#pragma omp simd
        for (std::size_t j = 0; j < lanes; ++j) x[j] *= block.factor[j];
    }
    if (any_marked(block.careful)) careful_rows(task, first, count, scoring, block);
    return scoring && any_marked(block.far);
}

}  // namespace hyplane::charts
