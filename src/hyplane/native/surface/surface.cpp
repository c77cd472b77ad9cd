#include "surface.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace hyplane {

namespace {

// Divides a vector by its length, which is returned; a vector of length 0 stays.
double make_unit(Vector& v) {
    const double length = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    if (length > 0.0)
        for (double& each : v) each /= length;
    return length;
}

}  // namespace

Surface::Surface(Vector vector, double level, double level_less_1, double side)
    : w(std::move(vector)),
      c(level),
      c_less_1(level_less_1),
      sign(side),
      normal(w.begin() + 1, w.end()),
      length(make_unit(normal)),
      square(c_less_1 * (c + 1.0)),
      gap(square / (w[0] + length)),
      log_1_plus_c(std::log1p(c)) {}

SurfaceAt::SurfaceAt(SurfaceKind kind, double sign, const double* theta, std::size_t n_dim)
    : level_in_unit_(kind == SurfaceKind::any),
      n_dim_(n_dim),
      unit_(theta + 1, theta + n_surface_parameters(kind, n_dim)),
      sign_(sign) {
    const double first = theta[0], length = make_unit(unit_);
    if (kind == SurfaceKind::any) {
        sign_ = first >= 0.0 ? 1.0 : -1.0;
        p_ = q_by_first_ = sign_ * std::sinh(first);
        q_ = p_by_first_ = sign_ * std::cosh(first);
        c_ = q_ * unit_[n_dim];
        c_less_1_ = c_ - 1.0;
        q_per_length_ = q_ / length;
    } else if (kind == SurfaceKind::horosphere) {
        p_ = q_ = std::exp(-first);
        p_by_first_ = q_by_first_ = -p_;
        c_ = 1.0;
        c_less_1_ = 0.0;
        q_per_length_ = q_ / length;
    } else {
        if (length == 0.0) unit_[0] = 1.0;  // at the origin every direction will do
        const double radius = std::exp(first), sinh = std::sinh(radius);
        p_ = q_by_length_ = std::cosh(length) / sinh;
        q_ = p_by_length_ = std::sinh(length) / sinh;
        c_ = 1.0 / std::tanh(radius);
        c_less_1_ = 2.0 / std::expm1(2.0 * radius);
        p_by_first_ = -radius * c_ * p_;
        q_by_first_ = -radius * c_ * q_;
        c_by_first_ = -radius / sinh / sinh;
        q_per_length_ = length > 0.0 ? q_ / length : 1.0 / sinh;
    }
}

Surface SurfaceAt::surface() const {
    Vector w = {p_};
    for (std::size_t k = 0; k < n_dim_; ++k) w.push_back(q_ * unit_[k]);
    return {std::move(w), c_, c_less_1_, sign_};
}

void SurfaceAt::pull_back(const Vector& by_w, double by_c, double* out) const {
    Vector by_unit(by_w.begin() + 1, by_w.end());
    if (level_in_unit_) by_unit.push_back(by_c);
    const double along = std::inner_product(unit_.begin(), unit_.end(), by_unit.begin(), 0.0);
    out[0] = by_w[0] * p_by_first_ + along * q_by_first_ + by_c * c_by_first_;
    const double outward = by_w[0] * p_by_length_ + along * q_by_length_;
    for (std::size_t k = 0; k < unit_.size(); ++k)
        out[k + 1] = q_per_length_ * (by_unit[k] - along * unit_[k]) + outward * unit_[k];
}

}  // namespace hyplane
