"""The update of the hyperbolic skip-gram in NumPy: what the compiled loop is tested against.

Written from the formulas in native polar coordinates (r, θ) of the plane; the compiled loop works
with tangent vectors in any dimension.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Nodes = NDArray[np.int32]


@dataclass
class PolarParameters:
    """Input and output coordinates of the nodes, and the output biases; also their gradient."""

    radius: Floats
    angle: Floats
    radius_out: Floats
    angle_out: Floats
    bias: Floats


def loss_and_gradient(
    parameters: PolarParameters, centers: Nodes, contexts: Nodes, negatives: Nodes
) -> tuple[float, PolarParameters]:
    """Sum cross entropy and its gradient over pairs and the negatives of each."""
    p = parameters
    gradient = PolarParameters(*(np.zeros_like(p.radius) for _ in range(5)))
    loss = 0.0
    for i, context, drawn in zip(centers, contexts, negatives, strict=True):
        for j in [context, *(node for node in drawn if node != context)]:
            label = float(j == context)
            turn = p.angle[i] - p.angle_out[j]
            logit = p.radius[i] * p.radius_out[j] * np.cos(turn) + p.bias[j]
            loss += np.logaddexp(0.0, logit) - label * logit
            error = 1.0 / (1.0 + np.exp(-logit)) - label
            gradient.radius[i] += error * p.radius_out[j] * np.cos(turn)
            gradient.radius_out[j] += error * p.radius[i] * np.cos(turn)
            gradient.angle[i] -= error * p.radius[i] * p.radius_out[j] * np.sin(turn)
            gradient.angle_out[j] += error * p.radius[i] * p.radius_out[j] * np.sin(turn)
            gradient.bias[j] += error
    return float(loss), gradient


def train_polar(
    parameters: PolarParameters,
    centers: Nodes,
    contexts: Nodes,
    negatives: Nodes,
    batch_size: int,
    first_rate: float,
    last_rate: float,
) -> float:
    """Take the steps of `hyplane.native.skipgram.train` in place; return the same summed loss."""
    p, total = parameters, 0.0
    for start in range(0, centers.size, batch_size):
        batch = slice(start, start + batch_size)
        loss, g = loss_and_gradient(p, centers[batch], contexts[batch], negatives[batch])
        total += loss
        rate = first_rate + (last_rate - first_rate) * start / centers.size
        rate /= centers[batch].size
        p.angle -= rate * g.angle / np.sinh(p.radius)
        p.angle_out -= rate * g.angle_out / np.sinh(p.radius_out)
        p.radius -= rate * g.radius
        p.radius_out -= rate * g.radius_out
        p.bias -= rate * g.bias
        for radius, angle in ((p.radius, p.angle), (p.radius_out, p.angle_out)):
            angle[radius < 0.0] += np.pi  # through the origin to the other side
            np.abs(radius, out=radius)
    return total
