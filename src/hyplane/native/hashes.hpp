// Numbers that depend on the bits of others, and look random.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd.hpp"

namespace hyplane {

HYPLANE_INLINE std::uint64_t bits_of(double x) {
    const double number = x + 0.0;  // -0 becomes 0
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}
HYPLANE_INLINE std::uint64_t rotated(std::uint64_t bits, int by) {
    return bits << by | bits >> (64 - by);
}
HYPLANE_INLINE std::uint64_t mixed(std::uint64_t hash) {
    hash *= 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9ull;
    return hash ^ (hash >> 32);
}
}  // namespace hyplane
