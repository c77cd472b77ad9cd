import numpy as np
import pytest


@pytest.fixture(scope="session")
def overlapping_classes():
    def draw(seed, n=2, n_classes=2, m=60):
        """Classes around points at radius 1.2, in tangent coordinates, about a fifth misplaced."""
        rng = np.random.default_rng(seed)
        y = np.arange(m) % n_classes
        centers = rng.standard_normal((n_classes, n))
        centers[1] = -centers[0]
        centers *= 1.2 / np.linalg.norm(centers, axis=1)[:, None]
        return centers[y] + 0.7 * rng.standard_normal((m, n)), y

    return draw
