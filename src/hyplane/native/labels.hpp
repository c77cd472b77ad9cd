// Labels of two classes, whatever integers they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simd.hpp"

namespace hyplane {

// 1 where a label is the second one, else 0. Whether all labels are one of the two.
template <class Label>
HYPLANE_INLINE bool mark_second(const Label* labels, std::size_t count, Label first, Label second,
                                std::uint8_t* marks) {
    std::uint8_t others = 0;
#pragma omp simd reduction(| : others)
    for (std::size_t row = 0; row < count; ++row) {
        const auto is_second = static_cast<std::uint8_t>(labels[row] == second);
        const auto is_first = static_cast<std::uint8_t>(labels[row] == first);
        marks[row] = is_second;
        others = static_cast<std::uint8_t>(others | (1 ^ is_first ^ is_second));
    }
    return others == 0;
}

// No template can have a version for each processor.
HYPLANE_EVERY_CPU bool mark_some(const std::uint8_t* labels, std::size_t count, std::uint8_t first,
                                 std::uint8_t second, std::uint8_t* marks) {
    return mark_second(labels, count, first, second, marks);
}
HYPLANE_EVERY_CPU bool mark_some(const std::uint16_t* labels, std::size_t count,
                                 std::uint16_t first, std::uint16_t second, std::uint8_t* marks) {
    return mark_second(labels, count, first, second, marks);
}
HYPLANE_EVERY_CPU bool mark_some(const std::uint32_t* labels, std::size_t count,
                                 std::uint32_t first, std::uint32_t second, std::uint8_t* marks) {
    return mark_second(labels, count, first, second, marks);
}
HYPLANE_EVERY_CPU bool mark_some(const std::uint64_t* labels, std::size_t count,
                                 std::uint64_t first, std::uint64_t second, std::uint8_t* marks) {
    return mark_second(labels, count, first, second, marks);
}

// Mark the rows whose label is not that of the first row. Returns the first of them, or `count` where
// there are none or labels of more than two kinds; then the marks say nothing.
template <class Label>
std::size_t mark_other_label(const Label* labels, std::size_t count, std::uint8_t* marks) {
    constexpr std::size_t at_a_time = 1 << 14;  // rows; many kinds are seen after a few of them
    if (count == 0) return count;
    std::size_t other = 1;
    while (other < count && labels[other] == labels[0]) ++other;
    for (std::size_t first = 0; first < count && other < count; first += at_a_time)
        if (!mark_some(labels + first, std::min(at_a_time, count - first), labels[0],
                       labels[other], marks + first))
            return count;
    return other;
}

}  // namespace hyplane
