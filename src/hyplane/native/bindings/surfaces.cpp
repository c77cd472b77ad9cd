// Python binding of the soft margin with surfaces of constant curvature.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

#include "../bindings.hpp"
#include "../interrupt.hpp"
#include "../surface/descent.hpp"
#include "../surface/objective.hpp"
#include "../tuning.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace {

SurfaceObjective make(Doubles radius, Matrix direction, Doubles signed_weights, double reach) {
    const std::size_t rows = radius.shape(0), n_dim = direction.shape(1);
    if (direction.shape(0) != rows || signed_weights.shape(0) != rows)
        throw std::invalid_argument("every point needs one direction and one weight");
    if (n_dim == 0) throw std::invalid_argument("points need at least one dimension");
    if (!(reach >= 0.0) || std::isinf(reach))
        throw std::invalid_argument("reach must be finite and not negative");
    SurfaceRows points(n_dim);
    for (std::size_t row = 0; row < rows; ++row) {
        if (!(radius(row) >= 0.0) || std::isinf(radius(row)))
            throw std::invalid_argument("row " + std::to_string(row) +
                                        " has a radius that is negative or not finite");
        if (!std::isfinite(signed_weights(row)))
            throw std::invalid_argument("row " + std::to_string(row) +
                                        " has a weight that is not finite");
        points.add(radius(row), direction.data() + row * n_dim);
    }
    return {std::move(points), {signed_weights.data(), signed_weights.data() + rows}, reach};
}

Vector parameters(const SurfaceObjective& objective, SurfaceKind kind, const Doubles& theta) {
    const std::size_t n = objective.n_dim() + (kind == SurfaceKind::any ? 3 : 2);
    if (theta.shape(0) != n)
        throw std::invalid_argument("a surface of this kind has " + std::to_string(n) +
                                    " parameters; got " + std::to_string(theta.shape(0)));
    return {theta.data(), theta.data() + n};
}

// arsinh(s sinh D) of some rows. A surface whose w is zero stands for the same decision everywhere, one
// unit of distance away.
NumpyVector scores(Doubles radius, Matrix direction, double log_scale, Doubles w, double level,
                   double sign) {
    const std::size_t rows = radius.shape(0), n_dim = direction.shape(1);
    if (direction.shape(0) != rows || w.shape(0) != n_dim + 1)
        throw std::invalid_argument("every point needs one direction, and w one entry more");
    Surface surface;
    surface.w.assign(w.data(), w.data() + n_dim + 1);
    surface.c = level;
    surface.c_less_1 = level - 1.0;
    surface.sign = sign;
    surface.complete();
    const bool constant = dot(surface.w, surface.w) == 0.0;
    SurfaceRows points(n_dim);
    Vector out(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        points.add(radius(row), direction.data() + row * n_dim);
        const double distance = constant ? sign : points.distance(row, surface).value;
        out[row] = HyperbolicScore(log_scale, distance).value;
    }
    return to_array(out);
}

std::tuple<double, NumpyVector> evaluate(const SurfaceObjective& objective, SurfaceKind kind,
                                         double sign, Doubles theta) {
    Vector gradient;
    const double value = objective(kind, sign, parameters(objective, kind, theta), gradient);
    return {value, to_array(gradient)};
}

std::tuple<NumpyVector, double, int, bool> descend(const SurfaceObjective& objective,
                                                   SurfaceKind kind, double sign, Doubles theta,
                                                   double tol, int max_iter) {
    const Vector start = parameters(objective, kind, theta);
    CompiledCall call;
    nb::gil_scoped_release unlocked;
    const auto f = [&](const Vector& at, Vector& gradient) {
        call();
        return objective(kind, sign, at, gradient);
    };
    const Tuning tuning;
    using Descent = SurfaceDescent<decltype(f)>;
    Descent descent(f, start, tuning);
    descent.run(tol, max_iter);
    nb::gil_scoped_acquire locked;
    return {to_array(descent.theta), descent.value, descent.n_iter,
            descent.end == Descent::End::gained_little || descent.end == Descent::End::flat};
}

}  // namespace

NB_MODULE(surfaces, m) {
    // After Ctrl-C threads can still hold functions when the interpreter ends, which is no leak.
    nb::set_leak_warnings(false);
    m.doc() = "The soft margin with surfaces of constant curvature.";
    CompiledCall::cancel_at_exit();
    nb::enum_<SurfaceKind>(m, "Kind", "Charts of surfaces.")
        .value("ANY", SurfaceKind::any)
        .value("HOROSPHERE", SurfaceKind::horosphere)
        .value("SPHERE", SurfaceKind::sphere);
    m.def("scores", &scores, "radius"_a, "direction"_a, "log_scale"_a, "w"_a, "level"_a, "sign"_a,
          "arsinh(s sinh D) of points, D their signed distance to the surface.");
    nb::class_<SurfaceObjective>(m, "SurfaceObjective", "The objective on some rows.")
        .def("__init__",
             [](SurfaceObjective* self, Doubles radius, Matrix direction, Doubles signed_weights,
                double reach) {
                 new (self) SurfaceObjective(make(radius, direction, signed_weights, reach));
             },
             "radius"_a, "direction"_a, "signed_weights"_a, "reach"_a)
        .def("evaluate", &evaluate, "kind"_a, "sign"_a, "theta"_a,
             "The value and the gradient at (log s, parameters of the chart).")
        .def("descend", &descend, "kind"_a, "sign"_a, "theta"_a, "tol"_a, "max_iter"_a,
             "Quasi-Newton from a start: where it ended, the value, iterations, and whether the "
             "tolerance was met.");
}
