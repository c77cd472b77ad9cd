// All rows of a block take the same straight-line code; the few that need more are done once
// again, one by one, by careful.hpp.
#include "blocks.hpp"

#include <cmath>
#include <limits>

#include "../kernels/elementary.hpp"
#include "careful.hpp"

namespace hyplane::charts {

namespace {

constexpr double largest_plain_sinh = 4e49;  // of largest_plain_radius

template <class Number>
HYPLANE_INLINE void copy_rows(const Number* from, std::size_t count, std::size_t width,
                              std::ptrdiff_t down, std::ptrdiff_t across, double scale,
                              double* to) {
    for (std::size_t j = 0; j < count; ++j) {
        const Number* const row = from + static_cast<std::ptrdiff_t>(j) * down;
        for (std::size_t c = 0; c < width; ++c)
            to[c * n_lanes + j] =
                scale * static_cast<double>(row[static_cast<std::ptrdiff_t>(c) * across]);
    }
}

// Numbers of `count` rows, column by column; zeros for the lanes that are left. The compiler knows
// the two most frequent shapes as constants.
template <class Number>
HYPLANE_INLINE void read_rows(const Source& source, std::size_t first, std::size_t count,
                              double scale, double* to) {
    const std::ptrdiff_t down = source.row_stride, across = source.column_stride;
    const Number* const from =
        static_cast<const Number*>(source.data) + static_cast<std::ptrdiff_t>(first) * down;
    const std::size_t width = source.columns;
    const bool whole =
        count == n_lanes && across == 1 && down == static_cast<std::ptrdiff_t>(width);
    if (whole && width == 2)
        copy_rows(from, n_lanes, 2, 2, 1, scale, to);
    else if (whole && width == 3)
        copy_rows(from, n_lanes, 3, 3, 1, scale, to);
    else
        copy_rows(from, count, width, down, across, scale, to);
    for (std::size_t c = 0; count < n_lanes && c < width; ++c)
        std::fill(to + c * n_lanes + count, to + (c + 1) * n_lanes, 0.0);
}

HYPLANE_INLINE bool any_marked(const double* marks) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < n_lanes; ++j) sum += marks[j];
    return sum != 0.0;
}

// Σ x² over columns in doubled precision: the sum and what rounding took from it.
template <bool fused>
HYPLANE_INLINE void sum_of_squares(const double* columns, std::size_t n, Block& block) {
    double *const sum = block.square, *const rest = block.square_rest;
    for (std::size_t j = 0; j < n_lanes; ++j) sum[j] = rest[j] = 0.0;
    for (std::size_t c = 0; c < n; ++c) {
        const double* const x = columns + c * n_lanes;
#pragma omp simd
        for (std::size_t j = 0; j < n_lanes; ++j) {
            const Pair square = two_product<fused>(x[j], x[j]);
            const Pair total = two_sum(sum[j], square.value);
            sum[j] = total.value;
            rest[j] += total.error + square.error;
        }
    }
}

// k|x|² in doubled precision.
template <bool fused>
HYPLANE_INLINE Pair scaled_square(double k, double square, double rest) {
    const Pair sum = two_sum(square, rest), product = two_product<fused>(k, sum.value);
    return {product.value, product.error + k * sum.error};
}

// 1 - (square + rest). Two numbers, not a Pair: the compiler does not vectorise loops that hand
// over structures.
HYPLANE_INLINE double gap_of(double square, double rest) {
    const Pair gap = two_sum(1.0, -square);
    return gap.value + (gap.error - rest);
}

// What the coordinates of a row are multiplied by; careful.hpp finds them as they were.
HYPLANE_INLINE void set_factor(Block& block, std::size_t j, bool plain, double factor) {
    block.careful[j] = plain ? 0.0 : 1.0;
    block.factor[j] = plain ? factor : 1.0;
}

// b = |x| is tanh(r/2) in the ball and tanh(r) in the Klein model.
template <bool fused, bool klein>
HYPLANE_INLINE void flat_block(const Task& task, Block& block) {
    sum_of_squares<fused>(block.coordinates(), task.n, block);
    const double k = task.curvature.k, root = task.curvature.root, tiny = task.tiny_gap;
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const Pair square = scaled_square<fused>(k, block.square[j], block.square_rest[j]);
        const double exact = gap_of(square.value, square.error);
        const bool plain = (square.value > 1e-270) & (exact > tiny);
        const double b2 = plain ? square.value : 0.25, gap = plain ? exact : 0.75;
        const double b = std::sqrt(b2);
        const double width = klein ? std::sqrt(gap) : gap;
        const double sinh = (klein ? b : 2.0 * b) / width;
        block.sinh[j] = sinh;
        block.cosh[j] = klein ? 1.0 / width : multiply_add<fused>(b, sinh, 1.0);
        set_factor(block, j, plain, root / b);
    }
}

