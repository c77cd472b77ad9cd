"""The figure of the real networks: our scores beside the paper's, one panel per network."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hyplane.paper.figures import BLUE, GREEN, GREY, ORANGE

_STYLES = ((ORANGE, "o"), (GREEN, "^"), (BLUE, "s"))
_PAPER_STYLE = (GREY, "D")
_SCORE = "macro_aupr"
_SHORT_NAMES = {
    "hyperbolic": "HSVM",
    "euclidean": "ESVM",
    "hyperbolic-ours": "HSVM, ours",
    "euclidean-ours": "ESVM, our C",
}


def draw_panels(
    figure: Any, summary: Mapping[str, Any], networks: Sequence[str], sources: Sequence[str]
) -> None:
    """Draw means and standard deviations.

    Parameters
    ----------
    figure : matplotlib Figure
    summary : dict
        With ``table`` and ``published_table``.
    networks : sequence of str
        One panel each.
    sources : sequence of str
        Corpora, one colour each, three at most.
    """
    axes = figure.subplots(1, len(networks), squeeze=False)[0]
    for ax, network in zip(axes, networks, strict=True):
        own = [row for row in summary["table"] if row["network"] == network]
        columns = list(dict.fromkeys(_short_name(row) for row in own))
        groups = [
            [
                (_short_name(row), row["scores"][_SCORE]["mean"], row["scores"][_SCORE]["sd"])
                for row in own
                if row["corpus"] == source
            ]
            for source in sources
        ]
        groups.append(
            [
                (_short_name(row), *row["scores"][network])
                for row in summary["published_table"]
                if network in row["scores"] and _short_name(row) in columns
            ]
        )
        styles = (*_STYLES[: len(sources)], _PAPER_STYLE)
        shifts = 0.17 * (np.arange(len(groups)) - (len(groups) - 1) / 2)
        for name, points, (color, marker), shift in zip(
            (*sources, "paper"), groups, styles, shifts, strict=True
        ):
            ax.errorbar(
                [columns.index(column) + shift for column, _, _ in points],
                [mean for _, mean, _ in points],
                yerr=[sd for _, _, sd in points],
                fmt=marker,
                ms=4.5,
                color=color,
                elinewidth=1.0,
                capsize=2,
                label=name,
            )
        # Names of files and methods are text: a $ in them starts no formula.
        plain = {"parse_math": False}
        ax.set_title(network, fontsize=11, **plain)
        ax.set_xticks(range(len(columns)), columns, rotation=60, ha="right", fontsize=8.5, **plain)
        ax.grid(axis="y", color="#dddddd", lw=0.6)
        ax.set_axisbelow(True)
    axes[0].set_ylabel("Macro AUPR")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)


def _short_name(row: Mapping[str, Any]) -> str:
    if row["features"] != "hyperbolic":
        return "DW " + str(row["features"]).partition("-")[2]
    return _SHORT_NAMES.get(row["method"], str(row["method"]))
