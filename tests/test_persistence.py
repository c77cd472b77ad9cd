"""Models in files: they come back exactly, and broken files are refused."""

import json
import pickle
from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from helpers import run_python
from hypothesis import given
from hypothesis.extra import numpy as arrays
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV, load_model, save_model
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import METHODS
from hyplane.features import ChartTransformer
from hyplane.persistence import (
    FORMAT_VERSION,
    ModelFileError,
    decode_array,
    encode_array,
    model_text,
    read_model,
)

X, NUMBERS = make_hyperbolic_gaussians(90, n_classes=3, random_state=2)[:2]
NEW = make_hyperbolic_gaussians(50, n_classes=3, random_state=3)[0]
WORDS = np.array(["ant", "bee", "cat"])[NUMBERS]
TWO = NUMBERS > 0
SEVERAL = np.column_stack([NUMBERS == 0, NUMBERS > 0, np.zeros(len(X)), NUMBERS >= 0]).astype(int)


def single(name):
    return smaller(METHODS[name].single())


def cross_validated(name):
    return smaller(METHODS[name].make(cv=2))


def smaller(clf):
    return clf.set_params(family=["logistic", "kernel"], cv=2) if hasattr(clf, "family") else clf


FITTED = {
    "pairs": lambda: HyperbolicSVC(multi_class="ovo").fit(X, NUMBERS - 5),
    "labels": lambda: HyperbolicSVC().fit(X, SEVERAL),
    "objects": lambda: HyperbolicSVC().fit(X, WORDS.astype(object)),
    "weights": lambda: HyperbolicSVC(class_weight={0: 2.0, 1: 1, 2: 0.5}).fit(X, NUMBERS),
    "hard margin": lambda: HyperbolicSVC(C=np.inf).fit([[0.5, 0], [-0.5, 0]], [0, 1]),
    "polar": lambda: HyperbolicSVC(coordinates="polar", curvature=-0.5).fit(
        [[9000.0, 0.1], [9000.0, 3.0]], ["a", "b"]
    ),
    "isotonic": lambda: HyperbolicSVCCV(calibration="isotonic", cv=2).fit(X, WORDS),
    "isotonic, labels": lambda: HyperbolicSVCCV(calibration="isotonic", cv=2).fit(X, SEVERAL),
    "side": lambda: HyperbolicSVCCV(cv=2).fit(X, TWO),
    "kernel, labels": lambda: HyperbolicKernelSVC().fit(X, SEVERAL),
    **{f"{name}, three": (lambda name=name: single(name).fit(X, WORDS)) for name in METHODS},
    **{f"{name}, two": (lambda name=name: single(name).fit(X, TWO)) for name in METHODS},
    **{f"{name}, cv": (lambda name=name: cross_validated(name).fit(X, WORDS)) for name in METHODS},
    **{
        f"{name}, labels": (lambda name=name: cross_validated(name).fit(X, SEVERAL))
        for name in METHODS
    },
}


@cache
def fit_once(name):
    return FITTED[name]()


@pytest.fixture(params=FITTED)
def fitted(request):
    return deepcopy(fit_once(request.param))


@pytest.fixture
def model():
    return deepcopy(fit_once("hyperbolic, three"))


@pytest.fixture
def file(tmp_path, model):
    save_model(model, tmp_path / "model.json")
    return tmp_path / "model.json"


def test_a_loaded_model_is_the_same_to_the_last_bit(fitted, tmp_path):
    polar = getattr(fitted, "coordinates", "ball") == "polar"
    points = np.array([[8000.0, 0.4], [1.0, 2.0], [0.0, 0.0]]) if polar else NEW
    for readable in (False, True):
        text = model_text(fitted, readable=readable)
        (tmp_path / "model.json").write_text(text)
        loaded = load_model(tmp_path / "model.json")
        assert type(loaded) is type(fitted)
        assert repr(loaded) == repr(fitted)
        assert model_text(loaded, readable=readable) == text
        for method in ("predict", "decision_function", "predict_proba", "signed_distance"):
            if hasattr(fitted, method):
                wanted, found = getattr(fitted, method)(points), getattr(loaded, method)(points)
                assert found.dtype == wanted.dtype
                assert found.tobytes() == wanted.tobytes() or wanted.dtype == object
                assert (found == wanted).all()


def test_all_that_an_estimator_learns_is_kept(fitted):
    def check(estimator, node):
        if isinstance(estimator, Pipeline):
            for (_, step), each in zip(estimator.steps, node["parameters"]["steps"], strict=True):
                check(step, each["tuple"][1])
            return
        learned = set(vars(estimator)) - set(estimator.get_params(deep=False))
        not_used = {"nu", "epsilon", "_rows_of_fit"}
        assert learned - not_used == set(node["learned"])
        for name in learned:
            if isinstance(getattr(estimator, name, None), BaseEstimator):
                check(getattr(estimator, name), node["learned"][name])

    check(fitted, json.loads(model_text(fitted))["model"])


def test_a_readable_file_has_decimals_on_one_line_each(model):
    text = model_text(model, readable=True)
    learned = json.loads(text)["model"]["learned"]
    assert learned["coef_"]["values"] == model.coef_.tolist()
    assert learned["classes_"]["values"] == ["ant", "bee", "cat"]
    row = ", ".join(map(repr, model.coef_[0].tolist()))
    assert f"[ {row} ]" in text


