// Where the search begins: random numbers, samples of large data, starts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../linalg/dense.hpp"
#include "../linalg/row_panel.hpp"
#include "../objective/chosen_rows.hpp"
#include "../objective/problem.hpp"
#include "../rows/sample.hpp"
#include "../tuning.hpp"
#include "scales.hpp"

namespace hyplane {

// SplitMix64: small, seeded by a single integer, the same on every platform.

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t integer() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>(integer() >> 11) * 0x1.0p-53; }
    // n must not be 0: a division by 0 would end the process.
    std::size_t below(std::size_t n) {
        if (n == 0) throw std::logic_error("a random choice among no rows");
        return static_cast<std::size_t>(integer() % n);
    }

  private:
    std::uint64_t state_;
};

// For a few steps each row gets a random weight. That moves a hyperplane out of a shallow minimum
// by steps that fit the problem, however different the scales of its directions are.
inline void perturb_weights(const Problem& problem, Random& random, Vector& weights) {
    for (std::size_t row = 0; row < problem.points.n_rows; ++row)
        weights[row] = fast_log(1.0 / (1.0 - random.uniform())) * problem.weight(row);
}

// Rows with weights by which sums over them estimate sums over all rows: each class is sampled for
// itself, since one may be rare. Rows of large weight are always among them.
inline ChosenRows draw_sample(const Problem& problem, std::size_t size, Random& random) {
    const std::size_t n_rows = problem.points.n_rows;
    const ClassTotals totals(problem.labels, problem.weights, n_rows);
    const std::size_t rare = totals.count[1] < totals.count[0] ? 1 : 0;
    std::size_t wanted[2];
    wanted[rare] = std::min(totals.count[rare], size / 2);
    wanted[1 - rare] = std::min(totals.count[1 - rare], size - wanted[rare]);
    Vector weights;
    const std::vector<std::size_t> rows =
        draw_rows(problem.labels, problem.weights, n_rows, totals, wanted, random, weights);
    ChosenRows sample(problem, rows);
    sample.weights = std::move(weights);
    sample.weights.resize(sample.points.n_padded_rows(), 0.0);
    return sample;
}

// Where the search for the best hyperplane begins: cheap guesses from the classes, and random ones.

// w in R^(n+1), w*x = w0 x0 - w1·x1, as a hyperplane that meets the ball of the given radius.
// The scale is left to `choose_scale`.
inline Hyperplane hyperplane_of(const Vector& w, double bound, const Tuning& tuning) {
    Hyperplane plane;
    plane.log_scale = 0.0;
    plane.normal.assign(w.begin() + 1, w.end());
    double length = 0.0;
    for (double u : plane.normal) length += u * u;
    length = std::sqrt(length);
    if (!(length > 0.0) || !std::isfinite(length)) {
        plane.normal.assign(w.size() - 1, 0.0);
        plane.normal[0] = length = 1.0;
    } else {
        for (double& u : plane.normal) u /= length;
    }
    const double ratio = w[0] / length, widest = tuning.widest_start * bound;
    plane.offset = std::abs(ratio) < 1.0 ? std::atanh(ratio) : std::copysign(widest, ratio);
    plane.offset = std::max(-widest, std::min(widest, plane.offset));
    return plane;
}

// The first two moments of each class in the lift (1, k), k the Klein coordinates.
struct Moments {
    std::size_t n;
    double total[2] = {0.0, 0.0};  // of class -1, of class +1
    Vector sum[2], square[2];      // Σ c (1, k), and Σ c (1, k)(1, k)ᵀ in lines of panel_stride(n)

    Moments(const Problem& problem, bool with_squares, const Watch& watch)
        : n(problem.points.n_dim + 1) {
        RowPanel lifts[2] = {RowPanel(n), RowPanel(n)};
        Vector weights[2];
        for (int side : {0, 1}) {
            sum[side].assign(n, 0.0);
            if (with_squares) square[side].assign(panel_stride(n) * panel_stride(n), 0.0);
        }
        const auto add = [&](int side) {
            watch();
            const Vector& c = weights[side];
            if (with_squares) add_squares(lifts[side], c.size(), c.data(), square[side].data());
            weights[side].clear();
        };
        for (std::size_t row = 0; row < problem.points.n_rows; ++row) {
            if (problem.labels[row] == 0) continue;
            const int side = problem.labels[row] > 0;
            double* const lift = lifts[side].line(weights[side].size());
            lift[0] = 1.0;
            problem.points.klein(row, lift + 1);
            weights[side].push_back(problem.weight(row));
            total[side] += weights[side].back();
            add_multiple(sum[side].data(), weights[side].back(), lift, n);
            if (weights[side].size() == lifts[side].capacity()) add(side);
        }
        for (int side : {0, 1}) add(side);
    }

