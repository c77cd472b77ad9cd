"""Commands whose work is done by a Dask cluster."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("click")

from hyplane.datasets import make_hyperbolic_gaussians

pytestmark = pytest.mark.slow  # a cluster of two processes


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "hyplane", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def address(cluster):
    return cluster.scheduler.address


def test_a_cluster_evaluates_to_the_same_scores(cluster, tmp_path):
    X, y = make_hyperbolic_gaussians(120, random_state=0)
    table = tmp_path / "points.csv"
    lines = [f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    table.write_text("\n".join(["ball_x1,ball_x2,label", *lines]))
    found = []
    for where in ([], ["--dask", address(cluster)]):
        done = run("evaluate", table, "--label", "label", "--trials", 2, "--json", *where)
        assert done.returncode == 0, done.stderr
        records = json.loads(done.stdout)["records"]
        found.append([{**record, "seconds": None} for record in records])
    assert found[0] == found[1]


def test_no_scheduler_is_one_line_and_code_1(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    table = tmp_path / "points.csv"
    table.write_text("ball_x1,ball_x2,label\n0.1,0.2,a\n0.2,0.1,a\n-0.1,0.3,b\n-0.2,0.2,b\n")
    done = run("evaluate", table, "--label", "label", "--dask", "tcp://127.0.0.1:1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(
        "hyplane: error: no Dask scheduler answers at tcp://127.0.0.1:1"
    )
