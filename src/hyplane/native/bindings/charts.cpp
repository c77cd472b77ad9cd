// Python bindings of the way in and out: rows of any chart as polar coordinates, and their scores.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "../charts/scores.hpp"
#include "arrays.hpp"
#include "chart_rows.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;
using namespace hyplane::charts;

namespace {

using Scores = std::tuple<NumpyMatrix, std::int64_t>;
using NumpyInts = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

// numpy.empty: NumPy asks the system for large pages, which halves the time of a first write.
template <class Array, class... Sizes>
Array empty_array(const char* dtype, Sizes... sizes) {
    return nb::cast<Array>(
        nb::module_::import_("numpy").attr("empty")(nb::make_tuple(sizes...), dtype));
}

Kind kind_named(const std::string& name) {
    if (name == "arsinh_product") return Kind::arsinh_product;
    if (name == "signed_distance") return Kind::signed_distance;
    check(name == "product", "kind must be one of arsinh_product, signed_distance, product; got '",
          name, "'.");
    return Kind::product;
}

std::tuple<NumpyVector, NumpyMatrix, std::int64_t> to_polar(const AnyArray& X,
                                                            const std::string& chart, double k,
                                                            std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    const std::size_t m = rows.source.rows, n = rows.n;
    const auto radius = empty_array<NumpyVector>("float64", m);
    const auto direction = empty_array<NumpyMatrix>("float64", m, n);
    const auto write = [&](const Block& block, std::size_t first, std::size_t count, bool) {
        std::copy_n(block.radius, count, radius.data() + first);
        double* const to = direction.data() + first * n;
        for (std::size_t j = 0; j < count; ++j)
            for (std::size_t c = 0; c < n; ++c)
                to[j * n + c] = block.coordinates()[c * n_lanes + j];
    };
    const std::int64_t bad_row = for_each_block(rows, false, 0, n_threads, write);
    return {radius, direction, bad_row};
}

std::vector<ScoredPlane> checked_planes(Kind kind, const Doubles& log_scale, const Doubles& offset,
                                        const Matrix& normal, std::size_t n) {
    const std::size_t count = normal.shape(0);
    check(log_scale.shape(0) == count && offset.shape(0) == count,
          "log_scale, offset and normal need one entry per hyperplane.");
    check(normal.shape(1) == n, "normal has ", normal.shape(1),
          " components but the points have dimension ", n, ".");
    for (const Doubles* each : {&log_scale, &offset})
        check_aligned(each->data(), sizeof(double), "a hyperplane");
    check_aligned(normal.data(), sizeof(double), "normal");
    std::vector<ScoredPlane> planes;
    for (std::size_t q = 0; q < count; ++q) {
        const double* const u = normal.data() + q * n;
        check(!std::isnan(log_scale(q)) && !std::isnan(offset(q)) &&
                  std::all_of(u, u + n, [](double x) { return std::isfinite(x); }),
              "hyperplane ", q, " has a parameter that is not a number.");
        planes.emplace_back(kind, Hyperplane{log_scale(q), offset(q), {u, u + n}});
    }
    return planes;
}

// Scores of shape (m, number of planes), and the first row that is no point.
Scores scores_of(const Task& rows, const std::vector<ScoredPlane>& planes, std::int64_t n_threads) {
    const std::size_t width = planes.size();
    const auto values = empty_array<NumpyMatrix>("float64", rows.source.rows, width);
    double* const to = values.data();
    const auto write = [&](const Block& block, std::size_t first, std::size_t count, bool any_far) {
        alignas(64) double score[n_lanes];
        for (std::size_t q = 0; q < width; ++q) {
            scores_of_block(block, count, any_far, planes[q], score);
            for (std::size_t j = 0; j < count; ++j) to[(first + j) * width + q] = score[j];
        }
    };
    const std::int64_t bad_row = for_each_block(rows, true, width, n_threads, write);
    return {values, bad_row};
}

Scores scores(const AnyArray& X, const std::string& chart, double k, const Doubles& log_scale,
              const Doubles& offset, const Matrix& normal, const std::string& kind,
              std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    return scores_of(rows, checked_planes(kind_named(kind), log_scale, offset, normal, rows.n),
                     n_threads);
}

NumpyMatrix scores_polar(const Doubles& radius, const Matrix& direction, const Doubles& log_scale,
                         const Doubles& offset, const Matrix& normal, const std::string& kind,
                         std::int64_t n_threads) {
    const std::size_t m = direction.shape(0), n = direction.shape(1);
    check(radius.shape(0) == m && n > 0, "radius must have shape (m,) and direction shape (m, n).");
    check_aligned(radius.data(), sizeof(double), "radius");
    check_aligned(direction.data(), sizeof(double), "direction");
    const Source source{direction.data(), false, m, n, static_cast<std::ptrdiff_t>(n), 1};
    const Task rows(source, Chart::given, 1.0, radius.data());
    const auto planes = checked_planes(kind_named(kind), log_scale, offset, normal, n);
    return std::get<0>(scores_of(rows, planes, n_threads));
}

// The hyperplane with the largest score for each row, the first of several; of a single hyperplane
// 1 on its positive side and 0 elsewhere.
std::tuple<NumpyInts, std::int64_t> decide(const AnyArray& X, const std::string& chart, double k,
                                           const Doubles& log_scale, const Doubles& offset,
                                           const Matrix& normal, std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    std::vector<ScoredPlane> planes = checked_planes(Kind::rank, log_scale, offset, normal, rows.n);
    check(!planes.empty(), "there are no hyperplanes.");
    const bool single = planes.size() == 1;
    // The product with one hyperplane cannot be compared with arsinh of that with another.
    if (!std::all_of(planes.begin(), planes.end(), [](const auto& each) { return each.plain; }))
        for (ScoredPlane& plane : planes) plane.kind = Kind::arsinh_product;
    const auto decisions = empty_array<NumpyInts>("int64", rows.source.rows);
    const auto write = [&](const Block& block, std::size_t first, std::size_t count, bool any_far) {
        alignas(64) double score[n_lanes], best[n_lanes];
        alignas(64) std::int64_t which[n_lanes] = {};
        std::fill_n(best, n_lanes, single ? 0.0 : -std::numeric_limits<double>::infinity());
        for (std::size_t q = 0; q < planes.size(); ++q) {
            scores_of_block(block, count, any_far, planes[q], score);
            keep_best(score, static_cast<std::int64_t>(single ? 1 : q), best, which);
        }
        std::copy_n(which, count, decisions.data() + first);
    };
    const std::int64_t bad_row = for_each_block(rows, true, planes.size(), n_threads, write);
    return {decisions, bad_row};
}

}  // namespace

NB_MODULE(charts, m) {
    begin_module(m,
                 "Rows of any chart as polar coordinates, and the scores of hyperplanes for them.");
    m.def("to_polar", &to_polar, "X"_a, "chart"_a, "k"_a, "n_threads"_a = 1,
          "Radius at curvature -1, unit direction, and the first row that is no point (or -1).");
    m.def("scores", &scores, "X"_a, "chart"_a, "k"_a, "log_scale"_a, "offset"_a, "normal"_a,
          "kind"_a, "n_threads"_a = 1,
          "Scores of shape (m, n_planes), and the first row that is no point (or -1).");
    m.def("decide", &decide, "X"_a, "chart"_a, "k"_a, "log_scale"_a, "offset"_a, "normal"_a,
          "n_threads"_a = 1,
          "The hyperplane with the largest score for each row (of one hyperplane: 1 where its score"
          " is positive, else 0), and the first row that is no point (or -1).");
    m.def("scores_polar", &scores_polar, "radius"_a, "direction"_a, "log_scale"_a, "offset"_a,
          "normal"_a, "kind"_a, "n_threads"_a = 1,
          "The same scores of points given in polar coordinates, which are not checked.");
}
