// Directions in which a hyperplane can move, without a redundant one. With w = s (sinh a,
// cosh a · u) and the point P = (cosh a, sinh a · u) of the hyperplane nearest to the origin,
//
//     w(δ) = w + s (δ_0 P + δ_1 w/s + δ_2 e_2 + … + δ_n e_n),   e_i a basis of u's complement:
//
// to first order δ_0 moves a, δ_1 moves log s and the others turn u; every w*x is linear in δ, and
// products and derivatives keep their digits far from the origin, as in kernel.hpp.
#pragma once

#include <cmath>
#include <vector>

#include "dense.hpp"
#include "kernel.hpp"

namespace hyplane {

// Near points only. The hyperplane is turned so that a >= 0.
class Frame {
  public:
    Frame(const Points& points, const Hyperplane& plane)
        : points_(points), orientation(plane.offset < 0.0 ? -1.0 : 1.0),
          offset(std::abs(plane.offset)), log_scale(plane.log_scale), normal_(plane.normal) {
        for (double& u : normal_) u *= orientation;
        // The reflection that takes u to ± the first axis; its other columns are the e_i.
        mirror_ = normal_;
        mirror_[0] += std::copysign(1.0, normal_[0]);
        half_square_ = 0.5 * dot(mirror_, mirror_);
        grow_ = std::exp(offset);
        sinh_ = std::sinh(offset);
        cosh_ = std::cosh(offset);
    }

    std::size_t size() const { return points_.n_dim + 1; }

    // y w*x of every row; a label of 0 gives 0.
    void products(const std::int8_t* labels, Vector& out) const {
        out.resize(points_.n_blocks() * rows_per_block);
        for (std::size_t b = 0; b < points_.n_blocks(); ++b)
            block_products(points_.block(b), labels + b * rows_per_block, &out[b * rows_per_block]);
    }

    // d(-y w*x) / dδ of the chosen rows.
    void derivatives(const std::vector<std::size_t>& rows, const std::int8_t* labels,
                     Columns& out) const {
        const std::size_t n = points_.n_dim, count = rows.size();
        Vector lever(count), along(count, 0.0), half(count, 0.0), v(count);
        std::vector<const double*> first(count);
        for (std::size_t k = 0; k < count; ++k)
            first[k] = points_.block(rows[k] / rows_per_block) + rows[k] % rows_per_block;
        const auto gather = [&](std::size_t column) {
            for (std::size_t k = 0; k < count; ++k) v[k] = first[k][column * rows_per_block];
        };
        const double s = orientation * std::exp(log_scale);
        for (std::size_t c = 0; c < n; ++c) {
            gather(c + 1);
            const double u = normal_[c], m = mirror_[c] / half_square_;
            double* line = out.line(c == 0 ? 0 : c + 1);  // line 0 is written again below
            for (std::size_t k = 0; k < count; ++k) {
                line[k] = v[k] - u;
                half[k] += 0.5 * line[k] * line[k];
                along[k] += m * line[k];
            }
        }
        gather(0);
        for (std::size_t k = 0; k < count; ++k) {
            const double up = std::sqrt(v[k]), y = -s * labels[rows[k]];
            const double sinh_r = 0.5 * (up - 1.0 / up);
            const double rise = 0.5 * grow_ / up, fall = 0.5 * up / grow_;
            out.line(0)[k] = y * (rise + fall + sinh_ * half[k] * sinh_r);
            out.line(1)[k] = y * (rise - fall + cosh_ * half[k] * sinh_r);
            lever[k] = -y * sinh_r;
        }
        for (std::size_t c = 1; c < n; ++c) {
            double* line = out.line(c + 1);
            for (std::size_t k = 0; k < count; ++k)
                line[k] = lever[k] * (line[k] - along[k] * mirror_[c]);
        }
    }

    // w(t δ) within |a| <= bound; false where it is no hyperplane.
    bool moved(const Vector& delta, double t, double bound, Hyperplane& out) const {
        const std::size_t n = points_.n_dim;
        const double along = 1.0 + t * delta[1], lift = t * delta[0];
        Vector side(n, 0.0);
        for (std::size_t c = 1; c < n; ++c) side[c] = t * delta[c + 1];
        const double square = along * along + dot(side, side) - lift * lift;
        if (!(along > 0.05) || !(square > 0.01 * along * along)) return false;
        const double reflected = dot(mirror_, side) / half_square_;
        const double length = along * cosh_ + lift * sinh_;
        out.normal.resize(n);
        for (std::size_t c = 0; c < n; ++c)
            out.normal[c] = length * normal_[c] + side[c] - reflected * mirror_[c];
        const double size = std::sqrt(dot(out.normal, out.normal));
        if (!(size > 0.0) || !std::isfinite(size)) return false;
        for (double& u : out.normal) u *= orientation / size;
        const double a = std::asinh((along * sinh_ + lift * cosh_) / std::sqrt(square));
        out.offset = orientation * std::max(-bound, std::min(bound, a));
        out.log_scale = log_scale + 0.5 * std::log(square);
        return true;
    }

  private:
    void block_products(const double* block, const std::int8_t* label, double* out) const {
        double chord[rows_per_block] = {};
        for (std::size_t c = 0; c < points_.n_dim; ++c) {
            const double* v = block + (c + 1) * rows_per_block;
            const double u = normal_[c];
#pragma omp simd
            for (std::size_t j = 0; j < rows_per_block; ++j) chord[j] += (v[j] - u) * (v[j] - u);
        }
        const double s = orientation * std::exp(log_scale);
        for (std::size_t j = 0; j < rows_per_block; ++j) {
            const double up = std::sqrt(block[j]), down = 1.0 / up;
            const double swing = 0.25 * cosh_ * chord[j] * (up - down);
            out[j] = s * label[j] * (0.5 * grow_ * down - 0.5 * up / grow_ + swing);
        }
    }

    const Points& points_;

  public:
    const double orientation, offset, log_scale;

  private:
    Vector normal_, mirror_;
    double half_square_, grow_, sinh_, cosh_;
};

}  // namespace hyplane
