// Python binding of the proven lower bound of the soft-margin objective in the plane.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "../bound/branch_and_bound.hpp"
#include "../rows/packed_points.hpp"
#include "arrays.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace {

BoxRows make_rows(const Doubles& radius, const Doubles& angle, const Doubles& signed_weights) {
    check(angle.shape(0) == radius.shape(0) && signed_weights.shape(0) == radius.shape(0),
          "every point needs one angle and one weight");
    check(radius.shape(0) > 0, "there are no points");
    check(radius.shape(0) < std::numeric_limits<std::uint32_t>::max(), "there are too many points");
    BoxRows rows;
    for (std::size_t j = 0; j < radius.shape(0); ++j) {
        check(radius(j) >= 0.0 && radius(j) <= largest_near_radius,
              "a radius must be between 0 and 80");
        check(std::isfinite(angle(j)), "an angle must be finite");
        check(std::isfinite(signed_weights(j)) && signed_weights(j) != 0.0,
              "a weight must be finite and not 0");
        rows.add(radius(j), angle(j), signed_weights(j));
    }
    return rows;
}

using Place = std::tuple<double, double, double>;  // s, a, θ

std::tuple<double, std::optional<Place>, std::size_t, End> bound_of_points(
    Doubles radius, Doubles angle, Doubles signed_weights, double largest_offset, bool line,
    double known, double rel_gap, double max_seconds, std::size_t max_boxes) {
    const BoxRows rows = make_rows(radius, angle, signed_weights);
    check(largest_offset >= 0.0 && largest_offset <= largest_near_radius,
          "largest_offset must be between 0 and 80");
    check(known > 0.0 && std::isfinite(known), "the known value must be positive and finite");
    check(rel_gap > 0.0 && rel_gap < 1.0, "rel_gap must be between 0 and 1");
    check(max_seconds > 0.0, "max_seconds must be positive");
    check(max_boxes > 0, "max_boxes must be at least 1");
    const ProvenBound found = without_lock([&](const auto& watch) {
        return bound_objective(rows, largest_offset, line, known, {rel_gap, max_seconds, max_boxes},
                               watch);
    });
    std::optional<Place> better;
    if (found.better) better = {found.better->scale, found.better->offset, found.better->angle};
    return {found.lower_bound, better, found.n_boxes, found.end};
}

}  // namespace

NB_MODULE(certificate, m) {
    begin_module(m, "Branch and bound for the soft-margin objective in the plane.");
    nb::enum_<End>(m, "End", nb::is_arithmetic(), "Why the search stopped.")
        .value("PROVEN", End::proven)
        .value("TIME_RAN_OUT", End::out_of_time)
        .value("BOXES_RAN_OUT", End::out_of_boxes)
        .value("DIGITS_RAN_OUT", End::out_of_digits);
    m.def("bound_objective", &bound_of_points, "radius"_a, "angle"_a, "signed_weights"_a,
          "largest_offset"_a, "line"_a, "known"_a, "rel_gap"_a, "max_seconds"_a, "max_boxes"_a);
}
