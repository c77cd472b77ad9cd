// Lower bounds of the soft-margin objective of the plane over a box of hyperplanes.
//
// The hyperplane w = s (sinh a, cosh a · u(θ)) with a >= 0 (see kernel.hpp) has the product
//
//     w*x = s ζ,   ζ = sinh(a - r) + 2 cosh a sinh r S,   S = sin²((θ - θ_x)/2),
//
// which grows with a and with S: over a box in (s, a, θ) its range is exact. Two bounds follow.
// The plain one takes each loss h(y w*x) at the top of its range. The sharp one replaces each loss
// by a line below it on that range; the lines are linear in w, so they add up to one linear
// function of w, whose sum with ½ s² has its minimum over the box in closed form. The first errs
// in the width of the box, the second in its square.
//
// Rounding. Ends of boxes, radii and angles count as exact numbers; each e^a, e^r, sine and cosine
// is within one unit in the last place. So ζ is within `rounding` times the sum of the sizes of its
// terms, and a half-angle sine within `angle_error`; ranges are widened by that. A line that lies
// below h at the two ends that decide (see `lines_below`) is a bound whatever its slope, so slopes
// need not be exact. What is left, the rounding of sums, is bounded by `rounding + n eps` times the
// sums of the sizes of the terms, and subtracted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel.hpp"

namespace hyplane {

constexpr double epsilon = 2.220446049250313e-16;
constexpr double rounding = 32.0 * epsilon;
constexpr double angle_error = 1e-15;
constexpr double arsinh_one = 0.88137358701954302523;

// One number per point and column; `take` gathers rows so that loops over them are dense.
struct Rows {
    std::vector<double> weight, sign, grow, shrink, sinh_r, cos_half, sin_half;  // grow = e^r

    std::size_t size() const { return weight.size(); }
    void resize(std::size_t n) {
        for (auto* column : {&weight, &sign, &grow, &shrink, &sinh_r, &cos_half, &sin_half})
            column->resize(n);
    }
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
};

enum Side { side_scale, side_offset, side_angle, n_sides };

struct Box {
    double low[n_sides], high[n_sides];  // of s, a >= 0, θ
    double orientation;                  // -1: the hyperplane is (-a, θ + π) with labels negated
};

// A linear function of w below Σ weight · loss on a box: constant + s (B p + A q + D t), where
// w/s has the components B, A, D in the frame of the hyperplane at the middle of the box: along
// itself, along its derivative in a, along the direction of growing θ.
struct Cut {
    double constant = 0.0, p = 0.0, q = 0.0, t = 0.0, error = 0.0;

    Cut mixed(const Cut& other, double share) const {
        const auto mix = [share](double x, double y) { return (1.0 - share) * x + share * y; };
        return {mix(constant, other.constant), mix(p, other.p), mix(q, other.q), mix(t, other.t),
                mix(error, other.error)};
    }
};

struct Minimum {
    double value;
    double scale, B, A, D;  // where it is taken
};

struct BoxBound {
    double value = 0.0;
    double split[n_sides] = {};  // how much the bound suffers from the width of each side
    double scale = 0.0, offset = 0.0, angle = 0.0;  // a promising hyperplane of the box
};

// The middle of a box and the functions of it that every row needs.
struct BoxFrame {
    double low_scale, high_scale, scale;
    double sinh_mid, cosh_mid, cosh_high, half_offset, half_angle;
    double cosh_half, sinh_half, tan_half, sin_quarter, growth;

    explicit BoxFrame(const Box& box) {
        low_scale = box.low[side_scale];
        high_scale = box.high[side_scale];
        scale = std::sqrt(low_scale * high_scale);
        const double middle = mid(box, side_offset);
        sinh_mid = std::sinh(middle);
        cosh_mid = std::cosh(middle);
        cosh_high = std::cosh(box.high[side_offset]);
        // The middle is rounded: the box around it is a little wider.
        const double slack = 1.0 + 4.0 * epsilon;
        half_offset = std::max(box.high[side_offset] - middle, middle - box.low[side_offset]) *
                          slack + epsilon * middle;
        const double angle = mid(box, side_angle);
        half_angle = std::max(box.high[side_angle] - angle, angle - box.low[side_angle]) * slack +
                     (box.high[side_angle] > box.low[side_angle] ? epsilon * std::abs(angle) : 0.0);
        cosh_half = std::cosh(half_offset);
        sinh_half = std::sinh(half_offset);
        tan_half = std::tan(half_angle);
        sin_quarter = std::sin(0.5 * half_angle);
        // Bounds the components B, A, D of the w/s of the box and the terms that they consist of.
        growth = cosh_half + 2.0 * cosh_high * cosh_mid * sin_quarter * sin_quarter +
                 cosh_high * std::sin(half_angle);
    }
    static double mid(const Box& box, Side side) { return 0.5 * (box.low[side] + box.high[side]); }

