// The objective around a hyperplane as the steps to a minimum see it: kinks in their true places,
// curvature of the rest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../linalg/box_program.hpp"
#include "../linalg/dense.hpp"
#include "../linalg/row_panel.hpp"
#include "../objective/point_lines.hpp"
#include "../objective/points.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "nearest_kinks.hpp"
#include "neighbourhood.hpp"

namespace hyplane {

// The objective at one hyperplane, and the products that the model of the next step needs.
struct Evaluated {
    Hyperplane plane;
    Vector product;  // y w*x
    double value = std::numeric_limits<double>::infinity();
};

// Σ c max(0, arsinh 1 - arsinh z).
HYPLANE_EVERY_CPU double sum_of_losses(const double* product, const double* weight,
                                       std::size_t n_rows) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < n_rows; ++j) {
        const double z = product[j], square = 1.0 + z * z, root = square * inverse_root(square);
        // arsinh |z|; a row beyond its margin, z >= 1, has the loss 0.
        const double t = fast_log(root + std::abs(z));
        total += weight[j] * (z < 1.0 ? margin_of_a_row + (z < 0.0 ? t : -t) : 0.0);
    }
    return total;
}

// Σ max(0, arsinh 1 - arsinh z) over the rows of positive weight, with two logarithms in all. No
// more than `most` factors are multiplied before their exponents are taken out.
HYPLANE_EVERY_CPU double plain_sum_of_losses(const double* product, const double* weight,
                                             std::size_t n_rows, std::size_t most) {
    constexpr std::size_t rows = rows_per_block;
    LogProduct below, between;  // of e^arsinh|z| where z < 0, where 0 <= z < 1
    alignas(64) double count[rows] = {};
    std::size_t unsettled = 0;
    for (std::size_t first = 0; first < n_rows; first += rows) {
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double z = product[first + j], square = 1.0 + z * z;
            const double factor = square * inverse_root(square) + std::abs(z);
            below.product[j] *= z < 0.0 ? factor : 1.0;
            between.product[j] *= ((z >= 0.0) & (z < 1.0)) ? factor : 1.0;
            count[j] += ((z < 1.0) & (weight[first + j] > 0.0)) ? 1.0 : 0.0;
        }
        if (++unsettled == most) {
            below.settle();
            between.settle();
            unsettled = 0;
        }
    }
    double total = 0.0;
    for (double each : count) total += each;
    return total * margin_of_a_row + below.logarithm() - between.logarithm();
}

// How far each row is from its kink, (1 - z)² / (1 + z²); its slope, c / sqrt(1 + z²) where it has a
// loss; its curvature as if it had one.
HYPLANE_EVERY_CPU void describe_rows(const double* product, const double* weight,
                                     std::size_t n_rows, double* distance, double* slope,
                                     double* curvature) {
#pragma omp simd
    for (std::size_t j = 0; j < n_rows; ++j) {
        const double z = product[j], c = weight[j], gap = 1.0 - z, square = 1.0 + z * z;
        const double per_root = inverse_root(square);
        const double steep = c * per_root;
        distance[j] = c > 0.0 ? gap * gap * per_root * per_root : 2.0;
        slope[j] = z < 1.0 ? steep : 0.0;
        curvature[j] = steep * z * per_root * per_root;
    }
}

// How much each row with a slope can add to the curvature, the sums of that over each block and over all.
// Returns how many rows have a slope.
HYPLANE_EVERY_CPU std::size_t shares_of_curvature(const PackedPoints& points, const double* slope,
                                                  const double* curvature, double* share,
                                                  double* block_sums, double& sum) {
    constexpr std::size_t rows = rows_per_block;
    double count = sum = 0.0;
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* const E2 = points.block(b);
        double ones = 0.0, total = 0.0;
#pragma omp simd reduction(+ : ones, total)
        for (std::size_t j = 0; j < rows; ++j) {
            const double one = slope[b * rows + j] > 0.0 ? 1.0 : 0.0;
            const double q = one * E2[j] * std::abs(curvature[b * rows + j]);
            ones += one;
            total += q;
            share[b * rows + j] = q;
        }
        block_sums[b] = total;
        count += ones;
        sum += total;
    }
    return static_cast<std::size_t>(count);
}

