// Python bindings of the packed points, the objective and the soft-margin solver.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <tuple>

#include "../search/folds.hpp"
#include "arrays.hpp"
#include "blocks.hpp"
#include "checks.hpp"
#include "interrupt.hpp"
#include "packing.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace {

// Labels and weights filled up to whole blocks, as the pass over rows reads them.
struct Rowwise {
    std::vector<std::int8_t> labels;
    Vector weights;

    Rowwise(const PackedPoints& points, const Labels& y, const std::optional<Doubles>& c) {
        check_labels(y, points.n_rows);
        labels.assign(y.data(), y.data() + points.n_rows);
        labels.resize(points.n_padded_rows(), 0);
        if (!c) return;
        check_weights(*c, points.n_rows);
        weights.assign(c->data(), c->data() + points.n_rows);
        weights.resize(points.n_padded_rows(), 0.0);
        // A row of weight 0 does not count anywhere, not even in the starts.
        for (std::size_t row = 0; row < labels.size(); ++row)
            if (weights[row] == 0.0) labels[row] = 0;
    }

    Problem problem(const PackedPoints& points, double C, double beyond = 0.0,
                    RowThreads* threads = nullptr) const {
        return {points, labels.data(), weights.empty() ? nullptr : weights.data(),
                C,      beyond,        threads};
    }
};

void fill(PackedPoints& points, std::size_t first, Doubles radius, Matrix direction) {
    if (direction.shape(0) != radius.shape(0) || direction.shape(1) != points.n_dim)
        throw std::invalid_argument("radius must have shape (m,) and direction (m, " +
                                    std::to_string(points.n_dim) + ")");
    CompiledCall call;
    nb::gil_scoped_release unlocked;
    points.fill(first, radius.shape(0), radius.data(), direction.data());
}

PackedPoints take(const PackedPoints& points, Rows rows) {
    std::vector<std::size_t> chosen(rows.shape(0));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (rows(i) < 0 || static_cast<std::size_t>(rows(i)) >= points.n_rows)
            throw std::out_of_range("row " + std::to_string(rows(i)) + " is not among the " +
                                    std::to_string(points.n_rows) + " rows of these points");
        chosen[i] = static_cast<std::size_t>(rows(i));
    }
    CompiledCall call;
    nb::gil_scoped_release unlocked;
    double largest = 0.0;
    for (std::size_t row : chosen) largest = std::max(largest, points.radius(row));
    PackedPoints taken = points.take(chosen);
    taken.largest_radius = largest;
    return taken;
}

// What a pickle holds: the numbers as they lie in memory, which are not copied here.
nb::tuple state_of(nb::handle_t<PackedPoints> self) {
    PackedPoints& points = nb::cast<PackedPoints&>(self);
    return nb::make_tuple(points.n_rows, points.n_dim, points.far, points.largest_radius,
                          NumpyVector(points.data.data(), {points.data.size()}, self));
}

void set_state(PackedPoints& points,
               const std::tuple<std::size_t, std::size_t, bool, double, Doubles>& state) {
    const auto& [n_rows, n_dim, far, largest_radius, numbers] = state;
    PackedPoints restored(n_rows, n_dim, far, PackedPoints::Unset());
    if (numbers.shape(0) != restored.data.size())
        throw std::invalid_argument("these are not the numbers of " + std::to_string(n_rows) +
                                    " points of dimension " + std::to_string(n_dim));
    std::copy_n(numbers.data(), restored.data.size(), restored.data.data());
    restored.largest_radius = largest_radius;
    new (&points) PackedPoints(std::move(restored));
}

// Threads that share the rows for as long as one call lasts; none where there are few rows.
std::unique_ptr<RowThreads> threads_for(const PackedPoints& points, std::size_t wanted,
                                        const CompiledCall& call) {
    const std::size_t most = std::min(wanted, n_ranges_of(points));
    if (most < 2) return nullptr;
    return std::make_unique<RowThreads>(most, [&call] { call(); });
}

std::tuple<double, double, double, NumpyVector> loss_and_gradient(
    const PackedPoints& points, Labels y, std::optional<Doubles> c, double C, double log_scale,
    double offset, Doubles normal, std::int64_t n_threads) {
    const Rowwise rows(points, y, c);
    check_C(C);
    const std::size_t threads_wanted = checked_threads(n_threads);
    const Hyperplane plane{log_scale, offset, {normal.data(), normal.data() + normal.shape(0)}};
    check_hyperplane(plane, points.n_dim, "the hyperplane");
    double d_scale, d_offset, value;
    Vector d_normal;
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        const std::unique_ptr<RowThreads> threads = threads_for(points, threads_wanted, call);
        const Problem problem = rows.problem(points, C, 0.0, threads.get());
        value = problem.at_hyperplane(plane, d_scale, d_offset, d_normal);
    }
    return {value, d_scale, d_offset, to_array(d_normal)};
}