    // Ridge regression of the labels on the lift, each class with a weight of its own.
    Vector regression(double weight_negative, double weight_positive, const Tuning& tuning) const {
        const double weight[2] = {weight_negative, weight_positive};
        Vector A(n * n, 0.0), b(n, 0.0);
        double trace = 0.0;
        for (int side : {0, 1})
            for (std::size_t i = 0; i < n; ++i) {
                b[i] += (side ? 1.0 : -1.0) * weight[side] * sum[side][i];
                for (std::size_t j = 0; j <= i; ++j)
                    A[i * n + j] += weight[side] * square[side][i * panel_stride(n) + j];
            }
        for (std::size_t i = 0; i < n; ++i) trace += A[i * n + i];
        for (std::size_t i = 0; i < n; ++i) A[i * n + i] += tuning.regression_ridge * trace / n;
        if (!cholesky(A, n, 0.0)) return between_means();
        solve_lower(A.data(), b.data(), n, n);
        solve_lower_transposed(A.data(), b.data(), n, n);
        for (std::size_t i = 1; i < n; ++i) b[i] = -b[i];  // b·x = w*x
        return b;
    }

    // The hyperplane half-way between the class means.
    Vector between_means() const {
        Vector w(n, 0.0);
        for (std::size_t i = 1; i < n; ++i) {
            const double positive = sum[1][i] / total[1], negative = sum[0][i] / total[0];
            w[i] = negative - positive;
            w[0] += w[i] * 0.5 * (positive + negative);
        }
        return w;
    }

    // A cap of the ball around the mean direction of one class, with that class on its own side.
    Hyperplane cap_around(int side, double offset, double bound, const Tuning& tuning) const {
        Vector w(n, 0.0);
        const double sign = side ? -1.0 : 1.0;
        for (std::size_t i = 1; i < n; ++i) w[i] = sign * sum[side][i];
        Hyperplane plane = hyperplane_of(w, bound, tuning);
        plane.offset = sign * offset;
        return plane;
    }
};

// The points half-way between one row of each class, at the scale where both are on the margin.
// At distance d of each other, sinh²(d/2) = sinh²((r-s)/2) + sinh r sinh s |v-v'|²/4, and
// sinh a = sinh((r+s)/2) sinh((s-r)/2) / sinh(d/2); logarithms hold at any radius.
inline Hyperplane bisector(const PackedPoints& points, std::size_t positive, std::size_t negative,
                           const Tuning& tuning) {
    const std::size_t n = points.n_dim;
    const double r = points.radius(positive), s = points.radius(negative), top = std::max(r, s);
    const auto scaled_sinh = [top](double x) {
        return 0.5 * (std::exp(x - top) - std::exp(-x - top));
    };
    Vector w(n + 1, 0.0);
    double chord = 0.0;
    for (std::size_t c = 1; c <= n; ++c) {
        const double v = points.at(positive, c), other = points.at(negative, c);
        w[c] = scaled_sinh(s) * other - scaled_sinh(r) * v;
        chord += (v - other) * (v - other);
    }
    Hyperplane plane = hyperplane_of(w, points.largest_radius, tuning);
    const double across = 0.5 * (log_sinh(r) + log_sinh(s) + std::log(0.25 * chord));
    const double along = log_sinh(0.5 * std::abs(s - r));
    const double larger = std::max(across, along), smaller = std::min(across, along);
    if (!std::isfinite(larger)) return plane;  // twice the same point
    const double log_half = larger + 0.5 * std::log1p(std::exp(2.0 * (smaller - larger)));
    const double log_offset = log_sinh(0.5 * (r + s)) + along - log_half;  // of sinh |a|
    const double offset =
        log_offset < 300.0 ? std::asinh(std::exp(log_offset)) : log_offset + log_of_2;
    const double widest = points.largest_radius;
    plane.offset = std::copysign(std::min(offset, widest), s - r);
    plane.log_scale = -log_half;
    return plane;
}

