"""Text from files and users as a terminal may show it."""

import re

# Control characters but the tab, line separators, and marks that turn the direction of writing.
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return text with escapes in place of control characters, line breaks included.

    Without this a label or a file name could move the cursor, rename the window or forge a line.

    Examples
    --------
    >>> print(visible("a\x1b[2Jb\nc"))
    a\x1b[2Jb\nc
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
