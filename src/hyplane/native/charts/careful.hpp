// One row at a time, with every care: rows at the origin, at sizes whose squares leave the doubles,
// within the last bits of the boundary, and rows that are no point at all.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../kernels/elementary.hpp"
#include "rows.hpp"

namespace hyplane::charts {

// One row of a block: the numbers lie `n_lanes` apart.
struct Row {
    double* first;
    std::size_t size;

    double& operator[](std::size_t c) const { return first[c * n_lanes]; }
    Row rest() const { return {first + n_lanes, size - 1}; }
};

// A Euclidean length as mantissa · 2^exponent, so that no square leaves the range of doubles.
struct Length {
    double mantissa = 0.0;
    int exponent = 0;

    explicit Length(const Row& row) {
        double largest = 0.0;
        for (std::size_t c = 0; c < row.size; ++c) largest = std::max(largest, std::fabs(row[c]));
        if (largest == 0.0) return;
        exponent = std::ilogb(largest);
        Pair sum{0.0, 0.0};
        for (std::size_t c = 0; c < row.size; ++c) {
            const double x = std::ldexp(row[c], -exponent);
            const Pair square = two_product<true>(x, x), total = two_sum(sum.value, square.value);
            sum = {total.value, sum.error + (total.error + square.error)};
        }
        mantissa = std::sqrt(sum.value + sum.error);
    }
    double value() const { return std::ldexp(mantissa, exponent); }
    double logarithm() const {
        return std::log(mantissa) + exponent * log_of_2_high + exponent * log_of_2_low;
    }
};

inline void set_first_axis(const Row& row) {
    for (std::size_t c = 0; c < row.size; ++c) row[c] = c == 0 ? 1.0 : 0.0;
}

// Divide a row by its length; the zero vector becomes the first axis.
inline void make_unit(const Row& row, const Length& length) {
    if (length.mantissa == 0.0) return set_first_axis(row);
    for (std::size_t c = 0; c < row.size; ++c)
        row[c] = std::ldexp(row[c], -length.exponent) / length.mantissa;
}

inline bool all_finite(const Row& row) {
    for (std::size_t c = 0; c < row.size; ++c)
        if (!std::isfinite(row[c])) return false;
    return true;
}

// A sum of doubles without any rounding, as an expansion (Shewchuk 1997): its terms do not
// overlap, so that their sum from the smallest to the largest is right to rounding.
class ExactSum {
  public:
    void add(double term) {
        std::size_t kept = 0;
        for (const double part : parts_) {
            const Pair sum = two_sum(term, part);
            if (sum.error != 0.0) parts_[kept++] = sum.error;
            term = sum.value;
        }
        parts_.resize(kept);
        if (term != 0.0) parts_.push_back(term);
    }
    double value() const {
        double total = 0.0;
        for (const double part : parts_) total += part;
        return total;
    }

