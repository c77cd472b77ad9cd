// Surfaces w*x = c of constant curvature, and the parameters that a descent varies.
#pragma once

#include <cstddef>
#include <vector>

namespace hyplane {

using Vector = std::vector<double>;

// Scaled to c² - w*w = 1 and turned to w0 >= 0. Then c < 1 is an equidistant of a hyperplane, c = 1
// a horosphere and c > 1 a sphere. c - 1 is kept beside c: it has the digits of a large sphere.
struct Surface {
    Vector w;
    double c, c_less_1, sign;  // the positive side is that of sign (w*x - c) > 0
    // w = (w0, length · normal), square = c² - 1 = w*w, and gap = w0 - length without cancellation.
    Vector normal;
    double length, square, gap, log_1_plus_c;

    Surface(Vector vector, double level, double level_less_1, double side);
};

enum class SurfaceKind { any, horosphere, sphere };

inline std::size_t n_surface_parameters(SurfaceKind kind, std::size_t n_dim) {
    return n_dim + (kind == SurfaceKind::any ? 2 : 1);
}

// The surface of some parameters, one number and a vector v, whose direction is u:
//
//   any          (a, v):      w = ±(sinh a, cosh a · u), c = ±cosh a · u', where (u, u') = v / |v|
//   horosphere   (b, v):      w = e^-b (1, u), c = 1
//   sphere       (log ρ, v):  w = (cosh |v|, sinh |v| · u) / sinh ρ, c = coth ρ
//
// All have the form w = (p, q u), of which p, q and c have simple derivatives.
class SurfaceAt {
  public:
    SurfaceAt(SurfaceKind kind, double sign, const double* theta, std::size_t n_dim);
    Surface surface() const;
    // The gradient by the parameters from that by w and c.
    void pull_back(const Vector& by_w, double by_c, double* out) const;

  private:
    bool level_in_unit_;  // c is q times the last entry of the unit vector
    std::size_t n_dim_;
    Vector unit_;
    double sign_, p_, q_, c_, c_less_1_;
    double p_by_first_, q_by_first_, c_by_first_ = 0.0;
    double p_by_length_ = 0.0, q_by_length_ = 0.0, q_per_length_;
};

}  // namespace hyplane
