// Coordinates around a hyperplane in which every product w*x is linear.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../kernels/product.hpp"
#include "../linalg/dense.hpp"
#include "../linalg/row_panel.hpp"
#include "../objective/problem.hpp"
#include "../rows/point_lines.hpp"

namespace hyplane {

// Blocks that threads take at a time in a step. Whatever the number of threads, sums are added up
// over the blocks of each such range first. For the rows of a usual kink step there is one: to wake
// threads for a few microseconds of work takes longer than that.
struct StepRanges {
    explicit StepRanges(const PackedPoints& points)
        : n_blocks(points.n_blocks()),
          count(std::max<std::size_t>(1, (n_blocks + step - 1) / step)) {}

    // Calls `work(range, first block, last block)`.
    template <class Work>
    void run(RowThreads* threads, const Work& work) const {
        run_ranges(count > 1 ? threads : nullptr, count, [&](std::size_t range) {
            work(range, range * step, std::min(n_blocks, (range + 1) * step));
        });
    }

    static constexpr std::size_t step = 1024;
    const std::size_t n_blocks, count;
};

// Hyperplanes near a given one, in coordinates δ without a redundant one. With w = s (sinh a,
// cosh a · u), a >= 0,
//
//     w(δ) = w + s (δ_0 e^-a (1, -u) + δ_1 w/s + δ_2 e_2 + … + δ_n e_n),   e_i a basis of u's
//     complement:
//
// to first order δ_0 moves a and -log s, δ_1 moves log s and the others turn u. Every w*x is linear
// in δ, and -w*w = s² ((1 + δ_1)² - 2 (1 + δ_1) δ_0 + δ_2² + … + δ_n²). Far out, (cosh a, sinh a ·
// u) in place of the first vector would be w itself but for rounding.

// Near points only.
class Neighbourhood {
  public:
    explicit Neighbourhood(const Hyperplane& plane)
        : n_dim_(plane.normal.size()),
          centre_(plane),
          product_(centre_),
          sinh_(std::sinh(centre_.offset)),
          cosh_(std::cosh(centre_.offset)) {
        // The reflection that takes u to ± the first axis; its other columns are the e_i.
        mirror_ = centre_.normal;
        mirror_[0] += std::copysign(1.0, mirror_[0]);
        half_square_ = 0.5 * dot(mirror_, mirror_);
        line_.assign(panel_stride(n_dim_ + 2), 0.0);
        std::copy(centre_.normal.begin(), centre_.normal.end(), line_.begin() + 2);
    }

    std::size_t size() const { return n_dim_ + 1; }
    double offset() const { return centre_.offset; }
    double log_scale() const { return centre_.log_scale; }

    // d(-y w*x) of chosen rows, as the first lines of `out`: by δ_0, by δ_1, and by turns of u in
    // the directions of all n axes, not yet in those of the e_i. Given y e^-r and y w*x. Sums over
    // the rows are brought into the coordinates δ by `add_reflected`, single rows by `reflect`.
    HYPLANE_INLINE void fill_derivatives(const PointLines& lines, const std::size_t* rows,
                                         std::size_t count, const double* sign,
                                         const double* product, RowPanel& out) const {
        // dz/da - z = s cosh r / cosh a - z (1 - tanh a).
        const double rest = std::exp(-centre_.offset) / cosh_,
                     per_turn = product_.by_direction() / cosh_;
        const double upright = 0.5 * std::exp(centre_.log_scale) / cosh_;
        const double* const u = line_.data();
        const std::size_t blocks = out.blocks();
        for (std::size_t k = 0; k < count; ++k) {
            double* const to = out.line(k);
            if (!lines.kept()) lines.gather(rows[k], to);
            const double* const from = lines.kept() ? lines.line(rows[k]) : to;
            const double E2 = from[0], y = centre_.orientation * sign[rows[k]];
            const double lever = -y * per_turn * (E2 - 1.0), z = product[rows[k]];
#pragma omp simd
            for (std::size_t i = 0; i < panel_lanes * blocks; ++i) to[i] = lever * (from[i] - u[i]);
            to[0] = rest * z - y * upright * (1.0 + E2);
            to[1] = -z;
        }
    }
    void derivatives(const PointLines& lines, const std::size_t* rows, std::size_t count,
                     const double* sign, const double* product, RowPanel& out) const;

    // These derivatives by δ, as columns of `out` from `first` on.
    void reflect(const RowPanel& plain, std::size_t count, std::size_t first, Columns& out) const {
        const std::size_t n = n_dim_;
        for (std::size_t k = 0; k < count; ++k) {
            const double* const from = plain.line(k);
            const double along = sum_of_products(mirror_.data(), from + 2, n) / half_square_;
            double* to = out.line(0) + first + k;
            to[0] = from[0];
            to[out.capacity] = from[1];
            for (std::size_t c = 1; c < n; ++c)
                to[(c + 1) * out.capacity] = from[c + 2] - along * mirror_[c];
        }
    }

    // Add a sum of plain derivatives, times slopes.
    void add_reflected(const Vector& plain, Vector& sum) const {
        const std::size_t n = n_dim_;
        sum[0] += plain[0];
        sum[1] += plain[1];
        const double along = sum_of_products(mirror_.data(), &plain[2], n) / half_square_;
        for (std::size_t c = 1; c < n; ++c) sum[c + 1] += plain[c + 2] - along * mirror_[c];
    }