// The model of the objective around a hyperplane: gradient and curvature of what is smooth there,
// and the rows near their kink one by one. The curvature is kept in two parts, convex and concave,
// since the model must be convex: it is convex + θ concave with θ = -1 if possible (the truth),
// more otherwise.
class KinkModel {
  public:
    KinkModel(const Problem& problem, const Tuning& tuning)
        : problem_(problem), tuning_(tuning), n_rows_(problem.points.n_padded_rows()),
          largest_square_(std::exp(2.0 * problem.points.largest_radius)), weight_(n_rows_),
          sign_(n_rows_), share_(n_rows_, -1.0), lines_(problem.points, tuning.paying_rows),
          panel_(problem.points.n_dim + 2), near_(problem, tuning), program_(tuning) {
        for (std::size_t row = 0; row < n_rows_; ++row)
            sign_[row] = problem.labels[row] / std::sqrt(problem.points.at(row, 0));
        read_weights();
        block_sums_.resize(problem.points.n_blocks());
        for (Vector* each : {&distance_, &slope_, &curvature_}) each->resize(n_rows_);
        smooth_rows_.resize(n_rows_ + 1);
    }

    // The weights of the problem, which may have changed since.
    void read_weights() {
        for (std::size_t row = 0; row < n_rows_; ++row)
            weight_[row] = problem_.labels[row] == 0 ? 0.0 : problem_.C * problem_.weight(row);
        if (!problem_.heavy) return;
        double total = 0.0, count = 0.0;
        for (double c : weight_) {
            total += c;
            count += c > 0.0;
        }
        mean_weight_ = total / count;
        heavy_.clear();
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (weight_[row] > mean_weight_) heavy_.push_back(row);
    }

    // What was learned on the way to another minimum.
    void forget() {
        exact_ = false;
        forget_shares();
        hold_ = 0.0;
        near_.forget();
    }

    // From now on the curvature is that of all rows. Returns whether it was of a part so far.
    bool be_exact() {
        exact_ = true;
        return partial_;
    }

    void evaluate(Evaluated& at) const {
        ++problem_.n_evaluations;
        const OrientedHyperplane plane(at.plane);
        const NearProduct product(plane);
        at.product.resize(n_rows_);
        const bool weighted = problem_.weights != nullptr;
        const std::size_t most =
            factors_in_range(1.0 + 2.0 * product.size_of_terms(largest_square_, 4.0));
        const StepRanges ranges(problem_.points);
        Vector losses(ranges.count);
        ranges.run(problem_.threads, [&](std::size_t range, std::size_t first, std::size_t last) {
            signed_products(problem_.points, first, last, sign_.data(), plane, product,
                            at.product.data());
            const std::size_t row = first * rows_per_block, count = last * rows_per_block - row;
            const double *z = &at.product[row], *c = &weight_[row];
            losses[range] =
                weighted ? sum_of_losses(z, c, count) : plain_sum_of_losses(z, c, count, most);
        });
        double loss = 0.0;
        for (double each : losses) loss += each;
        at.value = 0.5 * std::exp(2.0 * at.plane.log_scale) + (weighted ? 1.0 : problem_.C) * loss;
    }

    double smallest_product(const Evaluated& at) const {
        double smallest = std::numeric_limits<double>::infinity();
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (weight_[row] > 0.0) smallest = std::min(smallest, at.product[row]);
        return smallest;
    }

