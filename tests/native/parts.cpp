// The linear algebra, the quadratic program of a step, the draw of a sample and the bound of a box
// of the certificate against plain statements of what they promise. Prints the number of
// disagreements and returns whether there are any.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "bound/box_bound.cpp"
#include "bound/box_rows.cpp"
#include "linalg/box_program.cpp"
#include "linalg/dense.cpp"
#include "rows/sample.hpp"

using namespace hyplane;

namespace {

std::mt19937_64 generator(1);
std::uniform_real_distribution<double> uniform_numbers(0.0, 1.0);
std::normal_distribution<double> normal_numbers;
int n_wrong = 0;

void check(bool agrees, const char* what) {
    if (agrees) return;
    if (++n_wrong <= 10) std::printf("wrong: %s\n", what);
}

double uniform() { return uniform_numbers(generator); }
std::size_t integer(std::size_t below) { return generator() % below; }

Vector normal(std::size_t n) {
    Vector out(n);
    for (double& each : out) each = normal_numbers(generator);
    return out;
}

Vector positive_definite(std::size_t n) {
    const std::size_t width = n + 3;
    const Vector B = normal(n * width);
    Vector A(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            A[i * n + j] = sum_of_products(&B[i * width], &B[j * width], width);
    return A;
}

void check_factors(std::size_t n) {
    const Vector A = positive_definite(n);
    Vector L = A, lower = A;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) lower[i * n + j] = 0.0;
    check(cholesky(L, n, 0.0) && cholesky(lower, n, 0.0), "a factor");
    const double allowed = 1e-12 * *std::max_element(A.begin(), A.end());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            check(std::fabs(sum_of_products(&L[i * n], &L[j * n], j + 1) - A[i * n + j]) <= allowed,
                  "L Lᵀ = A");
            check(L[i * n + j] == lower[i * n + j], "the lower triangle alone is read");
        }
    const Vector b = normal(n);
    Vector x = b, y = b;
    solve_lower(L.data(), x.data(), n, n);
    solve_lower_transposed(L.data(), y.data(), n, n);
    const double size = std::sqrt(dot(x, x) + dot(y, y)) * std::sqrt(allowed * 1e12);
    for (std::size_t i = 0; i < n; ++i) {
        double across = 0.0;
        for (std::size_t j = i; j < n; ++j) across += L[j * n + i] * y[j];
        check(std::fabs(sum_of_products(&L[i * n], x.data(), i + 1) - b[i]) <= 1e-13 * size,
              "L x = b");
        check(std::fabs(across - b[i]) <= 1e-13 * size, "Lᵀ y = b");
    }
}

void check_matrices_without_a_factor() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (double smallest : {0.0, 1e-14})
        for (Vector A : {Vector{1, 0, 0, -1}, Vector{1, 1, 1, 1}, Vector(4, 0.0), Vector(4, nan)})
            check(!cholesky(A, 2, smallest), "a matrix that is not positive definite");
}

BoxProgram program(std::size_t n, const Vector& v, const Vector& gap, const Vector& bound) {
    BoxProgram out;
    out.v.reset(n, gap.size());
    for (std::size_t j = 0; j < gap.size(); ++j)
        for (std::size_t i = 0; i < n; ++i) out.v.line(i)[j] = v[j * n + i];
    out.gap = gap;
    out.bound = bound;
    out.multiplier.assign(gap.size(), 0.0);
    return out;
}

