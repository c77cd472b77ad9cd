"""Files whose checksum fits but whose content was made to do harm."""

import base64
import copy
import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from hyplane import (
    HyperbolicClassifier,
    HyperbolicForestClassifier,
    HyperbolicKernelSVC,
    HyperbolicKNeighborsClassifier,
    HyperbolicSVC,
    HyperbolicSVCCV,
    load_model,
)
from hyplane.baselines import EuclideanSVCCV, NestedCV, ball_svm, rbf_svc
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.persistence import ModelFileError, decode_array, encode_array, model_text

X, y = make_hyperbolic_gaussians(60, n_classes=3, random_state=2)[:2]

SAVED = {
    "svc": lambda: HyperbolicSVC().fit(X, y),
    "cv": lambda: HyperbolicSVCCV(cv=2).fit(X, y),
    "kernel": lambda: HyperbolicKernelSVC().fit(X, y),
    "rbf": lambda: rbf_svc().fit(X, y),
    "ball": lambda: ball_svm().fit(X, y),
    "euclidean": lambda: EuclideanSVCCV(cv=2).fit(X, y),
    "nested": lambda: NestedCV(rbf_svc(), parameter="svc__C", cv=2).fit(X, y),
    "neighbors": lambda: HyperbolicKNeighborsClassifier().fit(X, y),
    "average": lambda: HyperbolicClassifier(["neighbors", "kernel"], cv=2, max_rows=20).fit(X, y),
}
TEXTS = {}


