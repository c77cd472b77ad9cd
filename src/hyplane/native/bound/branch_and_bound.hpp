// Best-first branch and bound for the soft-margin objective of the plane: halve the box with the
// lowest bound until that bound is close to the best value known.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "box_rows.hpp"

namespace hyplane {

enum class End { proven, out_of_time, out_of_boxes, out_of_digits };

struct Limits {
    double rel_gap, max_seconds;
    std::size_t max_boxes;
};

// A hyperplane of the plane, or of the line, where the angle is 0 or π.
struct PlaneHyperplane {
    double scale, offset, angle;
};

struct ProvenBound {
    double lower_bound;
    std::optional<PlaneHyperplane> better;  // a hyperplane below the value that was known
    std::size_t n_boxes;
    End end;
};

// `known` is a value of the objective. Rows must have a positive weight. `watch` is called for
// each box, and may throw.
ProvenBound bound_objective(const BoxRows& rows, double largest_offset, bool line, double known,
                            const Limits& limits, const std::function<void()>& watch);

}  // namespace hyplane