// The conditions of the minimum, which is the only one: x = -g - Σ λ v, and a multiplier is 0 below
// its kink, at its bound above it and between the two on it.
void check_optimal(const BoxProgram& at, const Vector& g, const Vector& v) {
    const std::size_t n = g.size();
    for (std::size_t i = 0; i < n; ++i) {
        double x = -g[i];
        for (std::size_t j = 0; j < at.gap.size(); ++j) x -= at.multiplier[j] * v[j * n + i];
        check(std::fabs(x - at.x[i]) <= 1e-9, "x of the multipliers");
    }
    for (std::size_t j = 0; j < at.gap.size(); ++j) {
        const double above = at.gap[j] + sum_of_products(&v[j * n], at.x.data(), n);
        check(at.multiplier[j] >= 0.0 && at.multiplier[j] <= at.bound[j] * (1.0 + 1e-12), "bounds");
        check(above > -1e-9 || at.multiplier[j] == 0.0, "a multiplier below its kink");
        check(above < 1e-9 || at.multiplier[j] >= at.bound[j] * (1.0 - 1e-12), "above its kink");
    }
}

void check_box_program(bool dependent) {
    const std::size_t n = 1 + integer(11), count = integer(40);
    const Vector g = normal(n), gap = normal(count);
    Vector v = normal(count * n), bound(count);
    for (double& each : bound) each = 2.0 * uniform();
    if (dependent && count > 4) std::copy_n(v.begin(), 2 * n, v.begin() + 2 * n);
    BoxProgram first = program(n, v, gap, bound);
    check(first.solve(g, [] {}), "a program that is solved");
    check_optimal(first, g, v);
    for (double share : {0.3, 1.0}) {
        BoxProgram again = program(n, v, gap, bound);
        for (std::size_t j = 0; j < count; ++j)
            again.multiplier[j] = share < 1.0 && uniform() < 0.5 ? 0.0 : share * bound[j];
        check(again.solve(g, [] {}), "a program that is solved from multipliers");
        check_optimal(again, g, v);
    }
}

void check_constraint() {
    BoxProgram at = program(2, {1.0, 0.0}, {1.0}, {std::numeric_limits<double>::infinity()});
    check(at.solve({0.0, 0.0}, [] {}), "a constraint");
    check(std::fabs(at.x[0] + 1.0) < 1e-12 && std::fabs(at.multiplier[0] - 1.0) < 1e-12,
          "a kink without a bound is a constraint");
}

struct Uniform {
    double uniform() { return ::uniform(); }
};

struct Drawn {
    std::vector<std::size_t> rows;
    Vector weights;

    Drawn(const std::vector<std::int8_t>& labels, const Vector& given, std::size_t negative,
          std::size_t positive) {
        const double* const c = given.empty() ? nullptr : given.data();
        const std::size_t wanted[2] = {negative, positive};
        Uniform random;
        rows = draw_rows(labels.data(), c, labels.size(),
                         ClassTotals(labels.data(), c, labels.size()), wanted, random, weights);
    }
};

std::vector<std::int8_t> random_labels(std::size_t m) {
    std::vector<std::int8_t> labels(m);
    for (std::int8_t& each : labels) each = static_cast<std::int8_t>(integer(3)) - 1;
    return labels;
}

// Rows of a class are drawn in proportion to their weights; the heaviest, or the first of equals,
// always is, so that a class is never missing.
void check_chances(bool weighted) {
    constexpr int n_times = 4000;
    const std::size_t m = 300, wanted[2] = {50, 20};
    const std::vector<std::int8_t> labels = random_labels(m);
    Vector weights(m, 1.0);
    for (double& each : weights) each += weighted ? uniform() : 0.0;
    std::vector<int> times(m, 0);
    for (int i = 0; i < n_times; ++i)
        for (std::size_t row : Drawn(labels, weighted ? weights : Vector(), 50, 20).rows)
            ++times[row];
    const ClassTotals totals(labels.data(), weights.data(), m);
    std::size_t heaviest[2] = {m, m};
    for (std::size_t row = 0; row < m; ++row) {
        std::size_t& known = heaviest[labels[row] > 0];
        if (labels[row] != 0 && (known == m || weights[row] > weights[known])) known = row;
    }
    for (std::size_t row = 0; row < m; ++row) {
        const int side = labels[row] > 0;
        const double expected =
            n_times * static_cast<double>(wanted[side]) * weights[row] / totals.weight[side];
        if (labels[row] == 0)
            check(times[row] == 0, "a row without a label is not drawn");
        else if (row == heaviest[side])
            check(times[row] == n_times, "the heaviest row is always drawn");
        else
            check(std::fabs(times[row] - expected) < 5 * std::sqrt(expected),
                  "the chance of a row");
    }
}

