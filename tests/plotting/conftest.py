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
