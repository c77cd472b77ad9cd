// Python bindings of the packed points, the fused kernel and the soft-margin solver.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>

#include "soft_margin.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

nb::object to_array(const std::vector<double>& values) {
    double* copy = new double[values.size()];
    std::copy(values.begin(), values.end(), copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy, {values.size()}, owner));
}

// Labels and weights filled up to whole blocks, as the kernel reads them.
struct Rowwise {
    std::vector<std::int8_t> labels;
    std::vector<double> weights;

    Rowwise(const Points& points, const Labels& y, const std::optional<Doubles>& c) {
        if (y.shape(0) != points.n_rows || (c && c->shape(0) != points.n_rows))
            throw std::invalid_argument("labels and weights need one entry per point");
        const std::size_t padded = points.n_blocks() * rows_per_block;
        labels.assign(y.data(), y.data() + points.n_rows);
        labels.resize(padded, 0);
        if (!c) return;
        weights.assign(c->data(), c->data() + points.n_rows);
        weights.resize(padded, 0.0);
        // A row of no weight is no row: it must not steer the starts either.
        for (std::size_t row = 0; row < padded; ++row)
            if (weights[row] == 0.0) labels[row] = 0;
    }
    const double* weights_or_null() const { return weights.empty() ? nullptr : weights.data(); }
};

// Lets Ctrl-C through now and then while the lock of the interpreter is released.
class Watch {
  public:
    void operator()() const {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

  private:
    mutable std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

nb::tuple loss_and_gradient(const Points& points, Labels y, std::optional<Doubles> c, double C,
                            double log_scale, double offset, Doubles normal) {
    const Rowwise rows(points, y, c);
    const Problem problem{points, rows.labels.data(), rows.weights_or_null(), C};
    Hyperplane plane{log_scale, offset, {normal.data(), normal.data() + normal.shape(0)}};
    if (plane.normal.size() != points.n_dim) throw std::invalid_argument("wrong dimension");
    double d_scale, d_offset, value;
    std::vector<double> d_normal;
    {
        nb::gil_scoped_release unlocked;
        value = problem.at_hyperplane(plane, d_scale, d_offset, d_normal);
    }
    return nb::make_tuple(value, d_scale, d_offset, to_array(d_normal));
}

// Rows of (log s, a, u).
std::vector<Hyperplane> hyperplanes(const Matrix& rows, std::size_t n_dim) {
    if (rows.shape(1) != n_dim + 2) throw std::invalid_argument("wrong dimension");
    std::vector<Hyperplane> planes;
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
        const double* row = rows.data() + i * (n_dim + 2);
        planes.push_back({row[0], row[1], {row + 2, row + 2 + n_dim}});
    }
    return planes;
}

nb::tuple solve(const Points& points, Labels y, std::optional<Doubles> c, double C, double tol,
                int max_iter, int n_random_starts, int n_hits, std::uint64_t seed,
                std::optional<Matrix> starts) {
    const Rowwise rows(points, y, c);
    const Problem problem{points, rows.labels.data(), rows.weights_or_null(), C};
    const Options options{tol,    max_iter, n_random_starts,
                          n_hits, seed,     starts ? hyperplanes(*starts, points.n_dim)
                                                   : std::vector<Hyperplane>()};
    Solution solution;
    {
        nb::gil_scoped_release unlocked;
        solution = fit_soft_margin(problem, options, Watch());
    }
    return nb::make_tuple(solution.plane.log_scale, solution.plane.offset,
                          to_array(solution.plane.normal), solution.value, solution.n_iter,
                          solution.n_evaluations, static_cast<int>(solution.stop));
}

}  // namespace

NB_MODULE(core, m) {
    m.doc() = "Packed points, the fused loss-and-gradient kernel, the soft-margin solver.";
    m.attr("LARGEST_NEAR_RADIUS") = largest_near_radius;
    nb::class_<Points>(m, "Points", "Points in native polar coordinates, packed in column blocks.")
        .def(nb::init<std::size_t, std::size_t, bool>(), "n_rows"_a, "n_dim"_a, "far"_a)
        .def_ro("n_rows", &Points::n_rows)
        .def_ro("n_dim", &Points::n_dim)
        .def_ro("far", &Points::far)
        .def_ro("largest_radius", &Points::largest_radius)
        .def_prop_ro("nbytes",
                     [](const Points& p) { return p.data.size() * sizeof(double); })
        .def(
            "fill",
            [](Points& points, std::size_t first, Doubles radius, Matrix direction) {
                if (direction.shape(0) != radius.shape(0) || direction.shape(1) != points.n_dim ||
                    first + radius.shape(0) > points.n_rows)
                    throw std::invalid_argument("radius and direction do not fit");
                nb::gil_scoped_release unlocked;
                points.fill(first, radius.shape(0), radius.data(), direction.data());
            },
            "first"_a, "radius"_a, "direction"_a)
        .def(
            "take",
            [](const Points& points, Rows rows) {
                std::vector<std::size_t> chosen(rows.shape(0));
                double largest = 0.0;
                for (std::size_t i = 0; i < chosen.size(); ++i) {
                    if (rows(i) < 0 || static_cast<std::size_t>(rows(i)) >= points.n_rows)
                        throw std::out_of_range("no such row");
                    chosen[i] = static_cast<std::size_t>(rows(i));
                }
                nb::gil_scoped_release unlocked;
                for (std::size_t row : chosen) largest = std::max(largest, points.radius(row));
                Points taken = points.take(chosen);
                taken.largest_radius = largest;
                return taken;
            },
            "rows"_a, "The named rows, with a largest radius of their own.");
    m.def("loss_and_gradient", &loss_and_gradient, "points"_a, "labels"_a, "weights"_a.none(),
          "C"_a, "log_scale"_a, "offset"_a, "normal"_a);
    m.def("solve_soft_margin", &solve, "points"_a, "labels"_a, "weights"_a.none(), "C"_a, "tol"_a,
          "max_iter"_a, "n_random_starts"_a, "n_hits"_a, "seed"_a, "starts"_a.none() = nb::none());
}
