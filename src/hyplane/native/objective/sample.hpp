// Which rows a sample of a binary problem consists of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../row_threads.hpp"

namespace hyplane {

// How many rows are of class -1 and of class +1.
inline void count_classes(const std::int8_t* labels, std::size_t n_rows, std::size_t count[2]) {
    constexpr std::size_t step = 240;  // counts of one byte, which fill whole vectors
    count[0] = count[1] = 0;
    for (std::size_t first = 0; first < n_rows; first += step) {
        const std::size_t last = std::min(n_rows, first + step);
        std::uint8_t negative = 0, positive = 0;
#pragma omp simd reduction(+ : negative, positive)
        for (std::size_t row = first; row < last; ++row) {
            negative = static_cast<std::uint8_t>(negative + (labels[row] < 0));
            positive = static_cast<std::uint8_t>(positive + (labels[row] > 0));
        }
        count[0] += negative;
        count[1] += positive;
    }
}

// Places among `count` rows of a class, `wanted` of them (at most `count`), in increasing order. The
// rows are divided into as many stretches of nearly equal length, and one is drawn of each: every row
// has the same chance, and a random number is needed only for a row that is taken.
template <class Random>
std::vector<std::size_t> draw_ranks(std::size_t count, std::size_t wanted, Random& random) {
    std::vector<std::size_t> ranks(wanted);
    // Without the product of two large numbers, which could overflow.
    const auto start = [&](std::size_t k) {
        return k * (count / wanted) + std::min(k, count % wanted);
    };
    for (std::size_t k = 0; k < wanted; ++k) {
        const std::size_t first = start(k), size = start(k + 1) - first;
        const auto place = static_cast<std::size_t>(random.uniform() * static_cast<double>(size));
        ranks[k] = first + std::min(place, size - 1);
    }
    return ranks;
}

// Eight labels, or fewer at the end, as one byte each: 1 for those of class -1 (side 0) or +1.
inline std::uint64_t flags_of(const std::int8_t* labels, std::size_t size, int side) {
    constexpr std::uint64_t ones = 0x0101010101010101ull;
    std::uint64_t bytes = 0;
    if (size >= sizeof bytes)
        std::memcpy(&bytes, labels, sizeof bytes);  // a single load
    else
        std::memcpy(&bytes, labels, size);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    const std::uint64_t negative = (bytes >> 7) & ones;
    return side == 0 ? negative : bytes & ones & ~negative;
}

// Write the rows from `first` to `last` that have these ranks in their class; `seen` rows of each class
// come before `first`.
inline void find_ranks(const std::int8_t* labels, std::size_t first, std::size_t last,
                       const std::size_t* const ranks[2], const std::size_t* const end[2],
                       const std::size_t seen[2], std::size_t* out) {
    constexpr std::size_t step = 240, word = 8;
    constexpr std::uint64_t ones = 0x0101010101010101ull;
    const std::size_t* next[2] = {ranks[0], ranks[1]};
    std::size_t before[2] = {seen[0], seen[1]};
    for (; first < last; first += step) {
        const std::size_t size = std::min(last - first, step);
        std::size_t here[2];
        count_classes(labels + first, size, here);
        for (int side : {0, 1}) {
            const std::size_t limit = before[side] + here[side];
            for (std::size_t at = 0; next[side] < end[side] && *next[side] < limit; at += word) {
                // How many are in each byte and those before it, at the end all of them.
                const std::uint64_t counts = ones * flags_of(labels + first + at, size - at, side);
                const std::size_t after = before[side] + (counts >> 56);
                for (; next[side] < end[side] && *next[side] < after; ++next[side]) {
                    // The bytes up to which there are no more than that: a bit of each stays.
                    const std::uint64_t rank = *next[side] - before[side];
                    const std::uint64_t left = ((0x80 + rank) * ones - counts) >> 7 & ones;
                    *out++ = first + at + static_cast<std::size_t>((left * ones) >> 56);
                }
                before[side] = after;
            }
            before[side] = limit;
        }
    }
}

// `wanted` rows of each class, of which there are `count`, block by block. `threads` may be null; the
// rows are the same for any number of them.
template <class Random>
std::vector<std::size_t> draw_rows(const std::int8_t* labels, std::size_t n_rows,
                                   const std::size_t count[2], const std::size_t wanted[2],
                                   Random& random, RowThreads* threads = nullptr) {
    constexpr std::size_t step = 240 * 64;  // rows of a range
    const std::size_t n_ranges = (n_rows + step - 1) / step;
    std::vector<std::array<std::size_t, 2>> seen(n_ranges + 1, {0, 0});  // before each range
    const auto end_of = [&](std::size_t range) { return std::min(n_rows, (range + 1) * step); };
    run_ranges(threads, n_ranges, [&](std::size_t range) {
        const std::size_t first = range * step;
        count_classes(labels + first, end_of(range) - first, seen[range + 1].data());
    });
    for (std::size_t range = 0; range < n_ranges; ++range)
        for (int side : {0, 1}) seen[range + 1][side] += seen[range][side];
    std::vector<std::size_t> ranks[2];
    for (int side : {0, 1}) ranks[side] = draw_ranks(count[side], wanted[side], random);
    std::vector<std::size_t> rows(wanted[0] + wanted[1]);
    run_ranges(threads, n_ranges, [&](std::size_t range) {
        const std::size_t* ends[2][2];  // of the ranks of this range
        std::size_t written = 0;
        for (int side : {0, 1}) {
            const std::size_t *from = ranks[side].data(), *to = from + ranks[side].size();
            for (int end : {0, 1}) ends[end][side] = std::lower_bound(from, to, seen[range + end][side]);
            written += static_cast<std::size_t>(ends[0][side] - from);
        }
        find_ranks(labels, range * step, end_of(range), ends[0], ends[1], seen[range].data(),
                   rows.data() + written);
    });
    return rows;
}

// The rows of a class are drawn with probabilities of this factor times their weights, at most 1, so that
// there are about `wanted` of them.
inline double rate_of_weights(const std::int8_t* labels, const double* weights, std::size_t n_rows,
                              int side, std::size_t wanted) {
    constexpr int most_passes = 10;  // each finds the rows that are drawn for certain; few have more
    double rate = 0.0;
    std::size_t n_certain = 0;
    for (int pass = 0; pass < most_passes; ++pass) {
        std::size_t certain = 0;
        double left = 0.0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (labels[row] == 0 || (labels[row] > 0) != (side == 1)) continue;
            if (rate * weights[row] >= 1.0)
                ++certain;
            else
                left += weights[row];
        }
        if (pass > 0 && certain == n_certain) break;
        n_certain = certain;
        if (!(left > 0.0) || certain >= wanted) break;
        rate = static_cast<double>(wanted - certain) / left;
    }
    return rate;
}