def test_names_of_columns_are_kept_beside_the_model(model, tmp_path):
    save_model(model, tmp_path / "m.json", point_columns=["a", "ü"], label_columns=["kind"])
    saved = read_model(tmp_path / "m.json")
    assert (saved.point_columns, saved.label_columns) == (["a", "ü"], ["kind"])


def test_names_of_features_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b"])
    save_model(HyperbolicSVC().fit(frame, WORDS), tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.feature_names_in_.tolist() == ["a", "b"]
    assert loaded.predict(frame).shape == (90,)


def test_an_infinite_hyperplane_and_minus_zero_survive(tmp_path):
    model = deepcopy(fit_once("labels"))
    assert np.isinf(model.hyperplanes_.offset).any()
    model.objective_[0] = -0.0
    save_model(model, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.hyperplanes_.offset.tobytes() == model.hyperplanes_.offset.tobytes()
    assert np.signbit(loaded.objective_[0])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_refused(file, share):
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ModelFileError, match=r"model.json is a hyplane model file that is cut off"):
        load_model(file)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x1,x2\n1,2\n",
        b"[1, 2]",
        b'{"a": 1}',
        b"\x80\x04\x95",
        b"[" * 100_000,
        pickle.dumps(X),
    ],
)
def test_a_foreign_file_is_refused_and_a_pickle_is_not_run(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ModelFileError, match="other is not a hyplane model file"):
        load_model(tmp_path / "other")


@pytest.mark.parametrize("number", [FORMAT_VERSION + 1, 3, 0, "4", None, True, 4.5])
def test_another_format_is_refused_with_the_versions(file, number):
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "format_version": number, "hyplane_version": "9.1"}))
    with pytest.raises(ModelFileError, match=r"format .*, written by hyplane 9\.1; .*[Ii]nstall"):
        load_model(file)


def test_a_changed_file_is_refused(file):
    text = file.read_text()
    assert '"ant"' in text
    file.write_text(text.replace('"ant"', '"owl"'))
    with pytest.raises(ModelFileError, match="checksum"):
        load_model(file)


def test_only_known_fitted_estimators_are_saved(tmp_path):
    with pytest.raises(TypeError, match="DecisionTreeClassifier is not stored"):
        save_model(DecisionTreeClassifier().fit(X, WORDS), tmp_path / "m.json")
    with pytest.raises(TypeError, match="ChartTransformer is not stored"):
        save_model(ChartTransformer().fit(X), tmp_path / "m.json")
    with pytest.raises(NotFittedError):
        save_model(HyperbolicSVC(), tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: HyperbolicSVC(random_state=np.random.RandomState(0)),
        lambda: HyperbolicSVCCV(cv=KFold(3, shuffle=True, random_state=0)),
        lambda: HyperbolicKernelSVC(kernel=lambda A, B: A @ B.T),
    ],
)
def test_a_parameter_that_is_an_object_is_refused_by_name(make, tmp_path):
    with pytest.raises(TypeError, match=r"the parameter (random_state|cv|kernel) of .* set_params"):
        save_model(make().fit(X, WORDS), tmp_path / "m.json")


def test_a_model_saved_over_another_replaces_it_whole(file):
    pytest.importorskip("resource")
    before = file.read_text()
    save_over_it = """
        import resource, sys
        from hyplane import load_model, save_model
        model = load_model(sys.argv[1]).set_params(C=2.0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        save_model(model, sys.argv[1])
    """
    assert "File too large" in run_python(save_over_it, file).stderr
    assert file.read_text() == before
    assert [each.name for each in file.parent.iterdir()] == ["model.json"]


KINDS = arrays.floating_dtypes() | arrays.integer_dtypes() | arrays.boolean_dtypes()


@given(arrays.arrays(KINDS, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0)))
def test_arrays_of_numbers_come_back_to_the_bit(values):
    for readable in (False, True):
        plain = encode_array(values, readable=readable)
        again = decode_array(json.loads(json.dumps(plain, allow_nan=False)))
        assert again.shape == values.shape
        assert again.dtype == values.dtype.newbyteorder("=")
        assert again.flags.writeable
        # As decimals, all numbers that are not one are the same.
        left = ~np.isnan(values) if readable else np.ones(values.shape, dtype=bool)
        assert again[left].tobytes() == values.astype(again.dtype)[left].tobytes()


@pytest.mark.parametrize("readable", [False, True])
@pytest.mark.parametrize("labels", [["a", "béta"], [1, "b", None, True, 0.5]])
def test_arrays_of_labels_come_back(labels, readable):
    values = np.array(labels, dtype=object if len(labels) > 2 else None)
    again = decode_array(json.loads(json.dumps(encode_array(values, readable=readable))))
    assert again.dtype == values.dtype
    assert again.tolist() == labels


@pytest.mark.parametrize("item", [object(), [1], float("nan"), float("inf"), b"bytes"])
def test_arrays_of_other_things_are_not_stored(item):
    values = np.empty(1, dtype=object)
    values[0] = item
    with pytest.raises(TypeError, match="is not stored"):
        encode_array(values)
