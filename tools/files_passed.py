"""Print the files of the package that a command passes, in the order of their first call.

    python tools/files_passed.py fit points.csv --label label -o model.json

counts the files with a function that is called while the command runs; what runs only while a
module is imported does not count. The output of the command goes to the standard error.
"""

import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import hyplane

_PACKAGE = Path(hyplane.__file__).resolve().parent


def files_passed(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return the result of a call and the files it passes, relative to the package."""
    passed: dict[str, None] = {}
    importing = 0

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing:
            passed.setdefault(code.co_filename)

    sys.setprofile(watch)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    paths = [Path(name) for name in passed if not name.startswith("<")]
    ours = [path for path in paths if path.resolve().is_relative_to(_PACKAGE)]
    return result, [path.resolve().relative_to(_PACKAGE).as_posix() for path in ours]


def main(arguments: Sequence[str]) -> int:
    """Run a command and print the files."""
    from hyplane.cli import main as run_command

    with contextlib.redirect_stdout(sys.stderr):
        code, files = files_passed(lambda: run_command(arguments))
    print("\n".join(files))
    print(f"{len(files)} files")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
