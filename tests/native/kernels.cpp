// The compiled kernels against plain statements of the same formulas, in one program that can be
// built for any processor. Prints the number of disagreements and returns whether there are any.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "charts/blocks.cpp"  // the loops themselves, with and without fused multiply-adds
#include "charts/pack.cpp"
#include "charts/scores.cpp"
#include "kernels/elementary.hpp"
#include "linalg/dense.cpp"
#include "linalg/row_panel.cpp"
#include "local/neighbourhood.cpp"
#include "objective/near_pass.cpp"
#include "objective/pass.cpp"
#include "objective/problem.hpp"
#include "rows/point_lines.hpp"
#include "rows/row_loops.cpp"

using namespace hyplane;

namespace {

std::mt19937_64 generator(1);
std::uniform_real_distribution<double> uniform(0.0, 1.0);
std::normal_distribution<double> normal;
int n_wrong = 0;

void check(bool agrees, const char* what) {
    if (agrees) return;
    if (++n_wrong <= 10) std::printf("wrong: %s\n", what);
}

// Whether two numbers differ by rounding alone.
bool close(double actual, double expected) {
    return std::fabs(actual - expected) <= 1e-15 * std::fmax(std::fabs(expected), 1e-300);
}

void check_functions() {
    for (double x = 1.0; x < 1e200; x *= 1.37) {
        check(std::fabs(inverse_root(x) * std::sqrt(x) - 1.0) < 1e-15, "inverse root");
        check(close(fast_log(x), std::log(x)), "log");
    }
    for (double x = 1e-12; x < 100.0; x *= 1.0037) {
        const OnCircle fused = on_circle<true>(x), plain = on_circle<false>(x);
        check(std::fabs(fused.cosine - std::cos(x)) < 4e-16, "cosine");
        check(std::fabs(plain.cosine - std::cos(x)) < 4e-16, "plain cosine");
        check(close(fused.sine, std::sin(x)) && close(plain.sine, std::sin(x)), "sine");
        check(close(exp_minus_1<true>(x), std::expm1(x)), "e^x - 1");
        check(close(exp_minus_1<false>(x), std::expm1(x)), "plain e^x - 1");
        check(close(arsinh<true>(-x), std::asinh(-x)), "arsinh");
        check(close(arsinh<false>(x), std::asinh(x)), "plain arsinh");
    }
}

struct Rows {
    std::vector<double> radius, direction, weights;
    std::vector<std::int8_t> labels;
    PackedPoints points;

