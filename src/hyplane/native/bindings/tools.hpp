// Bindings for tests and measurements: the linear algebra, the quadratic program, the draw of a
// sample.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "../linalg/box_program.hpp"
#include "../linalg/dense.hpp"
#include "../rows/row_threads.hpp"
#include "../rows/sample.hpp"
#include "../search/starts.hpp"
#include "arrays.hpp"
#include "checks.hpp"

namespace hyplane {

using namespace nb::literals;
using NumpyMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

inline Vector square_matrix(const Matrix& A) {
    if (A.shape(0) != A.shape(1)) throw std::invalid_argument("the matrix must be square");
    return Vector(A.data(), A.data() + A.size());
}

// The factor, or None where the matrix is not positive definite.
inline std::optional<NumpyMatrix> cholesky_factor(Matrix A, double smallest_pivot) {
    const std::size_t n = A.shape(0);
    Vector L = square_matrix(A);
    if (!cholesky(L, n, smallest_pivot)) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) L[i * n + j] = 0.0;
    return owned<NumpyMatrix>(L, {n, n});
}

inline NumpyVector solve_triangular(Matrix L, Doubles b, bool transposed) {
    const std::size_t n = L.shape(0);
    const Vector factor = square_matrix(L);
    if (b.shape(0) != n) throw std::invalid_argument("the vector must have one entry per line");
    Vector x(b.data(), b.data() + n);
    for (std::size_t i = 0; i < n; ++i)
        if (factor[i * n + i] == 0.0) throw std::invalid_argument("the matrix is singular");
    if (transposed)
        solve_lower_transposed(factor.data(), x.data(), n, n);
    else
        solve_lower(factor.data(), x.data(), n, n);
    return to_array(x);
}

// v has one line per kink here.
inline std::tuple<NumpyVector, NumpyVector, bool> solve_box_program(Doubles g, Matrix v,
                                                                    Doubles gap, Doubles bound,
                                                                    std::optional<Doubles> start) {
    const std::size_t n = g.shape(0), count = v.shape(0);
    if (n == 0 || v.shape(1) != n || gap.shape(0) != count || bound.shape(0) != count)
        throw std::invalid_argument("v must have one line per kink and one column per coordinate");
    BoxProgram program;
    program.v.reset(n, count);
    for (std::size_t j = 0; j < count; ++j) {
        if (!(bound(j) >= 0.0)) throw std::invalid_argument("a bound must not be negative");
        for (std::size_t i = 0; i < n; ++i) program.v.line(i)[j] = v(j, i);
    }
    program.gap.assign(gap.data(), gap.data() + count);
    program.bound.assign(bound.data(), bound.data() + count);
    program.multiplier.assign(count, 0.0);
    if (start) {
        if (start->shape(0) != count) throw std::invalid_argument("start needs one entry per kink");
        for (std::size_t j = 0; j < count; ++j)
            program.multiplier[j] = std::max(0.0, std::min(bound(j), (*start)(j)));
    }
    const bool solved = program.solve(Vector(g.data(), g.data() + n), [] {});
    return {to_array(program.x), to_array(program.multiplier), solved};
}

inline std::tuple<std::vector<std::size_t>, NumpyVector> drawn_rows(Labels labels,
                                                                    std::optional<Doubles> weights,
                                                                    std::size_t negative,
                                                                    std::size_t positive,
                                                                    std::uint64_t seed) {
    check_labels(labels, labels.size());
    if (weights && weights->shape(0) != labels.shape(0))
        throw std::invalid_argument("each label needs a weight");
    const std::size_t wanted[2] = {negative, positive};
    Random random(seed);
    Vector drawn_weights;
    const double* const c = weights ? weights->data() : nullptr;
    const ClassTotals totals(labels.data(), c, labels.size());
    const std::vector<std::size_t> rows =
        draw_rows(labels.data(), c, labels.size(), totals, wanted, random, drawn_weights);
    return {rows, to_array(drawn_weights)};
}

inline void bind_tools(nb::module_& m) {
    m.def("cholesky", &cholesky_factor, "A"_a, "smallest_pivot"_a = 0.0,
          "The lower factor of a symmetric matrix; None where it is not positive definite.");
    m.def("solve_triangular", &solve_triangular, "L"_a, "b"_a, "transposed"_a = false,
          "Solve L x = b, or its transpose, for a lower triangular L.");
    m.def("solve_box_program", &solve_box_program, "g"_a, "v"_a, "gap"_a, "bound"_a,
          "start"_a.none() = nb::none(),
          "Minimise g·x + |x|²/2 + Σ bound_j max(0, gap_j + v_j·x); x, the multipliers, and "
          "whether the method came to its end. `start`: multipliers to begin with.");
    m.def(
        "draw_rows", &drawn_rows, "labels"_a, "weights"_a.none(), "negative"_a, "positive"_a,
        "seed"_a,
        "Rows of each class drawn by their weights, and with which weight each stands for others.");
}

}  // namespace hyplane
