// From the neighbourhood of a minimum to the minimum: steps on a model that keeps the kinks.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../linalg/box_program.hpp"
#include "../linalg/dense.hpp"
#include "../objective/points.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "nearest_kinks.hpp"
#include "neighbourhood.hpp"
#include "quasi_newton.hpp"

namespace hyplane {

// The last steps to a minimum with kinks. Quasi-Newton is slow where many points lie exactly on
// their margin y w*x = 1; there each step solves a model that keeps the kinks (composite
// nonsmooth optimisation: Fletcher 1982, Womersley and Fletcher 1986). In the coordinates δ of
// Neighbourhood each w*x is linear, so the model has the kinks in their true places, and the
// second derivatives of everything else are known.

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

// How many rows have a slope; the sums of what they add to the curvature, and of its squares.
HYPLANE_EVERY_CPU std::size_t sums_of_curvature(const PackedPoints& points, const double* slope,
                                                const double* curvature, double& sum,
                                                double& squares) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double counts[rows] = {}, first[rows] = {}, second[rows] = {};
    for (std::size_t b = 0; b < points.n_blocks(); ++b) {
        const double* const E2 = points.block(b);
#pragma omp simd
        for (std::size_t j = 0; j < rows; ++j) {
            const double one = slope[b * rows + j] > 0.0 ? 1.0 : 0.0;
            const double q = one * E2[j] * std::abs(curvature[b * rows + j]);
            counts[j] += one;
            first[j] += q;
            second[j] += q * q;
        }
    }
    double count = sum = squares = 0.0;
    for (std::size_t j = 0; j < rows; ++j) {
        count += counts[j];
        sum += first[j];
        squares += second[j];
    }
    return static_cast<std::size_t>(count);
}

