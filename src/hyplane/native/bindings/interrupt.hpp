// Long compiled calls that release the interpreter lock: how Ctrl-C and the end of the process
// reach them.
//
// Signals are handled by Python's main thread only, so only a call made by that thread takes the
// lock now and then to look for Ctrl-C. A call in another thread takes the lock once, at its end.
// It must not do so while the interpreter shuts down: CPython would end the thread inside a C++
// destructor, which aborts the process. So an `atexit` function cancels such calls and waits until
// they have returned; CPython runs it before the lock is closed to other threads.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

namespace hyplane {

class CompiledCall {
  public:
    // Both with the interpreter lock held.
    CompiledCall() : on_main_thread_(is_main_thread()) {
        if (cancelled_) throw std::runtime_error(message);
        ++n_active_;
    }
    ~CompiledCall() { --n_active_; }
    CompiledCall(const CompiledCall&) = delete;
    CompiledCall& operator=(const CompiledCall&) = delete;

    // Called often, without the lock; throws to end the call.
    void operator()() const {
        if (cancelled_) throw std::runtime_error(message);
        if (!on_main_thread_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        nanobind::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

    static void cancel_all() {
        cancelled_ = true;
        nanobind::gil_scoped_release unlocked;
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (n_active_ > 0 && std::chrono::steady_clock::now() < give_up)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

  private:
    static constexpr const char* message = "cancelled: the interpreter is shutting down";

    static inline std::atomic<bool> cancelled_{false};
    static inline std::atomic<int> n_active_{0};

    static bool is_main_thread() {
        const nanobind::module_ threading = nanobind::module_::import_("threading");
        return threading.attr("get_ident")().equal(threading.attr("main_thread")().attr("ident"));
    }

    const bool on_main_thread_;
    mutable std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Does some work without the interpreter lock. The work is given what it calls now and then.
template <class Work>
auto without_lock(const Work& work) {
    const CompiledCall call;
    nanobind::gil_scoped_release unlocked;
    return work(std::cref(call));
}

// What every module begins with.
inline void begin_module(nanobind::module_& m, const char* doc) {
    // After Ctrl-C threads can still hold functions when the interpreter ends, which is no leak.
    nanobind::set_leak_warnings(false);
    nanobind::module_::import_("atexit").attr("register")(
        nanobind::cpp_function(&CompiledCall::cancel_all));
    m.doc() = doc;
}

}  // namespace hyplane
