"""Fitted classifiers as plain JSON files. Loading one never runs code.

A file holds the name of a class, its parameters, and what it learned. Each class of the package
states in ``_saved`` which attributes it learns, with their types and shapes, and what is loaded is
compared with that. Arrays are stored exactly: a loaded classifier predicts bit for bit what the
saved one did.
"""

import base64
import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, reduce
from importlib.metadata import version
from math import comb, isfinite, prod
from operator import attrgetter, or_
from typing import Any, get_args, get_origin

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.validation import check_is_fitted

import hyplane
from hyplane import baselines, features
from hyplane._utils.files import read_bytes, replacing
from hyplane.geometry import from_polar

__all__ = ["ModelFileError", "SavedModel", "load_model", "read_model", "save_model"]

FORMAT = "hyplane model"
FORMAT_VERSION = 4

# The attributes of every estimator, and of those of scikit-learn that baselines use. A value is a
# type, or the kind, shape and range of an array; see `_check_array`.
_EVERY = {"n_features_in_": "int[] from 1 to 1000000", "feature_names_in_": "label[n_columns]"}
_LINEAR = {
    "classes_": "label[n_classes]",
    "coef_": "finite[n_lines, n_columns]",
    "intercept_": "finite[...]",
    "n_iter_": "int[...]",
}
_SCIKIT_LEARN: dict[type[Any], dict[str, Any]] = {
    Pipeline: {},
    LinearSVC: _LINEAR,
    LogisticRegression: _LINEAR,
    # libsvm does not check the counts.
    SVC: {
        "classes_": "label[n_classes]",
        "class_weight_": "finite[n_classes]",
        "support_vectors_": "finite[n_support, n_columns]",
        "support_": "int[n_support]",
        "_n_support": "int[n_classes] from 0 to n_support",
        "dual_coef_": "finite[n_rows, n_support]",
        "_dual_coef_": "finite[n_classes - 1, n_support]",
        "intercept_": "finite[n_pairs]",
        "_intercept_": "finite[n_pairs]",
        "_probA": "float[0]",
        "_probB": "float[0]",
        "_gamma": "finite[]",
        "_sparse": "bool[] from 0 to 0",
        "_effective_probability": "bool[] from 0 to 0",
        "_num_iter": "int[...]",
        "n_iter_": "int[...]",
        "fit_status_": "int[]",
        "shape_fit_": tuple,
    },
}


class ModelFileError(ValueError):
    """Error raised for a file that this version of hyplane cannot load as a model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "model.json"
    ...     _ = file.write_text('{"format": "hyplane model", "format_version": 99}')
    ...     try:
    ...         load_model(file)
    ...     except ModelFileError as error:
    ...         print(str(error).split("model.json ")[1][:23])
    has the model format 99
    """


@dataclass(frozen=True)
class SavedModel:
    """The content of a model file.

    Attributes
    ----------
    estimator : classifier
        The fitted classifier.
    point_columns : list of str or None
        Names of the columns of the training points, where they were saved.
    label_columns : list of str or None
        Names of the columns of the labels, where they were saved.
    hyplane_version : str
        The version of hyplane that wrote the file.

    Examples
    --------
    >>> import tempfile
    >>> from hyplane import HyperbolicSVC
    >>> clf = HyperbolicSVC().fit([[0.5, 0.1], [-0.5, 0.3]], ["right", "left"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(clf, f"{folder}/model.json", point_columns=["x1", "x2"])
    ...     saved = read_model(f"{folder}/model.json")
    >>> saved.point_columns, saved.estimator
    (['x1', 'x2'], HyperbolicSVC())
    """

    estimator: Any
    point_columns: list[str] | None
    label_columns: list[str] | None
    hyplane_version: str


