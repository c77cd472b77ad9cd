// From a start to a minimum on more rows than a step can look at one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../local/descent.hpp"
#include "../local/kink_newton.hpp"
#include "../local/pass_model.hpp"
#include "../objective/pass.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// Rows of passes that are kept in memory.
class WorkingSet {
  public:
    explicit WorkingSet(const PassProblem& problem)
        : all_(problem), points_(0, problem.n_dim, false) {}

    // Take rows that are not there yet; returns how many.
    std::size_t take(const RowSample& rows) {
        std::vector<std::size_t> fresh;
        for (std::size_t row = 0; row < rows.size(); ++row)
            if (known_.insert(rows.identity(row)).second) fresh.push_back(row);
        const std::size_t before = points_.n_rows;
        const PackedPoints more = rows.points.take(fresh);
        points_ = joined({&points_, &more});
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

// The number that a share of others are below; 0 where there are none.
inline double quantile(Vector& numbers, double share) {
    if (numbers.empty()) return 0.0;
    const auto last = static_cast<double>(numbers.size() - 1);
    const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(share * last);
    std::nth_element(numbers.begin(), place, numbers.end());
    return *place;
}

// The product that about so many of all rows are below, as those of a sample tell; below 1 where
// more rows than that have a loss.
inline double product_of_rank(const Problem& sample, const Vector& product, std::size_t rank) {
    double left = static_cast<double>(rank);
    for (std::size_t row = 0; row < sample.points.n_rows; ++row)
        if (sample.labels[row] != 0 && product[row] < 1.0) left -= sample.weight(row);
    if (left < 0.0) return 0.0;
    std::vector<std::pair<double, double>> others;  // and for how many rows each stands
    for (std::size_t row = 0; row < sample.points.n_rows; ++row)
        if (sample.labels[row] != 0 && product[row] >= 1.0)
            others.emplace_back(product[row], sample.weight(row));
    std::make_heap(others.begin(), others.end(), std::greater<>());
    for (; !others.empty(); others.pop_back()) {
        std::pop_heap(others.begin(), others.end(), std::greater<>());
        if ((left -= others.back().second) < 0.0) return others.back().first;
    }
    return std::numeric_limits<double>::infinity();
}

// How far the minimum of all rows is from that of a sample, squared: rounding the losses of m rows
// to those of a sample moves some sqrt(m n) of these past their kinks.
inline double spread_of_sample(const Problem& sample, const Vector& product) {
    Vector distance;
    for (std::size_t row = 0; row < sample.points.n_rows; ++row)
        if (sample.labels[row] != 0)
            distance.push_back((1.0 - product[row]) * (1.0 - product[row]) /
                               sample.points.at(row, 0));
    const double size = static_cast<double>(distance.size());
    const double rank = std::sqrt(size * static_cast<double>(sample.n_parameters()));
    return quantile(distance, std::min(1.0, rank / size));
}

// Whether radii differ so much that the losses of the farthest rows vary over far smaller angles
// than those of most.
inline bool has_wide_radii(const Problem& sample, const Tuning& tuning) {
    Vector radii;
    for (std::size_t row = 0; row < sample.points.n_rows; ++row)
        if (sample.labels[row] != 0) radii.push_back(sample.points.radius(row));
    const double median = quantile(radii, 0.5);
    return quantile(radii, 0.99) - median > tuning.wide_radii;
}

// What is known of all rows from a sample of them, at the hyperplane where the steps begin.
struct ManyRowsOptions {
    std::size_t n_working = 0;  // rows that join the working set at a time, at most
    double reach = 0.0;         // a product that about so many rows are below
    double spread = 0.0;        // how far the minimum is, squared
    bool wide = false;          // whether radii vary widely

    ManyRowsOptions() = default;
    ManyRowsOptions(const Problem& sample, const Hyperplane& plane, std::size_t n_rows_working,
                    const Tuning& tuning)
        : n_working(n_rows_working), wide(has_wide_radii(sample, tuning)) {
        Vector product;
        products_of_rows(sample.points, signs_of_rows(sample.points, sample.labels), plane,
                         product);
        reach = product_of_rank(sample, product, n_rows_working);
        spread = spread_of_sample(sample, product);
    }
};

// A descent by ask and tell: `ask` says what a pass over all rows should find, `tell` takes what it
// found.
//
// Where few rows have a loss, these and the rows nearest to having one are kept. The descent goes
// on in memory, and the next pass says whether other rows have a loss at its end; these join.
// Otherwise each step asks for a pass.
class ManyRows {
  public:
    ManyRows(const PassProblem& problem, const Hyperplane& start, const Limits& limits,
             const ManyRowsOptions& options, const Tuning& tuning)
        : problem_(problem),
          limits_(limits),
          options_(options),
          tuning_(tuning),
          model_(problem_, options.spread, tuning),
          set_(problem_) {
        best_.plane = next_ = start;
        // More rows have a loss than the working set takes.
        if (options.reach < 1.0) newton_.emplace(model_, start, limits_, tuning_);
    }

    bool done() const { return done_; }
    Question ask() const {
        if (newton_) return model_.question(newton_->ask());
        Question question = model_.question(next_);
        question.n_lowest = options_.n_working;
        question.reach = options_.reach;
        return question;
    }
    const Candidate& result() const { return best_; }
    std::size_t n_evaluations() const { return n_evaluations_; }

    void tell(Pass pass, const Watch& watch) {
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
        const auto n_working = static_cast<double>(options_.n_working);
        const bool few = pass.n_active <= active_share * n_working;
        if (!first && pass.value <= inside_.value + limits_.tolerance * std::abs(inside_.value)) {
            best_.predicted = inside_.predicted;
            best_.stop = inside_.stop;
            best_.n_iter = inside_.n_iter;
            done_ = true;
            return;
        }
        if (!few || n_rounds_ > most_rounds || (set_.take(pass.lowest) == 0 && !first) ||
            set_.size() == 0 || set_.size() > 8 * options_.n_working)
            return begin_newton(std::move(pass), watch);
        Limits left = limits_;
        left.max_iter -= inside_.n_iter;
        inside_.plane = best_.plane;
        descend(set_.problem(), inside_, left, tuning_, watch);
        next_ = inside_.plane;
    }

  private:
    static constexpr double active_share = 0.75;  // of the working set, for rows with a loss
    static constexpr int most_rounds = 20;        // in which others may join

    void begin_newton(Pass pass, const Watch& watch) {
        newton_.emplace(model_, best_.plane, limits_, tuning_);
        if (pass.value == best_.value) tell_newton(pass, watch);  // it was there
    }

    void tell_newton(Pass& pass, const Watch& watch) {
        newton_->tell(pass, watch);
        if (!newton_->done()) return;
        best_ = {newton_->plane(), newton_->value(), newton_->predicted(), newton_->n_iter(),
                 newton_->stop()};
        done_ = true;
    }

    const PassProblem problem_;
    const Limits limits_;
    const ManyRowsOptions options_;
    const Tuning& tuning_;
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
inline void descend_on_many(const Problem& problem, Candidate& state, const Limits& limits,
                            const ManyRowsOptions& options, const Tuning& tuning,
                            const Watch& watch) {
    ManyRows search(PassProblem::of(problem), state.plane, limits, options, tuning);
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
