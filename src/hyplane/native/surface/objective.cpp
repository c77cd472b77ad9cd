#include "objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hyplane {

SurfaceRows::SurfaceRows(const double* radii, const double* units, std::size_t rows,
                         std::size_t dim)
    : n_rows(rows),
      n_dim(dim),
      radius(radii, radii + rows),
      small(rows),
      directions(units, units + rows * dim) {
    for (std::size_t row = 0; row < rows; ++row) small[row] = std::exp(-radii[row]);
}

namespace {

// z e^-r with the digits that w0 cosh r - length sinh r (normal · v) loses: the product of
// kernels/product.hpp, where gap and w0 + length stand for sinh a - cosh a and sinh a + cosh a.
double product_of(const SurfaceRows& rows, std::size_t row, const Surface& surface) {
    const double* const v = rows.directions.data() + row * rows.n_dim;
    const double square = rows.small[row] * rows.small[row];  // e^-2r
    double chord = 0.0;
    for (std::size_t k = 0; k < rows.n_dim; ++k)
        chord += (v[k] - surface.normal[k]) * (v[k] - surface.normal[k]);
    return 0.5 * (surface.gap + (surface.w[0] + surface.length) * square) +
           0.25 * surface.length * (1.0 - square) * chord;
}

// The signed distance, log(z + sqrt(z² - σ)) - log(1 + c) with z = w*x and σ = c² - 1, and its
// derivatives by z e^-r and by c.
struct Distance {
    double value, by_product, by_c;
};

Distance distance_of(const SurfaceRows& rows, std::size_t row, const Surface& surface) {
    // The distance from the centre of a sphere has a kink there; derivatives closer than this are
    // capped.
    constexpr double nearest_centre = 1e-9;
    constexpr double tiny = std::numeric_limits<double>::min();
    const double product = product_of(rows, row, surface);
    const double small = rows.small[row], square = surface.square;
    const double limit = std::max(nearest_centre * small, tiny);
    const double root =
        std::sqrt(std::max(product * product - square * small * small, limit * limit));
    const double total = std::max(std::abs(product) + root, tiny);
    double height = rows.radius[row] + std::log(total);
    double by_square = -0.5 * small * small / (root * total);
    if (product < 0.0 && square < 0.0) {
        height = std::log(-square) - height;
        by_square = 0.5 * total / (root * square);
    }
    return {surface.sign * (height - surface.log_1_plus_c), surface.sign / root,
            surface.sign * (2.0 * surface.c * by_square - 1.0 / (1.0 + surface.c))};
}

// Add a multiple of the gradient of z e^-r by w.
void add_gradient(const SurfaceRows& rows, std::size_t row, double factor, Vector& by_w) {
    const double square = rows.small[row] * rows.small[row];
    const double pull = 0.5 * factor * (1.0 - square);
    by_w[0] += 0.5 * factor * (1.0 + square);
    for (std::size_t k = 0; k < rows.n_dim; ++k)
        by_w[k + 1] -= pull * rows.directions[row * rows.n_dim + k];
}

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

}  // namespace

Vector scores(const SurfaceRows& rows, const Surface& surface, double log_scale) {
    const bool constant =
        std::all_of(surface.w.begin(), surface.w.end(), [](double each) { return each == 0.0; });
    Vector out;
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const double distance = constant ? surface.sign : distance_of(rows, row, surface).value;
        out.push_back(HyperbolicScore(log_scale, distance).value);
    }
    return out;
}

SurfaceObjective::SurfaceObjective(SurfaceRows rows, Vector signed_weights, double reach)
    : rows_(std::move(rows)),
      signed_weights_(std::move(signed_weights)),
      reach_(reach),
      origin_(Vector(1, 0.0).data(), Vector(rows_.n_dim, 0.0).data(), 1, rows_.n_dim) {
    for (double each : signed_weights_) total_weight_ += std::abs(each);
}

double SurfaceObjective::operator()(SurfaceKind kind, double sign, const Vector& theta,
                                    Vector& gradient) const {
    gradient.assign(theta.size(), 0.0);
    constexpr double no_surface = std::numeric_limits<double>::infinity(), largest = 300.0;
    for (double each : theta)
        if (!(std::abs(each) < largest)) return no_surface;
    const SurfaceAt at(kind, sign, theta.data() + 1, n_dim());
    const Surface surface = at.surface();
    if (!(surface.c > -1.0)) return no_surface;
    const double log_scale = theta[0], square = std::exp(2.0 * log_scale);
    const double margin = std::asinh(1.0);
    double value = 0.5 * square, by_log_scale = square, by_c = 0.0;
    Vector by_w(n_dim() + 1, 0.0);
    const auto pull = [&](const SurfaceRows& rows, std::size_t row, const Distance& distance,
                          double weight) {
        add_gradient(rows, row, weight * distance.by_product, by_w);
        by_c += weight * distance.by_c;
    };
    for (std::size_t row = 0; row < signed_weights_.size(); ++row) {
        const double weight = std::abs(signed_weights_[row]);
        if (weight == 0.0) continue;
        const double y = std::copysign(1.0, signed_weights_[row]);
        const Distance distance = distance_of(rows_, row, surface);
        const HyperbolicScore score(log_scale, distance.value);
        const double loss = margin - y * score.value;
        if (!(loss > 0.0)) {
            if (std::isnan(loss)) return no_surface;
            continue;
        }
        value += weight * loss;
        by_log_scale -= weight * y * score.by_log_scale;
        pull(rows_, row, distance, -weight * y * score.by_distance);
    }
    const Distance from_origin = distance_of(origin_, 0, surface);
    const double excess = std::abs(from_origin.value) - reach_;
    if (excess > 0.0) {
        value += total_weight_ * excess;
        pull(origin_, 0, from_origin, std::copysign(total_weight_, from_origin.value));
    }
    gradient[0] = by_log_scale;
    at.pull_back(by_w, by_c, gradient.data() + 1);
    bool finite = std::isfinite(value);
    for (double each : gradient) finite = finite && std::isfinite(each);
    if (finite) return value;
    gradient.assign(theta.size(), 0.0);
    return no_surface;
}

}  // namespace hyplane
