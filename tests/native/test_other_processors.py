"""The kernels are right where they are compiled for another processor: ARM, by emulation."""

import shutil
import subprocess
from pathlib import Path

import pytest

import hyplane.native

PROGRAM = Path(__file__).with_name("kernels.cpp")
SOURCES = Path(hyplane.native.__file__).parent
# Contracted multiply-adds would break the charts; the solver may have them, and needs none.
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
@pytest.mark.skipif(not (SOURCES / "simd.hpp").exists(), reason="an installed package")
def test_the_kernels_agree_with_plain_statements_on_arm(tmp_path):
    for tool in ("aarch64-linux-gnu-g++", "qemu-aarch64"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    program = tmp_path / "kernels"
    command = ["aarch64-linux-gnu-g++", *FLAGS, f"-I{SOURCES}", str(PROGRAM), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run(
        ["qemu-aarch64", str(program)], capture_output=True, text=True, timeout=600
    )
    assert done.stdout.strip() == "0 wrong"
    assert done.returncode == 0
