// Python binding of the proven lower bound of the soft-margin objective in the plane.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "bound/branch_and_bound.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

Rows make_rows(const Doubles& radius, const Doubles& angle, const Doubles& signed_weights) {
    if (angle.shape(0) != radius.shape(0) || signed_weights.shape(0) != radius.shape(0))
        throw std::invalid_argument("one angle and one weight per point");
    Rows rows;
    rows.resize(radius.shape(0));
    for (std::size_t j = 0; j < rows.size(); ++j) {
        rows.weight[j] = std::abs(signed_weights(j));
        rows.sign[j] = signed_weights(j) > 0.0 ? 1.0 : -1.0;
        rows.grow[j] = std::exp(radius(j));
        rows.shrink[j] = std::exp(-radius(j));
        rows.sinh_r[j] = std::sinh(radius(j));
        rows.cos_half[j] = std::cos(0.5 * angle(j));
        rows.sin_half[j] = std::sin(0.5 * angle(j));
    }
    return rows;
}

nb::tuple bound_objective(Doubles radius, Doubles angle, Doubles signed_weights,
                          double largest_offset, bool line, double known, double rel_gap,
                          double max_seconds, std::size_t max_boxes) {
    const Rows rows = make_rows(radius, angle, signed_weights);
    nb::object hyperplane = nb::none();
    double lower, best;
    std::size_t n_boxes;
    End end;
    bool better;
    PlaneHyperplane at;
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        BranchAndBound search(rows, largest_offset, line, known, {rel_gap, max_seconds, max_boxes});
        end = search.run(call);
        lower = search.lower_bound();
        best = search.best_value();
        n_boxes = search.n_boxes();
        better = search.found_better();
        at = search.best_hyperplane();
    }
    if (better) hyperplane = nb::make_tuple(at.scale, at.offset, at.angle);
    return nb::make_tuple(lower, best, hyperplane, n_boxes, static_cast<int>(end));
}

// The bound of a single box (s, a >= 0, θ), which the tests compare with hyperplanes of the box.
double bound_box(Doubles radius, Doubles angle, Doubles signed_weights, Doubles low, Doubles high) {
    if (low.shape(0) != n_sides || high.shape(0) != n_sides)
        throw std::invalid_argument("a box has three sides");
    Box box = {{low(0), low(1), low(2)}, {high(0), high(1), high(2)}, 1.0};
    constexpr double never_enough = 1e300;
    return Bounder().bound(make_rows(radius, angle, signed_weights), box, never_enough).value;
}

}  // namespace

NB_MODULE(certificate, m) {
    m.doc() = "Branch and bound for the soft-margin objective in the plane.";
    CompiledCall::cancel_at_exit();
    m.def("bound_box", &bound_box, "radius"_a, "angle"_a, "signed_weights"_a, "low"_a, "high"_a);
    m.def("bound_objective", &bound_objective, "radius"_a, "angle"_a, "signed_weights"_a,
          "largest_offset"_a, "line"_a, "known"_a, "rel_gap"_a, "max_seconds"_a, "max_boxes"_a);
}
