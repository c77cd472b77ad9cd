// From the neighbourhood of a minimum to the minimum: coordinates around a hyperplane, kink steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../linalg/dense.hpp"
#include "../objective/points.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "quasi_newton.hpp"

namespace hyplane {

// Hyperplanes near a given one, in coordinates δ without a redundant one. With w = s (sinh a,
// cosh a · u) and the point P = (cosh a, sinh a · u) of the hyperplane nearest to the origin,
//
//     w(δ) = w + s (δ_0 P + δ_1 w/s + δ_2 e_2 + … + δ_n e_n),   e_i a basis of u's complement:
//
// to first order δ_0 moves a, δ_1 moves log s and the others turn u. Every w*x is linear in δ.

// Near points only.
class Neighbourhood {
  public:
    Neighbourhood(const PackedPoints& points, const Hyperplane& plane)
        : points_(points), centre_(plane), product_(centre_), sinh_(std::sinh(centre_.offset)),
          cosh_(std::cosh(centre_.offset)) {
        // The reflection that takes u to ± the first axis; its other columns are the e_i.
        mirror_ = centre_.normal;
        mirror_[0] += std::copysign(1.0, mirror_[0]);
        half_square_ = 0.5 * dot(mirror_, mirror_);
    }

    std::size_t size() const { return points_.n_dim + 1; }
    double offset() const { return centre_.offset; }
    double log_scale() const { return centre_.log_scale; }

    // y w*x of every row; a label of 0 gives 0.
    void products(const std::int8_t* labels, Vector& out) const {
        out.resize(points_.n_padded_rows());
        for (std::size_t b = 0; b < points_.n_blocks(); ++b)
            block_products(points_.block(b), labels + b * rows_per_block, &out[b * rows_per_block]);
    }

    // d(-y w*x) / dδ of the chosen rows.
    void derivatives(const std::vector<std::size_t>& rows, const std::int8_t* labels,
                     Columns& out) const {
        const std::size_t n = points_.n_dim, count = rows.size();
        Vector lever(count), along(count, 0.0), chord(count, 0.0), v(count);
        std::vector<const double*> first(count);
        for (std::size_t k = 0; k < count; ++k)
            first[k] = points_.block(rows[k] / rows_per_block) + rows[k] % rows_per_block;
        const auto gather = [&](std::size_t column) {
            for (std::size_t k = 0; k < count; ++k) v[k] = first[k][column * rows_per_block];
        };
        for (std::size_t c = 0; c < n; ++c) {
            gather(c + 1);
            const double u = centre_.normal[c], m = mirror_[c] / half_square_;
            double* line = out.line(c == 0 ? 0 : c + 1);  // line 0 is written again below
            for (std::size_t k = 0; k < count; ++k) {
                line[k] = v[k] - u;
                chord[k] += line[k] * line[k];
                along[k] += m * line[k];
            }
        }
        gather(0);
        // e_i has unit length where cosh a · u changes by cosh a.
        const double per_turn = product_.by_direction() / cosh_;
        for (std::size_t k = 0; k < count; ++k) {
            const double y = -centre_.orientation * labels[rows[k]] / std::sqrt(v[k]);
            out.line(0)[k] = y * product_.by_offset(v[k], chord[k]);
            out.line(1)[k] = y * product_.value(v[k], chord[k]);
            lever[k] = y * per_turn * (v[k] - 1.0);
        }
        for (std::size_t c = 1; c < n; ++c) {
            double* line = out.line(c + 1);
            for (std::size_t k = 0; k < count; ++k)
                line[k] = lever[k] * (line[k] - along[k] * mirror_[c]);
        }
    }

    // w(t δ) within |a| <= bound; false where it is no hyperplane, or so far from this one that
    // the model says nothing about it.
    bool moved(const Vector& delta, double t, double bound, const Tuning& tuning,
               Hyperplane& out) const {
        const std::size_t n = points_.n_dim;
        const double along = 1.0 + t * delta[1], lift = t * delta[0];
        Vector side(n, 0.0);
        for (std::size_t c = 1; c < n; ++c) side[c] = t * delta[c + 1];
        const double square = along * along + dot(side, side) - lift * lift;
        if (!(along > tuning.smallest_kept_scale) ||
            !(square > tuning.smallest_kept_square * along * along))
            return false;
        const double reflected = dot(mirror_, side) / half_square_;
        const double length = along * cosh_ + lift * sinh_;
        out.normal.resize(n);
        for (std::size_t c = 0; c < n; ++c)
            out.normal[c] = length * centre_.normal[c] + side[c] - reflected * mirror_[c];
        const double size = std::sqrt(dot(out.normal, out.normal));
        if (!(size > 0.0) || !std::isfinite(size)) return false;
        for (double& u : out.normal) u *= centre_.orientation / size;
        const double a = std::asinh((along * sinh_ + lift * cosh_) / std::sqrt(square));
        out.offset = centre_.orientation * std::max(-bound, std::min(bound, a));
        out.log_scale = centre_.log_scale + 0.5 * std::log(square);
        return true;
    }

