// Surfaces w*x = c as points of a chart.
#pragma once

#include <cmath>
#include <cstddef>

#include "../linalg/dense.hpp"

namespace hyplane {

// Scaled to c² - w*w = 1 and turned to w0 >= 0. Then c < 1 is an equidistant of a hyperplane, c = 1 a
// horosphere and c > 1 a sphere. c - 1 is kept beside c: for a large sphere it is what says how large.
struct Surface {
    Vector w;
    double c = 0.0, c_less_1 = -1.0, sign = 1.0;  // the positive side is that of sign (w*x - c) > 0
    // w = (w0, l · normal), c² - 1 = w*w, and w0 - l, which is not taken from a difference.
    Vector normal;
    double length = 0.0, square = 0.0, gap = 0.0;

    // To be called once w, c and c - 1 are set.
    void complete() {
        normal.assign(w.begin() + 1, w.end());
        length = std::sqrt(dot(normal, normal));
        if (length > 0.0)
            for (double& u : normal) u /= length;
        square = c_less_1 * (c + 1.0);
        gap = square / (w[0] + length);
    }
};

enum class SurfaceKind { any, horosphere, sphere };

// A surface with the map that takes gradients by w and c to gradients by the parameters:
//
//   any          (a, v):      w = (sinh a, cosh a · u), where (u, c / cosh a) = v / |v|
//   horosphere   (b, v):      w = e^-b (1, v / |v|), c = 1
//   sphere       (log ρ, v):  w = p / sinh ρ, c = coth ρ, p the exponential of v at the origin
class SurfaceAt {
  public:
    Surface surface;

    SurfaceAt(SurfaceKind kind, double sign, const double* theta, std::size_t n_dim)
        : kind_(kind), first_(theta[0]), unit_(theta + 1, theta + 1 + n_dim + (kind == SurfaceKind::any)) {
        length_ = std::sqrt(dot(unit_, unit_));
        if (length_ > 0.0)
            for (double& u : unit_) u /= length_;
        else if (kind_ == SurfaceKind::sphere)
            unit_[0] = 1.0;  // at the origin every direction will do
        surface.w.assign(n_dim + 1, 0.0);
        surface.sign = sign;
        if (kind_ == SurfaceKind::any)
            set_any();
        else if (kind_ == SurfaceKind::horosphere)
            set_horosphere();
        else
            set_sphere();
        surface.complete();
    }

    void pull_back(const Vector& by_w, double by_c, double* out) const {
        if (kind_ == SurfaceKind::any)
            pull_back_any(by_w, by_c, out);
        else if (kind_ == SurfaceKind::horosphere)
            pull_back_horosphere(by_w, out);
        else
            pull_back_sphere(by_w, by_c, out);
    }

  private:
    std::size_t n_dim() const { return surface.w.size() - 1; }

    // A vector of space without its part along the unit vector, times a factor.
    void across(const double* by_unit, double factor, double* out) const {
        double along = 0.0;
        for (std::size_t k = 0; k < unit_.size(); ++k) along += by_unit[k] * unit_[k];
        for (std::size_t k = 0; k < unit_.size(); ++k)
            out[k] = factor * (by_unit[k] - along * unit_[k]);
    }

    void set_any() {
        sinh_ = std::sinh(first_);
        cosh_ = std::cosh(first_);
        surface.sign = first_ >= 0.0 ? 1.0 : -1.0;
        surface.w[0] = surface.sign * sinh_;
        for (std::size_t k = 0; k < n_dim(); ++k)
            surface.w[k + 1] = surface.sign * cosh_ * unit_[k];
        surface.c = surface.sign * cosh_ * unit_[n_dim()];
        surface.c_less_1 = surface.c - 1.0;
    }

    void pull_back_any(const Vector& by_w, double by_c, double* out) const {
        Vector by_unit(by_w.begin() + 1, by_w.end());
        by_unit.push_back(by_c);
        for (double& each : by_unit) each *= surface.sign;
        out[0] = surface.sign * by_w[0] * cosh_ + sinh_ * dot(by_unit, unit_);
        across(by_unit.data(), cosh_ / length_, out + 1);
    }

    void set_horosphere() {
        const double size = std::exp(-first_);
        surface.w[0] = size;
        for (std::size_t k = 0; k < n_dim(); ++k) surface.w[k + 1] = size * unit_[k];
        surface.c = 1.0;
        surface.c_less_1 = 0.0;
    }

    void pull_back_horosphere(const Vector& by_w, double* out) const {
        out[0] = -dot(by_w, surface.w);
        across(by_w.data() + 1, surface.w[0] / length_, out + 1);
    }

    void set_sphere() {
        const double radius = std::exp(first_);
        sinh_ = std::sinh(radius);
        surface.w[0] = std::cosh(length_) / sinh_;
        for (std::size_t k = 0; k < n_dim(); ++k)
            surface.w[k + 1] = std::sinh(length_) * unit_[k] / sinh_;
        surface.c_less_1 = 2.0 / std::expm1(2.0 * radius);
        surface.c = 1.0 / std::tanh(radius);
    }

    void pull_back_sphere(const Vector& by_w, double by_c, double* out) const {
        out[0] = -std::exp(first_) * (surface.c * dot(by_w, surface.w) + by_c / sinh_ / sinh_);
        double along = 0.0;
        for (std::size_t k = 0; k < n_dim(); ++k) along += by_w[k + 1] * unit_[k];
        const double stretch = length_ > 0.0 ? std::sinh(length_) / length_ : 1.0;
        across(by_w.data() + 1, stretch / sinh_, out + 1);
        const double outward =
            (by_w[0] * std::sinh(length_) + std::cosh(length_) * along) / sinh_;
        for (std::size_t k = 0; k < n_dim(); ++k) out[k + 1] += outward * unit_[k];
    }

    SurfaceKind kind_;
    double first_, length_ = 0.0, sinh_ = 0.0, cosh_ = 0.0;
    Vector unit_;
};

}  // namespace hyplane
