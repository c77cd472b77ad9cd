// Work on ranges of rows in several threads, with an ear for Ctrl-C.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace hyplane {

// Calls `make_worker()` once in each thread and the worker it returns with ranges (first, last) of
// at most `step` rows until all rows are done. The calling thread works too and calls `check()`
// between its ranges; what `check` or a worker throws ends the others after their range and is
// thrown again here. No thread but the calling one runs `check`.
template <class MakeWorker, class Check>
void for_row_ranges(std::size_t rows, std::size_t step, std::size_t n_threads,
                    const MakeWorker& make_worker, const Check& check) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    const std::size_t n_ranges = rows / step + (rows % step != 0);
    std::vector<std::exception_ptr> errors(std::min(n_threads, n_ranges));
    const auto work = [&](std::exception_ptr& error, const auto& between) noexcept {
        try {
            auto&& worker = make_worker();
            while (!stopped) {
                const std::size_t range = next++;
                if (range >= n_ranges) return;
                worker(range * step, std::min(rows, (range + 1) * step));
                between();
            }
        } catch (...) {
            error = std::current_exception();
            stopped = true;
        }
    };
    if (errors.empty()) return;
    std::vector<std::thread> threads;
    threads.reserve(errors.size());
    try {
        for (std::size_t i = 1; i < errors.size(); ++i)
            threads.emplace_back([&work, &error = errors[i]] { work(error, [] {}); });
    } catch (const std::system_error&) {
        // The system has no more threads to give: those that there are do the work.
    }
    work(errors[0], check);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace hyplane
