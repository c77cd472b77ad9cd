// What threads that share rows do where one of them throws. Prints what is wrong.
#include "rows/row_threads.hpp"

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>

using namespace hyplane;

namespace {

constexpr std::size_t n_ranges = 1000;

template <class Pass>
void expect_error(const char* words, const Pass& pass) {
    try {
        pass();
        std::printf("no error where one was expected: %s\n", words);
    } catch (const std::runtime_error& error) {
        if (std::string(error.what()) != words) std::printf("another error: %s\n", error.what());
    }
}

void check_shared_passes() {
    std::atomic<bool> interrupted{false};
    RowThreads threads(4, [&] {
        if (interrupted) throw std::runtime_error("interrupted");
    });
    for (std::size_t bad = 0; bad < n_ranges; bad += 7) {
        expect_error("in a range", [&] {
            threads.run(n_ranges, [&](std::size_t range) {
                if (range >= bad) throw std::runtime_error("in a range");
            });
        });
        std::atomic<std::size_t> sum{0};
        threads.run(n_ranges, [&](std::size_t range) { sum += range; });
        if (sum != n_ranges * (n_ranges - 1) / 2) std::printf("a pass after an error is wrong\n");
    }
    interrupted = true;
    expect_error("interrupted", [&] { threads.run(n_ranges, [](std::size_t) {}); });
}

}  // namespace

int main() {
    check_shared_passes();
    std::printf("done\n");
}