    // The minimum of ½ s² + cut over the box. For given a the angle that minimises does not
    // depend on a, for given s neither depends on s.
    Minimum minimise(const Cut& cut) const {
        const double M = cut.q * sinh_mid - cut.p * cosh_mid, t = cut.t;
        // min over φ of M (1 - cos φ) + t sin φ
        double sine = t > 0.0 ? -std::sin(half_angle) : std::sin(half_angle);
        double rise = 2.0 * sin_quarter * sin_quarter;  // 1 - cos φ
        if (M > 0.0 && std::abs(t) <= M * tan_half) {
            const double R = std::sqrt(M * M + t * t);
            sine = -t / R;
            rise = t * t / (R * (R + M));
        }
        const double turn = std::min(0.0, M * rise + t * sine);
        const double P = cut.p + turn * cosh_mid, Q = cut.q + turn * sinh_mid;
        // min over α of P cosh α + Q sinh α
        double cosh = cosh_half, sinh = Q > 0.0 ? -sinh_half : sinh_half;
        if (P > 0.0 && std::abs(Q) * cosh_half < P * sinh_half) {
            cosh = P / std::sqrt((P - Q) * (P + Q));
            sinh = -Q / std::sqrt((P - Q) * (P + Q));
        }
        double slope = P * cosh + Q * sinh;
        const double cosh_a = cosh_mid * cosh + sinh_mid * sinh;
        const double sizes = (std::abs(cut.p) + std::abs(cut.q) + std::abs(t)) * growth;
        slope -= rounding * sizes;
        const double s = std::min(high_scale, std::max(low_scale, -slope));
        const double value = cut.constant + s * (0.5 * s + slope);
        const double error = cut.error + rounding * (std::abs(cut.constant) +
                                                     s * (0.5 * s + std::abs(slope)));
        return {value - error, s, cosh - cosh_a * cosh_mid * rise,
                sinh + cosh_a * sinh_mid * rise, cosh_a * sine};
    }
};

// Arsinh in straight-line code; its argument must not exceed 1e150 in size.
HYPLANE_INLINE double fast_arsinh(double x) {
    const double size = std::abs(x);
    return std::copysign(fast_log(size + std::sqrt(1.0 + size * size)), x);
}

HYPLANE_INLINE double loss_at(double x) {
    return std::max(0.0, arsinh_one - fast_arsinh(std::min(x, 1.0)));
}

// What is known of each row over a box: the range [low, high] of y w*x, the losses at its ends,
// and the components of x in the frame of the middle.
struct RowRanges {
    std::vector<double> low, high, loss_low, loss_high, p, q, t, slack, by_offset, by_angle;
    void resize(std::size_t n) {
        for (auto* column : {&low, &high, &loss_low, &loss_high, &p, &q, &t, &slack, &by_offset,
                             &by_angle})
            if (column->size() < n) column->resize(n);
    }
};

// Returns Σ weight · loss at the top of the range, its rounding subtracted.
HYPLANE_EVERY_CPU double find_ranges(const Rows& rows, const Box& box, const BoxFrame& frame,
                                     RowRanges& out) {
    const std::size_t n = rows.size();
    const double a0 = box.low[side_offset], a1 = box.high[side_offset];
    const double ac = BoxFrame::mid(box, side_offset), tc = BoxFrame::mid(box, side_angle);
    const double up0 = 0.5 * std::exp(a0), down0 = 0.5 * std::exp(-a0), lever0 = 2.0 * std::cosh(a0);
    const double up1 = 0.5 * std::exp(a1), down1 = 0.5 * std::exp(-a1), lever1 = 2.0 * std::cosh(a1);
    const double up = 0.5 * std::exp(ac), down = 0.5 * std::exp(-ac);
    const double lever = 2.0 * frame.cosh_mid, lever_slope = 2.0 * frame.sinh_mid;
    const double sin0 = std::sin(0.5 * box.low[side_angle]), cos0 = std::cos(0.5 * box.low[side_angle]);
    const double sin1 = std::sin(0.5 * box.high[side_angle]), cos1 = std::cos(0.5 * box.high[side_angle]);
    const double sinc = std::sin(0.5 * tc), cosc = std::cos(0.5 * tc);
    const double s0 = frame.low_scale, s1 = frame.high_scale;
    const double sin_half_width = std::sin(frame.half_angle);
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < n; ++j) {
        const double cj = rows.cos_half[j], sj = rows.sin_half[j], sinh_r = rows.sinh_r[j];
        const double grow = rows.grow[j], shrink = rows.shrink[j];
        const double h0 = sin0 * cj - cos0 * sj, k0 = cos0 * cj + sin0 * sj;
        const double h1 = sin1 * cj - cos1 * sj, k1 = cos1 * cj + sin1 * sj;
        const double small_h = std::min(std::abs(h0), std::abs(h1)) - angle_error;
        const double large_h = std::max(std::abs(h0), std::abs(h1)) + angle_error;
        // The box contains the point's own angle, or the opposite one.
        const double near = h0 * h1 <= 0.0 ? 0.0 : std::max(0.0, small_h);
        const double far = k0 * k1 <= 0.0 ? 1.0 : std::min(1.0, large_h);
        const double turn0 = lever0 * sinh_r * near * near, turn1 = lever1 * sinh_r * far * far;
        double bottom = up0 * shrink - down0 * grow + turn0;
        double top = up1 * shrink - down1 * grow + turn1;
        bottom -= rounding * (up0 * shrink + down0 * grow + turn0);
        top += rounding * (up1 * shrink + down1 * grow + turn1);
        const bool positive = rows.sign[j] > 0.0;
        const double x0 = positive ? bottom : -top, x1 = positive ? top : -bottom;
        const double low = x0 * (x0 >= 0.0 ? s0 : s1), high = x1 * (x1 >= 0.0 ? s1 : s0);
        const double loss = loss_at(high);
        out.low[j] = low;
        out.high[j] = high;
        out.loss_low[j] = loss_at(low);
        out.loss_high[j] = loss;
        total += rows.weight[j] * loss;

        const double h = sinc * cj - cosc * sj, k = cosc * cj + sinc * sj;
        const double turn = lever * sinh_r * h * h;
        const double size = up * shrink + down * grow;  // cosh(a - r)
        out.p[j] = rows.sign[j] * (up * shrink - down * grow + turn);
        out.q[j] = rows.sign[j] * (size + lever_slope * sinh_r * h * h);
        out.t[j] = rows.sign[j] * (2.0 * sinh_r * h * k);
        out.slack[j] = rounding * (size + turn + 2.0 * sinh_r) +
                       2.0 * angle_error * lever * sinh_r *
                           (std::abs(h) + angle_error + sin_half_width);
        out.by_angle[j] = lever * sinh_r * (far * far - near * near);
        out.by_offset[j] = size * frame.half_offset;
    }
    const double eps = rounding + static_cast<double>(n) * epsilon;
    double weights = 0.0;
    for (std::size_t j = 0; j < n; ++j) weights += rows.weight[j];
    return total * (1.0 - eps) - eps * weights;
}

