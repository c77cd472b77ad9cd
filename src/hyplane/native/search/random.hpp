// SplitMix64: small, seeded by a single integer, the same on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace hyplane {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t integer() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>(integer() >> 11) * 0x1.0p-53; }
    // n must not be 0: a division by 0 would end the process.
    std::size_t below(std::size_t n) {
        if (n == 0) throw std::logic_error("a random choice among no rows");
        return static_cast<std::size_t>(integer() % n);
    }

  private:
    std::uint64_t state_;
};

}  // namespace hyplane
