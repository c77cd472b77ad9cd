// The user's rows, whatever their strides and precision, read into blocks of columns of doubles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "careful.hpp"
#include "../kernels/elementary.hpp"

namespace hyplane::charts {

// The user's array. Strides count numbers and may be negative or 0.
struct Source {
    const void* data;
    bool single;  // float32 in place of float64
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;
};

struct Task {
    Source source;
    const double* radius;  // for Chart::given alone
    Chart chart;
    std::size_t n;      // dimension of the space
    std::size_t start;  // column of a block that takes the first column of the source
    Curvature curvature;
    double given_root;  // sqrt(k) before the lengths are scaled
    double load_scale;
    double eps;       // rounding unit of the numbers as they came
    double tiny_gap;  // below it `1 - k|x|²` in doubled precision may be wrong
};

// The first row with each fault.
struct Faults {
    std::size_t first[fault_kinds];

    Faults() { std::fill(first, first + fault_kinds, SIZE_MAX); }
    void note(Fault fault, std::size_t row) { first[fault] = std::min(first[fault], row); }
    void merge(const Faults& other) {
        for (int kind = 0; kind < fault_kinds; ++kind)
            first[kind] = std::min(first[kind], other.first[kind]);
    }
    std::int64_t row() const {
        for (const std::size_t row : first)
            if (row != SIZE_MAX) return static_cast<std::int64_t>(row);
        return -1;
    }
};

// One block, and room to work on it. `columns` holds one extra column (time, radius), then the
// coordinates, which become the unit direction.
struct Block {
    alignas(64) double square[lanes], square_rest[lanes];  // |x|² in doubled precision
    alignas(64) double radius[lanes];
    alignas(64) double sinh[lanes], decay[lanes];  // sinh r and e^-r, for scores
    alignas(64) double factor[lanes];              // of the coordinates, to make them a unit vector
    alignas(64) double careful[lanes];             // not 0: to be done again by itself
    alignas(64) double far[lanes];  // not 0: scores need the radius itself, sinh r may overflow
    alignas(64) double largest[lanes];  // what packing found: sinh r, or r
    std::vector<double> storage;
    double* columns;
    Faults faults;

    explicit Block(std::size_t n) : storage(storage_size(n), 0.0) {
        std::fill(largest, largest + lanes, 0.0);
        void* start = storage.data();
        std::size_t room = storage.size() * sizeof(double);
        columns = static_cast<double*>(std::align(64, (n + 1) * lanes * sizeof(double), start, room));
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    double* coordinates() { return columns + lanes; }

  private:
    // Eight more, so that the columns can begin where a line of the cache does.
    static std::size_t storage_size(std::size_t n) {
        constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
        if (n >= most / lanes - 1)
            throw std::invalid_argument("rows of " + std::to_string(n) +
                                        " dimensions are more than memory can address");
        return (n + 1) * lanes + 8;
    }
};

template <class Number, std::size_t width>
HYPLANE_LANE void read_narrow(const Number* from, double scale, double* to) {
    for (std::size_t j = 0; j < lanes; ++j)
        for (std::size_t c = 0; c < width; ++c)
            to[c * lanes + j] = scale * static_cast<double>(from[j * width + c]);
}

template <class Number>
HYPLANE_LANE void read_rows(const Source& source, std::size_t first, std::size_t count,
                            double scale, double* to) {
    const std::ptrdiff_t down = source.row_stride, across = source.column_stride;
    const Number* const from =
        static_cast<const Number*>(source.data) + static_cast<std::ptrdiff_t>(first) * down;
    const std::size_t width = source.columns;
    if (count == lanes && across == 1 && down == static_cast<std::ptrdiff_t>(width)) {
        if (width == 2) return read_narrow<Number, 2>(from, scale, to);
        if (width == 3) return read_narrow<Number, 3>(from, scale, to);
        if (width == 4) return read_narrow<Number, 4>(from, scale, to);
    }
    if (down == 1) {
        for (std::size_t c = 0; c < width; ++c) {
            const Number* const column = from + static_cast<std::ptrdiff_t>(c) * across;
            for (std::size_t j = 0; j < count; ++j)
                to[c * lanes + j] = scale * static_cast<double>(column[j]);
        }
    } else {
        for (std::size_t j = 0; j < count; ++j) {
            const Number* const row = from + static_cast<std::ptrdiff_t>(j) * down;
            for (std::size_t c = 0; c < width; ++c)
                to[c * lanes + j] =
                    scale * static_cast<double>(row[static_cast<std::ptrdiff_t>(c) * across]);
        }
    }
    for (std::size_t c = 0; count < lanes && c < width; ++c)
        for (std::size_t j = count; j < lanes; ++j) to[c * lanes + j] = 0.0;
}

HYPLANE_LANE void read_block(const Task& task, std::size_t first, std::size_t count, Block& block) {
    double* const to = block.columns + task.start * lanes;
    if (task.source.single)
        read_rows<float>(task.source, first, count, task.load_scale, to);
    else
        read_rows<double>(task.source, first, count, task.load_scale, to);
}

}  // namespace hyplane::charts
