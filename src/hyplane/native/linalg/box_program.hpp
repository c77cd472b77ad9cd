// The quadratic program of a kink step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../kernels/dispatch.hpp"
#include "../kernels/watch.hpp"
#include "dense.hpp"

namespace hyplane {

// The convex piecewise quadratic program of one kink step,
//
//     minimise  g·x + ½|x|² + Σ c_j max(0, gap_j + v_j·x),
//
// through its dual, a quadratic program in 0 <= λ_j <= c_j: the dual active set method of
// Goldfarb and Idnani (1983) with an upper bound on each multiplier. The dual value rises with
// every step, whatever the rank of the rows, and x = -g - Σ λ_j v_j at all times.

class BoxProgram;
void begin(BoxProgram& program, const Vector& g);
bool advance(BoxProgram& program, std::size_t n_steps);

class BoxProgram {
  public:
    // Filled in by the caller: v as a matrix with one column for each row j, one line for each
    // coordinate. Multipliers at the start are between 0 and c_j; rows strictly between are taken
    // for tight.
    Columns v;
    Vector gap, bound, multiplier;
    Vector x;

    // False where the limit on the number of steps was reached. In exact arithmetic the method
    // ends by itself; rounding can make it cycle.
    bool solve(const Vector& g, const Watch& watch) {
        constexpr std::size_t at_a_time = 64;
        make_room();
        begin(*this, g);
        const std::size_t most = program_steps + program_steps_each * (v.count + n_);
        for (std::size_t step = 0; step < most; step += at_a_time) {
            if (advance(*this, std::min(at_a_time, most - step))) return ended(true);
            watch();
        }
        return ended(false);
    }

    // Σ c (max(0, gap + v·x) - max(0, gap)); rows without a bound are constraints, which x meets.
    double change_of_kinks() {
        residuals();
        double total = 0.0;
        for (std::size_t j = 0; j < v.count; ++j)
            if (!std::isinf(bound[j]))
                total += bound[j] * (std::max(0.0, residual_[j]) - std::max(0.0, gap[j]));
        return total;
    }

    // gap + v·x of a row, once `change_of_kinks` was called.
    double residual(std::size_t j) const { return residual_[j]; }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    // Rounding can make the method cycle: steps at most, in all, and for each row and unknown.
    static constexpr std::size_t program_steps = 50, program_steps_each = 10;
    static constexpr int sweeps = 2;  // over the multipliers that cross their bounds
    // Relative: of a residual that is rounding; of the square of a row in the span of others, and
    // of one that is tight at the start; what is left of a square that is orthogonal to rounding
    // (Daniel, Gragg, Kaufman, Stewart 1976).
    static constexpr double residual_noise = 1e-12, dependent_square = 1e-22,
                            independent_square = 1e-14, enough_left = 0.5;

    friend void begin(BoxProgram& program, const Vector& g);
    friend bool advance(BoxProgram& program, std::size_t n_steps);

    // The coordinates that only fill up the last lane are not the caller's.
    bool ended(bool solved) {
        x.resize(n_);
        return solved;
    }

    // All the memory of a solve: no exception may leave a function in several versions.
    void make_room() {
        n_ = v.n_dim;
        blocks_ = blocks_of(n_);
        tight_.clear();
        tight_.reserve(n_);
        for (Vector* each : {&q_, &r_, &rows_}) each->resize(n_ * width());
        square_.assign(v.count, 0.0);
        for (Vector* each : {&per_length_, &residual_, &violation_}) each->resize(v.count);
        for (Vector* each : {&x, &d_, &free_, &row_, &rate_, &step_}) each->assign(width(), 0.0);
    }

