"""Every example in a docstring of the installed package runs and says what it shows."""

import contextlib
import doctest
import importlib
import pkgutil

import pytest

import hyplane

MODULES = [
    module.name
    for module in pkgutil.walk_packages(hyplane.__path__, "hyplane.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path):
    module = importlib.import_module(name)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    with contextlib.chdir(tmp_path):  # some examples write files
        failed, _ = doctest.testmod(module, optionflags=flags)
    assert failed == 0


def test_there_are_examples_to_run():
    finder = doctest.DocTestFinder()
    examples = [
        test.examples for name in MODULES for test in finder.find(importlib.import_module(name))
    ]
    assert sum(map(bool, examples)) > 100
