// Coordinates around a hyperplane in which every product w*x is linear.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../linalg/dense.hpp"
#include "../objective/points.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// y w*x of every row, given y e^-r.
HYPLANE_EVERY_CPU void signed_products(const PackedPoints& points, const double* sign,
                                       const OrientedHyperplane& plane, const NearProduct& product,
                                       double* out) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double chord[rows];
    const double orientation = plane.orientation;
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* block = points.block(b);
        squared_chords(block + rows, plane.normal.data(), points.n_dim, chord);
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j)
            out[b * rows + j] =
                orientation * sign[b * rows + j] * product.value(block[j], chord[j]);
    }
}

// Sums over all rows of slope · y e^-r times E dz/da, and times (E² - 1) (v - u), the latter each in
// `parts` parts.
HYPLANE_EVERY_CPU double sums_of_slopes(const PackedPoints& points, const double* slope,
                                        const double* sign, const OrientedHyperplane& plane,
                                        const NearProduct& product, double* totals) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double chord[rows], pull[rows], offset[rows] = {};
    const double* const normal = plane.normal.data();
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* block = points.block(b);
        squared_chords(block + rows, normal, points.n_dim, chord);
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double E2 = block[j], steep = slope[b * rows + j] * sign[b * rows + j];
            offset[j] += steep * product.by_offset(E2, chord[j]);
            pull[j] = steep * (E2 - 1.0);
        }
        add_pulls(block + rows, normal, points.n_dim, pull, totals);
    }
    double total = 0.0;
    for (double each : offset) total += each;
    return total;
}

// Hyperplanes near a given one, in coordinates δ without a redundant one. With w = s (sinh a,
// cosh a · u) and the point P = (cosh a, sinh a · u) of the hyperplane nearest to the origin,
//
//     w(δ) = w + s (δ_0 P + δ_1 w/s + δ_2 e_2 + … + δ_n e_n),   e_i a basis of u's complement:
//
// to first order δ_0 moves a, δ_1 moves log s and the others turn u. Every w*x is linear in δ.

// Near points only.
class Neighbourhood {
  public:
    Neighbourhood(const PackedPoints& points, const Hyperplane& plane)
        : points_(points), centre_(plane), product_(centre_), sinh_(std::sinh(centre_.offset)),
          cosh_(std::cosh(centre_.offset)) {
        // The reflection that takes u to ± the first axis; its other columns are the e_i.
        mirror_ = centre_.normal;
        mirror_[0] += std::copysign(1.0, mirror_[0]);
        half_square_ = 0.5 * dot(mirror_, mirror_);
    }

    std::size_t size() const { return points_.n_dim + 1; }
    double offset() const { return centre_.offset; }
    double log_scale() const { return centre_.log_scale; }

    // d(-y w*x) / dδ of `count` chosen rows, as the first columns of `out`.
    void derivatives(const std::size_t* rows, std::size_t count, const std::int8_t* labels,
                     Columns& out) const;

    // Σ slope d(-y w*x) / dδ over all rows, added to `sum`, given y e^-r and y w*x.
    void add_slopes(const Vector& slope, const Vector& sign, const Vector& product,
                    Vector& sum) const {
        const std::size_t n = points_.n_dim;
        Vector totals(n * parts, 0.0), side(n, 0.0);
        sum[0] -= centre_.orientation * sums_of_slopes(points_, slope.data(), sign.data(), centre_,
                                                       product_, totals.data());
        sum[1] -= dot(slope, product);
        const double per_turn = -centre_.orientation * product_.by_direction() / cosh_;
        for (std::size_t c = 0; c < n; ++c)
            for (std::size_t j = 0; j < parts; ++j) side[c] += per_turn * totals[c * parts + j];
        const double along = dot(mirror_, side) / half_square_;
        for (std::size_t c = 1; c < n; ++c) sum[c + 1] += side[c] - along * mirror_[c];
    }

