"""C++ that is tested as programs of its own: on this processor, and kernels on ARM by emulation."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "src" / "hyplane" / "native"
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# As the modules are compiled, but for the warnings.
FLAGS = ["-O2", "-ftree-vectorize", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]


@pytest.mark.parametrize(
    ("source", "compiler", "emulator", "flags"),
    [
        ("parts.cpp", "g++", [], ["-O1"]),
        pytest.param("kernels.cpp", "g++", [], [*FLAGS, "-static"], marks=pytest.mark.slow),
        pytest.param(
            "kernels.cpp", "aarch64-linux-gnu-g++", ["qemu-aarch64"], [*FLAGS, "-static"],
            marks=pytest.mark.slow,
        ),
    ],
)  # fmt: skip
def test_a_program_finds_nothing_wrong(source, compiler, emulator, flags, tmp_path):
    for tool in (compiler, *emulator):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    flags = ["-std=c++17", "-fopenmp-simd", "-pthread", *WARNINGS, *flags, f"-I{SOURCES}"]
    subprocess.run([compiler, *flags, HERE / source, "-o", tmp_path / "program"], check=True)
    command = [*emulator, tmp_path / "program"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.stdout.strip(), done.returncode) == ("0 wrong", 0)