    // The step δ to the minimum of the model; returns the decrease that the model predicts.
    // `damping`: 0 for the true curvature, ½ without the concave part, 1 with its opposite, and
    // more; it is raised until the model is convex. `again`: at the same hyperplane as the last time.
    template <class Watch>
    double minimum(const Evaluated& at, const Neighbourhood& around, double& damping, Vector& delta,
                   const Watch& watch, bool again = false) {
        const std::size_t n = around.size();
        if (!again) {
            StepRanges(problem_.points)
                .run(problem_.threads, [&](std::size_t, std::size_t first, std::size_t last) {
                    const std::size_t row = first * rows_per_block;
                    describe_rows(&at.product[row], &weight_[row], last * rows_per_block - row,
                                  &distance_[row], &slope_[row], &curvature_[row]);
                });
            bring_heavy_rows_nearer();
            near_.find(distance_, at.product, n);
            expand(at.product, around);
            add_bound(around);
            expanded_gradient_ = gradient_;
            expanded_kinks_ = program_.v;
        } else {
            gradient_ = expanded_gradient_;
            program_.v = expanded_kinks_;
        }
        scale_.resize(n);
        factor_.resize(n * n);
        Vector &scale = scale_, &factor = factor_;
        for (std::size_t i = 0; i < n; ++i)
            scale[i] = 1.0 / std::sqrt(convex_[i * n + i] + concave_[i * n + i]);
        for (;; damping = damping < tuning_.first_damping ? tuning_.first_damping : 2.0 * damping) {
            if (!(damping < tuning_.largest_damping))
                return std::numeric_limits<double>::quiet_NaN();
            const double up = std::max(1.0, damping), down = std::min(2.0 * damping - 1.0, damping);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j <= i; ++j)
                    factor[i * n + j] = scale[i] * scale[j] *
                                        (up * convex_[i * n + j] + down * concave_[i * n + j]);
            if (cholesky(factor, n, tuning_.smallest_pivot)) break;
        }
        // Coordinates in which the curvature is the identity.
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < program_.v.count; ++k) program_.v.line(i)[k] *= scale[i];
        solve_lower(factor.data(), program_.v);
        for (std::size_t i = 0; i < n; ++i) gradient_[i] *= scale[i];
        solve_lower(factor.data(), gradient_.data(), n, n);
        program_.solve(gradient_, watch);
        keep_multipliers();
        delta = program_.x;
        const double change =
            dot(gradient_, delta) + 0.5 * dot(delta, delta) + program_.change_of_kinks();
        solve_lower_transposed(factor.data(), delta.data(), n, n);
        for (std::size_t i = 0; i < n; ++i) delta[i] *= scale[i];
        return -change;
    }

  private:
    // The kink of a heavy row is felt from farther away than those of the others.
    void bring_heavy_rows_nearer() {
        for (std::size_t row : heavy_)
            if (distance_[row] < tuning_.kink_reach) distance_[row] *= mean_weight_ / weight_[row];
    }

    // The other rows with a loss: first those where it is convex (y w*x > 0), at the end those where it
    // is concave.
    void take_smooth_rows(const Vector& product) {
        begin_smooth_rows();
        // Copies of the members, which the compiler would otherwise read again for each row.
        const double *slope = slope_.data(), *z = product.data();
        std::size_t *convex = convex_end_, *concave = concave_begin_;
        for (std::size_t row = 0; row < n_rows_; ++row) {
            const bool lossy = slope[row] > 0.0, upper = z[row] > 0.0;
            *convex = *concave = row;
            convex += lossy & upper;
            concave -= lossy & !upper;
        }
        convex_end_ = convex;
        concave_begin_ = concave;
    }

    // The curvature costs most of a step. Where many rows have a loss, a part of them is enough to
    // estimate it. A few far rows can outweigh all others, so a row is drawn with a probability p in
    // proportion to what it can add, and counts 1 / p times. Rows that can add much are always drawn.
    // Returns whether it is a part.
    bool draw_smooth_rows(const Vector& product, std::size_t n) {
        const std::size_t enough =
            std::max({std::size_t{1}, tuning_.least_model_rows, tuning_.model_rows * n});
        if (exact_ || n_rows_ < 2 * enough) return false;
        double sum;
        Vector& share = distance_;  // the distances are not needed any more
        const std::size_t n_lossy =
            shares_of_curvature(problem_.points, slope_.data(), curvature_.data(), share.data(),
                                block_sums_.data(), sum);
        if (n_lossy < 2 * enough || !(sum > 0.0) || !std::isfinite(sum)) return false;
        begin_smooth_rows();
        const double rate = static_cast<double>(enough) / sum, *z = product.data();
        std::size_t *convex = convex_end_, *concave = concave_begin_;
        double due = 0.5;  // a row is drawn when this reaches 1
        for (std::size_t b = 0; b < block_sums_.size(); ++b) {
            if (due + rate * block_sums_[b] < 1.0) {
                due += rate * block_sums_[b];
                continue;
            }
            for (std::size_t row = b * rows_per_block; row < (b + 1) * rows_per_block; ++row) {
                const double p = std::min(1.0, rate * share[row]);
                due += p;
                if (!(due >= 1.0)) continue;
                due -= 1.0;
                curvature_[row] /= p;
                const bool upper = z[row] > 0.0;
                *convex = *concave = row;
                convex += upper;
                concave -= !upper;
            }
        }
        convex_end_ = convex;
        concave_begin_ = concave;
        return true;
    }

    void begin_smooth_rows() {
        convex_end_ = smooth_rows_.data();
        concave_begin_ = smooth_rows_.data() + n_rows_;
    }

    void expand(const Vector& product, const Neighbourhood& around) {
        const std::size_t n = around.size();
        const double squared_scale = std::exp(2.0 * around.log_scale());
        gradient_.assign(n, 0.0);
        gradient_[1] = squared_scale;
        convex_.assign(n * n, 0.0);
        concave_.assign(n * n, 0.0);
        concave_[0] = squared_scale;
        for (std::size_t i = 1; i < n; ++i) convex_[i * n + i] = squared_scale;
        plain_slopes_.assign(panel_.stride(), 0.0);
        plain_products_.assign(panel_.stride() * panel_.stride(), 0.0);
        add_kinks(product, around);
        for (std::size_t row : near_.rows) slope_[row] = 0.0;
        partial_ = draw_smooth_rows(product, n);
        if (partial_)
            around.add_slopes(slope_, sign_, product, gradient_, problem_.threads);
        else
            take_smooth_rows(product);
        const std::size_t* const rows = smooth_rows_.data();
        add_smooth_rows(product, rows, convex_end_, around, 1.0);
        around.add_reflected_products(plain_products_, panel_.stride(), convex_);
        plain_products_.assign(panel_.stride() * panel_.stride(), 0.0);
        add_smooth_rows(product, concave_begin_ + 1, rows + n_rows_ + 1, around, -1.0);
        around.add_reflected_products(plain_products_, panel_.stride(), concave_);
        around.add_reflected(plain_slopes_, gradient_);
    }

    // A row that stays at its kink can be given any curvature: it does not change the model along
    // steps that keep the row there.
    // Rows of zeros, which change nothing, fill the last block of the program.
    void add_kinks(const Vector& product, const Neighbourhood& around) {
        const std::size_t n_kinks = near_.kinks.size(), n_padded = lanes * blocks_of(n_kinks + 2);
        program_.v.reset(around.size(), n_padded);
        for (std::size_t i = 0; i < around.size(); ++i)
            std::fill(program_.v.line(i) + n_kinks, program_.v.line(i) + n_padded, 0.0);
        for (Vector* each :
             {&program_.gap, &program_.bound, &program_.multiplier, &near_curvature_})
            each->assign(n_padded, 0.0);
        for (std::size_t j = 0; j < near_.rows.size(); ++j) {
            const std::size_t row = near_.rows[j], k = near_.kink_of[j];
            const double c = weight_[row], t = product[row];
            double share = share_[row];
            if (share < 0.0) share = t < 1.0 ? 1.0 : 0.0;
            near_curvature_[k] += share * curvature_[row];
            if (share > 0.0 && share < 1.0) near_curvature_[k] += tuning_.kink_stiffness * c;
            const double slope = t < 1.0 ? slope_[row] : c * std::sqrt(0.5);
            program_.gap[k] = 1.0 - t;
            program_.bound[k] += slope;
            program_.multiplier[k] += share * slope;
        }
        for (std::size_t first = 0; first < n_kinks; first += panel_.capacity()) {
            const std::size_t count = std::min(panel_.capacity(), n_kinks - first);
            around.derivatives(lines_, near_.kinks.data() + first, count, sign_.data(),
                               product.data(), panel_);
            around.reflect(panel_, count, first, program_.v);
            add_squares(panel_, count, near_curvature_.data() + first, plain_products_.data());
        }
        forget_shares();
    }

    void forget_shares() {
        for (std::size_t row : known_) share_[row] = -1.0;
        known_.clear();
    }

    // The curvature of these rows times a sign; their slopes too, where they are all rows.
    void add_smooth_rows(const Vector& product, const std::size_t* rows, const std::size_t* end,
                         const Neighbourhood& around, double sign) {
        weights_.resize(2 * panel_.capacity());
        double *slope = weights_.data(), *curvature = slope + panel_.capacity();
        while (rows < end) {
            const std::size_t count =
                std::min(panel_.capacity(), static_cast<std::size_t>(end - rows));
            around.derivatives(lines_, rows, count, sign_.data(), product.data(), panel_);
            for (std::size_t k = 0; k < count; ++k) {
                slope[k] = slope_[rows[k]];
                curvature[k] = sign * curvature_[rows[k]];
            }
            if (!partial_) add_sums(panel_, count, slope, plain_slopes_.data());
            add_squares(panel_, count, curvature, plain_products_.data());
            rows += count;
        }
    }

    // -R <= a <= R as two more kinks. Where it holds, a changes by δ_0 - ½ tanh a (δ_2² + … + δ_n²)
    // to second order.
    void add_bound(const Neighbourhood& around) {
        const std::size_t n = around.size();
        std::size_t k = near_.kinks.size();
        for (double side : {1.0, -1.0}) {
            program_.v.line(0)[k] = side;
            program_.gap[k] = side * around.offset() - problem_.offset_limit();
            program_.bound[k++] = std::numeric_limits<double>::infinity();
        }
        const double turn = hold_ * std::tanh(around.offset());
        for (std::size_t i = 2; i < n; ++i)
            (turn > 0.0 ? concave_ : convex_)[i * n + i] += std::abs(turn);
    }

    void keep_multipliers() {
        known_ = near_.rows;
        for (std::size_t j = 0; j < known_.size(); ++j) {
            const std::size_t k = near_.kink_of[j];
            if (program_.bound[k] > 0.0)
                share_[known_[j]] =
                    std::min(1.0, program_.multiplier[k] / program_.bound[k]);
        }
        const std::size_t k = near_.kinks.size();
        hold_ = program_.multiplier[k] - program_.multiplier[k + 1];
    }

    const Problem& problem_;
    const Tuning& tuning_;
    const std::size_t n_rows_;
    const double largest_square_;  // e^2r
    Vector weight_;
    double mean_weight_ = 0.0;        // of a problem with heavy rows
    std::vector<std::size_t> heavy_;  // rows above it; none in other problems
    Vector sign_;           // y e^-r
    Vector share_;          // multiplier / largest multiplier of each row, or -1 where unknown
    std::vector<std::size_t> known_;  // the rows where it is known
    double hold_ = 0.0;     // the multiplier of the bound on a
    bool exact_ = false;    // whether all rows must tell the curvature
    bool partial_ = false;  // whether a part of them told the last one
    const PointLines lines_;
    RowPanel panel_;
    NearestKinks near_;
    Vector distance_, slope_, curvature_, near_curvature_, block_sums_;
    std::vector<std::size_t> smooth_rows_;
    std::size_t *convex_end_ = nullptr, *concave_begin_ = nullptr;  // of these
    Vector weights_;                        // slopes and curvature of the rows of a panel
    Vector plain_slopes_, plain_products_;  // sums, before they are in the coordinates of a step
    Vector gradient_, convex_, concave_, scale_, factor_;
    Vector expanded_gradient_;  // before it was brought into other coordinates, and the kinks
    Columns expanded_kinks_;
    BoxProgram program_;
};

}  // namespace hyplane
