"""Files whose checksum fits but whose content was made to do harm."""

import base64
import copy
import json

import numpy as np
import pytest

import hyplane.model_files as module
from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV, NestedCV, ball_svm, rbf_svc
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.model_files import ModelFileError, load_model, model_text

X, y = make_hyperbolic_gaussians(60, n_classes=3, random_state=2)[:2]

SAVED = {
    "svc": lambda: HyperbolicSVC().fit(X, y),
    "cv": lambda: HyperbolicSVCCV(cv=2).fit(X, y),
    "kernel": lambda: HyperbolicKernelSVC().fit(X, y),
    "rbf": lambda: rbf_svc().fit(X, y),
    "ball": lambda: ball_svm().fit(X, y),
    "euclidean": lambda: EuclideanSVCCV(cv=2).fit(X, y),
    "nested": lambda: NestedCV(rbf_svc(), parameter="svc__C", cv=2).fit(X, y),
}


@pytest.fixture(scope="module")
def documents():
    return {name: json.loads(model_text(make())) for name, make in SAVED.items()}


def write(file, document):
    """Write a document with a checksum that fits, as an attacker would."""
    body = {k: v for k, v in document.items() if k not in ("format", "format_version", "sha256")}
    document["sha256"] = module._digest(body)
    file.write_text(json.dumps(document))
    return file


def array(values, dtype="<f8"):
    values = np.asarray(values, dtype=dtype)
    content = base64.b64encode(values.tobytes()).decode()
    return {"array": content, "dtype": dtype, "shape": list(values.shape)}


def learned_of(model):
    """Return what the innermost classifier of a model learned."""
    if "steps" in model:
        return learned_of(model["steps"][-1][1])
    if model["estimator"] == "NestedCV":
        return learned_of(model["learned"]["results_"]["estimators"][0])
    return model["learned"]


FORGED_ARRAYS = {
    "kernel": ("support_vectors_", "dual_coef_", "n_support_", "classes_"),
    "rbf": ("support_", "support_vectors_", "_n_support", "_dual_coef_", "_intercept_", "_probA"),
    "nested": ("support_", "support_vectors_", "_n_support", "_dual_coef_", "_intercept_"),
    "ball": ("coef_", "intercept_"),
}
CONTENTS = {
    "empty": array([]),
    "one too many": array(np.zeros(1000)),
    "huge counts": array([2**31 - 1] * 3, "<i4"),
    "negative counts": array([-5, 10, 10], "<i4"),
    "a number": 3.0,
    "words": {"array": ["a", "b", "c"], "dtype": "<U1", "shape": [3]},
    "nothing": None,
    "a list": [1, [2, [3]]],
}
# Other names of the classes, no probabilities, and the same intercept for all.
HARMLESS = {
    *(("classes_", content) for content in ("words", "huge counts", "negative counts")),
    ("_probA", "empty"),
    ("intercept_", "a number"),
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    ("name", "attribute"), [(n, a) for n, names in FORGED_ARRAYS.items() for a in names]
)
def test_an_array_that_does_not_fit_the_others_is_refused(
    documents, tmp_path, name, attribute, content
):
    document = copy.deepcopy(documents[name])
    if (attribute, content) in HARMLESS:
        pytest.skip("a model may hold this")
    learned_of(document["model"])[attribute] = CONTENTS[content]
    with pytest.raises(ModelFileError, match="does not hold a model that can be loaded"):
        load_model(write(tmp_path / "m.json", document))


@pytest.mark.parametrize("name", ["kernel", "rbf", "ball"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(documents, tmp_path, name, value):
    document = copy.deepcopy(documents[name])
    learned = learned_of(document["model"])
    attribute = "coef_" if "coef_" in learned else "support_vectors_"
    learned[attribute] = array(np.full(learned[attribute]["shape"], value))
    with pytest.raises(ModelFileError, match="finite"):
        load_model(write(tmp_path / "m.json", document))


def test_the_inner_svc_of_a_pipeline_may_not_ask_for_a_precomputed_kernel(documents, tmp_path):
    document = copy.deepcopy(documents["rbf"])
    document["model"]["steps"][1][1]["parameters"]["kernel"] = "precomputed"
    with pytest.raises(ModelFileError, match="no kernel that can be stored"):
        load_model(write(tmp_path / "m.json", document))


@pytest.mark.parametrize("depth", [4, 11, 100, 240, 100_000])
def test_nested_pipelines_are_refused_at_once(documents, tmp_path, depth):
    inner = json.dumps(documents["ball"]["model"])
    document = {**documents["ball"], "model": None}
    head = '{"estimator": "Pipeline", "steps": [["a", '
    text = head * depth + inner + "]]}" * depth
    if depth < 1000:
        document["model"] = json.loads(text)
        write(tmp_path / "m.json", document)
    else:
        (tmp_path / "m.json").write_text(json.dumps(document).replace('"model": null', text))
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "m.json")


@pytest.mark.parametrize("width", [536870911, 10**8, 2**31, 10**30])
def test_a_type_of_absurd_width_is_refused(documents, tmp_path, width):
    document = copy.deepcopy(documents["svc"])
    document["model"]["learned"]["classes_"] = {
        "array": ["a", "b", "c"], "dtype": f"<U{width}", "shape": [3],
    }  # fmt: skip
    with pytest.raises(ModelFileError, match="words has the type"):
        load_model(write(tmp_path / "m.json", document))


@pytest.mark.parametrize("learned", [[], None, 3, "x", {"a": 1}, [[]]])
@pytest.mark.parametrize("name", ["svc", "kernel", "euclidean"])
def test_what_was_learned_must_be_names_and_values(documents, tmp_path, name, learned):
    document = copy.deepcopy(documents[name])
    document["model"]["learned"] = learned
    with pytest.raises(ModelFileError):
        load_model(write(tmp_path / "m.json", document))


@pytest.mark.parametrize("name", ["svc", "cv"])
@pytest.mark.parametrize("field", ["log_scale", "offset", "normal"])
@pytest.mark.parametrize("content", ["empty", "one too many", "words", "nothing", "a number"])
def test_hyperplanes_that_do_not_fit_are_refused(documents, tmp_path, name, field, content):
    document = copy.deepcopy(documents[name])
    document["model"]["learned"]["hyperplanes_"]["fields"][field] = CONTENTS[content]
    with pytest.raises(ModelFileError):
        load_model(write(tmp_path / "m.json", document))


@pytest.mark.parametrize("n", [10**9, -1, 0, 1.5, "2", None, True, 2**70])
@pytest.mark.parametrize("name", ["svc", "kernel", "euclidean", "nested"])
def test_a_wrong_number_of_columns_is_refused(documents, tmp_path, name, n):
    document = copy.deepcopy(documents[name])
    document["model"]["learned"]["n_features_in_"] = n
    with pytest.raises(ModelFileError):
        load_model(write(tmp_path / "m.json", document))


def test_files_of_earlier_versions_with_an_inner_svc_still_load(documents, tmp_path):
    document = copy.deepcopy(documents["kernel"])
    document["model"]["learned"]["_svc"] = {"estimator": "SVC", "parameters": {}, "learned": {}}
    loaded = load_model(write(tmp_path / "m.json", document))
    np.testing.assert_array_equal(loaded.predict(X), SAVED["kernel"]().predict(X))
