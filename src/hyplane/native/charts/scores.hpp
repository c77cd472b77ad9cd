// Scores of blocks of rows for several hyperplanes at once.
//
// For a hyperplane w = s (sinh a, cosh a · u) and a point of radius r in direction v
//
//     w*x / s = sinh(a - r) + cosh a · sinh r · |u - v|²/2
//             = sinh a · e^-r + sinh r · (cosh a · |u - v|²/2 - e^-a),
//
// which keeps its digits where sinh a cosh r - cosh a sinh r (u·v) cancels, and needs no
// transcendental function where the chart tells sinh r and e^-r. With a < 0 the opposite
// hyperplane (-a, -u) is taken and the sign turned.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "blocks.hpp"

namespace hyplane::charts {

enum class Kind { arsinh_product, signed_distance, product, sign };

struct Plane {
    double log_scale, offset, orientation;  // offset >= 0
    double scale, sinh, cosh, shrink;       // s, sinh a, cosh a, e^-a
    bool constant;                          // an infinite offset: w = (±1, 0, …)
    bool plain;                             // sizes small enough for plain products
    const double* normal;                   // turned by the orientation
};

struct Planes {
    std::vector<Plane> planes;
    std::vector<double> normals;

    Planes(std::size_t count, std::size_t n, const double* log_scale, const double* offset,
           const double* normal)
        : planes(count), normals(count * n) {
        for (std::size_t q = 0; q < count; ++q) {
            const double a = std::fabs(offset[q]), side = offset[q] < 0.0 ? -1.0 : 1.0;
            for (std::size_t c = 0; c < n; ++c) normals[q * n + c] = side * normal[q * n + c];
            Plane& plane = planes[q];
            plane.log_scale = log_scale[q];
            plane.offset = a;
            plane.orientation = side;
            plane.constant = std::isinf(a);
            plane.plain = a <= largest_plain_radius && log_scale[q] <= largest_plain_radius &&
                          log_scale[q] >= -2.0 * largest_plain_radius;
            plane.scale = std::exp(log_scale[q]);
            plane.sinh = std::sinh(a);
            plane.cosh = std::cosh(a);
            plane.shrink = std::exp(-a);
            plane.normal = normals.data() + q * n;
        }
    }
};

// |u - v|² of each row of a block; four columns at a time, so that the sums are fetched less often.
template <bool fused>
HYPLANE_LANE void squared_chords(const double* columns, const double* normal, std::size_t n,
                                 double* chord) {
    std::size_t c = 0;
    for (std::size_t j = 0; j < lanes; ++j) chord[j] = 0.0;
    for (; c + 4 <= n; c += 4) {
        const double* const v = columns + c * lanes;
        const double u0 = normal[c], u1 = normal[c + 1], u2 = normal[c + 2], u3 = normal[c + 3];
#pragma omp simd
        for (std::size_t j = 0; j < lanes; ++j) {
            const double d0 = v[j] - u0, d1 = v[j + lanes] - u1;
            const double d2 = v[j + 2 * lanes] - u2, d3 = v[j + 3 * lanes] - u3;
            const double first = multiply_add<fused>(d1, d1, d0 * d0);
            chord[j] += multiply_add<fused>(d3, d3, multiply_add<fused>(d2, d2, first));
        }
    }
    for (; c < n; ++c) {
        const double* const v = columns + c * lanes;
        const double u = normal[c];
#pragma omp simd
        for (std::size_t j = 0; j < lanes; ++j)
            chord[j] = multiply_add<fused>(v[j] - u, v[j] - u, chord[j]);
    }
}

inline double log_sinh(double x) { return x + std::log(-std::expm1(-2.0 * x)) - ln2_high - ln2_low; }
inline double log_cosh(double x) { return x + std::log1p(std::exp(-2.0 * x)) - ln2_high - ln2_low; }

// arsinh(e^x).
inline double arsinh_exp(double x) {
    return x > 40.0 ? x + (ln2_high + ln2_low) : std::asinh(std::exp(x));
}

// log |w*x / s| and its sign at any radius, sizes carried as logarithms.
inline double log_size(double radius, double half, double offset, double& sign) {
    const double difference = offset - radius, size = std::fabs(difference);
    if (difference < -40.0) {  // sinh r taken out: beside it the other logarithms could be lost
        const double tilt = log_cosh(offset) + std::log(half);
        const double largest = std::max(tilt, -offset), lost = 2.0 * radius - offset;
        const double rest = std::exp(tilt - largest) - std::exp(-offset - largest) +
                            (1.0 - std::exp(-2.0 * offset)) * std::exp(-lost - largest);
        sign = rest > 0.0 ? 1.0 : rest < 0.0 ? -1.0 : 0.0;
        return log_sinh(radius) + (largest + std::log(std::fabs(rest)));
    }
    const double across = log_cosh(offset) + log_sinh(radius) + std::log(half);
    const double largest = std::max(size, across);
    const double radial = -0.5 * std::expm1(-2.0 * size) * std::exp(size - largest);
    const double rest = std::copysign(radial, difference) + std::exp(across - largest);
    sign = rest > 0.0 ? 1.0 : rest < 0.0 ? -1.0 : 0.0;
    return largest + std::log(std::fabs(rest));
}

// The value of w = (±1, 0, …), whose product with a point is ±cosh r.
inline double constant_score(Kind kind, double radius, double sign) {
    switch (kind) {
        case Kind::sign: return sign;
        case Kind::signed_distance: return sign * std::numeric_limits<double>::infinity();
        case Kind::product: return sign * std::cosh(radius);
        case Kind::arsinh_product: break;
    }
    return sign * arsinh_exp(log_cosh(radius));
}

// A score at any radius, offset and scale.
HYPLANE_APART inline double far_score(Kind kind, double radius, double half, const Plane& plane) {
    if (plane.constant) return constant_score(kind, radius, plane.orientation);
    double sign;
    const double logarithm = log_size(radius, half, plane.offset, sign);
    if (sign == 0.0) return 0.0;
    sign *= plane.orientation;
    switch (kind) {
        case Kind::sign: return sign;
        case Kind::signed_distance: return sign * arsinh_exp(logarithm);
        case Kind::product: return sign * std::exp(plane.log_scale + logarithm);
        case Kind::arsinh_product: break;
    }
    return sign * arsinh_exp(plane.log_scale + logarithm);
}

template <bool fused>
HYPLANE_LANE void plain_scores(Kind kind, const Block& block, const double* chord,
                               const Plane& plane, double* score) {
    const double sinh = plane.sinh, lever = 0.5 * plane.cosh, shrink = plane.shrink;
    const bool scaled = kind == Kind::arsinh_product || kind == Kind::product;
    const double scale = plane.orientation * (scaled ? plane.scale : 1.0);
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const double tilt = multiply_add<fused>(lever, chord[j], -shrink);
        score[j] = scale * multiply_add<fused>(block.sinh[j], tilt, sinh * block.decay[j]);
    }
    if (kind == Kind::sign) {
#pragma omp simd
        for (std::size_t j = 0; j < lanes; ++j)
            score[j] = score[j] > 0.0 ? 1.0 : score[j] < 0.0 ? -1.0 : 0.0;
    } else if (kind != Kind::product) {
#pragma omp simd
        for (std::size_t j = 0; j < lanes; ++j) score[j] = arsinh<fused>(score[j]);
    }
}

