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

// Classes, or a matrix with a column for each label.
using ClassesOrLabels = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using SolutionTuple = std::tuple<double, double, NumpyVector, double, int, std::size_t, Stop>;

inline SolutionTuple solution_tuple(const Hyperplane& plane, double value, int n_iter,
                                    std::size_t n_evaluations, Stop stop) {
    return {plane.log_scale, plane.offset, to_array(plane.normal), value, n_iter,
            n_evaluations,   stop};
}

inline BlockRows block_rows(const PackedPoints& points, const ClassesOrLabels& codes,
                            const std::optional<Doubles>& weights,
                            const std::optional<Codes>& folds) {
    const std::size_t n_rows = points.n_rows;
    const bool multilabel = codes.ndim() == 2 && codes.dtype() == nb::dtype<std::int8_t>();
    check(multilabel || (codes.ndim() == 1 && codes.dtype() == nb::dtype<std::int32_t>()),
          "codes must be 32-bit integers, or a matrix of 8-bit ones");
    check(codes.shape(0) == n_rows && (!folds || folds->shape(0) == n_rows),
          "there must be one code, and one fold if any, for each of the ", n_rows, " points");
    if (weights) check_weights(*weights, n_rows);
    return {points,
            multilabel ? nullptr : static_cast<const std::int32_t*>(codes.data()),
            multilabel ? static_cast<const std::int8_t*>(codes.data()) : nullptr,
            multilabel ? codes.shape(1) : 0,
            weights ? weights->data() : nullptr,
            folds ? folds->data() : nullptr};
}

// The answer of one block to each question, as an array: see objective/pass_arrays.hpp. A problem
// is a positive class, a negative class and a fold.
inline std::vector<NumpyVector> passes_of_block(const PackedPoints& points, ClassesOrLabels codes,
                                                std::optional<Doubles> weights,
                                                std::optional<Codes> folds, Matrix questions,
                                                CodeMatrix problems, std::optional<Matrix> sides) {
    const BlockRows rows = block_rows(points, codes, weights, folds);
    const std::size_t count = questions.shape(0), width = questions.shape(1);
    check(!sides || (sides->shape(0) == count && sides->shape(1) == 2),
          "sides must have two weights for each question");
    check(!points.far, "passes are over near points only");
    check(problems.shape(0) == count && problems.shape(1) == 3,
          "problems must have one line per hyperplane: positive class, negative class, fold");
    std::vector<Question> all;
    for (std::size_t k = 0; k < count; ++k) {
        all.push_back(to_question(questions.data() + k * width, width));
        check_hyperplane(all.back().plane, points.n_dim, "the hyperplane of a question");
        const std::int32_t label = problems(k, 0);
        check(rows.multilabel == nullptr ||
                  (label >= 0 && static_cast<std::size_t>(label) < rows.n_labels),
              "there is no label ", label);
    }
    const auto answers = without_lock([&](const auto& watch) {
        std::vector<Vector> out;
        Vector used(points.n_padded_rows(), 0.0);
        std::vector<std::int8_t> labels;
        for (std::size_t k = 0; k < count; ++k) {
            watch();
            labels_for(rows, {problems(k, 0), problems(k, 1), problems(k, 2)}, labels);
            const bool weighted = sides || weights;
            for (std::size_t row = 0; row < (weighted ? points.n_rows : 0); ++row) {
                used[row] = (rows.weights == nullptr ? 1.0 : rows.weights[row]) *
                            (sides ? (*sides)(k, labels[row] > 0 ? 0 : 1) : 1.0);
                if (used[row] == 0.0) labels[row] = 0;
            }
            const Problem problem{points, labels.data(), weighted ? used.data() : nullptr, 1.0};
            out.push_back(to_numbers(pass_over_rows(problem, all[k])));
        }
        return out;
    });
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

// A descent on rows that somebody else passes over. The points are a sample of them. With a seed
// the start is perturbed.
class Descent {
  public:
    Descent(const PackedPoints& sample, Labels labels, Doubles weights, double C, Matrix start,
            double tol, int max_iter, std::size_t n_working, double beyond,
            std::optional<std::uint64_t> seed) {
        const Rowwise rows(sample, labels, weights);
        check_C(C);
        check_limits(tol, max_iter, beyond);
        check(!sample.far, "passes are over near points only");
        check(n_working >= 1 && n_working <= (1u << 24),
              "n_working must be between 1 and 16777216");
        check(start.shape(0) == 1, "there must be one start");
        const Problem problem = rows.problem(sample, C, beyond);
        Candidate first;
        first.plane = hyperplanes(start, sample.n_dim).front();
        without_lock([&](const auto& watch) {
            if (seed) {
                Random random(*seed);
                first = perturbed(problem, first, tol, random, tuning_, watch);
            }
            const ManyRowsOptions options(problem, first.plane, n_working, tuning_);
            if (options.wide && options.reach < 1.0) n_perturbed_ = tuning_.wide_perturbations;
            search_ = std::make_unique<ManyRows>(PassProblem::of(problem), first.plane,
                                                 Limits{tuning_.final_tol * tol, max_iter}, options,
                                                 tuning_);
        });
    }
    // How many perturbed descents should follow: where radii vary widely and many rows have a loss,
    // small barriers separate many minima.
    int n_perturbed() const { return n_perturbed_; }

    bool done() const { return search_->done(); }
    NumpyVector ask() const { return to_array(to_numbers(search_->ask())); }

    void tell(Doubles answer) {
        if (done()) throw std::logic_error("the descent has ended");
        Pass pass = to_pass(answer.data(), answer.shape(0), search_->ask());
        without_lock([&](const auto& watch) { search_->tell(std::move(pass), watch); });
    }

    SolutionTuple result() const {
        const Candidate& best = search_->result();
        return solution_tuple(best.plane, best.value, best.n_iter, search_->n_evaluations(),
                              best.stop);
    }

  private:
    const Tuning tuning_;
    int n_perturbed_ = 0;
    std::unique_ptr<ManyRows> search_;
};

// Radii and directions, as `fill` takes them.
inline std::tuple<NumpyVector, NumpyMatrix> polar(const PackedPoints& points) {
    Vector radius(points.n_rows), direction(points.n_rows * points.n_dim);
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        radius[row] = points.radius(row);
        for (std::size_t c = 0; c < points.n_dim; ++c)
            direction[row * points.n_dim + c] = points.at(row, c + 1);
    }
    return {to_array(radius), owned<NumpyMatrix>(direction, {points.n_rows, points.n_dim})};
}

inline PackedPoints join_points(const std::vector<const PackedPoints*>& parts) {
    check(!parts.empty(), "there are no points to join");
    for (const PackedPoints* part : parts)
        check(part != nullptr && part->n_dim == parts.front()->n_dim,
              "points of different dimensions cannot be joined");
    return without_lock([&](const auto&) { return joined(parts); });
}

}  // namespace hyplane
