"""What `import hyplane` gives, and what it does not load yet."""

import subprocess
import sys

import pytest

import hyplane


def test_the_estimators_and_the_rooms_are_there_without_further_imports():
    code = (
        "import sys, hyplane\n"
        "print('sklearn' in sys.modules)\n"
        "print(hyplane.geometry.distance([[0.0, 0.0]], [[0.0, 0.0]])[0])\n"
        "print(hyplane.HyperbolicSVC(), hyplane.__version__ > '')\n"
        "from hyplane import HyperbolicSVCCV"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "0.0", "HyperbolicSVC() True"]


def test_public_names_are_listed_and_found():
    assert {*hyplane.__all__, "geometry", "datasets"} <= set(dir(hyplane))
    for name in (*hyplane.__all__, "geometry", "persistence"):
        assert getattr(hyplane, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'HyperbolicSVM'"):
        _ = hyplane.HyperbolicSVM
