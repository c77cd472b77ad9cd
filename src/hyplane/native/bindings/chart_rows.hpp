// What the bindings that read rows of a chart share: the user's array as a task, and its blocks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "../charts/blocks.hpp"
#include "../rows/row_threads.hpp"
#include "arrays.hpp"
#include "interrupt.hpp"

namespace hyplane::charts {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

inline Chart chart_named(const std::string& name, std::size_t columns) {
    if (name == "ball") return Chart::ball;
    if (name == "hyperboloid") return Chart::hyperboloid;
    if (name == "halfspace") return Chart::halfspace;
    if (name == "klein") return Chart::klein;
    if (name == "polar") return columns == 2 ? Chart::angle : Chart::polar;
    check(name == "tangent",
          "chart must be one of ball, hyperboloid, halfspace, klein, polar, tangent; got '", name,
          "'.");
    return Chart::tangent;
}

// The compiler may take for granted that a number lies at a multiple of its size.
inline void check_aligned(const void* data, std::size_t size, const char* name) {
    check(reinterpret_cast<std::uintptr_t>(data) % size == 0, name,
          " is not aligned in memory; pass a copy of it.");
}

inline Task task_of(const AnyArray& X, const std::string& name, double k) {
    check(X.ndim() == 2, "X must be a 2-D array, one point a row; got ", X.ndim(),
          " dimension(s).");
    const bool single = X.dtype() == nb::dtype<float>();
    check(single || X.dtype() == nb::dtype<double>(), "X must hold float32 or float64 numbers.");
    check_aligned(X.data(), single ? sizeof(float) : sizeof(double), "X");
    check(k > 0.0 && std::isfinite(k), "k, minus the curvature, must be a positive finite number.");
    const Source source{X.data(), single, X.shape(0), X.shape(1), X.stride(0), X.stride(1)};
    const Chart chart = chart_named(name, source.columns);
    const std::size_t least = chart == Chart::hyperboloid || chart == Chart::polar ? 2 : 1;
    check(source.columns >= least, "X has ", source.columns, " column(s) but points in ", name,
          " coordinates have at least ", least, ".");
    return Task(source, chart, k);
}

// Ranges of about a millisecond: short enough for Ctrl-C and for threads to share the rows evenly.
inline std::size_t rows_at_once(std::size_t n, std::size_t n_planes) {
    const std::size_t per_row = (n + 2) * (n_planes + 2);
    const std::size_t blocks = (std::size_t{1} << 19) / std::max<std::size_t>(1, per_row) / n_lanes;
    return n_lanes * std::clamp<std::size_t>(blocks, 1, 512);
}

// Fill blocks with the rows of a task, in threads, and call `use(block, first, count, any_far)` for
// each of them. Returns the first row that is no point, or -1.
template <class Use>
std::int64_t for_each_block(const Task& task, bool scoring, std::size_t n_planes,
                            std::int64_t n_threads, const Use& use) {
    Faults faults;
    const std::size_t n_rows = task.source.rows, step = rows_at_once(task.n, n_planes);
    const std::size_t n_ranges = n_rows / step + (n_rows % step != 0);
    const std::size_t wanted = std::min(checked_threads(n_threads), n_ranges);
    without_lock([&](const auto& watch) {
        RowThreads(wanted, watch).run(n_ranges, [&](std::size_t range) {
            const auto block = std::make_unique<Block>(task.n);
            const std::size_t last = std::min(n_rows, (range + 1) * step);
            for (std::size_t first = range * step; first < last; first += n_lanes) {
                const std::size_t count = std::min(n_lanes, last - first);
                const bool any_far = fill_block(task, first, count, scoring, *block, faults);
                use(*block, first, count, any_far);
            }
        });
    });
    return faults.row();
}

}  // namespace hyplane::charts
