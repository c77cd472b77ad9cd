// Loops over rows in memory that the steps of a search consist of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../kernels/product.hpp"
#include "packed_points.hpp"

namespace hyplane {

// Sums of directions are kept in this many parts, row j of a block going to part j mod 8: one
// vector of 512 bits, so that no vector is added up before the end of the pass.
constexpr std::size_t parts = 8;

// The product of many numbers >= 1 with a single logarithm at the end: exponents add up, mantissas
// multiply.
struct LogProduct {
    alignas(64) double product[rows_per_block];
    std::int64_t exponent = 0;

    LogProduct() { std::fill_n(product, rows_per_block, 1.0); }

    // Take the exponents out of the products, before these leave the range of doubles.
    HYPLANE_INLINE void settle() {
        std::uint64_t exponents = 0;
#pragma omp simd reduction(+ : exponents)
        for (std::size_t j = 0; j < rows_per_block; ++j) {
            const std::uint64_t bits = to_bits(product[j]);
            exponents += bits >> 52;
            product[j] = from_bits((bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
        }
        exponent +=
            static_cast<std::int64_t>(exponents) - 1023 * static_cast<std::int64_t>(rows_per_block);
    }

    double logarithm() {
        settle();
        double all = 1.0;
        for (double each : product) all *= each;
        return std::log(all) + log_of_2 * static_cast<double>(exponent);
    }
};

// How many factors up to `largest` can be multiplied within the range of doubles.
inline std::size_t factors_in_range(double largest) {
    const double count = 690.0 / std::log(largest);  // e^690 is 1e299
    return count > 1.0 ? static_cast<std::size_t>(std::min(count, 1024.0)) : 1;
}

// The distance of rows that are not near.
constexpr double not_near = 1e300;

// totals += Σ pull (v - u), each column in `parts` parts.
HYPLANE_INLINE void add_pulls(const double* columns, const double* normal, std::size_t n,
                              const double* pull, double* totals) {
    constexpr std::size_t rows = rows_per_block;
    static_assert(rows == 2 * parts, "a block is two vectors of parts");
    for (std::size_t c = 0; c < n; ++c) {
        const double* v = columns + c * rows;
        double* total = totals + c * parts;
        const double u = normal[c];
#pragma omp simd
        for (std::size_t j = 0; j < parts; ++j)
            total[j] += pull[j] * (v[j] - u) + pull[j + parts] * (v[j + parts] - u);
    }
}

// y w*x of the rows of some blocks, given y e^-r.
void signed_products(const PackedPoints& points, std::size_t first, std::size_t last,
                     const double* sign, const OrientedHyperplane& plane,
                     const NearProduct& product, double* out);

// Which rows have y w*x of at most `largest`, which is not negative; none of label 0.
void rows_up_to(const PackedPoints& points, const std::int8_t* labels,
                const OrientedHyperplane& plane, const NearProduct& product, double largest,
                bool* out);

// Sums over the rows of some blocks of slope · y e^-r times E (dz/da - z), and times (E² - 1) (v -
// u), the latter each in `parts` parts.
double sums_of_slopes(const PackedPoints& points, std::size_t first, std::size_t last,
                      const double* slope, const double* sign, const OrientedHyperplane& plane,
                      const NearProduct& product, double* totals);

// Σ c max(0, arsinh 1 - arsinh z).
double sum_of_losses(const double* product, const double* weight, std::size_t n_rows);

// Σ max(0, arsinh 1 - arsinh z) over the rows of positive weight, with two logarithms in all. No
// more than `most` factors are multiplied before their exponents are taken out.
double plain_sum_of_losses(const double* product, const double* weight, std::size_t n_rows,
                           std::size_t most);

// How far each row is from its kink: (1 - z)² / (e^2r c), given y e^-r, for rows with (1 - z)² / (1
// + z²) below `reach`; its slope, c / sqrt(1 + z²) where it has a loss; its curvature as if it had
// one.
void describe_rows(const double* product, const double* weight, const double* sign,
                   std::size_t n_rows, double reach, double* distance, double* slope,
                   double* curvature);

// How much each row with a slope can add to the curvature, the sums of that over each block and
// over all. Returns how many rows have a slope.
std::size_t shares_of_curvature(const PackedPoints& points, const double* slope,
                                const double* curvature, double* share, double* block_sums,
                                double& sum);

std::size_t count_below(const double* distance, std::size_t n_rows, double reach);

// Which rows are nearer than that; `out` has room for them and one more.
std::size_t find_below(const double* distance, std::size_t n_rows, double reach, std::size_t* out);

// The losses at a hyperplane whose scale is multiplied by a factor, from the products y w*x before
// that, and their derivative by log s.
double losses_at_scale(const double* product, const double* weight, std::size_t n_rows,
                       double factor, double& slope);

}  // namespace hyplane