    HYPLANE_INLINE void prepare(const Vector& g) {
        // Copies of the members, which the compiler would otherwise read again for each number.
        double *square = square_.data(), *per_length = per_length_.data();
        const double* const lambda = multiplier.data();
        const std::size_t count = v.count;
        for (std::size_t i = 0; i < n_; ++i) {
            const double* const line = v.line(i);
            double sum = 0.0;
#pragma omp simd reduction(+ : sum)
            for (std::size_t j = 0; j < count; ++j) {
                square[j] += line[j] * line[j];
                sum += line[j] * lambda[j];
            }
            x[i] = -g[i] - sum;
        }
#pragma omp simd
        for (std::size_t j = 0; j < count; ++j)
            per_length[j] = square[j] > 0.0 ? 1.0 / std::sqrt(square[j]) : 0.0;
    }

    // The row, its coordinates in the span of the tight ones, and the part of it beyond. Where
    // little is left, what rounding has put back into the span is taken out again.
    HYPLANE_INLINE void take_row(std::size_t j) {
        const std::size_t n_tight = tight_.size();
        for (std::size_t i = 0; i < n_; ++i) free_[i] = row_[i] = v.line(i)[j];
        std::fill(d_.begin(), d_.end(), 0.0);
        double before = square_[j];
        for (int pass = 0; pass < 2; ++pass) {
            products_with_lines(q_.data(), n_tight, width(), blocks_, free_.data(), rate_.data());
            for (std::size_t i = 0; i < n_tight; ++i) {
                d_[i] += rate_[i];
                rate_[i] = -rate_[i];
            }
            add_lines(free_.data(), rate_.data(), q_.data(), n_tight, width(), width());
            free_square_ = sum_of_products(free_.data(), free_.data(), width());
            if (free_square_ > enough_left * before) break;
            before = free_square_;
        }
    }

    // Start from the rows whose multipliers are inside their bounds: they become tight, or reach a
    // bound on the way there. The dual value rises here too.
    HYPLANE_INLINE void begin_with_tight_rows() {
        for (std::size_t j = 0; j < v.count; ++j) {
            if (!(multiplier[j] > 0.0 && multiplier[j] < bound[j])) continue;
            take_row(j);
            if (tight_.size() < n_ && free_square_ > independent_square * square_[j]) {
                add(j);
                continue;
            }
            const double to = multiplier[j] > 0.5 * bound[j] ? bound[j] : 0.0;
            add_multiple(x.data(), multiplier[j] - to, row_.data(), width());
            multiplier[j] = to;
        }
        tighten();
    }

    // Bring the residuals of the tight rows to 0; a row whose multiplier reaches a bound is let go.
    // What is left of the residuals is kept as coordinates in the span, which `drop` turns with it.
    HYPLANE_INLINE void tighten() {
        std::size_t n_tight = tight_.size();
        products_with_lines(rows_.data(), n_tight, width(), blocks_, x.data(), d_.data());
        for (std::size_t k = 0; k < n_tight; ++k) d_[k] += gap[tight_[k]];
        solve_lower(r_.data(), d_.data(), n_tight, width());
        for (; n_tight > 0; --n_tight) {
            std::copy_n(d_.begin(), n_tight, rate_.begin());
            solve_lower_transposed(r_.data(), rate_.data(), n_tight, width());
            double t = 1.0;
            std::size_t leaving = none;
            for (std::size_t k = 0; k < n_tight; ++k) {
                const double reached = room(k) / std::abs(rate_[k]);
                if (rate_[k] != 0.0 && reached < t) {
                    t = reached;
                    leaving = k;
                }
            }
            for (std::size_t k = 0; k < n_tight; ++k) {
                multiplier[tight_[k]] += t * rate_[k];
                step_[k] = -t * d_[k];
                d_[k] *= 1.0 - t;
            }
            add_lines(x.data(), step_.data(), q_.data(), n_tight, width(), width());
            if (leaving == none) return;
            leave(leaving);
        }
    }

