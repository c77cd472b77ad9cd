// Candidates for the lowest minimum: what is asked of a search, and which are kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../local/descent.hpp"
#include "../objective/problem.hpp"
#include "../tuning.hpp"

namespace hyplane {

// Steps of a search that is compared with others before it goes on.
constexpr int rough_iterations = 60;

struct Options {
    double tol;
    int max_iter;
    std::uint64_t seed;
    std::vector<Hyperplane> starts =
        {};              // of a similar problem; they take the place of random ones
    bool brief = false;  // two rounds at most, for fits that only compare values of C
    Tuning tuning = {};
};

struct Solution {
    Hyperplane plane;
    double value;
    int n_iter;
    std::size_t n_evaluations;
    Stop stop;
    std::vector<Hyperplane> minima = {};  // the lowest that were found, this one first
};

inline Solution search(const Problem& problem, const Options& options, const Watch& watch);

inline bool lower(const Candidate& a, const Candidate& b) { return a.value < b.value; }

// Whether two values belong to one minimum, as far as can be told.
inline bool same_minimum(double value, double best, const Tuning& tuning) {
    return value <= best + tuning.same_minimum * std::abs(best);
}

inline void keep_best(std::vector<Candidate>& candidates, std::size_t count, const Tuning& tuning) {
    std::sort(candidates.begin(), candidates.end(), lower);
    std::vector<Candidate> kept;
    for (Candidate& each : candidates) {
        if (kept.size() == count) break;
        if (kept.empty() || !same_minimum(each.value, kept.back().value, tuning))
            kept.push_back(std::move(each));
    }
    candidates = std::move(kept);
}

// What is known where a descent stalled. No decrease can be larger than the value, since the
// objective is not negative. Descents aim at less than the tolerance asked for.
inline Stop judged(const Problem& problem, const Options& options, const Candidate& best) {
    if (best.stop != Stop::stalled) return best.stop;
    const double most = best.predicted < best.value ? best.predicted : best.value;
    if (most <= options.tol * std::abs(best.value)) return Stop::converged;
    return most <= problem.resolution(best.plane) ? Stop::converged_to_rounding : Stop::stalled;
}

}  // namespace hyplane
