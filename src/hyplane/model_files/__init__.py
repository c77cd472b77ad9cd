"""Fitted classifiers in files: plain JSON that runs nothing when it is loaded.

A file says which classifier it holds, its parameters, and what it learned; arrays are stored byte
for byte, so a loaded classifier predicts bit for bit what the saved one did.
"""

import hashlib
import json
import os
import re
import warnings
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.files import read_bytes, replacing
from hyplane.baselines import EuclideanSVCCV, NestedCV
from hyplane.classifiers import (
    CurvedHyperbolicSVC,
    HorofunctionForestClassifier,
    HyperbolicClassifier,
    HyperbolicKernelLogisticRegression,
    HyperbolicKernelSVC,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
    HyperbolicSVC,
    HyperbolicSVCCV,
)
from hyplane.features import ChartTransformer, HorofunctionFeatures
from hyplane.model_files._consistency import check_model
from hyplane.model_files._plain import decode, encode

__all__ = ["ModelFileError", "SavedModel", "load_model", "read_model", "save_model"]

FORMAT = "hyplane model"
FORMAT_VERSION = 3
# Of files without decimals, which older versions read too.
_COMPACT_VERSION = 2

_ANY = ("n_features_in_", "feature_names_in_")
_DECOMPOSITION = (*_ANY, "classes_", "decomposition_", "results_")
_HYPERPLANES = (
    *_DECOMPOSITION,
    *("hyperplanes_", "coef_", "objective_", "converged_", "n_iter_"),
)
_PROCEDURE = ("C_", "cv_scores_", "n_folds_", "sigmoids_")
_LOGISTIC = (*_ANY, "classes_", "decomposition_", "objective_", "n_iter_")
_LINEAR = (*_ANY, "classes_", "coef_", "intercept_", "n_iter_")

# The classifiers there may be in a file, each with all it learns; some only in some cases.
LEARNED: dict[type[Any], tuple[str, ...]] = {
    HyperbolicSVC: (
        *(*_HYPERPLANES, "gap_", "margin_"),
        *("support_", "support_vectors_", "n_support_"),
    ),
    HyperbolicSVCCV: (*_HYPERPLANES, *_PROCEDURE, "score_functions_"),
    EuclideanSVCCV: (*_DECOMPOSITION, "coef_", "intercept_", *_PROCEDURE),
    NestedCV: (*_DECOMPOSITION, *_PROCEDURE),
    HyperbolicKernelSVC: (
        *_LINEAR[:3],
        *("gamma_", "support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_"),
        *("n_iter_", "decomposition_"),
    ),
    CurvedHyperbolicSVC: (
        *_DECOMPOSITION,
        *("coef_", "level_", "objective_", "converged_", "n_iter_"),
    ),
    HyperbolicLogisticRegression: (*_LOGISTIC, "coef_", "level_"),
    HyperbolicKernelLogisticRegression: (
        *_LOGISTIC,
        *("gamma_", "landmarks_", "dual_coef_", "intercept_"),
    ),
    HyperbolicKNeighborsClassifier: (
        *_ANY,
        *("classes_", "decomposition_", "class_shares_", "index_", "codes_"),
    ),
    HorofunctionFeatures: (*_ANY, "ideal_points_", "_n_features_out"),
    HorofunctionForestClassifier: (
        *_ANY,
        *("classes_", "decomposition_", "class_shares_", "features_", "trees_"),
    ),
    HyperbolicClassifier: (
        *_ANY,
        *("classes_", "decomposition_", "choice_", "cv_results_"),
        *("estimators_", "weights_", "powers_", "power_"),
    ),
    ChartTransformer: (*_ANY, "_n_columns"),
    Pipeline: (),
    LinearSVC: _LINEAR,
    LogisticRegression: _LINEAR,
    # scikit-learn's SVC asks its own private attributes.
    SVC: (
        *_LINEAR[:3],
        *("class_weight_", "support_", "support_vectors_", "_n_support", "dual_coef_"),
        *("intercept_", "_dual_coef_", "_intercept_", "_probA", "_probB", "_num_iter", "n_iter_"),
        *("fit_status_", "shape_fit_", "_sparse", "_gamma", "_effective_probability"),
    ),
}
# What files of earlier versions hold besides: another name of `decomposition_`, and scikit-learn's
# classifier inside HyperbolicKernelSVC, whose arrays the classifier has itself.
_DROPPED = ("_multilabel", "_svc")
# A list of numbers, which belongs on one line. In a word, line feeds are written as \\n.
_ROW = re.compile(r'\[\n[^\[\]{}"\n]+(?:\n[^\[\]{}"\n]+)*\]')
_OF_SCIKIT_LEARN = (Pipeline, LinearSVC, LogisticRegression, SVC)
_BY_NAME = {estimator.__name__: estimator for estimator in LEARNED}
# A cross-validated pipeline is three classifiers deep. Asking deeply nested pipelines anything
# takes scikit-learn time that doubles with each level.
_DEEPEST = 4


