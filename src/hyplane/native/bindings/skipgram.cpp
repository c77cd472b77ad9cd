// Python bindings of the inner loops of the hyperbolic skip-gram and of DeepWalk.
#include "../embeddings/skipgram.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../embeddings/hierarchical_softmax.hpp"
#include "arrays.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hyplane;

namespace {

void check_nodes(const std::int32_t* nodes, std::size_t size, std::size_t n_nodes) {
    for (std::size_t i = 0; i < size; ++i)
        check(nodes[i] >= 0 && static_cast<std::size_t>(nodes[i]) < n_nodes,
              "a node number is outside 0 ... n_nodes - 1");
}

double train(Array<double, 2> inputs, Array<double, 2> outputs, Array<double, 1> bias,
             Codes centers, Codes contexts, CodeMatrix negatives, std::size_t batch_size,
             double first_rate, double last_rate, bool train_bias) {
    const std::size_t n_nodes = inputs.shape(0), n_dim = inputs.shape(1);
    const std::size_t n_pairs = centers.shape(0), n_negatives = negatives.shape(1);
    check(outputs.shape(0) == n_nodes && outputs.shape(1) == n_dim && bias.shape(0) == n_nodes,
          "inputs, outputs and bias differ in shape");
    check(contexts.shape(0) == n_pairs && negatives.shape(0) == n_pairs,
          "centers, contexts and negatives differ in length");
    check(batch_size > 0, "batch_size must be at least 1");
    check(std::isfinite(first_rate) && std::isfinite(last_rate), "a rate must be finite");
    batch_size = std::min(batch_size, n_pairs);  // so that start + batch_size does not overflow
    const SkipGramPairs all{inputs.data(),   outputs.data(),   bias.data(), centers.data(),
                            contexts.data(), negatives.data(), n_nodes,     n_dim,
                            n_pairs,         n_negatives,      batch_size,  first_rate,
                            last_rate,       train_bias};
    return without_lock([&](const auto& watch) {
        check_nodes(all.center, n_pairs, n_nodes);
        check_nodes(all.context, n_pairs, n_nodes);
        check_nodes(all.negative, n_pairs * n_negatives, n_nodes);
        return train_pairs(all, watch);
    });
}

void train_walks(Array<float, 2> vectors, Array<float, 2> outputs, CodeMatrix walks,
                 Array<const std::int64_t, 2> narrowing, std::size_t window,
                 Array<const std::int64_t, 1> path_start, Codes turns,
                 Array<const std::uint8_t, 1> codes, double rate) {
    const std::size_t n_nodes = vectors.shape(0), padded = vectors.shape(1);
    check(outputs.shape(0) == n_nodes && outputs.shape(1) == padded && padded % vector_lanes == 0,
          "vectors and outputs differ in shape, or are not padded");
    check(narrowing.shape(0) == walks.shape(0) && narrowing.shape(1) == walks.shape(1),
          "walks and narrowing differ in shape");
    check(walks.shape(1) > 0, "a walk has no node");
    check(path_start.shape(0) == n_nodes + 1 && turns.shape(0) == codes.shape(0),
          "the paths do not fit the nodes");
    for (std::size_t i = 0; i <= n_nodes; ++i)
        check(path_start(i) >= (i == 0 ? 0 : path_start(i - 1)) &&
                  path_start(i) <= static_cast<std::int64_t>(turns.shape(0)),
              "the places of the paths are not in order");
    for (std::size_t i = 0; i < narrowing.size(); ++i)
        check(narrowing.data()[i] >= 0 && narrowing.data()[i] <= static_cast<std::int64_t>(window),
              "a window would be narrowed to less than nothing");
    check(std::abs(rate) <= std::numeric_limits<float>::max(),
          "a rate must be finite, in single precision");
    const WalkBatch batch{walks.data(),   narrowing.data(), walks.shape(0),
                          walks.shape(1), window,           path_start.data(),
                          turns.data(),   codes.data(),     static_cast<float>(rate)};
    without_lock([&](const auto& watch) {
        check_nodes(walks.data(), walks.size(), n_nodes);
        check_nodes(turns.data(), turns.size(), n_nodes);
        train_on_walks(batch, vectors.data(), outputs.data(), padded, watch);
    });
}

}  // namespace

NB_MODULE(skipgram, m) {
    begin_module(m, "The inner loops of the hyperbolic skip-gram and of DeepWalk.");
    m.def("train", &train, "inputs"_a.noconvert(), "outputs"_a.noconvert(), "bias"_a.noconvert(),
          "centers"_a.noconvert(), "contexts"_a.noconvert(), "negatives"_a.noconvert(),
          "batch_size"_a, "first_rate"_a, "last_rate"_a, "train_bias"_a = true,
          "One pass over pairs of nodes, in place; returns the summed loss before each step.");
    m.def("train_walks", &train_walks, "vectors"_a.noconvert(), "outputs"_a.noconvert(),
          "walks"_a.noconvert(), "narrowing"_a.noconvert(), "window"_a, "path_start"_a.noconvert(),
          "turns"_a.noconvert(), "codes"_a.noconvert(), "rate"_a,
          "One pass over walks by hierarchical softmax, in place.");
}
