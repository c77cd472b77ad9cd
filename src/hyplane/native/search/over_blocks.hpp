// What a fit asks of rows that are read block by block.
//
// A block holds the class of each row as a number, and many problems share it. A problem is three
// numbers: the class on the positive side, the class on the negative side (-1 for all others), and
// the fold whose rows do not count (-1 for none). Where rows have several labels, the positive class
// is the number of a label, and the rows without it are on the other side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../local/neighbourhood.hpp"
#include "../objective/problem.hpp"
#include "multistart.hpp"

namespace hyplane {

struct BlockRows {
    const PackedPoints& points;
    const std::int32_t* codes;    // the class of each row, or null
    const std::int8_t* several;   // else one line per row: 1 for each label that it has, and 0
    std::size_t n_labels;         // of a line
    const double* weights;        // or null; one per row
    const std::int32_t* folds;    // or null
};

struct BlockProblem {
    std::int32_t positive, negative, left_out;
};

// 1, -1, or 0 where a row does not count; `out` is for the rows from `first` to `last`, of which
// those beyond the last row do not count.
HYPLANE_EVERY_CPU void labels_between(const BlockRows& rows, const BlockProblem& problem,
                                      std::size_t first, std::size_t last,
                                      std::int8_t* __restrict out) {
    const std::size_t n_labels = rows.n_labels;
    const std::size_t count = std::min(last, rows.points.n_rows) - first;
    const std::int32_t* const codes = rows.codes == nullptr ? nullptr : rows.codes + first;
    const std::int32_t positive = problem.positive, negative = problem.negative;
    if (rows.several != nullptr) {
        const std::int8_t* const present = rows.several + first * n_labels + positive;
        for (std::size_t j = 0; j < count; ++j) out[j] = present[j * n_labels] ? 1 : -1;
    } else if (negative < 0) {
        for (std::size_t j = 0; j < count; ++j) out[j] = codes[j] == positive ? 1 : -1;
    } else {
        for (std::size_t j = 0; j < count; ++j)
            out[j] = static_cast<std::int8_t>((codes[j] == positive) - (codes[j] == negative));
    }
    for (std::size_t j = count; j < last - first; ++j) out[j] = 0;
    if (rows.folds == nullptr || problem.left_out < 0) return;
    const std::int32_t* const folds = rows.folds + first;
    const std::int32_t left_out = problem.left_out;
    for (std::size_t j = 0; j < count; ++j)
        if (folds[j] == left_out) out[j] = 0;
}

// The same of all rows, filled up to whole blocks.
inline void labels_for(const BlockRows& rows, const BlockProblem& problem,
                       std::vector<std::int8_t>& labels) {
    labels.resize(rows.points.n_padded_rows());
    labels_between(rows, problem, 0, labels.size(), labels.data());
}

// A number in [0, 1) of the number of each row and a seed, by SplitMix64.
HYPLANE_EVERY_CPU void keys_of_stretch(const std::int64_t* rows, std::size_t count,
                                       std::uint64_t seed, double* keys) {
    const std::uint64_t first = seed * 0xD1342543DE82EF95u + 1u;
    for (std::size_t j = 0; j < count; ++j) {
        std::uint64_t z = (static_cast<std::uint64_t>(rows[j]) + first) * 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        keys[j] = static_cast<double>(static_cast<std::int64_t>((z ^ (z >> 31)) >> 11)) * 0x1p-53;
    }
}

// Rows of a block whose product y w*x is below `reach`, at most `most` of them, and how many have a
// loss.
struct NearRows {
    std::vector<std::int64_t> rows;
    Vector products;
    std::size_t n_with_loss = 0;
};

// E y w*x of the rows of some packed blocks, and how many of each block are below `reach`. The labels
// are of these rows only.
HYPLANE_EVERY_CPU void products_below(const PackedPoints& points, std::size_t first,
                                      std::size_t last, const std::int8_t* labels,
                                      const OrientedHyperplane& plane, const NearProduct& product,
                                      double reach, double* products, double* n_below) {
    constexpr std::size_t rows = rows_per_block;
    alignas(64) double chord[rows], sign[rows];
    const double orientation = plane.orientation, reach2 = reach * reach;
    for (std::size_t b = first; b < last; ++b) {
        const double* block = points.block(b);
        const std::int8_t* const y = labels + (b - first) * rows;
        double* const out = products + (b - first) * rows;
        squared_chords(block + rows, plane.normal.data(), points.n_dim, chord);
        for (std::size_t j = 0; j < rows; ++j) sign[j] = orientation * y[j];
        double below = 0.0;
#pragma omp simd reduction(+ : below)
        for (std::size_t j = 0; j < rows; ++j) {
            const double E2 = block[j], yZ = sign[j] * product.value(E2, chord[j]);
            out[j] = yZ;
            // y z < reach, that is yZ < reach E, without E itself.
            below += (((yZ < 0.0) | (yZ * yZ < reach2 * E2)) & (sign[j] != 0.0)) ? 1.0 : 0.0;
        }
        n_below[b - first] = below;
    }
}

// Packed blocks that are looked at at a time, and what is computed of them.
struct Stretch {
    static constexpr std::size_t n_blocks = 64, n_rows = n_blocks * rows_per_block;

