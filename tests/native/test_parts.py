"""Linear algebra, the quadratic program of a step and the draw of a sample, as a C++ program."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "src" / "hyplane" / "native"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_parts_of_the_solver_keep_their_promises(tmp_path):
    program = tmp_path / "parts"
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fopenmp-simd", f"-I{SOURCES}"]
    subprocess.run(["g++", *flags, str(HERE / "parts.cpp"), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert done.stdout == "0 wrong\n"
    assert done.returncode == 0
