// Python bindings of the packed points, the objective and the soft-margin solver.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "checks.hpp"
#include "interrupt.hpp"
#include "packing.hpp"
#include "search/far_search.hpp"
#include "tools_bindings.hpp"

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
        // A row of weight 0 does not count, in the starts either.
        for (std::size_t row = 0; row < labels.size(); ++row)
            if (weights[row] == 0.0) labels[row] = 0;
    }

    Problem problem(const PackedPoints& points, double C, double beyond = 0.0,
                    RowThreads* threads = nullptr) const {
        return {points, labels.data(), weights.empty() ? nullptr : weights.data(), C, beyond,
                threads};
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

// Rows of (log s, a, u).
std::vector<Hyperplane> hyperplanes(const Matrix& rows, std::size_t n_dim) {
    if (rows.shape(1) != n_dim + 2)
        throw std::invalid_argument("starts must have " + std::to_string(n_dim + 2) +
                                    " columns: log s, a and the entries of u");
    std::vector<Hyperplane> planes;
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
        const double* row = rows.data() + i * (n_dim + 2);
        planes.push_back({row[0], row[1], {row + 2, row + 2 + n_dim}});
        check_hyperplane(planes.back(), n_dim, "start " + std::to_string(i));
    }
    return planes;
}

std::tuple<double, double, NumpyVector, double, int, std::size_t, Stop> solve(
    const PackedPoints& points, Labels y, std::optional<Doubles> c, double C, double tol,
    int max_iter, std::uint64_t seed, std::optional<Matrix> starts, const Tuning& tuning,
    bool brief, std::int64_t n_threads, double beyond) {
    const Rowwise rows(points, y, c);
    check_C(C);
    check_both_classes(rows.problem(points, C));
    check_beyond(beyond);
    check_limits(tol, max_iter);
    const std::size_t threads_wanted = checked_threads(n_threads);
    const Options options{
        tol, max_iter, seed,
        starts ? hyperplanes(*starts, points.n_dim) : std::vector<Hyperplane>(), brief,
        tuning};
    Solution solution;
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        const std::unique_ptr<RowThreads> threads = threads_for(points, threads_wanted, call);
        const Problem problem = rows.problem(points, C, beyond, threads.get());
        solution = fit_soft_margin(problem, options, call);
    }
    return {solution.plane.log_scale, solution.plane.offset,  to_array(solution.plane.normal),
            solution.value,           solution.n_iter,        solution.n_evaluations,
            solution.stop};
}

}  // namespace

NB_MODULE(core, m) {
    // After Ctrl-C threads can still hold functions when the interpreter ends: no fault to print.
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

    bind_tools(m);

    nb::class_<PackedPoints>(
        m, "PackedPoints",
        "Points in native polar coordinates, packed in column blocks. All are at the origin until "
        "they are filled in.")
        .def(nb::init<std::size_t, std::size_t, bool>(), "n_rows"_a, "n_dim"_a, "far"_a)
        .def_ro("n_rows", &PackedPoints::n_rows)
        .def_ro("n_dim", &PackedPoints::n_dim)
        .def_ro("far", &PackedPoints::far)
        .def_ro("largest_radius", &PackedPoints::largest_radius)
        .def_prop_ro("nbytes",
                     [](const PackedPoints& p) { return p.data.size() * sizeof(double); })
        .def("fill", &fill, "first"_a, "radius"_a, "direction"_a,
             "Set the rows from `first` on.")
        .def("take", &take, "rows"_a, "The named rows, with a largest radius of their own.");

    bind_packing(m);
    m.def("loss_and_gradient", &loss_and_gradient, "points"_a, "labels"_a, "weights"_a.none(),
          "C"_a, "log_scale"_a, "offset"_a, "normal"_a, "n_threads"_a = 1,
          "The objective and its derivatives in log s, a and u.");
    m.def("solve_soft_margin", &solve, "points"_a, "labels"_a, "weights"_a.none(), "C"_a, "tol"_a,
          "max_iter"_a, "seed"_a, "starts"_a.none() = nb::none(), "tuning"_a = Tuning(),
          "brief"_a = false, "n_threads"_a = 1, "beyond"_a = 0.0,
          "log s, a, u, the objective, iterations, evaluations and why the solver stopped. |a| is at "
          "most the largest radius and `beyond`.");
}
