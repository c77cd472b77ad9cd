"""Figures are drawn without a screen, and closed after each test."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(figsize=(3, 3), dpi=60).add_subplot()


@pytest.fixture
def pixels():
    """The picture that a figure makes, as an array of colours."""

    def draw(figure):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3]

    return draw


@pytest.fixture(scope="session")
def on_curve():
    """Points on the Bézier pieces of a patch, or of vertices, without their ends."""

    def points(patch):
        vertices = patch.get_path().vertices if hasattr(patch, "get_path") else patch
        t = np.linspace(0.05, 0.95, 9)[:, None]
        return np.concatenate(
            [
                (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
                for a, b, c, d in (vertices[i : i + 4] for i in range(0, len(vertices) - 1, 3))
            ]
        )

    return points
