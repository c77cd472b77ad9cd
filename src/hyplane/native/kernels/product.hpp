// The product w*x of a hyperplane and a point, and its derivatives: the one place that states them.
//
// A hyperplane is w = s (sinh a, cosh a · u) with s > 0 and |u| = 1. For a point of radius r and
// direction v
//
//     z = w*x  = s (sinh(a - r) + cosh a · sinh r · |u - v|²/2)
//     dz/dlog s = z
//     dz/da     = s (cosh(a - r) + sinh a · sinh r · |u - v|²/2)
//     dz/du     = -s cosh a · sinh r · (v - u)          up to a multiple of u
//
// This keeps its digits where sinh a cosh r - cosh a sinh r (u·v) cancels. With a < 0 the same
// cancellation comes back for v near -u, so every user takes the hyperplane with a >= 0 first:
// (a, u, y) and (-a, -u, -y) have the same losses.
//
// There are three ways to evaluate it. `NearProduct` needs e^2r alone, which the pass over the rows
// reads from memory. `PreciseProduct` needs sinh r and e^-r, and keeps the digits of small radii
// too. `FarProduct` is for sizes that leave the range of doubles. All take |u - v|² as `chord`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "elementary.hpp"

namespace hyplane {

struct Hyperplane {
    double log_scale;
    double offset;
    std::vector<double> normal;  // of unit length
};

// The same hyperplane turned so that a >= 0; labels are to be multiplied by `orientation`.
struct OrientedHyperplane {
    double orientation, log_scale, offset;
    std::vector<double> normal;

    explicit OrientedHyperplane(const Hyperplane& plane)
        : orientation(plane.offset < 0.0 ? -1.0 : 1.0),
          log_scale(plane.log_scale),
          offset(std::abs(plane.offset)),
          normal(plane.normal) {
        for (double& u : normal) u *= orientation;
    }
};

// |u - v|² of each of `rows` rows that are stored column by column. Four columns at a time, which
// reads the sums less often.
template <bool fused, std::size_t rows>
HYPLANE_INLINE void squared_chords(const double* columns, const double* normal, std::size_t n,
                                   double* chord) {
    std::size_t c = 0;
    for (std::size_t j = 0; j < rows; ++j) chord[j] = 0.0;
    for (; c + 4 <= n; c += 4) {
        const double* const v = columns + c * rows;
        const double u0 = normal[c], u1 = normal[c + 1], u2 = normal[c + 2], u3 = normal[c + 3];
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double d0 = v[j] - u0, d1 = v[j + rows] - u1;
            const double d2 = v[j + 2 * rows] - u2, d3 = v[j + 3 * rows] - u3;
            chord[j] += multiply_add<fused>(d0, d0, d1 * d1) + multiply_add<fused>(d2, d2, d3 * d3);
        }
    }
    for (; c < n; ++c) {
        const double* const v = columns + c * rows;
        const double u = normal[c];
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j)
            chord[j] = multiply_add<fused>(v[j] - u, v[j] - u, chord[j]);
    }
}

// Everything is multiplied by E = e^r, which leaves E² = e^2r as the only function of the radius.
struct NearProduct {
    double level, fall, lever, lever_slope;  // of 1, -E², chord (E² - 1), and its derivative by a

    explicit NearProduct(const OrientedHyperplane& plane) {
        const double s = std::exp(plane.log_scale), a = plane.offset;
        level = 0.5 * s * std::exp(a);
        fall = 0.5 * s * std::exp(-a);
        lever = 0.25 * s * std::cosh(a);
        lever_slope = 0.25 * s * std::sinh(a);
    }

    HYPLANE_INLINE double value(double E2, double chord) const {  // E z
        return level - fall * E2 + lever * (chord * (E2 - 1.0));
    }
    HYPLANE_INLINE double by_offset(double E2, double chord) const {  // E dz/da
        return level + fall * E2 + lever_slope * (chord * (E2 - 1.0));
    }
    HYPLANE_INLINE double by_lift(double E2, double chord) const {  // E (dz/da - z)
        return fall * (2.0 * E2 - 0.5 * chord * (E2 - 1.0));
    }
    // E dz/du is this times (E² - 1) (v - u).
    HYPLANE_INLINE double by_direction() const { return -2.0 * lever; }
    HYPLANE_INLINE double size_of_terms(double E2, double chord) const {
        return level + fall * E2 + lever * (chord * (E2 - 1.0));
    }
};

