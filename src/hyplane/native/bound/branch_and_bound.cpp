#include "branch_and_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <queue>
#include <vector>

#include "box_bound.hpp"

namespace hyplane {

namespace {

constexpr double pi = 3.14159265358979323846;

class BranchAndBound {
  public:
    BranchAndBound(const BoxRows& rows, double largest_offset, bool line, double known,
                   const Limits& limits)
        : rows_(rows), limits_(limits), best_(known), lowest_closed_(known) {
        open_roots(largest_offset, line);
    }

    ProvenBound run(const std::function<void()>& watch) {
        const End end = search(watch);
        const double open = open_.empty() ? lowest_closed_ : open_.top().value;
        return {std::min(lowest_closed_, open), better_, n_boxes_, end};
    }

  private:
    End search(const std::function<void()>& watch) {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        while (!open_.empty()) {
            if (open_.top().value >= enough()) return End::proven;
            if (open_.top().split == n_sides) return End::out_of_digits;
            if (n_boxes_ >= limits_.max_boxes) return End::out_of_boxes;
            if (std::chrono::duration<double>(Clock::now() - start).count() > limits_.max_seconds)
                return End::out_of_time;
            watch();
            const OpenBox parent = open_.top();
            open_.pop();
            halve(parent);
        }
        return End::proven;
    }

    using RowList = std::shared_ptr<const std::vector<std::uint32_t>>;

    struct OpenBox {
        double value;
        std::uint64_t number;
        Box box;
        Side split;    // n_sides: too small to be halved
        RowList rows;  // those that can lose anything in the box

        // The lowest bound first; among equals the oldest, so that nothing is left to chance.
        bool operator<(const OpenBox& other) const {
            return value != other.value ? value > other.value : number > other.number;
        }
    };

    const BoxRows& rows_;
    Limits limits_;
    double best_;           // the lowest value known
    double lowest_closed_;  // the lowest bound among the boxes that need no more work
    std::optional<PlaneHyperplane> better_;
    std::size_t n_boxes_ = 0;
    RowRanges ranges_;  // of the box at work
    BoxRows scratch_;   // the rows of the box at work
    std::priority_queue<OpenBox> open_;

    double enough() const { return best_ * (1.0 - limits_.rel_gap); }

    // Above the largest s the term ½ s² alone is more than the value known. Below the smallest no
    // product exceeds s cosh(a + r) <= s e^a e^r, and arsinh z <= z bounds the losses from below,
    // once for all.
    void open_roots(double largest_offset, bool line) {
        double lever = 0.0, worst = 0.0;
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            lever += rows_.weight[j] * std::exp(largest_offset) * rows_.grow[j];
            worst += rows_.weight[j] * arsinh_of_1;
        }
        const double high = std::sqrt(2.0 * best_) * (1.0 + rounding);
        const double low = std::min(0.5 * high, 0.1 * limits_.rel_gap * best_ / lever);
        const double eps = rows_.sum_rounding();
        lowest_closed_ =
            std::min(lowest_closed_, worst - low * lever - eps * (worst + low * lever));

        auto everything = std::make_shared<std::vector<std::uint32_t>>(rows_.size());
        std::iota(everything->begin(), everything->end(), 0);
        constexpr double overlap = 1e-15;  // pi is rounded
        for (double orientation : {1.0, -1.0}) {
            scratch_.take(rows_, *everything, orientation);
            const auto examine_root = [&](double first, double last) {
                examine({{low, 0.0, first}, {high, largest_offset, last}, orientation}, everything,
                        0.0);
            };
            if (line)
                for (double angle : {0.0, pi}) examine_root(angle, angle);
            else
                for (int k = -2; k < 2; ++k)
                    examine_root(0.5 * pi * k - overlap, 0.5 * pi * (k + 1) + overlap);
        }
    }

    void halve(const OpenBox& parent) {
        const double middle = parent.box.middle(parent.split);
        scratch_.take(rows_, *parent.rows, parent.box.orientation);
        Box half = parent.box;
        half.high[parent.split] = middle;
        examine(half, parent.rows, parent.value);
        half = parent.box;
        half.low[parent.split] = middle;
        examine(half, parent.rows, parent.value);
    }

    void examine(const Box& box, const RowList& rows, double inherited) {
        ++n_boxes_;
        const BoxBound bound = bound_over(box, scratch_, enough(), ranges_);
        const double value = std::max(inherited, bound.value);  // inherited where that is nan
        if (value >= enough()) {
            lowest_closed_ = std::min(lowest_closed_, value);
            return;
        }
        try_hyperplane(box, bound);
        open_.push({value, n_boxes_, box, side_to_halve(box), remaining(rows)});
    }

    // Rows that are missing from the scratch lose nothing in the box: its sum is the whole.
    void try_hyperplane(const Box& box, const BoxBound& at) {
        const double offset = std::clamp(at.offset, box.low[side_offset], box.high[side_offset]);
        const double angle = std::clamp(at.angle, box.low[side_angle], box.high[side_angle]);
        const double value =
            0.5 * at.scale * at.scale + total_loss(scratch_, at.scale, offset, angle);
        if (!(value < best_)) return;
        best_ = value;
        better_ = box.orientation > 0.0 ? PlaneHyperplane{at.scale, offset, angle}
                                        : PlaneHyperplane{at.scale, -offset, angle + pi};
    }

    // Below these widths the widened ranges of the two halves are the same.
    static bool can_be_halved(const Box& box, Side side) {
        constexpr double finest = 1e-13;
        const double low = box.low[side], high = box.high[side];
        if (side == side_scale) return high > low * (1.0 + finest);
        return high - low > finest * (side == side_offset ? std::max(1.0, high) : 0.1);
    }

    Side side_to_halve(const Box& box) const {
        double score[n_sides];
        score_sides(scratch_, box, ranges_, score);
        int best = n_sides;
        for (int side = 0; side < n_sides; ++side)
            if (can_be_halved(box, static_cast<Side>(side)) &&
                (best == n_sides || score[side] > score[best]))
                best = side;
        return static_cast<Side>(best);
    }

    RowList remaining(const RowList& rows) const {
        const double* low = ranges_.low.data();
        std::size_t count = 0;
        for (std::size_t i = 0; i < rows->size(); ++i) count += low[i] < 1.0;
        // A separate list only where it is much shorter.
        if (count + rows->size() / 8 > rows->size() || count == rows->size()) return rows;
        auto kept = std::make_shared<std::vector<std::uint32_t>>();
        kept->reserve(count);
        for (std::size_t i = 0; i < rows->size(); ++i)
            if (low[i] < 1.0) kept->push_back((*rows)[i]);
        return kept;
    }
};

}  // namespace

ProvenBound bound_objective(const BoxRows& rows, double largest_offset, bool line, double known,
                            const Limits& limits, const std::function<void()>& watch) {
    return BranchAndBound(rows, largest_offset, line, known, limits).run(watch);
}

}  // namespace hyplane
