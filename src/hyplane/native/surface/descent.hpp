// Descent for few parameters, from a start that may be far from any minimum.
#pragma once

#include <functional>
#include <vector>

namespace hyplane {

// The value at some parameters; the second argument takes the gradient.
using GradientFunction = std::function<double(const std::vector<double>&, std::vector<double>&)>;

struct DescentResult {
    std::vector<double> theta;
    double value;
    int n_iter;
    bool converged;  // the value hardly decreased any more, or the gradient is zero
};

// BFGS with the weak Wolfe line search of Lewis and Overton (2013), which needs no smoothness at
// the minimum. It ends where several iterations together decrease the value by at most `tol`,
// relative. Predicted decreases tell less: where a surface rests on as many kinks as it has
// parameters, they are too small long before the minimum.
DescentResult descend(const GradientFunction& f, std::vector<double> theta, double tol,
                      int max_iter);

}  // namespace hyplane
