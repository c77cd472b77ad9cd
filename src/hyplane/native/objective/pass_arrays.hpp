// Questions and passes as arrays of numbers, which travel between processes.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "pass.hpp"

namespace hyplane {

// (n_kinks, n_curved, n_lowest, reach, spread, two cutoffs, log s, a, u).
inline Vector to_numbers(const Question& question) {
    Vector numbers{static_cast<double>(question.n_kinks),
                   static_cast<double>(question.n_curved),
                   static_cast<double>(question.n_lowest),
                   question.reach,
                   question.spread,
                   question.near_cutoff,
                   question.curved_cutoff,
                   question.plane.log_scale,
                   question.plane.offset};
    numbers.insert(numbers.end(), question.plane.normal.begin(), question.plane.normal.end());
    return numbers;
}

// Reads numbers one after the other.
class NumberReader {
  public:
    NumberReader(const double* numbers, std::size_t size) : next_(numbers), end_(numbers + size) {}

    double number() {
        if (next_ == end_) throw std::invalid_argument("there are too few numbers");
        return *next_++;
    }
    std::size_t count() {
        const double value = number();
        if (!(value >= 0.0 && value <= 1e9))
            throw std::invalid_argument("a count must be between 0 and 1e9");
        return static_cast<std::size_t>(value);
    }
    std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }

  private:
    const double *next_, *end_;
};

inline Question to_question(const double* numbers, std::size_t size) {
    NumberReader reader(numbers, size);
    Question question;
    for (std::size_t* each : {&question.n_kinks, &question.n_curved, &question.n_lowest})
        *each = reader.count();
    for (double* each :
         {&question.reach, &question.spread, &question.near_cutoff, &question.curved_cutoff,
          &question.plane.log_scale, &question.plane.offset})
        *each = reader.number();
    while (reader.left() > 0) question.plane.normal.push_back(reader.number());
    return question;
}

inline void append(Vector& numbers, const RowSample& rows) {
    numbers.push_back(static_cast<double>(rows.size()));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t c = 0; c <= rows.points.n_dim; ++c)
            numbers.push_back(rows.points.at(row, c));
        numbers.insert(numbers.end(),
                       {static_cast<double>(rows.labels[row]), rows.weights[row], rows.keys[row]});
    }
}

inline Vector to_numbers(const Pass& pass) {
    Vector numbers{pass.sums.loss,   pass.sums.scale,    pass.sums.lift,  pass.smallest_product,
                   pass.near_cutoff, pass.curved_cutoff, pass.low_cutoff, pass.n_active};
    numbers.insert(numbers.end(), pass.sums.direction.begin(), pass.sums.direction.end());
    for (const RowSample* rows : {&pass.near, &pass.curved, &pass.lowest}) append(numbers, *rows);
    return numbers;
}

inline RowSample to_rows(NumberReader& reader, std::size_t n_dim) {
    const std::size_t count = reader.count();
    if (count > reader.left() / (n_dim + 4))
        throw std::invalid_argument("there are too few numbers");
    RowSample rows;
    rows.points = PackedPoints(count, n_dim, false);
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t c = 0; c <= n_dim; ++c) rows.points.at(row, c) = reader.number();
        rows.labels.push_back(reader.number() > 0.0 ? 1 : -1);
        rows.weights.push_back(reader.number());
        rows.keys.push_back(reader.number());
    }
    rows.labels.resize(rows.points.n_padded_rows(), 0);
    rows.weights.resize(rows.points.n_padded_rows(), 0.0);
    return rows;
}

// What a pass answered to a question.
inline Pass to_pass(const double* numbers, std::size_t size, const Question& question) {
    NumberReader reader(numbers, size);
    Pass pass;
    pass.plane = question.plane;
    pass.spread = question.spread;
    for (double* each : {&pass.sums.loss, &pass.sums.scale, &pass.sums.lift, &pass.smallest_product,
                         &pass.near_cutoff, &pass.curved_cutoff, &pass.low_cutoff, &pass.n_active})
        *each = reader.number();
    const std::size_t n_dim = question.plane.normal.size();
    for (std::size_t c = 0; c < n_dim; ++c) pass.sums.direction.push_back(reader.number());
    for (RowSample* rows : {&pass.near, &pass.curved, &pass.lowest}) *rows = to_rows(reader, n_dim);
    if (reader.left() > 0) throw std::invalid_argument("there are too many numbers");
    return pass;
}

}  // namespace hyplane
