"""The API reference is complete, every public name has an example, the gallery has its files."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
from helpers import load_script, run_python

import hyplane

ROOT = Path(__file__).parents[2]
EXTENSIONS = ROOT / "docs" / "_ext"
# The names of these folders are those of hyplane itself, or they are no library to call.
NO_PAGE = {"hyplane.classifiers", "hyplane.native", "hyplane.cli", "hyplane.demo"}


api_pages = load_script(EXTENSIONS / "api_pages.py")
PUBLIC = [
    (folder, name)
    for folder in api_pages.FOLDERS
    for name in importlib.import_module(folder).__all__
    if not name.startswith("__")
]


def test_the_list_of_pages_needs_no_extra():
    code = """
    import runpy, sys
    sys.modules.update(docutils=None, sphinx=None, sphinx_gallery=None)
    print(len(runpy.run_path(sys.argv[1])["FOLDERS"]))
    """
    done = run_python(code, EXTENSIONS / "api_pages.py")
    assert done.stdout.strip() == str(len(api_pages.FOLDERS)), done.stderr


def test_every_public_module_has_a_page():
    folders = {
        f"hyplane.{module.name}"
        for module in pkgutil.iter_modules(hyplane.__path__)
        if not module.name.startswith("_")
    }
    assert folders - NO_PAGE == set(api_pages.FOLDERS) - {"hyplane"}


def test_every_public_name_is_on_a_page(tmp_path):
    pages = {page.stem: page.read_text() for page in api_pages.write_pages(tmp_path)}
    for folder, name in PUBLIC:
        words = pages[folder.replace(".", "_")].split()
        assert name in words, f"{folder}.{name}"


@pytest.mark.parametrize(("folder", "name"), PUBLIC)
def test_every_public_name_has_an_example(folder, name, tmp_path):
    value = getattr(importlib.import_module(folder), name)
    if inspect.isclass(value) or inspect.isroutine(value):
        assert ">>>" in (inspect.getdoc(value) or "")
    else:  # a table of names, whose example is written by the page
        pages = {page.stem: page.read_text() for page in api_pages.write_pages(tmp_path)}
        assert f">>> from {folder} import {name}\n" in pages[folder.replace(".", "_")]


@pytest.mark.parametrize("folder", api_pages.FOLDERS)
def test_the_examples_that_a_page_writes_run(folder, tmp_path):
    pages = {page.stem: page.read_text() for page in api_pages.write_pages(tmp_path)}
    text = pages[folder.replace(".", "_")]
    test = doctest.DocTestParser().get_doctest(text, {}, folder, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_gallery_has_the_planned_files_with_a_title_each():
    plan = load_script(EXTENSIONS / "example_order.py").PLAN
    files = {path.stem: path for path in (ROOT / "examples").glob("plot_*.py")}
    assert len(files) >= 15
    assert set(plan) <= set(files)
    for path in files.values():
        title, line, *_ = ast.get_docstring(ast.parse(path.read_text())).splitlines()
        assert set(line) == {"="}, path.name
        assert len(line) == len(title), path.name


def test_numbers_stay_on_one_line():
    nodes = pytest.importorskip("docutils.nodes")
    pytest.importorskip("sphinx_gallery", reason="the extra docs is not installed")
    screens = load_script(EXTENSIONS / "small_screens.py")
    text = "At 1e-300 and p = 4e-5, of 300 000 rows 28 % (2026, 9 of 20) in `x`."
    paragraph = nodes.paragraph("", "", nodes.Text(text), nodes.literal("", "1e-5"))
    screens._keep_numbers(paragraph[0])
    screens._keep_numbers(paragraph[-1][0])
    kept = [each.astext() for each in paragraph.findall(nodes.inline)]
    assert kept == ["1e-300", "4e-5", "300 000", "28 %"]
    assert paragraph.astext() == text + "1e-5"
