// How long work is interrupted.
#pragma once

#include <functional>

namespace hyplane {

// Called often by long work; it may throw to end the work.
using Watch = std::function<void()>;

}  // namespace hyplane
