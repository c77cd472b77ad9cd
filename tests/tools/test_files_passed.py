import sys
from pathlib import Path

import pytest
from helpers import load_script

pytest.importorskip("click")

TOOL = Path(__file__).parents[2] / "tools" / "files_passed.py"
if not TOOL.is_file():
    pytest.skip("the tools are not part of this copy", allow_module_level=True)


@pytest.fixture(scope="module")
def tool():
    return load_script(TOOL)


def test_the_files_of_a_command_are_printed_once_and_counted(tool, tmp_path, capsys):
    table = str(tmp_path / "points.csv")
    assert tool.main(["generate", "gaussians", "--points", "20", "-o", table]) == 0
    *files, count = capsys.readouterr().out.splitlines()
    assert count == f"{len(files)} files"
    assert len(set(files)) == len(files)
    assert files[0] == "cli/__init__.py"
    assert {"cli/app.py", "cli/generate.py", "datasets/gaussians.py"} <= set(files)
    assert not {"cli/fit.py", "classifiers/svc.py"} & set(files)


def test_the_output_and_the_code_of_the_command_are_kept(tool, capsys):
    assert tool.main(["fit", "no.csv", "--label", "a", "-o", "-"]) == 1
    written = capsys.readouterr()
    assert "cli/fit.py" in written.out
    assert "no.csv: no such file or directory" in written.err
    assert sys.getprofile() is None