  private:
    void block_products(const double* block, const std::int8_t* label, double* out) const {
        double chord[rows_per_block];
        squared_chords(block + rows_per_block, centre_.normal.data(), points_.n_dim, chord);
        for (std::size_t j = 0; j < rows_per_block; ++j)
            out[j] = centre_.orientation * label[j] * product_.value(block[j], chord[j]) /
                     std::sqrt(block[j]);
    }

    const PackedPoints& points_;
    const OrientedHyperplane centre_;
    const NearProduct product_;
    const double sinh_, cosh_;
    Vector mirror_;
    double half_square_;
};

// The last steps to a minimum with kinks. Quasi-Newton is slow where many points lie exactly on
// their margin y w*x = 1; there each step solves a model that keeps the kinks (composite
// nonsmooth optimisation: Fletcher 1982, Womersley and Fletcher 1986). In the coordinates δ of
// Neighbourhood each w*x is linear, so the model has the kinks in their true places, and the
// second derivatives of everything else are known.

// The model of the objective around a hyperplane: gradient and curvature of what is smooth there,
// and the rows near their kink one by one. The curvature is kept in two parts, convex and concave,
// since the model must be convex: it is convex + θ concave with θ = -1 if possible (the truth),
// more otherwise.
class KinkModel {
  public:
    KinkModel(const Problem& problem, const Tuning& tuning)
        : problem_(problem), tuning_(tuning), share_(problem.points.n_rows, -1.0) {}

    // The step δ to the minimum of the model; returns the decrease that the model predicts.
    // `damping`: 0 for the true curvature, ½ without the concave part, 1 with its opposite, and
    // more; it is raised until the model is convex.
    template <class Watch>
    double minimum(const Neighbourhood& around, double& damping, Vector& delta,
                   const Watch& watch) {
        const std::size_t n = around.size();
        around.products(problem_.labels, product_);
        choose_rows(around);
        expand(around);
        add_bound(around);
        Vector scale(n), factor(n * n);
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
        solve_lower(factor.data(), gradient_.data(), n);
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
    double weight(std::size_t row) const { return problem_.C * problem_.weight(row); }

    // rows_: first those near enough to their kink to be modelled with it, then the other rows
    // with a loss where that is convex (y w*x > 0), then those where it is concave.
    void choose_rows(const Neighbourhood& around) {
        const std::size_t most =
            std::max(tuning_.least_kinks, tuning_.kinks_per_parameter * around.size());
        near_.clear();
        rows_.clear();
        std::vector<std::size_t> convex, concave;
        for (std::size_t row = 0; row < problem_.points.n_rows; ++row) {
            if (problem_.labels[row] == 0) continue;
            const double t = product_[row];
            const double gap = (1.0 - t) * (1.0 - t), square = 1.0 + t * t;
            if (gap < tuning_.kink_reach * square)
                near_.push_back({gap / square, row});
            else if (t < 1.0)
                (t > 0.0 ? convex : concave).push_back(row);
        }
        if (near_.size() > most) {
            std::nth_element(near_.begin(), near_.begin() + most, near_.end());
            for (std::size_t k = most; k < near_.size(); ++k)
                if (product_[near_[k].second] < 1.0) convex.push_back(near_[k].second);
            near_.resize(most);
        }
        for (const auto& near : near_) rows_.push_back(near.second);
        n_kinked_ = rows_.size();
        rows_.insert(rows_.end(), convex.begin(), convex.end());
        n_convex_ = rows_.size();
        rows_.insert(rows_.end(), concave.begin(), concave.end());
    }

    void expand(const Neighbourhood& around) {
        // A row that stays at its kink can be given any curvature: it does not change the model
        // along steps that keep the row there.
        const std::size_t n = around.size();
        const double squared_scale = std::exp(2.0 * around.log_scale());
        slopes_.reset(n, rows_.size());
        around.derivatives(rows_, problem_.labels, slopes_);
        program_.v.reset(n, n_kinked_ + 2);
        program_.gap.clear();
        program_.bound.clear();
        program_.multiplier.clear();
        Vector steepness(rows_.size(), 0.0), curvature(rows_.size());
        known_.swap(share_);
        share_.assign(known_.size(), -1.0);
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            const double c = weight(rows_[k]), t = product_[rows_[k]];
            const double square = 1.0 + t * t, root = std::sqrt(square);
            curvature[k] = c * std::abs(t) / (square * root);
            if (k >= n_kinked_) {
                steepness[k] = c / root;
                continue;
            }
            double share = known_[rows_[k]];
            if (share < 0.0) share = t < 1.0 ? 1.0 : 0.0;
            curvature[k] *= share;
            if (share > 0.0 && share < 1.0) curvature[k] += tuning_.kink_stiffness * c;
            const double slope = c * (t < 1.0 ? 1.0 / root : std::sqrt(0.5));
            program_.gap.push_back(1.0 - t);
            program_.bound.push_back(slope);
            program_.multiplier.push_back(share >= 0.5 ? slope : 0.0);
        }
        gradient_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double* line = slopes_.line(i);
            gradient_[i] = sum_of_products(line, steepness.data(), rows_.size());
            std::copy(line, line + n_kinked_, program_.v.line(i));
        }
        gradient_[1] += squared_scale;
        convex_.assign(n * n, 0.0);
        concave_.assign(n * n, 0.0);
        concave_[0] = squared_scale;
        for (std::size_t i = 1; i < n; ++i) convex_[i * n + i] = squared_scale;
        add_gram(slopes_, curvature.data(), 0, n_convex_, convex_.data());
        add_gram(slopes_, curvature.data(), n_convex_, rows_.size(), concave_.data());
    }

