"""Fit and predict at random for some minutes, and fail if an answer changes or a resource grows.

Usage: python benchmarks/soak.py [--minutes 10] [--threads 4] [--processes 2] [--seed 0]

Threads of one process and separate processes draw jobs: a classifier, its settings, data of some
dimension, size, chart and curvature. Every job is done twice, and both must give the same bits. The
first minute (a fifth of a shorter run) is not judged: caches and pools fill. After it the memory of
each process may grow by 32 MiB, and the number of open files by 4.
"""

import argparse
import gc
import hashlib
import json
import multiprocessing
import os
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV
from hyplane.geometry import CHARTS, convert
from hyplane.persistence import load_model, save_model

MEMORY_GROWTH = 32 * 2**20
FILE_GROWTH = 4


def draw_job(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return a classifier and its rows and labels."""
    m, n = int(rng.integers(12, 400)), int(rng.integers(2, 6))
    n_classes = int(rng.integers(2, 5))
    curvature = -float(rng.choice([0.3, 1.0, 2.0]))
    chart = str(rng.choice(CHARTS))
    y = np.arange(m) % n_classes
    V = rng.standard_normal((n_classes, n))[y] + rng.uniform(0.2, 1.0) * rng.standard_normal((m, n))
    X = convert(V, "tangent", chart, curvature=curvature)
    space = {"coordinates": chart, "curvature": curvature}
    seed = int(rng.integers(1000))
    many = {"multi_class": str(rng.choice(["ovr", "ovo"])), "n_jobs": int(rng.integers(1, 4))}
    match rng.integers(5):
        case 0 | 1:
            model: Any = HyperbolicSVC(
                10.0 ** rng.uniform(-2, 2), random_state=seed, **space, **many
            )
        case 2:
            model = HyperbolicSVCCV(cv=3, random_state=seed, **space, **many)
        case 3:
            model = HyperbolicKernelSVC(**space)
        case _:
            model = EuclideanSVCCV(cv=3, random_state=seed, **space)
    return model, X, y


def digest_of(model: Any, X: Any, y: Any) -> str:
    """Fit, save, load, predict, and return a digest of the answers."""
    model.fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "model.json")
        loaded = load_model(Path(folder) / "model.json")
    scores = model.decision_function(X)
    if scores.tobytes() != loaded.decision_function(X).tobytes():
        raise AssertionError(f"a loaded {type(model).__name__} has other scores than the saved one")
    return hashlib.sha256(scores.tobytes() + model.predict(X).tobytes()).hexdigest()


def resources() -> tuple[int, int]:
    """Return the resident memory in bytes and the number of open files of this process."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    memory = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(memory.split()[1]) * 1024, len(os.listdir("/proc/self/fd"))


class Soak:
    """The jobs of one process."""

    def __init__(self, seed: int, seconds: float, n_threads: int) -> None:
        self.seed, self.n_threads = seed, n_threads
        self.end = time.monotonic() + seconds
        self.warm = time.monotonic() + min(60.0, seconds / 5)
        self.jobs = [0] * n_threads
        self.failures: list[str] = []
        self.samples: list[tuple[int, int]] = []

    def work(self, thread: int) -> None:
        """Do jobs until the time is over."""
        rng = np.random.default_rng([self.seed, thread])
        while time.monotonic() < self.end and not self.failures:
            model, X, y = draw_job(rng)
            try:
                first, second = digest_of(model, X, y), digest_of(model, X, y)
                if first != second:
                    self.failures.append(f"other bits the second time: {model} on {X.shape}")
            except Exception as error:  # whatever it is, it is a failure of the job
                self.failures.append(f"{model} on {X.shape}: {type(error).__name__}: {error}")
            self.jobs[thread] += 1

    def run(self) -> dict[str, Any]:
        """Work in threads, sample the resources, and report."""
        threads = [threading.Thread(target=self.work, args=(k,)) for k in range(self.n_threads)]
        for each in threads:
            each.start()
        while any(each.is_alive() for each in threads):
            time.sleep(2.0)
            if time.monotonic() > self.warm:
                self.samples.append(resources())
        for each in threads:
            each.join()
        self.samples.append(resources())
        return {"jobs": sum(self.jobs), "failures": self.failures + self.growth(), **self.sizes()}

    def growth(self) -> list[str]:
        """Compare the last third of the samples with the first third, by their medians."""
        third = max(1, len(self.samples) // 3)
        found = []
        names = (("memory", MEMORY_GROWTH), ("open files", FILE_GROWTH))
        for column, (name, allowed) in enumerate(names):
            values = [sample[column] for sample in self.samples]
            before, after = np.median(values[:third]), np.median(values[-third:])
            if after - before > allowed:
                found.append(f"{name} grew from {before:.0f} to {after:.0f}")
        return found

    def sizes(self) -> dict[str, list[int]]:
        """Return the first and the last sample."""
        (memory, files), (last_memory, last_files) = self.samples[0], self.samples[-1]
        return {"MiB": [memory >> 20, last_memory >> 20], "files": [files, last_files]}


def run_process(seed: int, seconds: float, n_threads: int, answers: Any) -> None:
    """Soak in this process and send the report."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ConvergenceWarning)
    answers.put(Soak(seed, seconds, n_threads).run())


def main() -> int:
    """Start the processes, print their reports, and return 1 for any failure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    children = [
        context.Process(
            target=run_process,
            args=(options.seed + k, 60 * options.minutes, options.threads, answers),
        )
        for k in range(options.processes)
    ]
    for child in children:
        child.start()
    failed = False
    for _ in children:
        report = answers.get(timeout=60 * options.minutes + 300)
        print(json.dumps(report, ensure_ascii=False))
        failed |= bool(report["failures"])
    for child in children:
        child.join()
        failed |= child.exitcode != 0
    print("failed" if failed else "no failure")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
