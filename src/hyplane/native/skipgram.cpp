// Skip-gram with negative sampling on hyperbolic space: the inner loop of HyperbolicSkipGram.
//
// A node is the tangent vector v = r u at the origin, r its distance from the origin and u its
// direction, so that the logit r r' cos(angle) + b of a pair is v.v' + b in any dimension. Keeping
// v instead of (r, u) also makes (-r, u) and (r, -u) the same point without a case of its own.
// tests/embeddings/test_skipgram_kernel.py says the same in NumPy, in (r, theta).

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "interrupt.hpp"

namespace nb = nanobind;

namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Nodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NodeTable = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

double dot(const double* a, const double* b, std::size_t dim) {
    double sum = 0.0;
    for (std::size_t k = 0; k < dim; ++k) sum += a[k] * b[k];
    return sum;
}

// Sums of gradients over one batch, one slot for each different node that occurs in it.
class BatchGradient {
public:
    BatchGradient(std::size_t n_nodes, std::size_t dim) : dim_(dim), slot_of_(n_nodes, -1) {}

    // Where the sum for `node` is kept: `dim` numbers, then the one for its bias. The pointer
    // holds until the next call.
    double* at(std::int32_t node) {
        std::int32_t& slot = slot_of_[static_cast<std::size_t>(node)];
        if (slot < 0) {
            slot = static_cast<std::int32_t>(nodes_.size());
            nodes_.push_back(node);
            sums_.resize(nodes_.size() * (dim_ + 1), 0.0);
        }
        return sums_.data() + static_cast<std::size_t>(slot) * (dim_ + 1);
    }

    template <class Step>
    void apply_and_clear(Step step) {
        for (std::size_t slot = 0; slot < nodes_.size(); ++slot) {
            step(static_cast<std::size_t>(nodes_[slot]), sums_.data() + slot * (dim_ + 1));
            slot_of_[static_cast<std::size_t>(nodes_[slot])] = -1;
        }
        nodes_.clear();
        sums_.clear();
    }

private:
    std::size_t dim_;
    std::vector<std::int32_t> slot_of_;
    std::vector<std::int32_t> nodes_;
    std::vector<double> sums_;
};

// v <- (r - rate u.g) exp_u(-rate r / sinh(r) (g - (u.g) u)): a plain step on the radius and, along
// the great circle of directions, the step on the angle divided by sinh r.
void move(double* v, const double* gradient, double rate, std::size_t dim) {
    const double radius = std::sqrt(dot(v, v, dim));
    if (radius == 0.0) {  // the origin has no direction to turn
        for (std::size_t k = 0; k < dim; ++k) v[k] -= rate * gradient[k];
        return;
    }
    const double radial = dot(v, gradient, dim) / radius;
    double tangential_square = 0.0;
    for (std::size_t k = 0; k < dim; ++k) {
        const double part = gradient[k] - radial * v[k] / radius;
        tangential_square += part * part;
    }
    const double new_radius = radius - rate * radial;
    const double tangential = std::sqrt(tangential_square);
    const double angle = rate * tangential * radius / std::sinh(radius);
    const double along = std::cos(angle) * new_radius / radius;
    const double across = tangential > 0.0 ? -std::sin(angle) * new_radius / tangential : 0.0;
    for (std::size_t k = 0; k < dim; ++k)
        v[k] = along * v[k] + across * (gradient[k] - radial * v[k] / radius);
}

// Sum of cross entropies max(0, wrong side) + log(1 + exp(-|logit|)), with one logarithm for many:
// the factors of the second part are multiplied first.
class CrossEntropy {
public:
    // Adds a logit; returns sigma(logit) - label.
    double add(double logit, bool label) {
        const double small = std::exp(-std::fabs(logit));
        const double sigma = (logit >= 0.0 ? 1.0 : small) / (1.0 + small);
        if ((logit < 0.0) == label) sum_ += std::fabs(logit);
        product_ *= 1.0 + small;
        if (product_ > 1e300) take_logarithm();
        return label ? sigma - 1.0 : sigma;
    }

    double sum() {
        take_logarithm();
        return sum_;
    }

private:
    void take_logarithm() {
        sum_ += std::log(product_);
        product_ = 1.0;
    }

    double sum_ = 0.0, product_ = 1.0;
};

