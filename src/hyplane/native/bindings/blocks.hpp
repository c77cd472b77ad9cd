// Bindings of what a fit asks of rows that are read block by block.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "../objective/pass_arrays.hpp"
#include "../rows/block_labels.hpp"
#include "../search/search.hpp"
#include "arrays.hpp"
#include "checks.hpp"
#include "interrupt.hpp"

namespace hyplane {

using namespace nb::literals;
// Classes, or a matrix with a column for each label.
using Codes = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Folds = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeMatrix = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NumpyTable = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using NumpyInts = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

inline BlockRows block_rows(const PackedPoints& points, const Codes& codes,
                            const std::optional<Doubles>& weights,
                            const std::optional<Folds>& folds) {
    const std::size_t n_rows = points.n_rows;
    const bool multilabel = codes.ndim() == 2 && codes.dtype() == nb::dtype<std::int8_t>();
    if (!multilabel && !(codes.ndim() == 1 && codes.dtype() == nb::dtype<std::int32_t>()))
        throw std::invalid_argument("codes must be 32-bit integers, or a matrix of 8-bit ones");
    if (codes.shape(0) != n_rows || (folds && folds->shape(0) != n_rows))
        throw std::invalid_argument(
            "there must be one code, and one fold if any, for each of the " +
            std::to_string(n_rows) + " points");
    if (weights) check_weights(*weights, n_rows);
    return {points,
            multilabel ? nullptr : static_cast<const std::int32_t*>(codes.data()),
            multilabel ? static_cast<const std::int8_t*>(codes.data()) : nullptr,
            multilabel ? codes.shape(1) : 0,
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
    for (std::size_t k = 0; rows.multilabel != nullptr && k < planes.size(); ++k)
        if (problems(k, 0) < 0 || static_cast<std::size_t>(problems(k, 0)) >= rows.n_labels)
            throw std::invalid_argument("there is no label " + std::to_string(problems(k, 0)));
}

// The answer of one block to each question, as an array: see rows/pass_arrays.hpp.
inline std::vector<NumpyVector> passes_of_block(const PackedPoints& points, Codes codes,
                                                std::optional<Doubles> weights,
                                                std::optional<Folds> folds, Matrix questions,
                                                CodeMatrix problems, std::optional<Matrix> sides) {
    const BlockRows rows = block_rows(points, codes, weights, folds);
    const std::size_t count = questions.shape(0), width = questions.shape(1);
    if (sides && (sides->shape(0) != count || sides->shape(1) != 2))
        throw std::invalid_argument("sides must have two weights for each question");
    if (points.far) throw std::invalid_argument("passes are over near points only");
    std::vector<Question> all;
    std::vector<Hyperplane> planes;
    for (std::size_t k = 0; k < count; ++k) {
        all.push_back(to_question(questions.data() + k * width, width));
        planes.push_back(all.back().plane);
        check_hyperplane(planes.back(), points.n_dim, "the hyperplane of a question");
    }
    check_problems(planes, problems, rows);
    std::vector<Vector> answers(count);
    {
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        Vector used(points.n_padded_rows(), 0.0);
        std::vector<std::int8_t> labels;
        for (std::size_t k = 0; k < count; ++k) {
            call();
            labels_for(rows, block_problem(problems, k), labels);
            const bool weighted = sides || weights;
            for (std::size_t row = 0; row < (weighted ? points.n_rows : 0); ++row) {
                used[row] = (rows.weights == nullptr ? 1.0 : rows.weights[row]) *
                            (sides ? (*sides)(k, labels[row] > 0 ? 0 : 1) : 1.0);
                if (used[row] == 0.0) labels[row] = 0;
            }
            const Problem problem{points, labels.data(), weighted ? used.data() : nullptr, 1.0};
            answers[k] = to_numbers(pass_over_rows(problem, all[k]));
        }
    }
    std::vector<NumpyVector> arrays;
    arrays.reserve(count);
    for (const Vector& answer : answers) arrays.push_back(to_array(answer));
    return arrays;
}

// The answer of the rows of two sets of blocks.
inline NumpyVector merge_passes(Doubles first, Doubles second, Doubles question) {
    const Question asked = to_question(question.data(), question.shape(0));
    const Pass a = to_pass(first.data(), first.shape(0), asked);
    const Pass b = to_pass(second.data(), second.shape(0), asked);
    return to_array(to_numbers(merged(a, b, asked)));
}

// A descent on rows that somebody else passes over. The points are a sample of them.
class Descent {
  public:
    Descent(const PackedPoints& sample, Labels labels, Doubles weights, double C, Matrix start,
            double tol, int max_iter, std::size_t n_working, double beyond) {
        check_labels(labels, sample.n_rows);
        check_weights(weights, sample.n_rows);
        check_C(C);
        check_beyond(beyond);
        check_limits(tol, max_iter);
        if (sample.far) throw std::invalid_argument("passes are over near points only");
        if (n_working < 1 || n_working > (1u << 24))
            throw std::invalid_argument("n_working must be between 1 and 16777216");
        std::vector<std::int8_t> signs(labels.data(), labels.data() + sample.n_rows);
        signs.resize(sample.n_padded_rows(), 0);
        Vector padded(weights.data(), weights.data() + sample.n_rows);
        padded.resize(sample.n_padded_rows(), 0.0);
        const Problem problem{sample, signs.data(), padded.data(), C, beyond};
        const std::vector<Hyperplane> starts = hyperplanes(start, sample.n_dim);
        if (starts.size() != 1) throw std::invalid_argument("there must be one start");
        const Hyperplane& plane = starts.front();
        search_ = std::make_unique<ManyRows>(
            PassProblem::of(problem), plane, Limits{tuning_.final_tol * tol, max_iter},
            ManyRowsOptions(problem, plane, n_working, tuning_), tuning_);
    }

    bool done() const { return search_->done(); }
    NumpyVector ask() const { return to_array(to_numbers(search_->ask())); }

    void tell(Doubles answer) {
        if (done()) throw std::logic_error("the descent has ended");
        Pass pass = to_pass(answer.data(), answer.shape(0), search_->ask());
        CompiledCall call;
        nb::gil_scoped_release unlocked;
        search_->tell(std::move(pass), std::cref(call));
    }

    std::tuple<double, double, NumpyVector, double, int, std::size_t, Stop> result() const {
        const Candidate& best = search_->result();
        return {best.plane.log_scale,
                best.plane.offset,
                to_array(best.plane.normal),
                best.value,
                best.n_iter,
                search_->n_evaluations(),
                best.stop};
    }

  private:
    const Tuning tuning_;
    std::unique_ptr<ManyRows> search_;
};

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
