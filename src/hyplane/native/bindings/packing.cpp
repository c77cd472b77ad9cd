// Rows of any chart packed for the solver: one pass over the user's array, in threads.
#include "packing.hpp"

#include <nanobind/stl/string.h>

#include <atomic>
#include <cmath>
#include <string>

#include "../charts/pack.hpp"
#include "chart_rows.hpp"
#include "interrupt.hpp"

namespace hyplane {

namespace nb = nanobind;

namespace {

using namespace charts;

struct Packed {
    PackedPoints points;
    std::int64_t bad_row;
    bool fits;  // false: the points were packed as near ones, and one is far
};

Packed pack_as(const Task& rows, bool far, std::size_t n_threads, const CompiledCall& call) {
    PackedPoints points(rows.source.rows, rows.n, far, PackedPoints::Unset());
    std::atomic<double> largest{0.0};
    const auto write = [&](Block& block, std::size_t first, std::size_t count, bool any_far) {
        const double size = pack_block(block, first, count, any_far, points);
        double least = largest;
        while (size > least && !largest.compare_exchange_weak(least, size)) {
        }
    };
    const std::int64_t bad_row = for_each_block(rows, !far, 0, n_threads, call, write);
    points.largest_radius = far ? largest.load() : std::asinh(largest);
    const bool fits = far || points.largest_radius <= largest_near_radius;
    return {std::move(points), bad_row, fits};
}

nb::tuple pack(const AnyArray& X, const std::string& chart, double k, std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    if (rows.source.rows == 0) throw std::invalid_argument("there are no points.");
    const std::size_t threads = checked_threads(n_threads);
    CompiledCall call;
    Packed packed = pack_as(rows, false, threads, call);
    // A row that is no point has an infinite radius too.
    if (packed.bad_row < 0 && !packed.fits) packed = pack_as(rows, true, threads, call);
    return nb::make_tuple(std::move(packed.points), packed.bad_row);
}

}  // namespace

void bind_packing(nb::module_& m) {
    using namespace nb::literals;
    m.def("pack", &pack,
          nb::sig("def pack(X: numpy.typing.NDArray[numpy.float32] | "
                  "numpy.typing.NDArray[numpy.float64], chart: str, k: float, n_threads: int = 1) "
                  "-> tuple[PackedPoints, int]"),
          "X"_a, "chart"_a, "k"_a, "n_threads"_a = 1,
          "Rows of a chart of curvature -k as packed points, and the first row that is no point "
          "(or -1).");
}

}  // namespace hyplane
