// The last steps to a minimum with kinks. Quasi-Newton crawls where many points lie exactly on
// their margin y w*x = 1; there each step solves a model that keeps the kinks (composite
// nonsmooth optimisation: Fletcher 1982, Womersley and Fletcher 1986). With w = s (sinh a,
// cosh a · u) and the point P = (cosh a, sinh a · u) of the hyperplane nearest to the origin,
//
//     w(δ) = w + s (δ_0 P + δ_1 w/s + δ_2 e_2 + … + δ_n e_n),   e_i a basis of u's complement,
//
// makes each w*x linear in δ, so the model has the kinks in their true places, and the second
// derivatives of everything else are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "box_qp.hpp"
#include "problem.hpp"
#include "quasi_newton.hpp"

namespace hyplane {

// The directions δ at a hyperplane, which is turned so that a >= 0 (see kernel.hpp).
class Frame {
  public:
    Frame(const Points& points, const Hyperplane& plane)
        : points_(points), orientation(plane.offset < 0.0 ? -1.0 : 1.0),
          offset(std::abs(plane.offset)), log_scale(plane.log_scale), normal_(plane.normal) {
        for (double& u : normal_) u *= orientation;
        // The reflection that takes u to ± the first axis; its other columns are the e_i.
        mirror_ = normal_;
        mirror_[0] += std::copysign(1.0, normal_[0]);
        half_square_ = 0.5 * dot(mirror_, mirror_);
        const double grow = std::exp(offset), shrink = 1.0 / grow;
        grow_ = grow;
        sinh_ = std::sinh(offset);
        cosh_ = 0.5 * (grow + shrink);
    }

    std::size_t size() const { return points_.n_dim + 1; }

    // w*x / s of a row, and what the other parts of its derivative are made of.
    struct Product {
        double z, rise, fall, half;
    };
    Product product(std::size_t row) const {
        const std::size_t n = points_.n_dim;
        const double* first = points_.block(row / rows_per_block) + row % rows_per_block;
        double chord = 0.0;
        for (std::size_t c = 0; c < n; ++c) {
            const double d = first[(c + 1) * rows_per_block] - normal_[c];
            chord += d * d;
        }
        const double up = std::sqrt(first[0]);
        const double rise = 0.5 * grow_ / up, fall = 0.5 * up / grow_;
        const double half = 0.25 * chord * (up - 1.0 / up);
        return {rise - fall + cosh_ * half, rise, fall, half};
    }

    // d(w*x / s) / dδ.
    void derivative(std::size_t row, const Product& p, Vector& out) const {
        const std::size_t n = points_.n_dim;
        const double* first = points_.block(row / rows_per_block) + row % rows_per_block;
        const double up = std::sqrt(first[0]), sinh_r = 0.5 * (up - 1.0 / up);
        out[0] = p.rise + p.fall + sinh_ * p.half;
        out[1] = p.z;
        double along = 0.0;
        for (std::size_t c = 0; c < n; ++c)
            along += mirror_[c] * (first[(c + 1) * rows_per_block] - normal_[c]);
        along /= half_square_;
        for (std::size_t c = 1; c < n; ++c)
            out[c + 1] = -sinh_r * (first[(c + 1) * rows_per_block] - normal_[c] -
                                    along * mirror_[c]);
    }

    // w(t δ) within |a| <= bound; false where it is no hyperplane.
    bool moved(const Vector& delta, double t, double bound, Hyperplane& out) const {
        const std::size_t n = points_.n_dim;
        const double along = 1.0 + t * delta[1], lift = t * delta[0];
        Vector side(n, 0.0);
        for (std::size_t c = 1; c < n; ++c) side[c] = t * delta[c + 1];
        const double square = along * along + dot(side, side) - lift * lift;
        if (!(along > 0.05) || !(square > 0.01 * along * along)) return false;
        const double reflected = dot(mirror_, side) / half_square_;
        const double length = along * cosh_ + lift * sinh_;
        out.normal.resize(n);
        for (std::size_t c = 0; c < n; ++c)
            out.normal[c] = length * normal_[c] + side[c] - reflected * mirror_[c];
        const double size = std::sqrt(dot(out.normal, out.normal));
        if (!(size > 0.0) || !std::isfinite(size)) return false;
        for (double& u : out.normal) u *= orientation / size;
        const double a = std::asinh((along * sinh_ + lift * cosh_) / std::sqrt(square));
        out.offset = orientation * std::max(-bound, std::min(bound, a));
        out.log_scale = log_scale + 0.5 * std::log(square);
        return true;
    }

