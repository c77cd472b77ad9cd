#include "hierarchical_softmax.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../kernels/elementary.hpp"

namespace hyplane {

// 1 / (1 + exp(-x)) at 1000 places between -6 and 6, rounded as in word2vec.
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
        constexpr std::size_t per_unit = size / static_cast<std::size_t>(widest) / 2;
        return values_[static_cast<std::size_t>((x + widest) * static_cast<float>(per_unit))];
    }

  private:
    std::array<float, size> values_;
};

// The vectors of nodes and of inner nodes, in lines of `padded` numbers, and room for two vectors.
struct WalkVectors {
    float *nodes, *inner, *room;
    std::size_t padded;
};

// Some places of a walk around that of a node, which is skipped.
struct Neighbours {
    const std::int32_t *first, *last, *node;
};

// Teaches the vectors of neighbours to find the node, along its path. `fixed` is the number of
// padded coordinates, or 0 if only `at` knows it. The vectors of the inner nodes on a path are all
// different, so that their steps do not wait for each other. `own` and `sum` are local, so that the
// compiler can keep them in registers.
template <std::size_t fixed>
HYPLANE_INLINE void teach(const WalkBatch& batch, const Neighbours& some,
                          const LogisticTable& logistic, const WalkVectors& at) {
    constexpr std::size_t lanes = vector_lanes;
    const std::size_t n = fixed > 0 ? fixed : at.padded;
    const std::int64_t begin = batch.path_start[*some.node], end = batch.path_start[*some.node + 1];
    for (const std::int32_t* neighbour = some.first; neighbour < some.last; ++neighbour) {
        if (neighbour == some.node) continue;
        float* const vector = at.nodes + static_cast<std::size_t>(*neighbour) * n;
        float copy[fixed > 0 ? fixed : 1], steps[fixed > 0 ? fixed : 1];
        float* const own = fixed > 0 ? copy : at.room;
        float* const sum = fixed > 0 ? steps : at.room + n;
        for (std::size_t k = 0; k < n; ++k) own[k] = vector[k], sum[k] = 0.0f;
        for (std::int64_t turn = begin; turn < end; ++turn) {
            float* const inner = at.inner + static_cast<std::size_t>(batch.turns[turn]) * n;
            float part[lanes] = {};
            for (std::size_t k = 0; k < n; k += lanes)
                for (std::size_t lane = 0; lane < lanes; ++lane)
                    part[lane] += own[k + lane] * inner[k + lane];
            for (std::size_t half = lanes / 2; half > 0; half /= 2)
                for (std::size_t lane = 0; lane < half; ++lane) part[lane] += part[lane + half];
            // Not where it is nan either: a diverged training must not leave the table.
            if (!(std::fabs(part[0]) < LogisticTable::widest)) continue;
            const float step =
                (1.0f - static_cast<float>(batch.codes[turn]) - logistic(part[0])) * batch.rate;
#pragma omp simd
            for (std::size_t k = 0; k < n; ++k) {
                const float before = inner[k];
                sum[k] += step * before;
                inner[k] = before + step * own[k];
            }
        }
        for (std::size_t k = 0; k < n; ++k) vector[k] = own[k] + sum[k];
    }
}

HYPLANE_EVERY_CPU void teach_any(const WalkBatch& batch, const Neighbours& some,
                                 const LogisticTable& logistic, const WalkVectors& at) {
    if (at.padded == 8) return teach<8>(batch, some, logistic, at);
    if (at.padded == 16) return teach<16>(batch, some, logistic, at);
    if (at.padded == 32) return teach<32>(batch, some, logistic, at);
    return teach<0>(batch, some, logistic, at);
}

void train_on_walks(const WalkBatch& batch, float* vectors, float* outputs, std::size_t padded,
                    const std::function<void()>& watch) {
    static const LogisticTable logistic;
    constexpr std::size_t most_products = 1 << 22;  // between two calls of `watch`
    std::vector<float> room(2 * padded);
    const WalkVectors at{vectors, outputs, room.data(), padded};
    std::size_t n_products = 0;
    for (std::size_t place = 0; place < batch.n_walks * batch.length; ++place) {
        const std::int32_t* const node = batch.nodes + place;
        const std::size_t before = place % batch.length, after = batch.length - 1 - before;
        const std::size_t window = batch.window - static_cast<std::size_t>(batch.narrowing[place]);
        const std::int32_t* first = node - std::min(window, before);
        const std::int32_t* const last = node + std::min(window, after) + 1;
        const auto path = batch.path_start[*node + 1] - batch.path_start[*node];
        const std::size_t products = static_cast<std::size_t>(path + 1) * (padded + 1);
        const auto at_once = static_cast<std::ptrdiff_t>(most_products / products + 1);
        for (std::ptrdiff_t count; first < last; first += count) {
            count = std::min(at_once, last - first);
            n_products += products * static_cast<std::size_t>(count);
            if (n_products >= most_products) {
                n_products = 0;
                watch();
            }
            teach_any(batch, {first, first + count, node}, logistic, at);
        }
    }
}

}  // namespace hyplane
