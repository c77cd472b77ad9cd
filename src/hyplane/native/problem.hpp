// One binary soft-margin problem as an unconstrained smooth-but-for-kinks function of a vector:
//
//     minimise  ½ s² + C Σ c_j max(0, arsinh 1 - arsinh(y_j w*x_j)),   w = s (sinh a, cosh a · u),
//
// in θ = (log s, α, p) with a = R sin(α / R) and u = p / |p|. R is the radius of the ball around
// the origin that holds the points: |a| <= R says that the hyperplane meets this ball, without
// which the infimum need not be attained. The sine makes a minimum on that bound an ordinary
// stationary point.
#pragma once

#include <cmath>
#include <vector>

#include "kernel.hpp"

namespace hyplane {

struct Problem {
    const Points& points;
    const std::int8_t* labels;  // +1, -1, or 0 for a row that does not count; one per packed row
    const double* weights;      // or null
    double C;
    mutable std::size_t n_evaluations = 0;

    std::size_t n_parameters() const { return points.n_dim + 2; }

    Hyperplane hyperplane(const std::vector<double>& theta) const {
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

    std::vector<double> parameters(const Hyperplane& plane) const {
        const double bound = points.largest_radius;
        std::vector<double> theta = {plane.log_scale, 0.0};
        if (bound > 0.0)
            theta[1] = bound * std::asin(std::max(-1.0, std::min(1.0, plane.offset / bound)));
        theta.insert(theta.end(), plane.normal.begin(), plane.normal.end());
        return theta;
    }

    // The objective and its gradient in (log s, a, u); the latter not yet tangential to the sphere.
    double at_hyperplane(const Hyperplane& plane, double& d_log_scale, double& d_offset,
                         std::vector<double>& d_normal) const {
        ++n_evaluations;
        const double orientation = plane.offset < 0.0 ? -1.0 : 1.0;
        const double offset = std::abs(plane.offset);
        std::vector<double> normal(plane.normal);
        for (double& u : normal) u *= orientation;
        Sums sums;
        sums.direction.assign(points.n_dim, 0.0);
        if (points.far) {
            far_pass(points, labels, weights, orientation, plane.log_scale, offset, normal.data(),
                     sums);
        } else {
            const NearPlane near = {std::exp(plane.log_scale), std::cosh(offset), std::sinh(offset),
                                    std::exp(offset),          std::exp(-offset), normal.data()};
            if (weights == nullptr)
                near_pass_plain(points, labels, orientation, near, sums);
            else
                near_pass_weighted(points, labels, weights, orientation, near, sums);
        }
        const double squared_scale = std::exp(2.0 * plane.log_scale);
        d_log_scale = squared_scale - C * sums.scale;
        d_offset = -C * orientation * sums.offset;
        d_normal.resize(points.n_dim);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            d_normal[c] = -C * orientation * sums.direction[c];
        return 0.5 * squared_scale + C * sums.loss;
    }

    double operator()(const std::vector<double>& theta, std::vector<double>& gradient) const {
        const Hyperplane plane = hyperplane(theta);
        double d_log_scale, d_offset;
        std::vector<double> d_normal;
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
};

}  // namespace hyplane
