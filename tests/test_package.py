"""What `import hyplane` gives, and what it does not load yet."""

import inspect
import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator

import hyplane
from hyplane import baselines
from hyplane.evaluation import METHODS
from hyplane.persistence import model_text


def test_the_names_are_there_without_further_imports_and_load_nothing_before():
    code = (
        "import sys, hyplane, hyplane.evaluation\n"
        "print(len(hyplane.evaluation.METHODS) > 9, 'sklearn' in sys.modules)\n"
        "print(hyplane.geometry.distance([[0.0, 0.0]], [[0.0, 0.0]])[0])\n"
        "print(hyplane.HyperbolicSVC(), hyplane.__version__ > '')\n"
        "from hyplane import HyperbolicSVCCV"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True False", "0.0", "HyperbolicSVC() True"]


def test_public_names_are_listed_and_found():
    assert {*hyplane.__all__, "geometry", "datasets"} - {"__version__"} <= set(dir(hyplane))
    for name in (*hyplane.__all__, "geometry", "persistence"):
        assert getattr(hyplane, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'HyperbolicSVM'"):
        _ = hyplane.HyperbolicSVM


def is_estimator(value):
    return inspect.isclass(value) and issubclass(value, BaseEstimator)


PUBLIC = {name for name in hyplane.__all__ if is_estimator(getattr(hyplane, name))}


def test_every_public_estimator_is_in_the_register_of_methods():
    used = {name for each in METHODS.values() for name in (each.classifier, each.procedure)}
    assert used >= PUBLIC
    assert used - PUBLIC <= set(baselines.__all__)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_estimator_is_stored_in_model_files(name):
    clf = getattr(hyplane, name)()
    if hasattr(clf, "family"):
        clf.set_params(family=["neighbors"])
    clf.fit([[0.1 * k - 0.5, 0.2 * (k % 3)] for k in range(12)], [0, 1] * 6)
    assert f'"class": "{name}"' in model_text(clf)
