#include "scores.hpp"

#include <cmath>
#include <limits>

#include "blocks.hpp"

namespace hyplane::charts {

namespace {

template <bool fused>
HYPLANE_INLINE void near_scores(const Block& block, const ScoredPlane& plane, double* chord,
                                double* score) {
    const OrientedHyperplane& oriented = plane.plane;
    const PreciseProduct product = plane.near;
    squared_chords<fused, n_lanes>(block.coordinates(), oriented.normal.data(),
                                   oriented.normal.size(), chord);
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j)
        score[j] = product.value<fused>(block.sinh[j], block.decay[j], chord[j]);
    if (plane.kind == Kind::product || plane.kind == Kind::rank) return;
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) score[j] = arsinh<fused>(score[j]);
}

HYPLANE_EVERY_CPU void chords_and_scores(const Block& block, const ScoredPlane& plane,
                                         double* chord, double* score) {
    if (has_fma)
        near_scores<true>(block, plane, chord, score);
    else
        near_scores<false>(block, plane, chord, score);
}

// arsinh z at any radius, offset and scale.
double far_score(double radius, double chord, const ScoredPlane& plane) {
    if (!plane.constant) return plane.plane.orientation * plane.far.at(radius, chord).t;
    if (plane.kind == Kind::signed_distance)
        return plane.plane.orientation * std::numeric_limits<double>::infinity();
    // z = ±cosh r
    return plane.plane.orientation * (radius > 40.0 ? radius : std::asinh(std::cosh(radius)));
}

}  // namespace

ScoredPlane::ScoredPlane(Kind wanted, const Hyperplane& given)
    : kind(wanted),
      // Distances are the scores of s = 1.
      plane({wanted == Kind::signed_distance ? 0.0 : given.log_scale, given.offset, given.normal}),
      near(plane),
      far(plane, true),
      constant(std::isinf(given.offset)),
      plain(plane.offset <= largest_plain_radius && plane.log_scale <= largest_plain_radius &&
            plane.log_scale >= -2.0 * largest_plain_radius) {}

void scores_of_block(const Block& block, std::size_t count, bool any_far, const ScoredPlane& plane,
                     double* score) {
    alignas(64) double chord[n_lanes];
    chords_and_scores(block, plane, chord, score);
    for (std::size_t j = 0; j < count && (any_far || !plane.plain); ++j) {
        if (plane.plain && block.far[j] == 0.0) continue;
        const double radius = block.far[j] != 0.0 ? block.radius[j] : std::asinh(block.sinh[j]);
        score[j] = far_score(radius, chord[j], plane);
        if (plane.kind == Kind::product) score[j] = std::sinh(score[j]);
    }
}

HYPLANE_EVERY_CPU void keep_best(const double* score, std::int64_t name, double* best,
                                 std::int64_t* which) {
#pragma omp simd
    for (std::size_t j = 0; j < n_lanes; ++j) {
        const bool better = score[j] > best[j];
        best[j] = better ? score[j] : best[j];
        which[j] = better ? name : which[j];
    }
}

}  // namespace hyplane::charts
