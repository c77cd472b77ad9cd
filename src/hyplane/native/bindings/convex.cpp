// Python binding of small convex fits.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../convex/sigmoid.hpp"
#include "../convex/squared_hinge.hpp"
#include "arrays.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace {

void check_finite(const double* values, std::size_t size, const char* sentence) {
    for (std::size_t i = 0; i < size; ++i) check(std::isfinite(values[i]), sentence);
}

void check_not_negative(const double* values, std::size_t size, const char* sentence) {
    for (std::size_t i = 0; i < size; ++i)
        check(values[i] >= 0.0 && std::isfinite(values[i]), sentence);
}

NumpyVector solve_squared_hinge(Matrix Z, Matrix weights, double tolerance, int max_iter) {
    const HingeRows rows{Z.data(), Z.shape(0), Z.shape(1)};
    const std::size_t n_fits = weights.shape(0);
    if (weights.shape(1) != rows.n_rows)
        throw std::invalid_argument("there are " + std::to_string(rows.n_rows) + " rows but " +
                                    std::to_string(weights.shape(1)) + " weights of each fit");
    // An array without rows of any shape takes no memory; products of sizes must not overflow.
    constexpr std::size_t most = std::size_t(1) << 31;
    check(rows.n_dim < most && n_fits < most, "there are too many columns or fits");
    check_finite(Z.data(), Z.size(), "Z must be finite");
    check_not_negative(weights.data(), weights.size(), "weights must be finite and not negative");
    check_not_negative(&tolerance, 1, "tol must be finite and not negative");
    check(max_iter > 0, "max_iter must be at least 1");
    std::vector<double> w(n_fits * rows.n_dim);
    CompiledCall call;
    std::size_t n_solved;
    {
        nb::gil_scoped_release unlocked;
        n_solved = squared_hinge(rows, weights.data(), n_fits, tolerance, max_iter, w.data(),
                                 std::cref(call));
    }
    if (n_solved < n_fits)
        throw std::invalid_argument("Newton's method did not end within " +
                                    std::to_string(max_iter) +
                                    " steps; are the columns of X of very different sizes? Scale "
                                    "them.");
    return to_array(w);
}

std::pair<double, double> sigmoid(Doubles scores, Doubles targets, std::optional<Doubles> weights,
                                  double intercept, int max_iter) {
    const std::size_t n_rows = scores.shape(0);
    check(targets.shape(0) == n_rows && (!weights || weights->shape(0) == n_rows),
          "scores, targets and weights differ in length");
    check_finite(scores.data(), n_rows, "scores must be finite");
    for (std::size_t j = 0; j < n_rows; ++j)
        check(targets(j) >= 0.0 && targets(j) <= 1.0, "targets must be probabilities");
    if (weights)
        check_not_negative(weights->data(), n_rows, "weights must be finite and not negative");
    check_finite(&intercept, 1, "intercept must be finite");
    const SigmoidRows rows{scores.data(), targets.data(), weights ? weights->data() : nullptr,
                           n_rows};
    CompiledCall call;
    nb::gil_scoped_release unlocked;
    return fit_sigmoid(rows, intercept, max_iter, std::cref(call));
}

}  // namespace

NB_MODULE(convex, m) {
    nb::set_leak_warnings(false);
    m.doc() = "Small convex fits: the squared hinge of lines, and Platt's sigmoid.";
    CompiledCall::cancel_at_exit();
    m.def("squared_hinge", &solve_squared_hinge, "Z"_a.noconvert(), "weights"_a.noconvert(),
          "tolerance"_a, "max_iter"_a,
          "The minima of ½|w|² + Σ c max(0, 1 - w·z)², z the columns of Z, one after the other for "
          "each line of weights.");
    m.def("sigmoid", &sigmoid, "scores"_a, "targets"_a, "weights"_a.none(), "intercept"_a,
          "max_iter"_a, "Slope and intercept of the sigmoid with the least cross entropy.");
}
