// Elementary functions in straight-line code, so that the compiler vectorises loops over them, and
// sums and products with their rounding errors.
//
// `fused` says whether the processor has a fused multiply-add. Without one, the rounding error of a
// product is found by splitting its factors.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "dispatch.hpp"

namespace hyplane {

constexpr double log_of_2 = 0.69314718055994530942;
constexpr double arsinh_of_1 = 0.88137358701954302523;
constexpr double one_plus_root_2 = 2.41421356237309504880;  // e^arsinh(1)

// log 2 in two parts: the product of the first with an integer below 2^20 is exact.
constexpr double log_of_2_high = 6.93147180369123816490e-01;
constexpr double log_of_2_low = 1.90821492927058770002e-10;

struct Pair {
    double value, error;
};

template <bool fused>
HYPLANE_INLINE double multiply_add(double a, double b, double c) {
    if constexpr (fused)
        return std::fma(a, b, c);
    else
        return a * b + c;
}

// The rounded sum and its rounding error (Knuth).
HYPLANE_INLINE Pair two_sum(double a, double b) {
    const double total = a + b, part = total - a;
    return {total, (a - (total - part)) + (b - part)};
}

// The rounded product and its rounding error; without a fused multiply-add by Dekker's product
// with Veltkamp's splitting, for factors below 1e150.
template <bool fused>
HYPLANE_INLINE Pair two_product(double a, double b) {
    const double product = a * b;
    if constexpr (fused) {
        return {product, std::fma(a, b, -product)};
    } else {
        constexpr double splitter = 134217729.0;  // 2^27 + 1
        const double a_scaled = splitter * a, b_scaled = splitter * b;
        const double a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
        const double a_low = a - a_high, b_low = b - b_high;
        const double error =
            a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
        return {product, error};
    }
}

HYPLANE_INLINE std::uint64_t to_bits(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

HYPLANE_INLINE double from_bits(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^52 + 2^51: added to a small number, it leaves the number's integer in the low bits.
constexpr double integer_shift = 6755399441055744.0;

// log(big / small) for big >= small > 0 and a ratio below 2^1000, with one division.
//
// With an integer w near log2 of the ratio, log = w log 2 + 2 artanh(s) for
// s = (big - w2 small) / (big + w2 small), w2 = 2^w, |s| < 0.201. Where w = 0 the difference may
// cancel, so the caller says it: s = difference / sum. `rest` is what rounding took from `big`.
template <bool fused>
HYPLANE_INLINE double log_ratio(double big, double rest, double small, double difference,
                                double sum) {
    const std::uint64_t half = 1ull << 51;
    const std::uint64_t whole = (to_bits(big) - to_bits(small) + half) >> 52;
    const double exponent = from_bits(to_bits(integer_shift) + whole) - integer_shift;
    const double lifted = small * from_bits((whole + 1023) << 52);
    const double top = whole == 0 ? difference : (big - lifted) + rest;
    const double bottom = whole == 0 ? sum : big + lifted;
    const double s = top / bottom, z = s * s;
    // Chebyshev fit of (2 artanh(s)/s - 2)/s² in s² on [0, 0.0404], error below 3e-17.
    double p = 0.13624087269383922;
    p = multiply_add<fused>(p, z, 0.13207740003399568);
    p = multiply_add<fused>(p, z, 0.15388968272897594);
    p = multiply_add<fused>(p, z, 0.18181735101382993);
    p = multiply_add<fused>(p, z, 0.22222223080650141);
    p = multiply_add<fused>(p, z, 0.2857142856708121);
    p = multiply_add<fused>(p, z, 0.40000000000008373);
    p = multiply_add<fused>(p, z, 0.6666666666666666);
    const double tail = multiply_add<fused>(s * z, p, exponent * log_of_2_low);
    return exponent * log_of_2_high + (2.0 * s + tail);
}

// log of x from 1 to 1e300, within 2 ulp.
HYPLANE_INLINE double fast_log(double x) { return log_ratio<false>(x, 0.0, 1.0, x - 1.0, x + 1.0); }

// 1/sqrt(x) of a normal x > 0: half the exponent, right to 4 %, then two steps of fourth order.
// Within 2 ulp; faster than a root and a division on every processor we know.
HYPLANE_INLINE double inverse_root(double x) {
    double y = from_bits(0x5FE6EB50C7B537A9ull - (to_bits(x) >> 1));
    double h = 1.0 - x * y * y;
    y += y * h * (0.5 + h * (0.375 + h * 0.3125));
    h = 1.0 - x * y * y;
    return y + y * h * (0.5 + h * (0.375 + h * 0.3125));
}

// log sinh x and log cosh x for x >= 0, at any size.
inline double log_sinh(double x) { return x + std::log(-std::expm1(-2.0 * x)) - log_of_2; }
inline double log_cosh(double x) { return x + std::log1p(std::exp(-2.0 * x)) - log_of_2; }

// arsinh(t) for 0 <= t < 1e300; root = sqrt(1 + t²). e^arsinh(t) = t + root.
template <bool fused>
HYPLANE_INLINE double arsinh_with_root(double t, double root) {
    const double sum = t + root;
    return log_ratio<fused>(sum, t - (sum - root), 1.0, t, 1.0 + root);
}

// arsinh(x) for |x| < 1e150.
template <bool fused>
HYPLANE_INLINE double arsinh(double x) {
    const double t = std::fabs(x);
    const double root = std::sqrt(multiply_add<fused>(t, t, 1.0));
    return std::copysign(arsinh_with_root<fused>(t, root), x);
}

// e^x - 1 for 0 <= x < 700.
template <bool fused>
HYPLANE_INLINE double exp_minus_1(double x) {
    constexpr double log2_e = 1.4426950408889634074;
    const double shifted = x * log2_e + integer_shift, whole = shifted - integer_shift;
    const double f = (x - whole * log_of_2_high) - whole * log_of_2_low;
    const double power = from_bits((to_bits(shifted) + 1023) << 52);
    // Chebyshev fit of (e^f - 1 - f - f²/2)/f³ on |f| < 0.3467, error below 1e-17.
    double p = 2.091125490208877e-09;
    p = multiply_add<fused>(p, f, 2.51004110820149e-08);
    p = multiply_add<fused>(p, f, 2.7557282931125736e-07);
    p = multiply_add<fused>(p, f, 2.7557268406190795e-06);
    p = multiply_add<fused>(p, f, 2.4801587317169235e-05);
    p = multiply_add<fused>(p, f, 0.00019841269863088255);
    p = multiply_add<fused>(p, f, 0.0013888888888886548);
    p = multiply_add<fused>(p, f, 0.008333333333330055);
    p = multiply_add<fused>(p, f, 0.041666666666666664);
    p = multiply_add<fused>(p, f, 0.16666666666666669);
    const double square = f * f;
    const double part = f + multiply_add<fused>(square * f, p, 0.5 * square);
    return multiply_add<fused>(power, part, power - 1.0);
}

// Up to this size an angle is reduced in doubles; beyond, the library function has to do it.
constexpr double largest_plain_angle = 1e5;

struct OnCircle {
    double cosine, sine;
};

// Cosine and sine of an angle, after taking off the nearest multiple of pi/2 in three parts.
template <bool fused>
HYPLANE_INLINE OnCircle on_circle(double angle) {
    // pi/2: the products of the first two parts, of 31 bits each, with an integer are exact.
    constexpr double first = 1.5707963267341256, second = 6.07710050359346e-11;
    constexpr double third = 2.912732056093356e-20, per_quarter = 0.63661977236758134308;
    const double shifted = angle * per_quarter + integer_shift, whole = shifted - integer_shift;
    const std::uint64_t quarter = to_bits(shifted);
    const Pair part = two_sum(angle - whole * first, -(whole * second));
    const double tail = part.error - whole * third;
    const double x = part.value + tail, rest = (part.value - x) + tail, z = x * x;
    // Chebyshev fits in x² on |x| < pi/4, errors below 2e-17 of (sin(x)/x - 1)/x² and below 2e-18
    // of (cos(x) - 1 + x²/2)/x⁴.
    double p = 1.5917988979397435e-10;
    p = multiply_add<fused>(p, z, -2.5051129896450185e-08);
    p = multiply_add<fused>(p, z, 2.7557316093198404e-06);
    p = multiply_add<fused>(p, z, -0.00019841269836740532);
    p = multiply_add<fused>(p, z, 0.008333333333330936);
    p = multiply_add<fused>(p, z, -0.16666666666666666);
    double q = -1.138254464534925e-11;
    q = multiply_add<fused>(q, z, 2.087614504941318e-09);
    q = multiply_add<fused>(q, z, -2.755731726587808e-07);
    q = multiply_add<fused>(q, z, 2.48015872987544e-05);
    q = multiply_add<fused>(q, z, -0.0013888888888887389);
    q = multiply_add<fused>(q, z, 0.041666666666666664);
    const double sine = x + multiply_add<fused>(x * z, p, rest);
    const double half = 0.5 * z, most = 1.0 - half;
    const double cosine = most + (((1.0 - most) - half) + multiply_add<fused>(z * z, q, -x * rest));
    const bool odd = (quarter & 1) != 0;
    const std::uint64_t turn_sine = (quarter & 2) << 62, turn_cosine = ((quarter + 1) & 2) << 62;
    return {from_bits(to_bits(odd ? sine : cosine) ^ turn_cosine),
            from_bits(to_bits(odd ? cosine : sine) ^ turn_sine)};
}

}  // namespace hyplane