class ModelFileError(ValueError):
    """A file is not a model that this version of hyplane can load.

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
    """What a model file holds.

    Attributes
    ----------
    estimator : classifier
        The fitted classifier.
    point_columns : list of str or None
        Names of the columns of the table it was fitted on, where that is known.
    label_columns : list of str or None
        Names of the columns that held the labels, where that is known.
    hyplane_version : str
        The version of hyplane that wrote the file.

    Examples
    --------
    >>> import tempfile
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
        A fitted HyperbolicSVC, HyperbolicSVCCV or HyperbolicKernelSVC, or a classifier of
        `hyplane.baselines`.
    path : path
        The file to write. It appears whole or not at all.
    point_columns, label_columns : list of str, optional
        Names of the columns it was fitted on, to keep with it.
    readable : bool, default=False
        Write the numbers of arrays as decimals, for people and for programs in other languages. The
        file is larger; what is loaded is the same to the last bit.

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
    body = {
        "hyplane_version": version("hyplane"),
        "model": _Writer(readable).describe(estimator),
        "point_columns": point_columns,
        "label_columns": label_columns,
    }
    number = FORMAT_VERSION if readable else _COMPACT_VERSION
    head = {"format": FORMAT, "format_version": number, "sha256": _digest(body)}
    text = json.dumps({**head, **body}, ensure_ascii=False, allow_nan=False, indent=1)
    return (_ROW.sub(lambda row: " ".join(row[0].split()), text) if readable else text) + "\n"


def load_model(path: str | os.PathLike[str]) -> Any:
    """Load a classifier that `save_model` saved.

    Nothing in the file is run: it can hold only the classes of hyplane and the parts of
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
        If the file is cut off or damaged, is no model, or is of a newer format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "notes.txt"
    ...     _ = file.write_text("hello")
    ...     load_model(file)
    Traceback (most recent call last):
    hyplane.model_files.ModelFileError: ...notes.txt is not a hyplane model file
    """
    return read_model(path).estimator


def read_model(path: str | os.PathLike[str]) -> SavedModel:
    """Load a classifier with what is known of the table it was fitted on.

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
    >>> clf = HyperbolicSVC().fit([[0.5, 0.1], [-0.5, 0.3]], ["right", "left"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(clf, f"{folder}/model.json", label_columns=["side"])
    ...     print(read_model(f"{folder}/model.json").label_columns)
    ['side']
    """
    document = _parse(read_bytes(path), str(path))
    _check_format(document, str(path))
    try:
        estimator = _restore(document["model"])
        check_is_fitted(estimator)
        check_model(estimator)
        saved = SavedModel(
            estimator,
            _names(document["point_columns"]),
            _names(document["label_columns"]),
            str(document["hyplane_version"]),
        )
    except Exception as error:  # a forged file can make scikit-learn raise anything
        raise ModelFileError(f"{path} does not hold a model that can be loaded: {error}") from error
    return saved


@dataclass(frozen=True)
class _Writer:
    """Classifiers as plain values, with numbers as decimals or as bytes."""

    readable: bool = False

    def describe(self, estimator: Any, *, fitted: bool = True) -> dict[str, Any]:
        kind = type(estimator)
        if kind not in LEARNED:
            known = [cls.__name__ for cls in LEARNED if cls not in _OF_SCIKIT_LEARN]
            raise TypeError(
                f"a {kind.__name__} is not stored in model files; stored are "
                f"{', '.join(known)} and pipelines of hyplane.baselines"
            )
        if fitted:
            check_is_fitted(estimator)
        if estimator.__dict__.get("_last_stream") is not None:
            warnings.warn(
                "the rows that partial_fit keeps are not saved: the loaded model predicts, but "
                "cannot learn from further batches. To continue the stream later, pickle the "
                "estimator.",
                UserWarning,
                stacklevel=4,
            )
        if kind is Pipeline:
            steps = [[name, self.describe(step, fitted=fitted)] for name, step in estimator.steps]
            return {"estimator": "Pipeline", "steps": steps}
        parameters = {
            name: self._value(f"the parameter {name} of {kind.__name__}", value, fitted=False)
            for name, value in estimator.get_params(deep=False).items()
        }
        learned = {
            name: self._value(f"{kind.__name__}.{name}", estimator.__dict__[name], fitted=True)
            for name in LEARNED[kind]
            if fitted and name in estimator.__dict__
        }
        if kind is SVC and fitted:  # an older scikit-learn has none
            learned.setdefault("_effective_probability", False)
        return {"estimator": kind.__name__, "parameters": parameters, "learned": learned}

    def _value(self, what: str, value: Any, *, fitted: bool) -> Any:
        if isinstance(value, BaseEstimator):
            return self.describe(value, fitted=fitted)
        if isinstance(value, list) and any(isinstance(item, BaseEstimator) for item in value):
            return {"estimators": [self._value(what, item, fitted=fitted) for item in value]}
        try:
            return encode(value, readable=self.readable)
        except TypeError as error:
            raise TypeError(
                f"{what} cannot be saved: {error}. If predictions do not depend on it, replace it "
                "by a number, a word or None with set_params before saving."
            ) from error


