"""The command ``hyplane`` (``pip install "hyplane[cli]"``)."""

import gc
import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    code : int
        0 where all went well, 1 where data or files were at fault, 2 where the command was, 70
        where hyplane itself was, 130 after Ctrl-C, 141 where the reader of the output went away.

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

    code = run(arguments)
    if arguments is None:
        # The process ends now. Python would search all objects for cycles first, which takes longer
        # than the answer to Ctrl-C.
        gc.freeze()
    return code