    Rows(std::size_t m, std::size_t n, bool far) : radius(m), direction(m * n), points(m, n, far) {
        weights.assign(points.n_padded_rows(), 0.0);
        labels.assign(points.n_padded_rows(), 0);
        for (std::size_t i = 0; i < m; ++i) {
            double square = 0.0;
            for (std::size_t k = 0; k < n; ++k) {
                direction[i * n + k] = normal(generator);
                square += direction[i * n + k] * direction[i * n + k];
            }
            for (std::size_t k = 0; k < n; ++k) direction[i * n + k] /= std::sqrt(square);
            radius[i] = 8.0 * uniform(generator);
            weights[i] = 0.1 + uniform(generator);
            labels[i] = uniform(generator) < 0.5 ? 1 : -1;
        }
        points.fill(0, m, radius.data(), direction.data());
    }
};

void check_pass(std::size_t m, std::size_t n, bool weighted, bool far) {
    const Rows rows(m, n, far);
    const double* const weights = weighted ? rows.weights.data() : nullptr;
    const OrientedHyperplane plane({-0.5, 0.4, Vector(n, 1.0 / std::sqrt(double(n)))});
    const Sums sums = sums_over_rows(rows.points, rows.labels.data(), weights, plane);
    RowThreads threads(3, [] {});
    const Sums shared = sums_over_rows(rows.points, rows.labels.data(), weights, plane, &threads);
    check(sums.loss == shared.loss && sums.direction == shared.direction, "threads");
    const double s = std::exp(plane.log_scale), a = plane.offset;
    double loss = 0.0, scale = 0.0, offset = 0.0, first = 0.0, size = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
        const double *v = &rows.direction[i * n], r = rows.radius[i], y = rows.labels[i];
        double half = 0.0;
        for (std::size_t k = 0; k < n; ++k)
            half += 0.5 * (v[k] - plane.normal[k]) * (v[k] - plane.normal[k]);
        const double z = s * (std::sinh(a - r) + std::cosh(a) * std::sinh(r) * half);
        const double c = weighted ? rows.weights[i] : 1.0;
        size += c * s * std::cosh(a) * std::cosh(r);
        if (y * z >= 1.0) continue;
        const double slope = c * y / std::sqrt(1.0 + z * z);
        loss += c * (std::asinh(1.0) - std::asinh(y * z));
        scale += slope * z;
        offset += slope * s * (std::cosh(a - r) + std::sinh(a) * std::sinh(r) * half);
        first -= slope * s * std::cosh(a) * std::sinh(r) * (v[0] - plane.normal[0]);
    }
    const double allowed = 1e-12 * (size + loss);
    check(std::fabs(sums.loss - loss) <= allowed, "loss");
    check(std::fabs(sums.scale - scale) <= allowed, "slope in log s");
    check(std::fabs(sums.lift + sums.scale - offset) <= allowed, "slope in a");
    check(std::fabs(sums.direction[0] - first) <= allowed, "slope in u");
}

bool same_rows(const RowSample& a, const RowSample& b) {
    bool same =
        a.size() == b.size() && a.labels == b.labels && a.weights == b.weights && a.keys == b.keys;
    for (std::size_t row = 0; same && row < a.size(); ++row)
        for (std::size_t c = 0; c <= a.points.n_dim; ++c)
            same = same && a.points.at(row, c) == b.points.at(row, c);
    return same;
}

// A pass over all rows against the merged passes over two parts of them.
void check_merged_passes(std::size_t m, std::size_t n) {
    const Rows rows(m, n, false);
    const Problem all{rows.points, rows.labels.data(), rows.weights.data(), 1.0};
    const Question question{{-0.5, 0.4, Vector(n, 1.0 / std::sqrt(double(n)))}, 40, 60, 30, 2.0};
    const Pass whole = pass_over_rows(all, question);
    const Sums sums =
        sums_over_rows(rows.points, all.labels, all.weights, OrientedHyperplane(question.plane));
    check(std::fabs(whole.sums.loss - sums.loss) <= 1e-12 * sums.loss, "loss of a pass");
    std::vector<Pass> parts;
    for (std::size_t side : {0, 1}) {
        std::vector<std::size_t> chosen;
        for (std::size_t row = 0; row < m; ++row)
            if ((row % 3 == 0) == (side == 0)) chosen.push_back(row);
        const PackedPoints points = rows.points.take(chosen);
        std::vector<std::int8_t> labels(points.n_padded_rows(), 0);
        Vector weights(points.n_padded_rows(), 0.0);
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            labels[k] = rows.labels[chosen[k]];
            weights[k] = rows.weights[chosen[k]];
        }
        parts.push_back(pass_over_rows({points, labels.data(), weights.data(), 1.0}, question));
    }
    const Pass both = merged(parts[0], parts[1], question);
    check(std::fabs(both.sums.loss - sums.loss) <= 1e-12 * sums.loss, "loss of merged passes");
    check(both.n_active == whole.n_active, "rows with a loss");
    check(both.smallest_product == whole.smallest_product, "smallest product");
    check(both.near_cutoff == whole.near_cutoff, "cutoff of near rows");
    check(both.curved_cutoff == whole.curved_cutoff, "cutoff of the curvature");
    check(both.low_cutoff == whole.low_cutoff, "cutoff of low rows");
    check(same_rows(both.near, whole.near), "near rows");
    check(same_rows(both.curved, whole.curved), "rows of the curvature");
    check(same_rows(both.lowest, whole.lowest), "rows with the smallest products");
}

