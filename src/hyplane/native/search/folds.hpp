// Cross validation: fits that only compare values of C, each on the rows that its fold keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "far_search.hpp"

namespace hyplane {

// The rows that a fold keeps. Few rows are copied; where they are many, the rows that are left out
// get the label 0 instead. The ball of the points is that of all rows.
class KeptRows {
  public:
    KeptRows(const Problem& all, const std::int64_t* folds, std::int64_t left_out,
             const Tuning& tuning)
        : all_(all), labels_(all.labels, all.labels + all.points.n_padded_rows()) {
        const std::size_t n_rows = all.points.n_rows;
        for (std::size_t row = 0; row < n_rows; ++row)
            if (folds[row] == left_out) labels_[row] = 0;
        if (n_rows > tuning.small_rows) return;
        std::vector<std::size_t> rows;
        for (std::size_t row = 0; row < n_rows; ++row)
            if (labels_[row] != 0) rows.push_back(row);
        chosen_.emplace(all, rows);
    }

    Problem problem(double C) const {
        Problem all = all_;
        all.C = C;
        if (chosen_) return chosen_->problem(all);
        all.labels = labels_.data();
        return all;
    }

  private:
    const Problem& all_;
    std::vector<std::int8_t> labels_;
    std::optional<ChosenRows> chosen_;
};

// To compare values of C, a shorter search is enough: see the fits of folds in
// benchmarks/README.md.
inline Tuning for_comparison(Tuning tuning) {
    tuning.least_kinks = tuning.compared_kinks;
    return tuning;
}

// One hyperplane for each C. A search begins with the minima of the last one as further starts:
// they have seen no other rows.
inline std::vector<Solution> fit_each(const KeptRows& rows, const Vector& Cs, Options options,
                                      const Watch& watch) {
    std::vector<Solution> solutions;
    options.brief = true;
    if (searches_are_cheap(rows.problem(1.0), options.tuning))
        options.tuning = for_comparison(options.tuning);
    for (double C : Cs) {
        solutions.push_back(fit_soft_margin(rows.problem(C), options, watch));
        options.starts = solutions.back().minima;
        if (options.starts.empty()) options.starts.push_back(solutions.back().plane);
    }
    return solutions;
}

}  // namespace hyplane
