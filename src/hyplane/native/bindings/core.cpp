// Python bindings of the packed points, the objective and the soft-margin solver.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "../search/folds.hpp"
#include "arrays.hpp"
#include "blocks.hpp"
#include "checks.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace hyplane {
void bind_packing(nb::module_& m);  // in packing.cpp
}

namespace {

void fill(PackedPoints& points, std::size_t first, Doubles radius, Matrix direction) {
    check(direction.shape(0) == radius.shape(0) && direction.shape(1) == points.n_dim,
          "radius must have shape (m,) and direction (m, ", points.n_dim, ")");
    without_lock(
        [&](const auto&) { points.fill(first, radius.shape(0), radius.data(), direction.data()); });
}

PackedPoints take(const PackedPoints& points, Rows rows) {
    std::vector<std::size_t> chosen(rows.shape(0));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (rows(i) < 0 || static_cast<std::size_t>(rows(i)) >= points.n_rows)
            throw std::out_of_range("row " + std::to_string(rows(i)) + " is not among the " +
                                    std::to_string(points.n_rows) + " rows of these points");
        chosen[i] = static_cast<std::size_t>(rows(i));
    }
    return without_lock([&](const auto&) {
        PackedPoints taken = points.take(chosen);
        taken.largest_radius = 0.0;
        for (std::size_t row : chosen)
            taken.largest_radius = std::max(taken.largest_radius, points.radius(row));
        return taken;
    });
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
    check(numbers.shape(0) == restored.data.size(), "these are not the numbers of ", n_rows,
          " points of dimension ", n_dim);
    std::copy_n(numbers.data(), restored.data.size(), restored.data.data());
    restored.largest_radius = largest_radius;
    new (&points) PackedPoints(std::move(restored));
}

// Solves a problem on all rows without the interpreter lock, in threads that share them for as long
// as the call lasts; in none where there are few rows.
template <class Solve>
auto in_threads(const Rowwise& rows, const PackedPoints& points, double C, double beyond,
                std::int64_t n_threads, const Solve& solve) {
    const std::size_t most = std::min(checked_threads(n_threads), n_ranges_of(points));
    return without_lock([&](const auto& watch) {
        std::optional<RowThreads> threads;
        if (most >= 2) threads.emplace(most, watch);
        return solve(rows.problem(points, C, beyond, threads ? &*threads : nullptr), watch);
    });
}

std::tuple<double, double, double, NumpyVector> loss_and_gradient(
    const PackedPoints& points, Labels y, std::optional<Doubles> c, double C, double log_scale,
    double offset, Doubles normal, std::int64_t n_threads) {
    const Rowwise rows(points, y, c);
    check_C(C);
    const Hyperplane plane = checked_hyperplane(log_scale, offset, normal, points.n_dim);
    double d_scale, d_offset;
    Vector d_normal;
    const double value =
        in_threads(rows, points, C, 0.0, n_threads, [&](const Problem& problem, const auto&) {
            return problem.at_hyperplane(plane, d_scale, d_offset, d_normal);
        });
    return {value, d_scale, d_offset, to_array(d_normal)};
}

SolutionTuple solve(const PackedPoints& points, Labels y, std::optional<Doubles> c, double C,
                    double tol, int max_iter, std::uint64_t seed, std::optional<Matrix> starts,
                    std::int64_t n_threads, double beyond) {
    const Rowwise rows(points, y, c);
    check_C(C);
    check_both_classes(rows.problem(points, C));
    check_limits(tol, max_iter, beyond);
    const Options options{tol, max_iter, seed,
                          starts ? hyperplanes(*starts, points.n_dim) : std::vector<Hyperplane>()};
    const Solution found = in_threads(rows, points, C, beyond, n_threads,
                                      [&](const Problem& problem, const auto& watch) {
                                          return fit_soft_margin(problem, options, watch);
                                      });
    return solution_tuple(found.plane, found.value, found.n_iter, found.n_evaluations, found.stop);
}

