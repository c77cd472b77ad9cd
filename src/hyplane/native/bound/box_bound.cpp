#include "box_bound.hpp"

#include <algorithm>
#include <cmath>

namespace hyplane {

// constant + s (B p + A q + D t) - error <= Σ weight · loss on a box, where B, A, D are the
// components of w/s in the frame of the hyperplane at the middle of the box (see RowRanges).
struct LinesBelow {
    double constant, p, q, t, error;

    LinesBelow mixed(const LinesBelow& other, double share) const {
        const auto mix = [share](double x, double y) { return (1.0 - share) * x + share * y; };
        return {mix(constant, other.constant), mix(p, other.p), mix(q, other.q), mix(t, other.t),
                mix(error, other.error)};
    }
};

struct Minimum {
    double value, scale, B, A, D;
};

// The components of the hyperplanes of a box, (a, θ) = the middle + (α, φ):
//
//     B = cosh α - cosh a cosh a_mid (1 - cos φ)
//     A = sinh α + cosh a sinh a_mid (1 - cos φ)
//     D = cosh a sin φ
class BoxComponents {
  public:
    double growth;  // bounds |B|, |A|, |D| and the terms that they consist of

    explicit BoxComponents(const Box& box)
        : low_scale_(box.low[side_scale]), high_scale_(box.high[side_scale]) {
        const double a = box.middle(side_offset), angle = box.middle(side_angle);
        sinh_mid_ = std::sinh(a);
        cosh_mid_ = std::cosh(a);
        // The middle is rounded: the box around it is a little wider.
        const double half_offset = half_width(box, side_offset, a);
        const double half_angle = half_width(box, side_angle, angle);
        cosh_half_ = std::cosh(half_offset);
        sinh_half_ = std::sinh(half_offset);
        tan_half_ = std::tan(half_angle);
        sin_half_ = std::sin(half_angle);
        const double quarter = std::sin(0.5 * half_angle);
        rise_half_ = 2.0 * quarter * quarter;  // 1 - cos
        const double cosh_high = std::cosh(box.high[side_offset]);
        growth = cosh_half_ + cosh_high * (cosh_mid_ * rise_half_ + sin_half_);
    }

    double high_scale() const { return high_scale_; }

    // The minimum of ½ s² + cut over the box. For a given a the best φ does not depend on a, and
    // for a given s the best (a, φ) does not depend on s.
    Minimum minimise(const LinesBelow& cut) const {
        const double M = cut.q * sinh_mid_ - cut.p * cosh_mid_, t = cut.t;
        // M (1 - cos φ) + t sin φ
        double sine = t > 0.0 ? -sin_half_ : sin_half_, rise = rise_half_;
        if (M > 0.0 && std::abs(t) <= M * tan_half_) {
            const double R = std::sqrt(M * M + t * t);
            sine = -t / R;
            rise = t * t / (R * (R + M));
        }
        const double turn = M * rise + t * sine;
        // P cosh α + Q sinh α
        const double P = cut.p + turn * cosh_mid_, Q = cut.q + turn * sinh_mid_;
        double cosh = cosh_half_, sinh = Q > 0.0 ? -sinh_half_ : sinh_half_;
        if (P > 0.0 && std::abs(Q) * cosh_half_ < P * sinh_half_) {
            const double root = std::sqrt((P - Q) * (P + Q));
            cosh = P / root;
            sinh = -Q / root;
        }
        const double sizes = (std::abs(cut.p) + std::abs(cut.q) + std::abs(t)) * growth;
        const double slope = P * cosh + Q * sinh - rounding * sizes;
        const double s = std::min(high_scale_, std::max(low_scale_, -slope));
        const double error =
            cut.error + rounding * (std::abs(cut.constant) + s * (0.5 * s + std::abs(slope)));
        const double cosh_a = cosh_mid_ * cosh + sinh_mid_ * sinh;
        return {cut.constant + s * (0.5 * s + slope) - error, s, cosh - cosh_a * cosh_mid_ * rise,
                sinh + cosh_a * sinh_mid_ * rise, cosh_a * sine};
    }

    // Offset and angle (from the middle) of the hyperplane with these components.
    void locate(const Minimum& at, double& offset, double& turned) const {
        offset = std::asinh(at.B * sinh_mid_ + at.A * cosh_mid_);
        turned = std::atan2(at.D, at.B * cosh_mid_ + at.A * sinh_mid_);
    }

  private:
    double low_scale_, high_scale_, sinh_mid_, cosh_mid_;
    double cosh_half_, sinh_half_, tan_half_, sin_half_, rise_half_;

