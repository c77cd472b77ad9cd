"""Pieces of work, and the folder that keeps the finished ones."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from hyplane._utils.files import write_text
from hyplane.paper._digest import code_of

# A name that a killed run left behind is cleared away after this many seconds.
_STALE = 3600.0


class DamagedPiece(ValueError):
    """A file of a finished piece does not hold what was written to it."""


@dataclass(frozen=True)
class Piece:
    """One piece of work: a function of its settings alone.

    Attributes
    ----------
    name : str
        What it is, for the progress bar and the file.
    function : callable
        Takes the settings and the store, returns what JSON can hold. The store is for pieces that
        build on others. ``records`` in the result are the raw scores.
    settings : dict
        Everything the result depends on.
    labels : dict
        What the records belong to: columns of the table of raw scores.
    cost : float
        Roughly how long it takes, in seconds. The longest are begun first.
    stage : int
        Pieces of a lower stage are begun earlier: those that others build on.
    """

    name: str
    function: Callable[[dict[str, Any], "PieceStore"], dict[str, Any]]
    settings: dict[str, Any]
    labels: dict[str, Any] = field(default_factory=dict)
    cost: float = 1.0
    stage: int = 1

    @cached_property
    def key(self) -> str:
        """Digest of the settings and of the code that computes the piece."""
        return _digest([code_of(self.function), self.settings])

    @property
    def file_name(self) -> str:
        """Readable, and different for different settings."""
        words = "".join(c if c.isalnum() else "-" for c in self.name.lower())
        return f"{words}-{self.key[:16]}.json"


class PieceStore:
    """A folder of finished pieces, one small JSON file each.

    A file is written under another name and then renamed, so that it is whole or not there: a run
    that is killed loses the pieces under way and nothing else. Each file holds a checksum of its
    result.

    Parameters
    ----------
    folder : path
        Made where it does not exist.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> store = PieceStore(mkdtemp())
    >>> piece = Piece("sum", lambda settings, store: {"sum": sum(settings["of"])}, {"of": [1, 2]})
    >>> store.load(piece) is None, store.obtain(piece)["sum"], store.load(piece)["sum"]
    (True, 3, 3)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def load(self, piece: Piece) -> dict[str, Any] | None:
        """Return the result of a finished piece, None where it is not finished.

        Raises
        ------
        DamagedPiece
            If its file was changed after it was written.
        """
        path = self.folder / piece.file_name
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise DamagedPiece(f"{path} is not readable: {error}") from error
        try:
            match json.loads(text):
                case {"key": piece.key, "sha256": str(checksum), "result": dict(result)}:
                    if checksum == _digest(result):
                        return result
        except ValueError:
            pass
        raise DamagedPiece(f"{path} does not have the content it was written with")

    def save(self, piece: Piece, result: Mapping[str, Any]) -> None:
        """Keep the result of a piece."""
        content = {
            "key": piece.key,
            "name": piece.name,
            "settings": piece.settings,
            "sha256": _digest(result),
            "result": result,
        }
        # Thousands of small files: a worker should not wait for the disk. What a power failure
        # damages has a wrong checksum, and is computed anew.
        write_text(self.folder / piece.file_name, json.dumps(content), durable=False)

    def obtain(self, piece: Piece) -> dict[str, Any]:
        """Return the result of a piece, computed now if it is not there or damaged."""
        try:
            result = self.load(piece)
        except DamagedPiece:
            result = None
        if result is None:
            start = time.perf_counter()
            computed = {**piece.function(piece.settings, self)}
            computed["seconds"] = time.perf_counter() - start
            self.save(piece, computed)
            # As JSON gives it back, so that a first run and a resumed one see the same.
            result = json.loads(json.dumps(computed))
        return result

    def clear_unfinished(self) -> None:
        """Remove what killed runs left half written."""
        for path in self.folder.glob(".*.tmp"):
            if time.time() - path.stat().st_mtime > _STALE:
                path.unlink(missing_ok=True)


def derive_seed(*parts: int | str) -> int:
    """Return a seed that depends on all of the parts and on nothing else.

    Parameters
    ----------
    *parts : int or str
        The seed of the run, and what tells this use of it from others.

    Returns
    -------
    seed : int

    Examples
    --------
    >>> derive_seed(0, "a", 1) == derive_seed(0, "a", 1) != derive_seed(0, "a", 2)
    True
    """
    text = json.dumps(parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
