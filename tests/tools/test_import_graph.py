from pathlib import Path

import pytest
from helpers import load_script

ROOT = Path(__file__).parents[2]
if not (ROOT / "tools" / "import_graph.py").is_file():
    pytest.skip("the tools are not part of this copy", allow_module_level=True)


@pytest.fixture(scope="module")
def tool():
    return load_script(ROOT / "tools" / "import_graph.py")


@pytest.fixture
def check(tool, tmp_path, capsys):
    """Write a small package and run the tool on it."""

    def run(files, *arguments):
        for name, text in files.items():
            path = tmp_path / "src" / "hyplane" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        code = tool.main(["--source", str(tmp_path / "src"), *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


GOOD = {
    "__init__.py": "if TYPE_CHECKING:\n    from hyplane.classifiers import SVC\n",
    "demo.py": "from hyplane import SVC\nfrom hyplane.classifiers import SVC\n",
    "_utils/typing.py": "import numpy\n",
    "geometry/__init__.py": "from hyplane.geometry._exact import gap\n",
    "geometry/_exact.py": "from .._utils.typing import Array\n",
    "classifiers/__init__.py": "import hyplane\nfrom hyplane import geometry\n",
    "cli/__init__.py": "def main():\n    from hyplane.classifiers import SVC\n",
}


def test_imports_that_go_down_pass_and_are_drawn(check):
    code, out, err = check(GOOD)
    assert (code, err) == (0, "")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines() if "→" in line)
    assert lines == {
        "package": "→ classifiers",
        "cli": "→ classifiers",
        "classifiers": "→ geometry",
    }
    assert out.splitlines()[-1] == "_utils"


UPWARDS = "geometry imports hyplane."
PRIVATE = "which is private to "


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("geometry/a.py", "\nimport hyplane.classifiers\n", f"a.py:2: {UPWARDS}classifiers"),
        ("geometry/a.py", "from hyplane import classifiers\n", f"a.py:1: {UPWARDS}"),
        ("geometry/a.py", "from ..classifiers import SVC\n", f"{UPWARDS}classifiers.SVC, which is"),
        ("geometry/a.py", "from hyplane import SVC\n", f"{UPWARDS}SVC, which is not"),
        ("geometry/a.py", "def f():\n    import hyplane.classifiers\n", f"a.py:2: {UPWARDS}"),
        ("geometry/a.py", "import_module('hyplane.classifiers')\n", f"a.py:1: {UPWARDS}"),
        ("_utils/a.py", "from hyplane.geometry import x\n", "_utils imports hyplane.geometry.x"),
        ("native/a.py", "from hyplane.geometry import x\n", "native imports hyplane.geometry.x"),
        ("cli/a.py", "from hyplane.geometry._exact import gap\n", f"{PRIVATE}geometry"),
        ("cli/a.py", "from hyplane.geometry import _exact\n", f"{PRIVATE}geometry"),
        ("cli/a.py", "from hyplane.classifiers import _solve\n", f"{PRIVATE}classifiers"),
    ],
)
def test_a_wrong_import_is_named_with_file_and_line(check, name, text, complaint):
    code, _, err = check({**GOOD, name: text})
    assert code == 1
    assert complaint in err
    assert str(Path("src") / "hyplane" / name) in err


@pytest.mark.parametrize(
    "text",
    [
        "from hyplane._utils.typing import Array\n",
        "from hyplane.cli._tables import Table\n",
        "import numpy as _numpy\nfrom scipy import _lib\n",
    ],
)
def test_helpers_and_the_private_modules_of_the_own_folder_may_be_imported(check, text):
    assert check({**GOOD, "cli/a.py": text})[0] == 0


def test_modules_of_one_folder_that_need_each_other_are_a_circle(check):
    files = {
        "classifiers/a.py": "from hyplane.classifiers.b import f\n",
        "classifiers/b.py": "def f():\n    from hyplane.classifiers import a\n",
    }
    code, _, err = check({**GOOD, **files})
    assert (code, err) == (1, "a circle of modules: hyplane.classifiers.a, hyplane.classifiers.b\n")


def test_folders_that_need_each_other_are_a_circle(check):
    code, _, err = check({**GOOD, "geometry/maps.py": "from hyplane.classifiers import SVC\n"})
    assert code == 1
    assert "a circle of folders: classifiers, geometry" in err


def test_the_drawing_in_a_page_is_checked_and_written(check, tool, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Before\n{tool.START}\nold\n{tool.END}\nafter\n")
    code, _, err = check(GOOD, "--check", page)
    assert code == 1
    assert "is out of date" in err
    assert check(GOOD, "--write", page)[0] == 0
    assert check(GOOD, "--check", page)[0] == 0
    text = page.read_text()
    assert text.startswith("Before\n")
    assert text.endswith("after\n")
    assert "old" not in text


def test_every_folder_of_the_package_has_its_place(tool):
    folders = {path.name for path in (ROOT / "src" / "hyplane").iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} <= set(tool.LEVEL)