// sinh r = |x1:|, which never cancels; x0 is looked at to see that the row is on the sheet.
template <bool fused>
HYPLANE_INLINE void hyperboloid_block(const Task& task, Block& block) {
    sum_of_squares<fused>(block.coordinates(), task.n, block);
    const double k = task.curvature.k, root = task.curvature.root, per_k = 1.0 / k;
    const double slack = 64.0 * task.eps;
    const double* const time = block.columns();
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const double expected = std::sqrt(per_k + (block.square[j] + block.square_rest[j]));
        // |x0 - expected| <= 1e-6/k / (x0 + expected) + slack x0 · x0 / (x0 + expected)
        const double miss = std::fabs(time[j] - expected) * (time[j] + expected);
        const bool sheet = (time[j] > 0.0) & (time[j] < 1e150) &
                           (miss <= 1e-6 * per_k + slack * time[j] * time[j]);
        const Pair square = scaled_square<fused>(k, block.square[j], block.square_rest[j]);
        const bool plain = sheet & (square.value > 1e-270) & (square.value < 1e290);
        const double sinh2 = plain ? square.value : 1.0;
        block.sinh[j] = std::sqrt(sinh2);
        block.cosh[j] = std::sqrt(1.0 + sinh2);
        set_factor(block, j, plain, root / block.sinh[j]);
    }
}

// sinh²(r/2) = |h - e1|² / (4 h1), in the direction of (1 - |h|², 2 h2, …).
template <bool fused>
HYPLANE_INLINE void halfspace_block(const Task& task, Block& block) {
    double* const heights = block.coordinates();
    sum_of_squares<fused>(heights + n_lanes, task.n - 1, block);
    const Curvature& curvature = task.curvature;
    const double k = curvature.k, root = curvature.root, root_rest = curvature.root_rest;
    const double tiny = task.tiny_gap;
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const double given = heights[j];
        const Pair height = two_product<fused>(root, given);
        const Pair less_one = two_sum(height.value, -1.0);
        const double along = less_one.value + (less_one.error + (height.error + root_rest * given));
        const double flat = block.square[j] + block.square_rest[j], across = k * flat;
        const Pair up = two_product<fused>(given, given);
        const Pair whole = two_sum(block.square[j], up.value);
        const Pair square =
            scaled_square<fused>(k, whole.value, whole.error + (up.error + block.square_rest[j]));
        const double gap = gap_of(square.value, square.error);
        const double offset = multiply_add<fused>(along, along, across);
        // |w|² of w = (1 - |h|², 2 h2, …).
        const double length = multiply_add<fused>(gap, gap, 4.0 * across);
        const bool sized = (given > 1e-150) & (square.value < 1e140) & (offset > 1e-270) &
                           (length > 1e-270) & (offset < 1e200 * height.value);
        const bool plain = sized & ((std::fabs(gap) > tiny) | (across > 1e-10));
        const double q = plain ? offset / (4.0 * height.value) : 1.0;
        const double unit = 1.0 / std::sqrt(plain ? length : 1.0);
        block.sinh[j] = 2.0 * (std::sqrt(q) * std::sqrt(1.0 + q));
        block.cosh[j] = 1.0 + 2.0 * q;
        heights[j] = plain ? gap * unit : given;
        set_factor(block, j, plain, 2.0 * root * unit);
    }
}

template <bool fused>
HYPLANE_INLINE void tangent_block(const Task& task, Block& block) {
    sum_of_squares<fused>(block.coordinates(), task.n, block);
    const double k = task.curvature.k, root = task.curvature.root;
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const Pair square = scaled_square<fused>(k, block.square[j], block.square_rest[j]);
        const bool plain = (square.value > 1e-270) & (square.value < 1e290);
        block.radius[j] = plain ? std::sqrt(square.value) : 1.0;
        set_factor(block, j, plain, root / block.radius[j]);
    }
}

// Angles in the first column as unit vectors in two.
template <bool fused>
HYPLANE_INLINE void write_angles(double* x) {
    alignas(64) double angles[n_lanes];
    double largest = 0.0;
#pragma omp simd reduction(max : largest)
    for (std::size_t j = 0; j < n_lanes; ++j) {
        angles[j] = x[j];
        largest = std::max(largest, std::fabs(x[j]));
        const OnCircle point = on_circle<fused>(x[j]);
        x[j] = point.cosine;
        x[j + n_lanes] = point.sine;
    }
    for (std::size_t j = 0; j < n_lanes && largest > largest_plain_angle; ++j) {
        if (std::fabs(angles[j]) <= largest_plain_angle) continue;
        x[j] = std::cos(angles[j]);
        x[j + n_lanes] = std::sin(angles[j]);
    }
}

// A radius and a unit vector; or, in the plane, an angle, written out as a unit vector first.
template <bool fused>
HYPLANE_INLINE void polar_block(const Task& task, Block& block) {
    const double* const given = block.columns();
    const bool angle = task.chart == Chart::angle;
    if (angle) write_angles<fused>(block.coordinates());
    sum_of_squares<fused>(block.coordinates(), task.n, block);
    const double root = task.given_root;
    const double slack = 64.0 * task.eps > 1e-6 ? 64.0 * task.eps : 1e-6;
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const double r = root * given[j];
        const double length = std::sqrt(block.square[j] + block.square_rest[j]);
        const bool plain = (r > 0.0) & (r < 1e300) & (std::fabs(length - 1.0) <= slack);
        block.radius[j] = r;
        set_factor(block, j, plain, angle ? 1.0 : 1.0 / length);
    }
}

