"""Pieces of work. Each is computed once, and its result is kept as a small JSON file."""

import hashlib
import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import Any

from joblib import delayed, effective_n_jobs
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits

from hyplane._utils.files import write_text
from hyplane._utils.parallel import results_of
from hyplane._utils.progress import Progress, Waiting, silence

Result = dict[str, Any]


class ReproductionInterrupted(KeyboardInterrupt):
    """The run was stopped; its message says how to continue.

    Examples
    --------
    >>> from hyplane.paper import ReproductionInterrupted
    >>> issubclass(ReproductionInterrupted, KeyboardInterrupt)
    True
    """


@dataclass(frozen=True)
class Own:
    """An estimator, or the points and labels of a data set. Files hold its digest only."""

    digest: str
    content: Any = field(compare=False, repr=False)
    place: str = field(default="", compare=False)  # where to import or read it from


@dataclass(frozen=True)
class Piece:
    """One piece of work: a function of its settings alone.

    Attributes
    ----------
    name : str
        Name of the piece, which its file is named after.
    function : callable
        Takes the settings and the store, and returns a dict that JSON can hold. A piece that builds
        on another obtains its result from the store. ``records`` are the raw scores.
    settings : dict
        Everything that the result depends on.
    labels : dict
        Columns of the table of raw scores that name the data set.
    cost : float
        Estimated seconds. The longest pieces are begun first.
    stage : int
        Pieces of a lower stage are begun first, since others build on them.
    """

    name: str
    function: Callable[[dict[str, Any], "PieceStore"], Result]
    settings: dict[str, Any]
    labels: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0
    stage: int = 1

    @cached_property
    def key(self) -> str:
        """Digest of the settings and of the function with the file that defines it."""
        code = [self.function.__qualname__, source_digest(self.function.__module__)]
        return digest_of([code, self.settings])

    @property
    def file_name(self) -> str:
        """Readable, and different for different settings."""
        words = "".join(c if c.isalnum() else "-" for c in self.name.lower())
        return f"{words}-{self.key[:16]}.json"


class PieceStore:
    """The finished pieces of a report, in a folder named by a digest of the code.

    A file appears only when it is complete, so a run that is killed loses only the pieces that it
    was computing. Each file holds a checksum of its result.
    """

    def __init__(self, output: str | os.PathLike[str]) -> None:
        self.folder = Path(output).absolute() / "pieces" / package_digest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)

    def load(self, piece: Piece) -> Result | None:
        """Return the result of a finished piece; None, with a warning, if its file is damaged."""
        path = self.folder / piece.file_name
        try:
            match json.loads(path.read_bytes()):
                case {"key": piece.key, "sha256": str(checksum), "result": dict(result)}:
                    if checksum == digest_of(result):
                        return result
        except FileNotFoundError:
            return None
        except ValueError:  # no JSON, or no text
            pass
        warnings.warn(f"{path} is damaged; the piece is computed again.", UserWarning, stacklevel=2)
        path.unlink()
        return None

    def save(self, piece: Piece, result: Mapping[str, Any]) -> None:
        """Keep the result of a piece."""
        content = {"key": piece.key, "name": piece.name, "settings": piece.settings}
        content |= {"sha256": digest_of(result), "result": result}
        # Not flushed to the disk one by one: after a power failure a checksum is wrong, and the
        # piece is computed again.
        write_text(self.folder / piece.file_name, as_json(content), durable=False)

    def obtain(self, piece: Piece) -> Result:
        """Return the result of a piece, computed now if it is not there or damaged."""
        result = self.load(piece)
        if result is None:
            start = time.perf_counter()
            computed = {**piece.function(piece.settings, self)}
            computed["seconds"] = time.perf_counter() - start
            self.save(piece, computed)
            result = json.loads(as_json(computed))  # as a later run will read it
        return result


def run_pieces(
    pieces: Sequence[Piece], store: PieceStore, *, n_jobs: int = -1, progress: bool = True
) -> int:
    """Compute the pieces that are not in the store yet, and return their number.

    Ctrl-C raises ReproductionInterrupted. Finished pieces are kept.
    """
    missing = [piece for piece in pieces if store.load(piece) is None]
    missing.sort(key=lambda piece: (piece.stage, -piece.cost))
    total, left = (sum(piece.cost for piece in each) for each in (pieces, missing))
    n_done = len(pieces) - len(missing)
    shown = {"lines": True, "shown": progress and left > 0}
    # The clock redraws what was opened last, so the bar is opened after it.
    clock = Waiting("computing the experiments") if progress else nullcontext()
    try:
        with clock, Progress(total, "starting", initial=total - left, **shown) as bar:
            for piece, _ in zip(missing, _results(missing, store, n_jobs), strict=True):
                n_done += 1
                bar.advance(piece.cost, f"{n_done}/{len(pieces)} pieces")
    except KeyboardInterrupt:
        n_done = sum((store.folder / piece.file_name).exists() for piece in pieces)
        raise ReproductionInterrupted(
            f"Stopped: {n_done} of {len(pieces)} pieces are finished and kept in {store.folder}. "
            "Run the same command again to continue."
        ) from None
    return len(missing)


def _results(pieces: Sequence[Piece], store: PieceStore, n_jobs: int) -> Iterator[Result]:
    n_workers = min(effective_n_jobs(n_jobs), max(len(pieces), 1))
    if n_workers > 1:  # workers of an earlier call may not find the modules of the user's methods
        get_reusable_executor().shutdown(wait=True)
    tasks = (delayed(_compute)(piece, store, os.getpid()) for piece in pieces)
    yield from results_of(tasks, n_workers)


def _compute(piece: Piece, store: PieceStore, parent: int) -> Result:
    if os.getpid() != parent:
        _prepare_worker(parent)
    # One thread on every machine: with more, BLAS adds in another order and rounds differently.
    with threadpool_limits(limits=1):
        return store.obtain(piece)


@cache
def _prepare_worker(parent: int) -> None:
    silence()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process if its parent has been killed."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def derive_seed(*parts: int | str) -> int:
    """Return a seed derived from the seed of the run and the words that name its use."""
    return int(digest_of(parts)[:8], 16) >> 1


def as_json(content: Any, **how: Any) -> str:
    """Return content as JSON, with digests in place of the user's own objects."""
    return json.dumps(content, default=attrgetter("digest"), **how)


def digest_of(content: Any) -> str:
    """Return a SHA-256 digest of what JSON can hold."""
    return hashlib.sha256(as_json(content, sort_keys=True).encode()).hexdigest()


def source_digest(module: str) -> str:
    """Return a digest of the file of a module; "" where there is none, as in a notebook."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return "" if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()


@cache
def package_digest() -> str:
    """Return a digest of the package as it is now, and of the libraries that compute."""
    versions = [version(library) for library in ("numpy", "scipy", "scikit-learn")]
    return digest_of([digest_of_folder(Path(__file__).parents[1]), versions])


def digest_of_folder(folder: Path) -> str:
    """Return a digest of names and contents: sources, compiled modules and data, no caches."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".pyc", ".pyi", ".cpp", ".hpp", ".tmp") and path.is_file():
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
