// Weighted sums over vectors that lie one after the other in memory.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../kernels/dispatch.hpp"
#include "../kernels/large_array.hpp"
#include "dense.hpp"

namespace hyplane {

// Lines of a panel are filled up with zeros to a whole number of these, one vector of 512 bits.
constexpr std::size_t panel_lanes = 8;
inline std::size_t panel_stride(std::size_t n) {
    return (n + panel_lanes - 1) / panel_lanes * panel_lanes;
}

// Some vectors, one a line. As many as the cache next to the processor holds. What fills up a line
// is zero until something else is written there.
class RowPanel {
  public:
    explicit RowPanel(std::size_t n)
        : n_(n),
          blocks_(panel_stride(n) / panel_lanes),
          capacity_(std::min<std::size_t>(
              256, std::max<std::size_t>(16, 4096 / std::max<std::size_t>(1, stride())))),
          rows_(capacity_ * stride()),
          scaled_(capacity_ * stride()) {
        std::fill_n(rows_.data(), rows_.size(), 0.0);
    }
    std::size_t capacity() const { return capacity_; }
    std::size_t blocks() const { return blocks_; }
    std::size_t stride() const { return panel_lanes * blocks_; }
    double* line(std::size_t k) { return rows_.data() + k * stride(); }
    const double* line(std::size_t k) const { return rows_.data() + k * stride(); }

  private:
    friend void add_squares(RowPanel& panel, std::size_t count, const double* weight, double* sum);
    std::size_t n_, blocks_, capacity_;
    LargeArray rows_, scaled_;  // which begin where a line of the cache does
};

// sum += Σ_k c_k b_k b_kᵀ over the first lines of the panel. The sum has as many lines as a line of
// the panel has numbers; its lower triangle is complete, of the upper one some numbers change too.
void add_squares(RowPanel& panel, std::size_t count, const double* weight, double* sum);

// sum += Σ_k c_k b_k.
void add_sums(const RowPanel& panel, std::size_t count, const double* weight, double* sum);

}  // namespace hyplane
