// Rows of any chart packed for the solver: one pass over the user's array, in threads. A file of
// its own because core.cpp includes loops that are compiled for each processor.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cmath>
#include <string>
#include <utility>

#include "../charts/pack.hpp"
#include "chart_rows.hpp"

namespace hyplane {

namespace {

using namespace charts;

// The points, and the first row that is no point. Near points of which one is too far have an
// infinite largest radius.
std::pair<PackedPoints, std::int64_t> pack_as(const Task& rows, bool far, std::int64_t n_threads) {
    PackedPoints points(rows.source.rows, rows.n, far, PackedPoints::Unset());
    std::atomic<double> largest{0.0};
    const auto write = [&](Block& block, std::size_t first, std::size_t count, bool any_far) {
        const double size = pack_block(block, first, count, any_far, points);
        double least = largest;
        while (size > least && !largest.compare_exchange_weak(least, size)) {
        }
    };
    const std::int64_t bad_row = for_each_block(rows, !far, 0, n_threads, write);
    points.largest_radius = far ? largest.load() : std::asinh(largest);
    return {std::move(points), bad_row};
}

std::pair<PackedPoints, std::int64_t> pack(const AnyArray& X, const std::string& chart, double k,
                                           std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    check(rows.source.rows > 0, "there are no points.");
    auto packed = pack_as(rows, false, n_threads);
    // A row that is no point has an infinite radius too.
    if (packed.second < 0 && packed.first.largest_radius > largest_near_radius)
        packed = pack_as(rows, true, n_threads);
    return packed;
}

}  // namespace

void bind_packing(nb::module_& m) {
    using namespace nb::literals;
    m.def("pack", &pack, "X"_a, "chart"_a, "k"_a, "n_threads"_a = 1,
          "Rows of a chart of curvature -k as packed points, and the first row that is no point "
          "(or -1).");
}

}  // namespace hyplane
