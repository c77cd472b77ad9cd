// The soft-margin objective with surfaces of constant curvature in the place of hyperplanes.
#pragma once

#include <cstddef>

#include "surface.hpp"

namespace hyplane {

// Points as e^-r x, which is finite at any radius.
struct SurfaceRows {
    std::size_t n_rows, n_dim;
    Vector radius, small, directions;  // small = e^-r

    SurfaceRows(const double* radii, const double* units, std::size_t rows, std::size_t dim);
};

// arsinh(s sinh D) of points at signed distance D. A surface whose w is zero stands for the same
// decision everywhere, one unit of distance away.
Vector scores(const SurfaceRows& rows, const Surface& surface, double log_scale);

// ½ s² + Σ c_j max(0, arsinh 1 - y_j arsinh(s sinh D(x_j))), with C in the weights c_j. The surface
// has to meet the ball of radius `reach`: an exact penalty on its distance from the origin.
class SurfaceObjective {
  public:
    SurfaceObjective(SurfaceRows rows, Vector signed_weights, double reach);

    std::size_t n_dim() const { return rows_.n_dim; }

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