// A line below the loss h on the range of each row, touching it near the value that the row has
// at (scale, B, A, D); their sum. h is concave up to 0 and convex beyond.
//
// The lower convex envelope of h on [low, high] is, for low < 0, a chord that leaves low and
// touches h at some m in [0, 1], then h itself. m is found by a formula that never exceeds the
// true point of contact. A line of the slope of h at m, or of the chord to the end of the range
// where that comes before m, is lowered until it is below h at both low and m: then it is below h
// on the concave part (its ends) and on the convex part (a tangent, lowered).
HYPLANE_EVERY_CPU Cut lines_below(const Rows& rows, const RowRanges& ranges, const BoxFrame& frame,
                                  double scale, double B, double A, double D) {
    const std::size_t n = rows.size();
    double constant = 0.0, p = 0.0, q = 0.0, t = 0.0, slack = 0.0, sizes = 0.0;
#pragma omp simd reduction(+ : constant, p, q, t, slack, sizes)
    for (std::size_t j = 0; j < n; ++j) {
        const double low = ranges.low[j], high = std::min(1.0, ranges.high[j]);
        const double x = scale * (B * ranges.p[j] + A * ranges.q[j] + D * ranges.t[j]);
        const double depth = std::max(0.0, -low);
        const double contact = depth / (2.0 + 0.3 * depth);
        const bool chord = contact >= high;
        const double m = chord ? high : std::min(1.0, std::max(contact, x));
        const double loss_m = chord ? ranges.loss_high[j] : loss_at(m);
        const double width = std::max(high - low, 1e-300);
        double slope = chord ? (loss_m - ranges.loss_low[j]) / width : -1.0 / std::sqrt(1.0 + m * m);
        slope = std::min(0.0, std::max(-1.0, slope));
        slope = (x >= 1.0) & !chord ? 0.0 : slope;
        const double below = std::min(loss_m - slope * m, ranges.loss_low[j] - slope * low);
        const double c = rows.weight[j], cs = c * slope;
        constant += c * below;
        p += cs * ranges.p[j];
        q += cs * ranges.q[j];
        t += cs * ranges.t[j];
        slack -= cs * ranges.slack[j];
        sizes += c * (1.0 + loss_m + ranges.loss_low[j] + std::abs(below));
    }
    const double eps = rounding + static_cast<double>(n) * epsilon;
    const double share = eps / rounding;  // slack carries one `rounding` of the sizes of p, q, t
    return {constant, p, q, t, eps * sizes + share * frame.high_scale * frame.growth * slack};
}

