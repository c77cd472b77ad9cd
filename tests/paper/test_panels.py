"""Figures of the report."""

import re

import pytest

from hyplane.paper.figures import panels_figure

pytest.importorskip("matplotlib")


def test_a_name_with_a_dollar_sign_is_no_formula():
    row = {"network": "$x_{$", "features": "hyperbolic", "method": "$y^{$", "corpus": "walks"}
    row["scores"] = {"macro_aupr": {"mean": 0.5, "sd": 0.1}}
    figure = panels_figure("n", "", {"table": [row], "published_table": []}, ["$x_{$"])
    assert re.search(rb"<!-- \$x_\{\$ -->", figure.svg)
