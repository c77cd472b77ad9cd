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

HYPLANE_EVERY_CPU void fill_reflected_products(const Neighbourhood& around, double* plain,
                                               std::size_t stride, double* along, double* sum) {
    around.fill_reflected_products(plain, stride, along, sum);
}

void Neighbourhood::add_reflected_products(Vector& plain, std::size_t stride, Vector& sum) const {
    Vector along(stride);
    hyplane::fill_reflected_products(*this, plain.data(), stride, along.data(), sum.data());
}

}  // namespace hyplane
