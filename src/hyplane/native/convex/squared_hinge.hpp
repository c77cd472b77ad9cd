// The linear SVM with the squared hinge, of which cross validation makes thousands of small fits.
#pragma once

#include <cstddef>
#include <functional>

namespace hyplane {

// Rows z as columns: line i holds the i-th coordinate of each.
struct HingeRows {
    const double* lines;
    std::size_t n_dim, n_rows;

    const double* line(std::size_t i) const { return lines + i * n_rows; }
};

// Minimises ½|w|² + Σ c max(0, 1 - w·z)² for each line of weights c, by Newton's method from w = 0.
// Returns how many lines were solved before the first whose steps ran out. `watch` is called now
// and then, and may throw.
std::size_t squared_hinge(const HingeRows& rows, const double* weights, std::size_t n_fits,
                          double tolerance, int max_iter, double* w,
                          const std::function<void()>& watch);

}  // namespace hyplane
