// Points of hyperbolic space as the kernel reads them: native polar coordinates in column blocks.
//
// A block holds `rows_per_block` rows, one column after the other, so that a loop over its rows is
// a loop over neighbouring doubles. The first column is e^2r ("near" points), or r itself ("far"
// points, whose powers would leave the range of doubles); the others are the unit direction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace hyplane {

constexpr std::size_t rows_per_block = 16;

// Up to this radius every product of the near kernel, e^2(a+2r) and less, stays below 1e220.
constexpr double largest_near_radius = 80.0;

struct Points {
    std::size_t n_rows;
    std::size_t n_dim;
    bool far;
    double largest_radius = 0.0;
    std::vector<double> data;

    Points(std::size_t rows, std::size_t dim, bool is_far)
        : n_rows(rows), n_dim(dim), far(is_far), data(n_blocks() * block_size(), 0.0) {
        // Rows that only fill up the last block stand at the origin; their label is 0.
        for (std::size_t row = n_rows; row < n_blocks() * rows_per_block; ++row)
            at(row, 0) = far ? 0.0 : 1.0;
    }

    std::size_t n_blocks() const { return (n_rows + rows_per_block - 1) / rows_per_block; }
    std::size_t block_size() const { return (n_dim + 1) * rows_per_block; }
    const double* block(std::size_t b) const { return data.data() + b * block_size(); }

    double& at(std::size_t row, std::size_t column) {
        return data[(row / rows_per_block) * block_size() + column * rows_per_block +
                    row % rows_per_block];
    }
    double at(std::size_t row, std::size_t column) const {
        return const_cast<Points*>(this)->at(row, column);
    }

    void fill(std::size_t first, std::size_t count, const double* radius,
              const double* direction) {
        for (std::size_t i = 0; i < count; ++i) {
            if (!far && radius[i] > largest_near_radius)
                throw std::invalid_argument("a far radius among near points");
            at(first + i, 0) = far ? radius[i] : std::exp(2.0 * radius[i]);
            for (std::size_t c = 0; c < n_dim; ++c)
                at(first + i, c + 1) = direction[i * n_dim + c];
            largest_radius = std::max(largest_radius, radius[i]);
        }
    }

    // The largest radius is kept: a sample is bounded by the ball of the whole.
    Points take(const std::vector<std::size_t>& rows) const {
        Points sample(rows.size(), n_dim, far);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t c = 0; c <= n_dim; ++c) sample.at(i, c) = at(rows[i], c);
        sample.largest_radius = largest_radius;
        return sample;
    }

    double radius(std::size_t row) const { return far ? at(row, 0) : 0.5 * std::log(at(row, 0)); }

    // Klein coordinates, tanh(r) times the direction.
    void klein(std::size_t row, double* out) const {
        const double length = std::tanh(radius(row));
        for (std::size_t c = 0; c < n_dim; ++c) out[c] = length * at(row, c + 1);
    }
};

}  // namespace hyplane
