#include "box_rows.hpp"

namespace hyplane {

void BoxRows::add(double radius, double angle, double signed_weight) {
    weight.push_back(std::abs(signed_weight));
    sign.push_back(signed_weight > 0.0 ? 1.0 : -1.0);
    grow.push_back(std::exp(radius));
    shrink.push_back(std::exp(-radius));
    sinh_r.push_back(std::sinh(radius));
    cos_half.push_back(std::cos(0.5 * angle));
    sin_half.push_back(std::sin(0.5 * angle));
}

void BoxRows::take(const BoxRows& all, const std::vector<std::uint32_t>& rows, double orientation) {
    for (auto column : {&BoxRows::weight, &BoxRows::sign, &BoxRows::grow, &BoxRows::shrink,
                        &BoxRows::sinh_r, &BoxRows::cos_half, &BoxRows::sin_half}) {
        (this->*column).resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) (this->*column)[i] = (all.*column)[rows[i]];
    }
    for (double& each : sign) each *= orientation;
}

namespace {

// The functions of an offset a and an angle θ that the loops need; up - down = sinh a.
struct OffsetAndAngle {
    double up, down, cosh2, sine, cosine;  // e^a/2, e^-a/2, 2 cosh a; of θ/2
    OffsetAndAngle(double a, double theta)
        : up(0.5 * std::exp(a)),
          down(0.5 * std::exp(-a)),
          cosh2(2.0 * std::cosh(a)),
          sine(std::sin(0.5 * theta)),
          cosine(std::cos(0.5 * theta)) {}
};

}  // namespace

HYPLANE_EVERY_CPU void find_ranges(const BoxRows& rows, const Box& box, RowRanges& out) {
    // Pointers of their own: read through the vectors, they keep the loop from being vectorised.
    const double *sign = rows.sign.data(), *grow = rows.grow.data(), *shrink = rows.shrink.data();
    const double* sinh = rows.sinh_r.data();
    const double *cos_half = rows.cos_half.data(), *sin_half = rows.sin_half.data();
    double *low = out.low.data(), *high = out.high.data(), *slack = out.slack.data();
    double *p = out.p.data(), *q = out.q.data(), *t = out.t.data();
    double *least_sine = out.near.data(), *largest_sine = out.far.data();
    const OffsetAndAngle first(box.low[side_offset], box.low[side_angle]);
    const OffsetAndAngle last(box.high[side_offset], box.high[side_angle]);
    const OffsetAndAngle mid(box.middle(side_offset), box.middle(side_angle));
    const double sinh2 = 2.0 * std::sinh(box.middle(side_offset));
    const double s0 = box.low[side_scale], s1 = box.high[side_scale];
    const double width = box.high[side_angle] - box.low[side_angle];
#pragma omp simd
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double cj = cos_half[j], sj = sin_half[j], lift = grow[j], drop = shrink[j];
        const double h0 = first.sine * cj - first.cosine * sj;
        const double k0 = first.cosine * cj + first.sine * sj;
        const double h1 = last.sine * cj - last.cosine * sj;
        const double k1 = last.cosine * cj + last.sine * sj;
        const double smaller = least(std::abs(h0), std::abs(h1)) - angle_error;
        const double larger = most(std::abs(h0), std::abs(h1)) + angle_error;
        // A box narrower than π has the point's own angle, or the opposite one, inside where the
        // sine, or the cosine, changes its sign.
        const double near = h0 * h1 <= 0.0 ? 0.0 : most(0.0, smaller);
        const double far = k0 * k1 <= 0.0 ? 1.0 : least(1.0, larger);
        const double turn0 = first.cosh2 * sinh[j] * near * near;
        const double turn1 = last.cosh2 * sinh[j] * far * far;
        const double bottom = first.up * drop - first.down * lift + turn0 -
                              rounding * (first.up * drop + first.down * lift + turn0);
        const double top = last.up * drop - last.down * lift + turn1 +
                           rounding * (last.up * drop + last.down * lift + turn1);
        const bool positive = sign[j] > 0.0;
        const double x0 = positive ? bottom : -top, x1 = positive ? top : -bottom;
        low[j] = x0 * (x0 >= 0.0 ? s0 : s1);
        high[j] = x1 * (x1 >= 0.0 ? s1 : s0);
        least_sine[j] = near;
        largest_sine[j] = far;

        const double h = mid.sine * cj - mid.cosine * sj, k = mid.cosine * cj + mid.sine * sj;
        const double turn = mid.cosh2 * sinh[j] * h * h;
        const double cosh_gap = mid.up * drop + mid.down * lift;  // cosh(a - r)
        p[j] = sign[j] * (mid.up * drop - mid.down * lift + turn);
        q[j] = sign[j] * (cosh_gap + sinh2 * sinh[j] * h * h);
        t[j] = sign[j] * (2.0 * sinh[j] * h * k);
        slack[j] = rounding * (cosh_gap + turn + 2.0 * sinh[j]) +
                   4.0 * angle_error * mid.cosh2 * sinh[j] * (std::abs(h) + angle_error + width);
    }
}