    // At most `stretch` rows, as columns from `begin` on.
    HYPLANE_INLINE void stretch_of_derivatives(const std::size_t* rows, std::size_t count,
                                               const std::int8_t* labels, std::size_t begin,
                                               Columns& out) const {
        const std::size_t n = points_.n_dim;
        double lever[stretch], along[stretch], chord[stretch], v[stretch];
        const double* first[stretch];
        for (std::size_t k = 0; k < count; ++k) {
            first[k] = points_.block(rows[k] / rows_per_block) + rows[k] % rows_per_block;
            along[k] = chord[k] = 0.0;
        }
        const auto gather = [&](std::size_t column) {
            for (std::size_t k = 0; k < count; ++k) v[k] = first[k][column * rows_per_block];
        };
        for (std::size_t c = 0; c < n; ++c) {
            gather(c + 1);
            const double u = centre_.normal[c], m = mirror_[c] / half_square_;
            double* line = out.line(c == 0 ? 0 : c + 1) + begin;  // line 0 is written again below
            for (std::size_t k = 0; k < count; ++k) {
                line[k] = v[k] - u;
                chord[k] += line[k] * line[k];
                along[k] += m * line[k];
            }
        }
        gather(0);
        // e_i has unit length where cosh a · u changes by cosh a.
        const double per_turn = product_.by_direction() / cosh_;
        for (std::size_t k = 0; k < count; ++k) {
            const double y = -centre_.orientation * labels[rows[k]] / std::sqrt(v[k]);
            out.line(0)[begin + k] = y * product_.by_offset(v[k], chord[k]);
            out.line(1)[begin + k] = y * product_.value(v[k], chord[k]);
            lever[k] = y * per_turn * (v[k] - 1.0);
        }
        for (std::size_t c = 1; c < n; ++c) {
            double* line = out.line(c + 1) + begin;
            for (std::size_t k = 0; k < count; ++k)
                line[k] = lever[k] * (line[k] - along[k] * mirror_[c]);
        }
    }

    // w(t δ) within |a| <= bound; false where it is no hyperplane, or so far from this one that
    // the model says nothing about it.
    bool moved(const Vector& delta, double t, double bound, const Tuning& tuning,
               Hyperplane& out) const {
        const std::size_t n = points_.n_dim;
        const double along = 1.0 + t * delta[1], lift = t * delta[0];
        Vector side(n, 0.0);
        for (std::size_t c = 1; c < n; ++c) side[c] = t * delta[c + 1];
        const double square = along * along + dot(side, side) - lift * lift;
        if (!(along > tuning.smallest_kept_scale) ||
            !(square > tuning.smallest_kept_square * along * along))
            return false;
        const double reflected = dot(mirror_, side) / half_square_;
        const double length = along * cosh_ + lift * sinh_;
        out.normal.resize(n);
        for (std::size_t c = 0; c < n; ++c)
            out.normal[c] = length * centre_.normal[c] + side[c] - reflected * mirror_[c];
        const double size = std::sqrt(dot(out.normal, out.normal));
        if (!(size > 0.0) || !std::isfinite(size)) return false;
        for (double& u : out.normal) u *= centre_.orientation / size;
        const double a = std::asinh((along * sinh_ + lift * cosh_) / std::sqrt(square));
        out.offset = centre_.orientation * std::max(-bound, std::min(bound, a));
        out.log_scale = centre_.log_scale + 0.5 * std::log(square);
        return true;
    }

  private:
    static constexpr std::size_t stretch = 256;  // rows at a time, so that they stay in the cache
    const PackedPoints& points_;
    const OrientedHyperplane centre_;
    const NearProduct product_;
    const double sinh_, cosh_;
    Vector mirror_;
    double half_square_;
};

HYPLANE_EVERY_CPU void derivatives_of_a_stretch(const Neighbourhood& around,
                                                const std::size_t* rows, std::size_t count,
                                                const std::int8_t* labels, std::size_t begin,
                                                Columns& out) {
    around.stretch_of_derivatives(rows, count, labels, begin, out);
}

// Defined here because clang wants to see every version of a function before its first use.
inline void Neighbourhood::derivatives(const std::size_t* rows, std::size_t count,
                                       const std::int8_t* labels, Columns& out) const {
    for (std::size_t first = 0; first < count; first += stretch)
        derivatives_of_a_stretch(*this, rows + first, std::min(stretch, count - first), labels,
                                 first, out);
}

}  // namespace hyplane
