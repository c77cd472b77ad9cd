"""The tables of the report, as HTML."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hyplane.evaluation.methods import METHODS
from hyplane.experiments.paper import FINDINGS
from hyplane.experiments.reading import number, p_text
from hyplane.experiments.summaries import find_test

SCORE_TITLES = {
    "macro_aupr": "macro AUPR",
    "micro_aupr": "micro AUPR",
    "macro_average_precision": "macro average precision",
    "micro_average_precision": "micro average precision",
    "macro_roc_auc": "macro ROC AUC",
    "micro_roc_auc": "micro ROC AUC",
    "accuracy": "accuracy",
}
Summary = Mapping[str, Any]


def table(head: Sequence[str], body: Sequence[Sequence[str]], caption: str, text: int = 1) -> str:
    """Return an HTML table; cells are HTML already, the first `text` columns are words.

    Examples
    --------
    >>> table(["a", "b"], [["x", "1"]], "Numbers").count("<td")
    2
    """
    column = ['class="text"' if i < text else "" for i in range(len(head))]
    ths = "".join(f'<th scope="col" {c}>{h}</th>' for h, c in zip(head, column, strict=True))
    rows = []
    for row in body:
        if len(row) == 1:
            rows.append(f'<tr class="group"><td colspan="{len(head)}">{row[0]}</td></tr>')
            continue
        cells = zip(row, column, strict=True)
        rows.append("<tr>" + "".join(_cell(value, c) for value, c in cells) + "</tr>")
    return (
        f'<div class="table"><table><caption>{caption}</caption><thead><tr>{ths}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(value: str, attributes: str) -> str:
    if value.startswith("<td"):
        return value
    return f"<td {attributes}>{value}</td>"


def spread(score: Mapping[str, float], *, best: bool = False) -> str:
    """Return a mean and its standard deviation as a cell."""
    kind = ' class="best"' if best else ""
    sd = f'<span class="sd"> ± {number(score["sd"])}</span>'
    return f"<td{kind}>{number(score['mean'])}{sd}</td>"


def glance(experiments: Mapping[str, Summary]) -> str:
    """One row per experiment: what the paper found, and what was found here."""
    rows = []
    for name, summary in experiments.items():
        over = "all embeddings" if name == "real" else "all data sets"
        test = find_test(summary["tests"], over=over, score="macro_aupr")
        published = FINDINGS[name].p_value
        outcome = "yes" if summary["reproduced"] else "no"
        word = summary["outcome"]
        if summary["quick"]:
            word = word.replace("reproduced", "seen")
        rows.append(
            [
                f'<a href="#{name}">{escape(summary["title"])}</a>',
                str(test["n"]),
                number(test["difference"]),
                f"{test['wins']} of {test['n']}",
                p_text(test["p_value"]),
                "–" if published is None else p_text(published),
                f'<span class="{outcome}">{word}</span>',
            ]
        )
    head = [
        "Experiment",
        "Pairs",
        "Mean difference",
        "Hyperbolic higher",
        "p, ours",
        "p, paper",
        "The paper's finding is",
    ]
    caption = "Hyperbolic minus Euclidean SVM, macro AUPR, one-sided paired t-test."
    if "real" in experiments:
        caption += (
            " Real networks: on the embeddings of the short, published corpus; no test of theirs "
            "is quoted."
        )
    return table(head, rows, caption)


def scores_table(summary: Summary) -> str:
    """All scores of all methods of the first two experiments."""
    head = ["Method", *SCORE_TITLES.values()]
    body: list[list[str]] = []
    group = None
    for row in summary["table"]:
        if row.get("size_range") != group:
            group = row["size_range"]
            part = "All data sets" if group == "all" else f"Labels of {group} nodes"
            body.append([part.replace("-", "–")])
        cells = [
            spread(row["scores"][score], best=_is_best(summary["table"], row, score))
            for score in SCORE_TITLES
        ]
        body.append([escape(METHODS[row["method"]].title), *cells])
    return table(head, body, "Mean ± standard deviation over data sets; the highest in bold.")


def _is_best(rows: Sequence[Mapping[str, Any]], row: Mapping[str, Any], score: str) -> bool:
    keys = ("size_range", "network", "corpus")
    rivals = [each for each in rows if all(each.get(key) == row.get(key) for key in keys)]
    highest = max(each["scores"][score]["mean"] for each in rivals)
    # To the digits shown: what reads the same is marked the same.
    return number(row["scores"][score]["mean"]) == number(highest)


def tests_table(tests: Sequence[Mapping[str, Any]]) -> str:
    """All paired tests."""
    body: list[list[str]] = []
    compared = None
    for test in tests:
        if (test["first"], test["second"]) != compared:
            compared = test["first"], test["second"]
            body.append([escape(" minus ".join(METHODS[method].title for method in compared))])
        over = " · ".join(filter(None, [test["over"], _corpus(test)])).replace("-", "–")
        body.append(
            [
                escape(over.replace("embeddings of ", "")),
                SCORE_TITLES[test["score"]],
                str(test["n"]),
                f"{test['wins']} / {test['ties']} / {test['losses']}",
                number(test["difference"], 4),
                f"{number(test['low'], 4)} to {number(test['high'], 4)}",
                number(test["statistic"], 2),
                p_text(test["p_value"]),
            ]
        )
    head = [
        "Over",
        "Score",
        "n",
        "Won / tied / lost",
        "Mean difference",
        "95 % interval",
        "t",
        "one-sided p",
    ]
    return table(head, body, "Paired t-tests over the means of the trials.", text=2)


def _corpus(test: Mapping[str, Any]) -> str:
    return f"{test['corpus']} corpus" if "corpus" in test else ""


def real_table(summary: Summary, score: str) -> str:
    """Return the paper's table: networks across, embeddings and methods down, both corpora."""
    rows = summary["table"]
    networks = list(dict.fromkeys(row["network"] for row in rows))
    body: list[list[str]] = []
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        walks = {"short": "one walk of 10 nodes", "long": "ten walks of 40 nodes"}[corpus]
        body.append([f"{corpus.capitalize()} corpus: {walks} from each node"])
        kinds = dict.fromkeys((r["features"], r["method"]) for r in rows if r["corpus"] == corpus)
        for features, method in kinds:
            cells = [
                spread(row["scores"][score], best=_is_best(rows, row, score))
                for network in networks
                for row in rows
                if (row["network"], row["corpus"]) == (network, corpus)
                and (row["features"], row["method"]) == (features, method)
            ]
            body.append([_embedding(features), escape(METHODS[method].title), *cells])
    n = rows[0]["scores"][score]["n"]
    caption = (
        f"{SCORE_TITLES[score][0].upper()}{SCORE_TITLES[score][1:]}: mean ± standard deviation of "
        f"{n} scores (embeddings × trials); the highest of each network and corpus in bold."
    )
    return table(["Embedding", "Classifier", *networks], body, caption, text=2)


def _embedding(features: str) -> str:
    if features == "hyperbolic":
        return "Hyperbolic skip-gram, 2"
    return f"DeepWalk, {features.partition('-')[2]}"


def settings_table(settings: Mapping[str, Any]) -> str:
    """Names and values."""
    body = [
        [escape(str(key)).replace("_", " "), f'<td class="wrap">{escape(_plain(value))}</td>']
        for key, value in settings.items()
    ]
    return table(["Setting", "Value"], body, "", text=2)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(
            "–".join(map(str, each)) if isinstance(each, list | tuple) else str(each)
            for each in value
        )
    return str(value)
