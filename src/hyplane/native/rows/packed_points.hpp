// Points in memory, packed for the pass over rows. Includes nothing that is compiled once for each
// processor: two files of a module include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../kernels/large_array.hpp"
#include "row_threads.hpp"

namespace hyplane {

// Points of hyperbolic space as the pass over rows reads them: native polar coordinates in column
// blocks.
//
// A block holds `rows_per_block` rows, one column after the other, so that a loop over its rows is
// a loop over neighbouring doubles. The first column is e^2r ("near" points), or r itself ("far"
// points, whose powers would leave the range of doubles); the others are the unit direction.

constexpr std::size_t rows_per_block = 16;

// Up to this radius every product of the near pass, e^2(a+2r) and less, stays below 1e220.
constexpr double largest_near_radius = 80.0;

struct PackedPoints {
    std::size_t n_rows;
    std::size_t n_dim;
    bool far;
    double largest_radius = 0.0;
    LargeArray data;

    // All rows at the origin, those that only fill up the last block included.
    PackedPoints(std::size_t rows, std::size_t dim, bool is_far)
        : PackedPoints(rows, dim, is_far, Unset()) {
        for (std::size_t b = 0; b < n_blocks(); ++b) {
            std::fill_n(block(b), rows_per_block, far ? 0.0 : 1.0);
            std::fill_n(block(b) + rows_per_block, n_dim * rows_per_block, 0.0);
        }
    }

    // No row set yet: the caller writes whole blocks.
    struct Unset {};
    PackedPoints(std::size_t rows, std::size_t dim, bool is_far, Unset)
        : n_rows(rows), n_dim(dim), far(is_far), data(checked_size(rows, dim)) {}

    std::size_t n_blocks() const { return (n_rows + rows_per_block - 1) / rows_per_block; }
    std::size_t n_padded_rows() const { return n_blocks() * rows_per_block; }
    std::size_t block_size() const { return (n_dim + 1) * rows_per_block; }
    const double* block(std::size_t b) const { return data.data() + b * block_size(); }
    double* block(std::size_t b) { return data.data() + b * block_size(); }

    double& at(std::size_t row, std::size_t column) { return data.data()[place(row, column)]; }
    double at(std::size_t row, std::size_t column) const { return data.data()[place(row, column)]; }

    void fill(std::size_t first, std::size_t count, const double* radius, const double* direction) {
        if (first > n_rows || count > n_rows - first)
            throw std::invalid_argument("rows " + std::to_string(first) + " to " +
                                        std::to_string(first) + " + " + std::to_string(count) +
                                        " are not all among the " + std::to_string(n_rows) +
                                        " rows of these points");
        for (std::size_t i = 0; i < count; ++i)
            check_row(first + i, radius[i], direction + i * n_dim);
        for (std::size_t i = 0; i < count; ++i) {
            at(first + i, 0) = far ? radius[i] : std::exp(2.0 * radius[i]);
            for (std::size_t c = 0; c < n_dim; ++c) at(first + i, c + 1) = direction[i * n_dim + c];
            largest_radius = std::max(largest_radius, radius[i]);
        }
    }

    // The largest radius is kept: a sample is bounded by the ball of the whole. `threads` may be
    // null.
    PackedPoints take(const std::vector<std::size_t>& rows, RowThreads* threads = nullptr) const {
        PackedPoints sample(rows.size(), n_dim, far, Unset());
        constexpr std::size_t step = 4096;
        static_assert(step % rows_per_block == 0, "a range is whole blocks");
        const auto copy = [&](std::size_t range) {
            const std::size_t last = std::min(sample.n_padded_rows(), (range + 1) * step);
            for (std::size_t i = range * step; i < last; ++i) {
                double* to = sample.data.data() + sample.place(i, 0);
                if (i < rows.size()) {
                    const double* from = data.data() + place(rows[i], 0);
                    for (std::size_t c = 0; c <= n_dim; ++c)
                        to[c * rows_per_block] = from[c * rows_per_block];
                } else {
                    for (std::size_t c = 0; c <= n_dim; ++c)
                        to[c * rows_per_block] = c == 0 && !far ? 1.0 : 0.0;
                }
            }
        };
        const std::size_t n_ranges = (rows.size() + step - 1) / step;
        run_ranges(threads, n_ranges, copy);
        sample.largest_radius = largest_radius;
        return sample;
    }

    double radius(std::size_t row) const { return far ? at(row, 0) : 0.5 * std::log(at(row, 0)); }

    // Klein coordinates, tanh(r) times the direction.
    void klein(std::size_t row, double* out) const {
        const double first = at(row, 0),
                     length = far ? std::tanh(first) : (first - 1.0) / (first + 1.0);
        for (std::size_t c = 0; c < n_dim; ++c) out[c] = length * at(row, c + 1);
    }

  private:
    std::size_t place(std::size_t row, std::size_t column) const {
        return (row / rows_per_block) * block_size() + column * rows_per_block +
               row % rows_per_block;
    }

    static std::size_t checked_size(std::size_t rows, std::size_t dim) {
        constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
        if (dim == 0) throw std::invalid_argument("points need at least one dimension");
        if (rows > most - rows_per_block || dim >= most / (rows + rows_per_block))
            throw std::invalid_argument(std::to_string(rows) + " rows of " + std::to_string(dim) +
                                        " dimensions are more than memory can address");
        const std::size_t blocks = (rows + rows_per_block - 1) / rows_per_block;
        return blocks * rows_per_block * (dim + 1);
    }

    void check_row(std::size_t row, double radius, const double* direction) const {
        // Rounding of a unit vector is far below this; a vector of another length is a mistake.
        constexpr double loose = 1e-6;
        if (!(radius >= 0.0) || !std::isfinite(radius))
            throw std::invalid_argument("row " + std::to_string(row) + " has radius " +
                                        std::to_string(radius) +
                                        "; a radius must be finite and not negative");
        if (!far && radius > largest_near_radius)
            throw std::invalid_argument("row " + std::to_string(row) + " has radius " +
                                        std::to_string(radius) +
                                        ", a far radius among near points (at most " +
                                        std::to_string(largest_near_radius) + ")");
        double square = 0.0;
        for (std::size_t c = 0; c < n_dim; ++c) square += direction[c] * direction[c];
        if (!(std::abs(square - 1.0) <= loose))
            throw std::invalid_argument("the direction of row " + std::to_string(row) +
                                        " has length " + std::to_string(std::sqrt(square)) +
                                        "; it must be 1");
    }
};

// Several sets of points one after the other; far if one of them is.
inline PackedPoints joined(const std::vector<const PackedPoints*>& parts) {
    std::size_t n_rows = 0;
    bool far = false;
    double largest = 0.0;
    for (const PackedPoints* part : parts) {
        n_rows += part->n_rows;
        far = far || part->far;
        largest = std::max(largest, part->largest_radius);
    }
    PackedPoints all(n_rows, parts.front()->n_dim, far);
    std::size_t to = 0;
    for (const PackedPoints* part : parts)
        for (std::size_t row = 0; row < part->n_rows; ++row, ++to) {
            all.at(to, 0) = far ? part->radius(row) : part->at(row, 0);
            for (std::size_t c = 1; c <= all.n_dim; ++c) all.at(to, c) = part->at(row, c);
        }
    all.largest_radius = largest;
    return all;
}

}  // namespace hyplane
