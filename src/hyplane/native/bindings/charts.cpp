// Python bindings of the way in and out: rows of any chart as polar coordinates, and their scores.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../charts/scores.hpp"
#include "../rows/row_threads.hpp"
#include "arrays.hpp"
#include "chart_rows.hpp"
#include "interrupt.hpp"

// Parts of the signatures in the stubs.
#define NUMBERS "numpy.typing.NDArray[numpy.float64]"
#define ROWS "X: numpy.typing.NDArray[numpy.float32] | " NUMBERS ", chart: str, k: float"
#define PLANES "log_scale: " NUMBERS ", offset: " NUMBERS ", normal: " NUMBERS

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;
using namespace hyplane::charts;

namespace {

// numpy.empty: NumPy asks the system for large pages, which halves the time of a first write.
template <class Shape>
nb::object empty_array(const Shape& shape, const char* dtype = "float64") {
    return nb::module_::import_("numpy").attr("empty")(shape, dtype);
}

template <class Number = double>
Number* data_of(const nb::object& array) {
    return nb::cast<nb::ndarray<Number, nb::c_contig, nb::device::cpu>>(array).data();
}

Kind kind_named(const std::string& name) {
    if (name == "arsinh_product") return Kind::arsinh_product;
    if (name == "signed_distance") return Kind::signed_distance;
    if (name == "product") return Kind::product;
    if (name == "sign") return Kind::sign;
    throw std::invalid_argument(
        "kind must be one of arsinh_product, signed_distance, product, sign; got '" + name + "'.");
}

HYPLANE_INLINE void write_rows(const double* from, std::size_t count, std::size_t n, double* to) {
    for (std::size_t j = 0; j < count; ++j)
        for (std::size_t c = 0; c < n; ++c) to[j * n + c] = from[c * n_lanes + j];
}

nb::tuple to_polar(const AnyArray& X, const std::string& chart, double k, std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    const std::size_t threads = checked_threads(n_threads), n = rows.n;
    const nb::object radius = empty_array(rows.source.rows);
    const nb::object direction = empty_array(nb::make_tuple(rows.source.rows, n));
    double *const radii = data_of(radius), *const directions = data_of(direction);
    const auto write = [=](const Block& block, std::size_t first, std::size_t count, bool) {
        std::copy_n(block.radius, count, radii + first);
        double* const to = directions + first * n;
        if (n == 2)
            write_rows(block.coordinates(), count, 2, to);
        else
            write_rows(block.coordinates(), count, n, to);
    };
    const std::int64_t bad_row = for_each_block(rows, false, 0, threads, CompiledCall(), write);
    return nb::make_tuple(radius, direction, bad_row);
}

std::vector<ScoredPlane> checked_planes(Kind kind, const Doubles& log_scale, const Doubles& offset,
                                        const Matrix& normal, std::size_t n) {
    const std::size_t count = normal.shape(0);
    if (log_scale.shape(0) != count || offset.shape(0) != count)
        throw std::invalid_argument("log_scale, offset and normal need one entry per hyperplane.");
    if (normal.shape(1) != n)
        throw std::invalid_argument("normal has " + std::to_string(normal.shape(1)) +
                                    " components but the points have dimension " +
                                    std::to_string(n) + ".");
    check_aligned(log_scale.data(), sizeof(double), "log_scale");
    check_aligned(offset.data(), sizeof(double), "offset");
    check_aligned(normal.data(), sizeof(double), "normal");
    std::vector<ScoredPlane> planes;
    for (std::size_t q = 0; q < count; ++q) {
        const double* const u = normal.data() + q * n;
        if (std::isnan(log_scale(q)) || std::isnan(offset(q)) ||
            !std::all_of(u, u + n, [](double x) { return std::isfinite(x); }))
            throw std::invalid_argument("hyperplane " + std::to_string(q) +
                                        " has a parameter that is not a number.");
        planes.emplace_back(kind, Hyperplane{log_scale(q), offset(q), {u, u + n}});
    }
    return planes;
}

// Scores of shape (m, number of planes), and the first row that is no point.
nb::tuple scores_of(const Task& rows, const std::vector<ScoredPlane>& planes,
                    std::int64_t n_threads) {
    const std::size_t threads = checked_threads(n_threads), width = planes.size();
    const nb::object values = empty_array(nb::make_tuple(rows.source.rows, width));
    double* const to = data_of(values);
    const auto write = [&](const Block& block, std::size_t first, std::size_t count, bool any_far) {
        alignas(64) double score[n_lanes];
        for (std::size_t q = 0; q < width; ++q) {
            scores_of_block(block, count, any_far, planes[q], score);
            for (std::size_t j = 0; j < count; ++j) to[(first + j) * width + q] = score[j];
        }
    };
    const std::int64_t bad_row = for_each_block(rows, true, width, threads, CompiledCall(), write);
    return nb::make_tuple(values, bad_row);
}

nb::tuple scores(const AnyArray& X, const std::string& chart, double k, const Doubles& log_scale,
                 const Doubles& offset, const Matrix& normal, const std::string& kind,
                 std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    return scores_of(rows, checked_planes(kind_named(kind), log_scale, offset, normal, rows.n),
                     n_threads);
}

nb::object scores_polar(const Doubles& radius, const Matrix& direction, const Doubles& log_scale,
                        const Doubles& offset, const Matrix& normal, const std::string& kind,
                        std::int64_t n_threads) {
    const std::size_t m = direction.shape(0), n = direction.shape(1);
    if (radius.shape(0) != m || n == 0)
        throw std::invalid_argument("radius must have shape (m,) and direction shape (m, n).");
    check_aligned(radius.data(), sizeof(double), "radius");
    check_aligned(direction.data(), sizeof(double), "direction");
    const Source source{direction.data(), false, m, n, static_cast<std::ptrdiff_t>(n), 1};
    const Task rows(source, Chart::given, 1.0, radius.data());
    return scores_of(rows, checked_planes(kind_named(kind), log_scale, offset, normal, n),
                     n_threads)[0];
}

// The hyperplane with the largest score for each row, the first of several; of a single hyperplane
// 1 on its positive side and 0 elsewhere.
nb::tuple decide(const AnyArray& X, const std::string& chart, double k, const Doubles& log_scale,
                 const Doubles& offset, const Matrix& normal, std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    const std::size_t threads = checked_threads(n_threads);
    std::vector<ScoredPlane> planes = checked_planes(Kind::rank, log_scale, offset, normal, rows.n);
    if (planes.empty()) throw std::invalid_argument("there are no hyperplanes.");
    const bool single = planes.size() == 1;
    // The product with one hyperplane cannot be compared with arsinh of that with another.
    if (!std::all_of(planes.begin(), planes.end(), [](const auto& each) { return each.plain; }))
        for (ScoredPlane& plane : planes) plane.kind = Kind::arsinh_product;
    const nb::object decisions = empty_array(rows.source.rows, "int64");
    std::int64_t* const to = data_of<std::int64_t>(decisions);
    const auto write = [&](const Block& block, std::size_t first, std::size_t count, bool any_far) {
        alignas(64) double score[n_lanes], best[n_lanes];
        alignas(64) std::int64_t which[n_lanes] = {};
        std::fill_n(best, n_lanes, single ? 0.0 : -std::numeric_limits<double>::infinity());
        for (std::size_t q = 0; q < planes.size(); ++q) {
            scores_of_block(block, count, any_far, planes[q], score);
            keep_best(score, static_cast<std::int64_t>(single ? 1 : q), best, which);
        }
        std::copy_n(which, count, to + first);
    };
    const std::int64_t bad_row =
        for_each_block(rows, true, planes.size(), threads, CompiledCall(), write);
    return nb::make_tuple(decisions, bad_row);
}

}  // namespace

