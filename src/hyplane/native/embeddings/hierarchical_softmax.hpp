// Skip-gram with hierarchical softmax on Euclidean space: the inner loop of DeepWalk.
//
// The same steps as word2vec takes, in single precision and with its table of the logistic
// function, so that the vectors are those of gensim up to the rounding of sums. gensim itself takes
// six times as long at the dimensions of the experiments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace hyplane {

constexpr std::size_t vector_lanes = 8;  // vectors are padded with zeros to a multiple of this

// Walks of nodes, and for each node the way from the root of the tree down to it.
struct WalkBatch {
    const std::int32_t* nodes;      // n_walks × length
    const std::int64_t* narrowing;  // of the window at each place of each walk
    std::size_t n_walks, length, window;
    const std::int64_t* path_start;  // n_nodes + 1
    const std::int32_t* turns;       // inner nodes on the paths
    const std::uint8_t* codes;       // 0 or 1: which way the path goes from there
    float rate;
};

// One pass over the walks. `vectors` of nodes and `outputs` of inner nodes have lines of `padded`
// numbers; `watch` is called now and then, and may throw.
void train_on_walks(const WalkBatch& batch, float* vectors, float* outputs, std::size_t padded,
                    const std::function<void()>& watch);

}  // namespace hyplane
