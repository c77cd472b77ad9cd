"""Sentences and texts that are computed from the numbers."""

from collections.abc import Sequence
from typing import Any

from hyplane.paper.summaries import TESTED, Test, find, title_of


def number(value: float, digits: int = 3) -> str:
    """Write a number with a minus sign; a dash where there is none.

    Examples
    --------
    >>> number(-0.01234), number(-0.00001), number(float("nan"))
    ('−0.012', '0.000', '–')
    """
    # Adding 0 takes the sign from what rounds to zero.
    return "–" if value != value else f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def p_text(p: float | None) -> str:
    r"""Write a probability.

    Examples
    --------
    >>> p_text(6.17e-28), p_text(0.0312), p_text(0.0)
    ('6.17\xa0×\xa010⁻²⁸', '0.031', '<\xa010⁻³⁰⁰')
    """
    if p is None or p != p:
        return "–"
    if p < 1e-300:
        return "<\u00a010⁻³⁰⁰"
    if p >= 1e-3:
        return f"{p:.3f}"
    mantissa, exponent = f"{p:.2e}".split("e")
    superscript = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return f"{mantissa}\u00a0×\u00a010{str(int(exponent)).translate(superscript)}"


def interval(test: Test, digits: int = 3) -> str:
    """Write the confidence interval of a mean difference; a dash where there is none."""
    low, high = (number(test[key], digits) for key in ("low", "high"))
    return "–" if low == "–" else f"{low} to {high}"


def listed(names: Sequence[str]) -> str:
    """Write names as a list in a sentence.

    Examples
    --------
    >>> listed(["karate", "football", "polblogs"])
    'karate, football and polblogs'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def verdict(test: Test) -> str:
    """Return whether the first method is higher or lower; not clear if the interval holds zero.

    Examples
    --------
    >>> verdict({"low": 0.01, "high": 0.03}), verdict({"low": -0.01, "high": 0.03})
    ('higher', 'not clear')
    """
    # Rounded to the three digits that are shown, so that the verdict agrees with them.
    if round(test["low"], 3) > 0:
        return "higher"
    return "lower" if round(test["high"], 3) < 0 else "not clear"


def outcome_of(test: Test, few_pairs: int = 10) -> str:
    """Return whether a test reproduces the finding that the first method is higher.

    Examples
    --------
    >>> outcome_of({"low": -0.2, "high": 0.3, "n": 2})
    'too small to tell'
    """
    if verdict(test) == "higher":
        return "reproduced"
    return "too small to tell" if test["n"] < few_pairs else "not reproduced"


def outcome_sentence(claim: str, p: float | None, outcome: str, where: str = "") -> str:
    """Return the sentence on the paper's finding; `where` says on which data."""
    published = "" if p is None else f" (published: {_p_equals(p)})"
    start = f"The paper's finding that {claim}{published}"
    if outcome == "too small to tell":
        return f"{start}: this run is too small to tell."
    return f"{start} is {outcome}{where}."


def compared(test: Test, what: str) -> str:
    """Return the sentence on a test; `what` names its data."""
    first, second = (title_of(test[name]).replace("Hyp", "hyp") for name in ("first", "second"))
    difference = f"difference {number(test['difference'])}"
    if test["n"] < 2:  # one difference has no spread
        unit = test["unit"].replace("dataset", "data set")
        missing = f"(one {unit} has no interval and no p)"
        return f"{what}, the {first} against the {second}: {difference} {missing}."
    words = {"higher": "is higher than", "lower": "is lower than"}
    how = words.get(verdict(test), "is not clearly different from")
    return (
        f"{what}, the {first} {how} the {second}: mean {difference} (95\u00a0% interval "
        f"{interval(test)}), higher in {test['wins']} of {test['n']}, one-sided "
        f"{_p_equals(test['p_value'])}."
    )


def other_scores(tests: Sequence[Test], **wanted: Any) -> str:
    """Return the sentence on the scores that the paper does not report."""
    main, *others = (find(tests, score=score, **wanted)[0] for score in TESTED)
    names, single = ("average precision", "area under the ROC curve"), main["n"] < 2
    parts = [
        f"{name} (difference {number(test['difference'])}"
        f"{'' if single else ', ' + _p_equals(test['p_value'])})"
        for name, test in zip(names, others, strict=True)
    ]
    agree = all(verdict(test) == verdict(main) for test in others)
    words = "" if single else " agree" if agree else " do not all agree"
    return f"Other scores{words}: {' and '.join(parts)}."


def _p_equals(p: float) -> str:
    return f"p\u00a0=\u00a0{p_text(p)}"
