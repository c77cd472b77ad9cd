"""Pieces of work, and the folder that keeps the finished ones."""

import hashlib
import json
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import hyplane
from hyplane._typing import Array

# Raise it when what a piece computes or stores changes: older pieces are then left alone.
FORMAT = 1
# A name that a killed run left behind is cleared away after this many seconds.
_STALE = 3600.0


@dataclass(frozen=True)
class Piece:
    """One piece of work: a function of its settings alone.

    Attributes
    ----------
    name : str
        What it is, for the progress bar and the file.
    function : callable
        Takes the settings and the store, returns what JSON can hold. The store is for pieces that
        build on others.
    settings : dict
        Everything the result depends on.
    cost : float
        Roughly how long it takes, in any unit.
    """

    name: str
    function: Callable[[dict[str, Any], "PieceStore"], dict[str, Any]]
    settings: dict[str, Any]
    cost: float = 1.0

    @cached_property
    def key(self) -> str:
        """Hash of the function, the settings and the version of the package."""
        content = {
            "format": FORMAT,
            "version": hyplane.__version__,
            "function": f"{self.function.__module__}.{self.function.__qualname__}",
            "settings": self.settings,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def file_name(self) -> str:
        """Readable, and different for different settings."""
        words = "".join(c if c.isalnum() else "-" for c in self.name.lower())
        return f"{words}-{self.key[:16]}.json"


class PieceStore:
    """A folder of finished pieces, one small JSON file each.

    A file is written under another name and then renamed, so that it is whole or not there: a run
    that is killed loses the pieces under way and nothing else.

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
        """Return the result of a finished piece; None where there is none that can be used."""
        try:
            content = json.loads((self.folder / piece.file_name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(content, dict) or content.get("key") != piece.key:
            return None
        result = content.get("result")
        return result if isinstance(result, dict) else None

    def save(self, piece: Piece, result: Mapping[str, Any]) -> None:
        """Keep the result of a piece."""
        content = {"key": piece.key, "name": piece.name, "settings": piece.settings}
        path = self.folder / piece.file_name
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        unfinished.write_text(json.dumps({**content, "result": result}), encoding="utf-8")
        os.replace(unfinished, path)

    def obtain(self, piece: Piece) -> dict[str, Any]:
        """Return the result of a piece, computed now if it is not there."""
        result = self.load(piece)
        if result is None:
            start = time.perf_counter()
            # As JSON gives it back, so that a first run and a resumed one see the same.
            computed = {**piece.function(piece.settings, self)}
            computed["seconds"] = time.perf_counter() - start
            self.save(piece, computed)
            result = json.loads(json.dumps(computed))
        return result

    def clear_unfinished(self) -> None:
        """Remove what killed runs left half written."""
        for path in self.folder.glob("*.tmp"):
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


def encode_array(values: Array) -> dict[str, Any]:
    """Write an array as JSON, exactly."""
    values = np.ascontiguousarray(values, dtype="<f8")
    return {"shape": list(values.shape), "float64": b64encode(values.tobytes()).decode()}


def decode_array(content: Mapping[str, Any]) -> Array:
    """Read what `encode_array` wrote.

    Examples
    --------
    >>> decode_array(encode_array(np.array([[0.1, 0.2]])))
    array([[0.1, 0.2]])
    """
    values = np.frombuffer(b64decode(content["float64"]), dtype="<f8")
    return values.reshape(content["shape"]).astype(np.float64)
