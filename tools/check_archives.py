"""Check what the source archive and the wheel hold: all that is needed, and nothing else.

Usage: python tools/check_archives.py hyplane-X.tar.gz hyplane-X.whl
"""

import re
import sys
import tarfile
import zipfile
from pathlib import PurePosixPath

# Files of the source archive, below its own folder.
SOURCE = re.compile(
    r"""(
        CHANGELOG\.md | CITATION\.cff | CMakeLists\.txt | LICENSE | PKG-INFO | README\.md
        | \.gitignore | pyproject\.toml | tools/(bundle_explorer|read_gt)\.py | javascript/\w+\.js
        | src/hyplane/.*\.(py|pyi|cpp|hpp|txt|css|js|html) | src/hyplane/py\.typed
        | tests/(?!docs/).*\.(py|json|txt|csv|cpp)
    )""",
    re.VERBOSE,
)
WHEEL = re.compile(
    r"""(
        hyplane/.*\.(py|pyi|txt|css|js|html|so|pyd) | hyplane/py\.typed
        | hyplane-[^/]*\.dist-info/.*
    )""",
    re.VERBOSE,
)

BUILT = re.compile(r"hyplane/native/[^/]*\.(so|pyd)$")


def names_of(archive: str) -> list[str]:
    """Return the files of an archive; those of a source archive without its own folder."""
    if archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as wheel:
            return [name for name in wheel.namelist() if not name.endswith("/")]
    with tarfile.open(archive) as source:
        files = [member.name for member in source.getmembers() if member.isfile()]
    return [str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in files]


def complaints(archive: str) -> list[str]:
    """Return what is wrong with an archive."""
    names = names_of(archive)
    wheel = archive.endswith(".whl")
    allowed = WHEEL if wheel else SOURCE
    found = [f"{name} does not belong there" for name in names if not allowed.fullmatch(name)]
    folder = "hyplane" if wheel else "src/hyplane"
    needed = [f"{folder}/py.typed", f"{folder}/datasets/data/polblogs.txt"]
    if not wheel:
        needed += ["LICENSE", "CITATION.cff", "CMakeLists.txt", "tests/test_doctests.py"]
    found += [f"{name} is missing" for name in needed if name not in names]
    if wheel:
        # Every stub in native/ is that of a compiled module.
        stubs = {PurePosixPath(name).stem for name in names if name.endswith(".pyi")}
        built = {PurePosixPath(name).name.split(".")[0] for name in names if BUILT.search(name)}
        found += [f"the compiled module {name} is missing" for name in sorted(stubs - built)]
        if not built:
            found.append("it has no compiled module")
    return found


def main(archives: list[str]) -> int:
    """Print the complaints about all archives, and return 1 if there are any."""
    wrong = 0
    for archive in archives:
        found = complaints(archive)
        wrong += len(found)
        state = "\n  ".join(found) if found else f"{len(names_of(archive))} files, as it should be"
        print(f"{archive.rpartition('/')[2]}: {state}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