NB_MODULE(charts, m) {
    // After Ctrl-C threads can still hold functions when the interpreter ends, which is no leak.
    nb::set_leak_warnings(false);
    CompiledCall::cancel_at_exit();
    m.doc() = "Rows of any chart as polar coordinates, and the scores of hyperplanes for them.";
    m.def("to_polar", &to_polar,
          nb::sig("def to_polar(" ROWS ", n_threads: int = 1) -> "
                  "tuple[" NUMBERS ", " NUMBERS ", int]"),
          "X"_a, "chart"_a, "k"_a, "n_threads"_a = 1,
          "Radius at curvature -1, unit direction, and the first row that is no point (or -1).");
    m.def("scores", &scores,
          nb::sig("def scores(" ROWS ", " PLANES ", kind: str, n_threads: int = 1) -> "
                  "tuple[" NUMBERS ", int]"),
          "X"_a, "chart"_a, "k"_a, "log_scale"_a, "offset"_a, "normal"_a, "kind"_a,
          "n_threads"_a = 1,
          "Scores of shape (m, n_planes), and the first row that is no point (or -1).");
    m.def("decide", &decide,
          nb::sig("def decide(" ROWS ", " PLANES ", n_threads: int = 1) -> "
                  "tuple[numpy.typing.NDArray[numpy.int64], int]"),
          "X"_a, "chart"_a, "k"_a, "log_scale"_a, "offset"_a, "normal"_a, "n_threads"_a = 1,
          "The hyperplane with the largest score for each row (of one hyperplane: 1 where its score"
          " is positive, else 0), and the first row that is no point (or -1).");
    m.def("scores_polar", &scores_polar,
          nb::sig("def scores_polar(radius: " NUMBERS ", direction: " NUMBERS ", " PLANES
                  ", kind: str, n_threads: int = 1) -> " NUMBERS),
          "radius"_a, "direction"_a, "log_scale"_a, "offset"_a, "normal"_a, "kind"_a,
          "n_threads"_a = 1,
          "The same scores of points given in polar coordinates, which are not checked.");
}
