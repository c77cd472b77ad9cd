// Sums over rows of which none or only some are in memory.
#pragma once

#include "near_pass.hpp"
#include "points.hpp"

namespace hyplane {

struct RowSums {
    virtual ~RowSums() = default;
    // The sums over all rows, labels turned as the hyperplane is.
    virtual Sums at(const OrientedHyperplane& plane) const = 0;
};

}  // namespace hyplane
