// How a loop over rows is compiled for each generation of x86 processors.
#pragma once

#include <cstdint>  // says whether the C library is glibc

// A function with this attribute is compiled once for each generation, and the loader picks one. No
// exception may leave such a function: GCC 12 ends the process then. Clang before version 18 cannot
// call such a function from another file, and compiles it for the oldest generation alone.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && defined(__GLIBC__) && \
    (!defined(__clang__) || __clang_major__ >= 18)
#define HYPLANE_GENERATIONS 1
#define HYPLANE_EVERY_CPU \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HYPLANE_GENERATIONS 0
#define HYPLANE_EVERY_CPU
#endif
#if defined(__GNUC__)
#define HYPLANE_INLINE inline __attribute__((always_inline))
#else
#define HYPLANE_INLINE inline
#endif

namespace hyplane {

// Whether std::fma is an instruction in such a function on this processor.
#if defined(__aarch64__) || defined(__FMA__)
constexpr bool has_fma = true;
#elif HYPLANE_GENERATIONS
inline const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
constexpr bool has_fma = false;
#endif

}  // namespace hyplane
