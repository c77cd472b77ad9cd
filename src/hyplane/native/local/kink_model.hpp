// The objective around a hyperplane as the steps to a minimum see it: kinks in their true places,
// curvature of the rest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../kernels/product.hpp"
#include "../linalg/dense.hpp"
#include "../objective/problem.hpp"
#include "../rows/point_lines.hpp"
#include "../tuning.hpp"
#include "nearest_kinks.hpp"
#include "neighbourhood.hpp"
#include "step_model.hpp"

namespace hyplane {

// The objective at one hyperplane, and the products that the model of the next step needs.
struct Evaluated {
    Hyperplane plane;
    Vector product;  // y w*x
    double value = std::numeric_limits<double>::infinity();
};

// The model of the objective around a hyperplane, from all rows in memory.
class KinkModel {
  public:
    using Evaluation = Evaluated;
    static constexpr bool cheap_evaluations = true;

    KinkModel(const Problem& problem, const Tuning& tuning)
        : problem_(problem),
          tuning_(tuning),
          n_rows_(problem.points.n_padded_rows()),
          largest_square_(std::exp(2.0 * problem.points.largest_radius)),
          weight_(n_rows_),
          sign_(signs_of_rows(problem.points, problem.labels)),
          share_(n_rows_, -1.0),
          lines_(problem.points, tuning.small_rows),
          near_(problem, tuning),
          model_(problem.points.n_dim, tuning) {
        read_weights();
        block_sums_.resize(problem.points.n_blocks());
        for (Vector* each : {&distance_, &slope_, &curvature_}) each->resize(n_rows_);
        smooth_rows_.resize(n_rows_ + 1);
    }

    // The weights of the problem, which may have changed since.
    void read_weights() {
        for (std::size_t row = 0; row < n_rows_; ++row)
            weight_[row] = problem_.labels[row] == 0 ? 0.0 : problem_.C * problem_.weight(row);
        double total = 0.0;
        for (double c : weight_) total += c;
        rounding_ = rounding_of_a_loss * total;
    }

    // What was learned on the way to another minimum.
    void forget() {
        exact_ = false;
        forget_shares();
        model_.forget();
    }

    StepModel& step() { return model_; }
    double limit() const { return problem_.offset_limit(); }
    double rounding() const { return rounding_; }
    bool is_exact() const { return !partial_; }

    // From now on the curvature is that of all rows. Returns whether it was of a part so far.
    bool refine() {
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

    // Set the model around a hyperplane.
    void expand(const Evaluated& at, const Neighbourhood& around) {
        StepRanges(problem_.points)
            .run(problem_.threads, [&](std::size_t, std::size_t first, std::size_t last) {
                const std::size_t row = first * rows_per_block;
                describe_rows(&at.product[row], &weight_[row], &sign_[row],
                              last * rows_per_block - row, tuning_.kink_reach, &distance_[row],
                              &slope_[row], &curvature_[row]);
            });
        near_.find(distance_, at.product, around.size());
        expand(at.product, around);
    }

    // Remember how much of its slope each kink had.
    void stepped() {
        known_ = near_.rows;
        for (std::size_t j = 0; j < known_.size(); ++j)
            share_[known_[j]] = model_.share(near_.kink_of[j]);
    }

  private:
    // The other rows with a loss: first those where it is convex (y w*x > 0), at the end those
    // where it is concave.
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
    // estimate it. A few far rows can outweigh all others, so a row is drawn with a probability p
    // in proportion to what it can add, and counts 1 / p times. Rows that can add much are always
    // drawn. Returns whether it is a part.
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
        const RowsAt at{lines_, sign_.data(), product.data()};
        model_.begin(around, near_.kinks.size());
        for (std::size_t j = 0; j < near_.rows.size(); ++j) {
            const std::size_t row = near_.rows[j];
            const double c = weight_[row], t = product[row];
            double share = share_[row];
            if (share < 0.0) share = t < 1.0 ? 1.0 : 0.0;
            model_.add_to_kink(near_.kink_of[j], t, c, t < 1.0 ? slope_[row] : c * std::sqrt(0.5),
                               share, curvature_[row]);
        }
        model_.set_kinks(around, at, near_.kinks.data());
        forget_shares();
        for (std::size_t row : near_.rows) slope_[row] = 0.0;
        partial_ = draw_smooth_rows(product, around.size());
        if (partial_)
            around.add_slopes(problem_.points, slope_, sign_, product, model_.gradient,
                              problem_.threads);
        else
            take_smooth_rows(product);
        const std::size_t* const rows = smooth_rows_.data();
        model_.add_rows(around, at, rows, static_cast<std::size_t>(convex_end_ - rows),
                        concave_begin_ + 1,
                        static_cast<std::size_t>(rows + n_rows_ - concave_begin_),
                        curvature_.data(), partial_ ? nullptr : slope_.data());
        model_.add_bound(around, problem_.offset_limit());
    }

    void forget_shares() {
        for (std::size_t row : known_) share_[row] = -1.0;
        known_.clear();
    }

    const Problem& problem_;
    const Tuning& tuning_;
    const std::size_t n_rows_;
    const double largest_square_;  // e^2r
    Vector weight_;
    double rounding_ = 0.0;  // of the objective
    Vector sign_;            // y e^-r
    Vector share_;           // multiplier / largest multiplier of each row, or -1 where unknown
    std::vector<std::size_t> known_;  // the rows where it is known
    bool exact_ = false;              // whether all rows must tell the curvature
    bool partial_ = false;            // whether a part of them was used for the last one
    const PointLines lines_;
    NearestKinks near_;
    Vector distance_, slope_, curvature_, block_sums_;
    std::vector<std::size_t> smooth_rows_;
    std::size_t *convex_end_ = nullptr, *concave_begin_ = nullptr;  // of these
    StepModel model_;
};

}  // namespace hyplane