// Scores of the far rows of a block, for a hyperplane of plain sizes. With r > 115 >= a the term
// sinh a · e^-r is nothing beside sinh r · tilt unless tilt = cosh a · |u - v|²/2 - e^-a is tiny,
// and arsinh(w*x) = log s + r + log |tilt| where that is large. The mark of rows for which this
// does not hold is kept in `left`.
template <bool fused>
HYPLANE_LANE void far_scores(Kind kind, const Block& block, const double* chord,
                             const Plane& plane, double* score, double* left) {
    const double lever = 0.5 * plane.cosh, shrink = plane.shrink, side = plane.orientation;
    const double log_scale = kind == Kind::arsinh_product ? plane.log_scale : 0.0;
    const bool only_sign = kind == Kind::sign;
#pragma omp simd
    for (std::size_t j = 0; j < lanes; ++j) {
        const double tilt = multiply_add<fused>(lever, chord[j], -shrink), size = std::fabs(tilt);
        const bool clear = size > 1e-25;
        const double known = clear ? size : 1.0;
        const double big = known > 1.0 ? known : 1.0, small = known > 1.0 ? 1.0 : known;
        const double logarithm = log_ratio<fused>(big, 0.0, small, big - small, big + small);
        const double value = log_scale + (block.radius[j] + (known > 1.0 ? logarithm : -logarithm));
        const bool far = block.far[j] != 0.0;
        const bool done = far & clear & (only_sign | ((value > 41.0) & (value < 1e308)));
        const double sign = tilt > 0.0 ? side : -side;
        score[j] = done ? (only_sign ? sign : sign * value) : score[j];
        left[j] = (far & !done) ? 1.0 : 0.0;
    }
}

