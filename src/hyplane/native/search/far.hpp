// Points beyond the radius that the near pass holds: the same problem in a scaled form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// Far out a point is (e^r / 2) (1, v) to all digits, so that for a hyperplane at a distance |a|
// from the origin that is much smaller than every radius
//
//     w*x = (s e^r / 2) (sinh a - cosh a · u·v):
//
// r may become r - ρ for all points if log s becomes log s + ρ. What is left of the radii is their
// differences. A point whose radius is still above the limit R' of the near pass is moved to R'.
// That changes nothing but the loss of such a point on the wrong side, by the constant r - ρ - R':
// every local minimum stays one, and only their order can change.
struct ScaledPoints {
    // Left beyond a hyperplane: e^-36 is below rounding. The nearest point stays well beyond that.
    static constexpr double free_radius = 18.0, least_scaled_radius = 40.0;

    double shift;  // ρ
    bool cut;      // whether some points were moved to R'
    double reach;  // |a| must be below this for the above to hold
    PackedPoints points;
    Vector share;  // r' / r of each row, or 1 where it was not moved: see `weights`

    ScaledPoints(const PackedPoints& far, const Tuning& tuning)
        : points(far.n_rows, far.n_dim, false), share(far.n_padded_rows(), 1.0) {
        double smallest = far.largest_radius;
        for (std::size_t row = 0; row < far.n_rows; ++row)
            smallest = std::min(smallest, far.at(row, 0));
        shift = std::max(0.0, std::min(far.largest_radius - tuning.scaled_radius,
                                       smallest - least_scaled_radius));
        cut = far.largest_radius - shift > largest_near_radius;
        reach = (shift > 0.0 ? smallest - shift : largest_near_radius) - free_radius;
        Vector direction(far.n_dim);
        for (std::size_t row = 0; row < far.n_rows; ++row) {
            const double left = far.at(row, 0) - shift,
                         radius = std::min(left, largest_near_radius);
            share[row] = radius < left ? left / radius : 1.0;
            for (std::size_t c = 0; c < far.n_dim; ++c) direction[c] = far.at(row, c + 1);
            points.fill(row, 1, &radius, direction.data());
        }
    }

    // Weights that make up for the loss that a moved row on the wrong side has too little.
    Vector weights(const Problem& far) const {
        Vector out(points.n_padded_rows(), 0.0);
        for (std::size_t row = 0; row < points.n_rows; ++row)
            out[row] = share[row] * far.weight(row);
        return out;
    }

    Hyperplane to_scaled(Hyperplane plane) const {
        plane.log_scale += shift;
        return plane;
    }
};

// Near points with no radius above `most`. Larger radii hardly change which points a hyperplane
// separates, but they make the products differ by many orders of magnitude.
inline PackedPoints with_cut_radii(const PackedPoints& points, double most) {
    PackedPoints out(points.n_rows, points.n_dim, false);
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        out.at(row, 0) = std::exp(2.0 * std::min(points.radius(row), most));
        for (std::size_t c = 1; c <= points.n_dim; ++c) out.at(row, c) = points.at(row, c);
    }
    out.largest_radius = std::min(points.largest_radius, most);
    return out;
}

}  // namespace hyplane
