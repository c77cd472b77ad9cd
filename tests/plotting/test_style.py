import io

import matplotlib
import pytest

from hyplane.classifiers import HyperbolicSVC
from hyplane.plotting import PAPER_STYLE, PoincareDisplay, draw_points, paper_style

X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]


def test_the_style_ends_with_its_block():
    before = dict(matplotlib.rcParams)
    with paper_style("page", rc={"font.size": 6.0}) as style:
        assert matplotlib.rcParams["font.size"] == style["font.size"] == 6.0
        assert matplotlib.rcParams["figure.figsize"] == [6.9, 6.9]
    assert dict(matplotlib.rcParams) == before
    assert "figure.figsize" not in PAPER_STYLE


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
