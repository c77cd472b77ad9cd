// The numbers that steer the search and the local method. Limits that follow from rounding, and
// limits that only keep a loop from running on, stand where they are used.
//
//   [compared]  chosen by comparing values on random problems: missed minima and time
//   [flat]      other values that were tried change neither by more than noise
//   [cost]      where one way of working begins to take less time than another
#pragma once

#include <cstddef>

namespace hyplane {

struct Tuning {
    // The model of a step.
    std::size_t least_kinks = 40;         // kinks that it keeps, at least [compared]
    std::size_t kinks_per_parameter = 2;  // and per parameter [compared]
    std::size_t least_model_rows = 192;   // rows drawn to tell the curvature, at least [compared]
    std::size_t model_rows = 6;           // and per parameter [compared]
    double kink_reach = 0.9;              // of (1 - z)² / (1 + z²) for a kink to be kept [compared]
    double kink_stiffness = 10.0;         // curvature of a row that stays at its kink [compared]

    // Steps.
    double first_damping = 0.125;   // where the true curvature is not convex [flat]
    double damping_factor = 4.0;    // after a short step; its square after a failure [compared]
    double short_step = 0.2;        // share of the model's step that raises the damping [compared]
    double surplus = 1.1;           // decrease / predicted for a longer step [compared]
    double largest_surplus = 20.0;  // times the predicted: no search gains more [compared]

    // Tolerances: relative to the objective, or to the tolerance asked for.
    double level_tol = 1e-4;     // of a minimum that only leads to the next [flat]
    double kink_tol = 0.01;      // of the tolerance: tells minima apart [compared]
    double final_tol = 0.1;      // of the tolerance: the last steps on all rows [compared]
    double same_minimum = 1e-5;  // difference of values that belong to one minimum [compared]

    // Sizes of data.
    std::size_t few_rows = 16384;           // up to here a step reads each row [cost]
    std::size_t small_rows = 2048;          // up to here many searches start from anywhere [cost]
    std::size_t few_parameters = 24;        // above: one search a round; twice: one in all [cost]
    std::size_t working_rows = 8192;        // kept where few rows have a loss [cost]
    std::size_t least_sample = 512;         // rows of the smallest sample [compared]
    std::size_t sample_per_parameter = 32;  // rows [compared]
    std::size_t sample_growth = 8;          // each sample by this larger than the last [compared]

    // Passes over many rows.
    std::size_t least_pass_kinks = 160;  // kinks that a pass keeps, at least [compared]
    double next_step = 0.2;              // share of the last step that they spread over [compared]
    double effective_rows = 128.0;       // from here on a sample tells the curvature [compared]
    std::size_t exact_model_rows = 32;   // times those of the curvature, to know it [compared]

    // Radii that vary widely.
    double wide_radii = 3.0;       // between the median and the 99 % quantile [compared]
    double first_cut = 2.0;        // of the radii [compared]
    double cut_growth = 1.5;       // [compared]
    std::size_t wide_samples = 6;  // whose minima are compared on all rows [compared]
    int wide_perturbations = 12;   // failures that end a search on all rows [compared]

    // Starts.
    double widest_start = 0.95;      // offset of a start / radius [compared]
    double regression_ridge = 1e-4;  // relative to the mean square [compared]
    int n_scales = 2;                // log s tried for each start besides its own [compared]
    double largest_scale = 1.5;      // of log s that is tried [compared]
    double scale_per_radius = 0.7;   // the least is -(the largest + this · radius) [compared]

    // Multistart.
    std::size_t starts_of_a_round = 8;  // [compared]
    std::size_t carried = 3;            // searches of a round that are finished [compared]
    int brief_steps = 2;                // from each start [compared]
    int perturbations = 7;              // failures before a perturbed search ends [compared]
    int perturbed_steps = 3;            // with random weights of the rows [compared]
    std::size_t rounds = 2;             // of a problem with several minima [compared]
    double rare_class = 0.15;           // share of the rows: twice as many rounds [compared]
    double large_radius = 15.0;  // beyond: more perturbations, a start with cut radii [compared]

    // Far points in their scaled form.
    double scaled_radius = 60.0;  // of the farthest, where the nearest allows [compared]

    // Fits that only compare values of C.
    std::size_t compared_kinks = 16;  // in place of least_kinks [compared]
};

}  // namespace hyplane