// sums = Σ b_k slope_k over the columns of the first blocks.
HYPLANE_EVERY_CPU void sum_of_columns(const Columns& b, const double* slope, std::size_t blocks,
                                      double* sums) {
    products_with_lines(b.line(0), b.n_dim, b.capacity, blocks, slope, sums);
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
          sign_(n_rows_), share_(n_rows_, -1.0),
          near_(problem, tuning), program_(tuning) {
        double least = std::numeric_limits<double>::infinity(), most = 0.0;
        for (std::size_t row = 0; row < n_rows_; ++row) {
            weight_[row] = problem.labels[row] == 0 ? 0.0 : problem.C * problem.weight(row);
            sign_[row] = problem.labels[row] / std::sqrt(problem.points.at(row, 0));
            most = std::max(most, weight_[row]);
            if (weight_[row] > 0.0) least = std::min(least, weight_[row]);
        }
        similar_weights_ = most <= tuning.similar_weights * least;
        for (Vector* each : {&distance_, &slope_, &curvature_}) each->resize(n_rows_);
        smooth_rows_.resize(n_rows_ + 1);
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
        signed_products(problem_.points, sign_.data(), plane, product, at.product.data());
        at.value = 0.5 * std::exp(2.0 * at.plane.log_scale);
        if (problem_.weights != nullptr) {
            at.value += sum_of_losses(at.product.data(), weight_.data(), n_rows_);
        } else {
            const double largest = product.size_of_terms(largest_square_, 4.0);
            at.value += problem_.C * plain_sum_of_losses(at.product.data(), weight_.data(), n_rows_,
                                                         factors_in_range(1.0 + 2.0 * largest));
        }
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
            describe_rows(at.product.data(), weight_.data(), n_rows_, distance_.data(),
                          slope_.data(), curvature_.data());
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
    // Every so many of the other rows with a loss: first those where it is convex (y w*x > 0), at the
    // end those where it is concave.
    void choose_smooth_rows(const Vector& product, std::size_t stride) {
        // Copies of the members, which the compiler would otherwise read again for each row.
        const double *slope = slope_.data(), *z = product.data();
        std::size_t *convex = smooth_rows_.data(), *concave = convex + n_rows_;
        for (std::size_t row = 0; row < n_rows_; row += stride) {
            const bool lossy = slope[row] > 0.0, upper = z[row] > 0.0;
            *convex = *concave = row;
            convex += lossy & upper;
            concave -= lossy & !upper;
        }
        n_convex_ = static_cast<std::size_t>(convex - smooth_rows_.data());
        n_concave_ = n_rows_ - static_cast<std::size_t>(concave - smooth_rows_.data());
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
        add_kinks(product, around);
        for (std::size_t row : near_.rows) slope_[row] = 0.0;
        std::size_t n_lossy = 0;
        const std::size_t stride = stride_of_curvature(n, n_lossy);
        choose_smooth_rows(product, stride);
        partial_ = stride > 1;
        if (partial_) around.add_slopes(slope_, sign_, product, gradient_);
        const double share =
            partial_ ? static_cast<double>(n_lossy) / static_cast<double>(n_convex_ + n_concave_ + 1)
                     : 1.0;
        plain_slopes_.assign(n + 1, 0.0);
        const std::size_t* const rows = smooth_rows_.data();
        add_smooth_rows(product, rows, n_convex_, around, share, convex_);
        add_smooth_rows(product, rows + n_rows_ + 1 - n_concave_, n_concave_, around, -share,
                        concave_);
        around.add_reflected(plain_slopes_, gradient_);
    }

    // The curvature costs most of a step. Where many rows have a loss, every k-th of them is enough to
    // estimate it; this is k. A few far rows can outweigh all others, so what counts is not the number
    // of rows but that of equal contributions q with the same spread, (Σ q)² / Σ q². Rows of unequal
    // weight could not stand for each other.
    std::size_t stride_of_curvature(std::size_t n, std::size_t& n_lossy) const {
        if (exact_ || !similar_weights_) return 1;
        const std::size_t enough =
            std::max({std::size_t{1}, tuning_.least_model_rows, tuning_.model_rows * n});
        if (n_rows_ < 2 * enough) return 1;
        double sum, squares;
        n_lossy =
            sums_of_curvature(problem_.points, slope_.data(), curvature_.data(), sum, squares);
        if (n_lossy < 2 * enough) return 1;
        const double count = squares > 0.0 ? sum * sum / squares : 0.0;
        return std::max<std::size_t>(1, static_cast<std::size_t>(count) / enough);
    }

    // A row that stays at its kink can be given any curvature: it does not change the model along
    // steps that keep the row there.
    // Rows of zeros, which change nothing, fill the last block of the program.
    void add_kinks(const Vector& product, const Neighbourhood& around) {
        const std::size_t n_kinks = near_.kinks.size(), n_padded = lanes * blocks_of(n_kinks + 2);
        program_.v.reset(around.size(), n_padded);
        around.derivatives(near_.kinks.data(), n_kinks, problem_.labels, program_.v);
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
        add_gram(program_.v, near_curvature_.data(), 0, n_padded, convex_.data());
        forget_shares();
    }

    void forget_shares() {
        for (std::size_t row : known_) share_[row] = -1.0;
        known_.clear();
    }

    // The curvature of these rows times a factor; their slopes too, where they are all rows.
    void add_smooth_rows(const Vector& product, const std::size_t* rows, std::size_t count,
                         const Neighbourhood& around, double factor, Vector& hessian) {
        constexpr std::size_t stretch = Neighbourhood::stretch;
        double slope[stretch], curvature[stretch];
        static_assert(stretch % lanes == 0, "a stretch is whole blocks");
        const std::size_t n = around.size() + 1;
        derivatives_.reset(n, stretch);
        column_sums_.resize(n);
        plain_products_.assign(n * n, 0.0);
        for (; count > 0; rows += stretch) {
            const std::size_t n_now = std::min(stretch, count);
            around.plain_derivatives(rows, n_now, sign_.data(), product.data(), derivatives_);
            for (std::size_t k = 0; k < n_now; ++k) {
                slope[k] = slope_[rows[k]];
                curvature[k] = factor * curvature_[rows[k]];
            }
            const std::size_t blocks = blocks_of(n_now);
            for (std::size_t k = n_now; k < lanes * blocks; ++k) slope[k] = curvature[k] = 0.0;
            if (!partial_) {
                sum_of_columns(derivatives_, slope, blocks, column_sums_.data());
                add_multiple(plain_slopes_.data(), 1.0, column_sums_.data(), n);
            }
            add_gram(derivatives_, curvature, 0, lanes * blocks, plain_products_.data());
            count -= n_now;
        }
        around.add_reflected_products(plain_products_, hessian);
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
    Vector sign_;           // y e^-r
    Vector share_;          // multiplier / largest multiplier of each row, or -1 where unknown
    std::vector<std::size_t> known_;  // the rows where it is known
    double hold_ = 0.0;     // the multiplier of the bound on a
    bool similar_weights_;  // whether rows can stand for each other
    bool exact_ = false;    // whether all rows must tell the curvature
    bool partial_ = false;  // whether a part of them told the last one
    NearestKinks near_;
    Vector distance_, slope_, curvature_, near_curvature_;
    std::vector<std::size_t> smooth_rows_;
    std::size_t n_convex_ = 0, n_concave_ = 0;
    Columns derivatives_;
    Vector column_sums_, plain_slopes_, plain_products_;  // sums, before they are in the coordinates of a step
    Vector gradient_, convex_, concave_, scale_, factor_;
    Vector expanded_gradient_;  // before it was brought into other coordinates, and the kinks
    Columns expanded_kinks_;
    BoxProgram program_;
};

// Points so far out that the products overflow are left to quasi-Newton; so are problems with too
// many kinks for the quadratic programs.
inline bool kink_steps_possible(const Problem& problem, const Tuning& tuning) {
    return !problem.points.far && problem.points.n_rows <= tuning.kink_steps_rows &&
           problem.n_parameters() <= tuning.kink_steps_parameters;
}

// Whether kink steps are cheaper than quasi-Newton from any start.
inline bool kink_steps_pay(const Problem& problem, const Tuning& tuning) {
    return kink_steps_possible(problem, tuning) && problem.points.n_rows <= tuning.paying_rows &&
           problem.n_parameters() <= tuning.paying_parameters;
}

// Step along δ: half as far until the objective decreases, or twice as far where it decreases more
// than predicted. Returns how far, or 0.
inline double search_along(const Problem& problem, const KinkModel& model,
                           const Neighbourhood& around, const Vector& delta, double predicted,
                           const Tuning& tuning, Evaluated& at, Evaluated& next) {
    const double bound = problem.offset_limit(), start = at.value;
    double found = 0.0;
    Evaluated outer;
    const auto lower_at = [&](double t, double goal) {
        if (!around.moved(delta, t, bound, tuning, next.plane)) return false;
        model.evaluate(next);
        if (problem.may_move_out(next.plane)) {
            outer.plane = problem.moved_out(next.plane);
            model.evaluate(outer);
            if (outer.value < next.value) std::swap(outer, next);
        }
        if (!(next.value < goal)) return false;
        found = t;
        std::swap(at, next);
        return true;
    };
    for (double t = 1.0; t > tuning.shortest_kink_step; t *= 0.5)
        if (lower_at(t, start - tuning.sufficient_decrease * t * predicted)) break;
    if (found == 1.0 && start - at.value > tuning.surplus * predicted)
        while (found < tuning.longest_kink_step && lower_at(2.0 * found, at.value)) {
        }
    return found;
}

// A hyperplane with every row on its own side needs only the scale that brings all of them to their
// margins. Kink steps can miss it where the products differ by many orders of magnitude.
inline bool scale_to_margins(const KinkModel& model, const Tuning& tuning, Evaluated& at,
                             Evaluated& next) {
    const double smallest = model.smallest_product(at);
    if (!(smallest > 0.0) || !(smallest < 1.0)) return false;
    next.plane = at.plane;
    next.plane.log_scale += tuning.past_the_margin - std::log(smallest);
    model.evaluate(next);
    if (!(next.value < at.value)) return false;
    std::swap(at, next);
    return true;
}

// Converged means: no step of the model, with the least damping that makes it convex, predicts a
// decrease beyond the tolerance or beyond the rounding of the sum of losses. The search is given up
// where many times the predicted decrease would not bring it below `goal`, the value of a minimum.
// The gradient of the candidate is left as it was.
template <class Watch>
void kink_steps(const Problem& problem, KinkModel& model, Candidate& state, double tolerance,
                int max_iter, const Tuning& tuning, const Watch& watch,
                double goal = std::numeric_limits<double>::infinity()) {
    const double rounding = tuning.rounding_of_a_loss * problem.C *
                            static_cast<double>(problem.points.n_rows);
    model.forget();
    Evaluated at{problem.hyperplane(state.theta), {}}, next;
    model.evaluate(at);
    Vector delta;
    double damping = 0.0;
    const auto relax = [&](double factor) {
        damping = damping < tuning.least_damping ? 0.0 : factor * damping;
    };
    int n_failed = 0;
    bool again = false;  // the hyperplane and the curvature are those of the last model
    state.stop = Stop::out_of_iterations;
    for (int iteration = 0; iteration < max_iter; ++iteration) {
        watch();
        const Neighbourhood around(problem.points, at.plane);
        const double asked = damping;
        state.predicted = model.minimum(at, around, damping, delta, watch, again);
        again = false;
        if (!std::isfinite(state.predicted)) {
            state.stop = Stop::stalled;
            break;
        }
        if (at.value - tuning.hopeful_decrease * state.predicted > goal) break;
        const double enough = tolerance * std::abs(at.value) + rounding;
        if (state.predicted <= enough) {
            // A part of the rows cannot tell that this is the minimum.
            if (model.be_exact()) continue;
            state.stop = Stop::converged;
            if (damping > asked || damping == 0.0) break;
            // The tolerance must be met by the least damping, not by this one.
            relax(tuning.damping_after_a_prediction);
            again = true;
            continue;
        }
        state.stop = Stop::out_of_iterations;
        ++state.n_iter;
        const double t =
            search_along(problem, model, around, delta, state.predicted, tuning, at, next);
        n_failed = t > 0.0 ? 0 : n_failed + 1;
        if (n_failed > 0) model.be_exact();
        if (n_failed == tuning.failed_kink_steps && scale_to_margins(model, tuning, at, next))
            n_failed = 0;
        if (n_failed == tuning.failed_kink_steps) {
            state.stop = Stop::stalled;
            break;
        }
        if (t >= 1.0)
            relax(tuning.damping_after_a_full_step);
        else if (t < tuning.short_kink_step)
            damping = std::max(tuning.smallest_raised_damping,
                               damping * (t > 0.0 ? tuning.damping_after_a_short_step
                                                  : tuning.damping_after_a_failure));
    }
    if (state.stop == Stop::stalled) {
        // Damping makes the prediction small. What is left to gain is told without it.
        damping = 0.0;
        model.be_exact();
        state.predicted = model.minimum(at, Neighbourhood(problem.points, at.plane), damping, delta,
                                        watch);
    }
    state.theta = problem.parameters(at.plane);
    state.value = at.value;
    state.metric.reset();
}

template <class Watch>
void kink_steps(const Problem& problem, Candidate& state, double tolerance, int max_iter,
                const Tuning& tuning, const Watch& watch) {
    KinkModel model(problem, tuning);
    kink_steps(problem, model, state, tolerance, max_iter, tuning, watch);
}

}  // namespace hyplane
