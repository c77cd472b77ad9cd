// Work on ranges of rows in several threads, which Ctrl-C can interrupt.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hyplane {

inline std::size_t checked_threads(std::int64_t n_threads) {
    if (n_threads < 1)
        throw std::invalid_argument("n_threads must be at least 1; got " +
                                    std::to_string(n_threads) + ".");
    return static_cast<std::size_t>(std::min<std::int64_t>(n_threads, 1024));
}

// Threads that share pass after pass over the rows, for as long as this object lives: one fit. The
// calling thread works too, so that `n_threads = 1` starts none. Which thread does which range is
// left open; whoever wants the same bits from any number of threads keeps one result per range.
class RowThreads {
  public:
    // `check` is called by the calling thread between its ranges and may throw.
    RowThreads(std::size_t n_threads, std::function<void()> check) : check_(std::move(check)) {
        threads_.reserve(n_threads);
        try {
            for (std::size_t i = 1; i < n_threads; ++i) threads_.emplace_back([this] { serve(); });
        } catch (const std::exception&) {
            // No more threads, or no memory for one: those that there are do the work.
        }
    }
    ~RowThreads() {
        {
            const std::lock_guard<std::mutex> locked(lock_);
            stopped_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    RowThreads(const RowThreads&) = delete;
    RowThreads& operator=(const RowThreads&) = delete;

    std::size_t size() const { return threads_.size() + 1; }

    // Calls `work(range)` for each range from 0 to n_ranges - 1 and returns when all are done. The
    // first exception of `work` or `check` ends the pass and is thrown again here.
    template <class Work>
    void run(std::size_t n_ranges, const Work& work) {
        constexpr std::size_t most = UINT32_MAX;
        for (std::size_t first = 0; first < n_ranges; first += most) {
            const std::function<void(std::size_t)> shifted = [&work, first](std::size_t range) {
                work(first + range);
            };
            run_some(std::min(most, n_ranges - first), shifted);
        }
    }

  private:
    static constexpr std::uint64_t left_mask = UINT32_MAX;

    void run_some(std::size_t n_ranges, const std::function<void(std::size_t)>& work) {
        work_ = &work;
        n_ranges_ = n_ranges;
        n_done_ = 0;
        const std::uint64_t pass = (ticket_ >> 32) + 1;
        ticket_ = (pass << 32) | n_ranges;
        if (n_asleep_ > 0) {
            // With the lock, or a thread about to sleep could miss it.
            {
                const std::lock_guard<std::mutex> locked(lock_);
            }
            wake_.notify_all();
        }
        while (take_one(check_)) {
        }
        while (n_done_ < n_ranges) std::this_thread::yield();
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    // Do one range of the pass that is under way; false where none is left. The ticket holds the
    // number of the pass and of its ranges left, so that a thread that comes late cannot take a
    // range of one pass with the work of another: the pass ends only when its ranges are done.
    bool take_one(const std::function<void()>& check = {}) {
        std::uint64_t ticket = ticket_;
        do {
            if ((ticket & left_mask) == 0) return false;
        } while (!ticket_.compare_exchange_weak(ticket, ticket - 1));
        try {
            (*work_)(n_ranges_ - static_cast<std::size_t>(ticket & left_mask));
            if (check) check();
        } catch (...) {
            {
                const std::lock_guard<std::mutex> locked(lock_);
                if (!error_) error_ = std::current_exception();
            }
            // Nobody takes another range: those that are left count as done.
            n_done_ += static_cast<std::size_t>(ticket_.fetch_and(~left_mask) & left_mask);
        }
        ++n_done_;
        return true;
    }

    // The passes of a fit follow each other closely: look out for the next one for a while, and
    // only then sleep.
    void serve() {
        constexpr auto patience = std::chrono::microseconds(200);
        const auto waiting = [this] { return (ticket_ & left_mask) == 0 && !stopped_; };
        while (!stopped_) {
            while (take_one()) {
            }
            const auto until = std::chrono::steady_clock::now() + patience;
            while (waiting() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
            if (!waiting()) continue;
            std::unique_lock<std::mutex> locked(lock_);
            ++n_asleep_;
            wake_.wait(locked, [&] { return !waiting(); });
            --n_asleep_;
        }
    }

    const std::function<void()> check_;
    const std::function<void(std::size_t)>* work_ = nullptr;
    std::size_t n_ranges_ = 0;
    std::atomic<std::uint64_t> ticket_{0};
    std::atomic<std::size_t> n_done_{0};
    std::atomic<bool> stopped_{false};
    std::atomic<int> n_asleep_{0};
    std::mutex lock_;
    std::exception_ptr error_;  // of the pass under way
    std::condition_variable wake_;
    std::vector<std::thread> threads_;
};

// `threads->run`, or one range after the other where there are no threads.
template <class Work>
void run_ranges(RowThreads* threads, std::size_t n_ranges, const Work& work) {
    if (threads == nullptr)
        for (std::size_t range = 0; range < n_ranges; ++range) work(range);
    else
        threads->run(n_ranges, work);
}

}  // namespace hyplane
