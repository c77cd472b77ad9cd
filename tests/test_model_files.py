import json
import pickle
from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import METHODS
from hyplane.model_files import (
    FORMAT_VERSION,
    LEARNED,
    ModelFileError,
    load_model,
    model_text,
    read_model,
    save_model,
)

X, NUMBERS = make_hyperbolic_gaussians(90, n_classes=3, random_state=2)[:2]
NEW = make_hyperbolic_gaussians(50, n_classes=3, random_state=3)[0]
WORDS = np.array(["ant", "bee", "cat"])[NUMBERS]
TWO = NUMBERS > 0
SEVERAL = np.column_stack([NUMBERS == 0, NUMBERS > 0, np.zeros(len(X)), NUMBERS >= 0]).astype(int)

FITTED = {
    "svc": lambda: HyperbolicSVC(random_state=0).fit(X, WORDS),
    "svc, two classes": lambda: HyperbolicSVC(C=0.1).fit(X, TWO),
    "svc, pairs": lambda: HyperbolicSVC(multi_class="ovo").fit(X, NUMBERS - 5),
    "svc, labels": lambda: HyperbolicSVC().fit(X, SEVERAL),
    "svc, objects": lambda: HyperbolicSVC().fit(X, WORDS.astype(object)),
    "svc, weights": lambda: HyperbolicSVC(class_weight={0: 2.0, 1: 1, 2: 0.5}).fit(X, NUMBERS),
    "svc, hard margin": lambda: HyperbolicSVC(C=np.inf).fit([[0.5, 0], [-0.5, 0]], [0, 1]),
    "svc, polar": lambda: HyperbolicSVC(coordinates="polar", curvature=-0.5).fit(
        [[9000.0, 0.1], [9000.0, 3.0]], ["a", "b"]
    ),
    "cv": lambda: HyperbolicSVCCV(random_state=0).fit(X, WORDS),
    "cv, pairs": lambda: HyperbolicSVCCV(multi_class="ovo", cv=3).fit(X, NUMBERS),
    "cv, labels": lambda: HyperbolicSVCCV().fit(X, SEVERAL),
    "kernel": lambda: HyperbolicKernelSVC().fit(X, WORDS),
    "kernel, two classes": lambda: HyperbolicKernelSVC(kernel="laplacian").fit(X, TWO),
    **{f"{name}, one C": (lambda m=m: m.single().fit(X, WORDS)) for name, m in METHODS.items()},
    **{f"{name}, two": (lambda m=m: m.single().fit(X, TWO)) for name, m in METHODS.items()},
    **{f"{name}, cv": (lambda m=m: m.make(cv=3).fit(X, WORDS)) for name, m in METHODS.items()},
}


@cache
def fit_once(name):
    return FITTED[name]()


@pytest.fixture(params=FITTED)
def fitted(request):
    return deepcopy(fit_once(request.param))


def new_points(estimator):
    if getattr(estimator, "coordinates", "ball") == "polar":
        return np.array([[8000.0, 0.4], [1.0, 2.0], [0.0, 0.0]])
    return NEW


def test_a_loaded_model_predicts_bit_for_bit_the_same(fitted, tmp_path):
    points = new_points(fitted)
    for readable in (False, True):
        save_model(fitted, tmp_path / "model.json", readable=readable)
        loaded = load_model(tmp_path / "model.json")
        assert type(loaded) is type(fitted)
        for method in ("predict", "decision_function", "predict_proba", "signed_distance"):
            if hasattr(fitted, method):
                wanted, found = getattr(fitted, method)(points), getattr(loaded, method)(points)
                assert found.dtype == wanted.dtype
                assert found.tobytes() == wanted.tobytes() or wanted.dtype == object
                assert (found == wanted).all()


def test_a_readable_file_has_decimals_on_one_line_each():
    text = model_text(HyperbolicSVC(random_state=0).fit(X, WORDS), readable=True)
    content = json.loads(text)
    assert content["format_version"] == FORMAT_VERSION
    learned = content["model"]["learned"]
    clf = HyperbolicSVC(random_state=0).fit(X, WORDS)
    assert learned["coef_"]["values"] == clf.coef_.tolist()
    assert learned["classes_"]["values"] == ["ant", "bee", "cat"]
    row = ", ".join(map(repr, clf.coef_[0].tolist()))
    assert f"[ {row} ]" in text


def test_a_compact_file_can_be_read_by_the_version_before():
    text = model_text(HyperbolicSVC(random_state=0).fit(X, WORDS))
    assert json.loads(text)["format_version"] == 2
    assert '"values"' not in text


def test_parameters_come_back(fitted, tmp_path):
    save_model(fitted, tmp_path / "model.json")
    assert str(load_model(tmp_path / "model.json")) == str(fitted)


