"""Every block of Python and of shell in the documentation and the README runs as it stands."""

import contextlib
import doctest
import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

ROOT = Path(__file__).parents[2]
LANGUAGES = {"python", "sh", "bibtex", "js", "text", "toml"}
_MADE = {"_build", "api", "gallery"}  # by the build, from sources that are tested elsewhere
_FENCE = re.compile(
    r"^(<!-- needs (?P<needs>\w+) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class Block:
    """A block, the line of the file it begins on, and a package that the tests do not install."""

    language: str
    code: str
    line: int
    needs: str | None

    @property
    def runs(self) -> bool:
        """Whether the package is installed."""
        return self.needs is None or importlib.util.find_spec(self.needs) is not None


def pages() -> list[Path]:
    """Return the README and the pages of the documentation."""
    docs = ROOT / "docs"
    written = sorted(docs.rglob("*.md"))
    return [ROOT / "README.md"] + [
        page for page in written if page.relative_to(docs).parts[0] not in _MADE
    ]


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["language"],
            found["code"],
            text.count("\n", 0, found.start("code")) + 1,
            found["needs"],
        )
        for found in _FENCE.finditer(text)
    ]


def with_blocks(language):
    """Return the pages with blocks of a language to run, as parameters of a test."""
    found = []
    for page in pages():
        own = [b for b in blocks_of(page) if b.language == language and b.runs]
        if own:
            found.append(pytest.param(page, own, id=str(page.relative_to(ROOT))))
    return found


@pytest.fixture
def in_new_folder(tmp_path):
    with contextlib.chdir(tmp_path):
        yield


@pytest.mark.parametrize(("page", "own"), with_blocks("python"))
def test_python_blocks_of_a_page_run_one_after_the_other(page, own, in_new_folder):
    pyplot.switch_backend("Agg")
    namespace = {"__name__": "page"}
    for block in own:
        if block.needs is not None:
            pytest.importorskip(block.needs)  # whose import may warn, for reasons of its own
        if block.code.startswith(">>>"):
            parser = doctest.DocTestParser()
            test = parser.get_doctest(block.code, namespace, page.name, str(page), block.line)
            runner = doctest.DocTestRunner(
                optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
            )
            assert runner.run(test, clear_globs=False).failed == 0
            namespace.update(test.globs)
        else:
            # Line numbers of a traceback are those of the page.
            code = "\n" * (block.line - 1) + block.code
            exec(compile(code, str(page), "exec"), namespace)
    pyplot.close("all")


@pytest.fixture
def shell(tmp_path):
    """Return a function that runs lines of shell in a new folder, with hyplane as a command."""
    folder, programs = tmp_path / "work", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    command = programs / "hyplane"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hyplane "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"

    def run(lines):
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", lines],
            cwd=folder,
            env={**os.environ, "PATH": path, "MPLBACKEND": "Agg"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize(("page", "own"), with_blocks("sh"))
def test_shell_blocks_of_a_page_run_one_after_the_other(page, own, shell):
    pytest.importorskip("click")
    made = shell("hyplane generate gaussians --seed 3 -o new.csv")  # a table that the reader has
    assert made.returncode == 0, made.stderr
    for block in own:
        done = shell(block.code)
        assert done.returncode == 0, f"{page.name}, line {block.line}: {done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize(("page", "own"), with_blocks("js"))
def test_a_program_in_another_language_predicts_the_same(page, own, shell):
    pytest.importorskip("click")
    if shutil.which("node") is None:
        pytest.skip("there is no Node")
    lines = next(b.code for b in blocks_of(page) if b.language == "sh" and "--readable" in b.code)
    [program] = own
    done = shell(
        f"{lines}\ncat > predict.js <<'END'\n{program.code}END\nnode predict.js > theirs.txt"
    )
    assert done.returncode == 0, done.stderr
    ours = shell("hyplane predict model.json points.csv | tail -n +2")
    theirs = shell("cat theirs.txt")
    assert len(ours.stdout.split()) == 300
    assert theirs.stdout.split() == ours.stdout.split()


def test_a_block_that_fails_is_noticed(shell):
    assert shell("hyplane fit missing.csv --label label -o model.json").returncode == 1


def test_pages_have_blocks_and_say_what_language_they_are_in():
    found = [(page, b) for page in pages() for b in blocks_of(page)]
    assert sum(block.language == "python" for _, block in found) > 30
    strange = [(page.name, b.line) for page, b in found if b.language not in LANGUAGES]
    assert not strange


def test_one_block_needs_a_package_that_the_tests_do_not_install():
    [needed] = [b.needs for page in pages() for b in blocks_of(page) if b.needs is not None]
    assert needed == "geoopt"
    pytest.importorskip(needed, reason="the block of geoopt is not run: geoopt is not installed")
