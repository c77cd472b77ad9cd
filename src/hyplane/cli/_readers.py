"""Tables from files: Parquet, NPY, NPZ and MAT; text is read in `_text_files`."""

import io
import json
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.charts import CHARTS, chart_name
from hyplane._utils.optional import import_optional
from hyplane.cli._spaces import Space, point_names
from hyplane.cli._tables import Column, Table
from hyplane.cli._text_files import read_csv, read_tsv
from hyplane.cli._words import numbered

_MOST_COLUMNS = 1_000_000
# What Parquet's metadata have the chart under.
METADATA = b"hyplane"
Reader = Callable[[IO[bytes], str, bool | None], Table]


def read_parquet(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read a Parquet file."""
    pyarrow = import_pyarrow()
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(file.read()))
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise ValueError(f"{origin} is not a Parquet file that can be read: {error}") from error
    columns: dict[str, Column] = {
        name: table.column(name).to_numpy() for name in table.column_names
    }
    return Table(columns, origin, spaces=told_spaces(table.schema.metadata, origin))


def told_spaces(metadata: Mapping[bytes, bytes] | None, origin: str) -> dict[str, Space]:
    """Return what the metadata of a Parquet file say of its columns."""
    told = (metadata or {}).get(METADATA)
    if told is None:
        return {}
    try:
        found = json.loads(told)
        space = _space(found["coordinates"], found["curvature"], origin)
        return {str(name): space for name in found["points"]}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"{origin} has metadata of hyplane that cannot be read") from error


def _space(coordinates: Any, curvature: Any, origin: str) -> Space:
    number = float(curvature)
    try:
        chart = chart_name(str(coordinates))
    except ValueError:
        chart = ""
    if not chart or not -np.inf < number < 0:
        raise ValueError(
            f"{origin} says that its points are in the chart {str(coordinates)!r} of curvature "
            f"{number:g}, which there is not; charts are {', '.join(CHARTS)}"
        )
    return Space(chart, number)


def import_pyarrow() -> Any:
    """Import the library that reads and writes Parquet."""
    import_optional("pyarrow.parquet", "parquet")
    return import_optional("pyarrow", "parquet")


def read_npy(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read an array of two dimensions, or one of records."""
    array = _load(file, origin, "an NPY")
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{origin} is not an NPY file but an archive; call it .npz")
    if array.dtype.names:
        records = array.ravel()
        return Table({name: records[name] for name in array.dtype.names}, origin)
    if array.ndim != 2:
        raise ValueError(
            f"{origin} has an array of shape {array.shape}; a table has rows and columns"
        )
    _check_width(array, origin)
    names = numbered(array.shape[1])
    return Table(dict(zip(names, array.T, strict=True)), origin, named=False)


def read_npz(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read arrays with one row each for the same points."""
    archive = _load(file, origin, "an NPZ")
    if isinstance(archive, np.ndarray):
        raise ValueError(f"{origin} is not an NPZ file but a single array; call it .npy")
    try:
        arrays = {name: archive[name] for name in archive.files}
    except MemoryError:
        raise
    except Exception as error:  # NumPy and zipfile raise almost anything on a foreign file
        if "allow_pickle" in str(error):
            raise ValueError(f"{origin} holds Python objects, which are not loaded") from error
        raise ValueError(f"{origin} is not an NPZ file that can be read: {error}") from error
    foreign = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if foreign:
        raise ValueError(f"{origin} holds {foreign[0]!r}, which is not an array")
    return _from_arrays(arrays, origin)


def _load(file: IO[bytes], origin: str, kind: str) -> Any:
    from hyplane.datasets.array_files import check_arrays_fit

    if file.seekable():
        check_arrays_fit(file, origin)
    try:
        return np.load(file, allow_pickle=False)
    except MemoryError:
        raise
    except Exception as error:
        if "allow_pickle" in str(error) and file.seekable() and _magic(file):
            raise ValueError(f"{origin} holds Python objects, which are not loaded") from error
        raise ValueError(f"{origin} is not {kind} file that can be read") from error


def _magic(file: IO[bytes]) -> bool:
    file.seek(0)
    return file.read(6) in (b"\x93NUMPY", b"PK\x03\x04")


def read_mat(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read the arrays of a MATLAB file of version 4 to 7."""
    from hyplane.datasets.array_files import read_mat_columns

    return _from_arrays(read_mat_columns(file.read(), origin), origin)


def _from_arrays(arrays: Mapping[str, NDArray[Any]], origin: str) -> Table:
    """Make columns of arrays: one of each vector, several of each matrix.

    A single word ``coordinates`` and a number ``curvature`` say what the matrix of the points is.
    """
    columns: dict[str, Column] = {}
    groups: dict[str, list[str]] = {}
    arrays, space = _without_space(arrays, origin)
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    points = "X" if "X" in matrices else matrices[0] if len(matrices) == 1 else None
    spaces: dict[str, Space] = {}
    for name, array in arrays.items():
        fresh: dict[str, Column] = {}
        if array.ndim == 1:
            fresh = {name: array}
        elif array.ndim == 2:
            _check_width(array, origin)
            groups[name] = [f"{name}{place}" for place in range(1, array.shape[1] + 1)]
            if space is not None and name == points:
                groups[name] = point_names(space, array.shape[1])
                spaces = dict.fromkeys(groups[name], space)
            fresh = dict(zip(groups[name], array.T, strict=True))
        taken = [column for column in fresh if column in columns]
        if taken:
            raise ValueError(
                f"{origin} has two columns named {taken[0]!r}, one of them of the array {name!r}: "
                "rename one of the arrays"
            )
        columns |= fresh
    if not columns:
        raise ValueError(f"{origin} holds no array of one or two dimensions")
    lengths = {name: len(array) for name, array in arrays.items() if array.ndim in (1, 2)}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"the arrays of {origin} differ in their number of rows: {sizes}")
    return Table(columns, origin, groups=groups, spaces=spaces)


def _without_space(
    arrays: Mapping[str, NDArray[Any]], origin: str
) -> tuple[dict[str, NDArray[Any]], Space | None]:
    rest = dict(arrays)
    chart = rest.get("coordinates")
    if chart is None or chart.size != 1 or chart.dtype.kind not in "US":
        return rest, None
    del rest["coordinates"]
    word = chart.item()
    word = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
    curvature = rest.get("curvature")
    number = -1.0
    if curvature is not None and curvature.size == 1 and curvature.dtype.kind in "fiu":
        number = float(rest.pop("curvature").item())
    return rest, _space(word, number, origin)


def _check_width(array: NDArray[Any], origin: str) -> None:
    """Refuse more columns than any table has: a damaged header may claim any number of them."""
    if array.shape[1] > _MOST_COLUMNS:
        raise ValueError(
            f"{origin} has an array of shape {array.shape}; a table has at most {_MOST_COLUMNS} "
            "columns"
        )


READERS: dict[str, Reader] = {
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
    "npy": read_npy,
    "npz": read_npz,
    "mat": read_mat,
}
