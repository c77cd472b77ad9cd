"""What the numbers say, in plain words computed from them."""

from collections.abc import Mapping, Sequence
from typing import Any

from hyplane.paper._trials import title_of
from hyplane.paper.paper import PAPER, Finding
from hyplane.paper.summaries import TESTED, find_test

Test = Mapping[str, Any]

# Fewer pairs than this that do not favour the first method say nothing about a finding.
FEW_PAIRS = 10
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    """Write a number with a minus sign that is one.

    Examples
    --------
    >>> number(-0.01234), number(-0.00001), number(float("nan"))
    ('−0.012', '0.000', '–')
    """
    # Adding 0 takes the sign from what rounds to zero.
    return "–" if value != value else f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


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


def p_equals(p: float) -> str:
    """Write a probability as an equation."""
    return f"p\u00a0=\u00a0{p_text(p)}"


def interval(test: Test, digits: int = 3) -> str:
    """Write the confidence interval of a mean difference; a dash where there is none."""
    if test["low"] != test["low"]:
        return "–"
    return f"{number(test['low'], digits)} to {number(test['high'], digits)}"


def listed(names: Sequence[str]) -> str:
    """Write names as a list in a sentence.

    Examples
    --------
    >>> listed(["karate", "football", "polblogs"])
    'karate, football and polblogs'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def verdict(test: Test) -> str:
    """Say which method a test favours: "first" or "second" if its interval leaves out zero.

    Examples
    --------
    >>> verdict({"low": 0.01, "high": 0.03}), verdict({"low": -0.01, "high": 0.03})
    ('first', 'neither')
    """
    # To the three digits that are shown: no verdict beside an interval that reads 0.000.
    if round(test["low"], 3) > 0:
        return "first"
    return "second" if round(test["high"], 3) < 0 else "neither"


def outcome_of(test: Test) -> str:
    """Say how the finding that the first method is higher shows in a test.

    Parameters
    ----------
    test : dict

    Returns
    -------
    outcome : {"reproduced", "not reproduced", "too small to tell"}

    Examples
    --------
    >>> outcome_of({"low": -0.2, "high": 0.3, "n": 2})
    'too small to tell'
    """
    found = verdict(test)
    if found == "first":
        return "reproduced"
    return "too small to tell" if test["n"] < FEW_PAIRS else "not reproduced"


def outcome_sentence(finding: Finding, outcome: str, where: str = "") -> str:
    """Say how the paper's finding shows, and where it does not."""
    published = "" if finding.p_value is None else f" (published: {p_equals(finding.p_value)})"
    claim = f"The paper's finding that {finding.claim}{published}"
    if outcome == "too small to tell":
        return f"{claim}: this run is too small to tell."
    return f"{claim} is {outcome}{where}."


def compared(test: Test, what: str) -> str:
    """Say what a test found; `what` says over which data."""
    first, second = (_in_sentence(title_of(test[name])) for name in ("first", "second"))
    if test["n"] < 2:
        return f"{what}, the {first} against the {second}: {_difference(test)}."
    how = {"first": "is higher than", "second": "is lower than"}.get(
        verdict(test), "is not clearly different from"
    )
    return f"{what}, the {first} {how} the {second}: {_difference(test)}."


def _difference(test: Test, digits: int = 3) -> str:
    """Write a mean difference and what a test says of it."""
    difference = number(test["difference"], digits)
    if test["n"] < 2:  # one difference has no spread
        unit = {"dataset": "data set"}.get(test["unit"], test["unit"])
        return f"difference {difference} (one {unit} has no interval and no p)"
    return (
        f"mean difference {difference} (95\u00a0% interval {interval(test, digits)}), higher in "
        f"{test['wins']} of {test['n']}, one-sided {p_equals(test['p_value'])}"
    )


def _in_sentence(title: str) -> str:
    return title[0].lower() + title[1:] if title.startswith("Hyperbolic") else title


def other_scores(tests: Sequence[Test], **wanted: Any) -> str:
    """Say whether the scores that the paper does not report agree with the one it does."""
    main = verdict(find_test(tests, score=TESTED[0], **wanted))
    others = {
        "average precision": find_test(tests, score=TESTED[1], **wanted),
        "area under the ROC curve": find_test(tests, score=TESTED[2], **wanted),
    }
    parts = [
        f"{name} (difference {number(test['difference'])}"
        f"{'' if test['n'] < 2 else ', ' + p_equals(test['p_value'])})"
        for name, test in others.items()
    ]
    if any(test["n"] < 2 for test in others.values()):
        return f"Other scores: {' and '.join(parts)}."
    agree = all(verdict(test) == main for test in others.values())
    start = "Other scores agree" if agree else "Other scores do not all agree"
    return f"{start}: {' and '.join(parts)}."


def other_methods(tests: Sequence[Test]) -> list[str]:
    """Say how our method and further ones compare with their rivals."""
    return [
        f"{title_of(test['first'])}, against {title_of(test['second'])} over "
        f"{test['over']}: {_difference(test, 4)}."
        for test in tests
        if test["first"] not in PAPER
    ]