@pytest.fixture
def forge(tmp_path):
    """Return a function that loads a saved model after a change of its file."""

    def change_and_load(name, change):
        if name not in TEXTS:
            TEXTS[name] = model_text(SAVED[name]())
        document = json.loads(TEXTS[name])
        change(document["model"])
        body = {
            k: v for k, v in document.items() if k not in ("format", "format_version", "sha256")
        }
        text = json.dumps(body, sort_keys=True)
        document["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        (tmp_path / "m.json").write_text(json.dumps(document))
        return load_model(tmp_path / "m.json")

    return change_and_load


def array(values, dtype="<f8"):
    values = np.asarray(values, dtype=dtype)
    content = base64.b64encode(values.tobytes()).decode()
    return {"base64": content, "dtype": dtype, "shape": list(values.shape)}


def learned_of(model):
    """Return what the innermost classifier of a model learned."""
    if model["class"] == "Pipeline":
        return learned_of(model["parameters"]["steps"][-1]["tuple"][1])
    if model["class"] == "NestedCV":
        return learned_of(model["learned"]["results_"][0])
    return model["learned"]


FORGED_ARRAYS = {
    "kernel": ("support_vectors_", "dual_coef_", "n_support_", "classes_"),
    "rbf": ("support_", "support_vectors_", "_n_support", "_dual_coef_", "_intercept_", "_probA"),
    "nested": ("support_", "support_vectors_", "_n_support", "_dual_coef_", "_intercept_"),
    "ball": ("coef_", "intercept_"),
    "average": ("weights_", "powers_", "power_", "estimators_"),
}
CONTENTS = {
    "empty": array([]),
    "one too many": array(np.zeros(1000)),
    "huge counts": array([2**31 - 1] * 3, "<i4"),
    "negative counts": array([-5, 10, 10], "<i4"),
    "a number": 3.0,
    "words": {"values": ["a", "b", "c"], "dtype": "<U1", "shape": [3]},
    "nothing": None,
    "a list": [1, [2, [3]]],
}
# Other names of the classes, no probabilities, the same intercept for all, another calibration.
HARMLESS = {
    *(("classes_", content) for content in ("words", "huge counts", "negative counts")),
    ("_probA", "empty"),
    ("intercept_", "a number"),
    ("power_", "a number"),
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    ("name", "attribute"), [(n, a) for n, names in FORGED_ARRAYS.items() for a in names]
)
def test_an_array_that_does_not_fit_the_others_is_refused(forge, name, attribute, content):
    def change(model):
        learned_of(model)[attribute] = CONTENTS[content]

    if (attribute, content) in HARMLESS:
        assert len(forge(name, change).predict(X)) == len(X)
        return
    with pytest.raises(ModelFileError, match="does not hold a model that can be loaded"):
        forge(name, change)


@pytest.mark.parametrize("code", [-1, 3, 2**31 - 1])
def test_neighbors_of_a_class_that_does_not_exist_are_refused(forge, code):
    codes = np.append(np.zeros(59), code)
    with pytest.raises(ModelFileError, match="codes_ is not"):
        forge("neighbors", lambda model: model["learned"].update(codes_=array(codes, "<i4")))


@pytest.mark.parametrize("name", ["kernel", "rbf", "ball"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(forge, name, value):
    def change(model):
        learned = learned_of(model)
        attribute = "coef_" if "coef_" in learned else "support_vectors_"
        learned[attribute] = array(np.full(learned[attribute]["shape"], value))

    with pytest.raises(ModelFileError, match="finite"):
        forge(name, change)


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.update({"class": "os.system"}),
        lambda model: model.update({"class": "DecisionTreeClassifier"}),
        lambda model: model.pop("learned"),
        lambda model: model["parameters"].update(evil=1),
        lambda model: model["learned"].update(predict=1),
        lambda model: model["learned"].update(__class__="int"),
        lambda model: model["learned"].update({"hyperplanes_.normal": 1}),
        lambda model: model["learned"].update(coef_={"class": "Popen", "parameters": {}}),
        lambda model: model["learned"]["hyperplanes_"]["parameters"].pop("normal"),
        lambda model: model["learned"]["coef_"].update(shape=[10**9, 10**9]),
        lambda model: model["learned"]["coef_"].update(shape=[-1, 3]),
        lambda model: model["learned"]["coef_"].update(dtype="O"),
        lambda model: model["learned"]["coef_"].update(base64="?"),
        lambda model: model["learned"]["classes_"].update(values=[{}, {}, {}], dtype="object"),
        lambda model: model["learned"].pop("n_features_in_"),
        lambda model: model["learned"].clear(),
        *(
            lambda model, it=it: model.update(learned=it)
            for it in ([], None, 3, "x", {"a": 1}, [[]])
        ),
    ],
)
@pytest.mark.parametrize("name", ["svc", "cv"])
def test_other_content_is_refused(forge, name, change):
    def change_numbers(model):
        model["learned"]["classes_"] = encode_array(np.arange(3), readable=True)
        change(model)

    with pytest.raises(ModelFileError):
        forge(name, change_numbers)


def test_the_svc_of_a_pipeline_may_not_have_a_precomputed_kernel(forge):
    def change(model):
        model["parameters"]["steps"][1]["tuple"][1]["parameters"]["kernel"] = "precomputed"

    with pytest.raises(ModelFileError, match="no kernel that can be stored"):
        forge("rbf", change)


def test_a_pipeline_has_no_folder_of_pickles(forge):
    loaded = forge("ball", lambda model: model["parameters"].update(memory="folder"))
    assert loaded.memory is None


@pytest.mark.parametrize("depth", [4, 11, 100])
def test_nested_pipelines_are_refused_at_once(forge, depth):
    def change(model):
        for _ in range(depth):
            inner = copy.copy(model)
            steps = [{"tuple": ["a", inner]}]
            model.update({"class": "Pipeline", "parameters": {"steps": steps}, "learned": {}})

    with pytest.raises(ModelFileError):
        forge("ball", change)


def test_a_file_of_nested_brackets_is_refused(tmp_path):
    text = '{"format": "hyplane model", "format_version": 4, "model": ' + "[" * 100_000
    (tmp_path / "m.json").write_text(text + "]" * 100_000 + "}")
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(tmp_path / "m.json")


@pytest.mark.parametrize("width", [536870911, 10**8, 2**31, 10**30])
def test_labels_of_absurd_width_are_refused(forge, width):
    labels = {"values": ["a", "b", "c"], "dtype": f"<U{width}", "shape": [3]}
    with pytest.raises(ModelFileError, match="an array cannot be read"):
        forge("svc", lambda model: model["learned"].update(classes_=labels))


@pytest.mark.parametrize("name", ["svc", "cv"])
@pytest.mark.parametrize("field", ["log_scale", "offset", "normal"])
@pytest.mark.parametrize("content", ["empty", "one too many", "words", "nothing", "a number"])
def test_hyperplanes_that_do_not_fit_are_refused(forge, name, field, content):
    def change(model):
        model["learned"]["hyperplanes_"]["parameters"][field] = CONTENTS[content]

    with pytest.raises(ModelFileError):
        forge(name, change)


@pytest.mark.parametrize("n", [10**9, -1, 0, 1.5, "2", None, True, 2**70])
@pytest.mark.parametrize("name", ["svc", "kernel", "euclidean", "nested"])
def test_a_wrong_number_of_columns_is_refused(forge, name, n):
    with pytest.raises(ModelFileError):
        forge(name, lambda model: model["learned"].update(n_features_in_=n))


def test_trees_that_lead_nowhere_are_refused():
    trees = HyperbolicForestClassifier(2, random_state=0).fit([[0.1, 0], [0.5, 0]], [0, 1]).trees_
    for change in (
        {"left": trees.left * 0},
        {"right": trees.right + 99},
        {"roots": trees.roots - 9},
    ):
        with pytest.raises(ValueError, match="nodes"):
            replace(trees, **change)
    with pytest.raises(ValueError, match="features"):
        replace(trees, feature=trees.feature + 99).mean_values(np.zeros((1, 14)))


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [3]},
        {"shape": [-2]},
        {"shape": []},
        {"dtype": "|O"},
        {"dtype": "V8"},
        {"dtype": 3},
        {"base64": "AA*="},
        {"base64": 3},
        {"values": [1.0, "one"]},
        {"values": [[1.0], [2.0, 3.0]]},
        {"values": 1.0},
        {"values": None},
        {"values": [300, -1], "dtype": "|u1"},
        {"values": [1, []], "dtype": "object"},
        {"values": [1, {}], "dtype": "<U1"},
    ],
)
def test_an_array_whose_parts_do_not_fit_is_refused(change):
    readable = "base64" not in change
    with pytest.raises(ValueError, match="an array cannot be read"):
        decode_array(encode_array(np.array([0.5, 1.0]), readable=readable) | change)
