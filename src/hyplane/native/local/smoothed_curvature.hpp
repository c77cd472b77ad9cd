// A first guess of the inverse Hessian for quasi-Newton: the curvature of the objective with each
// kink spread over a band. Where many rows lie near their margin, as in large data, the sum of
// their kinks is nearly smooth, and this is its curvature.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../linalg/dense.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// d arsinh(w*x) / dθ of some rows, and how far each is from its kink.
class Slopes {
  public:
    Slopes(const Problem& problem, const Vector& theta)
        : problem_(problem), plane_(problem.hyperplane(theta)), product_(plane_) {
        const double bound = problem.points.largest_radius;
        per_alpha_ = bound > 0.0 ? std::cos(theta[1] / bound) : 0.0;
        double length = 0.0;
        for (std::size_t c = 2; c < theta.size(); ++c) length += theta[c] * theta[c];
        per_length_ = 1.0 / std::sqrt(length);
    }

    // The gradient in θ as column k of `out`; returns the loss, negative beyond the margin.
    double row(std::size_t row, std::size_t k, Columns& out) const {
        const PackedPoints& points = problem_.points;
        const std::size_t n = points.n_dim;
        const double side = plane_.orientation, y = side * problem_.labels[row];
        const double E2 = points.at(row, 0), chord = squared_chord(points, row, plane_.normal);
        const double Z = product_.value(E2, chord), shrink = y / std::sqrt(E2 + Z * Z);
        out.line(0)[k] = shrink * Z;
        out.line(1)[k] = shrink * product_.by_offset(E2, chord) * per_alpha_ * side;
        const double turn = side * shrink * product_.by_direction() * (E2 - 1.0) * per_length_;
        // The part of v - u along u is -|u - v|²/2 · u.
        for (std::size_t c = 0; c < n; ++c) {
            const double u = plane_.normal[c];
            out.line(c + 2)[k] = turn * (points.at(row, c + 1) - u + 0.5 * chord * u);
        }
        return std::asinh(1.0) - std::asinh(y * Z / std::sqrt(E2));
    }

  private:
    const Problem& problem_;
    const OrientedHyperplane plane_;
    const NearProduct product_;
    double per_alpha_, per_length_;
};

// Empty where there is nothing to go by: far points, or no row near its kink.
inline Vector smoothed_inverse_hessian(const Problem& problem, const Vector& theta,
                                       const Tuning& tuning) {
    const PackedPoints& points = problem.points;
    const std::size_t n = theta.size(), rows_wanted = tuning.curvature_rows * n;
    if (points.far) return {};
    const std::size_t stride = std::max<std::size_t>(1, points.n_rows / rows_wanted);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < points.n_rows; row += stride)
        if (problem.labels[row] != 0) rows.push_back(row);
    if (rows.empty()) return {};
    Columns slopes;
    slopes.reset(n, rows.size());
    const Slopes at(problem, theta);
    Vector distance(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
        distance[k] = std::abs(at.row(rows[k], k, slopes));
    Vector sorted = distance;
    const std::size_t place = std::min(
        sorted.size() - 1, static_cast<std::size_t>(tuning.band_share * sorted.size()));
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double band = std::min(tuning.widest_band, *middle);
    if (!(band > 0.0)) return {};
    Vector curvature(rows.size(), 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (distance[k] < band)
            curvature[k] = problem.C * problem.weight(rows[k]) * stride / (2.0 * band);
    Vector hessian(n * n, 0.0);
    add_gram(slopes, curvature.data(), 0, rows.size(), hessian.data());
    hessian[0] += 2.0 * std::exp(2.0 * theta[0]);
    double trace = 0.0;
    for (std::size_t i = 0; i < n; ++i) trace += hessian[i * n + i];
    for (std::size_t i = 0; i < n; ++i) hessian[i * n + i] += tuning.curvature_ridge * trace / n;
    if (!cholesky(hessian, n, tuning.smallest_pivot)) return {};
    return inverse_from(hessian, n);
}

}  // namespace hyplane
