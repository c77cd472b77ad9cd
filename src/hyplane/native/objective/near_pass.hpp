// The sums of the soft-margin loss and its gradient over a range of near points, in one pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../kernels/product.hpp"
#include "../linalg/dense.hpp"
#include "../rows/packed_points.hpp"
#include "../rows/row_loops.hpp"

namespace hyplane {

// Sums over the rows with y z < 1, where z = w*x and each row counts with its weight c.
struct Sums {
    double loss = 0.0;   // Σ c (arsinh 1 - arsinh(y z))
    double scale = 0.0;  // Σ c y (dz / d log s) / sqrt(1+z²)
    double lift = 0.0;   // Σ c y (dz / da - z) / sqrt(1+z²)
    Vector direction;    // Σ c y (dz / du) / sqrt(1+z²)

    void add(const Sums& other) {
        loss += other.loss;
        scale += other.scale;
        lift += other.lift;
        for (std::size_t c = 0; c < direction.size(); ++c) direction[c] += other.direction[c];
    }
};

// What a pass computes of one block besides the sums: of each row y E z, infinite where it does not
// count, 1 / (E sqrt(1+z²)), and c y times that where it has a loss.
struct BlockProducts {
    alignas(64) double product[rows_per_block], per_root[rows_per_block], slope[rows_per_block];
};

// A pass that computes sums alone.
struct NoVisitor {
    static constexpr bool used = false;
    void visit(std::size_t, const BlockProducts&) {}
};

// A row has a loss where y z is below this. Without a tolerance, rows at their kink change sides
// with the last digit of the hyperplane.
constexpr double kink_product = 1.0 - 1e-10;

// The labels 1, -1 or 0 of eight rows as doubles, times a sign, by shifts of one number: for a loop
// over narrow numbers the compiler takes narrow vectors, which the next loop would have to wait
// for.
HYPLANE_INLINE void signs_of_labels(const std::int8_t* label, double sign, double* out) {
    std::uint64_t all = 0;
    for (int j = 0; j < 8; ++j) all |= std::uint64_t{static_cast<std::uint8_t>(label[j])} << 8 * j;
#pragma omp simd
    for (int j = 0; j < 8; ++j) {
        const std::uint64_t one = all >> 8 * j, positive = 0 - (one & 1);
        out[j] = sign * from_bits((positive & to_bits(1.0)) | (one >> 7 & 1) << 63);
    }
}

// With E = e^r there is one inverse root, of E² + Z² with Z = E z, in place of divisions by E and
// by sqrt(1+z²). `totals` are n_dim * parts zeros: no exception may leave a function in several
// versions, so that memory is taken outside.
template <bool weighted, class Visitor>
HYPLANE_INLINE void near_pass(const PackedPoints& points, std::size_t first_block,
                              std::size_t last_block, const std::int8_t* labels,
                              const double* weights, const OrientedHyperplane& plane,
                              double* totals, Sums& sums, Visitor& visitor) {
    constexpr std::size_t rows = rows_per_block;
    const std::size_t n = points.n_dim;
    const NearProduct product(plane);
    const double orientation = plane.orientation;
    const double* const normal = plane.normal.data();
    const double largest_square = std::exp(2.0 * points.largest_radius);
    const double largest_excess =
        one_plus_root_2 * (2.0 * product.size_of_terms(largest_square, 4.0) + largest_square);
    const std::size_t most = factors_in_range(largest_excess);
    alignas(64) double chord[rows], pull[rows], excess[rows], square[rows], sign[rows];
    alignas(64) double scale[rows], lift[rows], loss[rows];
    for (std::size_t j = 0; j < rows; ++j) scale[j] = lift[j] = loss[j] = 0.0;
    LogProduct excesses, squares;
    BlockProducts products;
    std::size_t unsettled = 0;
    for (std::size_t b = first_block; b < last_block; ++b) {
        const double* block = points.block(b);
        const std::int8_t* label = labels + b * rows;
        squared_chords<false, rows>(block + rows, normal, n, chord);
        for (std::size_t j = 0; j < rows; j += 8) signs_of_labels(label + j, orientation, sign + j);
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double E2 = block[j], y = sign[j];
            const double Z = product.value(E2, chord[j]), Z2 = Z * Z;
            const double per_root = inverse_root(E2 + Z2);
            const double yZ = y * Z;
            const double root = (E2 + Z2) * per_root;
            // y z < 1, that is yZ < E, without E itself; a label of 0 never counts.
            const bool active = ((yZ < 0.0) | (Z2 < kink_product * kink_product * E2)) & (y != 0.0);
            excess[j] = active ? one_plus_root_2 * (root - yZ) : 1.0;  // E e^loss
            square[j] = active ? E2 : 1.0;
            double slope = y * per_root;
            if constexpr (weighted) slope *= weights[b * rows + j];
            slope = active ? slope : 0.0;
            if constexpr (Visitor::used) {
                products.product[j] = y != 0.0 ? yZ : std::numeric_limits<double>::infinity();
                products.per_root[j] = per_root;
                products.slope[j] = slope;
            }
            scale[j] += slope * Z;
            lift[j] += slope * product.by_lift(E2, chord[j]);
            pull[j] = slope * (E2 - 1.0);
        }
        if constexpr (weighted) {
#pragma omp simd
            for (std::size_t j = 0; j < rows; ++j)
                loss[j] += weights[b * rows + j] * fast_log(excess[j] * excess[j] / square[j]);
        } else {
#pragma omp simd
            for (std::size_t j = 0; j < rows; ++j) {
                excesses.product[j] *= excess[j];
                squares.product[j] *= square[j];
            }
            if (++unsettled == most) {
                excesses.settle();
                squares.settle();
                unsettled = 0;
            }
        }
        add_pulls(block + rows, normal, n, pull, totals);
        if constexpr (Visitor::used) visitor.visit(b, products);
    }
    sums.scale = sums.lift = sums.loss = 0.0;
    for (std::size_t j = 0; j < rows; ++j) {
        sums.scale += scale[j];
        sums.lift += lift[j];
        sums.loss += 0.5 * loss[j];
    }
    if constexpr (!weighted) sums.loss = excesses.logarithm() - 0.5 * squares.logarithm();
    for (std::size_t c = 0; c < n; ++c) {
        double total = 0.0;
        for (std::size_t j = 0; j < parts; ++j) total += totals[c * parts + j];
        sums.direction[c] = total * product.by_direction();
    }
}

template <class Visitor>
HYPLANE_INLINE void near_pass(const PackedPoints& points, std::size_t first, std::size_t last,
                              const std::int8_t* labels, const double* weights,
                              const OrientedHyperplane& plane, double* totals, Sums& sums,
                              Visitor& visitor) {
    if (weights == nullptr)
        near_pass<false>(points, first, last, labels, weights, plane, totals, sums, visitor);
    else
        near_pass<true>(points, first, last, labels, weights, plane, totals, sums, visitor);
}

void near_sums(const PackedPoints& points, std::size_t first, std::size_t last,
               const std::int8_t* labels, const double* weights, const OrientedHyperplane& plane,
               double* totals, Sums& sums);

}  // namespace hyplane
