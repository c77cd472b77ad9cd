// Arithmetic on one lane of a block of rows: error-free sums and products, and the few
// transcendental functions of the charts in straight-line code that the compiler vectorises.
//
// The file that includes this one is compiled with -ffp-contract=off: a contracted product would
// break the error-free transformations. `fused` says whether the processor has a fused
// multiply-add; without one the error of a product is found by splitting its factors.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__GNUC__)
#define HYPLANE_LANE inline __attribute__((always_inline))
#define HYPLANE_APART __attribute__((noinline))  // one copy of what is rarely needed
#else
#define HYPLANE_LANE inline
#define HYPLANE_APART
#endif

// One copy of a function for each level of x86-64, chosen when the module is loaded.
#if defined(__x86_64__) && defined(__GNUC__)
#define HYPLANE_X86_LEVELS 1
#define HYPLANE_AVX512 \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512cd,avx2,fma,bmi,bmi2")))
#define HYPLANE_AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#else
#define HYPLANE_X86_LEVELS 0
#endif

namespace hyplane::charts {

#if HYPLANE_X86_LEVELS
inline bool has_avx512() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi2");
}
inline bool has_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}
#endif

// Rows that are worked on together. Four vectors of 512 bits hide the latency of the divisions,
// and blocks of 50 columns stay in the first-level cache.
constexpr std::size_t lanes = 32;

#if defined(__aarch64__) || defined(__FMA__)
constexpr bool fused_everywhere = true;
#else
constexpr bool fused_everywhere = false;
#endif

struct Pair {
    double value, error;
};

template <bool fused>
HYPLANE_LANE double multiply_add(double a, double b, double c) {
    if constexpr (fused)
        return std::fma(a, b, c);
    else
        return a * b + c;
}

// The rounded sum and its rounding error (Knuth).
HYPLANE_LANE Pair two_sum(double a, double b) {
    const double total = a + b, part = total - a;
    return {total, (a - (total - part)) + (b - part)};
}

// The rounded product and its rounding error; without a fused multiply-add by Dekker's product
// with Veltkamp's splitting, for factors below 1e150.
template <bool fused>
HYPLANE_LANE Pair two_product(double a, double b) {
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

HYPLANE_LANE std::uint64_t bits_of(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

HYPLANE_LANE double from_bits(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// ln 2 in two parts: the product of the first with an integer below 2^20 is exact.
constexpr double ln2_high = 6.93147180369123816490e-01;
constexpr double ln2_low = 1.90821492927058770002e-10;

// 2^52 + 2^51: added to a small number, it leaves the number's integer in the low bits.
constexpr double integer_shift = 6755399441055744.0;

// log(big / small) for big >= small > 0 and a ratio below 2^1000, with one division.
//
// With an integer w near log2 of the ratio, log = w ln 2 + 2 artanh(s) for
// s = (big - w2 small) / (big + w2 small), w2 = 2^w, |s| < 0.201. Where w = 0 the difference may
// cancel, so the caller says it: s = difference / sum. `rest` is what rounding took from `big`.
template <bool fused>
HYPLANE_LANE double log_ratio(double big, double rest, double small, double difference,
                              double sum) {
    const std::uint64_t half = 1ull << 51;
    const std::uint64_t whole = (bits_of(big) - bits_of(small) + half) >> 52;
    const double exponent = from_bits(bits_of(integer_shift) + whole) - integer_shift;
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
    const double tail = multiply_add<fused>(s * z, p, exponent * ln2_low);
    return exponent * ln2_high + (2.0 * s + tail);
}

// arsinh(t) for 0 <= t < 1e150; root = sqrt(1 + t²). e^arsinh(t) = t + root.
template <bool fused>
HYPLANE_LANE double arsinh_with_root(double t, double root) {
    const double sum = t + root;
    return log_ratio<fused>(sum, t - (sum - root), 1.0, t, 1.0 + root);
}

template <bool fused>
HYPLANE_LANE double arsinh(double x) {
    const double t = std::fabs(x);
    const double root = std::sqrt(multiply_add<fused>(t, t, 1.0));
    return std::copysign(arsinh_with_root<fused>(t, root), x);
}

// e^x - 1 for 0 <= x < 700.
template <bool fused>
HYPLANE_LANE double exp_minus_1(double x) {
    constexpr double log2_e = 1.4426950408889634074;
    const double shifted = x * log2_e + integer_shift, whole = shifted - integer_shift;
    const double f = (x - whole * ln2_high) - whole * ln2_low;
    const double power = from_bits((bits_of(shifted) + 1023) << 52);
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
HYPLANE_LANE OnCircle on_circle(double angle) {
    // pi/2: the products of the first two parts, of 31 bits each, with an integer are exact.
    constexpr double first = 1.5707963267341256, second = 6.07710050359346e-11;
    constexpr double third = 2.912732056093356e-20, per_quarter = 0.63661977236758134308;
    const double shifted = angle * per_quarter + integer_shift, whole = shifted - integer_shift;
    const std::uint64_t quarter = bits_of(shifted);
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
    return {from_bits(bits_of(odd ? sine : cosine) ^ turn_cosine),
            from_bits(bits_of(odd ? cosine : sine) ^ turn_sine)};
}

}  // namespace hyplane::charts