// Polar coordinates as they are, not looked at.
HYPLANE_INLINE void given_block(const Task& task, std::size_t first, std::size_t count,
                                Block& block) {
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const double r = j < count ? task.radius[first + j] : 0.0;
        block.radius[j] = block.columns()[j] = r;
        set_factor(block, j, !(r < 0.0), 1.0);
    }
}

// sinh r and e^-r from r up to `largest_plain_radius`; farther rows are marked.
template <bool fused>
HYPLANE_INLINE void functions_of_radius(Block& block) {
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const double r = block.radius[j];
        const bool plain = (r >= 0.0) & (r <= largest_plain_radius);
        const double more = exp_minus_1<fused>(plain ? r : 0.0), decay = 1.0 / (1.0 + more);
        block.far[j] = plain ? 0.0 : 1.0;
        block.sinh[j] = 0.5 * (more + more * decay);
        block.decay[j] = decay;
    }
}

// e^-r from sinh r and cosh r; rows beyond `largest_plain_radius` are marked.
HYPLANE_INLINE void decay_of_functions(Block& block) {
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        block.decay[j] = 1.0 / (block.sinh[j] + block.cosh[j]);
        block.far[j] = block.sinh[j] > largest_plain_sinh ? 1.0 : 0.0;
    }
}

template <bool fused>
HYPLANE_INLINE void radius_of_functions(Block& block) {
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j)
        block.radius[j] = arsinh_with_root<fused>(block.sinh[j], block.cosh[j]);
}

template <bool fused>
HYPLANE_INLINE void convert(const Task& task, std::size_t first, std::size_t count, bool scoring,
                            Block& block) {
    switch (task.chart) {
        case Chart::ball:
            flat_block<fused, false>(task, block);
            break;
        case Chart::klein:
            flat_block<fused, true>(task, block);
            break;
        case Chart::hyperboloid:
            hyperboloid_block<fused>(task, block);
            break;
        case Chart::halfspace:
            halfspace_block<fused>(task, block);
            break;
        case Chart::tangent:
            tangent_block<fused>(task, block);
            break;
        case Chart::polar:
        case Chart::angle:
            polar_block<fused>(task, block);
            break;
        case Chart::given:
            given_block(task, first, count, block);
            break;
    }
    for (std::size_t c = task.chart == Chart::halfspace ? 1 : 0; c < task.n; ++c) {
        double* const x = block.coordinates() + c * n_lanes;
#pragma omp simd
        for (std::size_t j = 0; j < n_lanes; ++j) x[j] *= block.factor[j];
    }
    const bool has_radius = task.chart == Chart::tangent || task.chart == Chart::polar ||
                            task.chart == Chart::angle || task.chart == Chart::given;
    if (has_radius) {
        if (scoring) functions_of_radius<fused>(block);
    } else {
        if (scoring) decay_of_functions(block);
        if (!scoring || any_marked(block.far)) radius_of_functions<fused>(block);
    }
}

HYPLANE_EVERY_CPU void read_and_convert(const Task& task, std::size_t first, std::size_t count,
                                        bool scoring, Block& block) {
    double* const to = block.columns() + task.start * n_lanes;
    if (task.source.single)
        read_rows<float>(task.source, first, count, task.load_scale, to);
    else
        read_rows<double>(task.source, first, count, task.load_scale, to);
    if (has_fma)
        convert<true>(task, first, count, scoring, block);
    else
        convert<false>(task, first, count, scoring, block);
}

// Do the marked rows again.
void careful_rows(const Task& task, std::size_t first, std::size_t count, bool scoring,
                  Block& block, Faults& faults) {
    for (std::size_t j = 0; j < count; ++j) {
        if (block.careful[j] == 0.0) continue;
        const Row row{block.coordinates() + j, task.n};
        double radius;
        const Fault fault = careful_row(task, block.columns()[j], row, radius);
        if (fault != no_fault) {
            faults.note(fault, first + j);
            radius = std::numeric_limits<double>::infinity();
        }
        block.radius[j] = radius;
        if (!scoring) continue;
        block.far[j] = std::fabs(radius) <= largest_plain_radius ? 0.0 : 1.0;
        block.sinh[j] = std::sinh(radius);
        block.decay[j] = std::exp(-radius);
    }
}

}  // namespace

bool fill_block(const Task& task, std::size_t first, std::size_t count, bool scoring, Block& block,
                Faults& faults) {
    read_and_convert(task, first, count, scoring, block);
    if (any_marked(block.careful)) careful_rows(task, first, count, scoring, block, faults);
    return scoring && any_marked(block.far);
}

}  // namespace hyplane::charts