  private:
    std::vector<double> parts_;
};

// 1 - k |x|², right to rounding and with the right sign. Rows far beyond the boundary, whose
// products overflow, give a negative number or NaN.
inline double exact_gap(const Row& row, double k) {
    ExactSum gap;
    gap.add(1.0);
    for (std::size_t c = 0; c < row.size; ++c) {
        if (std::fabs(row[c]) > 1e100) return -std::numeric_limits<double>::infinity();
        const Pair square = two_product<true>(row[c], row[c]);
        const Pair large = two_product<true>(-k, square.value);
        const Pair small = two_product<true>(-k, square.error);
        gap.add(small.error);
        gap.add(small.value);
        gap.add(large.error);
        gap.add(large.value);
    }
    return gap.value();
}

// b = tanh(r/2) u in the ball, tanh(r) u in the Klein model.
inline Fault flat_row(const Row& row, const Curvature& curvature, double halves, double& radius) {
    const Length length(row);
    const double gap = exact_gap(row, curvature.k);
    radius = halves * std::asinh(curvature.root * length.value() / std::sqrt(gap));
    make_unit(row, length);
    return gap > 0.0 ? no_fault : outside;
}

// x*x = 1 and x0 > 0 to rounding. Rounding the coordinates alone moves x*x by eps x0², and the
// comparison is made on x0 - sqrt(1 + |x1:|²) so that nothing overflows.
inline bool on_the_sheet(double time, double length, double k, double eps) {
    const double expected = std::hypot(1.0 / std::sqrt(k), length);
    const double sum = std::fabs(time) + expected, share = std::fabs(time) / sum;
    const double tolerance = 1e-6 / k / sum + 64.0 * eps * std::fabs(time) * share;
    return time > 0.0 && std::fabs(time - expected) <= tolerance;
}

inline Fault hyperboloid_row(double time, const Row& row, const Task& task, double& radius) {
    if (!std::isfinite(time)) return not_finite;
    const Length length(row);
    const double root = task.curvature.root, sinh = root * length.value();
    radius = sinh > 1e150 ? length.logarithm() + std::log(2.0 * root) : std::asinh(sinh);
    make_unit(row, length);
    return on_the_sheet(time, length.value(), task.curvature.k, task.eps) ? no_fault : outside;
}

// sinh²(r/2) = |h - e1|² / (4 h1), in the direction of (1 - |h|², 2 h2, …).
inline Fault halfspace_row(const Row& row, const Curvature& curvature, double& radius) {
    if (!(row[0] > 0.0)) return outside;
    const Pair height = two_product<true>(curvature.root, row[0]);
    const Pair less_one = two_sum(height.value, -1.0);
    const double along =
        less_one.value + (less_one.error + height.error + curvature.root_rest * row[0]);
    const Length flat(row.rest()), whole(row);
    const double offset = std::hypot(along, curvature.root * flat.value());
    const double sinh = offset / (2.0 * std::sqrt(height.value));
    if (sinh <= 1e100)
        radius = 2.0 * std::asinh(sinh);
    else if (std::isfinite(offset))
        radius = 2.0 * std::log(offset) - std::log(height.value);
    else
        radius = 2.0 * (flat.logarithm() + std::log(curvature.root)) - std::log(height.value);
    const double norm = curvature.root * whole.value();
    if (norm <= 4.0) {
        row[0] = exact_gap(row, curvature.k);
        if (row[0] != 0.0)
            for (std::size_t c = 1; c < row.size; ++c) row[c] *= 2.0 * curvature.root;
    } else {  // all divided by |h|², with h = 2^exponent times the numbers below
        const double unit = std::ldexp(1.0, -whole.exponent);
        const double mantissa = curvature.root * whole.mantissa;
        row[0] = unit * unit - mantissa * mantissa;
        for (std::size_t c = 1; c < row.size; ++c)
            row[c] = 2.0 * curvature.root * std::ldexp(row[c], -whole.exponent) * unit;
    }
    make_unit(row, Length(row));
    return std::isfinite(radius) ? no_fault : outside;
}

inline Fault tangent_row(const Row& row, const Curvature& curvature, double& radius) {
    const Length length(row);
    radius = curvature.root * length.value();
    make_unit(row, length);
    return std::isfinite(radius) ? no_fault : outside;
}

inline Fault polar_row(double given, const Row& row, const Task& task, double& radius) {
    if (!std::isfinite(given)) return not_finite;
    radius = task.given_root * given;
    if (given < 0.0 || !std::isfinite(radius)) return outside;
    const Length length(row);
    const bool unit = std::fabs(length.value() - 1.0) <= std::max(1e-6, 64.0 * task.eps);
    if (radius == 0.0)
        set_first_axis(row);
    else
        make_unit(row, length);
    return unit ? no_fault : crooked_direction;
}

// Polar coordinates of one row of any chart. `extra` is its first number in charts that have one
// more column than the space has dimensions.
inline Fault careful_row(const Task& task, double extra, const Row& row, double& radius) {
    radius = std::numeric_limits<double>::infinity();
    if (!all_finite(row)) return not_finite;
    switch (task.chart) {
        case Chart::ball:
            return flat_row(row, task.curvature, 2.0, radius);
        case Chart::klein:
            return flat_row(row, task.curvature, 1.0, radius);
        case Chart::hyperboloid:
            return hyperboloid_row(extra, row, task, radius);
        case Chart::halfspace:
            return halfspace_row(row, task.curvature, radius);
        case Chart::tangent:
            return tangent_row(row, task.curvature, radius);
        case Chart::polar:
        case Chart::angle:
            return polar_row(extra, row, task, radius);
        case Chart::given:
            break;
    }
    radius = extra;
    return no_fault;
}

}  // namespace hyplane::charts