    // Add a sum of their products with each other, whose lines have the given stride. The lower
    // triangle is read and written.
    HYPLANE_INLINE void fill_reflected_products(double* plain, std::size_t stride, double* along,
                                                double* sum) const {
        const std::size_t n = n_dim_, size = n + 2, n_out = n + 1;
        const double* const mirror = mirror_.data();
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < i; ++j) plain[j * stride + i] = plain[i * stride + j];
        for (std::size_t i = 0; i < size; ++i)  // along the mirror, of each line
            along[i] = sum_of_products(mirror, plain + i * stride + 2, n) / half_square_;
        const double twice = sum_of_products(mirror, along + 2, n) / half_square_;
        for (std::size_t i = 0; i < n_out; ++i) {
            const double* const from = plain + (i < 2 ? i : i + 1) * stride;
            double* const to = sum + i * n_out;
            const double m = i < 2 ? 0.0 : mirror[i - 1];
            const double rest = along[i < 2 ? i : i + 1] - m * twice;
            for (std::size_t j = 0; j <= i && j < 2; ++j) to[j] += from[j] - m * along[j];
#pragma omp simd
            for (std::size_t j = 2; j <= i; ++j)
                to[j] += from[j + 1] - m * along[j + 1] - mirror[j - 1] * rest;
        }
    }
    void add_reflected_products(Vector& plain, std::size_t stride, Vector& sum) const;

    // Σ slope d(-y w*x) / dδ over all rows, added to `sum`, given y e^-r and y w*x. `threads` may
    // be null.
    void add_slopes(const PackedPoints& points, const Vector& slope, const Vector& sign,
                    const Vector& product, Vector& sum, RowThreads* threads) const {
        const std::size_t n = n_dim_, size = n * parts;
        const StepRanges ranges(points);
        Vector totals(ranges.count * size, 0.0), by_lift(ranges.count), by_scale(ranges.count);
        ranges.run(threads, [&](std::size_t range, std::size_t first, std::size_t last) {
            by_lift[range] = sums_of_slopes(points, first, last, slope.data(), sign.data(), centre_,
                                            product_, &totals[range * size]);
            by_scale[range] =
                sum_of_products(&slope[first * rows_per_block], &product[first * rows_per_block],
                                (last - first) * rows_per_block);
        });
        for (std::size_t range = 1; range < ranges.count; ++range) {
            by_lift[0] += by_lift[range];
            by_scale[0] += by_scale[range];
            for (std::size_t k = 0; k < size; ++k) totals[k] += totals[range * size + k];
        }
        Vector plain(n + 2, 0.0);
        plain[0] = -centre_.orientation * by_lift[0];
        plain[1] = -by_scale[0];
        const double per_turn = -centre_.orientation * product_.by_direction() / cosh_;
        for (std::size_t c = 0; c < n; ++c)
            for (std::size_t j = 0; j < parts; ++j)
                plain[c + 2] += per_turn * totals[c * parts + j];
        add_reflected(plain, sum);
    }

    // -C times the sums of a pass, added to `sum`.
    void add_gradient(const Sums& sums, double C, Vector& sum) const {
        Vector plain{-C * sums.lift, -C * sums.scale};
        for (double each : sums.direction) plain.push_back(-C / cosh_ * each);
        add_reflected(plain, sum);
    }

    // w(t δ) within |a| <= bound; false where it is no hyperplane, or so far from this one that
    // the model says nothing about it. A hyperplane beyond the bound is moved to it, and so is any
    // where the model holds it there (`held`): w1: stays the same, and with it nearly all products.
    bool moved(const Vector& delta, double t, double bound, bool held, Hyperplane& out) const {
        // The least s(δ)/s along w, and the least -w*w relative to it, of a step that is trusted.
        constexpr double smallest_kept_scale = 0.05, smallest_kept_square = 0.01;
        const std::size_t n = n_dim_;
        const double along = 1.0 + t * delta[1], lift = t * delta[0];
        Vector side(n, 0.0);
        for (std::size_t c = 1; c < n; ++c) side[c] = t * delta[c + 1];
        const double square = along * (along - 2.0 * lift) + dot(side, side);
        if (!(along > smallest_kept_scale) ||
            !(held || square > smallest_kept_square * along * along))
            return false;
        const double reflected = dot(mirror_, side) / half_square_;
        const double far_side = lift * std::exp(-centre_.offset);
        const double length = along * cosh_ - far_side;
        out.normal.resize(n);
        for (std::size_t c = 0; c < n; ++c)
            out.normal[c] = length * centre_.normal[c] + side[c] - reflected * mirror_[c];
        const double size = std::sqrt(dot(out.normal, out.normal));
        if (!(size > 0.0) || !std::isfinite(size)) return false;
        for (double& u : out.normal) u *= centre_.orientation / size;
        const double a = held ? bound : std::asinh((along * sinh_ + far_side) / std::sqrt(square));
        out.offset = centre_.orientation * std::max(-bound, std::min(bound, a));
        out.log_scale =
            centre_.log_scale + (held || std::abs(a) > bound ? std::log(size) - log_cosh(bound)
                                                             : 0.5 * std::log(square));
        return true;
    }

  private:
    const std::size_t n_dim_;
    const OrientedHyperplane centre_;
    const NearProduct product_;
    const double sinh_, cosh_;
    Vector mirror_;
    Vector line_;  // (0, 0, u) and zeros, as long as a line of the points
    double half_square_;
};

}  // namespace hyplane
