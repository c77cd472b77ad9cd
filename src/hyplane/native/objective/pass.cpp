#include "pass.hpp"

namespace hyplane {

HYPLANE_EVERY_CPU void near_pass_collecting(const PackedPoints& points, std::size_t first,
                                            std::size_t last, const std::int8_t* labels,
                                            const double* weights, const OrientedHyperplane& plane,
                                            double* totals, Sums& sums, RowCollector& collector) {
    near_pass(points, first, last, labels, weights, plane, totals, sums, collector);
}

}  // namespace hyplane
