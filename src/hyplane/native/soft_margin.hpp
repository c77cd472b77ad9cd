// The soft-margin solver: many starts on a small sample, few survivors on larger ones, the best
// on all rows. What a sample learns about curvature is handed on with the hyperplane.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "polish.hpp"
#include "problem.hpp"
#include "quasi_newton.hpp"
#include "starts.hpp"

namespace hyplane {

struct Options {
    double C;
    double tol;
    int max_iter;
    int n_random_starts;  // at most
    int n_hits;           // how often the best minimum must be found before the starts end
    std::uint64_t seed;
};

struct Solution {
    Hyperplane plane;
    double value;
    int n_iter;
    std::size_t n_evaluations;
    Stop stop;
};

// Rows of a problem with labels and weights of their own, so that sums over them estimate sums
// over all rows: each class is sampled for itself, since one may be rare.
struct Sample {
    Points points;
    std::vector<std::int8_t> labels;
    std::vector<double> weights;

    static Sample draw(const Problem& problem, std::size_t size, Random& random) {
        std::vector<std::size_t> rows[2];
        for (std::size_t row = 0; row < problem.points.n_rows; ++row)
            if (problem.labels[row] != 0) rows[problem.labels[row] > 0].push_back(row);
        std::size_t wanted[2];
        const std::size_t rare = rows[1].size() < rows[0].size() ? 1 : 0;
        wanted[rare] = std::min(rows[rare].size(), size / 2);
        wanted[1 - rare] = std::min(rows[1 - rare].size(), size - wanted[rare]);
        std::vector<std::size_t> chosen;
        std::vector<double> weight;
        for (int side : {0, 1}) {
            const double share = static_cast<double>(rows[side].size()) / wanted[side];
            for (std::size_t i = 0; i < wanted[side]; ++i) {
                std::swap(rows[side][i], rows[side][i + random.below(rows[side].size() - i)]);
                const std::size_t row = rows[side][i];
                weight.push_back(share *
                                 (problem.weights == nullptr ? 1.0 : problem.weights[row]));
            }
            // In their own order the rows are read, not searched for.
            std::vector<std::size_t> order(wanted[side]);
            const std::size_t first = chosen.size();
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return rows[side][a] < rows[side][b];
            });
            std::vector<double> sorted(order.size());
            for (std::size_t i = 0; i < order.size(); ++i) {
                chosen.push_back(rows[side][order[i]]);
                sorted[i] = weight[first + order[i]];
            }
            std::copy(sorted.begin(), sorted.end(), weight.begin() + first);
        }
        Sample sample{problem.points.take(chosen), {}, std::move(weight)};
        for (std::size_t row : chosen) sample.labels.push_back(problem.labels[row]);
        const std::size_t padded = sample.points.n_blocks() * rows_per_block;
        sample.labels.resize(padded, 0);
        sample.weights.resize(padded, 0.0);
        return sample;
    }

    Problem problem(double C) const { return {points, labels.data(), weights.data(), C}; }
};

inline void keep_best(std::vector<Descent>& field, std::size_t count) {
    std::sort(field.begin(), field.end(),
              [](const Descent& a, const Descent& b) { return a.value < b.value; });
    std::vector<Descent> kept;
    for (Descent& runner : field) {
        if (kept.size() == count) break;
        const bool same = !kept.empty() && runner.value - kept.back().value <=
                                               1e-5 * std::abs(kept.back().value);
        if (!same) kept.push_back(std::move(runner));
    }
    field = std::move(kept);
}

template <class Function>
void run(const Function& problem, std::vector<Descent>& field, const Tolerance& tolerance) {
    for (Descent& runner : field) {
        runner.value = problem(runner.theta, runner.gradient);
        minimise(problem, runner, tolerance);
    }
}

inline int ev(const char* name, int def) { const char* v = getenv(name); return v ? atoi(v) : def; }
// Begin at every plane, run a little, and carry the `count` best to their minimum.
template <class Function, class Watch>
std::vector<Descent> heat(const Function& f, const Problem& problem,
                          const std::vector<Hyperplane>& planes, std::size_t count, const Watch& watch) {
    std::vector<Descent> field;
    for (const Hyperplane& plane : planes) {
        Descent runner;
        runner.theta = problem.parameters(plane);
        field.push_back(std::move(runner));
    }
    static const int n1 = ev("N1", 12), n2 = ev("N2", 0), n3 = ev("N3", 50);
    run(f, field, {1e-3, n1, false});
    keep_best(field, count);
    if (can_polish(problem)) {
        if (n2) run(f, field, {1e-6, n2, false});
        for (Descent& runner : field) polish(problem, runner, 1e-8, n3, watch);
    } else
        run(f, field, {1e-6, 100, false});
    return field;
}

