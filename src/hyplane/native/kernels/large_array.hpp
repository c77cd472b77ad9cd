// Memory for many numbers that are all going to be written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hyplane {

// Doubles that are not initialised, so that the threads that fill them also touch their pages
// first. Where the system can, a large array lies in large pages: with small ones, looking up the
// pages takes as long as the arithmetic of a pass.
class LargeArray {
  public:
    explicit LargeArray(std::size_t size) : size_(size), numbers_(allocate(size), Free{size}) {}
    LargeArray(const LargeArray& other) : LargeArray(other.size_) {
        std::copy_n(other.data(), size_, data());
    }
    LargeArray(LargeArray&& other) noexcept
        : size_(std::exchange(other.size_, 0)), numbers_(std::move(other.numbers_)) {}
    LargeArray& operator=(LargeArray&& other) noexcept {
        size_ = std::exchange(other.size_, 0);
        numbers_ = std::move(other.numbers_);
        return *this;
    }

    std::size_t size() const { return size_; }
    double* data() { return numbers_.get(); }
    const double* data() const { return numbers_.get(); }

  private:
    static constexpr std::size_t large_page = std::size_t{1} << 21;

    static std::align_val_t alignment(std::size_t size) {
        return std::align_val_t{size * sizeof(double) < 2 * large_page ? 64 : large_page};
    }
    static double* allocate(std::size_t size) {
        const std::size_t bytes = size * sizeof(double);
        void* const memory = ::operator new(bytes, alignment(size));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        // Only a request: if it is refused, the pages are small.
        if (bytes >= 2 * large_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<double*>(memory);
    }
    struct Free {
        std::size_t size;
        void operator()(double* memory) const { ::operator delete(memory, alignment(size)); }
    };

    std::size_t size_;
    std::unique_ptr<double, Free> numbers_;
};

}  // namespace hyplane
