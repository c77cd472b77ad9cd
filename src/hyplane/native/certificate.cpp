// A proven lower bound of the soft-margin objective for points of the plane, by branch and bound.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <memory>
#include <queue>

#include "box_bound.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

using Clock = std::chrono::steady_clock;
using RowList = std::shared_ptr<const std::vector<std::uint32_t>>;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

enum class End { proven, out_of_time, out_of_boxes, out_of_digits };

struct Limits {
    double rel_gap, max_seconds;
    std::size_t max_boxes;
    int max_cuts;
};

struct OpenBox {
    double value;
    std::uint64_t number;  // among equal bounds the older box comes first: no chance in the order
    Box box;
    Side split;
    RowList rows;  // those that can lose anything in the box
    bool operator<(const OpenBox& other) const {
        return value != other.value ? value > other.value : number > other.number;
    }
};

class BranchAndBound {
  public:
    BranchAndBound(const Rows& rows, double largest_offset, double known, const Limits& limits)
        : rows_(rows), limits_(limits), best_(known), lowest_closed_(known) {
        everything_ = list_of_all();
        open_roots(largest_offset);
    }

    template <class Watch> End run(const Watch& watch) {
        const auto start = Clock::now();
        while (!open_.empty()) {
            if (open_.top().value >= enough()) return End::proven;
            if (n_boxes_ >= limits_.max_boxes) return End::out_of_boxes;
            if (n_boxes_ % 64 < 2) {
                if (seconds_since(start) > limits_.max_seconds) return End::out_of_time;
                watch();
            }
            const OpenBox parent = open_.top();
            open_.pop();
            if (!split(parent)) {
                open_.push(parent);
                return End::out_of_digits;
            }
        }
        return End::proven;
    }

    double lower_bound() const {
        return open_.empty() ? lowest_closed_ : std::min(lowest_closed_, open_.top().value);
    }
    double upper_bound() const { return best_; }
    std::size_t n_boxes() const { return n_boxes_; }

  private:
    const Rows& rows_;
    Limits limits_;
    double best_;           // the lowest value known
    double lowest_closed_;  // the lowest bound among the boxes that need no more work
    std::size_t n_boxes_ = 0;
    std::uint64_t n_opened_ = 0;
    RowList everything_;
    Bounder bounder_;
    Rows scratch_;
    std::priority_queue<OpenBox> open_;

    double enough() const { return best_ * (1.0 - limits_.rel_gap); }

    RowList list_of_all() const {
        auto rows = std::make_shared<std::vector<std::uint32_t>>(rows_.size());
        for (std::size_t j = 0; j < rows_.size(); ++j) (*rows)[j] = static_cast<std::uint32_t>(j);
        return rows;
    }

