// Which rows a sample of a binary problem consists of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// The rows of one class are divided, in their order, into as many stretches of nearly equal length
// as rows are wanted, and one row is drawn of each: every row has the same chance, and a random
// number is needed only for a row that is taken.
class Ranks {
  public:
    Ranks(std::size_t count, std::size_t wanted) : count_(count), wanted_(wanted) {}

    // The place among the rows of the class of the next row to take; `count` when there is none.
    template <class Random>
    std::size_t next(Random& random) {
        if (k_ == wanted_) return count_;
        const std::size_t first = start(k_), size = start(++k_) - first;
        const auto place = static_cast<std::size_t>(random.uniform() * static_cast<double>(size));
        return first + std::min(place, size - 1);
    }

  private:
    // Without the product of two large numbers, which could overflow.
    std::size_t start(std::size_t k) const {
        return k * (count_ / wanted_) + std::min(k, count_ % wanted_);
    }

    std::size_t count_, wanted_, k_ = 0;
};

// `wanted` rows of each class, block by block; at most as many as there are.
template <class Random>
std::vector<std::size_t> draw_rows(const std::int8_t* labels, std::size_t n_rows,
                                   const std::size_t count[2], const std::size_t wanted[2],
                                   Random& random) {
    constexpr std::size_t step = 240;
    Ranks ranks[2] = {{count[0], wanted[0]}, {count[1], wanted[1]}};
    std::size_t target[2] = {ranks[0].next(random), ranks[1].next(random)}, seen[2] = {0, 0};
    std::vector<std::size_t> rows;
    rows.reserve(wanted[0] + wanted[1]);
    std::uint16_t place[2][step + 1];
    for (std::size_t first = 0; first < n_rows; first += step) {
        const std::size_t size = std::min(n_rows - first, step);
        std::size_t here[2];
        count_classes(labels + first, size, here);
        const bool taken = seen[0] + here[0] > target[0] || seen[1] + here[1] > target[1];
        if (taken) {
            // The places of each class in the block, without a branch that nobody can predict.
            here[0] = here[1] = 0;
            for (std::size_t j = 0; j < size; ++j) {
                place[0][here[0]] = place[1][here[1]] = static_cast<std::uint16_t>(j);
                here[0] += labels[first + j] < 0;
                here[1] += labels[first + j] > 0;
            }
        }
        for (int side : {0, 1}) {
            for (; target[side] < seen[side] + here[side]; target[side] = ranks[side].next(random))
                rows.push_back(first + place[side][target[side] - seen[side]]);
            seen[side] += here[side];
        }
    }
    return rows;
}

}  // namespace hyplane
