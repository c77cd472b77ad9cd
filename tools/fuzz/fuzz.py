"""Fuzz one target with atheris: python tools/fuzz/fuzz.py TARGET [libFuzzer options] [CORPUS...].

With the single option --replay the given files are only read, which needs no atheris.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))


def main() -> None:
    """Instrument hyplane, or just replay."""
    name, options = sys.argv[1], sys.argv[2:]
    if options[:1] == ["--replay"]:
        from targets import TARGETS, remove_folder

        files = [path for each in map(Path, options[1:]) for path in _files(each)]
        for path in files:
            TARGETS[name](path.read_bytes())
        remove_folder()
        print(f"{name}: {len(files)} files")
        return
    import atheris

    with atheris.instrument_imports(include=["hyplane"]):
        from targets import TARGETS
    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()


def _files(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]


if __name__ == "__main__":
    main()