  private:
    const Points& points_;

  public:
    const double orientation, offset, log_scale;

  private:
    Vector normal_, mirror_;
    double half_square_, grow_, sinh_, cosh_;
};

// The model of the objective around a hyperplane: gradient and curvature of what is smooth there,
// and the rows near their kink one by one.
class Polisher {
  public:
    Polisher(const Problem& problem) : problem_(problem), share_(problem.points.n_rows, -1.0) {}

    // One step δ; returns the decrease the model promises, or a negative number for none.
    double propose(const Frame& frame, double damping, Vector& delta) {
        const std::size_t n = frame.size();
        gather(frame);
        curve(frame);
        Vector scale(n), factor; raw_ = program_.rows;
        for (std::size_t i = 0; i < n; ++i) scale[i] = 1.0 / std::sqrt(convex_[i * n + i] + concave_[i * n + i]);
        for (;; damping = damping < 0.1 ? 0.125 : 2.0 * damping) {
            if (damping > 1e12) return -1.0;
            const double up = std::max(1.0, damping), down = std::min(2.0 * damping - 1.0, damping);
            factor.resize(n * n);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j <= i; ++j)
                    factor[i * n + j] = (up * convex_[i * n + j] + down * concave_[i * n + j]) * scale[i] * scale[j];
            if (cholesky(factor, n)) break;
        }
        used_damping = damping;
        const auto into = [&](Vector v) {
            for (std::size_t i = 0; i < n; ++i) {
                v[i] *= scale[i];
                for (std::size_t k = 0; k < i; ++k) v[i] -= factor[i * n + k] * v[k];
                v[i] /= factor[i * n + i];
            }
            return v;
        };
        for (auto& row : program_.rows) row.v = into(std::move(row.v));
        const Vector g = into(gradient_);
        program_.solve(g);
        const Vector& x = program_.x;
        double change = dot(g, x) + 0.5 * dot(x, x);
        for (std::size_t k = 0; k < program_.rows.size(); ++k) {
            const auto& row = program_.rows[k];
            if (!std::isinf(row.bound))
                change += row.bound * (std::max(0.0, row.gap + dot(row.v, x)) -
                                       std::max(0.0, row.gap));
            if (k < kinked_.size()) share_[kinked_[k]] = row.multiplier / row.bound;
        }
        hold_ = program_.rows[kinked_.size()].multiplier - program_.rows.back().multiplier;
        delta = x;
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; ++k) delta[i] -= factor[k * n + i] * delta[k];
            delta[i] /= factor[i * n + i];
        }
        for (std::size_t i = 0; i < n; ++i) delta[i] *= scale[i];
        return -change;
    }

    double dbgrad(int i) { double x = gradient_[i]; for (auto& r : raw_) if (r.gap > 0 && !std::isinf(r.bound)) x += r.bound * r.v[i]; return x; } std::vector<BoxProgram::Row> raw_;
    double used_damping = 0.0;

  private:
    static bool cholesky(Vector& A, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double total = A[i * n + j];
                for (std::size_t k = 0; k < j; ++k) total -= A[i * n + k] * A[j * n + k];
                if (i == j) {
                    if (!(total > 1e-14)) return false;
                    A[i * n + i] = std::sqrt(total);
                } else {
                    A[i * n + j] = total / A[j * n + j];
                }
            }
        return true;
    }

    double weight(std::size_t row) const {
        return problem_.C * (problem_.weights == nullptr ? 1.0 : problem_.weights[row]);
    }

    // w*x of every row, and which rows are near enough to their kink to be modelled with it.
    void gather(const Frame& frame) {
        const std::size_t n_rows = problem_.points.n_rows;
        const std::size_t most = std::max<std::size_t>(64, 4 * frame.size());
        const double s = std::exp(frame.log_scale);
        products_.resize(n_rows);
        near_.clear();
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (problem_.labels[row] == 0) continue;
            products_[row] = frame.product(row);
            const double z = s * products_[row].z;
            const double t = frame.orientation * problem_.labels[row] * z;
            const double distance = std::abs(1.0 - t) / std::sqrt(1.0 + t * t);
            if (distance < 0.95) near_.push_back({distance, row});
        }
        if (near_.size() > most) {
            std::nth_element(near_.begin(), near_.begin() + most, near_.end());
            near_.resize(most);
        }
        kinked_.clear();
        is_kinked_.assign(n_rows, 0);
        for (const auto& [distance, row] : near_) {
            kinked_.push_back(row);
            is_kinked_[row] = 1;
        }
    }

    void curve(const Frame& frame) {
        const std::size_t n = frame.size();
        const double s = std::exp(frame.log_scale), s2 = s * s;
        gradient_.assign(n, 0.0);
        gradient_[1] = s2;
        convex_.assign(n * n, 0.0);
        concave_.assign(n * n, 0.0);
        for (std::size_t i = 1; i < n; ++i) convex_[i * n + i] = s2;
        concave_[0] = s2;
        Vector b(n); static const double aug = getenv("AUG") ? atof(getenv("AUG")) : 10.0;
        program_.rows.clear();
        program_.rows.reserve(kinked_.size() + 2);
        for (std::size_t row : kinked_) {
            const double y = frame.orientation * problem_.labels[row], c = weight(row);
            const double t = y * s * products_[row].z, root = std::sqrt(1.0 + t * t);
            frame.derivative(row, products_[row], b);
            for (double& value : b) value *= -y * s;
            double& share = share_[row];
            if (share < 0.0) share = t < 1.0 ? 1.0 : 0.0;
            const double slope = t < 1.0 ? 1.0 / root : std::sqrt(0.5);
            bend(b, c * share * t / (root * root * root) + (share > 0.0 && share < 1.0 ? aug * c : 0.0));
            program_.rows.push_back({b, 1.0 - t, c * slope, share >= 0.5 ? c * slope : 0.0});
        }
        for (std::size_t row = 0; row < problem_.points.n_rows; ++row) {
            if (problem_.labels[row] == 0 || is_kinked_[row]) continue;
            share_[row] = -1.0;
            const double y = frame.orientation * problem_.labels[row], c = weight(row);
            const double t = y * s * products_[row].z, root = std::sqrt(1.0 + t * t);
            if (!(t < 1.0)) continue;
            frame.derivative(row, products_[row], b);
            for (double& value : b) value *= -y * s;
            for (std::size_t i = 0; i < n; ++i) gradient_[i] += c / root * b[i];
            bend(b, c * t / (root * root * root));
        }
        // -R <= a <= R. To second order a changes by δ_0 - δ_0 δ_1 - ½ tanh a (δ_2² + … + δ_n²).
        const double bound = problem_.points.largest_radius;
        const double top = std::numeric_limits<double>::infinity();
        std::fill(b.begin(), b.end(), 0.0);
        b[0] = 1.0;
        program_.rows.push_back({b, frame.offset - bound, top, 0.0});
        b[0] = -1.0;
        program_.rows.push_back({b, -frame.offset - bound, top, 0.0});
        const double turn = hold_ * std::tanh(frame.offset);
        for (std::size_t i = 2; i < n; ++i)
            (turn > 0.0 ? concave_ : convex_)[i * n + i] += std::abs(turn);
    }

    void bend(const Vector& b, double curvature) {
        const std::size_t n = b.size();
        Vector& sum = curvature > 0.0 ? convex_ : concave_;
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = std::abs(curvature) * b[i];
            for (std::size_t j = 0; j <= i; ++j) sum[i * n + j] += factor * b[j];
        }
    }

    const Problem& problem_;
    Vector share_;       // of each row's weight: its multiplier, or -1 where nothing is known
    double hold_ = 0.0;  // the multiplier of the bound on a
    std::vector<Frame::Product> products_;
    std::vector<std::pair<double, std::size_t>> near_;
    std::vector<std::size_t> kinked_;
    std::vector<char> is_kinked_;
    Vector gradient_, convex_, concave_;
    BoxProgram program_;
};

