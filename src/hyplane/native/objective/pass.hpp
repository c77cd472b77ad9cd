// What one pass over the rows says of the objective at a hyperplane.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "../rows/row_threads.hpp"
#include "../rows/sample.hpp"
#include "near_pass.hpp"
#include "problem.hpp"

namespace hyplane {

// Everything that a step needs is a sum over rows or a list of some rows, so the passes over two
// sets of rows can be merged into that over both.
//
// Near kinks. (1-z)² / e^2r is the square of how far w must move to bring a row to its kink. κ is
// that over the weight c of the row, or D²/c if that is more: about as far as the spread D the next
// step may move w, and takes any row to its kink. Of rows at distance κ a share of min(1, τ/κ) is
// kept, those with u κ < τ for a number u in (0, 1) that the coordinates of the row give; each
// stands for max(1, κ/τ) rows. τ is such that K are kept.
//
// Curvature. A row can add s = e^2r c |z| / (1+z²)^(3/2). The S rows with the largest s / v are
// kept, v another such number, and each stands for max(1, τ'/s) rows (priority sampling: Duffield,
// Lund, Thorup 2007).

// The rows with the smallest keys, at most so many. Equal rows become one.
class SmallestKeys {
  public:
    struct Entry {
        double key;
        std::size_t row;
        std::uint64_t hash;
        double weight;
    };

    // `merge`: whether equal rows become one, whose key is divided by how much heavier it is.
    SmallestKeys(const Problem& problem, std::size_t count, double cutoff, bool merge)
        : problem_(problem), count_(count), merge_(merge), cutoff_(cutoff) {
        entries_.reserve(2 * count + rows_per_block + 2);
    }

    double cutoff() const { return cutoff_; }

    void add(const Entry& entry) {
        entries_.push_back(entry);
        if (entries_.size() > 2 * count_ + 1) shrink();
    }

    void add(const SmallestKeys& other) {
        cutoff_ = std::min(cutoff_, other.cutoff_);
        for (const Entry& entry : other.entries_)
            if (entry.key < cutoff_) add(entry);
    }

    void shrink() {
        if (merge_) merge_equal_rows();
        entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                      [&](const Entry& each) { return !(each.key < cutoff_); }),
                       entries_.end());
        if (entries_.size() <= count_) return;
        const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(count_);
        std::nth_element(entries_.begin(), end, entries_.end(), before);
        cutoff_ = end->key;
        entries_.resize(count_);
    }

    // Sorted by key.
    const std::vector<Entry>& finish() {
        shrink();
        std::sort(entries_.begin(), entries_.end(), before);
        return entries_;
    }

  private:
    static bool before(const Entry& a, const Entry& b) {
        return a.key < b.key || (a.key == b.key && a.row < b.row);
    }

    void merge_equal_rows() {
        std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
            return a.hash < b.hash || (a.hash == b.hash && a.row < b.row);
        });
        std::size_t last = 0;
        for (std::size_t k = 1; k < entries_.size(); ++k) {
            Entry &to = entries_[last], &from = entries_[k];
            if (from.hash == to.hash && equal_rows(problem_, from.row, to.row)) {
                const double weight = to.weight + from.weight;
                to.key *= to.weight / weight;
                to.weight = weight;
            } else {
                entries_[++last] = from;
            }
        }
        if (!entries_.empty()) entries_.resize(last + 1);
    }

    const Problem& problem_;
    std::size_t count_;
    bool merge_;
    double cutoff_;
    std::vector<Entry> entries_;
};

// What a descent wants to know of all rows.
struct Question {
    Hyperplane plane;
    std::size_t n_kinks, n_curved;
    std::size_t n_lowest;  // rows with the smallest products
    double reach;          // that are below this
    double spread = 0.0;   // D²
    // Rows beyond these are not wanted: what the last pass found, and some more. They save time.
    double near_cutoff = std::numeric_limits<double>::infinity(), curved_cutoff = 0.0;
};