def save_model(
    estimator: Any,
    path: str | os.PathLike[str],
    *,
    point_columns: list[str] | None = None,
    label_columns: list[str] | None = None,
    readable: bool = False,
) -> None:
    """Save a fitted classifier to a JSON file.

    Parameters
    ----------
    estimator : classifier
        A fitted classifier of `hyplane` or `hyplane.baselines`.
    path : path
        The file to write. It appears whole or not at all.
    point_columns, label_columns : list of str, optional
        Names of the columns of the training points and labels, saved with the classifier.
    readable : bool, default=False
        Write the numbers of arrays as decimals, for people and for programs in other languages. The
        file is larger; the loaded classifier is the same to the last bit.

    Examples
    --------
    >>> import tempfile
    >>> from hyplane import HyperbolicSVC
    >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
    >>> clf = HyperbolicSVC().fit(X, ["right", "right", "left", "left"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(clf, f"{folder}/model.json")
    ...     loaded = load_model(f"{folder}/model.json")
    >>> loaded.predict([[0.3, 0.0]]), (loaded.coef_ == clf.coef_).all()
    (array(['right'], dtype='<U5'), np.True_)
    """
    text = model_text(
        estimator, point_columns=point_columns, label_columns=label_columns, readable=readable
    )
    with replacing(path) as file:
        file.write(text.encode())