// Worth its cost, which grows with the square of the dimension?
inline bool can_polish(const Problem& problem) {
    return !problem.points.far && problem.points.n_rows <= 16384 &&
           problem.points.n_dim + 2 <= 128;
}

template <class Watch>
void polish(const Problem& problem, Descent& state, double tolerance, int max_iter,
            const Watch& watch) {
    const double bound = problem.points.largest_radius;
    Hyperplane plane = problem.hyperplane(state.theta), next;
    Polisher polisher(problem);
    Vector delta, d_normal;
    const double noise = 1e-16 * problem.C * problem.points.n_rows;
    double d_scale, d_offset, damping = 0.0;
    int n_failed = 0;
    state.stop = Stop::out_of_iterations;
    for (int iteration = 0; iteration < max_iter; ++iteration) {
        watch();
        const Frame frame(problem.points, plane);
        const double promised = polisher.propose(frame, damping, delta);
        const bool least = polisher.used_damping > damping || damping == 0.0;
        damping = polisher.used_damping;
        static const bool dbg = getenv("POL"); if (dbg) fprintf(stderr, "%d F %.12g promised %.3g damping %g s %g a %g\n", iteration, state.value, promised, damping, plane.log_scale, plane.offset);
        if (!(promised > tolerance * std::abs(state.value) + noise)) {
            if (!least) {
                damping = damping < 0.2 ? 0.0 : 0.25 * damping;
                continue;
            }
            state.stop = Stop::stationary;
            break;
        }
        if (dbg) { Vector e(delta.size(), 0.0); for (std::size_t i = 0; i < e.size(); ++i) { e.assign(e.size(), 0.0); e[i] = 1e-6; 
           frame.moved(e, 1, bound, next); double f1 = problem.at_hyperplane(next, d_scale, d_offset, d_normal); frame.moved(e, -1, bound, next); double f2 = problem.at_hyperplane(next, d_scale, d_offset, d_normal); fprintf(stderr, " fd %g model %g d %g\n", (f1-f2)/2e-6, polisher.dbgrad(i), delta[i]); }}
        ++state.n_iter;
        double t = 1.0, value = INFINITY;
        for (; t > 1e-5; t *= 0.5) {
            if (!frame.moved(delta, t, bound, next)) continue;
            value = problem.at_hyperplane(next, d_scale, d_offset, d_normal);
            if (value <= state.value - 1e-4 * t * promised) break;
        }
        // Better than promised: the objective bends down along the step.
        const bool concave = t == 1.0 && state.value - value > 1.1 * promised;
        if (concave) {
            Hyperplane farther;
            while (t < 1000.0 && frame.moved(delta, 2.0 * t, bound, farther)) {
                const double lower =
                    problem.at_hyperplane(farther, d_scale, d_offset, d_normal);
                if (!(lower < value)) break;
                value = lower;
                next = farther;
                t *= 2.0;
            }
        }
        if (value < state.value) {
            state.value = value;
            plane = next;
            n_failed = 0;
        } else if (++n_failed == 4) {
            state.stop = Stop::stalled;
            break;
        }
        if (dbg) fprintf(stderr, "   t %g\n", t);
        if (t >= 1.0)
            damping = damping < 0.2 ? 0.0 : 0.5 * damping;
        else if (t < 0.2)
            damping = std::max(0.5, n_failed > 0 ? 16.0 * damping : 4.0 * damping);
    }
    if (getenv("POLS")) fprintf(stderr, "stop %d it %d\n", int(state.stop), state.n_iter);
    state.theta = problem.parameters(plane);
    state.value = problem(state.theta, state.gradient);
    state.metric.reset();
}

}  // namespace hyplane
