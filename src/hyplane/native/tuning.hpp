// Every number of the search and of the local methods, and where it came from:
//
//   [measured]  chosen by comparing values on random problems
//   [rounding]  follows from the 53 binary digits of a double
//   [paper]     the value that the cited paper uses or suggests
//   [cost]      limits the work of one call; beyond it another method takes over
#pragma once

#include <cstddef>

namespace hyplane {

struct Tuning {
    // Linear algebra.
    double smallest_pivot = 1e-14;         // of a Cholesky factor with unit diagonal [rounding]

    // Kink steps.
    double sufficient_decrease = 1e-4;     // of the predicted one (Lewis, Overton) [paper]
    std::size_t least_kinks = 40;          // kinks that the model keeps, at least [measured]
    std::size_t kinks_per_parameter = 2;   // and per parameter [measured]
    double spare_kinks = 0.05;             // share by which they may be more or fewer [measured]
    int reach_trials = 30;                 // guesses until their number is right [cost]
    std::size_t model_rows = 6;            // rows drawn to tell the curvature, per parameter [measured]
    std::size_t least_model_rows = 192;    // and at least [measured]
    double kink_reach = 0.9;               // of (1 - t)² / (1 + t²) for a kink to be kept [measured]
    double kink_stiffness = 10.0;          // curvature of a row that stays at its kink [measured]
    double first_damping = 0.125;          // tried where the true curvature is not convex [measured]
    double least_damping = 0.2;            // below this damping is switched off [measured]
    double largest_damping = 1e12;         // beyond it no convex model exists [rounding]
    double shortest_kink_step = 1e-4;      // of the model's step [measured]
    double short_kink_step = 0.2;          // below this share the damping is raised [measured]
    double longest_kink_step = 1000.0;     // multiples of the model's step [measured]
    double surplus = 1.1;                  // decrease / predicted for a longer step [measured]
    double damping_after_a_prediction = 0.25;  // factor once the damped model predicts no gain [measured]
    double damping_after_a_full_step = 0.5;    // factor after a step of full length [measured]
    double damping_after_a_short_step = 4.0;   // factor after a short step [measured]
    double damping_after_a_failure = 16.0;     // factor after no step at all [measured]
    double smallest_raised_damping = 0.5;      // what a raise begins with [measured]
    int failed_kink_steps = 4;             // in a row: a stall [measured]
    double rounding_of_a_loss = 1e-16;     // half a unit in the last place of 1 [rounding]
    double smallest_kept_scale = 0.05;     // least s(δ)/s along w of a trusted step [measured]
    double smallest_kept_square = 0.01;    // least -w*w of it, relative [measured]
    double kink_tol = 0.01;                // of the tolerance: tells minima apart [measured]
    double hopeful_decrease = 20.0;        // times the predicted: no search gains more [measured]
    double past_the_margin = 1e-12;        // of log s, for rows at theirs: rounding of w*x [rounding]
    double final_tol = 0.1;                // of the tolerance: the last steps on all rows [measured]
    std::size_t few_rows = 16384;          // up to here a step looks at each row [cost]
    std::size_t paying_rows = 2048;            // kink steps from any start up to here [cost]
    std::size_t paying_parameters = 48;        // [cost]

    // Passes over many rows.
    std::size_t least_pass_kinks = 160;    // kinks that a pass keeps, at least [measured]
    std::size_t most_pass_kinks = 16;      // times the least [cost]
    double many_crossings = 0.25;          // share of the farther kinks that a step crosses: more are asked for [measured]
    double few_crossings = 0.02;           // fewer [measured]
    double effective_rows = 128.0;         // from here on a sample tells the curvature [measured]
    double cutoff_slack = 4.0;             // of the cutoffs of a pass over those of the last [cost]
    std::size_t exact_model_rows = 32;     // times the rows of the curvature, where it must be known [measured]

    std::size_t working_rows = 8192;       // with a loss or nearest to one, kept where few have a loss [measured]
    double active_share = 0.75;            // of these, for the rows with a loss [measured]
    int working_rounds = 20;               // in which others may join [cost]
    double wide_radii = 3.0;               // between the median and the 99 % quantile of the radii [measured]
    double first_cut = 2.0;                // of the radii, where they are wide [measured]
    double cut_growth = 1.5;               // [measured]
    std::size_t wide_samples = 6;          // whose minima are compared on all rows then [measured]
    std::size_t least_wide_sample = 4096;  // rows [measured]
    int wide_perturbations = 2;            // failures before a perturbed search on all rows ends [measured]
    double level_tol = 1e-4;               // of a minimum that only leads to the next [measured]

    // The quadratic program of a kink step.
    std::size_t program_steps = 50;        // at most, as rounding can make it cycle [cost]
    std::size_t program_steps_each = 10;   // and for each row and unknown [cost]
    int program_sweeps = 2;                // over the multipliers that cross their bounds [measured]
    double residual_noise = 1e-12;         // relative: of a residual that is rounding [rounding]
    double dependent_square = 1e-22;       // of a row, relative: in the span of others [rounding]
    double independent_square = 1e-14;     // the same of a row that is tight at the start [rounding]
    double enough_left = 0.5;              // of a square: orthogonal to rounding (Daniel et al.) [paper]

