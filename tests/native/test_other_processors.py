"""The kernels are right as a program of their own: on this processor, and on ARM by emulation."""

import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("kernels.cpp")
SOURCES = Path(__file__).parents[2] / "src" / "hyplane" / "native"
# As the modules are compiled, but for the warnings.
FLAGS = [
    "-std=c++17",
    "-O2",
    "-ftree-vectorize",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fopenmp-simd",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-pthread",
    "-static",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiler", "emulator"), [("g++", []), ("aarch64-linux-gnu-g++", ["qemu-aarch64"])]
)
def test_the_kernels_agree_with_plain_statements(compiler, emulator, tmp_path):
    for tool in (compiler, *emulator):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    program = tmp_path / "kernels"
    command = [compiler, *FLAGS, f"-I{SOURCES}", str(PROGRAM), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([*emulator, str(program)], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == "0 wrong"
    assert done.returncode == 0