// What a descent knows of rows that it does not see.
struct PassProblem {
    std::size_t n_dim;
    double C, largest_radius, beyond, total_weight;

    static PassProblem of(const Problem& problem) {
        const ClassTotals totals(problem.labels, problem.weights, problem.points.n_rows);
        return {problem.points.n_dim, problem.C, problem.points.largest_radius, problem.beyond,
                totals.weight[0] + totals.weight[1]};
    }
};

// Finds near kinks and rows for the curvature among the rows of a pass.
class RowCollector {
  public:
    static constexpr bool used = true;

    RowCollector(const Problem& problem, const Question& question)
        : near(problem, question.n_kinks, question.near_cutoff, true),
          curved(problem, question.n_curved, -question.curved_cutoff, false),
          lowest(problem, question.n_lowest, question.n_lowest > 0 ? question.reach : -infinite,
                 false),
          problem_(problem),
          spread_(question.spread) {
        std::fill_n(ones_, rows_per_block, 1.0);
    }

    // Few rows pass the first tests, which take neither a root nor a division: E |1 - z| is bounded
    // from below, by at least 0.7 of it.
    HYPLANE_INLINE void visit(std::size_t b, const BlockProducts& at) {
        constexpr std::size_t rows = rows_per_block;
        const double* const E2 = problem_.points.block(b);
        const double *const first = E2 + rows, *const last = E2 + rows * problem_.points.n_dim;
        const double* const weight =
            problem_.weights == nullptr ? ones_ : problem_.weights + b * rows;
        const double near_cutoff = near.cutoff(), curved_cutoff = -curved.cutoff();
        const double low = std::max(lowest.cutoff(), smallest), low_cutoff = low * std::abs(low);
        std::uint64_t any = 0;
#pragma omp simd reduction(| : any)
        for (std::size_t j = 0; j < rows; ++j) {
            const std::uint64_t hash = hash_of(E2[j], first[j], last[j]);
            const double square = E2[j], Z = at.product[j], Z2 = Z * Z;
            const double beyond = (square - Z2) * at.per_root[j];
            const double gap = Z < 0.0 ? square + Z2 : 0.5 * (beyond * beyond);
            const double distance = std::max(gap, spread_ * (square * square));
            const bool is_near =
                upper_unit(hash) * distance < near_cutoff * weight[j] * (square * square);
            const bool is_curved = curved_share(square, at, j) > curved_cutoff * lower_unit(hash);
            const bool is_low = Z * std::abs(Z) < low_cutoff * square;
            any |= (is_near | is_curved | is_low) ? 1 : 0;
            counts_[j] += at.slope[j] != 0.0 ? 1.0 : 0.0;
        }
        if (any == 0) return;
        for (std::size_t j = 0; j < rows; ++j) {
            if (!(weight[j] > 0.0) || std::isinf(at.product[j])) continue;
            const std::uint64_t hash = hash_of(E2[j], first[j], last[j]);
            const double z = at.product[j] / std::sqrt(E2[j]);
            const double distance = std::max(spread_, (1.0 - z) * (1.0 - z) / E2[j]);
            const double key = upper_unit(hash) * distance / weight[j];
            const double rank = -curved_share(E2[j], at, j) / lower_unit(hash);
            if (key < near.cutoff()) near.add({key, b * rows + j, hash, weight[j]});
            if (rank < curved.cutoff()) curved.add({rank, b * rows + j, hash, weight[j]});
            if (z < lowest.cutoff()) lowest.add({z, b * rows + j, hash, weight[j]});
            smallest = std::min(smallest, z);
        }
    }

    // The sums over all rows of the pass; to be called once at its end.
    void finish() {
        for (SmallestKeys* each : {&near, &curved, &lowest}) each->shrink();
        for (double count : counts_) n_active += count;
    }