    // s > sqrt(2 best) costs more than the best known. Below the smallest s no product exceeds
    // s cosh(R + r), and arsinh z <= z: those hyperplanes are bounded here, once for all.
    void open_roots(double largest_offset) {
        double lever = 0.0, worst = 0.0;
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            lever += rows_.weight[j] * std::cosh(largest_offset) * rows_.grow[j] * 2.0;
            worst += rows_.weight[j] * arsinh_one;
        }
        const double high = std::sqrt(2.0 * best_) * (1.0 + rounding);
        const double low = std::min(0.5 * high, 0.1 * limits_.rel_gap * best_ / lever);
        const double eps = rounding + static_cast<double>(rows_.size()) * epsilon;
        lowest_closed_ = std::min(lowest_closed_, (worst - low * lever) - eps * (worst + low * lever));
        constexpr double quarter = 1.5707963267948966;
        for (double orientation : {1.0, -1.0})
            for (int k = -2; k < 2; ++k) {
                // The rounded π/2 falls short: the ends overlap a little.
                const Box box = {{low, 0.0, k * quarter - 1e-15},
                                 {high, largest_offset, (k + 1) * quarter + 1e-15},
                                 orientation};
                scratch_.take(rows_, *everything_, orientation);
                examine(box, everything_);
            }
    }

    // False where the box is too small to be halved.
    bool split(const OpenBox& parent) {
        const Side side = parent.split;
        const double low = parent.box.low[side], high = parent.box.high[side];
        const double middle = side == side_scale ? std::sqrt(low) * std::sqrt(high)
                                                 : 0.5 * (low + high);
        if (!(middle > low && middle < high)) return false;
        scratch_.take(rows_, *parent.rows, parent.box.orientation);
        Box half = parent.box;
        half.high[side] = middle;
        examine(half, parent.rows, parent.value);
        half = parent.box;
        half.low[side] = middle;
        examine(half, parent.rows, parent.value);
        return true;
    }

    void examine(const Box& box, const RowList& rows, double inherited = 0.0) {
        ++n_boxes_;
        const BoxBound found = bounder_.bound(scratch_, box, enough(), limits_.max_cuts);
        const double value = std::max(found.value, inherited);
        if (value >= enough()) {
            lowest_closed_ = std::min(lowest_closed_, value);
            return;
        }
        best_ = std::min(best_, value_at(found, box.orientation));
        const Side side = static_cast<Side>(std::max_element(found.split, found.split + n_sides) - found.split);
        open_.push({value, n_opened_++, box, side, remaining(rows)});
    }

    RowList remaining(const RowList& rows) const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < rows->size(); ++i) count += bounder_.low(i) < 1.0;
        // A list of its own only where it is shorter by a good deal.
        if (count > rows->size() - rows->size() / 8) return rows;
        auto kept = std::make_shared<std::vector<std::uint32_t>>();
        kept->reserve(count);
        for (std::size_t i = 0; i < rows->size(); ++i)
            if (bounder_.low(i) < 1.0) kept->push_back((*rows)[i]);
        return kept;
    }

    // Rows missing from the scratch lose nothing in the box, so the sum over the scratch is whole.
    double value_at(const BoxBound& plane, double) const {
        const double up = 0.5 * std::exp(plane.offset), down = 0.5 * std::exp(-plane.offset);
        const double lever = 2.0 * std::cosh(plane.offset);
        const double sine = std::sin(0.5 * plane.angle), cosine = std::cos(0.5 * plane.angle);
        double loss = 0.0;
        for (std::size_t j = 0; j < scratch_.size(); ++j) {
            const double h = sine * scratch_.cos_half[j] - cosine * scratch_.sin_half[j];
            const double z = up * scratch_.shrink[j] - down * scratch_.grow[j] +
                             lever * scratch_.sinh_r[j] * h * h;
            loss += scratch_.weight[j] * loss_at(plane.scale * z * scratch_.sign[j]);
        }
        return 0.5 * plane.scale * plane.scale + loss;
    }
};

// Lets Ctrl-C through now and then while the lock of the interpreter is released.
class Watch {
  public:
    void operator()() const {
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

  private:
    mutable Clock::time_point last_ = Clock::now();
};

Rows rows_of(const Doubles& radius, const Doubles& angle, const Labels& labels, const Doubles& weights) {
    Rows rows;
    rows.resize(radius.shape(0));
    for (std::size_t j = 0; j < rows.size(); ++j) {
        rows.weight[j] = weights(j);
        rows.sign[j] = labels(j);
        rows.grow[j] = std::exp(radius(j));
        rows.shrink[j] = std::exp(-radius(j));
        rows.sinh_r[j] = std::sinh(radius(j));
        rows.cos_half[j] = std::cos(0.5 * angle(j));
        rows.sin_half[j] = std::sin(0.5 * angle(j));
    }
    return rows;
}

nb::tuple bound_objective(Doubles radius, Doubles angle, Labels labels, Doubles weights,
                          double largest_offset, double known, double rel_gap, double max_seconds,
                          std::size_t max_boxes, int max_cuts) {
    const std::size_t n = radius.shape(0);
    if (angle.shape(0) != n || labels.shape(0) != n || weights.shape(0) != n)
        throw std::invalid_argument("one angle, label and weight per point");
    const Rows rows = rows_of(radius, angle, labels, weights);
    End end;
    double lower, upper;
    std::size_t n_boxes;
    {
        nb::gil_scoped_release unlocked;
        BranchAndBound search(rows, largest_offset, known, {rel_gap, max_seconds, max_boxes, max_cuts});
        end = search.run(Watch());
        lower = search.lower_bound();
        upper = search.upper_bound();
        n_boxes = search.n_boxes();
    }
    return nb::make_tuple(lower, upper, n_boxes, static_cast<int>(end));
}

}  // namespace

NB_MODULE(certificate, m) {
    m.doc() = "Branch and bound for the soft-margin objective in the plane.";
    m.def("bound_objective", &bound_objective, "radius"_a, "angle"_a, "labels"_a, "weights"_a,
          "largest_offset"_a, "known"_a, "rel_gap"_a, "max_seconds"_a, "max_boxes"_a, "max_cuts"_a);
}