// About as many are drawn as are wanted, and they stand for the weight of their class; rows that
// outweigh what one of the sample stands for are all there, as they are.
void check_weights(bool weighted) {
    const std::size_t m = 20000, wanted[2] = {2000, 500};
    const std::vector<std::int8_t> labels = random_labels(m);
    Vector weights = normal(m);
    for (double& each : weights) each = weighted ? std::exp(3.0 * each) : 1.0;
    const Drawn drawn(labels, weighted ? weights : Vector(), wanted[0], wanted[1]);
    const ClassTotals totals(labels.data(), weights.data(), m);
    double sum[2] = {0.0, 0.0}, count[2] = {0.0, 0.0}, least[2] = {1e300, 1e300};
    std::vector<bool> present(m, false);
    for (std::size_t k = 0; k < drawn.rows.size(); ++k) {
        const std::size_t row = drawn.rows[k];
        const int side = labels[row] > 0;
        check(k == 0 || row > drawn.rows[k - 1], "rows in their order");
        check(drawn.weights[k] >= 0.9 * weights[row], "a row stands for itself at least");
        sum[side] += drawn.weights[k];
        count[side] += 1.0;
        least[side] = std::min(least[side], drawn.weights[k]);
        present[row] = true;
    }
    for (int side : {0, 1}) {
        const double size = static_cast<double>(wanted[side]);
        check(std::fabs(count[side] - size) < 5 * std::sqrt(size), "as many rows as are wanted");
        check(std::fabs(sum[side] - totals.weight[side]) < 1e-6 * totals.weight[side],
              "the weight of a class");
    }
    for (std::size_t row = 0; row < m; ++row)
        if (labels[row] != 0)
            check(present[row] || weights[row] <= 1.2 * least[labels[row] > 0],
                  "a heavy row is drawn");
}

void check_small_samples() {
    const std::vector<std::int8_t> labels = {1, -1, 0, -1, -1};
    const Drawn all(labels, {}, 3, 1);
    check(all.rows == std::vector<std::size_t>{0, 1, 3, 4} && all.weights == Vector(4, 1.0),
          "all rows are drawn where all are wanted");
    for (std::size_t wanted : {1, 2, 3, 100})
        for (double spread : {1.0, 1e3, 1e200}) {
            const Drawn drawn({1, -1, -1, 1, 0}, {1.0, spread, 1.0, 1 / spread, 1.0}, wanted,
                              wanted);
            bool found[2] = {false, false};
            for (std::size_t row : drawn.rows) found[row == 0 || row == 3] = true;
            check(found[0] && found[1], "a class has a row in every sample");
            for (double each : drawn.weights) check(std::isfinite(each), "finite weights");
        }
}

// Points of the plane with labels that a line explains, or nothing does, or all but one share.
struct PlanePoints {
    Vector radius, angle, signed_weights;

    explicit PlanePoints(std::size_t kind) {
        const std::size_t m = 2 + integer(13);
        const double reach = Vector{0.1, 1.0, 3.0, 8.0}[integer(4)];
        const double C = std::pow(10.0, 4.0 * uniform() - 2.0);
        for (std::size_t j = 0; j < m; ++j) {
            radius.push_back(reach * std::sqrt(uniform()));
            angle.push_back(6.2 * uniform() - 3.1);
            bool positive = uniform() < 0.5;
            if (kind == 0) positive = std::cos(angle[j] - 1.0) > 0.2;
            if (kind == 1 || j < 2) positive = j == 0;
            const double weight = kind == 3 ? -std::log(1.0 - uniform()) : 1.0;
            signed_weights.push_back((positive ? C : -C) * weight);
        }
    }