    std::int8_t labels[n_rows];
    double products[n_rows], n_below[n_blocks];
};

// The rows near one hyperplane, as they are found.
class NearSearch {
  public:
    NearSearch(const Hyperplane& plane, const BlockProblem& problem, double reach, std::size_t most)
        : problem_(problem), plane_(plane), product_(plane_), reach_(reach), most_(most) {}

    // Look at some packed blocks; most rows have no loss, and are not near.
    void look(const BlockRows& rows, std::size_t first, std::size_t last, Stretch& here) {
        const PackedPoints& points = rows.points;
        const std::size_t first_row = first * rows_per_block;
        labels_between(rows, problem_, first_row, last * rows_per_block, here.labels);
        if (points.far) {
            const FarProduct product(plane_);
            for (std::size_t row = first_row; row < std::min(points.n_rows, last * rows_per_block);
                 ++row)
                look(row, plane_.orientation * here.labels[row - first_row] *
                              std::sinh(product.at(points.at(row, 0),
                                                   squared_chord(points, row, plane_.normal)).t),
                     here.labels[row - first_row]);
            return;
        }
        products_below(points, first, last, here.labels, plane_, product_, reach_,
                       here.products, here.n_below);
        for (std::size_t b = 0; b < last - first; ++b)
            for (std::size_t j = b * rows_per_block;
                 here.n_below[b] > 0.0 && j < (b + 1) * rows_per_block; ++j)
                look(first_row + j, here.products[j] / std::sqrt(points.at(first_row + j, 0)),
                     here.labels[j]);
    }

    NearRows found() {
        keep_nearest();
        return std::move(near_);
    }

  private:
    void look(std::size_t row, double product, std::int8_t label) {
        if (label == 0 || !(product < reach_)) return;
        near_.rows.push_back(static_cast<std::int64_t>(row));
        near_.products.push_back(product);
        near_.n_with_loss += product < 1.0;
        // Now and then, so that sorting costs little for each row; the result is the same.
        if (near_.rows.size() >= 2 * most_ + 1024) keep_nearest();
    }

    void keep_nearest() {
        if (near_.rows.size() <= most_) return;
        std::vector<std::size_t> order(near_.rows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(most_);
        std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
            return near_.products[a] < near_.products[b];
        });
        // Rows beyond these are not near any more; those with a loss are counted nevertheless.
        reach_ = std::max(1.0, near_.products[*end]);
        order.resize(most_);
        std::sort(order.begin(), order.end());
        for (std::size_t k = 0; k < most_; ++k) {
            near_.rows[k] = near_.rows[order[k]];
            near_.products[k] = near_.products[order[k]];
        }
        near_.rows.resize(most_);
        near_.products.resize(most_);
    }

    BlockProblem problem_;
    OrientedHyperplane plane_;
    NearProduct product_;
    double reach_;
    std::size_t most_;
    NearRows near_;
};

// All hyperplanes look at a stretch of rows before the next one is read from memory.
template <class Watch>
void look_at_rows(const BlockRows& rows, std::vector<NearSearch>& searches, const Watch& watch) {
    const PackedPoints& points = rows.points;
    Stretch here;
    for (std::size_t first = 0; first < points.n_blocks(); first += Stretch::n_blocks) {
        const std::size_t last = std::min(points.n_blocks(), first + Stretch::n_blocks);
        for (NearSearch& search : searches) search.look(rows, first, last, here);
        watch();
    }
}

// Several sets of points one after the other; far if one of them is.
inline PackedPoints joined(const std::vector<const PackedPoints*>& parts) {
    std::size_t n_rows = 0;
    bool far = false;
    double largest = 0.0;
    for (const PackedPoints* part : parts) {
        n_rows += part->n_rows;
        far = far || part->far;
        largest = std::max(largest, part->largest_radius);
    }
    PackedPoints all(n_rows, parts.front()->n_dim, far);
    std::size_t to = 0;
    for (const PackedPoints* part : parts)
        for (std::size_t row = 0; row < part->n_rows; ++row, ++to) {
            all.at(to, 0) = far ? part->radius(row) : part->at(row, 0);
            for (std::size_t c = 1; c <= all.n_dim; ++c) all.at(to, c) = part->at(row, c);
        }
    all.largest_radius = largest;
    return all;
}

// From a start to the minimum, by sums from elsewhere. The points of the problem are a sample that
// tells the curvature.
template <class Watch>
Solution descend_elsewhere(const Problem& problem, const Options& options, const Hyperplane& start,
                           const Watch& watch) {
    const Tuning& tuning = options.tuning;
    const auto watched = [&](const Vector& theta, Vector& gradient) {
        watch();
        return problem(theta, gradient);
    };
    Candidate best;
    best.theta = problem.parameters(start);
    best.value = watched(best.theta, best.gradient);
    if (Metric::is_dense(problem.n_parameters(), tuning))
        best.metric.seed(smoothed_inverse_hessian(problem, best.theta, tuning));
    quasi_newton(watched, best, {options.tol, options.max_iter, false}, tuning);
    Hyperplane plane = problem.hyperplane(best.theta);
    problem.move_out(plane, best.value);
    return {plane, best.value, best.n_iter, problem.n_evaluations,
            judged(problem, options, best, plane)};
}

}  // namespace hyplane
