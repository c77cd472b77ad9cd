// Array types of the bindings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace hyplane {

namespace nb = nanobind;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumpyVector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

inline void check(bool holds, const char* sentence) {
    if (!holds) throw std::invalid_argument(sentence);
}

// A copy of the values that Python owns.
template <class Array, class T>
Array owned(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
    T* copy = new T[values.size()];
    std::copy(values.begin(), values.end(), copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Array(copy, shape, owner);
}

inline NumpyVector to_array(const std::vector<double>& values) {
    return owned<NumpyVector>(values, {values.size()});
}

}  // namespace hyplane