// Starts that the classes suggest: two regressions, the half-way hyperplane between the means, and
// caps around each class.
inline std::vector<Hyperplane> informed_starts(const Problem& problem, const Tuning& tuning,
                                               const Watch& watch) {
    constexpr std::size_t largest_regression = 512;  // dimensions; beyond, it takes too long
    const double bound = problem.points.largest_radius;
    const bool regress = problem.points.n_dim <= largest_regression;
    const Moments moments(problem, regress, watch);
    std::vector<Hyperplane> planes;
    if (regress) {
        planes.push_back(hyperplane_of(moments.regression(1.0, 1.0, tuning), bound, tuning));
        planes.push_back(hyperplane_of(
            moments.regression(1.0 / moments.total[0], 1.0 / moments.total[1], tuning), bound,
            tuning));
    }
    planes.push_back(hyperplane_of(moments.between_means(), bound, tuning));
    for (int side : {0, 1})
        for (double reach : {0.5, tuning.widest_start})
            planes.push_back(moments.cap_around(side, reach * bound, bound, tuning));
    Scales scales(problem, tuning);
    for (Hyperplane& plane : planes) {
        watch();
        scales.choose(plane);
    }
    return planes;
}

// A hyperplane at a random distance from the origin, across the ray to a point or opposite to it.
inline Hyperplane random_cap(const PackedPoints& points, std::size_t row, Random& random) {
    const double sign = random.below(2) == 0 ? 1.0 : -1.0;
    Hyperplane plane{0.0, sign * random.uniform() * points.largest_radius, {}};
    for (std::size_t c = 0; c < points.n_dim; ++c)
        plane.normal.push_back(sign * points.at(row, c + 1));
    return plane;
}

// Any hyperplane that meets the ball.
inline Hyperplane random_plane(const PackedPoints& points, const Tuning& tuning, Random& random) {
    Vector w(points.n_dim + 1, 0.0);
    for (std::size_t c = 1; c < w.size(); ++c)
        for (int k = 0; k < 8; ++k) w[c] += random.uniform() - 0.5;  // about normal
    Hyperplane plane = hyperplane_of(w, points.largest_radius, tuning);
    plane.offset = (2.0 * random.uniform() - 1.0) * points.largest_radius;
    return plane;
}

// Random rows of each class.
class RandomRows {
  public:
    RandomRows(const Problem& problem, Random& random) : random_(random) {
        for (std::size_t row = 0; row < problem.points.n_rows; ++row)
            if (problem.labels[row] != 0) rows_[problem.labels[row] > 0].push_back(row);
    }
    std::size_t of_class(int side) { return rows_[side][random_.below(rows_[side].size())]; }

  private:
    std::vector<std::size_t> rows_[2];
    Random& random_;
};

// Bisectors of random pairs of points, one of each class.
inline std::vector<Hyperplane> random_bisectors(const Problem& problem, std::size_t count,
                                                const Tuning& tuning, Random& random) {
    RandomRows rows(problem, random);
    std::vector<Hyperplane> planes;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t positive = rows.of_class(1), negative = rows.of_class(0);
        planes.push_back(bisector(problem.points, positive, negative, tuning));
    }
    return planes;
}

// In turn bisectors of random pairs of points, one of each class, caps, and any hyperplane.
inline std::vector<Hyperplane> random_starts(const Problem& problem, std::size_t count,
                                             const Tuning& tuning, Random& random,
                                             const Watch& watch) {
    RandomRows rows(problem, random);
    std::vector<Hyperplane> planes;
    Scales scales(problem, tuning);
    for (std::size_t k = 0; k < count; ++k) {
        watch();
        const std::size_t positive = rows.of_class(1), negative = rows.of_class(0);
        if (k % 3 == 0)
            planes.push_back(bisector(problem.points, positive, negative, tuning));
        else if (k % 3 == 1)
            planes.push_back(
                random_cap(problem.points, random.below(2) ? positive : negative, random));
        else
            planes.push_back(random_plane(problem.points, tuning, random));
        scales.choose(planes.back());
    }
    return planes;
}

}  // namespace hyplane
