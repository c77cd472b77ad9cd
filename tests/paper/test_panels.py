"""Figures of the report."""

import pytest

from hyplane.paper._panels import draw_panels

figures = pytest.importorskip("matplotlib.figure")


def test_a_name_with_a_dollar_sign_is_no_formula():
    row = {"network": "$x_{$", "features": "hyperbolic", "method": "$y^{$", "corpus": "walks"}
    row["scores"] = {"macro_aupr": {"mean": 0.5, "sd": 0.1}}
    figure = figures.Figure()
    draw_panels(figure, {"table": [row], "published_table": []}, ["$x_{$"], ["walks"])
    figure.canvas.draw()
    assert figure.axes[0].get_title() == "$x_{$"