// Which rows have a loss, or are at their margin but for a tolerance of the products.
NumpyMask rows_at_margin(const PackedPoints& points, Labels y, double log_scale, double offset,
                         Doubles normal, double tolerance) {
    const Rowwise rows(points, y, std::nullopt);
    const Hyperplane plane = checked_hyperplane(log_scale, offset, normal, points.n_dim);
    check(!points.far && tolerance >= 0.0, "near points and a tolerance of at least 0 are needed");
    bool* const found = new bool[points.n_padded_rows()];
    nb::capsule owner(found, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    const OrientedHyperplane at(plane);
    without_lock([&](const auto&) {
        rows_up_to(points, rows.labels.data(), at, NearProduct(at), 1.0 + tolerance, found);
    });
    return NumpyMask(found, {points.n_rows}, owner);
}

// Hyperplanes for each fold and each C, (log s, a, u) after each other.
NumpyVector fit_folds(const PackedPoints& points, Labels y, std::optional<Doubles> c, Rows folds,
                      Rows which, Doubles Cs, double tol, int max_iter, std::uint64_t seed,
                      std::int64_t n_threads, double beyond) {
    const Rowwise rows(points, y, c);
    check(folds.shape(0) == points.n_rows, "there are ", points.n_rows, " points but the folds of ",
          folds.shape(0));
    const Vector grid(Cs.data(), Cs.data() + Cs.shape(0));
    for (double C : grid) check_C(C);
    check_limits(tol, max_iter, beyond);
    const Options options{tol, max_iter, seed, {}, true};
    Vector planes;
    in_threads(rows, points, 1.0, beyond, n_threads, [&](const Problem& all, const auto& watch) {
        for (std::size_t k = 0; k < which.shape(0); ++k) {
            const KeptRows kept(all, folds.data(), which(k), options.tuning);
            for (double C : grid) check_both_classes(kept.problem(C));
            for (const Solution& each : fit_each(kept, grid, options, watch)) {
                planes.push_back(each.plane.log_scale);
                planes.push_back(each.plane.offset);
                planes.insert(planes.end(), each.plane.normal.begin(), each.plane.normal.end());
            }
        }
    });
    return to_array(planes);
}

}  // namespace

NB_MODULE(core, m) {
    begin_module(m, "Packed points, the objective and its gradient, the soft-margin solver.");
    m.attr("LARGEST_NEAR_RADIUS") = largest_near_radius;

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
        .def_rw("largest_radius", &PackedPoints::largest_radius)
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
    m.def("rows_at_margin", &rows_at_margin, "points"_a, "labels"_a, "log_scale"_a, "offset"_a,
          "normal"_a, "tolerance"_a,
          "Which rows have y w*x of at most 1 and a tolerance; none where the label is 0.");
    m.def(
        "solve_soft_margin", &solve, "points"_a, "labels"_a, "weights"_a.none(), "C"_a, "tol"_a,
        "max_iter"_a, "seed"_a, "starts"_a.none() = nb::none(), "n_threads"_a = 1, "beyond"_a = 0.0,
        "log s, a, u, the objective, iterations, evaluations and why the solver stopped. |a| is at "
        "most the largest radius and `beyond`.");
    m.def(
        "fit_folds", &fit_folds, "points"_a, "labels"_a, "weights"_a.none(), "folds"_a, "which"_a,
        "Cs"_a, "tol"_a, "max_iter"_a, "seed"_a, "n_threads"_a = 1, "beyond"_a = 0.0,
        "Fits that only compare values of C, each without the rows of one fold: (log s, a, u) for "
        "each fold and each C.");
    m.def(
        "passes_of_block", &passes_of_block, "points"_a, "codes"_a, "weights"_a.none(),
        "folds"_a.none(), "questions"_a, "problems"_a, "sides"_a.none() = nb::none(),
        "What the rows of a block answer to the question of each problem (positive class, negative "
        "class or -1, fold left out or -1). `sides` are weights of the positive and the negative "
        "rows of each problem. A matrix of codes has 1 for each label of a row, and 0.");
    m.def("merge_passes", &merge_passes, "first"_a, "second"_a, "question"_a,
          "The answer of two sets of rows together.");
    nb::class_<Descent>(
        m, "Descent", "Steps to a minimum on rows that somebody else passes over, by ask and tell.")
        .def(nb::init<const PackedPoints&, Labels, Doubles, double, Matrix, double, int,
                      std::size_t, double, std::optional<std::uint64_t>>(),
             "sample"_a, "labels"_a, "weights"_a, "C"_a, "start"_a, "tol"_a, "max_iter"_a,
             "n_working"_a, "beyond"_a, "seed"_a.none() = nb::none())
        .def_prop_ro("n_perturbed", &Descent::n_perturbed,
                     "How many perturbed descents should follow.")
        .def_prop_ro("done", &Descent::done)
        .def("ask", &Descent::ask, "The question that the next pass is to answer.")
        .def("tell", &Descent::tell, "answer"_a, "Take the answer of all rows.")
        .def("result", &Descent::result, "As `solve_soft_margin` returns it.");
    m.def("polar", &polar, "points"_a, "Their radii and directions.");
    m.def("join", &join_points, "parts"_a, "Several sets of points, one after the other.");
}