using SolutionTuple = std::tuple<double, double, NumpyVector, double, int, std::size_t, Stop>;

SolutionTuple to_tuple(const Solution& solution) {
    return {solution.plane.log_scale,
            solution.plane.offset,
            to_array(solution.plane.normal),
            solution.value,
            solution.n_iter,
            solution.n_evaluations,
            solution.stop};
}

SolutionTuple solve(const PackedPoints& points, Labels y, std::optional<Doubles> c, double C,
                    double tol, int max_iter, std::uint64_t seed, std::optional<Matrix> starts,
                    std::int64_t n_threads, double beyond) {
    const Rowwise rows(points, y, c);
    check_C(C);
    check_both_classes(rows.problem(points, C));
    check_beyond(beyond);
    check_limits(tol, max_iter);
    const std::size_t threads_wanted = checked_threads(n_threads);
    const Options options{tol, max_iter, seed,
                          starts ? hyperplanes(*starts, points.n_dim) : std::vector<Hyperplane>()};
    Solution solution;
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        const std::unique_ptr<RowThreads> threads = threads_for(points, threads_wanted, call);
        const Problem problem = rows.problem(points, C, beyond, threads.get());
        solution = fit_soft_margin(problem, options, std::cref(call));
    }
    return to_tuple(solution);
}

// Hyperplanes for each fold and each C, (log s, a, u) after each other.
NumpyVector fit_folds(const PackedPoints& points, Labels y, std::optional<Doubles> c, Rows folds,
                      Rows which, Doubles Cs, double tol, int max_iter, std::uint64_t seed,
                      std::int64_t n_threads, double beyond) {
    const Rowwise rows(points, y, c);
    if (folds.shape(0) != points.n_rows)
        throw std::invalid_argument("there are " + std::to_string(points.n_rows) +
                                    " points but the folds of " + std::to_string(folds.shape(0)));
    const Vector grid(Cs.data(), Cs.data() + Cs.shape(0));
    for (double C : grid) check_C(C);
    check_beyond(beyond);
    check_limits(tol, max_iter);
    const std::size_t threads_wanted = checked_threads(n_threads);
    const Options options{tol, max_iter, seed, {}, true};
    Vector planes;
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        const std::unique_ptr<RowThreads> threads = threads_for(points, threads_wanted, call);
        const Problem all = rows.problem(points, 1.0, beyond, threads.get());
        for (std::size_t k = 0; k < which.shape(0); ++k) {
            const KeptRows kept(all, folds.data(), which(k), options.tuning);
            for (double C : grid) check_both_classes(kept.problem(C));
            for (const Solution& each : fit_each(kept, grid, options, std::cref(call))) {
                planes.push_back(each.plane.log_scale);
                planes.push_back(each.plane.offset);
                planes.insert(planes.end(), each.plane.normal.begin(), each.plane.normal.end());
            }
        }
    }
    return to_array(planes);
}

}  // namespace

