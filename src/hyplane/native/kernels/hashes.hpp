// Numbers that look random and depend on the bits of others alone.
#pragma once

#include <cstdint>

#include "elementary.hpp"

namespace hyplane {

// 0 and -0 have the same bits here.
HYPLANE_INLINE std::uint64_t bits_of(double x) { return to_bits(x + 0.0); }

HYPLANE_INLINE std::uint64_t rotated(std::uint64_t bits, int by) {
    return bits << by | bits >> (64 - by);
}
HYPLANE_INLINE std::uint64_t mixed(std::uint64_t hash) {
    hash *= 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9ull;
    return hash ^ (hash >> 32);
}

// Two numbers in (0, 1) from one hash: from its upper and from its lower half.
HYPLANE_INLINE double unit_interval(std::uint64_t mantissa) {
    return from_bits(mantissa | 0x3FF0000000000000ull) - (1.0 - 0x1p-53);
}
HYPLANE_INLINE double upper_unit(std::uint64_t hash) { return unit_interval(hash >> 32 << 20); }
HYPLANE_INLINE double lower_unit(std::uint64_t hash) { return unit_interval(hash << 32 >> 12); }

}  // namespace hyplane