    // Most multipliers end at the other bound. Move those that would get there if no other moved,
    // one after the other, and look at the residual again before each move: the dual value rises,
    // and the factor stays the same. Returns how many moved.
    HYPLANE_INLINE std::size_t cross_bounds() {
        residuals();
        // A tight row has no length here: it stays.
        const double *most = bound.data(), *per_length = per_length_.data(), *at_zero = gap.data();
        const double *square = square_.data(), *before = residual_.data();
        double *lambda = multiplier.data(), *to_move = x.data();
        const auto crosses = [=](std::size_t j, double residual) {
            const double room = residual > 0.0 ? most[j] - lambda[j] : lambda[j];
            return (room > 0.0) & (per_length[j] > 0.0) & (std::abs(residual) >= room * square[j]);
        };
        std::size_t n_crossed = 0;
        for (std::size_t j = 0; j < v.count; ++j) {
            if (!crosses(j, before[j])) continue;
            const double* const row = v.line(0) + j;
            double residual = at_zero[j];
            for (std::size_t i = 0; i < n_; ++i) residual += to_move[i] * row[i * v.capacity];
            if (!crosses(j, residual)) continue;
            const double to = residual > 0.0 ? most[j] : 0.0, change = to - lambda[j];
            for (std::size_t i = 0; i < n_; ++i) to_move[i] -= change * row[i * v.capacity];
            lambda[j] = to;
            ++n_crossed;
        }
        return n_crossed;
    }

    // How far the multiplier of a tight row can go in the direction of its rate.
    HYPLANE_INLINE double room(std::size_t k) const {
        const std::size_t j = tight_[k];
        return std::max(0.0, rate_[k] < 0.0 ? multiplier[j] : bound[j] - multiplier[j]);
    }

    HYPLANE_INLINE void leave(std::size_t k) {
        multiplier[tight_[k]] = rate_[k] < 0.0 ? 0.0 : bound[tight_[k]];
        drop(k);
    }

    HYPLANE_INLINE void residuals() {
        std::copy_n(gap.begin(), v.count, residual_.begin());
        add_lines(residual_.data(), x.data(), v.line(0), n_, v.capacity, v.count);
    }

    // The row whose multiplier contradicts its residual most, measured as a distance in x.
    HYPLANE_INLINE std::size_t most_violated() {
        residuals();
        const double relative = residual_noise, size = relative * std::sqrt(dot(x, x));
        const double *residual = residual_.data(), *per_length = per_length_.data();
        const double *lambda = multiplier.data(), *most = bound.data(), *at_zero = gap.data();
        double* violation = violation_.data();
        double worst = 0.0;
#pragma omp simd reduction(max : worst)
        for (std::size_t j = 0; j < v.count; ++j) {
            const double room = residual[j] > 0.0 ? most[j] - lambda[j] : lambda[j];
            const double far = std::abs(residual[j]) * per_length[j];
            const double noise = relative * std::abs(at_zero[j]) * per_length[j] + size;
            violation[j] = ((room > 0.0) & (far > noise)) ? far : 0.0;
            worst = violation[j] > worst ? violation[j] : worst;
        }
        if (!(worst > 0.0)) return none;
        return static_cast<std::size_t>(std::find(violation_.begin(), violation_.end(), worst) -
                                        violation_.begin());
    }

