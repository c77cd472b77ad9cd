// Kink steps for large data where only a few rows have a loss: they see those rows alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "../objective/chosen_rows.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"
#include "kink_steps.hpp"

namespace hyplane {

using RowList = std::vector<std::size_t>;

// y w*x of the rows that count in every `stride`-th block.
HYPLANE_EVERY_CPU std::size_t some_products(const PackedPoints& points, const std::int8_t* labels,
                                            const OrientedHyperplane& plane, std::size_t stride,
                                            double* out) {
    constexpr std::size_t rows = rows_per_block;
    const NearProduct product(plane);
    alignas(64) double chord[rows];
    std::size_t count = 0;
    for (std::size_t b = 0; b < points.n_blocks(); b += stride) {
        const double* block = points.block(b);
        squared_chords(block + rows, plane.normal.data(), points.n_dim, chord);
        for (std::size_t j = 0; j < rows; ++j) {
            const double sign = plane.orientation * labels[b * rows + j];
            out[count] = sign * product.value(block[j], chord[j]) / std::sqrt(block[j]);
            count += sign != 0.0;
        }
    }
    return count;
}

// Which rows of a range of blocks have y w*x below a limit >= 0. Returns how many; `out` has room for
// all rows of the range, and one more.
HYPLANE_EVERY_CPU std::size_t find_rows_below(const PackedPoints& points,
                                              const std::int8_t* labels,
                                              const OrientedHyperplane& plane, double limit,
                                              std::size_t first, std::size_t last,
                                              std::size_t* out) {
    constexpr std::size_t rows = rows_per_block;
    const NearProduct product(plane);
    const double square = limit * limit;
    alignas(64) double chord[rows], sign[rows], below[rows];
    std::size_t count = 0;
    for (std::size_t b = first; b < last; ++b) {
        const double* block = points.block(b);
        squared_chords(block + rows, plane.normal.data(), points.n_dim, chord);
        for (std::size_t j = 0; j < rows; ++j) sign[j] = plane.orientation * labels[b * rows + j];
        double any = 0.0;
#pragma omp simd reduction(+ : any)
        for (std::size_t j = 0; j < rows; ++j) {
            const double E2 = block[j], Z = product.value(E2, chord[j]);
            below[j] =
                (((sign[j] * Z < 0.0) | (Z * Z < square * E2)) & (sign[j] != 0.0)) ? 1.0 : 0.0;
            any += below[j];
        }
        if (any == 0.0) continue;
        for (std::size_t j = 0; j < rows; ++j) {
            out[count] = b * rows + j;
            count += below[j] != 0.0;
        }
    }
    return count;
}

// All rows with y w*x below a limit, in order.
inline RowList rows_below(const Problem& problem, const Hyperplane& plane, double limit) {
    const PackedPoints& points = problem.points;
    const OrientedHyperplane oriented(plane);
    const std::size_t step = blocks_of_a_range(points.n_dim), n_ranges = n_ranges_of(points);
    std::vector<RowList> each(n_ranges);
    run_ranges(problem.threads, n_ranges, [&](std::size_t range) {
        const std::size_t first = range * step, last = std::min(points.n_blocks(), first + step);
        RowList found((last - first) * rows_per_block + 1);
        found.resize(
            find_rows_below(points, problem.labels, oriented, limit, first, last, found.data()));
        each[range].assign(found.begin(), found.end());
    });
    RowList all;
    for (const RowList& found : each) all.insert(all.end(), found.begin(), found.end());
    return all;
}

// The rows that have a loss, filled up with the rows nearest to having one: without these the first
// steps would go too far. Nothing where too many rows have a loss. How near to its margin a row must be
// is estimated from a part of the blocks.
inline std::optional<RowList> few_rows_with_a_loss(const Problem& problem, const Hyperplane& plane,
                                                   const Tuning& tuning) {
    const PackedPoints& points = problem.points;
    if (points.far || problem.n_parameters() > tuning.kink_steps_parameters) return {};
    const std::size_t most = tuning.kink_steps_rows;
    const std::size_t stride = std::max<std::size_t>(1, points.n_rows / std::max<std::size_t>(1, most));
    Vector products((points.n_blocks() / stride + 1) * rows_per_block + 1);
    products.resize(some_products(points, problem.labels, OrientedHyperplane(plane), stride,
                                  products.data()));
    // Where half as many as there may be do not hold all with a loss, as many as there may be: only in
    // high dimension, where quasi-Newton on all rows would take many passes.
    const bool try_more = problem.n_parameters() > tuning.few_parameters &&
                          points.n_rows >= tuning.many_for_few * most;
    const double shares[] = {tuning.share_of_few, 1.0};
    for (int attempt = 0; attempt < (try_more ? 2 : 1); ++attempt) {
        const std::size_t place = static_cast<std::size_t>(shares[attempt] * most) / stride;
        if (place >= products.size()) return {};
        std::nth_element(products.begin(), products.begin() + place, products.end());
        if (!(products[place] > 1.0)) continue;
        RowList rows = rows_below(problem, plane, products[place]);
        if (static_cast<double>(rows.size()) > tuning.unlucky_few * static_cast<double>(most))
            return {};
        return rows;
    }
    return {};
}

// The losses of some rows, times C.
inline double losses_of(const Problem& problem, const RowList& rows, const Hyperplane& plane) {
    if (rows.empty()) return 0.0;
    double d_log_scale, d_offset;
    Vector d_normal;
    const ChosenRows chosen(problem, rows);
    return chosen.problem(problem).at_hyperplane(plane, d_log_scale, d_offset, d_normal) -
           0.5 * std::exp(2.0 * plane.log_scale);
}

// Kink steps on the rows that have a loss and those near it. Others join in where they get a loss on
// the way; where they do so again and again, false is returned and the candidate is left as it was.
template <class Watch>
bool kink_steps_on_few(const Problem& problem, RowList rows, Candidate& state, double tolerance,
                       int max_iter, const Tuning& tuning, const Watch& watch) {
    Candidate next = state;
    double from = std::numeric_limits<double>::infinity();
    for (int round = 0; round < tuning.rounds_on_few; ++round) {
        const ChosenRows chosen(problem, rows);
        const Problem part = chosen.problem(problem);
        if (round == 0) from = part(state.theta, next.gradient);  // no other row has a loss there
        const Vector start = next.theta;
        kink_steps(part, next, tolerance, max_iter - (next.n_iter - state.n_iter), tuning, watch);
        const Hyperplane plane = problem.hyperplane(next.theta);
        RowList others, all;
        const RowList with_a_loss = rows_below(problem, plane, 1.0);
        std::set_difference(with_a_loss.begin(), with_a_loss.end(), rows.begin(), rows.end(),
                            std::back_inserter(others));
        const double inside = next.value, value = inside + losses_of(problem, others, plane);
        problem.n_evaluations += part.n_evaluations + 1;
        if (value <= inside + tuning.final_tol * tolerance * std::abs(inside)) {
            next.value = part(next.theta, next.gradient) + (value - inside);
            state = std::move(next);
            return true;
        }
        std::merge(rows.begin(), rows.end(), others.begin(), others.end(),
                   std::back_inserter(all));
        if (static_cast<double>(all.size()) >
            tuning.most_of_few * static_cast<double>(tuning.kink_steps_rows))
            return false;
        rows = std::move(all);
        if (value < from)
            from = value;
        else
            next.theta = start;
    }
    return false;
}

// Such steps from each candidate; false where rows with a loss are not few, or did not stay so.
template <class Watch>
bool kink_steps_on_few(const Problem& problem, std::vector<Candidate>& candidates,
                       double tolerance, int max_iter, const Tuning& tuning, const Watch& watch) {
    for (Candidate& each : candidates) {
        std::optional<RowList> rows =
            few_rows_with_a_loss(problem, problem.hyperplane(each.theta), tuning);
        if (!rows || !kink_steps_on_few(problem, std::move(*rows), each, tolerance, max_iter,
                                        tuning, watch))
            return false;
    }
    return true;
}

}  // namespace hyplane
