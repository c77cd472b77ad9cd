// The soft-margin objective with surfaces of constant curvature in the place of hyperplanes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "../linalg/dense.hpp"
#include "charts.hpp"

namespace hyplane {

// Points as e^-r x, which is finite at any radius.
class SurfaceRows {
  public:
    SurfaceRows(std::size_t n_dim) : n_dim_(n_dim) {}

    void add(double radius, const double* direction) {
        radius_.push_back(radius);
        small_.push_back(std::exp(-radius));
        directions_.insert(directions_.end(), direction, direction + n_dim_);
    }

    std::size_t n_dim() const { return n_dim_; }

    // The signed distance, log(z + sqrt(z² - σ)) - log(1 + c) with z = w*x and σ = c² - 1, and its
    // derivatives by z e^-r and by c.
    struct Distance {
        double value, by_product, by_c;
    };

    Distance distance(std::size_t row, const Surface& surface) const {
        // The distance from the centre of a sphere has a kink there; derivatives closer than this are
        // capped.
        constexpr double nearest_centre = 1e-9;
        constexpr double tiny = std::numeric_limits<double>::min();
        const double small = small_[row], square = surface.square, product = this->product(row, surface);
        const double limit = std::max(nearest_centre * small, tiny);
        const double root =
            std::sqrt(std::max(product * product - square * small * small, limit * limit));
        const double total = std::max(std::abs(product) + root, tiny);
        double height = radius_[row] + std::log(total);
        double by_square = -0.5 * small * small / (root * total);
        if (product < 0.0 && square < 0.0) {
            height = std::log(-square) - height;
            by_square = 0.5 * total / (root * square);
        }
        return {surface.sign * (height - std::log1p(surface.c)), surface.sign / root,
                surface.sign * (2.0 * surface.c * by_square - 1.0 / (1.0 + surface.c))};
    }

    // Add a multiple of the gradient of z e^-r by w.
    void add_gradient(std::size_t row, double factor, Vector& by_w) const {
        const double twice = small_[row] * small_[row];
        by_w[0] += factor * 0.5 * (1.0 + twice);
        const double pull = factor * 0.5 * (1.0 - twice);
        for (std::size_t k = 0; k < n_dim_; ++k)
            by_w[k + 1] -= pull * directions_[row * n_dim_ + k];
    }

  private:
    // z e^-r, without the cancellation of w0 cosh r - l sinh r (normal · v): see objective/points.hpp.
    double product(std::size_t row, const Surface& surface) const {
        const double* v = directions_.data() + row * n_dim_;
        const double twice = small_[row] * small_[row];
        double chord = 0.0;
        for (std::size_t k = 0; k < n_dim_; ++k)
            chord += (v[k] - surface.normal[k]) * (v[k] - surface.normal[k]);
        return 0.5 * (surface.gap + (surface.w[0] + surface.length) * twice) +
               0.25 * surface.length * (1.0 - twice) * chord;
    }

    std::size_t n_dim_;
    Vector directions_, small_, radius_;
};

// arsinh(s sinh D) and its derivatives, at any distance.
struct HyperbolicScore {
    double value, by_distance, by_log_scale;

    HyperbolicScore(double log_scale, double distance) {
        const double size = std::abs(distance), once = std::exp(-size);
        const double sinh = -0.5 * std::expm1(-2.0 * size), cosh = 0.5 * (1.0 + once * once);
        const double root = std::max(std::hypot(once * std::exp(-log_scale), sinh),
                                     std::numeric_limits<double>::min());
        // log(s sinh D + sqrt(1 + s² sinh² D)), with s e^|D| taken out.
        value = std::copysign(std::log(sinh + root) + size + log_scale, distance);
        by_distance = cosh / root;
        by_log_scale = std::copysign(sinh / root, distance);
    }
};

// ½ s² + Σ c_j max(0, arsinh 1 - y_j arsinh(s sinh D(x_j))), C taken into the weights c_j. The surface
// has to meet the ball of the points: an exact penalty on its distance from the origin sees to it.
class SurfaceObjective {
  public:
    SurfaceObjective(SurfaceRows rows, Vector signed_weights, double reach)
        : rows_(std::move(rows)), signed_weights_(std::move(signed_weights)), reach_(reach),
          origin_(rows_.n_dim()) {
        const Vector any_direction(rows_.n_dim(), 0.0);
        origin_.add(0.0, any_direction.data());
        for (double each : signed_weights_) total_ += std::abs(each);
    }

    std::size_t n_dim() const { return rows_.n_dim(); }

    // At θ = (log s, parameters of the chart). Infinite where there is no such surface, or where its
    // numbers leave the doubles.
    double operator()(SurfaceKind kind, double sign, const Vector& theta, Vector& gradient) const {
        gradient.assign(theta.size(), 0.0);
        constexpr double nowhere = std::numeric_limits<double>::infinity(), largest = 300.0;
        for (double each : theta)
            if (!(std::abs(each) < largest)) return nowhere;
        const SurfaceAt at(kind, sign, theta.data() + 1, n_dim());
        if (!(at.surface.c > -1.0)) return nowhere;
        const double log_scale = theta[0], square = std::exp(2.0 * log_scale);
        const double margin = std::asinh(1.0);
        double value = 0.5 * square, by_log_scale = square, by_c = 0.0;
        Vector by_w(n_dim() + 1, 0.0);
        const auto pull = [&](const SurfaceRows& rows, std::size_t row,
                              const SurfaceRows::Distance& distance, double weight) {
            rows.add_gradient(row, weight * distance.by_product, by_w);
            by_c += weight * distance.by_c;
        };
        for (std::size_t row = 0; row < signed_weights_.size(); ++row) {
            const double weight = std::abs(signed_weights_[row]);
            if (weight == 0.0) continue;
            const double y = std::copysign(1.0, signed_weights_[row]);
            const SurfaceRows::Distance distance = rows_.distance(row, at.surface);
            const HyperbolicScore score(log_scale, distance.value);
            const double loss = margin - y * score.value;
            if (!(loss > 0.0)) {
                if (std::isnan(loss)) return nowhere;
                continue;
            }
            value += weight * loss;
            by_log_scale -= weight * y * score.by_log_scale;
            pull(rows_, row, distance, -weight * y * score.by_distance);
        }
        const SurfaceRows::Distance from_origin = origin_.distance(0, at.surface);
        const double excess = std::abs(from_origin.value) - reach_;
        if (excess > 0.0) {
            value += total_ * excess;
            pull(origin_, 0, from_origin, std::copysign(total_, from_origin.value));
        }
        gradient[0] = by_log_scale;
        at.pull_back(by_w, by_c, gradient.data() + 1);
        bool finite = std::isfinite(value);
        for (double each : gradient) finite = finite && std::isfinite(each);
        if (finite) return value;
        gradient.assign(theta.size(), 0.0);
        return nowhere;
    }

  private:
    SurfaceRows rows_;
    Vector signed_weights_;
    double reach_, total_ = 0.0;
    SurfaceRows origin_;
};

}  // namespace hyplane
