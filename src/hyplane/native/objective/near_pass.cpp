#include "near_pass.hpp"

namespace hyplane {

HYPLANE_EVERY_CPU void near_sums(const PackedPoints& points, std::size_t first, std::size_t last,
                                 const std::int8_t* labels, const double* weights,
                                 const OrientedHyperplane& plane, double* totals, Sums& sums) {
    NoVisitor none;
    near_pass(points, first, last, labels, weights, plane, totals, sums, none);
}

}  // namespace hyplane
