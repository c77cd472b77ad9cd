// Python bindings of the way in and out: rows of any chart as polar coordinates, and their scores.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>

#include "../bindings.hpp"
#include "../charts/levels.hpp"
#include "../charts/scores.hpp"
#include "../charts/tasks.hpp"
#include "../interrupt.hpp"
#include "../charts/labels.hpp"
#include "../row_threads.hpp"
#include "../charts/votes.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;
using namespace hyplane::charts;

namespace {

const std::vector<Functions> levels = usable_levels();
std::size_t level = 0;

// numpy.empty: NumPy asks the system for large pages, which halves the time of a first write.
nb::object empty_array(std::size_t rows, std::size_t columns) {
    return nb::module_::import_("numpy").attr("empty")(nb::make_tuple(rows, columns));
}

nb::object empty_vector(std::size_t size, const char* dtype = "float64") {
    return nb::module_::import_("numpy").attr("empty")(size, dtype);
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

nb::tuple to_polar(const AnyArray& X, const std::string& chart, double k, std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    const std::size_t threads = checked_threads(n_threads);
    const nb::object radius = empty_vector(rows.source.rows);
    const nb::object direction = empty_array(rows.source.rows, rows.n);
    const PolarTask task{rows, data_of(radius), data_of(direction)};
    const std::int64_t bad_row = run(levels[level].polar, task, 0, threads, CompiledCall());
    return nb::make_tuple(radius, direction, bad_row);
}

Planes checked_planes(const Doubles& log_scale, const Doubles& offset, const Matrix& normal,
                      std::size_t n) {
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
    for (std::size_t q = 0; q < count; ++q) {
        bool numbers = !std::isnan(log_scale(q)) && !std::isnan(offset(q));
        for (std::size_t c = 0; c < n; ++c) numbers = numbers && std::isfinite(normal(q, c));
        if (!numbers)
            throw std::invalid_argument("hyperplane " + std::to_string(q) +
                                        " has a parameter that is not a number.");
    }
    return Planes(count, n, log_scale.data(), offset.data(), normal.data());
}

nb::tuple scores(const AnyArray& X, const std::string& chart, double k, const Doubles& log_scale,
                 const Doubles& offset, const Matrix& normal, const std::string& kind,
                 std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    const std::size_t threads = checked_threads(n_threads);
    const Planes planes = checked_planes(log_scale, offset, normal, rows.n);
    const Kind wanted = kind_named(kind);
    const nb::object values = empty_array(rows.source.rows, planes.planes.size());
    const ScoreTask task{rows, planes, wanted, data_of(values)};
    const std::int64_t bad_row =
        run(levels[level].scores, task, planes.planes.size(), threads, CompiledCall());
    return nb::make_tuple(values, bad_row);
}

nb::tuple decide(const AnyArray& X, const std::string& chart, double k, const Doubles& log_scale,
                 const Doubles& offset, const Matrix& normal, std::int64_t n_threads) {
    const Task rows = task_of(X, chart, k);
    const std::size_t threads = checked_threads(n_threads);
    const Planes planes = checked_planes(log_scale, offset, normal, rows.n);
    if (planes.planes.empty()) throw std::invalid_argument("there are no hyperplanes.");
    const nb::object decisions = empty_vector(rows.source.rows, "int64");
    const DecisionTask task{rows, planes, data_of<std::int64_t>(decisions)};
    const std::int64_t bad_row = run(levels[level].decide, task, planes.planes.size(), threads, CompiledCall());
    return nb::make_tuple(decisions, bad_row);
}

nb::object scores_polar(const Doubles& radius, const Matrix& direction, const Doubles& log_scale,
                        const Doubles& offset, const Matrix& normal, const std::string& kind,
                        std::int64_t n_threads) {
    const std::size_t m = direction.shape(0), n = direction.shape(1);
    if (radius.shape(0) != m || n == 0)
        throw std::invalid_argument("radius must have shape (m,) and direction shape (m, n).");
    check_aligned(radius.data(), sizeof(double), "radius");
    check_aligned(direction.data(), sizeof(double), "direction");
    const std::size_t threads = checked_threads(n_threads);
    const Planes planes = checked_planes(log_scale, offset, normal, n);
    const Kind wanted = kind_named(kind);
    const Source source{direction.data(), false, m, n, static_cast<std::ptrdiff_t>(n), 1};
    const Task rows{source, radius.data(), Chart::given, n, 1, Curvature(1.0), 1.0, 1.0, 0.0, 0.0};
    nb::object values = empty_array(m, planes.planes.size());
    const ScoreTask task{rows, planes, wanted, data_of(values)};
    run(levels[level].scores, task, planes.planes.size(), threads, CompiledCall());
    return values;
}

using Integers = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object other_label(const Integers& labels, std::int64_t n_threads) {
    const auto code = static_cast<nb::dlpack::dtype_code>(labels.dtype().code);
    const std::size_t count = labels.shape(0), bytes = labels.dtype().bits / 8;
    if (code != nb::dlpack::dtype_code::Int && code != nb::dlpack::dtype_code::UInt)
        throw std::invalid_argument("labels must be integers.");
    check_aligned(labels.data(), bytes, "labels");
    const std::size_t threads = checked_threads(n_threads);
    const nb::object marks = empty_vector(count, "uint8");
    std::uint8_t* const to = data_of<std::uint8_t>(marks);
    std::size_t other = count;
    {
        const CompiledCall call;
        nb::gil_scoped_release unlocked;
        const auto mark = [&](auto type) {
            const auto* const numbers = static_cast<const decltype(type)*>(labels.data());
            other = first_other_label(numbers, count);
            if (other < count && !mark_label(numbers, count, other, to, threads, call))
                other = count;
        };
        if (bytes == 1) mark(std::uint8_t{});
        if (bytes == 2) mark(std::uint16_t{});
        if (bytes == 4) mark(std::uint32_t{});
        if (bytes == 8) mark(std::uint64_t{});
    }
    if (other == count) return nb::none();
    return nb::make_tuple(other, marks);
}

nb::object votes(const Matrix& pair_scores, std::int64_t n_classes) {
    const std::size_t m = pair_scores.shape(0);
    // Below 2^31, so that the number of pairs is below 2^62.
    if (n_classes < 1 || n_classes > INT32_MAX)
        throw std::invalid_argument("n_classes must be a positive number.");
    const auto classes = static_cast<std::size_t>(n_classes);
    if (pair_scores.shape(1) != classes * (classes - 1) / 2)
        throw std::invalid_argument("scores must have one column for each pair of classes.");
    check_aligned(pair_scores.data(), sizeof(double), "scores");
    nb::object result = empty_array(m, classes);
    double* const to = data_of(result);
    const CompiledCall call;
    nb::gil_scoped_release unlocked;
    for_row_ranges(
        m, rows_at_once(classes, classes), 1,
        [&] {
            return [&](std::size_t first, std::size_t last) {
                one_vs_one_votes(pair_scores.data(), classes, first, last, to);
            };
        },
        call);
    return result;
}

void use_level(const std::string& name) {
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (name == levels[i].level) {
            level = i;
            return;
        }
    throw std::invalid_argument("no such processor level here: '" + name + "'.");
}

}  // namespace

NB_MODULE(charts, m) {
    // After Ctrl-C threads can still hold functions when the interpreter ends, which is no leak.
    nb::set_leak_warnings(false);
    CompiledCall::cancel_at_exit();
    m.doc() = "Rows of any chart as polar coordinates, and the scores of hyperplanes for them.";
    m.def("to_polar", &to_polar,
          nb::sig("def to_polar(X: numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64], chart: str, "
                  "k: float, n_threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64], int]"), "X"_a, "chart"_a, "k"_a, "n_threads"_a = 1,
          "Radius at curvature -1, unit direction, and the first row that is no point (or -1).");
    m.def("scores", &scores,
          nb::sig("def scores(X: numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64], chart: str, "
                  "k: float, log_scale: numpy.typing.NDArray[numpy.float64], offset: numpy.typing.NDArray[numpy.float64], "
                  "normal: numpy.typing.NDArray[numpy.float64], kind: str, n_threads: int = 1) -> "
                  "tuple[numpy.typing.NDArray[numpy.float64], int]"), "X"_a, "chart"_a, "k"_a, "log_scale"_a, "offset"_a, "normal"_a,
          "kind"_a, "n_threads"_a = 1,
          "Scores of shape (m, n_planes), and the first row that is no point (or -1).");
    m.def("decide", &decide,
          nb::sig("def decide(X: numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64], chart: str, "
                  "k: float, log_scale: numpy.typing.NDArray[numpy.float64], offset: numpy.typing.NDArray[numpy.float64], "
                  "normal: numpy.typing.NDArray[numpy.float64], n_threads: int = 1) -> "
                  "tuple[numpy.typing.NDArray[numpy.int64], int]"), "X"_a, "chart"_a, "k"_a, "log_scale"_a, "offset"_a, "normal"_a,
          "n_threads"_a = 1,
          "The hyperplane with the largest score for each row (of one hyperplane: 1 where its score "
          "is positive, else 0), and the first row that is no point (or -1).");
    m.def("scores_polar", &scores_polar,
          nb::sig("def scores_polar(radius: numpy.typing.NDArray[numpy.float64], direction: "
                  "numpy.typing.NDArray[numpy.float64], log_scale: numpy.typing.NDArray[numpy.float64], offset: "
                  "numpy.typing.NDArray[numpy.float64], normal: numpy.typing.NDArray[numpy.float64], kind: str, "
                  "n_threads: int = 1) -> numpy.typing.NDArray[numpy.float64]"), "radius"_a, "direction"_a, "log_scale"_a, "offset"_a,
          "normal"_a, "kind"_a, "n_threads"_a = 1,
          "The same scores of points given in polar coordinates, which are not checked.");
    m.def("one_vs_one_votes", &votes,
          nb::sig("def one_vs_one_votes(scores: numpy.typing.NDArray[numpy.float64], n_classes: int) -> "
                  "numpy.typing.NDArray[numpy.float64]"), "scores"_a, "n_classes"_a,
          "Votes of the pairs for each class, ties broken by how sure the pairs are.");
    m.def("other_label", &other_label,
          nb::sig("def other_label(labels: numpy.typing.NDArray[numpy.generic], n_threads: int = 1) -> "
                  "tuple[int, numpy.typing.NDArray[numpy.uint8]] | None"), "labels"_a, "n_threads"_a = 1,
          "Of labels of two kinds: the first row whose label is not that of row 0, and 1 for each row with "
          "its label, 0 for the others. None of labels of one kind or of more than two.");
    m.def("usable_levels", [] {
        nb::typed<nb::list, nb::str> names;
        for (const Functions& functions : levels) names.append(functions.level);
        return names;
    }, "Processor levels that can be used here, the fastest, which is in use, first.");
    m.def("use_level", &use_level, "level"_a, "Use another level; for tests and benchmarks.");
}