def _restore(node: Any, depth: int = 1) -> Any:
    if depth > _DEEPEST:
        raise ValueError(f"its classifiers are nested more than {_DEEPEST} deep")
    if not isinstance(node, dict) or node.get("estimator") not in _BY_NAME:
        raise ValueError("it names no known classifier")
    kind = _BY_NAME[node["estimator"]]
    if kind is Pipeline:
        return Pipeline([(str(name), _restore(step, depth + 1)) for name, step in node["steps"]])
    parameters, learned = node["parameters"], _renamed(kind, node["learned"])
    if not isinstance(parameters, dict):
        raise ValueError(f"the parameters of {kind.__name__} are not a list of names and values")
    # What scikit-learn has dropped since is left out, what it has added is at its default.
    known = kind._get_param_names()
    if kind not in _OF_SCIKIT_LEARN and set(parameters) - set(known):
        extra = sorted(set(parameters) - set(known))
        raise ValueError(f"{kind.__name__} has no parameter {extra[0]!r}")
    estimator = kind(
        **{name: _value(parameters[name], depth) for name in known if name in parameters}
    )
    unknown = sorted(set(learned) - set(LEARNED[kind]))
    if unknown:
        raise ValueError(f"{kind.__name__} has no attribute {unknown[0]!r}")
    if kind is SVC:
        estimator._effective_probability = False
    for name, value in learned.items():
        setattr(estimator, name, _value(value, depth))
    older = kind in (HyperbolicSVC, HyperbolicSVCCV)
    if older and "classes_" in learned and "decomposition_" not in learned:
        estimator.decomposition_ = _decomposition(estimator, node["learned"])
    return estimator


def _value(plain: Any, depth: int) -> Any:
    if isinstance(plain, dict) and "estimator" in plain:
        return _restore(plain, depth + 1)
    if isinstance(plain, dict) and isinstance(plain.get("estimators"), list):
        return [_value(item, depth) for item in plain["estimators"]]
    return decode(plain)


def _renamed(kind: type[Any], learned: Any) -> dict[str, Any]:
    if not isinstance(learned, dict):
        raise ValueError(f"what the {kind.__name__} learned is not a list of names and values")
    return {name: value for name, value in learned.items() if name not in _DROPPED}


def _decomposition(estimator: Any, learned: dict[str, Any]) -> str:
    """Return what files of format 1 say by ``_multilabel`` and the parameter ``multi_class``."""
    if learned.get("_multilabel"):
        return "multilabel"
    return "binary" if len(estimator.classes_) == 2 else str(estimator.multi_class)


def _parse(data: bytes, path: str) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        if FORMAT.encode() in data[:200]:
            raise ModelFileError(
                f"{path} is a hyplane model file that is cut off or damaged: {error}"
            ) from error
        raise ModelFileError(f"{path} is not a hyplane model file") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"{path} is not a hyplane model file")
    return document


def _check_format(document: dict[str, Any], path: str) -> None:
    number = document.get("format_version")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ModelFileError(f"{path} has the model format {number!r}, which there is not")
    if number > FORMAT_VERSION:
        raise ModelFileError(
            f"{path} has the model format {number}, written by hyplane "
            f"{document.get('hyplane_version', '?')}; this is hyplane {version('hyplane')}, which "
            f"reads up to format {FORMAT_VERSION}. Upgrade it: pip install --upgrade hyplane"
        )
    head = ("format", "format_version", "sha256")
    body = {name: value for name, value in document.items() if name not in head}
    try:
        digest = _digest(body)
    except RecursionError as error:
        raise ModelFileError(f"{path} is nested too deeply for a model") from error
    if document.get("sha256") != digest:
        raise ModelFileError(
            f"{path} was changed after it was written: its checksum does not fit its content"
        )


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _names(value: Any) -> list[str] | None:
    return None if value is None else [str(name) for name in value]
