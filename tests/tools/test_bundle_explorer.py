from pathlib import Path

import pytest
from helpers import load_script

PATH = Path(__file__).parents[2] / "tools" / "bundle_explorer.py"
if not PATH.is_file():
    pytest.skip("the tools are not part of this copy", allow_module_level=True)


@pytest.fixture(scope="module")
def tool():
    return load_script(PATH)


@pytest.fixture
def bundled(tool, tmp_path):
    def run(**modules):
        for name, text in modules.items():
            (tmp_path / f"{name}.js").write_text(text)
        return tool.bundle(tmp_path)

    return run


def test_the_committed_bundle_is_that_of_the_sources(tool):
    assert tool.BUNDLE.read_text("utf-8") == tool.bundle(), "run python tools/bundle_explorer.py"


def test_a_module_comes_after_those_that_it_imports(bundled):
    script = bundled(
        a='import {\n  b,\n} from "./c.js";\n\nexport default { b };\n', c="export const b = 1;\n"
    )
    assert script.endswith("\n\nconst b = 1;\n\nexport default { b };\n")


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"a": "const x = 1;\n", "b": "export function x() {}\n"}, "declared in two modules: x"),
        ({"a": 'import d from "d3";\n'}, "it imports"),
        ({"a": 'const x = "</script>";\n'}, "ends the element"),
        ({"a": 'import { x } from "./b.js";\n', "b": 'import { y } from "./a.js";\n'}, "cycle"),
    ],
)
def test_what_cannot_be_joined_is_refused(bundled, modules, message):
    with pytest.raises(ValueError, match=message):
        bundled(**modules)
