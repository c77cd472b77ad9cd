import io

import numpy as np
import pytest

from hyplane.plotting import draw_disk, draw_points

CROWD, DENSE = 5_000, 50_000


def cloud(n, seed=0):
    rng = np.random.default_rng(seed)
    return 0.9 * rng.uniform(-0.7, 0.7, (n, 2))


def scatter(ax, n, labels=None, **options):
    draw_points(cloud(n), labels, ax=draw_disk(ax), **options)
    return ax


def test_broken_numbers_are_on_a_scale_and_whole_ones_are_classes(ax):
    for labels in ([0.5, 1.0], np.arange(21)):
        scatter(ax, len(labels), labels)
        assert len(ax.collections) == 1
        assert len(ax.figure.axes) == 2
        assert ax.get_legend() is None
        ax.figure.clear()
        ax = ax.figure.add_subplot()
    for labels in ([0.0, 1.0, np.nan], ["0.5", "1"], [True, False]):
        scatter(ax, len(labels), labels)
        assert len(ax.get_legend().get_texts()) == len(labels)
        ax.clear()


def test_the_caller_decides_between_classes_and_numbers(ax):
    scatter(ax, 30, np.arange(30) % 3, numeric=True, legend_title="depth")
    assert ax.figure.axes[-1].get_xlabel() == "depth"
    ax.clear()
    scatter(ax, 4, [0.5, 0.5, 1.5, 1.5], numeric=False)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0.5", "1.5"]
    with pytest.raises(ValueError, match="could not convert string to float"):
        scatter(ax, 2, ["a", "b"], numeric=True)


def test_a_missing_number_is_grey(ax, pixels):
    scatter(ax, 3, [0.5, np.nan, 1.5], size=400)
    colors = ax.collections[0].get_facecolors()[:, :3]
    assert (np.ptp(colors, axis=1) < 0.01).tolist() == [False, True, False]
    assert np.isfinite(pixels(ax.figure)).all()


def test_marks_shrink_with_their_number_and_with_the_axes(ax):
    from matplotlib.figure import Figure

    def area(n, ax):
        ax.clear()
        return scatter(ax, n, density=False).collections[0].get_sizes()[0]

    large = Figure(figsize=(9, 9)).add_subplot()
    areas = [area(n, large) for n in (1, 500, CROWD, 20_000, 100_000)]
    assert areas == sorted(areas, reverse=True)
    assert areas[-1] < areas[0] / 10
    assert area(100, ax) < area(100, large)


def test_no_class_of_a_crowd_covers_the_others_and_all_are_in_its_legend(ax):
    # Three classes at the same places: drawn class by class, only the last would be seen.
    n = CROWD + 1
    scatter(ax, n, np.array(["a", "b", "c"])[np.arange(n) % 3], size=60)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]
    [drawn] = ax.collections
    colors = drawn.get_facecolors()[:, :3]
    share = [np.all(colors[-300:] == color, axis=1).mean() for color in np.unique(colors, axis=0)]
    assert len(share) == 3
    assert min(share) > 0.2
    assert drawn.get_rasterized()


def test_a_density_layer_shows_the_colour_of_the_class_that_lies_there(ax):
    n = DENSE + 1
    X = cloud(n)
    draw_points(X, np.where(X[:, 0] < 0, "west", "east"), ax=draw_disk(ax))
    [layer] = ax.images
    image = layer.get_array()
    side = len(image)
    west, east = image[side // 2, side // 4], image[side // 2, 3 * side // 4]
    assert west[0] > west[2]  # orange
    assert east[2] > east[0]  # blue
    assert image[0, 0, 3] == 0.0
    assert len(ax.collections) == 0
    assert len(ax.get_legend().get_texts()) == 2


def test_a_density_layer_of_numbers_shows_their_mean(ax):
    X = cloud(3000)
    draw_points(X, X[:, 0] + 0.5, ax=draw_disk(ax), density=True)
    [layer] = ax.images
    image = layer.get_array()
    row = image[200:280]
    green = row[..., 1][row[..., 3] > 0.2]
    columns = np.nonzero(row[..., 3] > 0.2)[1]
    # The green part of viridis grows with the number, which grows to the right.
    assert np.corrcoef(columns, green)[0, 1] > 0.9


def test_density_can_be_refused_and_a_crowd_needs_no_labels(ax):
    scatter(ax, DENSE + 1, density=False)
    assert len(ax.images) == 0
    assert len(ax.collections[0].get_offsets()) == DENSE + 1
    ax.clear()
    scatter(ax, 100, density=True)
    assert len(ax.images) == 1


def test_a_crowd_makes_a_small_vector_file(ax):
    scatter(ax, 20_000, np.arange(20_000) % 2)
    buffer = io.BytesIO()
    ax.figure.savefig(buffer, format="svg")
    assert len(buffer.getvalue()) < 400_000


def test_dollar_signs_in_labels_are_no_formulas(ax):
    names = ["$x^", "a$b$c", r"$\frac{$"]
    draw_points(cloud(3), names, ax=draw_disk(ax), legend_title="$")
    ax.figure.canvas.draw()
    assert sorted(text.get_text() for text in ax.get_legend().get_texts()) == sorted(names)