    // Starts.
    double widest_start = 0.95;            // offset of a start / radius [measured]
    double widest_bisector = 0.9999;       // the same of a bisector, which may be wider [measured]
    double near_cap = 0.5;                 // offsets of the caps / radius [measured]
    double far_cap = 0.95;                 // [measured]
    double regression_ridge = 1e-4;        // relative to the mean square [measured]
    std::size_t largest_regression = 512;  // dimensions [cost]
    int n_scales = 2;                      // log s tried for each start besides its own [measured]
    int n_scales_if_one = 4;               // the same where one start is followed, or far out [measured]
    double largest_scale = 1.5;            // the largest log s tried [measured]
    double smallest_scale = 2.0;           // the smallest is -(this + the next · radius) [measured]
    double scale_per_radius = 0.7;         // [measured]

    // Multistart.
    double same_minimum = 1e-5;            // relative difference of values of one minimum [measured]
    double improvement = 1e-7;             // relative, for a perturbation to count [measured]
    std::size_t few_parameters = 24;       // above, one search a round and no brief round [cost]
    std::size_t starts_of_a_brief_round = 4;  // [measured]
    std::size_t carried = 3;               // searches of a round that are finished [measured]
    std::size_t carried_again = 3;         // the same in the second of two rounds [measured]
    std::size_t carried_briefly = 3;       // the same on a sample [measured]
    int brief_kink_steps = 2;              // the same where kink steps pay [measured]
    int brief_kink_steps_if_several = 1;   // and where several minima are known [measured]
    double large_radius = 15.0;            // beyond, the minimum with cut radii is a start, and minima get more perturbations [measured]
    double cut_radius = 12.0;              // of the similar problem that gives a start then [measured]
    double brief_tol = 1e-3;               // [measured]
    int rough_iterations = 60;             // steps of a search that is finished [measured]
    double rough_tol = 1e-5;               // [measured]
    int perturbed_steps = 3;               // with random weights of the rows [measured]
    int most_perturbations = 10;           // times the failures allowed [cost]
    std::size_t starts_of_a_round = 8;     // [measured]
    int perturbations = 7;                 // failures before a perturbed search ends [measured]
    int perturbations_far_out = 14;        // the same beyond large_radius [measured]
    int perturbations_if_one = 1;          // the same where only one minimum is known [measured]
    std::size_t hits = 2;                  // rounds that must end at the best minimum [measured]
    std::size_t hits_if_rare = 4;          // [measured]
    std::size_t rounds = 3;                // at most [measured]
    std::size_t rounds_if_rare = 8;        // [measured]
    double rare_class = 0.15;              // share of the rows [measured]
    std::size_t easy_starts = 12;          // of the one more round that an easy problem gets [measured]
    std::size_t easy_carried = 3;          // of them [measured]
    double easy_share = 0.3;               // least share of the rarer class [measured]

    // Far points in their scaled form.
    double free_radius = 18.0;             // left beyond a hyperplane: e^-36 is below rounding [rounding]
    double least_scaled_radius = 40.0;     // of the nearest point [rounding]
    double scaled_radius = 60.0;           // of the farthest, where the nearest allows [measured]

    std::size_t far_starts = 64;           // hyperplanes as far out as the points [measured]

    // Fits that only compare values of C, of few rows: these take the place of least_kinks and
    // carried_again.
    std::size_t compared_kinks = 16;       // [measured]
    std::size_t compared_again = 1;        // [measured]

    // Rows that are repeated, of large data.
    std::size_t rows_looked_at = 512;      // to see whether rows are repeated [measured]
    std::size_t repeated_rows = 4;         // different ones that occur twice, for merging [measured]
    double most_different = 0.9;           // share of the first eighth of all rows, or it is given up [cost]
    std::size_t least_repeats = 2;         // of a row, on average, for merging to pay [cost]

    // Samples of large data.
    std::size_t least_sample = 512;        // rows [measured]
    std::size_t least_weighted_sample = 2048;  // the same where rows have weights [measured]
    std::size_t sample_per_parameter = 32; // rows [measured]
    std::size_t sample_growth = 8;         // each sample by this larger than the last [measured]
    std::size_t sample_worth = 4;          // rows to a row of a sample but the first, at least [measured]
    std::size_t largest_sample = 1 << 17;  // rows; a draw costs more than a pass over all [cost]
    double sample_tol = 1e-6;              // of a minimum on a sample: tells minima apart [measured]
    double single_sample_tol = 5e-3;       // the same where only one is sought [measured]
    int sample_kink_steps = 6;             // of each finalist on a larger sample [measured]
    std::size_t finalists = 3;             // [measured]
};

}  // namespace hyplane