    // Cutoffs for all rows, of which these are one part in `n_parts`, where these alone are more
    // than were asked for. The number of near kinks grows at most like their cutoff, that of rows
    // for the curvature like the inverse of theirs. Twice as many as wanted are let through.
    Question cutoffs_for_all(Question question, std::size_t n_parts) const {
        const double part = std::min(1.0, 2.0 / static_cast<double>(n_parts));
        if (near.cutoff() < question.near_cutoff) question.near_cutoff = part * near.cutoff();
        if (-curved.cutoff() > question.curved_cutoff)
            question.curved_cutoff = -curved.cutoff() / part;
        if (question.n_lowest > 0) question.reach = lowest.cutoff();
        return question;
    }

    void add(const RowCollector& other) {
        near.add(other.near);
        curved.add(other.curved);
        lowest.add(other.lowest);
        n_active += other.n_active;
        smallest = std::min(smallest, other.smallest);
    }

    SmallestKeys near, curved, lowest;
    double n_active = 0.0;
    double smallest = std::numeric_limits<double>::infinity();  // y w*x

  private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();

    HYPLANE_INLINE static std::uint64_t hash_of(double square, double first, double last) {
        return mixed(to_bits(square) + rotated(bits_of(first), 21) + rotated(bits_of(last), 42));
    }
    // s of row j of a block.
    HYPLANE_INLINE static double curved_share(double square, const BlockProducts& at,
                                              std::size_t j) {
        const double ratio = square * at.per_root[j];
        return ratio * ratio * std::abs(at.slope[j] * at.product[j]);
    }

    const Problem& problem_;
    const double spread_;
    alignas(64) double ones_[rows_per_block], counts_[rows_per_block] = {};
};

void near_pass_collecting(const PackedPoints& points, std::size_t first, std::size_t last,
                          const std::int8_t* labels, const double* weights,
                          const OrientedHyperplane& plane, double* totals, Sums& sums,
                          RowCollector& collector);

// Some rows, with labels and weights of their own.
struct RowSample {
    PackedPoints points{0, 1, false};
    std::vector<std::int8_t> labels;
    Vector weights;  // of a row and of those equal to it
    Vector keys;     // by which they were chosen

    RowSample() = default;
    RowSample(const Problem& problem, const std::vector<SmallestKeys::Entry>& entries)
        : points(entries.size(), problem.points.n_dim, false) {
        points.largest_radius = problem.points.largest_radius;
        for (std::size_t k = 0; k < entries.size(); ++k) {
            for (std::size_t c = 0; c <= points.n_dim; ++c)
                points.at(k, c) = problem.points.at(entries[k].row, c);
            labels.push_back(problem.labels[entries[k].row]);
            weights.push_back(entries[k].weight);
            keys.push_back(entries[k].key);
        }
        labels.resize(points.n_padded_rows(), 0);
        weights.resize(points.n_padded_rows(), 0.0);
    }

    std::size_t size() const { return points.n_rows; }

    std::uint64_t identity(std::size_t row) const {
        return identity_of_row(points, row, labels[row]);
    }
};

struct Pass {
    Hyperplane plane;
    double spread = 0.0;                                     // of the near rows
    double value = std::numeric_limits<double>::infinity();  // of the objective: see `evaluate`
    double smallest_product = 0.0;                           // of all y w*x
    Sums sums;
    RowSample near;              // the rows nearest to their kinks
    double near_cutoff = 0.0;    // τ
    RowSample lowest;            // the rows with the smallest products, where asked for
    double low_cutoff = 0.0;     // all rows with smaller ones are among them
    RowSample curved;            // rows that tell the curvature
    double curved_cutoff = 0.0;  // τ'
    double n_active = 0.0;       // rows with a loss

    void evaluate(double C) { value = 0.5 * std::exp(2.0 * plane.log_scale) + C * sums.loss; }
};