def model_text(
    estimator: Any,
    *,
    point_columns: list[str] | None = None,
    label_columns: list[str] | None = None,
    readable: bool = False,
) -> str:
    """Return the content of the file that `save_model` writes."""
    stored = [kind for kind in _tables() if hasattr(kind, "predict")]
    if type(estimator) not in stored:
        known = [kind.__name__ for kind in stored if kind not in _SCIKIT_LEARN]
        raise TypeError(
            f"a {type(estimator).__name__} is not stored in model files; stored are "
            f"{', '.join(known)} and pipelines of hyplane.baselines"
        )
    check_is_fitted(estimator)
    if vars(estimator).get("_last_stream") is not None:
        warnings.warn(
            "the rows that partial_fit keeps are not saved: the loaded model predicts, but cannot "
            "learn from further batches. To continue the stream later, pickle the estimator.",
            UserWarning,
            stacklevel=3,
        )
    body = {
        "hyplane_version": version("hyplane"),
        "model": _encode(estimator, "the model", readable),
        "point_columns": point_columns,
        "label_columns": label_columns,
    }
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, "sha256": _digest(body)}
    text = json.dumps({**head, **body}, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    # Lists of numbers go on one line. In a word, line feeds are written as \\n.
    row = r'\[\n[^\[\]{}"\n]+(?:\n[^\[\]{}"\n]+)*\]'
    return re.sub(row, lambda found: " ".join(found[0].split()), text) if readable else text


def load_model(path: str | os.PathLike[str]) -> Any:
    """Load a classifier that `save_model` saved.

    Loading never runs code from the file: it can hold only the classes of hyplane and the parts of
    scikit-learn that its baselines use, their parameters, and arrays of numbers and labels.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    estimator : classifier
        It predicts bit for bit what the saved one did.

    Raises
    ------
    ModelFileError
        If the file is truncated, damaged, not a model file, or of another format version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "notes.txt"
    ...     _ = file.write_text("hello")
    ...     load_model(file)
    Traceback (most recent call last):
    hyplane.persistence.ModelFileError: ...notes.txt is not a hyplane model file
    """
    return read_model(path).estimator


def read_model(path: str | os.PathLike[str]) -> SavedModel:
    """Load a classifier together with the names of the columns it was fitted on.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    saved : SavedModel

    Examples
    --------
    >>> import tempfile
    >>> from hyplane import HyperbolicSVC
    >>> clf = HyperbolicSVC().fit([[0.5, 0.1], [-0.5, 0.3]], ["right", "left"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(clf, f"{folder}/model.json", label_columns=["side"])
    ...     print(read_model(f"{folder}/model.json").label_columns)
    ['side']
    """
    document = _parse(read_bytes(path), str(path))
    try:
        estimator = _decode(document["model"])
        _try_to_predict(estimator)
        columns = [document["point_columns"], document["label_columns"]]
        points, labels = (None if names is None else list(map(str, names)) for names in columns)
        return SavedModel(estimator, points, labels, str(document["hyplane_version"]))
    except Exception as error:  # a forged file can make scikit-learn raise anything
        raise ModelFileError(f"{path} does not hold a model that can be loaded: {error}") from error


def _parse(data: bytes, path: str) -> dict[str, Any]:
    """Return the content of a file that is whole and of the present format."""
    try:
        document = json.loads(data)
        digest = _digest(document)
    except (ValueError, RecursionError) as error:
        document = None
        if FORMAT.encode() in data[:200]:
            raise ModelFileError(
                f"{path} is a hyplane model file that is cut off or damaged: {error}"
            ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"{path} is not a hyplane model file")
    number = document.get("format_version")
    if number != FORMAT_VERSION:
        raise ModelFileError(
            f"{path} has the model format {number!r}, written by hyplane "
            f"{document.get('hyplane_version')}; hyplane {version('hyplane')} reads format "
            f"{FORMAT_VERSION}. Install the version that wrote it, or save the model again."
        )
    if document.get("sha256") != digest:
        raise ModelFileError(
            f"{path} was changed after it was written: its checksum does not fit its content"
        )
    return document


def _digest(document: Any) -> str:
    """Return the checksum of what follows the head of a document."""
    head = ("format", "format_version", "sha256")
    if isinstance(document, dict):
        document = {name: value for name, value in document.items() if name not in head}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


@cache
def _tables() -> dict[type[Any], dict[str, Any]]:
    """Return the classes that a file may hold, each with the attributes that it learns."""
    packages = (hyplane, baselines, features)
    public = [getattr(package, name) for package in packages for name in package.__all__]
    tables = dict(_SCIKIT_LEARN)
    for kind in public:
        if hasattr(kind, "_saved"):
            parts = [vars(base).get("_saved", {}) for base in reversed(kind.__mro__)]
            tables[kind] = reduce(or_, parts)
    stated = [each for table in tables.values() for each in table.values()]
    records: dict[Any, Any] = {kind: {} for each in stated for kind in _records(each)}
    return {kind: _EVERY | table for kind, table in tables.items()} | records


def _records(stated: Any) -> Iterator[type[Any]]:
    """Yield the data classes that a type is made of."""
    if isinstance(stated, type) and is_dataclass(stated):
        yield stated
    for each in get_args(stated):
        yield from _records(each)


def _encode(value: Any, what: str, readable: bool) -> Any:
    """Return a value as JSON, without loss."""
    if isinstance(value, np.bool_ | np.integer | np.floating):
        value = value.item()
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else {"float": str(value)}
        case np.ndarray():
            return encode_array(value, readable=readable)
        case list():
            return [_encode(each, what, readable) for each in value]
        case tuple():
            return {"tuple": [_encode(each, what, readable) for each in value]}
        case dict():
            return {"dict": [_encode(list(each), what, readable) for each in value.items()]}
    kind, name = type(value), type(value).__name__
    if kind not in _tables():
        raise TypeError(
            f"{what} cannot be saved: a value of type {name} is not stored in model files. If "
            "predictions do not depend on it, replace it by a number, a word or None with "
            "set_params before saving."
        )
    parameters = {
        each: _encode(getattr(value, each), f"the parameter {each} of {name}", readable)
        for each in _parameter_names(kind)
    }
    learned = {
        each: _encode(vars(value)[each], f"{name}.{each}", readable)
        for each in _tables()[kind]
        if each in vars(value)
    }
    return {"class": name, "parameters": parameters, "learned": learned}


def _parameter_names(kind: type[Any]) -> list[str]:
    if is_dataclass(kind):
        return [field.name for field in fields(kind)]
    # The other parameters of a pipeline are about fits, and one is a folder of pickles.
    return ["steps"] if kind is Pipeline else list(kind._get_param_names())


def _decode(plain: Any, depth: int = 0) -> Any:
    """Return the value that `_encode` was given, or raise an error."""
    # A cross-validated pipeline is six deep. Asking deeply nested pipelines anything takes
    # scikit-learn time that doubles with each level.
    if depth > 9:
        raise ValueError("its parts are nested too deeply")
    inner = depth + 1
    match plain:
        case None | bool() | int() | float() | str():
            return plain
        case list():
            return [_decode(each, inner) for each in plain]
        case {"float": str(text)}:
            return float(text)
        case {"dtype": str(), "shape": list()}:
            return decode_array(plain)
        case {"tuple": list(items)}:
            return tuple(_decode(items, inner))
        case {"dict": list(items)}:
            return {_decode(name, inner): _decode(each, inner) for name, each in items}
        case {"class": str(name), "parameters": dict(parameters), "learned": dict(learned)}:
            parameters = {key: _decode(each, inner) for key, each in parameters.items()}
            learned = {key: _decode(each, inner) for key, each in learned.items()}
            return _restore(name, parameters, learned)
    raise ValueError(f"{str(plain)[:60]!r} is no value of a model file")


def _restore(name: str, parameters: dict[str, Any], learned: dict[str, Any]) -> Any:
    kind = next((kind for kind in _tables() if kind.__name__ == name), None)
    if kind is None:
        raise ValueError(f"the class {name[:60]!r} is not stored in model files")
    known = _parameter_names(kind)
    if kind in _SCIKIT_LEARN:  # what it has dropped since is left out; what it has added is default
        parameters = {each: value for each, value in parameters.items() if each in known}
    unknown = [each for each in parameters if each not in known]
    unknown += [each for each in learned if each not in _tables()[kind] or "." in each]
    if unknown:
        raise ValueError(f"a {name} has no {unknown[0][:60]!r}")
    restored = kind(**parameters)
    if learned:
        vars(restored).update(learned)
        _check(restored)
    return restored


def _check(model: Any) -> None:
    """Compare the parameters and the learned attributes of a model with what its class states."""
    model._validate_params()
    if isinstance(model, SVC):
        if model.kernel == "precomputed":  # libsvm would follow the numbers of rows
            raise ValueError("its SVC has no kernel that can be stored")
        vars(model).setdefault("_effective_probability", False)  # an older scikit-learn has none
    sizes = _sizes(model)
    for name, stated in _tables()[type(model)].items():
        if name.partition(".")[0] not in vars(model):
            continue  # it is learned in some cases only, or predicting will need it
        value = attrgetter(name)(model)
        if isinstance(stated, str):
            _check_array(name, value, stated, sizes)
            continue
        if not isinstance(value, get_origin(stated) or stated) or not all(
            isinstance(each, kinds) for kinds in get_args(stated) for each in value
        ):
            raise ValueError(f"{name} is not of the type {stated}")


def _sizes(model: Any) -> dict[str, int]:
    """Return the sizes that several attributes of a model share."""
    _check_array("n_features_in_", model.n_features_in_, _EVERY["n_features_in_"], {})
    n_classes = np.size(getattr(model, "classes_", ()))
    if hasattr(model, "classes_") and not n_classes:
        raise ValueError("it has no classes")
    n_pairs, decomposition = comb(n_classes, 2), getattr(model, "decomposition_", "")
    return {
        "n_columns": model.n_features_in_,
        "n_dim": _n_dim(model.n_features_in_, getattr(model, "coordinates", None)),
        "n_classes": n_classes,
        "n_pairs": n_pairs,
        "n_problems": {"binary": 1, "ovo": n_pairs}.get(decomposition, n_classes),
    }


def _check_array(name: str, value: Any, stated: str, sizes: dict[str, int]) -> None:
    """Compare an array with a statement such as ``"finite[n_problems, n_dim + 1] from 0 to 1"``.

    Kinds are float, finite (a float that is neither infinite nor nan), int, bool and label. A size
    without a value yet takes that of the array; ``...`` stands for any further axes.
    """
    pattern = r"(\w+)\[(.*)\](?: from (\d+))?(?: to (.+))?"
    kind, shape, low, high = re.findall(pattern, stated)[0]
    array = np.asarray(value)
    axes = shape.split(", ") if shape else []
    fits = len(axes) == array.ndim
    if axes and axes[-1] == "...":
        fits = len(axes) <= array.ndim + 1
        del axes[-1]
    for axis, length in zip(axes, array.shape, strict=False):
        fits = fits and _size(axis, sizes, length) == length
    kinds = {"float": "f", "finite": "f", "int": "iu", "bool": "b", "label": "biufUO"}
    if not fits or array.dtype.kind not in kinds[kind]:
        raise ValueError(f"{name} is {array.dtype} of shape {array.shape}, not {stated}")
    if kind == "finite" and not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite")
    if (low and (array < int(low)).any()) or (high and (array > _size(high, sizes, 0)).any()):
        raise ValueError(f"{name} is not {stated}")


def _size(text: str, sizes: dict[str, int], length: int) -> int:
    """Return the value of a size such as ``3``, ``n_dim`` or ``n_dim + 1``."""
    name, *shift = text.split()
    number = int(name) if name.isdigit() else sizes.setdefault(name, length)
    return number + int("".join(shift) or 0)


def _n_dim(n_columns: int, coordinates: str | None) -> int:
    return n_columns - (coordinates == "hyperboloid" or (coordinates == "polar" and n_columns > 2))


def _try_to_predict(model: Any) -> None:
    """Predict the origin, which finds whatever a model from a file lacks."""
    check_is_fitted(model)
    chart = getattr(model, "estimator", model)
    chart = chart.steps[0][1] if isinstance(chart, Pipeline) else chart
    coordinates = chart.coordinates or "ball"
    direction = np.eye(1, _n_dim(model.n_features_in_, coordinates))
    origin = from_polar(np.zeros(1), direction, coordinates, curvature=chart.curvature)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the point has no feature names
        if len(model.predict(origin)) != 1:
            raise ValueError("it does not predict one label for one point")


def encode_array(array: NDArray[Any], *, readable: bool = False) -> dict[str, Any]:
    """Return an array of numbers or labels as JSON: in base 64, or as nested lists."""
    kind = "object" if array.dtype == object else array.dtype.newbyteorder("<").str
    head: dict[str, Any] = {"dtype": _checked_dtype(kind, array.shape), "shape": list(array.shape)}
    if not array.flags.c_contiguous and array.flags.f_contiguous:
        head["order"] = "F"  # the last bits of a product of matrices depend on it
    if array.dtype.kind in "biuf" and not readable:
        return {"base64": base64.b64encode(array.astype(kind).tobytes()).decode("ascii"), **head}
    cells = [_encode_cell(cell, kind) for cell in array.ravel().tolist()]
    return {"values": np.array(cells, dtype=object).reshape(array.shape).tolist(), **head}


def decode_array(plain: dict[str, Any]) -> NDArray[Any]:
    """Return the array that `encode_array` was given, or raise a ValueError."""
    try:
        shape = tuple(plain["shape"])
        if min(shape, default=0) < 0:
            raise ValueError(f"its shape is {shape}")
        kind = np.dtype(_checked_dtype(plain["dtype"], shape))
        if kind.kind in "biuf" and "base64" in plain:
            cells = np.frombuffer(base64.b64decode(plain["base64"], validate=True), kind)
        else:
            cells = np.array(plain["values"], dtype=object).reshape(shape)
            if kind.kind in "UO":
                for cell in cells.flat:
                    _encode_cell(cell, "object")
        # A copy, since an array over bytes cannot be written to.
        order: Any = "F" if plain.get("order") == "F" else "C"
        return cells.reshape(shape).astype(kind.newbyteorder("="), order=order)
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"an array cannot be read: {error}") from error


def _checked_dtype(kind: str, shape: tuple[int, ...]) -> str:
    if not re.fullmatch(r"\|[biu]1|<[iu][248]|<f[248]|<U\d{1,9}|object", kind):
        raise TypeError(f"an array of {kind} is not stored in model files")
    # A few bytes of a file must not ask for gigabytes.
    if "U" in kind and int(kind[2:]) * prod(shape) > 1 << 26:
        raise TypeError(f"{prod(shape)} labels of {kind[2:]} characters take too much memory")
    return kind


def _encode_cell(cell: Any, kind: str) -> Any:
    cell = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(cell, bool | int | str | None) or (isinstance(cell, float) and isfinite(cell)):
        return cell
    if isinstance(cell, float) and kind != "object":
        return str(cell)
    raise TypeError(f"an array with {str(cell)[:60]!r} is not stored in model files")
