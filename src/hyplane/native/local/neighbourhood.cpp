#include "neighbourhood.hpp"

namespace hyplane {

HYPLANE_EVERY_CPU void fill_derivatives(const Neighbourhood& around, const PointLines& lines,
                                        const std::size_t* rows, std::size_t count,
                                        const double* sign, const double* product, RowPanel& out) {
    around.fill_derivatives(lines, rows, count, sign, product, out);
}

void Neighbourhood::derivatives(const PointLines& lines, const std::size_t* rows, std::size_t count,
                                const double* sign, const double* product, RowPanel& out) const {
    hyplane::fill_derivatives(*this, lines, rows, count, sign, product, out);
}

}  // namespace hyplane
