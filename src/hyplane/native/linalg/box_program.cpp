#include "box_program.hpp"

#include <limits>

namespace hyplane {

HYPLANE_EVERY_CPU void begin(BoxProgram& program, const Vector& g) {
    program.prepare(g);
    program.begin_with_tight_rows();
    // A second sweep sees what the first one moved; the steps that follow settle what is left.
    for (int sweep = 0; sweep < BoxProgram::sweeps && program.cross_bounds() > 0; ++sweep)
        program.tighten();
}

// Whether the end was reached within the given number of steps.
HYPLANE_EVERY_CPU bool advance(BoxProgram& program, std::size_t n_steps) {
    for (std::size_t step = 0; step < n_steps; ++step) {
        const std::size_t entering = program.most_violated();
        if (entering == BoxProgram::none) return true;
        program.settle(entering);
    }
    return false;
}

// Σ c (max(0, gap + v·x) - max(0, gap)); rows without a bound are constraints, which x meets.
HYPLANE_EVERY_CPU double change_of_kinks(BoxProgram& program) {
    program.residuals();
    const double *residual = program.residual_.data(), *at_zero = program.gap.data();
    const double *most = program.bound.data(), none = std::numeric_limits<double>::max();
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < program.v.count; ++j) {
        const double after = residual[j] > 0.0 ? residual[j] : 0.0;
        const double before = at_zero[j] > 0.0 ? at_zero[j] : 0.0;
        total += (most[j] <= none ? most[j] : 0.0) * (after - before);
    }
    return total;
}

}  // namespace hyplane