void check_sums_over_a_panel(std::size_t n) {
    RowPanel panel(n);
    const std::size_t count = panel.capacity() - 3, stride = panel.stride();
    Vector weight(count), squares(stride * stride, 0.0), sums(stride, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
        weight[k] = normal(generator);
        for (std::size_t i = 0; i < n; ++i) panel.line(k)[i] = normal(generator);
    }
    add_squares(panel, count, weight.data(), squares.data());
    add_sums(panel, count, weight.data(), sums.data());
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < count; ++k) sum += weight[k] * panel.line(k)[i];
        check(std::fabs(sums[i] - sum) < 1e-12 * count, "sum over a panel");
        for (std::size_t j = 0; j <= i; ++j) {
            sum = 0.0;
            for (std::size_t k = 0; k < count; ++k)
                sum += weight[k] * panel.line(k)[i] * panel.line(k)[j];
            check(std::fabs(squares[i * stride + j] - sum) < 1e-12 * count, "squares of a panel");
        }
    }
}

// Derivatives by δ against differences: every product is linear in δ, so a difference is exact.
void check_derivatives(std::size_t m, std::size_t n, bool kept) {
    const Rows rows(m, n, false);
    const Hyperplane plane{-0.5, -0.4, Vector(n, 1.0 / std::sqrt(double(n)))};
    const Neighbourhood around(plane);
    const PointLines lines(rows.points, kept ? m : 0);
    Vector sign(m), product(rows.points.n_padded_rows()), moved(product.size());
    for (std::size_t i = 0; i < m; ++i) sign[i] = rows.labels[i] * std::exp(-rows.radius[i]);
    sign.resize(product.size(), 0.0);
    const auto products = [&](const Hyperplane& at, Vector& out) {
        const OrientedHyperplane oriented(at);
        signed_products(rows.points, 0, rows.points.n_blocks(), sign.data(), oriented,
                        NearProduct(oriented), out.data());
    };
    products(plane, product);
    RowPanel panel(n + 2);
    Columns columns;
    columns.reset(around.size(), m);
    for (std::size_t first = 0; first < m; first += panel.capacity()) {
        const std::size_t count = std::min(panel.capacity(), m - first);
        std::vector<std::size_t> chosen(count);
        for (std::size_t k = 0; k < count; ++k) chosen[k] = first + k;
        around.derivatives(lines, chosen.data(), count, sign.data(), product.data(), panel);
        around.reflect(panel, count, first, columns);
    }
    for (std::size_t c = 0; c < around.size(); ++c) {
        Vector delta(around.size(), 0.0);
        delta[c] = 0.25;
        Hyperplane next;
        check(around.moved(delta, 1.0, 100.0, false, next), "moved");
        products(next, moved);
        for (std::size_t i = 0; i < m; ++i) {
            const double difference = (product[i] - moved[i]) / delta[c];
            check(std::fabs(columns.line(c)[i] - difference) < 1e-12 * std::exp(rows.radius[i]),
                  "derivatives");
        }
    }
}

