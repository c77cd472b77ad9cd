// Lower bounds of the soft-margin objective of the plane over a box of hyperplanes.
//
// The plain bound takes each loss at the top of the range of y w*x. It errs in the width of the
// box. The sharp one replaces each loss by a line below it on that range. The product is linear in
// w, so the lines add up to one linear function of w, whose sum with ½ s² has its minimum over the
// box in closed form. It errs in the square of the width.
//
// Rounding. A line that is below the loss at the points that decide (see `lines_below`) is a bound
// whatever its slope, so slopes need not be exact. What is left is the rounding of sums and of the
// closed form: at most `rounding`, or `rounding + n eps` for a sum of n terms, times the sizes of
// the terms. It is carried along in `LinesBelow::error` and subtracted.
#pragma once

#include "box_rows.hpp"

namespace hyplane {

struct BoxBound {
    double value;
    double scale, offset, angle;  // the hyperplane of the box where the bound is taken
};

// The bound of the rows over a box, with the ranges of the rows. It is not sharpened any further
// once it reaches `enough`.
BoxBound bound_over(const Box& box, const BoxRows& rows, double enough, RowRanges& ranges);

}  // namespace hyplane
