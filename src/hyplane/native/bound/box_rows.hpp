// Points over a box of hyperplanes of the plane: loops over rows that find the ranges of products
// and losses.
//
// The hyperplane w = s (sinh a, cosh a · u(θ)) with a >= 0 has the product (kernels/product.hpp)
//
//     w*x = s ζ,   ζ = sinh(a - r) + 2 cosh a sinh r S,   S = sin²((θ - θ_x)/2) = |u - v|²/4,
//
// which grows with a and with S, so that its range over a box in (s, a, θ) is exact.
//
// Rounding. Ends of boxes, radii and weights count as exact numbers; each exponential, sine and
// cosine is within two units in the last place. So ζ is within `rounding` (32 of them; ten are
// needed) times the sum of the sizes of its terms, and the sine of half an angle is within
// `angle_error`, that of the points' own angles included: 2.2e-16 for the half of an arctangent
// below π, 5e-16 for the sines and their products. Ranges are widened by that.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../kernels/elementary.hpp"

namespace hyplane {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rounding = 32.0 * epsilon;
constexpr double angle_error = 1e-15;

// By value: std::min and std::max hand out references, which keep a loop from being vectorised.
HYPLANE_INLINE double least(double x, double y) { return x < y ? x : y; }
HYPLANE_INLINE double most(double x, double y) { return x > y ? x : y; }

// max(0, arsinh 1 - arsinh x) for |x| < 1e150. Within `rounding` · (1 + loss).
HYPLANE_INLINE double loss_at(double x) {
    const double capped = least(x, 1.0), size = std::abs(capped);
    const double t = fast_log(size + std::sqrt(1.0 + size * size));
    return most(0.0, arsinh_of_1 - std::copysign(t, capped));
}

enum Side { side_scale, side_offset, side_angle, n_sides };

struct Box {
    double low[n_sides], high[n_sides];  // of s, a >= 0, θ
    double orientation;                  // -1: the hyperplane is (-a, θ + π) with labels negated

    double middle(Side side) const {
        return side == side_scale ? std::sqrt(low[side]) * std::sqrt(high[side])
                                  : 0.5 * (low[side] + high[side]);
    }
};

// One number per point and column.
struct BoxRows {
    std::vector<double> weight, sign, grow, shrink, sinh_r, cos_half, sin_half;  // grow = e^r

    std::size_t size() const { return weight.size(); }
    void add(double radius, double angle, double signed_weight);
    // Copies some rows, so that the loops over them run over neighbours.
    void take(const BoxRows& all, const std::vector<std::uint32_t>& rows, double orientation);
    // Bounds the rounding of a sum over the rows, relative to the sum of the sizes of its terms.
    double sum_rounding() const { return rounding + static_cast<double>(size()) * epsilon; }
};

// What is known of each row over a box: the range [low, high] of y w*x, the losses at its ends; the
// components p, q, t of y x in the frame of the hyperplane at the middle of the box (along it,
// along its derivative in a, along growing θ) and how far rounding may have moved them.
struct RowRanges {
    std::vector<double> low, high, loss_low, loss_high, p, q, t, slack;
    std::vector<double> near, far;  // least and largest |sin((θ - θ_x)/2)|

    void resize(std::size_t n) {
        for (auto* column : {&low, &high, &loss_low, &loss_high, &p, &q, &t, &slack, &near, &far})
            if (column->size() < n) column->resize(n);
    }
};

// Find the ranges and what belongs to them, but for the losses.
void find_ranges(const BoxRows& rows, const Box& box, RowRanges& out);

// Find the losses at the ends of the ranges; return Σ weight · loss at the top, less its rounding.
double find_losses(const BoxRows& rows, RowRanges& out);

// How much each side of the box makes the losses vary where it alone moves, squared: the error of
// lines below a curve is of second order.
void score_sides(const BoxRows& rows, const Box& box, const RowRanges& ranges, double* score);

// Σ weight · loss of one hyperplane.
double total_loss(const BoxRows& rows, double scale, double offset, double angle);

}  // namespace hyplane
