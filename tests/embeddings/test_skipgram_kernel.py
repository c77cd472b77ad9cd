"""The compiled inner loop of the hyperbolic skip-gram."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from hyplane.native.skipgram import train

Floats = NDArray[np.float64]


@dataclass
class PolarParameters:
    """Input and output coordinates of the nodes, and the output biases; also their gradient."""

    radius: Floats
    angle: Floats
    radius_out: Floats
    angle_out: Floats
    bias: Floats


def loss_and_gradient(parameters, centers, contexts, negatives):
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


def train_polar(parameters, centers, contexts, negatives, batch_size, first_rate, last_rate):
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


N_NODES = 7


def polar_parameters(rng):
    lows, highs = [0.3, -np.pi, 0.3, -np.pi], [2.0, np.pi, 2.0, np.pi]
    parts = rng.uniform(lows, highs, (N_NODES, 4)).T.copy()
    return PolarParameters(*parts, rng.normal(size=N_NODES))


def corpus(rng, n_pairs=101, n_negatives=3):
    def nodes(size):
        return rng.integers(N_NODES, size=size, dtype=np.int32)

    return nodes(n_pairs), nodes(n_pairs), nodes((n_pairs, n_negatives))


def tangent(radius, angle):
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def as_vectors(p):
    return tangent(p.radius, p.angle), tangent(p.radius_out, p.angle_out), p.bias.copy()


def test_a_small_step_of_the_compiled_loop_follows_the_finite_difference_gradient():
    # The loop itself, not the reference: its displacement at a tiny rate against differences of the
    # loss that it returns at rate zero, with the metric (1, sinh r) of the step.
    rng = np.random.default_rng(2)
    parameters, pairs = polar_parameters(rng), corpus(rng, n_pairs=9)
    rate, h = 1e-6, 1e-5

    def loss(p):
        return train(*as_vectors(p), *pairs, 9, 0.0, 0.0) / 9

    inputs, outputs, bias = as_vectors(parameters)
    before = inputs.copy()
    train(inputs, outputs, bias, *pairs, 9, rate, rate)
    for node in range(N_NODES):
        slopes = []
        for values in (parameters.radius, parameters.angle):
            sides = []
            for shift in (h, -h):
                values[node] += shift
                sides.append(loss(parameters))
                values[node] -= shift
            slopes.append((sides[0] - sides[1]) / (2 * h))
        radius, angle = parameters.radius[node], parameters.angle[node]
        radial = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-np.sin(angle), np.cos(angle)])
        velocity = (inputs[node] - before[node]) / rate
        assert velocity @ radial == pytest.approx(-slopes[0], abs=1e-5)
        assert velocity @ across == pytest.approx(-slopes[1] * radius / np.sinh(radius), abs=1e-5)


def corpus_of_walks(rng):
    """Pairs in a row that have the same center and negatives, whose contexts are among them too."""
    centers, contexts, negatives = corpus(rng)
    return np.sort(centers), contexts, np.repeat(negatives[::4], 4, axis=0)[: len(centers)]


@pytest.mark.parametrize("make", [corpus, corpus_of_walks])
@pytest.mark.parametrize("batch_size", [1, 4, 1000])
def test_compiled_loop_agrees_with_the_polar_formulas(batch_size, make):
    rng = np.random.default_rng(batch_size)
    parameters, pairs = polar_parameters(rng), make(rng)
    inputs, outputs, bias = as_vectors(parameters)
    compiled = train(inputs, outputs, bias, *pairs, batch_size, 0.7, 0.2)
    formulas = train_polar(parameters, *pairs, batch_size, 0.7, 0.2)
    assert compiled == pytest.approx(formulas, rel=1e-12)
    for mine, theirs in zip((inputs, outputs, bias), as_vectors(parameters), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


def test_a_radius_below_zero_comes_out_on_the_other_side_of_the_origin():
    parameters = PolarParameters(
        *(np.array(pair) for pair in ([0.1, 1.0], [0.0, 0.0], [1.0, 3.0], [0.0, 0.5], [0.0, 9.0]))
    )
    pairs = (np.array([0], np.int32), np.array([0], np.int32), np.array([[1]], np.int32))
    inputs, outputs, bias = as_vectors(parameters)
    train(inputs, outputs, bias, *pairs, 1, 1.0, 1.0)
    train_polar(parameters, *pairs, 1, 1.0, 1.0)
    assert np.cos(parameters.angle[0]) < 0 < parameters.radius[0]  # it crossed
    np.testing.assert_allclose(inputs, tangent(parameters.radius, parameters.angle), atol=1e-14)


def test_points_of_a_plane_in_five_dimensions_move_as_in_the_plane():
    rng = np.random.default_rng(3)
    parameters, pairs = polar_parameters(rng), corpus(rng)
    flat = as_vectors(parameters)
    plane = np.linalg.qr(rng.normal(size=(5, 2)))[0].T
    inputs, outputs = (np.ascontiguousarray(vectors @ plane) for vectors in flat[:2])
    bias = flat[2].copy()
    assert train(inputs, outputs, bias, *pairs, 4, 1.0, 0.5) == pytest.approx(
        train(*flat, *pairs, 4, 1.0, 0.5), rel=1e-12
    )
    np.testing.assert_allclose(inputs, flat[0] @ plane, atol=1e-12)
    np.testing.assert_allclose(outputs, flat[1] @ plane, atol=1e-12)


def test_a_node_at_the_origin_takes_a_plain_step():
    inputs, outputs, bias = np.zeros((2, 2)), np.array([[0.0, 2.0], [1.0, 0.0]]), np.zeros(2)
    pairs = (np.array([0], np.int32), np.array([0], np.int32), np.array([[1]], np.int32))
    train(inputs, outputs, bias, *pairs, 1, 1.0, 1.0)
    np.testing.assert_allclose(inputs[0], [-0.5, 1.0])  # errors -1/2 and 1/2


def test_far_points_and_wrong_pairs_stay_finite():
    vectors = np.array([[800.0, 0.0], [-800.0, 0.0]])
    outputs, bias = vectors.copy(), np.zeros(2)
    pairs = (np.array([0, 0], np.int32), np.array([1, 0], np.int32), np.array([[0], [1]], np.int32))
    assert np.isfinite(train(vectors, outputs, bias, *pairs, 2, 1.0, 1.0))
    assert np.isfinite(vectors).all()
    assert np.isfinite(outputs).all()


def test_bad_arrays_are_refused():
    rng = np.random.default_rng(0)
    inputs, outputs, bias = as_vectors(polar_parameters(rng))
    centers, contexts, negatives = corpus(rng)
    good = [inputs, outputs, bias, centers, contexts, negatives, 4]
    for place, bad, message in (
        (3, centers + N_NODES, "outside"),
        (3, centers[1:], "length"),
        (1, outputs[1:], "shape"),
        (6, 0, "batch_size"),
    ):
        with pytest.raises(ValueError, match=message):
            train(*good[:place], bad, *good[place + 1 :], 1.0, 1.0)
    with pytest.raises(TypeError):  # a copy would be trained in the place of the array
        train(inputs.astype(np.float32), *good[1:], 1.0, 1.0)
