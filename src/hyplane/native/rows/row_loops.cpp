#include "row_loops.hpp"

#include <cmath>

namespace hyplane {

HYPLANE_EVERY_CPU void signed_products(const PackedPoints& points, std::size_t first,
                                       std::size_t last, const double* sign,
                                       const OrientedHyperplane& plane, const NearProduct& product,
                                       double* out) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double chord[rows];
    const double orientation = plane.orientation;
    for (std::size_t b = first; b < last; ++b) {
        const double* block = points.block(b);
        squared_chords<false, rows>(block + rows, plane.normal.data(), points.n_dim, chord);
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j)
            out[b * rows + j] =
                orientation * sign[b * rows + j] * product.value(block[j], chord[j]);
    }
}

HYPLANE_EVERY_CPU void rows_up_to(const PackedPoints& points, const std::int8_t* labels,
                                  const OrientedHyperplane& plane, const NearProduct& product,
                                  double largest, bool* out) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double chord[rows];
    const double square = largest * largest;
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* block = points.block(b);
        squared_chords<false, rows>(block + rows, plane.normal.data(), points.n_dim, chord);
        for (std::size_t j = 0; j < rows; ++j) {
            // y E z against E times the largest, without E itself.
            const double y = plane.orientation * labels[b * rows + j];
            const double Z = product.value(block[j], chord[j]);
            out[b * rows + j] = (y != 0.0) & ((y * Z < 0.0) | (Z * Z <= square * block[j]));
        }
    }
}

HYPLANE_EVERY_CPU double sums_of_slopes(const PackedPoints& points, std::size_t first,
                                        std::size_t last, const double* slope, const double* sign,
                                        const OrientedHyperplane& plane, const NearProduct& product,
                                        double* totals) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double chord[rows], pull[rows], lift[rows] = {};
    const double* const normal = plane.normal.data();
    for (std::size_t b = first; b < last; ++b) {
        const double* block = points.block(b);
        squared_chords<false, rows>(block + rows, normal, points.n_dim, chord);
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double E2 = block[j], steep = slope[b * rows + j] * sign[b * rows + j];
            lift[j] += steep * product.by_lift(E2, chord[j]);
            pull[j] = steep * (E2 - 1.0);
        }
        add_pulls(block + rows, normal, points.n_dim, pull, totals);
    }
    double total = 0.0;
    for (double each : lift) total += each;
    return total;
}

HYPLANE_EVERY_CPU double sum_of_losses(const double* product, const double* weight,
                                       std::size_t n_rows) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < n_rows; ++j) {
        const double z = product[j], square = 1.0 + z * z, root = square * inverse_root(square);
        // arsinh |z|; a row beyond its margin, z >= 1, has the loss 0.
        const double t = fast_log(root + std::abs(z));
        total += weight[j] * (z < 1.0 ? arsinh_of_1 + (z < 0.0 ? t : -t) : 0.0);
    }
    return total;
}

HYPLANE_EVERY_CPU double plain_sum_of_losses(const double* product, const double* weight,
                                             std::size_t n_rows, std::size_t most) {
    constexpr std::size_t rows = rows_per_block;
    LogProduct below, between;  // of e^arsinh|z| where z < 0, where 0 <= z < 1
    alignas(64) double count[rows] = {};
    std::size_t unsettled = 0;
    for (std::size_t first = 0; first < n_rows; first += rows) {
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double z = product[first + j], square = 1.0 + z * z;
            const double factor = square * inverse_root(square) + std::abs(z);
            below.product[j] *= z < 0.0 ? factor : 1.0;
            between.product[j] *= ((z >= 0.0) & (z < 1.0)) ? factor : 1.0;
            count[j] += ((z < 1.0) & (weight[first + j] > 0.0)) ? 1.0 : 0.0;
        }
        if (++unsettled == most) {
            below.settle();
            between.settle();
            unsettled = 0;
        }
    }
    double total = 0.0;
    for (double each : count) total += each;
    return total * arsinh_of_1 + below.logarithm() - between.logarithm();
}

HYPLANE_EVERY_CPU void describe_rows(const double* product, const double* weight,
                                     const double* sign, std::size_t n_rows, double reach,
                                     double* distance, double* slope, double* curvature) {
#pragma omp simd
    for (std::size_t j = 0; j < n_rows; ++j) {
        const double z = product[j], c = weight[j], gap = 1.0 - z, square = 1.0 + z * z;
        const double per_root = inverse_root(square);
        const double steep = c * per_root;
        const bool near = (c > 0.0) & (gap * gap * per_root * per_root < reach);
        const double per_E = sign[j];
        distance[j] = near ? gap * gap * per_E * per_E / c : not_near;
        slope[j] = z < 1.0 ? steep : 0.0;
        curvature[j] = steep * z * per_root * per_root;
    }
}

HYPLANE_EVERY_CPU std::size_t shares_of_curvature(const PackedPoints& points, const double* slope,
                                                  const double* curvature, double* share,
                                                  double* block_sums, double& sum) {
    constexpr std::size_t rows = rows_per_block;
    double count = sum = 0.0;
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* const E2 = points.block(b);
        double ones = 0.0, total = 0.0;
#pragma omp simd reduction(+ : ones, total)
        for (std::size_t j = 0; j < rows; ++j) {
            const double one = slope[b * rows + j] > 0.0 ? 1.0 : 0.0;
            const double q = one * E2[j] * std::abs(curvature[b * rows + j]);
            ones += one;
            total += q;
            share[b * rows + j] = q;
        }
        block_sums[b] = total;
        count += ones;
        sum += total;
    }
    return static_cast<std::size_t>(count);
}

HYPLANE_EVERY_CPU std::size_t count_below(const double* distance, std::size_t n_rows,
                                          double reach) {
    double count = 0.0;
#pragma omp simd reduction(+ : count)
    for (std::size_t j = 0; j < n_rows; ++j) count += distance[j] < reach ? 1.0 : 0.0;
    return static_cast<std::size_t>(count);
}

HYPLANE_EVERY_CPU std::size_t find_below(const double* distance, std::size_t n_rows, double reach,
                                         std::size_t* out) {
    constexpr std::size_t rows = rows_per_block;
    std::size_t count = 0;
    for (std::size_t first = 0; first < n_rows; first += rows) {
        double any = 0.0;
#pragma omp simd reduction(+ : any)
        for (std::size_t j = 0; j < rows; ++j) any += distance[first + j] < reach ? 1.0 : 0.0;
        if (!(any > 0.0)) continue;
        for (std::size_t j = 0; j < rows; ++j) {
            out[count] = first + j;
            count += distance[first + j] < reach;
        }
    }
    return count;
}

HYPLANE_EVERY_CPU double losses_at_scale(const double* product, const double* weight,
                                         std::size_t n_rows, double factor, double& slope) {
    double total = 0.0, sum = 0.0;
#pragma omp simd reduction(+ : total, sum)
    for (std::size_t j = 0; j < n_rows; ++j) {
        const double z = factor * product[j], square = 1.0 + z * z, c = z < 1.0 ? weight[j] : 0.0;
        const double per_root = inverse_root(square);
        const double t = fast_log(square * per_root + std::abs(z));
        total += c * (arsinh_of_1 + (z < 0.0 ? t : -t));
        sum -= c * z * per_root;
    }
    slope = sum;
    return total;
}

}  // namespace hyplane
