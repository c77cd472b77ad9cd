#include "objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hyplane {

SurfaceRows::SurfaceRows(const double* radius, const double* directions, std::size_t n_rows,
                         std::size_t n_dim)
    : n_dim_(n_dim), radius_(radius, radius + n_rows), small_(n_rows),
      directions_(directions, directions + n_rows * n_dim) {
    for (std::size_t row = 0; row < n_rows; ++row) small_[row] = std::exp(-radius[row]);
}

// z e^-r with the digits that w0 cosh r - length sinh r (normal · v) loses: the product of
// objective/points.hpp, where gap and w0 + length stand for sinh a - cosh a and sinh a + cosh a.
double SurfaceRows::product(std::size_t row, const Surface& surface) const {
    const double* const v = directions_.data() + row * n_dim_;
    const double square = small_[row] * small_[row];  // e^-2r
    double chord = 0.0;
    for (std::size_t k = 0; k < n_dim_; ++k)
        chord += (v[k] - surface.normal[k]) * (v[k] - surface.normal[k]);
    return 0.5 * (surface.gap + (surface.w[0] + surface.length) * square) +
           0.25 * surface.length * (1.0 - square) * chord;
}

SurfaceRows::Distance SurfaceRows::distance(std::size_t row, const Surface& surface) const {
    // The distance from the centre of a sphere has a kink there; derivatives closer than this are
    // capped.
    constexpr double nearest_centre = 1e-9;
    constexpr double tiny = std::numeric_limits<double>::min();
    const double product = this->product(row, surface);
    const double small = small_[row], square = surface.square;
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

void SurfaceRows::add_gradient(std::size_t row, double factor, Vector& by_w) const {
    const double square = small_[row] * small_[row];
    const double pull = 0.5 * factor * (1.0 - square);
    by_w[0] += 0.5 * factor * (1.0 + square);
    for (std::size_t k = 0; k < n_dim_; ++k) by_w[k + 1] -= pull * directions_[row * n_dim_ + k];
}

HyperbolicScore::HyperbolicScore(double log_scale, double distance) {
    const double size = std::abs(distance), once = std::exp(-size);
    const double sinh = -0.5 * std::expm1(-2.0 * size), cosh = 0.5 * (1.0 + once * once);
    const double root = std::max(std::hypot(once * std::exp(-log_scale), sinh),
                                 std::numeric_limits<double>::min());
    // log(s sinh D + sqrt(1 + s² sinh² D)), with s e^|D| taken out.
    value = std::copysign(std::log(sinh + root) + size + log_scale, distance);
    by_distance = cosh / root;
    by_log_scale = std::copysign(sinh / root, distance);
}

Vector scores(const SurfaceRows& rows, const Surface& surface, double log_scale) {
    const bool constant =
        std::all_of(surface.w.begin(), surface.w.end(), [](double each) { return each == 0.0; });
    Vector out;
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
        const double distance = constant ? surface.sign : rows.distance(row, surface).value;
        out.push_back(HyperbolicScore(log_scale, distance).value);
    }
    return out;
}

SurfaceObjective::SurfaceObjective(SurfaceRows rows, Vector signed_weights, double reach)
    : rows_(std::move(rows)), signed_weights_(std::move(signed_weights)), reach_(reach),
      origin_(Vector(1, 0.0).data(), Vector(rows_.n_dim(), 0.0).data(), 1, rows_.n_dim()) {
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
    const auto add_gradient = [&](const SurfaceRows& rows, std::size_t row,
                                  const SurfaceRows::Distance& distance, double weight) {
        rows.add_gradient(row, weight * distance.by_product, by_w);
        by_c += weight * distance.by_c;
    };
    for (std::size_t row = 0; row < signed_weights_.size(); ++row) {
        const double weight = std::abs(signed_weights_[row]);
        if (weight == 0.0) continue;
        const double y = std::copysign(1.0, signed_weights_[row]);
        const SurfaceRows::Distance distance = rows_.distance(row, surface);
        const HyperbolicScore score(log_scale, distance.value);
        const double loss = margin - y * score.value;
        if (!(loss > 0.0)) {
            if (std::isnan(loss)) return no_surface;
            continue;
        }
        value += weight * loss;
        by_log_scale -= weight * y * score.by_log_scale;
        add_gradient(rows_, row, distance, -weight * y * score.by_distance);
    }
    const SurfaceRows::Distance from_origin = origin_.distance(0, surface);
    const double excess = std::abs(from_origin.value) - reach_;
    if (excess > 0.0) {
        value += total_weight_ * excess;
        add_gradient(origin_, 0, from_origin, std::copysign(total_weight_, from_origin.value));
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
