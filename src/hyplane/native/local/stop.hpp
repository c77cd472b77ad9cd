// Why a search stopped.
#pragma once

namespace hyplane {

enum class Stop {
    converged,              // the predicted decrease of the objective is below the tolerance
    converged_to_rounding,  // no step decreases it, and the predicted decrease is below what double
                            // precision resolves there (Problem::resolution)
    stalled,                // no step decreases it, though the predicted decrease is above both
    out_of_iterations
};

}  // namespace hyplane
