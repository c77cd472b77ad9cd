"""
Why the loss has an arsinh
==========================

The score ``w*x`` of a point grows exponentially with its distance from the hyperplane. A hinge on
the score would therefore punish one misclassified far-out point more than a thousand others. The
loss of the hyperbolic SVM is a hinge on ``arsinh(w*x)`` instead: it grows like the hyperbolic
distance by which the point is on the wrong side.
"""

import matplotlib.pyplot as plt
import numpy as np

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")

distance = np.linspace(-6, 3, 600)
score = np.sinh(distance)  # y w*x, for a w with w*w = -1
hinge = np.maximum(0, 1 - score)
arsinh = np.maximum(0, np.arcsinh(1) - np.arcsinh(score))

left.plot(distance, hinge, color="#D55E00", label="hinge, max(0, 1 - y w*x)")
left.plot(distance, arsinh, color="#0072B2", label="max(0, arsinh 1 - arsinh(y w*x))")
left.set(ylim=(-0.5, 30), xlabel="signed distance to the hyperplane", ylabel="loss")
left.axvline(0, color="0.7", lw=1)
left.legend(edgecolor="none", framealpha=1)  # above the grey line

right.plot(score, hinge, color="#D55E00")
right.plot(score, arsinh, color="#0072B2")
right.plot([1], [0], "o", color="k", ms=5)
right.annotate("kink at y w*x = 1", (1, 0), (0.1, 3.0), arrowprops={"arrowstyle": "-"})
right.set(xlim=(-6, 3), ylim=(-0.3, 7), xlabel="score y w*x", ylabel="loss")
right.axvline(0, color="0.7", lw=1)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
