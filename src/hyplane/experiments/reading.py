"""What the numbers say, in plain words computed from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hyplane.evaluation.methods import METHODS, PAPER
from hyplane.experiments.paper import FINDINGS
from hyplane.experiments.summaries import find_test

# A one-sided test below this counts as a finding.
LEVEL = 0.05

Summary = Mapping[str, Any]


def number(value: float, digits: int = 3) -> str:
    """Write a number with a minus sign that is one.

    Examples
    --------
    >>> number(-0.01234), number(float("nan"))
    ('−0.012', '–')
    """
    return "–" if value != value else f"{value:.{digits}f}".replace("-", "−")


def p_text(p: float) -> str:
    r"""Write a probability.

    Examples
    --------
    >>> p_text(6.17e-28), p_text(0.0312), p_text(0.0)
    ('6.17\xa0×\xa010⁻²⁸', '0.031', '<\xa010⁻³⁰⁰')
    """
    if p != p:
        return "not defined"
    if p < 1e-300:
        return "<\u00a010⁻³⁰⁰"
    if p >= 1e-3:
        return f"{p:.3f}"
    mantissa, exponent = f"{p:.2e}".split("e")
    return f"{mantissa}\u00a0×\u00a010{str(int(exponent)).translate(_SUPERSCRIPT)}"


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def verdict(test: Mapping[str, Any]) -> str:
    """Say which of the two methods a test favours: "first", "second" or "neither"."""
    if test["p_value"] < LEVEL:
        return "first"
    # The opposite one-sided probability; ties and undefined tests favour neither.
    return "second" if 1.0 - test["p_value"] < LEVEL else "neither"


def outcome(name: str, summary: Summary) -> str:
    """Say how the paper's finding, on its own score, shows in these numbers.

    Parameters
    ----------
    name : {"gaussian", "evolving", "real"}
    summary : dict
        Its table and tests.

    Returns
    -------
    outcome : {"reproduced", "partly reproduced", "not reproduced"}
        By the test over all data sets; for the real networks, on the short corpus, the network by
        network tests have to agree with it.
    """
    tests = [test for test in summary["tests"] if test["score"] == "macro_aupr"]
    if name != "real":
        favoured = verdict(find_test(tests, over="all data sets"))
        return "reproduced" if favoured == "first" else "not reproduced"
    pooled = find_test(tests, over="all embeddings", corpus=summary["table"][0]["corpus"])
    shown, others = _networks_that_show_it(summary)
    if not others and verdict(pooled) == "first":
        return "reproduced"
    return "partly reproduced" if shown or verdict(pooled) == "first" else "not reproduced"


def _networks_that_show_it(summary: Summary) -> tuple[list[str], list[str]]:
    """Networks on whose short-corpus embeddings the hyperbolic SVM is higher, and the others."""
    corpus = summary["table"][0]["corpus"]
    single = [
        test
        for test in summary["tests"]
        if "network" in test and test["corpus"] == corpus and test["score"] == "macro_aupr"
    ]
    shown = [test["network"] for test in single if verdict(test) == "first"]
    return shown, [test["network"] for test in single if test["network"] not in shown]


def read(name: str, summary: Summary) -> list[str]:
    """Return the sentences of an experiment."""
    return _READERS[name](summary)


def _outcome(name: str, summary: Summary) -> str:
    finding = FINDINGS[name]
    published = "" if finding.p_value is None else f" (published: {_p(finding.p_value)})"
    found = outcome(name, summary)
    if summary["quick"]:
        word = {"reproduced": "shows", "partly reproduced": "shows in part"}.get(
            found, "does not show"
        )
        return (
            f"The paper's finding that {finding.claim}{published} {word} in this quick run, on a "
            "small part of the experiment: a first look, no evidence."
        )
    where = ""
    if name == "real" and found == "partly reproduced":
        shown, others = _networks_that_show_it(summary)
        where = f": on {_listed(shown)}, not on {_listed(others)}"
    return f"The paper's finding that {finding.claim}{published} is {found}{where}."


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "no single network"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _p(p: float) -> str:
    return f"p\u00a0=\u00a0{p_text(p)}"


def _compared(test: Mapping[str, Any], what: str) -> str:
    first, second = METHODS[test["first"]].title, METHODS[test["second"]].title
    how = {"first": "higher", "second": "lower", "neither": "not clearly different"}[verdict(test)]
    return (
        f"{what}, the {_lower(first)} is {how} than the {_lower(second)}: mean difference "
        f"{number(test['difference'])} (95 % interval {number(test['low'])} to "
        f"{number(test['high'])}), higher in {test['wins']} of {test['n']}, "
        f"one-sided {_p(test['p_value'])}."
    ).replace("different than", "different from")


def _lower(title: str) -> str:
    return title[0].lower() + title[1:] if title.startswith("Hyperbolic") else title


def _read_gaussian(summary: Summary) -> list[str]:
    tests = summary["tests"]
    n = summary["n_datasets"]
    main = find_test(tests, score="macro_aupr")
    sentences = [_outcome("gaussian", summary), _compared(main, f"Over {n} mixtures")]
    return sentences + _other_scores(tests, "all data sets") + _others(summary)


def _read_evolving(summary: Summary) -> list[str]:
    tests = summary["tests"]
    main = find_test(tests, score="macro_aupr", over="all data sets")
    sentences = [
        _outcome("evolving", summary),
        _compared(main, f"Over {summary['n_datasets']} data sets"),
    ]
    sentences += [
        _compared(test, f"Among {test['over'].replace('-', '–')}")
        for test in tests
        if test["over"].startswith("labels of") and test["score"] == "macro_aupr"
    ]
    networks = find_test(tests, over="means of networks", score="macro_aupr")
    sentences.append(
        "Data sets on one network share its points, so they are not independent, as the test over "
        f"data sets takes them to be. Over the means of the {networks['n']} networks the "
        f"one-sided p is {p_text(networks['p_value'])}."
    )
    return sentences + _other_scores(tests, "all data sets") + _others(summary)


def _read_real(summary: Summary) -> list[str]:
    corpora = list(dict.fromkeys(row["corpus"] for row in summary["table"]))
    sentences = [_outcome("real", summary)]
    for corpus in corpora:
        tests = [test for test in summary["tests"] if test["corpus"] == corpus]
        pooled = find_test(tests, over="all embeddings", score="macro_aupr")
        sentences.append(_compared(pooled, f"On the {corpus} corpus, over all embeddings"))
        sentences.append(_by_network(tests, corpus))
        sentences.append(_against_deepwalk(summary["table"], corpus))
    if len(corpora) > 1:
        sentences.append(_corpus_effect(summary["table"], corpora))
    return sentences


def _other_scores(tests: Sequence[Mapping[str, Any]], over: str) -> list[str]:
    main = verdict(find_test(tests, over=over, score="macro_aupr"))
    others = {
        "average precision": find_test(tests, over=over, score="macro_average_precision"),
        "area under the ROC curve": find_test(tests, over=over, score="macro_roc_auc"),
    }
    parts = [
        f"{name} (difference {number(test['difference'])}, {_p(test['p_value'])})"
        for name, test in others.items()
    ]
    agree = all(verdict(test) == main for test in others.values())
    start = "Other scores agree" if agree else "Other scores do not all agree"
    return [f"{start}: {' and '.join(parts)}."]


def _others(summary: Summary) -> list[str]:
    extra = [test for test in summary["tests"] if test["first"] not in PAPER]
    return [
        f"{METHODS[test['first']].title} against {METHODS[test['second']].title}: mean difference "
        f"{number(test['difference'])}, one-sided {_p(test['p_value'])}."
        for test in extra
    ]


def _by_network(tests: Sequence[Mapping[str, Any]], corpus: str) -> str:
    single = [test for test in tests if "network" in test and test["score"] == "macro_aupr"]
    parts = [
        f"{test['network']} {number(test['difference'])} "
        + ("(equal throughout)" if test["ties"] == test["n"] else f"({_p(test['p_value'])})")
        for test in single
    ]
    n = single[0]["n"]
    return (
        f"Hyperbolic minus Euclidean SVM on the same {corpus}-corpus embeddings, {n} a network: "
        f"{', '.join(parts)}."
    )


def _against_deepwalk(table: Sequence[Mapping[str, Any]], corpus: str) -> str:
    parts = []
    for network in dict.fromkeys(row["network"] for row in table):
        rows = [row for row in table if row["network"] == network and row["corpus"] == corpus]
        ours = next(
            row["scores"]["macro_aupr"]["mean"]
            for row in rows
            if row["features"] == "hyperbolic" and row["method"] == "hyperbolic"
        )
        walks = [row for row in rows if row["features"].startswith("deepwalk")]
        best = max(walks, key=lambda row: row["scores"]["macro_aupr"]["mean"])
        mean = best["scores"]["macro_aupr"]["mean"]
        word = "above" if ours > mean else "below"
        if number(ours) == number(mean):
            word = "level"
        dimension = best["features"].partition("-")[2]
        parts.append(f"{word} on {network} ({number(ours)} and {number(mean)}, {dimension} dim.)")
    return (
        f"Against the best DeepWalk dimension of the {corpus} corpus, the hyperbolic SVM in two "
        f"dimensions is {', '.join(parts)}."
    )


def _corpus_effect(table: Sequence[Mapping[str, Any]], corpora: Sequence[str]) -> str:
    def mean(corpus: str, hyperbolic: bool) -> float:
        values = [
            row["scores"]["macro_aupr"]["mean"]
            for row in table
            if row["corpus"] == corpus
            and (row["features"] == "hyperbolic") == hyperbolic
            and (row["method"] == "hyperbolic") == hyperbolic
        ]
        return float(np.mean(values))

    gain = {kind: mean(corpora[-1], kind) - mean(corpora[0], kind) for kind in (True, False)}
    lead = {corpus: mean(corpus, True) - mean(corpus, False) for corpus in corpora}
    first, last = lead[corpora[0]], lead[corpora[-1]]
    reading = ""
    if first > 0 >= last:
        reading = " The lead on the short corpus does not hold on the long one."
    elif min(first, last) > 0:
        reading = " The lead holds on both."
    return (
        f"From the {corpora[0]} to the {corpora[-1]} corpus the mean macro AUPR changes by "
        f"{number(gain[True])} for the hyperbolic SVM and by {number(gain[False])} for DeepWalk; "
        f"the lead of the former over the mean of the latter is {number(first)} on the "
        f"{corpora[0]} and {number(last)} on the {corpora[-1]} corpus.{reading}"
    )


_READERS = {"gaussian": _read_gaussian, "evolving": _read_evolving, "real": _read_real}