// The same rows of a chart with and without fused multiply-adds, and their scores.
void check_charts(charts::Chart chart) {
    using namespace charts;
    constexpr double ulp = 0x1p-52;
    const bool angle = chart == Chart::angle, extra = chart == Chart::hyperboloid;
    const std::size_t m = n_lanes, n = 2, columns = extra ? 3 : 2;
    std::vector<double> X(m * columns);
    for (std::size_t i = 0; i < m; ++i) {
        double* const x = &X[i * columns];
        for (std::size_t c = 0; c < columns; ++c) x[c] = 1.3 * (uniform(generator) - 0.5);
        if (angle || chart == Chart::halfspace) x[0] = 0.1 + uniform(generator);
        if (extra) x[0] = std::sqrt(1.0 + x[1] * x[1] + x[2] * x[2]);
    }
    const Source source{X.data(), false, m, columns, static_cast<std::ptrdiff_t>(columns), 1};
    const Task task(source, chart, 1.0);
    const ScoredPlane plane(Kind::signed_distance, {0.1, 0.2, {0.6, 0.8}});
    Block fused(n), plain(n), radii(n);
    Faults faults;
    check(!fill_block(task, 0, m, false, radii, faults) && faults.row() == -1, "rows of a chart");
    for (Block* block : {&fused, &plain})
        read_rows<double>(source, 0, m, 1.0, block->columns() + task.start * n_lanes);
    convert<true>(task, 0, m, true, fused);
    convert<false>(task, 0, m, true, plain);
    double chords[n_lanes], score[n_lanes], plain_score[n_lanes], this_score[n_lanes];
    near_scores<true>(fused, plane, chords, score);
    near_scores<false>(plain, plane, chords, plain_score);
    check(!fill_block(task, 0, m, true, plain, faults), "far rows");
    scores_of_block(plain, m, false, plane, this_score);
    PackedPoints points(m, n, false, PackedPoints::Unset());
    pack_block(plain, 0, m, false, points);
    for (std::size_t i = 0; i < m; ++i) {
        check(std::fabs(points.radius(i) - radii.radius[i]) <= 8 * ulp, "packed radius");
        check(points.at(i, 2) == radii.coordinates()[n_lanes + i], "packed direction");
        check(std::fabs(fused.sinh[i] - std::sinh(radii.radius[i])) <= 8 * ulp * fused.sinh[i],
              "sinh of a radius");
        check(std::fabs(fused.decay[i] - std::exp(-radii.radius[i])) <= 8 * ulp, "decay");
        check(std::fabs(fused.sinh[i] - plain.sinh[i]) <= 4 * ulp * plain.sinh[i], "plain sinh");
        check(std::fabs(fused.decay[i] - plain.decay[i]) <= 4 * ulp, "plain decay");
        for (std::size_t c = 0; c < n; ++c)
            check(std::fabs(fused.coordinates()[c * n_lanes + i] -
                            plain.coordinates()[c * n_lanes + i]) <= 4 * ulp,
                  "plain direction");
        const double r = radii.radius[i], *v = radii.coordinates() + i;
        const double product = std::sinh(0.2) * std::cosh(r) -
                               std::cosh(0.2) * std::sinh(r) * (0.6 * v[0] + 0.8 * v[n_lanes]);
        check(std::fabs(score[i] - std::asinh(product)) <= 64 * ulp, "signed distance");
        check(std::fabs(score[i] - plain_score[i]) <= 16 * ulp, "plain signed distance");
        check(std::fabs(score[i] - this_score[i]) <= 16 * ulp, "signed distance as it is used");
    }
}

}  // namespace

int main() {
    check_functions();
    for (std::size_t n : {1, 2, 3, 10, 50})
        for (std::size_t m : {1, 15, 33, 20000})
            for (bool weighted : {false, true})
                for (bool far : {false, true}) check_pass(m, n, weighted, far);
    for (std::size_t n : {1, 2, 3, 10, 50})
        for (std::size_t m : {2, 15, 33, 20000}) check_merged_passes(m, n);
    for (std::size_t n : {1, 4, 12, 22, 52}) check_sums_over_a_panel(n);
    for (std::size_t n : {1, 2, 7, 50})
        for (bool kept : {false, true}) check_derivatives(300, n, kept);
    for (charts::Chart chart :
         {charts::Chart::ball, charts::Chart::klein, charts::Chart::hyperboloid,
          charts::Chart::halfspace, charts::Chart::tangent, charts::Chart::angle})
        for (int round = 0; round < 30; ++round) check_charts(chart);
    std::printf("%d wrong\n", n_wrong);
    return n_wrong != 0;
}
