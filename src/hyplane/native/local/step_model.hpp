// The model of the objective around a hyperplane, and the step to its minimum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../linalg/box_program.hpp"
#include "../linalg/dense.hpp"
#include "../linalg/row_panel.hpp"
#include "../rows/point_lines.hpp"
#include "../tuning.hpp"
#include "neighbourhood.hpp"

namespace hyplane {

// Half a unit in the last place of 1: the rounding of a loss.
constexpr double rounding_of_a_loss = 1e-16;

// Some rows at the hyperplane of a model.
struct RowsAt {
    const PointLines& lines;
    const double* sign;     // y e^-r
    const double* product;  // y w*x
};

// Gradient and curvature of what is smooth around a hyperplane, and the rows near their kink one by
// one. The curvature is kept in two parts, convex and concave, since the model must be convex: it
// is convex + θ concave with θ = -1 if possible (the truth), more otherwise.
class StepModel {
  public:
    StepModel(std::size_t n_dim, const Tuning& tuning)
        : tuning_(tuning), panel_(n_dim + 2), program_() {}

    Vector gradient;  // of what is smooth

    // Begin with ½ s² alone, and as many kinks as there will be.
    void begin(const Neighbourhood& around, std::size_t n_kinks) {
        const std::size_t n = around.size();
        const double squared_scale = std::exp(2.0 * around.log_scale());
        gradient.assign(n, 0.0);
        gradient[0] = -squared_scale;
        gradient[1] = squared_scale;
        convex_.assign(n * n, 0.0);
        concave_.assign(n * n, 0.0);
        // ½ s² ((δ_1 - δ_0)² - δ_0² + δ_2² + …).
        for (std::size_t i = 0; i < n; ++i) convex_[i * n + i] = squared_scale;
        convex_[n] = -squared_scale;
        concave_[0] = squared_scale;
        n_kinks_ = n_kinks;
        // Rows of zeros, which change nothing, fill the last block of the program.
        const std::size_t n_padded = lanes * blocks_of(n_kinks + 2);
        for (Columns* each : {&kinks_, &program_.v}) each->reset(n, n_padded);
        for (std::size_t i = 0; i < n; ++i)
            std::fill(kinks_.line(i) + n_kinks, kinks_.line(i) + n_padded, 0.0);
        for (Vector* each :
             {&program_.gap, &program_.bound, &program_.multiplier, &kink_curvature_})
            each->assign(n_padded, 0.0);
        plain_products_.assign(panel_.stride() * panel_.stride(), 0.0);
    }

    // A row, or several, of total weight c and slope at kink k. `share`: how much of the slope they
    // had in the last step. Rows that stay at their kink can be given any curvature: it does not
    // change the model along steps that keep them there.
    void add_to_kink(std::size_t k, double product, double c, double slope, double share,
                     double curvature) {
        kink_curvature_[k] += share * curvature;
        if (share > 0.0 && share < 1.0) kink_curvature_[k] += tuning_.kink_stiffness * c;
        program_.gap[k] = 1.0 - product;
        program_.bound[k] += slope;
        program_.multiplier[k] += share * slope;
    }

    // The derivatives at the kinks, one row for each.
    void set_kinks(const Neighbourhood& around, const RowsAt& at, const std::size_t* rows) {
        for (std::size_t first = 0; first < n_kinks_; first += panel_.capacity()) {
            const std::size_t count = std::min(panel_.capacity(), n_kinks_ - first);
            around.derivatives(at.lines, rows + first, count, at.sign, at.product, panel_);
            around.reflect(panel_, count, first, kinks_);
            add_squares(panel_, count, kink_curvature_.data() + first, plain_products_.data());
        }
    }

    // Take the slopes of kinks with a loss out of the gradient, where that has them.
    void take_kinks_from_gradient() {
        for (std::size_t k = 0; k < n_kinks_; ++k)
            if (1.0 - program_.gap[k] < kink_product)
                for (std::size_t i = 0; i < gradient.size(); ++i)
                    gradient[i] -= program_.bound[k] * kinks_.line(i)[k];
    }

    // The curvature of rows where the loss is convex, y w*x > 0, and of the others. `slope` may be
    // null; else the slopes of the rows are added to the gradient.
    void add_rows(const Neighbourhood& around, const RowsAt& at, const std::size_t* convex,
                  std::size_t n_convex, const std::size_t* concave, std::size_t n_concave,
                  const double* curvature, const double* slope) {
        plain_slopes_.assign(panel_.stride(), 0.0);
        add_part(around, at, convex, n_convex, curvature, 1.0, slope);
        around.add_reflected_products(plain_products_, panel_.stride(), convex_);
        plain_products_.assign(panel_.stride() * panel_.stride(), 0.0);
        add_part(around, at, concave, n_concave, curvature, -1.0, slope);
        around.add_reflected_products(plain_products_, panel_.stride(), concave_);
        around.add_reflected(plain_slopes_, gradient);
    }

