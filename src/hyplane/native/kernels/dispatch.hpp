// What loops over rows need so that the compiler vectorises them.
#pragma once

#include <cstdint>
#include <cstring>

// One version of a function for each generation of x86 processors; the loader picks one. No exception
// may leave such a function: GCC 12 ends the process then.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && defined(__GLIBC__)
#define HYPLANE_EVERY_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HYPLANE_EVERY_CPU
#endif
#if defined(__GNUC__)
#define HYPLANE_INLINE inline __attribute__((always_inline))
#else
#define HYPLANE_INLINE inline
#endif

namespace hyplane {

constexpr double log_of_2 = 0.69314718055994530942;

// log of x >= 1 in straight-line code: x = m 2^e with m in [sqrt ½, sqrt 2), then the odd series
// of log m in (m-1)/(m+1). Within 2 ulp.
HYPLANE_INLINE double fast_log(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint64_t shifted = bits - 0x3FE6A09E667F3BCDull;  // bits of sqrt ½
    const std::int64_t whole = static_cast<std::int64_t>(shifted) >> 52;
    const std::uint64_t mantissa = bits - (static_cast<std::uint64_t>(whole) << 52);
    double m;
    std::memcpy(&m, &mantissa, sizeof m);
    // An integer below 2^51 as a double without a conversion instruction, which AVX2 lacks.
    const std::uint64_t magic = 0x4338000000000000ull + static_cast<std::uint64_t>(whole);
    double exponent;
    std::memcpy(&exponent, &magic, sizeof exponent);
    exponent -= 6755399441055744.0;
    const double t = (m - 1.0) / (m + 1.0), t2 = t * t;
    double p = 2.0 / 21.0;
    p = p * t2 + 2.0 / 19.0;
    p = p * t2 + 2.0 / 17.0;
    p = p * t2 + 2.0 / 15.0;
    p = p * t2 + 2.0 / 13.0;
    p = p * t2 + 2.0 / 11.0;
    p = p * t2 + 2.0 / 9.0;
    p = p * t2 + 2.0 / 7.0;
    p = p * t2 + 2.0 / 5.0;
    p = p * t2 + 2.0 / 3.0;
    return exponent * log_of_2 + (2.0 * t + t * t2 * p);
}

// 1/sqrt(x) of a normal x > 0 in straight-line code: half the exponent, right to 4 %, then two steps
// of fourth order. Within 2 ulp; faster than a root and a division on every processor we know.
HYPLANE_INLINE double inverse_root(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits = 0x5FE6EB50C7B537A9ull - (bits >> 1);
    double y;
    std::memcpy(&y, &bits, sizeof y);
    double h = 1.0 - x * y * y;
    y += y * h * (0.5 + h * (0.375 + h * 0.3125));
    h = 1.0 - x * y * y;
    return y + y * h * (0.5 + h * (0.375 + h * 0.3125));
}

}  // namespace hyplane
