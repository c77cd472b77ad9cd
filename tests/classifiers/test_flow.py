"""The way of a fit through the house, as CONTRIBUTING.md describes it."""

import re
import sys
from pathlib import Path

import pytest

import hyplane
from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians

PACKAGE = Path(hyplane.__file__).parent
PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def files_passed(call):
    """Files of the package whose functions run in a call."""
    passed = set()

    def trace(frame, event, argument):
        file = Path(frame.f_code.co_filename)
        if PACKAGE in file.parents:
            passed.add(file.relative_to(PACKAGE).as_posix())

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return passed


def test_a_fit_passes_at_most_eight_python_files_and_the_page_names_them():
    X, y = make_hyperbolic_gaussians(60, random_state=0)
    clf = HyperbolicSVC(random_state=0)
    passed = files_passed(lambda: clf.fit(X, y))
    assert len(passed) <= 8, sorted(passed)
    if not PAGE.exists():
        pytest.skip("CONTRIBUTING.md is not part of this installation")
    [page] = re.findall(r"## How a fit flows\n(.*?)\n## ", PAGE.read_text(), re.DOTALL)
    assert len(page.splitlines()) <= 40
    for file in passed:
        assert file in page, file