    // The objective as the paper writes it, in extended precision.
    double objective(double scale, double offset, double theta) const {
        const long double a = offset, s = scale;
        long double total = s * s / 2;
        for (std::size_t j = 0; j < radius.size(); ++j) {
            const long double r = radius[j];
            const long double z = s * (sinhl(a) * coshl(r) -
                                       coshl(a) * sinhl(r) * cosl(theta - (long double)angle[j]));
            const long double y = signed_weights[j] > 0 ? 1 : -1;
            total += fabsl(signed_weights[j]) * fmaxl(0, asinhl(1) - asinhl(y * z));
        }
        return static_cast<double>(total);
    }
};

// No hyperplane of a box, its corners included, is below the bound of the box. Boxes have sides of
// any width, often around a point, where products change their sign.
void check_bounds_of_boxes() {
    int n_sharp = 0;
    for (std::size_t round = 0; round < 1200; ++round) {
        const PlanePoints points(round % 4);
        BoxRows rows;
        for (std::size_t j = 0; j < points.radius.size(); ++j)
            rows.add(points.radius[j], points.angle[j], points.signed_weights[j]);
        const double reach = *std::max_element(points.radius.begin(), points.radius.end());
        const std::size_t near = integer(points.radius.size());
        const bool around = uniform() < 0.6;
        const double share = uniform() < 0.5 ? 1.0 : 0.3, size = std::pow(10.0, 2 * uniform() - 1);
        const double middle[3] = {
            std::exp(around ? 4.0 * uniform() - 2.0 : 2.0 - (2.0 + 2.0 * reach) * uniform()),
            around ? share * points.radius[near] : reach * uniform(),
            around ? points.angle[near] : 6.2 * uniform() - 3.1};
        const double widest[3] = {20.0, reach, 1.57};
        Box box = {{}, {}, 1.0};
        for (int side = 0; side < n_sides; ++side) {
            double width = std::min(widest[side], size * std::pow(10.0, 6.5 * uniform() - 6.0));
            if (side == side_scale) width *= middle[side];
            box.low[side] = middle[side] - uniform() * width;
            if (side == side_scale) box.low[side] = std::max(box.low[side], 1e-3 * middle[side]);
            if (side == side_offset) box.low[side] = std::max(box.low[side], 0.0);
            box.high[side] = box.low[side] + width;
        }
        RowRanges ranges;
        const double bound = bound_over(box, rows, 1e300, ranges).value;
        double lowest = 1e300;
        for (int place = 0; place < 25; ++place) {
            double at[3];
            for (int side = 0; side < n_sides; ++side) {
                const double share_of_side = Vector{0.0, 1.0, uniform()}[integer(3)];
                at[side] =
                    std::min(box.high[side],
                             box.low[side] + share_of_side * (box.high[side] - box.low[side]));
            }
            lowest = std::min(lowest, points.objective(at[0], at[1], at[2]));
        }
        check(bound <= lowest * (1.0 + 1e-15), "a hyperplane below the bound of its box");
        n_sharp += bound > (1.0 - 1e-3) * lowest;
    }
    check(n_sharp > 400, "bounds that are sharp");
}

}  // namespace

int main() {
    for (std::size_t n : {1, 2, 3, 8, 17, 60}) check_factors(n);
    check_matrices_without_a_factor();
    for (int round = 0; round < 60; ++round) check_box_program(round % 3 == 0);
    check_constraint();
    for (bool weighted : {false, true}) check_chances(weighted);
    for (bool weighted : {false, true}) check_weights(weighted);
    check_small_samples();
    check_bounds_of_boxes();
    std::printf("%d wrong\n", n_wrong);
    return n_wrong != 0;
}
