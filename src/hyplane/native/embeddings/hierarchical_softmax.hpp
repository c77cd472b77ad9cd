// Skip-gram with hierarchical softmax on Euclidean space: the inner loop of DeepWalk.
//
// The same steps as word2vec takes, in single precision and with its table of the logistic function,
// so that the vectors are those of gensim up to the rounding of sums.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../simd.hpp"

namespace hyplane {

constexpr std::size_t vector_lanes = 8;  // vectors are padded with zeros to 4 or a multiple of this

// Walks of nodes, and for each node the way from the root of the tree down to it.
struct WalkBatch {
    const std::int32_t* nodes;       // n_walks × length
    const std::int64_t* narrowing;   // of the window at each place of each walk
    std::size_t n_walks, length, window;
    const std::int64_t* path_start;  // n_nodes + 1
    const std::int32_t* turns;       // inner nodes on the paths
    const std::uint8_t* codes;       // 0 or 1: which way the path goes from there
    float rate;
};

// 1 / (1 + exp(-x)) at 1000 places between -6 and 6.
class LogisticTable {
  public:
    static constexpr float widest = 6.0f;
    static constexpr std::size_t size = 1000;

    LogisticTable() {
        for (std::size_t i = 0; i < size; ++i) {
            const float e = static_cast<float>(
                std::exp((static_cast<float>(i) / static_cast<float>(size) * 2.0 - 1.0) * widest));
            values_[i] = e / (e + 1.0f);
        }
    }

    float operator()(float x) const {
        constexpr std::size_t per_unit = size / static_cast<std::size_t>(widest) / 2;  // as word2vec
        return values_[static_cast<std::size_t>((x + widest) * static_cast<float>(per_unit))];
    }

  private:
    std::array<float, size> values_;
};

// The vectors of the inner nodes on a path are all different, so that their steps do not wait for
// each other. `own` and `sum` are copies, which no other vector can be thought to overlap.
template <std::size_t lanes>
HYPLANE_INLINE void follow_path(const WalkBatch& batch, std::int64_t begin, std::int64_t end,
                                const LogisticTable& logistic, const float* own, float* outputs,
                                float* sum, std::size_t n) {
    for (std::int64_t place = begin; place < end; ++place) {
        float* const output = outputs + static_cast<std::size_t>(batch.turns[place]) * n;
        float part[lanes] = {};
        for (std::size_t k = 0; k < n; k += lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                part[lane] += own[k + lane] * output[k + lane];
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t lane = 0; lane < half; ++lane) part[lane] += part[lane + half];
        // Not where it is nan either: a diverged training must not leave the table.
        if (!(std::fabs(part[0]) < LogisticTable::widest)) continue;
        const float step =
            (1.0f - static_cast<float>(batch.codes[place]) - logistic(part[0])) * batch.rate;
        for (std::size_t k = 0; k < n; ++k) {
            const float before = output[k];
            sum[k] += step * before;
            output[k] = before + step * own[k];
        }
    }
}

// The same for one vector; `fixed` is the number of padded coordinates, or 0 where only `padded`
// knows it and `room` has two vectors.
template <std::size_t fixed>
HYPLANE_INLINE void teach(const WalkBatch& batch, std::int64_t begin, std::int64_t end,
                          const LogisticTable& logistic, float* vector, float* outputs, float* room,
                          std::size_t padded) {
    constexpr std::size_t lanes = fixed == 4 ? 4 : vector_lanes;
    if constexpr (fixed > 0) {
        float own[fixed], sum[fixed] = {};
        for (std::size_t k = 0; k < fixed; ++k) own[k] = vector[k];
        follow_path<lanes>(batch, begin, end, logistic, own, outputs, sum, fixed);
        for (std::size_t k = 0; k < fixed; ++k) vector[k] = own[k] + sum[k];
    } else {
        float* const sum = room + padded;
        for (std::size_t k = 0; k < padded; ++k) room[k] = vector[k], sum[k] = 0.0f;
        follow_path<lanes>(batch, begin, end, logistic, room, outputs, sum, padded);
        for (std::size_t k = 0; k < padded; ++k) vector[k] += sum[k];
    }
}

// Where the training on a walk goes on: at which node, with which neighbour of it.
struct WalkPlace {
    std::size_t node = 0, neighbour = 0;
};

// One walk: the vector of each neighbour along it is taught to find the node. False after a while,
// so that the caller can look for Ctrl-C; no exception may leave a function in several versions.
template <std::size_t fixed>
HYPLANE_INLINE bool train_walk(const WalkBatch& batch, std::size_t walk, WalkPlace& place,
                               const LogisticTable& logistic, float* vectors, float* outputs,
                               float* room, std::size_t padded) {
    constexpr std::size_t a_while = 1 << 22;  // products
    std::size_t n_products = 0;
    const std::int32_t* const nodes = batch.nodes + walk * batch.length;
    for (; place.node < batch.length; ++place.node, place.neighbour = 0) {
        const std::size_t i = place.node;
        const std::size_t window =
            batch.window - static_cast<std::size_t>(batch.narrowing[walk * batch.length + i]);
        const std::size_t first = i < window ? 0 : i - window;
        const std::size_t last = batch.length - i <= window ? batch.length : i + window + 1;
        const std::int64_t begin = batch.path_start[nodes[i]], end = batch.path_start[nodes[i] + 1];
        const std::size_t products = static_cast<std::size_t>(end - begin + 1) * (padded + 1);
        for (std::size_t j = std::max(first, place.neighbour); j < last; ++j) {
            if (n_products >= a_while) {
                place.neighbour = j;
                return false;
            }
            n_products += products;
            if (j != i)
                teach<fixed>(batch, begin, end, logistic,
                             vectors + static_cast<std::size_t>(nodes[j]) * padded, outputs, room,
                             padded);
        }
    }
    return true;
}

// `room` is for two vectors.
HYPLANE_EVERY_CPU bool train_walk_of_any_size(const WalkBatch& batch, std::size_t walk,
                                              WalkPlace& place, const LogisticTable& logistic,
                                              float* vectors, float* outputs, float* room,
                                              std::size_t padded) {
    switch (padded) {
        case 4: return train_walk<4>(batch, walk, place, logistic, vectors, outputs, room, padded);
        case 8: return train_walk<8>(batch, walk, place, logistic, vectors, outputs, room, padded);
        case 16: return train_walk<16>(batch, walk, place, logistic, vectors, outputs, room, padded);
        case 32: return train_walk<32>(batch, walk, place, logistic, vectors, outputs, room, padded);
        default: return train_walk<0>(batch, walk, place, logistic, vectors, outputs, room, padded);
    }
}

}  // namespace hyplane