// Scores of one hyperplane for the rows of a filled block; `far` where a row of it is far, and
// gets a score of the kind `far_kind`.
template <bool fused>
HYPLANE_LANE void plane_scores(Kind kind, Kind far_kind, const Block& block, std::size_t count,
                               bool far, const Plane& plane, std::size_t n, double* score) {
    const double* const columns = block.columns + lanes;
    alignas(64) double chord[lanes], left[lanes];
    squared_chords<fused>(columns, plane.normal, n, chord);
    const bool plain = plane.plain && !plane.constant;
    if (plain) plain_scores<fused>(kind, block, chord, plane, score);
    if (plain && !far) return;
    if (plain && far_kind != Kind::product) {
        far_scores<fused>(far_kind, block, chord, plane, score, left);
        if (!any_marked(left)) return;
    } else {
        for (std::size_t j = 0; j < lanes; ++j) left[j] = plain ? block.far[j] : 1.0;
    }
    for (std::size_t j = 0; j < count; ++j) {
        if (left[j] == 0.0) continue;
        const double radius = block.far[j] != 0.0 ? block.radius[j] : std::asinh(block.sinh[j]);
        score[j] = far_score(far_kind, radius, 0.5 * chord[j], plane);
    }
}

struct ScoreTask {
    Task rows;
    const Planes& planes;
    Kind kind;
    double* scores;  // of shape (m, number of planes)
};

template <bool fused>
HYPLANE_LANE void score_rows(const ScoreTask& task, std::size_t first, std::size_t last,
                             Block& block) {
    const std::size_t width = task.planes.planes.size();
    alignas(64) double score[lanes];
    for (; first < last; first += lanes) {
        const std::size_t count = std::min(lanes, last - first);
        const bool far = fill_block<fused, true>(task.rows, first, count, block);
        for (std::size_t q = 0; q < width; ++q) {
            plane_scores<fused>(task.kind, task.kind, block, count, far,
                                task.planes.planes[q], task.rows.n, score);
            double* const to = task.scores + first * width + q;
            for (std::size_t j = 0; j < count; ++j) to[j * width] = score[j];
        }
    }
}

struct DecisionTask {
    Task rows;
    const Planes& planes;
    std::int64_t* decisions;  // of shape (m,)
};

// The hyperplane with the largest score for each row, the first of several; of a single hyperplane
// 1 on its positive side and 0 elsewhere. The products themselves have the order of their arsinh.
// Far rows, and all rows where a hyperplane is far, compare the arsinh, which does not overflow.
template <bool fused>
HYPLANE_LANE void decide_rows(const DecisionTask& task, std::size_t first, std::size_t last,
                              Block& block) {
    const std::vector<Plane>& planes = task.planes.planes;
    bool plain = true;
    for (const Plane& plane : planes) plain = plain && plane.plain && !plane.constant;
    const Kind kind = plain ? Kind::product : Kind::arsinh_product;
    alignas(64) double score[lanes], best[lanes], which[lanes];
    for (; first < last; first += lanes) {
        const std::size_t count = std::min(lanes, last - first);
        const bool far = fill_block<fused, true>(task.rows, first, count, block);
        const bool single = planes.size() == 1;
        for (std::size_t j = 0; j < lanes; ++j) {
            best[j] = single ? 0.0 : -std::numeric_limits<double>::infinity();
            which[j] = 0.0;
        }
        for (std::size_t q = 0; q < planes.size(); ++q) {
            plane_scores<fused>(kind, Kind::arsinh_product, block, count, far, planes[q],
                                task.rows.n, score);
            const double name = single ? 1.0 : static_cast<double>(q);
#pragma omp simd
            for (std::size_t j = 0; j < lanes; ++j) {
                const bool better = score[j] > best[j];
                best[j] = better ? score[j] : best[j];
                which[j] = better ? name : which[j];
            }
        }
        for (std::size_t j = 0; j < count; ++j)
            task.decisions[first + j] = static_cast<std::int64_t>(which[j]);
    }
}

struct PolarTask {
    Task rows;
    double* radius;     // of shape (m,)
    double* direction;  // of shape (m, n)
};

template <bool fused>
HYPLANE_LANE void polar_rows(const PolarTask& task, std::size_t first, std::size_t last,
                             Block& block) {
    const std::size_t n = task.rows.n;
    for (; first < last; first += lanes) {
        const std::size_t count = std::min(lanes, last - first);
        fill_block<fused, false>(task.rows, first, count, block);
        for (std::size_t j = 0; j < count; ++j) task.radius[first + j] = block.radius[j];
        const double* const v = block.coordinates();
        double* const to = task.direction + first * n;
        if (n == 2) {
            for (std::size_t j = 0; j < count; ++j) {
                to[2 * j] = v[j];
                to[2 * j + 1] = v[j + lanes];
            }
            continue;
        }
        for (std::size_t j = 0; j < count; ++j)
            for (std::size_t c = 0; c < n; ++c) to[j * n + c] = v[c * lanes + j];
    }
}

}  // namespace hyplane::charts
