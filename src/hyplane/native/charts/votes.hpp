// One-vs-one scores as votes.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace hyplane {

// Scores of the pairs (0, 1), (0, 2), … are positive for the second class. A class gets a vote for
// each pair it wins, and a part between -1/3 and 1/3 from the sum of its scores to break ties.
inline void one_vs_one_votes(const double* scores, std::size_t n_classes, std::size_t first,
                             std::size_t last, double* votes) {
    const std::size_t n_pairs = n_classes * (n_classes - 1) / 2;
    std::vector<double> confidence(n_classes);
    for (std::size_t row = first; row < last; ++row) {
        const double* score = scores + row * n_pairs;
        double* const vote = votes + row * n_classes;
        for (std::size_t c = 0; c < n_classes; ++c) vote[c] = confidence[c] = 0.0;
        for (std::size_t a = 0; a < n_classes; ++a)
            for (std::size_t b = a + 1; b < n_classes; ++b, ++score) {
                vote[b] += *score > 0.0 ? 1.0 : 0.0;
                vote[a] += *score <= 0.0 ? 1.0 : 0.0;
                confidence[b] += *score;
                confidence[a] -= *score;
            }
        for (std::size_t c = 0; c < n_classes; ++c)
            vote[c] += confidence[c] / (3.0 * (std::fabs(confidence[c]) + 1.0));
    }
}

}  // namespace hyplane
