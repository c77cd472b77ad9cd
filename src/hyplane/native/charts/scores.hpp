// Scores of blocks of rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../kernels/product.hpp"
#include "rows.hpp"

namespace hyplane::charts {

// `rank` has the order of the products and does not overflow: the product itself of a near row,
// its arsinh of a far one.
enum class Kind { arsinh_product, signed_distance, product, rank };

// A hyperplane, ready for scores of one kind.
struct ScoredPlane {
    Kind kind;
    OrientedHyperplane plane;
    PreciseProduct near;
    FarProduct far;
    bool constant;  // an infinite offset stands for w = (±1, 0, …)
    bool plain;     // sizes small enough for `near`

    ScoredPlane(Kind wanted, const Hyperplane& hyperplane);
};

// Scores of `count` rows of a block that was filled for scoring; `any_far`: whether a row is far.
void scores_of_block(const Block& block, std::size_t count, bool any_far, const ScoredPlane& plane,
                     double* scores);

// Replace `best` by larger scores, and `which` by the name of their hyperplane.
void keep_best(const double* score, std::int64_t name, double* best, std::int64_t* which);

}  // namespace hyplane::charts
