"""The committed stubs describe the compiled modules as they are."""

import ast
import re
from pathlib import Path

import pytest

from hyplane.native import certificate, charts, core, skipgram

STUBS = Path(__file__).parents[2] / "src" / "hyplane" / "native"


def stub(module):
    return ast.parse((STUBS / f"{module.__name__.rsplit('.', 1)[-1]}.pyi").read_text())


def members(body):
    """Names that a stub defines, with the argument names of functions."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = [each.arg for each in node.args.args]
        elif isinstance(node, ast.ClassDef):
            found[node.name] = members(node.body)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            found[target.id] = None
    return found


@pytest.mark.parametrize("module", [core, certificate, charts, skipgram])
def test_the_stub_names_what_the_module_has(module):
    described = members(stub(module).body)
    present = {name for name in dir(module) if not name.startswith("_")}
    assert set(described) == present
    for name in present:
        value = getattr(module, name)
        if isinstance(value, type):
            public = {each for each in dir(value) if not each.startswith("_")}
            inherited = {"name", "value"} | set(dir(int))
            assert (
                public - inherited
                == {each for each in described[name] if not each.startswith("_")} - inherited
            ), name


@pytest.mark.parametrize("module", [core, certificate, charts, skipgram])
def test_the_stub_has_the_arguments_of_the_functions(module):
    described = members(stub(module).body)
    for name, arguments in described.items():
        signature = getattr(getattr(module, name), "__nb_signature__", None)
        if not isinstance(arguments, list) or signature is None:
            continue
        assert arguments == re.findall(r"[(,] ?(\w+): ", signature[0][0]), name
