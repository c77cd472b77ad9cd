// One binary soft-margin problem as an unconstrained function of a vector, smooth except at kinks:
//
//     minimise  ½ s² + C Σ c_j max(0, arsinh 1 - arsinh(y_j w*x_j)),   w = s (sinh a, cosh a · u),
//
// in θ = (log s, α, p) with a = R sin(α / R) and u = p / |p|. R is the radius of the ball around
// the origin that holds the points: |a| <= R says that the hyperplane meets this ball, without
// which the infimum need not be attained. The sine makes a minimum on that bound an ordinary
// stationary point.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "row_pass.hpp"

namespace hyplane {

struct Problem {
    const PackedPoints& points;
    const std::int8_t* labels;  // +1, -1, or 0 for a row that does not count; one per packed row
    const double* weights;      // or null
    double C;
    mutable std::size_t n_evaluations = 0;

    std::size_t n_parameters() const { return points.n_dim + 2; }
    double weight(std::size_t row) const { return weights == nullptr ? 1.0 : weights[row]; }

    Hyperplane hyperplane(const Vector& theta) const {
        const double bound = points.largest_radius;
        Hyperplane plane;
        plane.log_scale = theta[0];
        plane.offset = bound > 0.0 ? bound * std::sin(theta[1] / bound) : 0.0;
        plane.normal.assign(theta.begin() + 2, theta.end());
        double length = 0.0;
        for (double p : plane.normal) length += p * p;
        length = std::sqrt(length);
        for (double& p : plane.normal) p /= length;
        return plane;
    }

    Vector parameters(const Hyperplane& plane) const {
        const double bound = points.largest_radius;
        Vector theta = {plane.log_scale, 0.0};
        if (bound > 0.0)
            theta[1] = bound * std::asin(std::max(-1.0, std::min(1.0, plane.offset / bound)));
        theta.insert(theta.end(), plane.normal.begin(), plane.normal.end());
        return theta;
    }

    // The objective and its gradient in (log s, a, u); the latter not yet tangential to the sphere.
    double at_hyperplane(const Hyperplane& plane, double& d_log_scale, double& d_offset,
                         Vector& d_normal) const {
        ++n_evaluations;
        const OrientedHyperplane oriented(plane);
        const Sums sums = sums_over_rows(points, labels, weights, oriented);
        const double squared_scale = std::exp(2.0 * plane.log_scale);
        d_log_scale = squared_scale - C * sums.scale;
        d_offset = -C * oriented.orientation * sums.offset;
        d_normal.resize(points.n_dim);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            d_normal[c] = -C * oriented.orientation * sums.direction[c];
        return 0.5 * squared_scale + C * sums.loss;
    }

    double operator()(const Vector& theta, Vector& gradient) const {
        const Hyperplane plane = hyperplane(theta);
        double d_log_scale, d_offset;
        Vector d_normal;
        const double value = at_hyperplane(plane, d_log_scale, d_offset, d_normal);
        const double bound = points.largest_radius;
        gradient.resize(n_parameters());
        gradient[0] = d_log_scale;
        gradient[1] = bound > 0.0 ? d_offset * std::cos(theta[1] / bound) : 0.0;
        double along = 0.0, length = 0.0;
        for (std::size_t c = 0; c < points.n_dim; ++c) {
            along += d_normal[c] * plane.normal[c];
            length += theta[c + 2] * theta[c + 2];
        }
        length = std::sqrt(length);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            gradient[c + 2] = (d_normal[c] - along * plane.normal[c]) / length;
        return value;
    }

    // How finely double precision resolves the objective at a hyperplane: by how much it can change
    // where log s, a, each entry of u, and each term of each product move by one unit in the last
    // place. Rows that such a change could bring below their margin count too. It is at least one
    // unit in the last place of the range of the objective, C Σ c arsinh 1 (the value as s -> 0).
    double resolution(const Hyperplane& plane) const {
        constexpr double unit = std::numeric_limits<double>::epsilon();
        const OrientedHyperplane at(plane);
        const NearProduct near(at);
        const FarProduct far(at);
        const double log_scale = std::abs(plane.log_scale), margin = std::log(one_plus_sqrt2);
        double total = std::exp(2.0 * plane.log_scale) * (0.5 + log_scale) / C;
        double range = 0.0;
        for (std::size_t row = 0; row < points.n_rows; ++row) {
            const double y = at.orientation * labels[row];
            if (y == 0.0) continue;
            const double chord = squared_chord(points, row, at.normal);
            double turned = 0.0;  // Σ |u_k (v_k - u_k)|
            for (std::size_t k = 0; k < points.n_dim; ++k)
                turned += std::abs(at.normal[k] * (points.at(row, k + 1) - at.normal[k]));
            double t, moved;
            if (points.far) {
                const FarProduct::Row each = far.at(points.at(row, 0), chord);
                t = each.t;
                moved = each.size_of_terms + log_scale * std::abs(each.by_log_scale) +
                        at.offset * each.by_offset + turned * std::abs(each.by_direction);
            } else {
                const double E2 = points.at(row, 0), Z = near.value(E2, chord);
                t = std::asinh(Z / std::sqrt(E2));
                moved = (near.size_of_terms(E2, chord) + log_scale * std::abs(Z) +
                         at.offset * near.by_offset(E2, chord) +
                         turned * (E2 - 1.0) * std::abs(near.by_direction())) /
                        std::sqrt(E2 + Z * Z);
            }
            const double loss = margin - y * t;
            if (loss > -unit * moved) total += weight(row) * (moved + std::abs(loss));
            range += weight(row) * margin;
        }
        return unit * C * std::max(total, range);
    }
};

}  // namespace hyplane
