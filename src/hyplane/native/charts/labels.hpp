// Labels of two classes, whatever integers they are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../rows/row_threads.hpp"

namespace hyplane {

// 1 where a label is the second one, else 0. Returns whether all labels are one of the two.
template <class Label>
bool mark_second(const Label* labels, std::size_t count, Label first, Label second,
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

// The first row whose label is not that of row 0; `count` where there is none.
template <class Label>
std::size_t first_other_label(const Label* labels, std::size_t count) {
    std::size_t other = 0;
    while (other < count && labels[other] == labels[0]) ++other;
    return other;
}

// Mark the rows whose label is that of row `other`, in several threads. Returns whether all labels
// are this one or that of row 0; if not, the marks say nothing.
template <class Label, class Check>
bool mark_label(const Label* labels, std::size_t count, std::size_t other, std::uint8_t* marks,
                std::size_t n_threads, const Check& check) {
    constexpr std::size_t step = 1 << 16;  // rows; many kinds are seen after a few of them
    std::atomic<bool> only_two{true};
    const auto make_worker = [&] {
        return [&](std::size_t first, std::size_t last) {
            if (only_two && !mark_second(labels + first, last - first, labels[0], labels[other],
                                         marks + first))
                only_two = false;
        };
    };
    for_row_ranges(count, step, n_threads, make_worker, check);
    return only_two;
}

}  // namespace hyplane
