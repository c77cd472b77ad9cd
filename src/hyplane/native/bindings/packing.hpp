// The binding of `core.pack`.
#pragma once

#include <nanobind/nanobind.h>

namespace hyplane {

void bind_packing(nanobind::module_& m);

}  // namespace hyplane