    // -R <= a <= R as two more kinks. Where it holds, a changes by δ_0 - ½ tanh a (δ_2² + … + δ_n²)
    // to second order.
    void add_bound(const Neighbourhood& around) {
        const std::size_t n = around.size();
        for (double side : {1.0, -1.0}) {
            for (std::size_t i = 0; i < n; ++i)
                program_.v.line(i)[program_.gap.size()] = i == 0 ? side : 0.0;
            program_.gap.push_back(side * around.offset() - problem_.offset_limit());
            program_.bound.push_back(std::numeric_limits<double>::infinity());
            program_.multiplier.push_back(0.0);
        }
        const double turn = hold_ * std::tanh(around.offset());
        for (std::size_t i = 2; i < n; ++i)
            (turn > 0.0 ? concave_ : convex_)[i * n + i] += std::abs(turn);
    }

    void keep_multipliers() {
        for (std::size_t k = 0; k < n_kinked_; ++k)
            if (program_.bound[k] > 0.0)
                share_[rows_[k]] = program_.multiplier[k] / program_.bound[k];
        hold_ = program_.multiplier[n_kinked_] - program_.multiplier[n_kinked_ + 1];
    }

    const Problem& problem_;
    const Tuning& tuning_;
    Vector share_, known_;  // of each row's steepness: its multiplier, or -1 for one not known
    double hold_ = 0.0;     // the multiplier of the bound on a
    Vector product_;
    std::vector<std::pair<double, std::size_t>> near_;
    std::vector<std::size_t> rows_;
    std::size_t n_kinked_ = 0, n_convex_ = 0;
    Columns slopes_;
    Vector gradient_, convex_, concave_;
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
inline double search_along(const Problem& problem, const Neighbourhood& around, const Vector& delta,
                           double predicted, const Tuning& tuning, Hyperplane& plane,
                           double& value) {
    const double bound = problem.offset_limit(), start = value;
    Hyperplane next;
    Vector d_normal;
    double d_scale, d_offset, found = 0.0;
    const auto lower_at = [&](double t, double goal) {
        if (!around.moved(delta, t, bound, tuning, next)) return false;
        double reached = problem.at_hyperplane(next, d_scale, d_offset, d_normal);
        problem.move_out(next, reached);
        if (!(reached < goal)) return false;
        found = t;
        value = reached;
        plane = next;
        return true;
    };
    for (double t = 1.0; t > tuning.shortest_kink_step; t *= 0.5)
        if (lower_at(t, start - tuning.sufficient_decrease * t * predicted)) break;
    if (found == 1.0 && start - value > tuning.surplus * predicted)
        while (found < tuning.longest_kink_step && lower_at(2.0 * found, value)) {
        }
    return found;
}

// Converged means: no step of the model, with the least damping that makes it convex, predicts a
// decrease beyond the tolerance or beyond the rounding of the sum of losses.
template <class Watch>
void kink_steps(const Problem& problem, Candidate& state, double tolerance, int max_iter,
                const Tuning& tuning, const Watch& watch) {
    const double rounding = tuning.rounding_of_a_loss * problem.C *
                            static_cast<double>(problem.points.n_rows);
    Hyperplane plane = problem.hyperplane(state.theta);
    KinkModel model(problem, tuning);
    Vector delta;
    double damping = 0.0;
    const auto relax = [&](double factor) {
        damping = damping < tuning.least_damping ? 0.0 : factor * damping;
    };
    int n_failed = 0;
    state.stop = Stop::out_of_iterations;
    for (int iteration = 0; iteration < max_iter; ++iteration) {
        watch();
        const Neighbourhood around(problem.points, plane);
        const double asked = damping;
        state.predicted = model.minimum(around, damping, delta, watch);
        if (!std::isfinite(state.predicted)) {
            state.stop = Stop::stalled;
            break;
        }
        if (state.predicted <= tolerance * std::abs(state.value) + rounding) {
            state.stop = Stop::converged;
            if (damping > asked || damping == 0.0) break;
            // The tolerance must be met by the least damping, not by this one.
            relax(tuning.damping_after_a_prediction);
            continue;
        }
        state.stop = Stop::out_of_iterations;
        ++state.n_iter;
        const double t =
            search_along(problem, around, delta, state.predicted, tuning, plane, state.value);
        n_failed = t > 0.0 ? 0 : n_failed + 1;
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
        state.predicted =
            model.minimum(Neighbourhood(problem.points, plane), damping, delta, watch);
    }
    state.theta = problem.parameters(plane);
    state.value = problem(state.theta, state.gradient);
    state.metric.reset();
}

}  // namespace hyplane
