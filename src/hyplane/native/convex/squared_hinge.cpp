#include "squared_hinge.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../linalg/dense.hpp"
#include "../linalg/row_panel.hpp"

namespace hyplane {

// slack = 1 - w·z of each row.
HYPLANE_EVERY_CPU void slacks(const HingeRows& rows, const double* w, double* slack) {
    std::fill(slack, slack + rows.n_rows, 1.0);
    for (std::size_t i = 0; i < rows.n_dim; ++i)
        add_multiple(slack, -w[i], rows.line(i), rows.n_rows);
}

// Σ c max(0, slack)².
HYPLANE_EVERY_CPU double sum_of_squares(const double* c, const double* slack, std::size_t n_rows) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < n_rows; ++j)
        total += slack[j] > 0.0 ? c[j] * slack[j] * slack[j] : 0.0;
    return total;
}

// gradient <- w - 2 Σ pull z.
HYPLANE_EVERY_CPU void gradient_of(const HingeRows& rows, const double* w, const double* pull,
                                   double* gradient) {
    for (std::size_t i = 0; i < rows.n_dim; ++i)
        gradient[i] = w[i] - 2.0 * sum_of_products(rows.line(i), pull, rows.n_rows);
}

namespace {

using Watch = std::function<void()>;

// New memory can take a second to be cleared: a large array is filled in parts.
Vector zeros(std::size_t size, const Watch& watch) {
    constexpr std::size_t part = std::size_t(1) << 20;
    Vector out;
    out.reserve(size);
    while (out.size() < size) {
        watch();
        out.resize(std::min(size, out.size() + part));
    }
    return out;
}

class SquaredHinge {
  public:
    SquaredHinge(const HingeRows& rows, const Watch& watch)
        : rows_(rows),
          n_(rows.n_dim),
          watch_(watch),
          hessian_(zeros(panel_stride(n_) * panel_stride(n_), watch)),
          panel_(n_),
          active_(rows.n_rows),
          curvature_(panel_.capacity()),
          slack_(rows.n_rows),
          pull_(rows.n_rows),
          gradient_(n_),
          step_(n_),
          moved_(n_) {}

    // False where the steps ran out.
    bool solve(const double* c, double tolerance, int max_iter, double* w) {
        std::fill(w, w + n_, 0.0);
        for (int iteration = 0; iteration < max_iter; ++iteration) {
            watch_();
            if (!newton_step(c, w)) return false;
            double longest = 0.0, largest = 0.0;
            for (std::size_t i = 0; i < n_; ++i) {
                longest = std::max(longest, std::abs(step_[i]));
                largest = std::max(largest, std::abs(w[i]));
                if (!std::isfinite(step_[i])) return false;
            }
            if (longest <= tolerance * (1.0 + largest)) return true;
            take_step(c, w);
        }
        return false;
    }

  private:
    bool newton_step(const double* c, const double* w) {
        slacks(rows_, w, slack_.data());
        for (std::size_t j = 0; j < rows_.n_rows; ++j)
            pull_[j] = slack_[j] > 0.0 ? c[j] * slack_[j] : 0.0;
        gradient_of(rows_, w, pull_.data(), gradient_.data());
        if (!find_hessian(c) || !cholesky(hessian_, n_, 0.0, watch_)) return false;
        for (std::size_t i = 0; i < n_; ++i) step_[i] = -gradient_[i];
        solve_lower(hessian_.data(), step_.data(), n_, n_);
        solve_lower_transposed(hessian_.data(), step_.data(), n_, n_);
        return true;
    }

    // 1 + 2 Σ c z zᵀ over the rows inside the margin. False where a number is infinite: the factor
    // could be finite, and wrong.
    bool find_hessian(const double* c) {
        std::fill(hessian_.begin(), hessian_.end(), 0.0);
        std::size_t n_active = 0;
        for (std::size_t j = 0; j < rows_.n_rows; ++j) {  // a branch would be hard to predict
            active_[n_active] = j;
            n_active += pull_[j] > 0.0;
        }
        for (std::size_t first = 0; first < n_active; first += panel_.capacity())
            add_squares_of(&active_[first], std::min(panel_.capacity(), n_active - first), c);
        // Lines of the sum are padded. The lower triangle moves to lines of n numbers.
        const std::size_t stride = panel_.stride();
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                hessian_[i * n_ + j] = hessian_[i * stride + j];
                if (std::isinf(hessian_[i * n_ + j])) return false;
            }
            hessian_[i * n_ + i] += 1.0;
        }
        return true;
    }

    void add_squares_of(const std::size_t* chosen, std::size_t count, const double* c) {
        watch_();
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t k = 0; k < count; ++k) panel_.line(k)[i] = rows_.line(i)[chosen[k]];
        for (std::size_t k = 0; k < count; ++k) curvature_[k] = 2.0 * c[chosen[k]];
        add_squares(panel_, count, curvature_.data(), hessian_.data());
    }

    // Halves the step until the objective falls enough; the full one nearly always does. Rounding
    // must not stop the last, tiny steps.
    void take_step(const double* c, double* w) {
        const double before = objective(c, w), slope = dot(gradient_, step_);
        double size = 1.0;
        for (int trial = 0; trial < 50; ++trial) {
            watch_();
            for (std::size_t i = 0; i < n_; ++i) moved_[i] = w[i] + size * step_[i];
            if (objective(c, moved_.data()) <= before + 1e-4 * size * slope + 1e-12 * before) break;
            size *= 0.5;
        }
        for (std::size_t i = 0; i < n_; ++i) w[i] += size * step_[i];
    }

    double objective(const double* c, const double* w) {
        slacks(rows_, w, slack_.data());
        return 0.5 * sum_of_products(w, w, n_) + sum_of_squares(c, slack_.data(), rows_.n_rows);
    }

    const HingeRows& rows_;
    const std::size_t n_;
    const Watch& watch_;
    Vector hessian_;  // first: with too many columns this does not fit into memory
    RowPanel panel_;
    std::vector<std::size_t> active_;
    Vector curvature_, slack_, pull_, gradient_, step_, moved_;
};

}  // namespace

std::size_t squared_hinge(const HingeRows& rows, const double* weights, std::size_t n_fits,
                          double tolerance, int max_iter, double* w, const Watch& watch) {
    SquaredHinge solver(rows, watch);
    std::size_t solved = 0;
    while (solved < n_fits && solver.solve(weights + solved * rows.n_rows, tolerance, max_iter,
                                           w + solved * rows.n_dim))
        ++solved;
    return solved;
}

}  // namespace hyplane