// Rows drawn by their weights, about as many of each class as are wanted, in order; the heaviest row of a
// class is always among them. Each gets the weight with which it stands for others in `new_weights`.
template <class Random>
std::vector<std::size_t> draw_by_weight(const std::int8_t* labels, const double* weights,
                                        std::size_t n_rows, const std::size_t wanted[2],
                                        Random& random, std::vector<double>& new_weights) {
    std::vector<std::size_t> rows;
    double rate[2], due[2];  // a row is drawn when the latter reaches 1
    std::size_t heaviest[2] = {n_rows, n_rows};
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (labels[row] == 0) continue;
        std::size_t& known = heaviest[labels[row] > 0];
        if (known == n_rows || weights[row] > weights[known]) known = row;
    }
    for (int side : {0, 1}) {
        rate[side] = rate_of_weights(labels, weights, n_rows, side, wanted[side]);
        due[side] = random.uniform();
    }
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (labels[row] == 0) continue;
        const int side = labels[row] > 0;
        const double chance =
            row == heaviest[side] ? 1.0 : std::min(1.0, rate[side] * weights[row]);
        due[side] += chance;
        if (!(due[side] >= 1.0)) continue;
        due[side] -= 1.0;
        rows.push_back(row);
        new_weights.push_back(weights[row] / chance);
    }
    return rows;
}

}  // namespace hyplane