void check_nodes(const std::int32_t* nodes, std::size_t size, std::size_t n_nodes) {
    for (std::size_t i = 0; i < size; ++i)
        if (nodes[i] < 0 || static_cast<std::size_t>(nodes[i]) >= n_nodes)
            throw std::invalid_argument("a node number is outside 0 ... n_nodes - 1");
}

double train(Matrix inputs, Matrix outputs, Vector bias, Nodes centers, Nodes contexts,
             NodeTable negatives, std::size_t batch_size, double first_rate, double last_rate,
             bool train_bias) {
    const std::size_t n_nodes = inputs.shape(0), dim = inputs.shape(1);
    const std::size_t n_pairs = centers.shape(0), n_negatives = negatives.shape(1);
    if (outputs.shape(0) != n_nodes || outputs.shape(1) != dim || bias.shape(0) != n_nodes)
        throw std::invalid_argument("inputs, outputs and bias differ in shape");
    if (contexts.shape(0) != n_pairs || negatives.shape(0) != n_pairs)
        throw std::invalid_argument("centers, contexts and negatives differ in length");
    if (batch_size == 0) throw std::invalid_argument("batch_size must be at least 1");
    double *const v_in = inputs.data(), *const v_out = outputs.data(), *const b = bias.data();
    const std::int32_t *const center = centers.data(), *const context = contexts.data();
    const std::int32_t* const negative = negatives.data();

    for (double rate : {first_rate, last_rate})
        if (!std::isfinite(rate)) throw std::invalid_argument("a rate must be finite");
    hyplane::CompiledCall call;
    nb::gil_scoped_release release;
    check_nodes(center, n_pairs, n_nodes);
    check_nodes(context, n_pairs, n_nodes);
    check_nodes(negative, n_pairs * n_negatives, n_nodes);

    BatchGradient input_gradient(n_nodes, dim), output_gradient(n_nodes, dim);
    CrossEntropy loss;
    batch_size = std::min(batch_size, n_pairs);  // so that start + batch_size does not overflow
    std::size_t n_batches = 0;
    for (std::size_t start = 0; start < n_pairs; start += batch_size) {
        if (++n_batches % 256 == 0) call();
        const std::size_t stop = std::min(start + batch_size, n_pairs);
        for (std::size_t pair = start; pair < stop; ++pair) {
            const double* const v = v_in + static_cast<std::size_t>(center[pair]) * dim;
            double* const gradient_in = input_gradient.at(center[pair]);
            for (std::size_t j = 0; j <= n_negatives; ++j) {
                const bool is_context = j == 0;
                const std::int32_t node =
                    is_context ? context[pair] : negative[pair * n_negatives + j - 1];
                if (!is_context && node == context[pair]) continue;  // it would contradict itself
                const double* const w = v_out + static_cast<std::size_t>(node) * dim;
                const double error = loss.add(dot(v, w, dim) + b[node], is_context);
                double* const gradient_out = output_gradient.at(node);
                for (std::size_t k = 0; k < dim; ++k) {
                    gradient_in[k] += error * w[k];
                    gradient_out[k] += error * v[k];
                }
                gradient_out[dim] += error;
            }
        }
        const double done = static_cast<double>(start) / static_cast<double>(n_pairs);
        const double rate = (first_rate + (last_rate - first_rate) * done) /
                            static_cast<double>(stop - start);
        input_gradient.apply_and_clear([&](std::size_t node, const double* gradient) {
            move(v_in + node * dim, gradient, rate, dim);
        });
        output_gradient.apply_and_clear([&](std::size_t node, const double* gradient) {
            move(v_out + node * dim, gradient, rate, dim);
            if (train_bias) b[node] -= rate * gradient[dim];
        });
    }
    return loss.sum();
}

}  // namespace

NB_MODULE(skipgram, m) {
    // After Ctrl-C threads can still hold functions when the interpreter ends: no fault to print.
    nb::set_leak_warnings(false);
    m.doc() = "The inner loop of the hyperbolic skip-gram.";
    hyplane::CompiledCall::cancel_at_exit();
    m.def("train", &train, nb::arg("inputs").noconvert(), nb::arg("outputs").noconvert(),
          nb::arg("bias").noconvert(), nb::arg("centers").noconvert(),
          nb::arg("contexts").noconvert(), nb::arg("negatives").noconvert(),
          nb::arg("batch_size"), nb::arg("first_rate"), nb::arg("last_rate"),
          nb::arg("train_bias") = true,
          "One pass over pairs of nodes, in place; returns the summed loss before each step.");
}