// z = s (sinh a · e^-r + sinh r · (cosh a · chord/2 - e^-a)), times the orientation: the product
// with the hyperplane as it was before it was turned.
struct PreciseProduct {
    double level, fall, lever;

    explicit PreciseProduct(const OrientedHyperplane& plane) {
        const double s = plane.orientation * std::exp(plane.log_scale), a = plane.offset;
        level = s * std::sinh(a);
        fall = s * std::exp(-a);
        lever = 0.5 * s * std::cosh(a);
    }

    template <bool fused>
    HYPLANE_INLINE double value(double sinh, double decay, double chord) const {
        const double tilt = multiply_add<fused>(lever, chord, -fall);
        return multiply_add<fused>(sinh, tilt, level * decay);
    }
};

// Points and hyperplanes of any size: sizes are carried as logarithms.
class FarProduct {
  public:
    struct Row {
        double t;  // arsinh z
        double by_log_scale, by_offset;
        double by_direction;  // dt/du is this times (v - u)
        double size_of_terms;
    };

    // `any_radius`: keep the digits of the angle even where the radius itself has none left. Scores
    // do. The solver does not, so that a fit of such points does not seem to converge.
    explicit FarProduct(const OrientedHyperplane& plane, bool any_radius = false)
        : log_scale_(plane.log_scale),
          offset_(plane.offset),
          log_cosh_(log_cosh(plane.offset)),
          tanh_(std::tanh(plane.offset)),
          any_radius_(any_radius) {}

    Row at(double r, double chord) const {
        // dt/du is kept below e^600, so that sums stay finite.
        constexpr double steepest = 600.0;
        // Above e^300 arsinh z is log 2|z| to all digits, and z² could overflow.
        constexpr double largest_plain = 300.0;
        // e^-36 is below the rounding of 1: a smaller sum of the two terms is rounding.
        constexpr double digits = 36.0;
        // Far beyond the hyperplane, sinh r = ½e^r and |sinh(a - r)| = cosh(a - r) = ½e^r e^-a to
        // all digits. The factor ½e^r is left out of all terms: a large r would take the digits of
        // their other logarithms.
        const double gap = offset_ - r;
        const bool beyond = any_radius_ && gap < -40.0;
        const double left_out = beyond ? r - log_of_2 : 0.0;
        const double log_cosh_gap = beyond ? -offset_ : log_cosh(std::abs(gap));
        const double log_first = beyond ? -offset_ : log_sinh(std::abs(gap));
        const double log_lever = beyond ? log_cosh_ : log_cosh_ + log_sinh(r);
        const double log_second = log_lever + std::log(0.5 * chord);
        const double largest = std::max({log_first, log_second, log_cosh_gap - digits});
        const double first = std::copysign(std::exp(log_first - largest), gap);
        const double second = std::exp(log_second - largest);
        const double sum = first + second;  // z = sum · e^size
        const double size = log_scale_ + left_out + largest;
        const double slope = std::exp(log_cosh_gap - largest) + tanh_ * second;
        double t, per_sum;  // dt as a multiple of d(sum)
        if (size > largest_plain) {
            t = sum == 0.0 ? 0.0 : std::copysign(size + std::log(std::abs(sum)) + log_of_2, sum);
            per_sum = 1.0 / std::max(std::abs(sum), std::exp(-steepest));
        } else {
            const double z = std::exp(size) * sum;
            t = std::asinh(z);
            per_sum = std::exp(size) / std::sqrt(1.0 + z * z);
        }
        return {t, per_sum * sum, per_sum * slope,
                -std::exp(std::min(std::log(per_sum) + log_lever - largest, steepest)),
                per_sum * (std::abs(first) + second)};
    }

  private:
    double log_scale_, offset_, log_cosh_, tanh_;
    bool any_radius_;
};

}  // namespace hyplane
