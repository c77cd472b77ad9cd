"""Pieces belong to the code that computed them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import load_script
from joblib import Parallel, delayed

import hyplane
from hyplane.paper import pieces
from hyplane.paper.pieces import Piece, digest_of_folder, package_digest

FOLDER = "from hyplane.paper.pieces import PieceStore; print(PieceStore('.').folder.name)"


def folder_with_package_at(place):
    environment = {**os.environ, "PYTHONPATH": str(place)}
    command = [sys.executable, "-c", FOLDER]
    done = subprocess.run(
        command, env=environment, cwd=place, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_a_changed_source_file_makes_another_folder_of_pieces(tmp_path):
    copy = tmp_path / "hyplane"
    leave_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(hyplane.__file__).parent, copy, ignore=leave_out)
    before = folder_with_package_at(tmp_path)
    assert folder_with_package_at(tmp_path) == before
    solver = copy / "metrics.py"
    solver.write_text(solver.read_text() + "\n# changed\n")
    assert folder_with_package_at(tmp_path) != before


def test_compiled_modules_and_data_files_count_and_caches_do_not(tmp_path):
    found = set()
    for name in ("a.py", "core.so", "core.pyd", "data/karate.csv", "templates/page.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        for content in (b"1", b"2"):
            (tmp_path / name).write_bytes(content)
            found.add(digest_of_folder(tmp_path))
    assert len(found) == 10
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"cache")
    assert digest_of_folder(tmp_path) in found


def test_workers_find_the_same_digest():
    found = Parallel(n_jobs=2)(delayed(package_digest)() for _ in range(2))
    assert set(found) == {package_digest()}


def test_another_version_of_numpy_makes_other_pieces(monkeypatch):
    before = package_digest()  # which is remembered, so it must come first
    monkeypatch.setattr(pieces, "version", lambda library: "0")
    assert package_digest.__wrapped__() != before


def test_a_function_of_ones_own_counts_with_its_file(tmp_path):
    keys = set()
    for number in (1, 2):
        file = tmp_path / "own_work.py"
        file.write_text(f"def work(settings, store):\n    return {{'value': {number}}}\n")
        keys.add(Piece("own", load_script(file).work, {}).key)
    assert len(keys) == 2
