// The model of the objective around a hyperplane, from one pass over the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../objective/pass.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "neighbourhood.hpp"
#include "step_model.hpp"

namespace hyplane {

// Some rows of a pass at its hyperplane: y e^-r, y w*x, and the lines that derivatives are made of.
struct RowsOfPass {
    PointLines lines;
    Vector sign, product;

    RowsOfPass(const RowSample& rows, const Hyperplane& plane)
        : lines(rows.points, rows.points.n_rows),
          sign(signs_of_rows(rows.points, rows.labels.data())) {
        products_of_rows(rows.points, sign, plane, product);
    }
    RowsAt at() const { return {lines, sign.data(), product.data()}; }
};

class PassModel {
  public:
    using Evaluation = Pass;
    static constexpr bool cheap_evaluations = false;

    // `spread`: of the kinks at first.
    PassModel(const PassProblem& problem, double spread, const Tuning& tuning)
        : problem_(problem),
          tuning_(tuning),
          n_kinks_(
              std::max(tuning.least_pass_kinks, tuning.kinks_per_parameter * (problem.n_dim + 1))),
          spread_(spread),
          n_curved_(std::max(tuning.least_model_rows, tuning.model_rows * (problem.n_dim + 1))),
          model_(problem.n_dim, tuning) {}

    // What to ask of the rows at a hyperplane.
    Question question(const Hyperplane& plane) const {
        const std::size_t n_curved = exact_ ? tuning_.exact_model_rows * n_curved_ : n_curved_;
        Question question{plane, n_kinks_, n_curved, 0, 0.0, spread_};
        if (last_kinks_ == 0) return question;
        // Distances are squares. A few times as many rows as wanted are let through.
        const double more = static_cast<double>(n_kinks_) / static_cast<double>(last_kinks_);
        const double wider =
            std::max(spread_, last_near_cutoff_) / std::max(last_spread_, last_near_cutoff_);
        question.near_cutoff = cutoff_slack * last_near_cutoff_ * more * more * std::sqrt(wider);
        question.curved_cutoff = last_curved_cutoff_ / cutoff_slack *
                                 static_cast<double>(last_curved_) / static_cast<double>(n_curved);
        return question;
    }

    StepModel& step() { return model_; }
    double limit() const { return problem_.largest_radius + problem_.beyond; }
    double rounding() const { return rounding_of_a_loss * problem_.C * problem_.total_weight; }
    double smallest_product(const Pass& at) const { return at.smallest_product; }
    bool is_exact() const { return exact_ || effective_rows_ >= tuning_.effective_rows; }
    bool refine() { return !std::exchange(exact_, true); }

    void expand(const Pass& at, const Neighbourhood& around) {
        last_kinks_ = at.near.size();
        last_curved_ = at.curved.size();
        last_near_cutoff_ = at.near_cutoff;
        last_spread_ = at.spread;
        last_curved_cutoff_ = at.curved_cutoff;
        std::unordered_set<std::uint64_t> alone;
        model_.begin(around, at.near.size());
        around.add_gradient(at.sums, problem_.C, model_.gradient);
        add_kinks(at, around, RowsOfPass(at.near, at.plane), alone);
        add_curvature(at, around, RowsOfPass(at.curved, at.plane), alone);
        model_.add_bound(around, limit());
    }

    // Remember how much of its slope each kink had, and how far the step moves w as the kinks see
    // it: the next one is likely to be shorter.
    void stepped() {
        exact_ = false;
        shares_.clear();
        spread_ = 0.0;
        for (std::size_t k = 0; k < identities_.size(); ++k) {
            if (model_.share(k) >= 0.0) shares_[identities_[k]] = model_.share(k);
            const double moved = tuning_.next_step * model_.moved(k);
            spread_ += moved * moved / (squares_[k] * static_cast<double>(squares_.size()));
        }
    }

  private:
    static constexpr double cutoff_slack = 4.0;  // of cutoffs over those of the last pass

    // The gradient of the pass has the slopes of all rows: those of kinks are taken out, which stay
    // exact however many rows a kink stands for. A kink that stands for itself has its own
    // curvature; of the others the rows of the curvature tell it.
    void add_kinks(const Pass& at, const Neighbourhood& around, const RowsOfPass& rows,
                   std::unordered_set<std::uint64_t>& alone) {
        const std::size_t count = at.near.size();
        std::vector<std::size_t> kinks(count);
        std::iota(kinks.begin(), kinks.end(), std::size_t{0});
        identities_.resize(count);
        squares_.resize(count);
        for (std::size_t k = 0; k < count; ++k) {
            const double z = rows.product[k], c = problem_.C * at.near.weights[k];
            squares_[k] = at.near.points.at(k, 0);
            const double distance = std::max(at.spread, (1.0 - z) * (1.0 - z) / squares_[k]);
            const double stands_for =
                std::max(1.0, distance / (at.near.weights[k] * at.near_cutoff));
            const double square = 1.0 + z * z, steep = c / std::sqrt(square);
            const bool active = z < kink_product, single = stands_for == 1.0 && z > 0.0;
            identities_[k] = at.near.identity(k);
            if (single) alone.insert(identities_[k]);
            const auto known = shares_.find(identities_[k]);
            const double share = known == shares_.end() ? (active ? 1.0 : 0.0) : known->second;
            model_.add_to_kink(k, z, stands_for * c,
                               stands_for * (active ? steep : c * std::sqrt(0.5)), share,
                               single ? steep * z / square : 0.0);
        }
        model_.set_kinks(around, rows.at(), kinks.data());
        model_.take_kinks_from_gradient();
    }

    void add_curvature(const Pass& at, const Neighbourhood& around, const RowsOfPass& rows,
                       const std::unordered_set<std::uint64_t>& alone) {
        Vector curvature(at.curved.size(), 0.0);
        std::vector<std::size_t> convex, concave;
        double sum = 0.0, squares = 0.0;  // of what all rows can add, as these tell
        for (std::size_t k = 0; k < at.curved.size(); ++k) {
            const double z = rows.product[k], per_root = 1.0 / std::sqrt(1.0 + z * z);
            const double bend = at.curved.weights[k] * z * per_root * per_root * per_root;
            const double most = at.curved.points.at(k, 0) * std::abs(bend);
            sum += std::max(most, at.curved_cutoff);
            squares += most * std::max(most, at.curved_cutoff);
            if (!(most > 0.0) || alone.count(at.curved.identity(k)) > 0) continue;
            curvature[k] = problem_.C * bend * std::max(1.0, at.curved_cutoff / most);
            (z > 0.0 ? convex : concave).push_back(k);
        }
        effective_rows_ =
            at.curved_cutoff > 0.0 ? sum * sum / squares : std::numeric_limits<double>::infinity();
        model_.add_rows(around, rows.at(), convex.data(), convex.size(), concave.data(),
                        concave.size(), curvature.data(), nullptr);
    }

    const PassProblem& problem_;
    const Tuning& tuning_;
    const std::size_t n_kinks_;
    double spread_;
    const std::size_t n_curved_;
    bool exact_ = false;
    double effective_rows_ = 0.0;  // equal rows that would tell the curvature as well as all do
    std::size_t last_kinks_ = 0, last_curved_ = 0;  // of the last pass, and its cutoffs
    double last_near_cutoff_ = 0.0, last_curved_cutoff_ = 0.0, last_spread_ = 0.0;
    StepModel model_;
    std::vector<std::uint64_t> identities_;
    Vector squares_;  // e^2r of the kinks
    std::unordered_map<std::uint64_t, double> shares_;
};

}  // namespace hyplane
