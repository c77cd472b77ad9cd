// Sums over rows that are not in this memory, or not all of them.
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
