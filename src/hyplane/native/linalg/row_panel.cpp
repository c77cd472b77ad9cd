#include "row_panel.hpp"

namespace hyplane {

namespace {

// sum_il += Σ_k a_ki b_kl for four i and eight l. The sums stay in registers, and none is added up
// across a vector.
constexpr std::size_t tile_lines = 4;
HYPLANE_INLINE void add_tile(const double* a, const double* b, std::size_t count,
                             std::size_t stride, double* sum) {
    double tile[tile_lines][panel_lanes];
    for (std::size_t i = 0; i < tile_lines; ++i)
        for (std::size_t l = 0; l < panel_lanes; ++l) tile[i][l] = 0.0;
    for (std::size_t k = 0; k < count; ++k, a += stride, b += stride)
        for (std::size_t i = 0; i < tile_lines; ++i) {
#pragma omp simd
            for (std::size_t l = 0; l < panel_lanes; ++l) tile[i][l] += a[i] * b[l];
        }
    for (std::size_t i = 0; i < tile_lines; ++i)
        for (std::size_t l = 0; l < panel_lanes; ++l) sum[i * stride + l] += tile[i][l];
}

}  // namespace

HYPLANE_EVERY_CPU void add_squares(RowPanel& panel, std::size_t count, const double* weight,
                                   double* sum) {
    const std::size_t n = panel.n_, stride = panel.stride();
    const double* const rows = panel.rows_.data();
    double* const scaled = panel.scaled_.data();
    for (std::size_t k = 0; k < count; ++k) {
        const double c = weight[k];
#pragma omp simd
        for (std::size_t i = 0; i < panel_lanes * panel.blocks_; ++i)
            scaled[k * stride + i] = c * rows[k * stride + i];
    }
    for (std::size_t l = 0; l < n; l += panel_lanes)
        for (std::size_t i = l; i < n; i += tile_lines)
            add_tile(scaled + i, rows + l, count, stride, sum + i * stride + l);
}

HYPLANE_EVERY_CPU void add_sums(const RowPanel& panel, std::size_t count, const double* weight,
                                double* sum) {
    add_lines(sum, weight, panel.line(0), count, panel.stride(), panel_lanes * panel.blocks());
}

}  // namespace hyplane
