// Array types of the bindings, and how they say what is wrong with an argument.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace hyplane {

namespace nb = nanobind;
template <class T, int n_axes>
using Array = nb::ndarray<T, nb::ndim<n_axes>, nb::c_contig, nb::device::cpu>;
using Doubles = Array<const double, 1>;
using Matrix = Array<const double, 2>;
using Labels = Array<const std::int8_t, 1>;
using Rows = Array<const std::int64_t, 1>;
using Codes = Array<const std::int32_t, 1>;
using CodeMatrix = Array<const std::int32_t, 2>;
using NumpyVector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using NumpyMask = nb::ndarray<nb::numpy, bool, nb::ndim<1>>;
using NumpyMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// Throws a sentence that is put together from its parts.
template <class... Parts>
void check(bool holds, const Parts&... parts) {
    if (holds) return;
    std::ostringstream sentence;
    (sentence << ... << parts);
    throw std::invalid_argument(sentence.str());
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