// The pass over rows in memory, in ranges whose results are merged in their order.
inline Pass pass_over_rows(const Problem& problem, const Question& question) {
    constexpr std::size_t step = 4096;  // blocks
    const PackedPoints& points = problem.points;
    const OrientedHyperplane plane(question.plane);
    const std::size_t n_ranges = std::max<std::size_t>(1, (points.n_blocks() + step - 1) / step);
    std::vector<Sums> sums(n_ranges);
    std::vector<RowCollector> found;
    found.reserve(n_ranges);
    const auto collect = [&](std::size_t k) {
        Vector totals(points.n_dim * parts, 0.0);
        sums[k].direction.assign(points.n_dim, 0.0);
        near_pass_collecting(points, k * step, std::min(points.n_blocks(), (k + 1) * step),
                             problem.labels, problem.weights, plane, totals.data(), sums[k],
                             found[k]);
        found[k].finish();
    };
    found.emplace_back(problem, question);
    collect(0);
    const Question rest = found[0].cutoffs_for_all(question, n_ranges);
    for (std::size_t k = 1; k < n_ranges; ++k) found.emplace_back(problem, rest);
    run_ranges(problem.threads, n_ranges - 1, [&](std::size_t k) { collect(k + 1); });
    for (std::size_t k = 1; k < n_ranges; ++k) {
        sums[0].add(sums[k]);
        found[0].add(found[k]);
    }
    RowCollector& all = found[0];
    Pass pass;
    pass.plane = question.plane;
    pass.spread = question.spread;
    pass.smallest_product = all.smallest;
    pass.sums = std::move(sums[0]);
    pass.near = RowSample(problem, all.near.finish());
    pass.near_cutoff = all.near.cutoff();
    pass.curved = RowSample(problem, all.curved.finish());
    pass.curved_cutoff = -all.curved.cutoff();
    pass.n_active = all.n_active;
    pass.lowest = RowSample(problem, all.lowest.finish());
    pass.low_cutoff = all.lowest.cutoff();
    return pass;
}

// The rows of two samples with the smallest keys. `cutoff` is the smaller one of theirs, and
// becomes that of both.
inline RowSample merged(const RowSample& a, const RowSample& b, std::size_t count, double& cutoff,
                        bool merge_equal) {
    const PackedPoints points = joined({&a.points, &b.points});
    std::vector<std::int8_t> labels(points.n_padded_rows(), 0);
    const Problem both{points, labels.data(), nullptr, 1.0};
    SmallestKeys smallest(both, count, cutoff, merge_equal);
    std::size_t to = 0;
    for (const RowSample* from : {&a, &b})
        for (std::size_t row = 0; row < from->size(); ++row, ++to) {
            labels[to] = from->labels[row];
            if (from->keys[row] < cutoff)
                smallest.add({from->keys[row], to, from->identity(row), from->weights[row]});
        }
    RowSample found(both, smallest.finish());
    cutoff = smallest.cutoff();
    return found;
}

// The pass over the rows of both.
inline Pass merged(const Pass& a, const Pass& b, const Question& question) {
    Pass both;
    both.plane = a.plane;
    both.spread = a.spread;
    both.smallest_product = std::min(a.smallest_product, b.smallest_product);
    both.sums = a.sums;
    both.sums.add(b.sums);
    both.near_cutoff = std::min(a.near_cutoff, b.near_cutoff);
    both.near = merged(a.near, b.near, question.n_kinks, both.near_cutoff, true);
    double rank = std::min(-a.curved_cutoff, -b.curved_cutoff);
    both.curved = merged(a.curved, b.curved, question.n_curved, rank, false);
    both.curved_cutoff = -rank;
    both.low_cutoff = std::min(a.low_cutoff, b.low_cutoff);
    both.lowest = merged(a.lowest, b.lowest, question.n_lowest, both.low_cutoff, false);
    both.n_active = a.n_active + b.n_active;
    return both;
}

}  // namespace hyplane
