#include "box_program.hpp"

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

}  // namespace hyplane
