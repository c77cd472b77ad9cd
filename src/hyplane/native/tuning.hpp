// Every number of the search and of the local methods.
#pragma once

#include <cstddef>

namespace hyplane {

struct Tuning {
    // Quasi-Newton.
    std::size_t dense_metric = 256;
    std::size_t metric_memory = 40;
    double least_curvature = 1e-14;
    double sufficient_decrease = 1e-4;
    double slope_reduction = 0.9;
    int line_search_trials = 50;
    double line_search_rounding = 1e-15;
    double longest_step = 4.0;
    double first_step = 0.1;

    // The guess of the inverse Hessian.
    double band_share = 0.2;
    double widest_band = 1.0;
    double curvature_ridge = 1e-3;
    std::size_t curvature_rows = 64;
    double smallest_pivot = 1e-14;

    // Kink steps.
    std::size_t least_kinks = 40;
    std::size_t kinks_per_parameter = 4;
    double kink_reach = 0.9;
    double kink_stiffness = 10.0;
    double first_damping = 0.125;
    double least_damping = 0.2;
    double largest_damping = 1e12;
    double shortest_kink_step = 1e-4;
    double short_kink_step = 0.2;
    double longest_kink_step = 1000.0;
    double surplus = 1.1;
    int failed_kink_steps = 4;
    double rounding_of_a_loss = 1e-16;
    double smallest_kept_scale = 0.05;
    double smallest_kept_square = 0.01;
    double kink_tol = 0.01;
    std::size_t kink_steps_rows = 16384;
    std::size_t kink_steps_parameters = 128;
    std::size_t paying_rows = 2048;
    std::size_t paying_parameters = 48;

    // Starts.
    double widest_start = 0.95;
    double widest_bisector = 0.9999;
    double near_cap = 0.5;
    double far_cap = 0.95;
    double regression_ridge = 1e-4;
    std::size_t largest_regression = 512;
    int n_scales = 6;
    double largest_scale = 1.5;
    double smallest_scale = 2.0;
    double scale_per_radius = 0.7;

    // Multistart.
    double same_minimum = 1e-5;
    double improvement = 1e-7;
    std::size_t few_parameters = 24;
    std::size_t starts_of_a_brief_round = 4;
    std::size_t carried = 3;
    int brief_iterations = 12;
    double brief_tol = 1e-3;
    int rough_iterations = 60;
    double rough_tol = 1e-5;
    int perturbed_steps = 5;
    int most_perturbations = 10;
    std::size_t starts_of_a_round = 8;
    int perturbations = 5;
    int perturbations_if_one = 1;
    std::size_t hits = 2;
    std::size_t hits_if_rare = 4;
    std::size_t rounds = 4;
    std::size_t rounds_if_rare = 8;
    double rare_class = 0.15;
    double easy_radius = 6.0;
    double easy_share = 0.3;
    double easy_value = 0.6;

    // Samples of large data.
    std::size_t least_sample = 512;
    std::size_t sample_per_parameter = 32;
    std::size_t sample_growth = 8;
    std::size_t largest_sample = 1 << 19;
    std::size_t exact_rows = 16384;
    std::size_t finalists = 3;
};

}  // namespace hyplane
