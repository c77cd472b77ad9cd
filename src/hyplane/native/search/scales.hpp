// The scale s of a hyperplane whose place is given.
#pragma once

#include <cmath>
#include <cstddef>

#include "../linalg/dense.hpp"
#include "../local/neighbourhood.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// Chooses the scales of hyperplanes whose places are given.
class Scales {
  public:
    Scales(const Problem& problem, const Tuning& tuning)
        : problem_(problem), tuning_(tuning), by_products_(!problem.points.far) {
        if (!by_products_) return;
        sign_ = signs_of_rows(problem.points, problem.labels);
        for (std::size_t row = 0; row < sign_.size(); ++row)
            weight_.push_back(problem.labels[row] == 0 ? 0.0 : problem.C * problem.weight(row));
    }

    // A better scale, by halving the range of those that make sense on the side to which the slope
    // points. The best that was tried is kept.
    void choose(Hyperplane& plane) {
        // At large radii the range of scales is wide.
        const bool careful = problem_.n_parameters() > tuning_.few_parameters ||
                             problem_.points.largest_radius > tuning_.large_radius;
        const int n_scales = careful ? 2 * tuning_.n_scales : tuning_.n_scales;
        double top = tuning_.largest_scale;
        double bottom =
            -tuning_.scale_per_radius * problem_.points.largest_radius - tuning_.largest_scale;
        double slope, best_scale = plane.log_scale;
        first_ = plane.log_scale;
        if (by_products_) {
            ++problem_.n_evaluations;
            products_of_rows(problem_.points, sign_, plane, product_);
        }
        double best = value(plane, slope);
        for (int k = 0; k < n_scales; ++k) {
            (slope > 0.0 ? top : bottom) = plane.log_scale;
            plane.log_scale = 0.5 * (bottom + top);
            const double here = value(plane, slope);
            if (here < best) {
                best = here;
                best_scale = plane.log_scale;
            }
        }
        plane.log_scale = best_scale;
    }

  private:
    // The objective and its derivative by log s.
    double value(const Hyperplane& plane, double& slope) {
        if (!by_products_) {
            double d_offset;
            return problem_.at_hyperplane(plane, slope, d_offset, d_normal_);
        }
        const double squared_scale = std::exp(2.0 * plane.log_scale);
        const double losses = losses_at_scale(product_.data(), weight_.data(), product_.size(),
                                              std::exp(plane.log_scale - first_), slope);
        slope += squared_scale;
        return 0.5 * squared_scale + losses;
    }

    const Problem& problem_;
    const Tuning& tuning_;
    const bool by_products_;  // one pass over the rows for each hyperplane, whatever its scale
    double first_ = 0.0;      // log s to which the products belong
    Vector sign_, weight_, product_, d_normal_;
};

inline void choose_scale(const Problem& problem, Hyperplane& plane, const Tuning& tuning) {
    Scales(problem, tuning).choose(plane);
}

}  // namespace hyplane
