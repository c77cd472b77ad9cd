// The rows nearest to their kink, which the model of a kink step keeps one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "../kernels/product.hpp"
#include "../linalg/dense.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// Equal rows share a kink. Data may have many of them: a model that kept some of them and took the
// others for smooth would be wrong where they all are, at their kink.
class NearestKinks {
  public:
    NearestKinks(const Problem& problem, const Tuning& tuning)
        : problem_(problem),
          tuning_(tuning),
          n_rows_(problem.points.n_padded_rows()),
          guess_(0.0) {}

    // Given the distance of each row from its kink, and y w*x, of which equal rows have the same.
    void find(const Vector& distance, const Vector& product, std::size_t n_parameters) {
        const std::size_t wanted =
            std::max(tuning_.least_kinks, tuning_.kinks_per_parameter * n_parameters);
        for (int attempt = 0;; ++attempt) {
            const bool even = choose(distance, wanted);
            if (even && repeats_ == 1 && !first_is_repeated(distance)) {
                kinks = rows;
                kink_of.resize(rows.size());
                std::iota(kink_of.begin(), kink_of.end(), std::size_t{0});
                return;
            }
            merge_equal_rows(product);
            const std::size_t repeats = rows.size() / std::max<std::size_t>(1, kinks.size());
            if (attempt > 0 || repeats <= repeats_) break;
            repeats_ = repeats;
        }
    }

    std::vector<std::size_t> rows;     // near their kink
    std::vector<std::size_t> kink_of;  // each of them
    std::vector<std::size_t> kinks;    // one row of each kink

  private:
    static constexpr double spare_kinks = 0.05;  // share by which they may be more or fewer
    static constexpr int most_trials = 30;       // until their number is right

    // Rows below a distance of which there are as many as are wanted, give or take some, or those
    // below `kink_reach`. The distance is a square, so the number of rows grows like its root.
    // Returns whether there is such a distance: many rows can have the same.
    bool choose(const Vector& distance, std::size_t n_kinks) {
        const std::size_t wanted = std::min(n_rows_, n_kinks * repeats_);
        const std::size_t spare =
            repeats_ + static_cast<std::size_t>(spare_kinks * static_cast<double>(wanted));
        const double reach = not_near;
        if (!(guess_ > 0.0)) guess_ = quantile(distance, wanted);
        double guess = std::min(reach, guess_), below = 0.0, above = reach;
        bool even = false;
        for (int trial = 0; trial < most_trials; ++trial) {
            const std::size_t count = count_below(distance.data(), n_rows_, guess);
            const bool too_many = count > wanted + spare;
            even = !too_many && (count + spare >= wanted || guess == reach);
            if (even) {
                rows.resize(count + 1);
                break;
            }
            (too_many ? above : below) = guess;
            const double ratio = static_cast<double>(wanted) / static_cast<double>(count + 1);
            guess = std::min(guess * ratio * ratio, reach);
            if (!(guess > below && (guess < above || above == reach)))
                guess = 0.5 * (below + above);
        }
        guess_ = even ? guess : above;
        if (!even) rows.resize(count_below(distance.data(), n_rows_, guess_) + 1);
        rows.resize(find_below(distance.data(), n_rows_, guess_, rows.data()));
        return even;
    }

    // The distance that so many rows are below.
    static double quantile(Vector distance, std::size_t count) {
        const auto place =
            distance.begin() + static_cast<std::ptrdiff_t>(std::min(count, distance.size() - 1));
        std::nth_element(distance.begin(), place, distance.end());
        return std::max(*place, 1e-300);
    }

    // Where rows are repeated, that one most likely is.
    bool first_is_repeated(const Vector& distance) const {
        return std::count_if(rows.begin(), rows.end(), [&](std::size_t row) {
                   return distance[row] == distance[rows.front()];
               }) > 1;
    }

    void merge_equal_rows(const Vector& product) {
        std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
            return product[a] < product[b] || (product[a] == product[b] && a < b);
        });
        kinks.clear();
        kink_of.resize(rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const bool same = k > 0 && product[rows[k]] == product[rows[k - 1]] &&
                              equal_rows(problem_, rows[k], rows[k - 1]);
            if (!same) kinks.push_back(rows[k]);
            kink_of[k] = kinks.size() - 1;
        }
    }

    const Problem& problem_;
    const Tuning& tuning_;
    const std::size_t n_rows_;
    std::size_t repeats_ = 1;  // of a row near its kink, on average
    double guess_;             // of the distance of the farthest
};

}  // namespace hyplane
