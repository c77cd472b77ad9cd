import io
from itertools import combinations

import matplotlib
import numpy as np
import pytest

from hyplane import HyperbolicSVC
from hyplane.plotting import PoincareDisplay, draw_points, paper_style
from hyplane.plotting.style import COLORS, MARKERS, class_style, mixed, pale

X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]


def test_the_style_ends_with_its_block():
    before = dict(matplotlib.rcParams)
    with paper_style("page", rc={"font.size": 6.0}) as style:
        assert matplotlib.rcParams["font.size"] == style["font.size"] == 6.0
        assert matplotlib.rcParams["figure.figsize"] == [6.9, 6.9]
    assert dict(matplotlib.rcParams) == before


def test_new_pictures_have_the_width_of_the_column_and_finer_lines():
    clf = HyperbolicSVC().fit(X, [0, 0, 1, 1])
    usual = PoincareDisplay.from_estimator(clf, X, [0, 0, 1, 1], resolution=64)
    with paper_style():
        printed = PoincareDisplay.from_estimator(clf, X, [0, 0, 1, 1], resolution=64)
    assert printed.figure_.get_size_inches()[0] == pytest.approx(3.35)
    for name in ("boundaries_", "margins_"):
        assert getattr(printed, name)[0].get_lw() < getattr(usual, name)[0].get_lw()
    assert printed.points_[0].get_sizes()[0] < usual.points_[0].get_sizes()[0]
    sizes = [display.legend_.get_texts()[0].get_fontsize() for display in (printed, usual)]
    assert sizes[0] < sizes[1]


def test_text_stays_text_in_vector_files():
    with paper_style():
        ax = draw_points(X, ["alpha", "alpha", "beta", "beta"])
        buffer = io.StringIO()
        ax.figure.savefig(buffer, format="svg")
    assert "alpha" in buffer.getvalue()


@pytest.mark.parametrize("width", ["wide", 0, -2.0, float("nan")])
def test_a_width_must_be_known_or_positive(width):
    with pytest.raises(ValueError, match="width must be"), paper_style(width):
        pass


# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def seen_in_lab(rgb, vision):
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ vision.T, 0, 1) @ XYZ.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.column_stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])]
    )


@pytest.mark.parametrize("kind", VISION)
def test_no_two_colours_look_alike_to_anyone(kind):
    lab = seen_in_lab(mixed(COLORS, 0.0), VISION[kind])
    nearest = min(np.linalg.norm(lab[a] - lab[b]) for a, b in combinations(range(len(lab)), 2))
    assert nearest > 15.0


def test_eight_classes_differ_in_shape_as_well():
    styles = [class_style(k) for k in range(8)]
    assert len({style["marker"] for style in styles}) == 8
    assert len({style["color"] for style in styles}) == 8


def test_no_two_of_a_hundred_classes_share_both_colour_and_shape():
    styles = {(class_style(k)["color"], class_style(k)["marker"]) for k in range(100)}
    assert len(styles) == 100
    assert len(MARKERS) * len(COLORS) >= 100


def test_regions_are_lighter_than_any_point():
    weights = np.array([0.299, 0.587, 0.114])
    assert (pale(COLORS) @ weights > mixed(COLORS, 0.0) @ weights + 0.04).all()
    assert np.ptp(pale(COLORS) @ weights) < 0.12