HYPLANE_EVERY_CPU double find_losses(const BoxRows& rows, RowRanges& out) {
    const double *weight = rows.weight.data(), *low = out.low.data(), *high = out.high.data();
    double *loss_low = out.loss_low.data(), *loss_high = out.loss_high.data();
    double total = 0.0, weights = 0.0;
#pragma omp simd
    for (std::size_t j = 0; j < rows.size(); ++j) loss_low[j] = loss_at(low[j]);
#pragma omp simd reduction(+ : total, weights)
    for (std::size_t j = 0; j < rows.size(); ++j) {
        loss_high[j] = loss_at(high[j]);
        total += weight[j] * loss_high[j];
        weights += weight[j];
    }
    return total - rows.sum_rounding() * (total + weights);
}

HYPLANE_EVERY_CPU void score_sides(const BoxRows& rows, const Box& box, const RowRanges& ranges,
                                   double* score) {
    const double *weight = rows.weight.data(), *sign = rows.sign.data();
    const double *grow = rows.grow.data(), *shrink = rows.shrink.data();
    const double *sinh = rows.sinh_r.data(), *p = ranges.p.data();
    const double *near = ranges.near.data(), *far = ranges.far.data();
    const double a = box.middle(side_offset), s = box.middle(side_scale);
    const OffsetAndAngle first(box.low[side_offset], 0.0), last(box.high[side_offset], 0.0);
    const OffsetAndAngle mid(a, 0.0);
    const double s0 = box.low[side_scale], s1 = box.high[side_scale];
    double by_scale = 0.0, by_offset = 0.0, by_angle = 0.0;
#pragma omp simd reduction(+ : by_scale, by_offset, by_angle)
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double level = mid.up * shrink[j] - mid.down * grow[j], sy = s * sign[j];
        const double swing = (sign[j] * p[j] - level) / mid.cosh2;
        const double x0 = first.up * shrink[j] - first.down * grow[j] + first.cosh2 * swing;
        const double x1 = last.up * shrink[j] - last.down * grow[j] + last.cosh2 * swing;
        const double lever = mid.cosh2 * sinh[j];
        const double d0 = loss_at(s0 * p[j]) - loss_at(s1 * p[j]);
        const double d1 = loss_at(sy * x0) - loss_at(sy * x1);
        const double d2 = loss_at(sy * (level + lever * near[j] * near[j])) -
                          loss_at(sy * (level + lever * far[j] * far[j]));
        by_scale += weight[j] * d0 * d0;
        by_offset += weight[j] * d1 * d1;
        by_angle += weight[j] * d2 * d2;
    }
    score[side_scale] = by_scale;
    score[side_offset] = by_offset;
    score[side_angle] = by_angle;
}

HYPLANE_EVERY_CPU double total_loss(const BoxRows& rows, double scale, double offset,
                                    double angle) {
    const double *weight = rows.weight.data(), *sign = rows.sign.data();
    const double *grow = rows.grow.data(), *shrink = rows.shrink.data();
    const double* sinh = rows.sinh_r.data();
    const double *cos_half = rows.cos_half.data(), *sin_half = rows.sin_half.data();
    const OffsetAndAngle at(offset, angle);
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double h = at.sine * cos_half[j] - at.cosine * sin_half[j];
        const double zeta = at.up * shrink[j] - at.down * grow[j] + at.cosh2 * sinh[j] * h * h;
        total += weight[j] * loss_at(scale * sign[j] * zeta);
    }
    return total;
}

}  // namespace hyplane
