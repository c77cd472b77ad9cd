// Bindings of what a fit asks of rows that are read block by block.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "checks.hpp"
#include "interrupt.hpp"
#include "search/over_blocks.hpp"

namespace hyplane {

using namespace nb::literals;
// Classes, or a matrix of several labels a row.
using Codes = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Folds = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeMatrix = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NumpyTable = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using NumpyInts = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

inline BlockRows block_rows(const PackedPoints& points, const Codes& codes,
                            const std::optional<Doubles>& weights,
                            const std::optional<Folds>& folds) {
    const std::size_t n_rows = points.n_rows;
    const bool several = codes.ndim() == 2 && codes.dtype() == nb::dtype<std::int8_t>();
    if (!several && !(codes.ndim() == 1 && codes.dtype() == nb::dtype<std::int32_t>()))
        throw std::invalid_argument("codes must be 32-bit integers, or a matrix of 8-bit ones");
    if (codes.shape(0) != n_rows || (folds && folds->shape(0) != n_rows))
        throw std::invalid_argument("there must be one code, and one fold if any, for each of the " +
                                    std::to_string(n_rows) + " points");
    if (weights) check_weights(*weights, n_rows);
    return {points,
            several ? nullptr : static_cast<const std::int32_t*>(codes.data()),
            several ? static_cast<const std::int8_t*>(codes.data()) : nullptr,
            several ? codes.shape(1) : 0,
            weights ? weights->data() : nullptr,
            folds ? folds->data() : nullptr};
}

inline BlockProblem block_problem(const CodeMatrix& problems, std::size_t k) {
    return {problems(k, 0), problems(k, 1), problems(k, 2)};
}

inline void check_problems(const std::vector<Hyperplane>& planes, const CodeMatrix& problems,
                           const BlockRows& rows) {
    if (problems.shape(0) != planes.size() || problems.shape(1) != 3)
        throw std::invalid_argument(
            "problems must have one line per hyperplane: positive class, negative class, fold");
    for (std::size_t k = 0; rows.several != nullptr && k < planes.size(); ++k)
        if (problems(k, 0) < 0 || static_cast<std::size_t>(problems(k, 0)) >= rows.n_labels)
            throw std::invalid_argument("there is no label " + std::to_string(problems(k, 0)));
}

// One line per hyperplane: the sum of losses, and the sums of the derivatives of arsinh(y w*x) in
// log s, a and u over the rows that have a loss.
inline NumpyTable sums_of_block(const PackedPoints& points, Codes codes,
                                std::optional<Doubles> weights, std::optional<Folds> folds,
                                Matrix planes, CodeMatrix problems,
                                std::optional<Matrix> sides) {
    const BlockRows rows = block_rows(points, codes, weights, folds);
    if (sides && (sides->shape(0) != problems.shape(0) || sides->shape(1) != 2))
        throw std::invalid_argument("sides must have two weights for each hyperplane");
    const std::vector<Hyperplane> all = hyperplanes(planes, points.n_dim);
    check_problems(all, problems, rows);
    const std::size_t width = points.n_dim + 3;
    Vector table(all.size() * width);
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        Vector padded;
        if (rows.weights != nullptr) {
            padded.assign(rows.weights, rows.weights + points.n_rows);
            padded.resize(points.n_padded_rows(), 0.0);
        } else if (sides) {
            padded.assign(points.n_padded_rows(), 1.0);
        }
        Vector weighted(sides ? padded.size() : 0);
        std::vector<std::int8_t> labels;
        for (std::size_t k = 0; k < all.size(); ++k) {
            call();
            labels_for(rows, block_problem(problems, k), labels);
            for (std::size_t row = 0; row < weighted.size(); ++row)
                weighted[row] = padded[row] * (*sides)(k, labels[row] > 0 ? 0 : 1);
            const Vector& used = sides ? weighted : padded;
            const OrientedHyperplane oriented(all[k]);
            const Sums sums = sums_over_rows(points, labels.data(),
                                             used.empty() ? nullptr : used.data(), oriented);
            double* const line = table.data() + k * width;
            line[0] = sums.loss;
            line[1] = sums.scale;
            line[2] = oriented.orientation * sums.offset;
            for (std::size_t c = 0; c < points.n_dim; ++c)
                line[c + 3] = oriented.orientation * sums.direction[c];
        }
    }
    return owned<NumpyTable>(table, {all.size(), width});
}