class Bounder {
  public:
    // The bound of the rows over a box. It is not sharpened any further once it reaches `enough`.
    BoxBound bound(const Rows& rows, const Box& box, double enough, int max_cuts) {
        const BoxFrame frame(box);
        ranges_.resize(rows.size());
        BoxBound best;
        const double plain = find_ranges(rows, box, frame, ranges_);
        best.value = 0.5 * frame.low_scale * frame.low_scale * (1.0 - rounding) + plain;
        best.scale = frame.scale;
        best.offset = BoxFrame::mid(box, side_offset);
        best.angle = BoxFrame::mid(box, side_angle);
        if (best.value >= enough) return best;
        Cut cut = lines_below(rows, ranges_, frame, frame.scale, 1.0, 0.0, 0.0);
        Minimum minimum = frame.minimise(cut);
        best.value = std::max(best.value, minimum.value);
        for (int i = 1; i < max_cuts && best.value < enough; ++i) {
            const Cut next = lines_below(rows, ranges_, frame, minimum.scale, minimum.B, minimum.A,
                                         minimum.D);
            cut = best_mixture(frame, cut, next, minimum);
            if (minimum.value > best.value) best.value = minimum.value;
        }
        if (best.value < enough) score_sides(rows, box, frame, best);
        return best;
    }
    double low(std::size_t row) const { return ranges_.low[row]; }

  private:
    RowRanges ranges_;

    // The mixture of two cuts with the highest minimum, which is a concave function of the share.
    static Cut best_mixture(const BoxFrame& frame, const Cut& first, const Cut& second,
                            Minimum& minimum) {
        constexpr double golden = 0.6180339887498949;
        double left = 0.0, right = 1.0;
        double x = 1.0 - golden, y = golden;
        double fx = frame.minimise(first.mixed(second, x)).value;
        double fy = frame.minimise(first.mixed(second, y)).value;
        for (int i = 0; i < 8; ++i) {
            if (fx > fy) {
                right = y, y = x, fy = fx, x = left + (1.0 - golden) * (right - left);
                fx = frame.minimise(first.mixed(second, x)).value;
            } else {
                left = x, x = y, fx = fy, y = left + golden * (right - left);
                fy = frame.minimise(first.mixed(second, y)).value;
            }
        }
        const Cut mixture = first.mixed(second, fx > fy ? x : y);
        minimum = frame.minimise(mixture);
        return mixture;
    }

    // Each row's range of arsinh(y w*x) times the part of it that each side is to blame for.
    void score_sides(const Rows& rows, const Box& box, const BoxFrame& frame, BoxBound& out) const {
        const double log_width = std::log(box.high[side_scale] / box.low[side_scale]);
        for (std::size_t j = 0; j < rows.size(); ++j) {
            const double width = ranges_.loss_low[j] - ranges_.loss_high[j];
            const double z = frame.scale * std::abs(ranges_.p[j]), root = std::sqrt(1.0 + z * z);
            const double c = rows.weight[j] * width;
            out.split[side_scale] += c * std::min(width, log_width * z / root);
            out.split[side_offset] +=
                c * std::min(width, frame.scale * 2.0 * ranges_.by_offset[j] / root);
            out.split[side_angle] += c * std::min(width, frame.scale * ranges_.by_angle[j] / root);
        }
    }
};

}  // namespace hyplane
