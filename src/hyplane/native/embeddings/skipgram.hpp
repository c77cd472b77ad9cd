// Skip-gram with negative sampling on hyperbolic space: the inner loop of HyperbolicSkipGram.
//
// A node is the tangent vector v = r u at the origin, r its distance from the origin and u its
// direction, so that the logit r r' cos(angle) + b of a pair is v.v' + b in any dimension. Keeping
// v instead of (r, u) also makes (-r, u) and (r, -u) the same point without a case of its own.
// tests/embeddings/test_skipgram_kernel.py says the same in NumPy, in (r, theta).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace hyplane {

// Pairs of nodes, with negatives for each, and the vectors and biases that are trained on them.
struct SkipGramPairs {
    double *v_in, *v_out, *bias;
    const std::int32_t *center, *context, *negative;
    std::size_t n_nodes, n_dim, n_pairs, n_negatives, batch_size;
    double first_rate, last_rate;
    bool train_bias;
};

// One pass over the pairs. Returns the sum of the losses before each step. `watch` is called now
// and then, and may throw.
double train_pairs(const SkipGramPairs& all, const std::function<void()>& watch);

}  // namespace hyplane