inline std::vector<std::tuple<NumpyInts, NumpyVector, std::size_t>> near_rows_of_block(
    const PackedPoints& points, Codes codes, std::optional<Folds> folds, Matrix planes,
    CodeMatrix problems, double reach, const std::vector<std::size_t>& most) {
    const BlockRows rows = block_rows(points, codes, std::nullopt, folds);
    const std::vector<Hyperplane> all = hyperplanes(planes, points.n_dim);
    check_problems(all, problems, rows);
    if (most.size() != all.size())
        throw std::invalid_argument("most must have one number for each hyperplane");
    std::vector<NearSearch> searches;
    searches.reserve(all.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        searches.emplace_back(all[k], block_problem(problems, k), reach, most[k]);
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        look_at_rows(rows, searches, call);
    }
    std::vector<std::tuple<NumpyInts, NumpyVector, std::size_t>> result;
    result.reserve(searches.size());
    for (NearSearch& search : searches) {
        const NearRows near = search.found();
        result.emplace_back(owned<NumpyInts>(near.rows, {near.rows.size()}),
                            to_array(near.products), near.n_with_loss);
    }
    return result;
}

using Shares = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RowNumbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline NumpyVector keys_of_rows(RowNumbers rows, std::uint64_t seed) {
    Vector keys(rows.shape(0));
    keys_of_stretch(rows.data(), keys.size(), seed, keys.data());
    return to_array(keys);
}

inline NumpyInts rows_drawn(RowNumbers rows, Folds codes, Shares shares, std::uint64_t seed) {
    const std::size_t n_rows = rows.shape(0);
    if (codes.shape(0) != n_rows)
        throw std::invalid_argument("there must be one code for each row");
    std::vector<std::int64_t> drawn;
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        const std::int64_t* const numbers = rows.data();
        const std::int32_t* const classes = codes.data();
        const double* const share = shares.data();
        const auto n_classes = static_cast<std::uint32_t>(shares.shape(0));
        double keys[512];
        for (std::size_t first = 0; first < n_rows; first += 512) {
            const std::size_t count = std::min<std::size_t>(512, n_rows - first);
            keys_of_stretch(numbers + first, count, seed, keys);
            for (std::size_t j = 0; j < count; ++j) {
                const std::int32_t code = classes[first + j];
                if (static_cast<std::uint32_t>(code) >= n_classes)
                    throw std::invalid_argument("there must be one share for each code");
                if (keys[j] < share[code]) drawn.push_back(static_cast<std::int64_t>(first + j));
            }
        }
    }
    return owned<NumpyInts>(drawn, {drawn.size()});
}

// Sums from a Python function, which turns (log s, a, u) into a line like those of `sums_of_block`,
// over all rows.
class SumsOfPython : public RowSums {
  public:
    SumsOfPython(nb::callable function, std::size_t n_dim)
        : function_(std::move(function)), n_dim_(n_dim) {}

    Sums at(const OrientedHyperplane& plane) const override {
        nb::gil_scoped_acquire locked;
        Vector normal = plane.normal;
        for (double& u : normal) u *= plane.orientation;
        const nb::object answer =
            function_(plane.log_scale, plane.orientation * plane.offset, to_array(normal));
        const auto line = nb::cast<Doubles>(answer);
        if (line.shape(0) != n_dim_ + 3)
            throw std::invalid_argument("the sums must be " + std::to_string(n_dim_ + 3) +
                                        " numbers");
        Sums sums;
        sums.loss = line(0);
        sums.scale = line(1);
        sums.offset = plane.orientation * line(2);
        for (std::size_t c = 0; c < n_dim_; ++c)
            sums.direction.push_back(plane.orientation * line(c + 3));
        return sums;
    }

  private:
    nb::callable function_;
    std::size_t n_dim_;
};

// Radii and directions, as `fill` takes them.
inline std::tuple<NumpyVector, NumpyTable> polar(const PackedPoints& points) {
    Vector radius(points.n_rows), direction(points.n_rows * points.n_dim);
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        radius[row] = points.radius(row);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            direction[row * points.n_dim + c] = points.at(row, c + 1);
    }
    return {to_array(radius), owned<NumpyTable>(direction, {points.n_rows, points.n_dim})};
}

inline PackedPoints join_points(const std::vector<const PackedPoints*>& parts) {
    if (parts.empty()) throw std::invalid_argument("there are no points to join");
    for (const PackedPoints* part : parts)
        if (part == nullptr || part->n_dim != parts.front()->n_dim)
            throw std::invalid_argument("points of different dimensions cannot be joined");
    CompiledCall call;
    nb::gil_scoped_release unlocked;
    return joined(parts);
}

}  // namespace hyplane