    // Move the multiplier of one row until the row is tight or the multiplier at its bound; tight
    // rows whose multiplier meets a bound on the way are let go.
    HYPLANE_INLINE void settle(std::size_t j) {
        const double sign = residual_[j] > 0.0 ? 1.0 : -1.0;
        double left = std::abs(residual_[j]);
        take_row(j);
        for (;;) {
            const std::size_t n_tight = tight_.size();
            rates(sign);
            const double free = free_square_;
            const bool dependent = n_tight == n_ || free <= dependent_square * square_[j];
            double t = sign > 0.0 ? bound[j] - multiplier[j] : multiplier[j];
            std::size_t leaving = none;
            for (std::size_t k = 0; k < n_tight; ++k) {
                const double reached = room(k) / std::abs(rate_[k]);
                if (rate_[k] != 0.0 && reached < t) {
                    t = reached;
                    leaving = k;
                }
            }
            const bool full = !dependent && left / free <= t;
            if (full) t = left / free;
            if (std::isinf(t)) return;
            if (!dependent) {
                add_multiple(x.data(), -sign * t, free_.data(), width());
                left -= t * free;
            }
            for (std::size_t i = 0; i < n_tight; ++i) multiplier[tight_[i]] += t * rate_[i];
            multiplier[j] += sign * t;
            if (full) {
                add(j);
                return;
            }
            if (leaving == none) {
                multiplier[j] = sign > 0.0 ? bound[j] : 0.0;
                return;
            }
            leave(leaving);
        }
    }

    // How the multipliers of tight rows change with that of the row whose coordinates are d_.
    HYPLANE_INLINE void rates(double sign) {
        const std::size_t n_tight = tight_.size();
        for (std::size_t i = 0; i < n_tight; ++i) rate_[i] = -sign * d_[i];
        solve_lower_transposed(r_.data(), rate_.data(), n_tight, width());
    }

    // Lines of q_ are an orthonormal basis of the span of the tight rows; line k of r_ has the
    // coordinates of tight row k, of which there are k + 1.
    HYPLANE_INLINE void add(std::size_t j) {
        const std::size_t n_tight = tight_.size();
        const double length = std::sqrt(free_square_), per_length = 1.0 / length;
        double* const last = line(q_, n_tight);
        for (std::size_t i = 0; i < width(); ++i) last[i] = per_length * free_[i];
        d_[n_tight] = length;
        std::copy(d_.begin(), d_.begin() + n_tight + 1, line(r_, n_tight));
        std::copy(row_.begin(), row_.end(), line(rows_, n_tight));
        tight_.push_back(j);
        per_length_[j] = 0.0;  // no violation is seen while the row is tight
    }

    // The last line of q_ leaves the span, and the row that is about to become tight has a part
    // there.
    HYPLANE_INLINE void drop(std::size_t place) {
        per_length_[tight_[place]] = 1.0 / std::sqrt(square_[tight_[place]]);
        tight_.erase(tight_.begin() + place);
        for (Vector* lines : {&r_, &rows_})
            std::copy(line(*lines, place + 1), line(*lines, tight_.size() + 1),
                      line(*lines, place));
        for (std::size_t k = place; k < tight_.size(); ++k) {
            double* const pair = line(r_, k) + k;
            const double length = std::sqrt(pair[0] * pair[0] + pair[1] * pair[1]);
            if (length == 0.0) continue;
            const double c = pair[0] / length, s = pair[1] / length;
            rotate(line(q_, k), line(q_, k + 1), c, s, width());
            rotate(&d_[k], &d_[k + 1], c, s, 1);  // of the row that is about to become tight
            for (std::size_t l = k; l < tight_.size(); ++l) {
                double* other = line(r_, l) + k;
                const double old = other[0];
                other[0] = c * old + s * other[1];
                other[1] = c * other[1] - s * old;
            }
        }
        double& beyond = d_[tight_.size()];
        add_multiple(free_.data(), beyond, line(q_, tight_.size()), width());
        free_square_ += beyond * beyond;
        beyond = 0.0;
    }

    std::size_t width() const { return lanes * blocks_; }
    double* line(Vector& lines, std::size_t k) const { return lines.data() + k * width(); }

    std::size_t n_ = 0, blocks_ = 0;  // coordinates, and how many lanes of them
    std::vector<std::size_t> tight_;
    Vector square_, per_length_, residual_, violation_, d_, free_, row_, rate_, step_;
    Vector q_, r_, rows_;  // see add(); rows_ holds the tight rows themselves
    double free_square_ = 0.0;
};

}  // namespace hyplane
