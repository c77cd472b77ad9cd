// Loaded before the C++ library: the request for memory with a given number fails.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> n_left{-1};  // requests until one fails; negative: none fails

void* memory(std::size_t size, std::size_t alignment) {
    if (n_left >= 0 && n_left-- == 0) throw std::bad_alloc();
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    void* const found = aligned_alloc(alignment, whole > 0 ? whole : alignment);
    if (found == nullptr) throw std::bad_alloc();
    return found;
}

}  // namespace

extern "C" void fail_after(long n_requests) { n_left = n_requests; }
extern "C" long requests_left() { return n_left; }

void* operator new(std::size_t size) { return memory(size, 16); }
void* operator new[](std::size_t size) { return memory(size, 16); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return memory(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, std::size_t) noexcept { free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { free(memory); }