NB_MODULE(core, m) {
    // After Ctrl-C threads can still hold functions when the interpreter ends, which is no leak.
    nb::set_leak_warnings(false);
    m.doc() = "Packed points, the objective and its gradient, the soft-margin solver.";
    m.attr("LARGEST_NEAR_RADIUS") = largest_near_radius;
    CompiledCall::cancel_at_exit();

    nb::enum_<Stop>(m, "Stop", "Why the solver stopped.")
        .value("CONVERGED", Stop::converged,
               "The predicted decrease of the objective is below the tolerance.")
        .value("CONVERGED_TO_ROUNDING", Stop::converged_to_rounding,
               "No step decreases the objective, and the predicted decrease is below what double "
               "precision resolves there.")
        .value("STALLED", Stop::stalled,
               "No step decreases the objective, though the predicted decrease is above the "
               "tolerance and above rounding.")
        .value("ITERATIONS_RAN_OUT", Stop::out_of_iterations, "The iterations ran out.");

    nb::class_<PackedPoints>(
        m, "PackedPoints",
        "Points in native polar coordinates, packed in column blocks. All are at the origin until "
        "they are filled in.")
        .def(nb::init<std::size_t, std::size_t, bool>(), "n_rows"_a, "n_dim"_a, "far"_a)
        .def_ro("n_rows", &PackedPoints::n_rows)
        .def_ro("n_dim", &PackedPoints::n_dim)
        .def_ro("far", &PackedPoints::far)
        .def_ro("largest_radius", &PackedPoints::largest_radius)
        .def_prop_ro("nbytes", [](const PackedPoints& p) { return p.data.size() * sizeof(double); })
        .def("fill", &fill, "first"_a, "radius"_a, "direction"_a, "Set the rows from `first` on.")
        .def("take", &take, "rows"_a, "The named rows, with a largest radius of their own.")
        .def("__getstate__", &state_of,
             nb::sig("def __getstate__(self) "
                     "-> tuple[int, int, bool, float, NDArray[numpy.float64]]"))
        .def("__setstate__", &set_state);

    bind_packing(m);
    m.def("loss_and_gradient", &loss_and_gradient, "points"_a, "labels"_a, "weights"_a.none(),
          "C"_a, "log_scale"_a, "offset"_a, "normal"_a, "n_threads"_a = 1,
          "The objective and its derivatives in log s, a and u.");
    m.def(
        "solve_soft_margin", &solve, "points"_a, "labels"_a, "weights"_a.none(), "C"_a, "tol"_a,
        "max_iter"_a, "seed"_a, "starts"_a.none() = nb::none(), "n_threads"_a = 1, "beyond"_a = 0.0,
        "log s, a, u, the objective, iterations, evaluations and why the solver stopped. |a| is at "
        "most the largest radius and `beyond`.");
    m.def(
        "fit_folds", &fit_folds, "points"_a, "labels"_a, "weights"_a.none(), "folds"_a, "which"_a,
        "Cs"_a, "tol"_a, "max_iter"_a, "seed"_a, "n_threads"_a = 1, "beyond"_a = 0.0,
        nb::sig("def fit_folds(points: PackedPoints, labels: NDArray[numpy.int8], weights: "
                "NDArray[numpy.float64] | None, folds: NDArray[numpy.int64], which: "
                "NDArray[numpy.int64], Cs: NDArray[numpy.float64], tol: float, max_iter: int, "
                "seed: int, n_threads: int = 1, beyond: float = 0.0) -> "
                "NDArray[numpy.float64]"),
        "Fits that only compare values of C, each without the rows of one fold: (log s, a, u) for "
        "each fold and each C.");
    m.def(
        "passes_of_block", &passes_of_block,
        nb::sig("def passes_of_block(points: PackedPoints, codes: NDArray[numpy.signedinteger], "
                "weights: NDArray[numpy.float64] | None, folds: NDArray[numpy.int32] | None, "
                "questions: NDArray[numpy.float64], problems: NDArray[numpy.int32], "
                "sides: NDArray[numpy.float64] | None = None) -> list[NDArray[numpy.float64]]"),
        "points"_a, "codes"_a, "weights"_a.none(), "folds"_a.none(), "questions"_a, "problems"_a,
        "sides"_a.none() = nb::none(),
        "What the rows of a block answer to the question of each problem (positive class, negative "
        "class or -1, fold left out or -1). `sides` are weights of the positive and the negative "
        "rows of each problem. A matrix of codes has 1 for each label of a row, and 0.");
    m.def("merge_passes", &merge_passes, "first"_a, "second"_a, "question"_a,
          "The answer of two sets of rows together.");
    nb::class_<Descent>(
        m, "Descent", "Steps to a minimum on rows that somebody else passes over, by ask and tell.")
        .def(nb::init<const PackedPoints&, Labels, Doubles, double, Matrix, double, int,
                      std::size_t, double>(),
             "sample"_a, "labels"_a, "weights"_a, "C"_a, "start"_a, "tol"_a, "max_iter"_a,
             "n_working"_a, "beyond"_a)
        .def_prop_ro("done", &Descent::done)
        .def("ask", &Descent::ask, "The question that the next pass is to answer.")
        .def("tell", &Descent::tell, "answer"_a, "Take the answer of all rows.")
        .def("result", &Descent::result, "As `solve_soft_margin` returns it.");
    m.def("keys_of_rows", &keys_of_rows, "rows"_a, "seed"_a,
          "A number in [0, 1) for the number of each row, by SplitMix64.");
    m.def("rows_drawn", &rows_drawn, "rows"_a, "codes"_a, "shares"_a, "seed"_a,
          "The rows whose key is below the share of their class.");
    m.def("polar", &polar, "points"_a, "Their radii and directions.");
    m.def("join", &join_points, "parts"_a, "Several sets of points, one after the other.");
}
