// From a start to a minimum on more rows than a step can look at one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../local/descent.hpp"
#include "../local/kink_newton.hpp"
#include "../local/pass_model.hpp"
#include "../objective/problem.hpp"
#include "../rows/pass.hpp"
#include "../tuning.hpp"

namespace hyplane {

// Rows of passes that are kept in memory.
class WorkingSet {
  public:
    explicit WorkingSet(const PassProblem& problem) : all_(problem), points_(0, problem.n_dim, false) {}

    // Take rows that are not there yet; returns how many.
    std::size_t take(const RowSample& rows) {
        std::vector<std::size_t> fresh;
        for (std::size_t row = 0; row < rows.size(); ++row)
            if (known_.insert(rows.identity(row)).second) fresh.push_back(row);
        const std::size_t before = points_.n_rows;
        PackedPoints joined(before + fresh.size(), points_.n_dim, false);
        for (std::size_t row = 0; row < joined.n_rows; ++row)
            for (std::size_t c = 0; c <= joined.n_dim; ++c)
                joined.at(row, c) = row < before ? points_.at(row, c)
                                                 : rows.points.at(fresh[row - before], c);
        points_ = std::move(joined);
        points_.largest_radius = all_.largest_radius;
        labels_.resize(before);
        weights_.resize(before);
        for (std::size_t row : fresh) {
            labels_.push_back(rows.labels[row]);
            weights_.push_back(rows.weights[row]);
        }
        labels_.resize(points_.n_padded_rows(), 0);
        weights_.resize(points_.n_padded_rows(), 0.0);
        return fresh.size();
    }

    std::size_t size() const { return points_.n_rows; }
    Problem problem() const {
        return {points_, labels_.data(), weights_.data(), all_.C, all_.beyond};
    }

  private:
    const PassProblem& all_;
    PackedPoints points_;
    std::vector<std::int8_t> labels_;
    Vector weights_;
    std::unordered_set<std::uint64_t> known_;
};

// A descent by ask and tell: `ask` says what a pass over all rows should find, `tell` takes what it found.
//
// Where few rows have a loss, these and the rows nearest to having one are kept. The descent goes on in
// memory, and the next pass says whether other rows have a loss at its end; these join. Otherwise each step
// asks for a pass.
class ManyRows {
  public:
    // At most `n_working` rows join the working set at a time; about so many are below the product `reach`.
    ManyRows(const PassProblem& problem, const Hyperplane& start, const Limits& limits,
             std::size_t n_working, double reach, const Tuning& tuning)
        : problem_(problem), limits_(limits), tuning_(tuning), n_working_(n_working),
          reach_(reach),
          model_(problem_, tuning), set_(problem_) {
        best_.plane = next_ = start;
        if (reach < 1.0) newton_.emplace(model_, start, limits_, tuning_);  // more rows have a loss
    }

    bool done() const { return done_; }
    Question ask() const {
        if (newton_) return model_.question(newton_->ask());
        Question question = model_.question(next_);
        question.n_lowest = n_working_;
        question.reach = reach_;
        return question;
    }
    const Candidate& result() const { return best_; }
    std::size_t n_evaluations() const { return n_evaluations_; }

    template <class Watch> void tell(Pass pass, const Watch& watch) {
        ++n_evaluations_;
        pass.evaluate(problem_.C);
        if (newton_) return tell_newton(pass, watch);
        const bool first = n_rounds_++ == 0;
        if (pass.value < best_.value || first) {
            best_.plane = pass.plane;
            best_.value = pass.value;
        } else if (!first) {
            next_ = best_.plane;  // and with more rows
        }
        const bool few = pass.n_active <= tuning_.active_share * static_cast<double>(n_working_);
        if (!first && pass.value <= inside_.value + limits_.tolerance * std::abs(inside_.value)) {
            best_.predicted = inside_.predicted;
            best_.stop = inside_.stop;
            best_.n_iter = inside_.n_iter;
            done_ = true;
            return;
        }
        if (!few || n_rounds_ > tuning_.working_rounds || (set_.take(pass.lowest) == 0 && !first) ||
            set_.size() == 0 || set_.size() > 8 * n_working_)
            return begin_newton(std::move(pass), watch);
        const Problem part = set_.problem();
        inside_.plane = best_.plane;
        Limits left = limits_;
        left.max_iter -= inside_.n_iter;
        descend(part, inside_, left, tuning_, watch);
        n_evaluations_ += part.n_evaluations;
        next_ = inside_.plane;
    }

  private:
    template <class Watch> void begin_newton(Pass pass, const Watch& watch) {
        newton_.emplace(model_, best_.plane, limits_, tuning_);
        if (pass.value == best_.value) tell_newton(pass, watch);  // it was there
    }

    template <class Watch> void tell_newton(Pass& pass, const Watch& watch) {
        newton_->tell(pass, watch);
        if (!newton_->done()) return;
        best_ = {newton_->plane(), newton_->value(), newton_->predicted(),
                 newton_->n_iter(), newton_->stop()};
        done_ = true;
    }

    const PassProblem problem_;
    const Limits limits_;
    const Tuning& tuning_;
    const std::size_t n_working_;
    const double reach_;
    PassModel model_;
    std::optional<KinkNewton<PassModel>> newton_;
    WorkingSet set_;
    Hyperplane next_;
    Candidate best_, inside_;
    int n_rounds_ = 0;
    std::size_t n_evaluations_ = 0;
    bool done_ = false;
};

// The loop for rows in memory.
template <class Watch>
void descend_on_many(const Problem& problem, Candidate& state, const Limits& limits, double reach,
                     const Tuning& tuning, const Watch& watch) {
    ManyRows search(PassProblem::of(problem), state.plane, limits, tuning.working_rows, reach, tuning);
    while (!search.done()) {
        watch();
        search.tell(pass_over_rows(problem, search.ask()), watch);
    }
    problem.n_evaluations += search.n_evaluations();
    const int n_iter = state.n_iter;
    state = search.result();
    state.n_iter += n_iter;
}

}  // namespace hyplane
