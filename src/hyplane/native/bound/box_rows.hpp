// Points over a box of hyperplanes of the plane: the range of each product, and lines below each
// loss. Everything here is a loop over rows.
//
// The hyperplane w = s (sinh a, cosh a · u(θ)) with a >= 0 has the product (objective/points.hpp)
//
//     w*x = s ζ,   ζ = sinh(a - r) + 2 cosh a sinh r S,   S = sin²((θ - θ_x)/2),
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
#include <vector>

#include "../kernels/elementary.hpp"

namespace hyplane {

constexpr double epsilon = 2.220446049250313e-16;
constexpr double rounding = 32.0 * epsilon;
constexpr double angle_error = 1e-15;
constexpr double arsinh_one = 0.88137358701954302523;

// By value: std::min and std::max hand out references, which keep a loop from being vectorised.
HYPLANE_INLINE double least(double x, double y) { return x < y ? x : y; }
HYPLANE_INLINE double most(double x, double y) { return x > y ? x : y; }

// max(0, arsinh 1 - arsinh x) for |x| < 1e150. Within `rounding` · (1 + loss).
HYPLANE_INLINE double loss_at(double x) {
    const double capped = least(x, 1.0), size = std::abs(capped);
    const double t = fast_log(size + std::sqrt(1.0 + size * size));
    return most(0.0, arsinh_one - std::copysign(t, capped));
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
struct Rows {
    std::vector<double> weight, sign, grow, shrink, sinh_r, cos_half, sin_half;  // grow = e^r

    std::size_t size() const { return weight.size(); }
    void resize(std::size_t n) {
        for (auto* column : {&weight, &sign, &grow, &shrink, &sinh_r, &cos_half, &sin_half})
            column->resize(n);
    }
    // Gathered, so that the loops over them run over neighbours.
    void take(const Rows& all, const std::vector<std::uint32_t>& rows, double orientation) {
        resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t j = rows[i];
            weight[i] = all.weight[j];
            sign[i] = orientation * all.sign[j];
            grow[i] = all.grow[j];
            shrink[i] = all.shrink[j];
            sinh_r[i] = all.sinh_r[j];
            cos_half[i] = all.cos_half[j];
            sin_half[i] = all.sin_half[j];
        }
    }
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

// The functions of an offset a and an angle θ that the loops need; up - down = sinh a.
struct OffsetAndAngle {
    double up, down, cosh2, sine, cosine;  // e^a/2, e^-a/2, 2 cosh a; of θ/2
    OffsetAndAngle(double a, double theta)
        : up(0.5 * std::exp(a)), down(0.5 * std::exp(-a)), cosh2(2.0 * std::cosh(a)),
          sine(std::sin(0.5 * theta)), cosine(std::cos(0.5 * theta)) {}
};

HYPLANE_EVERY_CPU void find_ranges(const Rows& rows, const Box& box, RowRanges& out) {
    // Pointers of their own: read through the vectors, they keep the loop from being vectorised.
    const double *sign = rows.sign.data(), *grow = rows.grow.data(), *shrink = rows.shrink.data();
    const double *sinh = rows.sinh_r.data();
    const double *cos_half = rows.cos_half.data(), *sin_half = rows.sin_half.data();
    double *low = out.low.data(), *high = out.high.data(), *slack = out.slack.data();
    double *p = out.p.data(), *q = out.q.data(), *t = out.t.data();
    double *least_sine = out.near.data(), *largest_sine = out.far.data();
    const OffsetAndAngle first(box.low[side_offset], box.low[side_angle]);
    const OffsetAndAngle last(box.high[side_offset], box.high[side_angle]);
    const OffsetAndAngle mid(box.middle(side_offset), box.middle(side_angle));
    const double sinh2 = 2.0 * std::sinh(box.middle(side_offset));
    const double s0 = box.low[side_scale], s1 = box.high[side_scale];
    const double width = box.high[side_angle] - box.low[side_angle];
#pragma omp simd
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double cj = cos_half[j], sj = sin_half[j], lift = grow[j], drop = shrink[j];
        const double h0 = first.sine * cj - first.cosine * sj;
        const double k0 = first.cosine * cj + first.sine * sj;
        const double h1 = last.sine * cj - last.cosine * sj;
        const double k1 = last.cosine * cj + last.sine * sj;
        const double smaller = least(std::abs(h0), std::abs(h1)) - angle_error;
        const double larger = most(std::abs(h0), std::abs(h1)) + angle_error;
        // A box narrower than π has the point's own angle, or the opposite one, inside where the
        // sine, or the cosine, changes its sign.
        const double near = h0 * h1 <= 0.0 ? 0.0 : most(0.0, smaller);
        const double far = k0 * k1 <= 0.0 ? 1.0 : least(1.0, larger);
        const double turn0 = first.cosh2 * sinh[j] * near * near;
        const double turn1 = last.cosh2 * sinh[j] * far * far;
        const double bottom = first.up * drop - first.down * lift + turn0 -
                              rounding * (first.up * drop + first.down * lift + turn0);
        const double top = last.up * drop - last.down * lift + turn1 +
                           rounding * (last.up * drop + last.down * lift + turn1);
        const bool positive = sign[j] > 0.0;
        const double x0 = positive ? bottom : -top, x1 = positive ? top : -bottom;
        low[j] = x0 * (x0 >= 0.0 ? s0 : s1);
        high[j] = x1 * (x1 >= 0.0 ? s1 : s0);
        least_sine[j] = near;
        largest_sine[j] = far;

        const double h = mid.sine * cj - mid.cosine * sj, k = mid.cosine * cj + mid.sine * sj;
        const double turn = mid.cosh2 * sinh[j] * h * h;
        const double cosh_gap = mid.up * drop + mid.down * lift;  // cosh(a - r)
        p[j] = sign[j] * (mid.up * drop - mid.down * lift + turn);
        q[j] = sign[j] * (cosh_gap + sinh2 * sinh[j] * h * h);
        t[j] = sign[j] * (2.0 * sinh[j] * h * k);
        slack[j] = rounding * (cosh_gap + turn + 2.0 * sinh[j]) +
                   4.0 * angle_error * mid.cosh2 * sinh[j] * (std::abs(h) + angle_error + width);
    }
}

// Losses at the ends of the ranges; returns Σ weight · loss at the top, its rounding subtracted.
HYPLANE_EVERY_CPU double find_losses(const Rows& rows, RowRanges& out) {
    const double *weight = rows.weight.data(), *low = out.low.data(), *high = out.high.data();
    double *loss_low = out.loss_low.data(), *loss_high = out.loss_high.data();
    double total = 0.0, weights = 0.0;
#pragma omp simd
    for (std::size_t j = 0; j < rows.size(); ++j) loss_low[j] = loss_at(low[j]);
#pragma omp simd reduction(+ : total, weights)
    for (std::size_t j = 0; j < rows.size(); ++j) {
        loss_high[j] = loss_at(high[j]);
        total += weight[j] * loss_high[j];
        weights += weight[j];
    }
    return total - rows.sum_rounding() * (total + weights);
}

// How much each side of the box makes the losses vary where it alone moves, squared: the error of
// lines below a curve is of second order.
HYPLANE_EVERY_CPU void score_sides(const Rows& rows, const Box& box, const RowRanges& ranges,
                                   double* score) {
    const double *weight = rows.weight.data(), *sign = rows.sign.data();
    const double *grow = rows.grow.data(), *shrink = rows.shrink.data();
    const double *sinh = rows.sinh_r.data(), *p = ranges.p.data();
    const double *near = ranges.near.data(), *far = ranges.far.data();
    const double a = box.middle(side_offset), s = box.middle(side_scale);
    const OffsetAndAngle first(box.low[side_offset], 0.0), last(box.high[side_offset], 0.0);
    const OffsetAndAngle mid(a, 0.0);
    const double s0 = box.low[side_scale], s1 = box.high[side_scale];
    double by_scale = 0.0, by_offset = 0.0, by_angle = 0.0;
#pragma omp simd reduction(+ : by_scale, by_offset, by_angle)
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double level = mid.up * shrink[j] - mid.down * grow[j], sy = s * sign[j];
        const double swing = (sign[j] * p[j] - level) / mid.cosh2;
        const double x0 = first.up * shrink[j] - first.down * grow[j] + first.cosh2 * swing;
        const double x1 = last.up * shrink[j] - last.down * grow[j] + last.cosh2 * swing;
        const double lever = mid.cosh2 * sinh[j];
        const double d0 = loss_at(s0 * p[j]) - loss_at(s1 * p[j]);
        const double d1 = loss_at(sy * x0) - loss_at(sy * x1);
        const double d2 = loss_at(sy * (level + lever * near[j] * near[j])) -
                          loss_at(sy * (level + lever * far[j] * far[j]));
        by_scale += weight[j] * d0 * d0;
        by_offset += weight[j] * d1 * d1;
        by_angle += weight[j] * d2 * d2;
    }
    score[side_scale] = by_scale;
    score[side_offset] = by_offset;
    score[side_angle] = by_angle;
}

// Σ weight · loss of one hyperplane.
HYPLANE_EVERY_CPU double total_loss(const Rows& rows, double scale, double offset, double angle) {
    const double *weight = rows.weight.data(), *sign = rows.sign.data();
    const double *grow = rows.grow.data(), *shrink = rows.shrink.data();
    const double *sinh = rows.sinh_r.data();
    const double *cos_half = rows.cos_half.data(), *sin_half = rows.sin_half.data();
    const OffsetAndAngle at(offset, angle);
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double h = at.sine * cos_half[j] - at.cosine * sin_half[j];
        const double zeta = at.up * shrink[j] - at.down * grow[j] + at.cosh2 * sinh[j] * h * h;
        total += weight[j] * loss_at(scale * sign[j] * zeta);
    }
    return total;
}

}  // namespace hyplane