    static double half_width(const Box& box, Side side, double middle) {
        const double half = std::max(box.high[side] - middle, middle - box.low[side]);
        return half * (1.0 + 4.0 * epsilon);
    }
};

// The mixture of two cuts with the highest minimum, which is concave in the share.
LinesBelow best_mixture(const BoxComponents& components, const LinesBelow& first,
                        const LinesBelow& second) {
    constexpr double golden = 0.6180339887498949;
    const auto value = [&](double share) {
        return components.minimise(first.mixed(second, share)).value;
    };
    double left = 0.0, right = 1.0, x = 1.0 - golden, y = golden;
    double fx = value(x), fy = value(y);
    for (int i = 0; i < 8; ++i) {
        if (fx > fy) {
            right = y, y = x, fy = fx;
            fx = value(x = right - golden * (right - left));
        } else {
            left = x, x = y, fx = fy;
            fy = value(y = left + golden * (right - left));
        }
    }
    return first.mixed(second, fx > fy ? x : y);
}

// The sum of lines below the loss h on the range of each row, which touch it (nearly) at the
// product that the row has with the hyperplane `at`. h is concave up to 0 and convex beyond.
//
// The lower convex envelope of h on [low, high] is h itself, except where low < 0: there a chord
// leaves low and ends where it touches h, at `contact` in [0, 1], or at high where that comes
// first. The slope is that of h at m, or of the chord where that is less steep; then the line is
// lowered until it is below h at low and at m. It is below h on the convex part, being no steeper
// than the tangent at m if it ends there and the tangent itself if not, and on the concave part,
// being below at its ends. The formula for `contact` is a fit; an error of it costs sharpness only.
HYPLANE_EVERY_CPU LinesBelow lines_below(const BoxRows& rows, const RowRanges& ranges,
                                         const BoxComponents& components, const Minimum& at) {
    double constant = 0.0, p = 0.0, q = 0.0, t = 0.0, slack = 0.0, sizes = 0.0;
#pragma omp simd reduction(+ : constant, p, q, t, slack, sizes)
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double low = ranges.low[j], high = least(1.0, ranges.high[j]);
        const double loss_low = ranges.loss_low[j];
        const double x = at.scale * (at.B * ranges.p[j] + at.A * ranges.q[j] + at.D * ranges.t[j]);
        const double depth = most(0.0, -low);
        const double contact = depth / (2.0 + 0.225 * depth * depth / (1.0 + 0.45 * depth));
        const bool chord = contact >= high;
        const double m = chord ? high : least(1.0, most(contact, x));
        const double loss_m = chord ? ranges.loss_high[j] : loss_at(m);
        const double tangent = -1.0 / std::sqrt(1.0 + m * m);
        const double straight = least(0.0, (loss_m - loss_low) / most(high - low, 1e-300));
        double slope = chord ? most(straight, tangent) : tangent;
        slope = ((x >= 1.0) & !chord) ? 0.0 : slope;
        const double below = least(loss_m - slope * m, loss_low - slope * low);
        const double c = rows.weight[j], steepness = c * slope;
        constant += c * below;
        p += steepness * ranges.p[j];
        q += steepness * ranges.q[j];
        t += steepness * ranges.t[j];
        slack -= steepness * ranges.slack[j];
        sizes += c * (1.0 + loss_m + loss_low + std::abs(below));
    }
    const double eps = rows.sum_rounding();
    // `slack` has one `rounding` of the sizes of p, q, t in it.
    const double shift = eps / rounding * slack * components.high_scale() * components.growth;
    return {constant, p, q, t, eps * sizes + shift};
}

BoxBound bound_over(const Box& box, const BoxRows& rows, double enough, RowRanges& ranges) {
    constexpr int max_cuts = 3;
    const BoxComponents components(box);
    ranges.resize(rows.size());
    find_ranges(rows, box, ranges);
    const double least_scale = box.low[side_scale];
    BoxBound best = {0.5 * least_scale * least_scale * (1.0 - rounding) + find_losses(rows, ranges),
                     box.middle(side_scale), box.middle(side_offset), box.middle(side_angle)};
    if (best.value >= enough) return best;
    Minimum at = {0.0, best.scale, 1.0, 0.0, 0.0};
    LinesBelow cut = lines_below(rows, ranges, components, at);
    at = components.minimise(cut);
    best.value = std::max(best.value, at.value);
    for (int i = 1; i < max_cuts && best.value < enough; ++i) {
        cut = best_mixture(components, cut, lines_below(rows, ranges, components, at));
        at = components.minimise(cut);
        best.value = std::max(best.value, at.value);
    }
    double turned;
    components.locate(at, best.offset, turned);
    best.scale = at.scale;
    best.angle += turned;
    return best;
}

}  // namespace hyplane