    // -R <= a <= R as two more kinks, once all else is there. Where it holds, a changes by
    // δ_0 - ½ tanh a (δ_2² + … + δ_n²) to second order.
    void add_bound(const Neighbourhood& around, double limit) {
        const std::size_t n = around.size();
        std::size_t k = n_kinks_;
        for (double side : {1.0, -1.0}) {
            kinks_.line(0)[k] = side;
            program_.gap[k] = side * around.offset() - limit;
            program_.bound[k++] = std::numeric_limits<double>::infinity();
        }
        const double turn = hold_ * std::tanh(around.offset());
        for (std::size_t i = 2; i < n; ++i)
            (turn > 0.0 ? concave_ : convex_)[i * n + i] += std::abs(turn);
    }

    // The step δ to the minimum of the model; returns the decrease that the model predicts.
    // `damping`: 0 for the true curvature, ½ without the concave part, 1 with its opposite, and
    // more; it is raised until the model is convex. May be called again with another damping.
    double minimum(double& damping, Vector& delta, const Watch& watch) {
        const std::size_t n = gradient.size();
        scale_.resize(n);
        factor_.resize(n * n);
        scaled_gradient_.resize(n);
        Vector &scale = scale_, &factor = factor_, &slopes = scaled_gradient_;
        for (std::size_t i = 0; i < n; ++i)
            scale[i] = 1.0 / std::sqrt(convex_[i * n + i] + concave_[i * n + i]);
        for (;; damping = damping < tuning_.first_damping ? tuning_.first_damping : 2.0 * damping) {
            if (!(damping < largest_damping)) return std::numeric_limits<double>::quiet_NaN();
            const double up = std::max(1.0, damping), down = std::min(2.0 * damping - 1.0, damping);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j <= i; ++j)
                    factor[i * n + j] = scale[i] * scale[j] *
                                        (up * convex_[i * n + j] + down * concave_[i * n + j]);
            if (cholesky(factor, n, smallest_pivot, watch)) break;
        }
        // Coordinates in which the curvature is the identity.
        solve_lower(factor.data(), scale, kinks_, program_.v);
        for (std::size_t i = 0; i < n; ++i) slopes[i] = scale[i] * gradient[i];
        solve_lower(factor.data(), slopes.data(), n, n);
        program_.solve(slopes, watch);
        hold_ = program_.multiplier[n_kinks_] - program_.multiplier[n_kinks_ + 1];
        delta = program_.x;
        const double change =
            dot(slopes, delta) + 0.5 * dot(delta, delta) + program_.change_of_kinks();
        solve_lower_transposed(factor.data(), delta.data(), n, n);
        for (std::size_t i = 0; i < n; ++i) delta[i] *= scale[i];
        return -change;
    }

    // How much of its slope a kink had in the last step; -1 where it has none.
    double share(std::size_t k) const {
        return program_.bound[k] > 0.0 ? std::min(1.0, program_.multiplier[k] / program_.bound[k])
                                       : -1.0;
    }
    // By how much the last step moves the product at a kink.
    double moved(std::size_t k) const { return program_.gap[k] - program_.residual(k); }
    double hold() const { return hold_; }  // the multiplier of the bound on a
    void forget() { hold_ = 0.0; }

  private:
    static constexpr double largest_damping = 1e12;  // beyond it no convex model exists
    static constexpr double smallest_pivot = 1e-14;  // of a factor with unit diagonal: rounding

    void add_part(const Neighbourhood& around, const RowsAt& at, const std::size_t* rows,
                  std::size_t n_rows, const double* curvature, double side, const double* slope) {
        weights_.resize(2 * panel_.capacity());
        double *slopes = weights_.data(), *curvatures = slopes + panel_.capacity();
        for (const std::size_t* const end = rows + n_rows; rows < end;) {
            const std::size_t count =
                std::min(panel_.capacity(), static_cast<std::size_t>(end - rows));
            around.derivatives(at.lines, rows, count, at.sign, at.product, panel_);
            for (std::size_t k = 0; k < count; ++k) {
                if (slope != nullptr) slopes[k] = slope[rows[k]];
                curvatures[k] = side * curvature[rows[k]];
            }
            if (slope != nullptr) add_sums(panel_, count, slopes, plain_slopes_.data());
            add_squares(panel_, count, curvatures, plain_products_.data());
            rows += count;
        }
    }

    const Tuning& tuning_;
    RowPanel panel_;
    BoxProgram program_;
    std::size_t n_kinks_ = 0;
    double hold_ = 0.0;
    Vector convex_, concave_, scale_, factor_, kink_curvature_;
    Vector weights_;                        // slopes and curvature of the rows of a panel
    Vector plain_slopes_, plain_products_;  // sums, before they are in the coordinates of a step
    Columns kinks_;                         // their derivatives
    Vector scaled_gradient_;  // in the coordinates in which the curvature is the identity
};

}  // namespace hyplane
