// A first guess of the inverse Hessian for quasi-Newton: the curvature of the objective with each
// kink spread over a band. Where many rows lie near their margin, as in large data, the sum of
// their kinks is as good as smooth, and this is its curvature.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dense.hpp"
#include "problem.hpp"

namespace hyplane {

// d arsinh(w*x) / dθ of some rows, and how far each is from its kink.
class Slopes {
  public:
    Slopes(const Problem& problem, const Vector& theta)
        : problem_(problem), plane_(problem.hyperplane(theta)),
          side_(plane_.offset < 0.0 ? -1.0 : 1.0), offset_(std::abs(plane_.offset)),
          scale_(std::exp(plane_.log_scale)) {
        const double bound = problem.points.largest_radius;
        per_alpha_ = bound > 0.0 ? std::cos(theta[1] / bound) : 0.0;
        double length = 0.0;
        for (std::size_t c = 2; c < theta.size(); ++c) length += theta[c] * theta[c];
        per_length_ = 1.0 / std::sqrt(length);
        for (double& u : plane_.normal) u *= side_;
    }

    // The gradient in θ as column k of `out`; returns the loss, negative beyond the margin.
    double row(std::size_t row, std::size_t k, Columns& out) const {
        const Points& points = problem_.points;
        const std::size_t n = points.n_dim;
        const double y = side_ * problem_.labels[row], up = std::sqrt(points.at(row, 0));
        double half = 0.0;
        for (std::size_t c = 0; c < n; ++c) {
            const double d = points.at(row, c + 1) - plane_.normal[c];
            half += 0.5 * d * d;
        }
        const double sinh_r = 0.5 * (up - 1.0 / up), r = std::log(up);
        const double lever = std::cosh(offset_) * sinh_r;
        const double z = scale_ * (std::sinh(offset_ - r) + lever * half);
        const double dz_da = scale_ * (std::cosh(offset_ - r) + std::sinh(offset_) * sinh_r * half);
        const double shrink = y / std::sqrt(1.0 + z * z);
        out.line(0)[k] = shrink * z;
        out.line(1)[k] = shrink * dz_da * per_alpha_ * side_;
        // The part of u - v along u is half · u, up to sign: |u - v|² = 2 - 2 u·v.
        for (std::size_t c = 0; c < n; ++c) {
            const double u = plane_.normal[c], d = u - points.at(row, c + 1);
            out.line(c + 2)[k] = side_ * shrink * scale_ * lever * (d - half * u) * per_length_;
        }
        return std::asinh(1.0) - std::asinh(y * z);
    }

  private:
    const Problem& problem_;
    Hyperplane plane_;
    double side_, offset_, scale_, per_alpha_, per_length_;
};

// The inverse of a symmetric positive definite matrix, of which the lower triangle is given.
inline Vector inverse_of(Vector A, std::size_t n) {
    if (!cholesky(A, n)) return {};
    Vector inverse(n * n, 0.0), column(n);
    for (std::size_t j = 0; j < n; ++j) {
        std::fill(column.begin(), column.end(), 0.0);
        column[j] = 1.0;
        for (std::size_t i = j; i < n; ++i)
            column[i] = (column[i] - sum_of_products(&A[i * n], column.data(), i)) / A[i * n + i];
        for (std::size_t i = n; i-- > 0;) {
            column[i] /= A[i * n + i];
            add_multiple(column.data(), -column[i], &A[i * n], i);
        }
        for (std::size_t i = 0; i < n; ++i) inverse[i * n + j] = column[i];
    }
    return inverse;
}

// Empty where there is nothing to go by: far points, or no row near its kink.
inline Vector smoothed_inverse_hessian(const Problem& problem, const Vector& theta) {
    constexpr double share_in_band = 0.2, widest_band = 1.0, ridge = 1e-3;
    const Points& points = problem.points;
    const std::size_t n = theta.size(), rows_wanted = 64 * n;
    if (points.far) return {};
    const std::size_t stride = std::max<std::size_t>(1, points.n_rows / rows_wanted);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < points.n_rows; row += stride)
        if (problem.labels[row] != 0) rows.push_back(row);
    Columns slopes;
    slopes.reset(n, rows.size());
    const Slopes at(problem, theta);
    Vector distance(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
        distance[k] = std::abs(at.row(rows[k], k, slopes));
    Vector sorted = distance;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(share_in_band * sorted.size());
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double band = std::min(widest_band, *middle);
    if (!(band > 0.0)) return {};
    Vector curvature(rows.size(), 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const double c = problem.weights == nullptr ? 1.0 : problem.weights[rows[k]];
        if (distance[k] < band) curvature[k] = problem.C * c * stride / (2.0 * band);
    }
    Vector hessian(n * n, 0.0);
    add_gram(slopes, curvature.data(), 0, rows.size(), hessian.data());
    hessian[0] += 2.0 * std::exp(2.0 * theta[0]);
    double trace = 0.0;
    for (std::size_t i = 0; i < n; ++i) trace += hessian[i * n + i];
    for (std::size_t i = 0; i < n; ++i) hessian[i * n + i] += ridge * trace / n;
    return inverse_of(std::move(hessian), n);
}

}  // namespace hyplane