def test_all_that_an_estimator_learns_is_kept(fitted):
    def check(estimator):
        if hasattr(estimator, "steps"):
            for _, step in estimator.steps:
                check(step)
            return
        learned = set(vars(estimator)) - set(estimator.get_params(deep=False))
        hidden = {"nu", "epsilon"} if type(estimator).__name__ == "SVC" else set()
        assert learned - hidden <= set(LEARNED[type(estimator)])
        for name in learned:
            if isinstance(getattr(estimator, name), BaseEstimator):
                check(getattr(estimator, name))

    check(fitted)


def test_saving_what_was_loaded_gives_the_same_file(fitted, tmp_path):
    save_model(fitted, tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    assert model_text(load_model(tmp_path / "model.json")) == text


def test_names_of_columns_are_kept_beside_the_model(tmp_path):
    model = FITTED["svc"]()
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
    model = FITTED["svc, labels"]()
    assert np.isinf(model.hyperplanes_.offset).any()
    model.objective_[0] = -0.0
    save_model(model, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.hyperplanes_.offset.tobytes() == model.hyperplanes_.offset.tobytes()
    assert np.signbit(loaded.objective_[0])


@pytest.fixture
def model_file(tmp_path):
    file = tmp_path / "model.json"
    save_model(FITTED["svc"](), file)
    return file


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_refused(model_file, share):
    data = model_file.read_bytes()
    model_file.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ModelFileError, match=r"model.json is a hyplane model file that is cut off"):
        load_model(model_file)


@pytest.mark.parametrize(
    "content", [b"", b"x1,x2\n1,2\n", b"[1, 2]", b'{"a": 1}', b"\x80\x04\x95", b"[" * 100_000]
)
def test_a_foreign_file_is_refused(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ModelFileError, match="other is not a hyplane model file"):
        load_model(tmp_path / "other")


def test_a_pickle_is_not_run(tmp_path):
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(FITTED["svc"]()))
    with pytest.raises(ModelFileError, match="is not a hyplane model file"):
        load_model(tmp_path / "model.pkl")


def change(file, **changes):
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, **changes}))


def test_a_newer_format_is_refused_with_the_versions(model_file):
    change(model_file, format_version=FORMAT_VERSION + 1, hyplane_version="9.1")
    with pytest.raises(ModelFileError, match=r"format 4, written by hyplane 9\.1; .*[Uu]pgrade"):
        load_model(model_file)


@pytest.mark.parametrize("number", [0, "1", None, True, 1.5])
def test_a_format_that_there_is_not_is_refused(model_file, number):
    change(model_file, format_version=number)
    with pytest.raises(ModelFileError, match="which there is not"):
        load_model(model_file)


def test_a_changed_file_is_refused(model_file):
    text = model_file.read_text()
    assert '"ant"' in text
    model_file.write_text(text.replace('"ant"', '"owl"'))
    with pytest.raises(ModelFileError, match="checksum"):
        load_model(model_file)


def forge(file, monkeypatch, edit):
    """Change a file and make its checksum fit, as an attacker would."""
    document = json.loads(file.read_text())
    edit(document["model"])
    file.write_text(json.dumps(document))
    monkeypatch.setattr("hyplane.model_files._digest", lambda body: document["sha256"])


@pytest.mark.parametrize(
    "edit",
    [
        lambda model: model.update(estimator="os.system"),
        lambda model: model.update(estimator="DecisionTreeClassifier"),
        lambda model: model.pop("learned"),
        lambda model: model["parameters"].update(evil=1),
        lambda model: model["learned"].update(predict=1),
        lambda model: model["learned"].update(__class__="int"),
        lambda model: model["learned"].update(coef_={"record": "Popen", "fields": {}}),
        lambda model: model["learned"].update(coef_={"record": "Hyperplanes", "fields": {}}),
        lambda model: model["learned"]["coef_"].update(shape=[10**9, 10**9]),
        lambda model: model["learned"]["coef_"].update(shape=[-1, 3]),
        lambda model: model["learned"]["coef_"].update(dtype="O"),
        lambda model: model["learned"]["coef_"].update(array="?"),
        lambda model: model["learned"]["classes_"].update(array=[{}, {}, {}]),
        lambda model: model["learned"].clear(),
    ],
)
def test_a_forged_file_is_refused(model_file, monkeypatch, edit):
    forge(model_file, monkeypatch, edit)
    with pytest.raises((ModelFileError, NotFittedError)):
        load_model(model_file)


def test_only_known_fitted_estimators_are_saved(tmp_path):
    with pytest.raises(TypeError, match="DecisionTreeClassifier is not stored"):
        save_model(DecisionTreeClassifier().fit(X, WORDS), tmp_path / "m.json")
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


def test_a_model_saved_over_another_replaces_it_whole(model_file, monkeypatch):
    before = model_file.read_text()

    def no_space(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        save_model(FITTED["svc, two classes"](), model_file)
    assert model_file.read_text() == before
    assert [file.name for file in model_file.parent.iterdir()] == ["model.json"]
