"""The command ``hyplane`` (``pip install "hyplane[cli]"``)."""

import gc
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words of the command line; by default those of the process.

    Returns
    -------
    code : int
        0 for success, 1 for an error in data or files, 2 for a wrong command line, 70 for a bug in
        hyplane, 130 after Ctrl-C, and 141 if the reader of the output went away.

    Examples
    --------
    >>> main(["generate", "gaussians", "--points", "2", "--classes", "2", "--seed", "0"])
    ball_x1,ball_x2,label
    ...
    0
    """
    # The message cannot be left to click, which is what is missing.
    if find_spec("click") is None:
        line = 'the command line needs click: pip install "hyplane[cli]"'
        print(f"hyplane: error: {line}", file=sys.stderr)
        return 1
    from hyplane.cli.app import run
    from hyplane.cli.errors import guarded, sound_streams

    words = sys.argv[1:] if arguments is None else list(arguments)
    rest = [word for word in words if word != "--debug"]  # it may stand anywhere
    with sound_streams():
        code = guarded(partial(run, rest), debug=len(rest) < len(words))
    if arguments is None:
        # The process ends now. Python would search all objects for cycles first, which takes longer
        # than the answer to Ctrl-C.
        gc.freeze()
    return code
