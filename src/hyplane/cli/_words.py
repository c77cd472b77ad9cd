"""Words and numbers as people write them."""

from collections.abc import Sequence


def is_plain(cell: str) -> bool:
    """Whether text has no writing of numbers that only Python knows: 1_000, or other digits."""
    return cell.isascii() and "_" not in cell


def is_whole(word: str) -> bool:
    """Whether a word is a whole number in its usual writing, so that it can be written back."""
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(word) < 19 and str(int(word)) == word


def numbered(count: int) -> list[str]:
    """Return the names of columns without one: 1, 2 and so on."""
    return [str(place) for place in range(1, count + 1)]


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that has occurred before."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def shortened(names: Sequence[str], most: int = 3) -> str:
    """List names, the middle of many left out.

    Examples
    --------
    >>> shortened(["x1", "x2"]), shortened(["x1", "x2", "x3", "x4", "x5"])
    ('x1, x2', 'x1, x2, x3, … x5')
    """
    return ", ".join(names[:most]) + (f", … {names[-1]}" if len(names) > most else "")
