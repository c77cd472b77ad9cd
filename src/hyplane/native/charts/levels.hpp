// One copy of the passes over the rows for each processor level, to choose from when running.
#pragma once

#include <cstddef>
#include <vector>

#include "scores.hpp"

namespace hyplane::charts {

#if HYPLANE_X86_LEVELS
HYPLANE_AVX512 inline void polar_avx512(const PolarTask& task, std::size_t first, std::size_t last,
                                 Block& block) {
    polar_rows<true>(task, first, last, block);
}
HYPLANE_AVX2 inline void polar_avx2(const PolarTask& task, std::size_t first, std::size_t last,
                             Block& block) {
    polar_rows<true>(task, first, last, block);
}
HYPLANE_AVX512 inline void scores_avx512(const ScoreTask& task, std::size_t first, std::size_t last,
                                  Block& block) {
    score_rows<true>(task, first, last, block);
}
HYPLANE_AVX2 inline void scores_avx2(const ScoreTask& task, std::size_t first, std::size_t last,
                              Block& block) {
    score_rows<true>(task, first, last, block);
}
HYPLANE_AVX512 inline void decide_avx512(const DecisionTask& task, std::size_t first, std::size_t last,
                                  Block& block) {
    decide_rows<true>(task, first, last, block);
}
HYPLANE_AVX2 inline void decide_avx2(const DecisionTask& task, std::size_t first, std::size_t last,
                              Block& block) {
    decide_rows<true>(task, first, last, block);
}
#endif
inline void polar_plain(const PolarTask& task, std::size_t first, std::size_t last, Block& block) {
    polar_rows<fused_everywhere>(task, first, last, block);
}
inline void scores_plain(const ScoreTask& task, std::size_t first, std::size_t last, Block& block) {
    score_rows<fused_everywhere>(task, first, last, block);
}

inline void decide_plain(const DecisionTask& task, std::size_t first, std::size_t last, Block& block) {
    decide_rows<fused_everywhere>(task, first, last, block);
}

struct Functions {
    const char* level;
    decltype(&polar_plain) polar;
    decltype(&scores_plain) scores;
    decltype(&decide_plain) decide;
};

// The processor levels that this build has and this machine can run, the fastest first.
inline std::vector<Functions> usable_levels() {
    std::vector<Functions> levels;
#if HYPLANE_X86_LEVELS
    if (has_avx512()) levels.push_back({"avx512", polar_avx512, scores_avx512, decide_avx512});
    if (has_avx2()) levels.push_back({"avx2", polar_avx2, scores_avx2, decide_avx2});
#endif
    levels.push_back({"plain", polar_plain, scores_plain, decide_plain});
    return levels;
}

}  // namespace hyplane::charts
