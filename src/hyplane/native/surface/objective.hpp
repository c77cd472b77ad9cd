// The soft-margin objective with surfaces of constant curvature in the place of hyperplanes.
#pragma once

#include <cstddef>

#include "surface.hpp"

namespace hyplane {

// Points as e^-r x, which is finite at any radius.
class SurfaceRows {
  public:
    SurfaceRows(const double* radius, const double* directions, std::size_t n_rows,
                std::size_t n_dim);

    std::size_t n_rows() const { return radius_.size(); }
    std::size_t n_dim() const { return n_dim_; }

    // The signed distance, log(z + sqrt(z² - σ)) - log(1 + c) with z = w*x and σ = c² - 1, and its
    // derivatives by z e^-r and by c.
    struct Distance {
        double value, by_product, by_c;
    };
    Distance distance(std::size_t row, const Surface& surface) const;

    // Add a multiple of the gradient of z e^-r by w.
    void add_gradient(std::size_t row, double factor, Vector& by_w) const;

  private:
    double product(std::size_t row, const Surface& surface) const;

    std::size_t n_dim_;
    Vector radius_, small_, directions_;  // small = e^-r
};

// arsinh(s sinh D) and its derivatives, at any distance.
struct HyperbolicScore {
    double value, by_distance, by_log_scale;

    HyperbolicScore(double log_scale, double distance);
};

// The scores of points. A surface whose w is zero stands for the same decision everywhere, one unit
// of distance away.
Vector scores(const SurfaceRows& rows, const Surface& surface, double log_scale);

// ½ s² + Σ c_j max(0, arsinh 1 - y_j arsinh(s sinh D(x_j))), with C in the weights c_j. The surface
// has to meet the ball of radius `reach`: an exact penalty on its distance from the origin.
class SurfaceObjective {
  public:
    SurfaceObjective(SurfaceRows rows, Vector signed_weights, double reach);

    std::size_t n_dim() const { return rows_.n_dim(); }

    // At θ = (log s, parameters of the surface). Infinite where there is no such surface, or where
    // its numbers leave the doubles; the gradient is zero then.
    double operator()(SurfaceKind kind, double sign, const Vector& theta, Vector& gradient) const;

  private:
    SurfaceRows rows_;
    Vector signed_weights_;
    double reach_, total_weight_ = 0.0;
    SurfaceRows origin_;
};

}  // namespace hyplane
