import subprocess
import sys

import pytest

from hyplane.demo import main


def test_demo_prints_both_accuracies_and_saves_the_picture(tmp_path, capsys):
    picture = tmp_path / "picture.png"
    main(["--output", str(picture), "--repeats", "2"])
    printed = capsys.readouterr().out
    assert "Hyperbolic SVM" in printed
    assert "Linear SVM" in printed
    assert str(picture) in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert 20_000 < picture.stat().st_size < 300_000


@pytest.mark.slow
def test_demo_runs_as_a_module_in_an_empty_folder(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "hyplane.demo", "--repeats", "0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "decision_boundary.png").exists()
