// Python binding of the soft margin with surfaces of constant curvature.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include "../surface/descent.hpp"
#include "../surface/objective.hpp"
#include "arrays.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace {

SurfaceRows make_rows(const Doubles& radius, const Matrix& direction) {
    return {radius.data(), direction.data(), radius.shape(0), direction.shape(1)};
}

SurfaceObjective make_objective(Doubles radius, Matrix direction, Doubles signed_weights,
                                double reach) {
    const std::size_t n_rows = radius.shape(0);
    check(direction.shape(0) == n_rows && signed_weights.shape(0) == n_rows,
          "every point needs one direction and one weight");
    check(direction.shape(1) > 0, "points need at least one dimension");
    check(reach >= 0.0 && std::isfinite(reach), "reach must be finite and not negative");
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::string name = "row " + std::to_string(row);
        if (!(radius(row) >= 0.0) || std::isinf(radius(row)))
            throw std::invalid_argument(name + " has a radius that is negative or not finite");
        if (!std::isfinite(signed_weights(row)))
            throw std::invalid_argument(name + " has a weight that is not finite");
    }
    return {make_rows(radius, direction),
            {signed_weights.data(), signed_weights.data() + n_rows},
            reach};
}

Vector parameters(const SurfaceObjective& objective, SurfaceKind kind, const Doubles& theta) {
    const std::size_t n = 1 + n_surface_parameters(kind, objective.n_dim());
    if (theta.shape(0) != n)
        throw std::invalid_argument("a surface of this kind has " + std::to_string(n) +
                                    " parameters; got " + std::to_string(theta.shape(0)));
    return {theta.data(), theta.data() + n};
}

NumpyVector scores_of_points(Doubles radius, Matrix direction, double log_scale, Doubles w,
                             double level, double sign) {
    check(direction.shape(0) == radius.shape(0) && w.shape(0) == direction.shape(1) + 1,
          "every point needs one direction, and w one entry more");
    const Surface surface({w.data(), w.data() + w.shape(0)}, level, level - 1.0, sign);
    return to_array(scores(make_rows(radius, direction), surface, log_scale));
}

std::tuple<double, NumpyVector> evaluate(const SurfaceObjective& objective, SurfaceKind kind,
                                         double sign, Doubles theta) {
    Vector gradient;
    const double value = objective(kind, sign, parameters(objective, kind, theta), gradient);
    return {value, to_array(gradient)};
}

std::tuple<NumpyVector, double, int, bool> descend_from(const SurfaceObjective& objective,
                                                        SurfaceKind kind, double sign,
                                                        Doubles theta, double tol, int max_iter) {
    const Vector start = parameters(objective, kind, theta);
    CompiledCall call;
    nb::gil_scoped_release unlocked;
    const auto f = [&](const Vector& at, Vector& gradient) {
        call();
        return objective(kind, sign, at, gradient);
    };
    const DescentResult end = descend(f, start, tol, max_iter);
    nb::gil_scoped_acquire locked;
    return {to_array(end.theta), end.value, end.n_iter, end.converged};
}

}  // namespace

NB_MODULE(surfaces, m) {
    // After Ctrl-C threads can still hold functions when the interpreter ends, which is no leak.
    nb::set_leak_warnings(false);
    m.doc() = "The soft margin with surfaces of constant curvature.";
    CompiledCall::cancel_at_exit();
    nb::enum_<SurfaceKind>(m, "Kind", "Sets of surfaces, each with parameters of its own.")
        .value("ANY", SurfaceKind::any)
        .value("HOROSPHERE", SurfaceKind::horosphere)
        .value("SPHERE", SurfaceKind::sphere);
    m.def("scores", &scores_of_points, "radius"_a, "direction"_a, "log_scale"_a, "w"_a, "level"_a,
          "sign"_a, "arsinh(s sinh D) of points, D their signed distance to the surface.");
    nb::class_<SurfaceObjective>(m, "SurfaceObjective", "The objective on some rows.")
        .def(
            "__init__",
            [](SurfaceObjective* self, Doubles radius, Matrix direction, Doubles signed_weights,
               double reach) {
                new (self)
                    SurfaceObjective(make_objective(radius, direction, signed_weights, reach));
            },
            "radius"_a, "direction"_a, "signed_weights"_a, "reach"_a)
        .def("evaluate", &evaluate, "kind"_a, "sign"_a, "theta"_a,
             "The value and the gradient at (log s, parameters of the surface).")
        .def("descend", &descend_from, "kind"_a, "sign"_a, "theta"_a, "tol"_a, "max_iter"_a,
             "Quasi-Newton from a start: where it ended, the value, iterations, and whether the "
             "tolerance was met.");
}
