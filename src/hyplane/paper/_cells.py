"""The paper's table of real networks, cell by cell: its numbers, ours, and what to make of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from hyplane.paper.paper import REAL_NETWORKS
from hyplane.paper.reading import interval, number, verdict
from hyplane.paper.summaries import Frame, compare, select
from hyplane.paper.tables import Cell, ReportTable

# Differences that two published digits do not show.
TIE = 0.01
# Both methods this near to what a perfect ranking scores are at the ceiling.
_CEILING = 0.005
_HYPERBOLIC = ("hyperbolic", "hyperbolic")
_SAME = ("hyperbolic", "euclidean")
_SIGNS = {True: "yes", False: "no", None: "quiet"}


def judge(test: Mapping[str, Any], published: float | None, *, at_ceiling: bool) -> dict[str, Any]:
    """Judge a difference of two cells of a row by its interval.

    Parameters
    ----------
    test : dict
        With ``low`` and ``high``, the 95 % interval of the difference.
    published : float or None
        The difference in the paper's table, if it is there. The paper claims that the hyperbolic
        SVM matches or exceeds the other: equal numbers claim that it is not lower by more than
        two digits show, others that it is higher.
    at_ceiling : bool
        Whether both score what a perfect ranking scores.

    Returns
    -------
    judgement : dict
        ``word`` and ``agrees``: True or False where the interval decides, else None.

    Examples
    --------
    >>> judge({"low": 0.02, "high": 0.09}, 0.07, at_ceiling=False)
    {'word': 'higher', 'agrees': True}
    >>> judge({"low": -0.02, "high": 0.09}, 0.07, at_ceiling=False)
    {'word': 'not clear', 'agrees': None}
    >>> judge({"low": -0.004, "high": 0.002}, 0.0, at_ceiling=False)
    {'word': 'tie', 'agrees': True}
    >>> judge({"low": -0.014, "high": -0.004}, 0.0, at_ceiling=False)
    {'word': 'lower', 'agrees': None}
    """
    word = {"first": "higher", "second": "lower"}.get(verdict(test), "not clear")
    if at_ceiling:
        word = "tie at the ceiling"
    elif test["low"] >= -TIE and test["high"] <= TIE:
        word = "tie"
    agrees = None
    if published is not None:
        matched = abs(published) < TIE / 2
        if test["low"] >= -TIE if matched else word == "higher":
            agrees = True
        elif test["high"] < -TIE if matched else test["high"] <= TIE:
            agrees = False
    return {"word": word, "agrees": agrees}


def find_cells(
    frame: Frame,
    corpus: str,
    networks: Sequence[str],
    rivals: Sequence[tuple[str, str]],
    score: str,
) -> list[dict[str, Any]]:
    """Compare the hyperbolic SVM with each rival on each network.

    Parameters
    ----------
    frame : DataFrame
        Raw scores of all corpora.
    corpus : str
    networks : sequence of str
    rivals : sequence of (features, method)
    score : str

    Returns
    -------
    cells : list of dict
        Names, both means, their difference with its interval, the paper's numbers, a word, and
        whether it agrees with the paper.
    """
    cells = []
    part = select(frame, corpus=corpus)
    for network in networks:
        own = select(part, network=network)
        ours = select(own, features=_HYPERBOLIC[0])
        for features, method in rivals:
            theirs = select(own, features=features)
            over = f"{corpus}, {network}, {features}"
            test = compare(ours, score, over=over, second=method, against=theirs)
            both = [select(ours, method=_HYPERBOLIC[1]), select(theirs, method=method)]
            gap = max(float((each[f"{score}_ceiling"] - each[score]).mean()) for each in both)
            quoted = [
                REAL_NETWORKS.get(key, {}).get(network) for key in (_HYPERBOLIC, (features, method))
            ]
            difference = None
            if quoted[0] is not None and quoted[1] is not None:
                difference = round(quoted[0][0] - quoted[1][0], 2)
            cells.append(
                {
                    "network": network,
                    "corpus": corpus,
                    "features": features,
                    "method": method,
                    "means": [float(each[score].mean()) for each in both],
                    **{key: test[key] for key in ("n", "difference", "low", "high")},
                    "published": quoted,
                    "published_difference": difference,
                    **judge(test, difference, at_ceiling=gap < _CEILING),
                }
            )
    return cells


def cells_table(cells: Sequence[Mapping[str, Any]], title: str) -> ReportTable:
    """Return the comparisons, one row per rival, one column per network."""
    networks = list(dict.fromkeys(cell["network"] for cell in cells))
    body = []
    for rival in dict.fromkeys((cell["features"], cell["method"]) for cell in cells):
        words = "Euclidean SVM, same embedding" if rival == _SAME else embedding_title(rival[0])
        row: list[Cell | str] = [words]
        for cell in cells:
            if (cell["features"], cell["method"]) == rival:
                below = f"{interval(cell)}{published_difference(cell)}"
                difference = number(cell["difference"])
                row.append(Cell(cell["word"], difference, below, _SIGNS[cell["agrees"]]))
        body.append(row)
    return ReportTable(
        f"{title}: hyperbolic SVM minus each rival, macro AUPR, with the 95 % interval over "
        f"{cells[0]['n']} embeddings. A tie: the interval lies within ±{TIE}, which two published "
        "digits do not show. Green agrees with the paper (matched where it has equal numbers, "
        "else exceeded), red does not, grey is undecided.",
        ["Rival", *networks],
        body,
    )


def published_difference(cell: Mapping[str, Any]) -> str:
    """Return the paper's difference for a cell, in words that follow ours."""
    quoted = cell["published_difference"]
    return "" if quoted is None else f"; paper {number(quoted, 2)}"


def embedding_title(features: str) -> str:
    """Name an embedding for a table.

    Examples
    --------
    >>> embedding_title("deepwalk-25")
    'DeepWalk, 25'
    """
    kind, _, dimension = features.partition("-")
    return f"DeepWalk, {dimension}" if kind == "deepwalk" else "Hyperbolic skip-gram, 2"


def published_below(features: str, method: str, network: str) -> str:
    """Return the paper's number for a cell, in words that stand below ours."""
    quoted = REAL_NETWORKS.get((features, method), {}).get(network)
    return "" if quoted is None else f"paper {number(quoted[0], 2)} ± {number(quoted[1], 2)}"
