// The user's rows, whatever their strides and precision, and the blocks that they are read into.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyplane::charts {

// Rows that are worked on together. Four vectors of 512 bits hide the latency of the divisions,
// and blocks of 50 columns stay in the first-level cache.
constexpr std::size_t n_lanes = 32;

// `angle` is polar coordinates of the plane; `given` is polar coordinates that are not checked.
enum class Chart { ball, hyperboloid, halfspace, klein, polar, angle, tangent, given };

// All lengths are multiplied by `scale`, a power of two, on the way in, which leaves a curvature
// -k with k in [1, 4). `root + root_rest` is sqrt(k).
struct Curvature {
    double scale, k, root, root_rest;

    explicit Curvature(double minus_curvature) {
        const int half = static_cast<int>(std::floor(std::ilogb(minus_curvature) / 2.0));
        scale = std::ldexp(1.0, half);
        k = std::ldexp(minus_curvature, -2 * half);
        root = std::sqrt(k);
        root_rest = -std::fma(root, root, -k) / (2.0 * root);
    }
};

// The user's array. Strides count numbers and may be negative or 0.
struct Source {
    const void* data;
    bool single;  // float32 in place of float64
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;
};

// The rows of an array as points of a chart of curvature -k.
struct Task {
    Source source;
    Chart chart;
    const double* radius;  // for Chart::given alone
    Curvature curvature;
    std::size_t n;      // dimension of the space
    std::size_t start;  // column of a block that takes the first column of the source
    double given_root;  // sqrt(k) before the lengths are scaled
    double load_scale;
    double eps;       // rounding unit of the numbers as they came
    double tiny_gap;  // below it `1 - k|x|²` in doubled precision may be wrong

    Task(const Source& rows, Chart name, double k, const double* radii = nullptr)
        : source(rows),
          chart(name),
          radius(radii),
          curvature(k),
          n(rows.columns),
          start(1),
          given_root(std::sqrt(k)),
          load_scale(curvature.scale),
          eps(rows.single ? 0x1p-23 : 0x1p-52) {
        if (chart == Chart::hyperboloid || chart == Chart::polar) --n;
        if (chart == Chart::polar || chart == Chart::angle) load_scale = 1.0;
        if (n < rows.columns || chart == Chart::angle) start = 0;
        tiny_gap = 1e-16 + 4e-17 * static_cast<double>(n) * static_cast<double>(n);
    }
};

// What is wrong with a row, in the order in which hyplane.geometry.check_points complains.
enum Fault : std::uint64_t { not_finite, outside, crooked_direction, no_fault };

// The first row with the first fault of all that several threads found.
class Faults {
  public:
    void note(Fault fault, std::size_t row) {
        const std::uint64_t found = (fault << row_bits) | row;
        std::uint64_t least = first_;
        while (found < least && !first_.compare_exchange_weak(least, found)) {
        }
    }
    std::int64_t row() const {  // -1: none
        if (first_ == UINT64_MAX) return -1;
        return static_cast<std::int64_t>(first_ & ((std::uint64_t{1} << row_bits) - 1));
    }

  private:
    static constexpr int row_bits = 62;
    std::atomic<std::uint64_t> first_{UINT64_MAX};
};

// One column of a block.
struct alignas(64) Column {
    double of_row[n_lanes];
};

// One block, and room to work on it. `columns` holds one extra column (time, radius), then the
// coordinates, which become the unit direction.
struct Block {
    alignas(64) double square[n_lanes], square_rest[n_lanes];  // |x|² in doubled precision
    alignas(64) double radius[n_lanes];
    alignas(64) double sinh[n_lanes], cosh[n_lanes], decay[n_lanes];  // decay: e^-r
    alignas(64) double factor[n_lanes];   // of the coordinates, to make them a unit vector
    alignas(64) double careful[n_lanes];  // not 0: to be done again by itself
    alignas(64) double far[n_lanes];      // not 0: `radius` counts, and sinh r may overflow
    std::vector<Column> storage;

    explicit Block(std::size_t n) : storage(checked_size(n)) {}
    double* columns() { return storage[0].of_row; }
    double* coordinates() { return columns() + n_lanes; }
    const double* coordinates() const { return storage[0].of_row + n_lanes; }

  private:
    static std::size_t checked_size(std::size_t n) {
        if (n >= std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Column))
            throw std::invalid_argument("rows of " + std::to_string(n) +
                                        " dimensions are more than memory can address");
        return n + 1;
    }
};

}  // namespace hyplane::charts