// Iterated local search: rows get random weights for a while, which lifts the best hyperplane out of a shallow
// minimum in steps that fit the problem, whatever its scales.
template <class Function, class Watch>
void shake(const Function& f, const Problem& problem, Descent& best, int patience, Random& random, const Watch& watch) {
    static const int hb = ev("HB", 0), hp = ev("HP", 10); static const double hw = ev("HW", 100) / 100.0;
    std::vector<double> weights(problem.points.n_blocks() * rows_per_block, 0.0);
    for (int failures = 0, total = 0; failures < patience && total < 10 * patience; ++total) {
        for (std::size_t row = 0; row < problem.points.n_rows; ++row)
            weights[row] = (problem.weights == nullptr ? 1.0 : problem.weights[row]) *
                           std::pow(-std::log(1.0 - random.uniform()), hw);
        const Problem shaken{problem.points, problem.labels, weights.data(), problem.C};
        Descent runner = best;
        runner.value = shaken(runner.theta, runner.gradient);
        polish(shaken, runner, 1e-3, hp, watch);
        runner.value = problem(runner.theta, runner.gradient);
        if (hb) minimise(f, runner, {1e-3, hb, false});
        polish(problem, runner, 1e-8, 50, watch);
        if (runner.value < best.value - 1e-7 * std::abs(best.value)) {
            best = std::move(runner);
            failures = 0;
        } else {
            ++failures;
        }
    }
}

// Heats of random starts go on until the best minimum so far has been found several times over,
// so that an easy problem costs little and a rugged one gets many starts.
template <class Function, class Watch>
std::vector<Descent> race(const Function& f, const Problem& problem, const Options& options,
                          Random& random, const Watch& watch) {
    static const std::size_t heat_size = ev("HS", 8), n_carried = ev("NC", 3);
    constexpr double same = 1e-5;
    std::vector<Descent> field = heat(f, problem, informed_starts(problem), n_carried, watch);
    for (int n_random = 0; n_random < options.n_random_starts; n_random += heat_size) {
        const auto more = heat(f, problem, random_starts(problem, heat_size, random), n_carried, watch);
        field.insert(field.end(), more.begin(), more.end());
        double best = INFINITY;
        for (const Descent& runner : field) best = std::min(best, runner.value);
        const auto hits = std::count_if(field.begin(), field.end(), [&](const Descent& runner) {
            return runner.value <= best + same * std::abs(best);
        });
        if (hits >= options.n_hits) break;
    }
    static const int nh = ev("NH", 0);
    if (nh && can_polish(problem)) {
        const auto best = std::min_element(field.begin(), field.end(), [](const Descent& a, const Descent& b) { return a.value < b.value; });
        shake(f, problem, *best, nh, random, watch);
    }
    return field;
}

// `watch` is called before every evaluation; it may throw to interrupt the fit.
template <class Watch>
Solution fit_soft_margin(const Problem& problem, const Options& options, const Watch& watch) {
    const std::size_t n_rows = problem.points.n_rows;
    const std::size_t first = std::max<std::size_t>(512, 8 * problem.n_parameters());
    constexpr std::size_t growth = 8, exact_rows = 16384, n_finalists = 3;
    Random random(options.seed);
    std::size_t n_evaluations = 0;
    const auto watched = [&](const Problem& part) {
        return [&part, &watch](const Vector& theta, Vector& gradient) {
            watch();
            return part(theta, gradient);
        };
    };
    std::vector<Descent> field;
    for (std::size_t size = first; 2 * size < n_rows; size *= growth) {
        const Sample sample = Sample::draw(problem, size, random);
        const Problem part = sample.problem(problem.C);
        if (field.empty())
            field = race(watched(part), part, options, random, watch);
        else
            run(watched(part), field, {1e-5, 60, false});
        keep_best(field, size < exact_rows ? n_finalists : 1);
        n_evaluations += part.n_evaluations;
    }
    if (field.empty()) {
        field = race(watched(problem), problem, options, random, watch);
        keep_best(field, n_finalists);
    }
    if (n_rows > exact_rows) keep_best(field, 1);
    for (Descent& runner : field) runner.n_iter = 0;
    if (can_polish(problem))
        for (Descent& runner : field) polish(problem, runner, options.tol, 50, watch);
    else
        run(watched(problem), field, {options.tol, options.max_iter, n_rows <= exact_rows});
    keep_best(field, 1);
    n_evaluations += problem.n_evaluations;
    const Descent& best = field.front();
    return {problem.hyperplane(best.theta), best.value, best.n_iter, n_evaluations, best.stop};
}

}  // namespace hyplane
