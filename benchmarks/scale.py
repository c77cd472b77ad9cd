"""Time against rows: in memory, on disk and on a Dask cluster of this machine.

``python benchmarks/scale.py`` goes up to 1e7 rows; ``--largest 1e8`` further, as far as the disk
allows (100 million rows of 3 coordinates take 1.3 GB). ``--classes 20000`` measures fits of rows on
disk against the number of classes instead, ``--held`` a cluster whose workers hold the rows already
against two threads, ``--map 5e7`` one fit of a memory map of five coordinates and three classes.
Every fit runs in a process of its own, whose memory is measured.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

DIMENSION, CHUNK = 3, 1_000_000
WAYS = ("memory", "disk", "dask", "LinearSVC", "SGDClassifier")
# More need too much room in memory; the others also convert all rows, and LinearSVC takes minutes.
MOST_ROWS = {"memory": 3e7, "dask": 3e7, "LinearSVC": 1e6, "SGDClassifier": 1e7}
CLASSES = (10, 100, 1000, 2000, 20000)
NUMBERS_OF_A_CHUNK = 1 << 27  # 1 GiB of points: a task goes over at least one chunk
ROWS_OF_CLASSES = 600_000  # more than the sample of the solver


def write_data(folder: Path, n_rows: int, n_dim: int = DIMENSION, n_classes: int = 2) -> None:
    """Write overlapping clouds, block by block."""
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (n_rows, n_dim))
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", np.int8, (n_rows,))
    for first in range(0, n_rows, CHUNK):
        rows = slice(first, min(first + CHUNK, n_rows))
        y[rows] = rng.integers(n_classes, size=rows.stop - first)
        X[rows] = rng.normal(size=(rows.stop - first, n_dim))
        for k in range(1, n_classes):
            X[rows, k - 1] += 1.6 * (y[rows] == k)


def write_classes(folder: Path, n_classes: int) -> None:
    """Write clouds that overlap the more the more classes there are."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(n_classes), ROWS_OF_CLASSES // n_classes))
    centers = 1.5 * rng.normal(size=(n_classes, DIMENSION))
    X = centers[y] + 0.3 * rng.normal(size=(len(y), DIMENSION))
    np.save(folder / "X.npy", X.astype(np.float32))
    np.save(folder / "y.npy", y)


class Memory(threading.Thread):
    """The largest anonymous memory of this process: what the page cache holds does not count."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.before = self.most = anonymous()
        self.ended = threading.Event()

    def run(self) -> None:
        """Look until the end is said."""
        while True:
            self.most = max(self.most, anonymous())
            if self.ended.wait(0.02):
                return


def anonymous() -> float:
    found = re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text())
    return float(found[1]) / 1024 if found else np.nan


def load(folder: Path, way: str) -> tuple[Any, Any]:
    mode = "r" if way == "disk" else None
    if way == "dask":
        import dask.array as da

        n_rows = len(np.load(folder / "y.npy", mmap_mode="r"))
        size = min(CHUNK, max(1, n_rows // 2))
        return tuple(
            da.map_blocks(
                read, name=name, path=folder / f"{name}.npy", chunks=chunks, dtype=dtype,
                meta=np.empty((0,) * len(chunks), dtype),
            )
            for name, chunks, dtype in (
                ("X", (da.core.normalize_chunks(size, (n_rows,))[0], (DIMENSION,)), np.float32),
                ("y", da.core.normalize_chunks(size, (n_rows,)), np.int8),
            )
        )  # fmt: skip
    return np.load(folder / "X.npy", mmap_mode=mode), np.load(folder / "y.npy", mmap_mode=mode)


def read(path: Path, block_info: Any = None) -> Any:
    """Read the rows of one chunk."""
    first, last = block_info[None]["array-location"][0]
    return np.array(np.load(path, mmap_mode="r")[first:last])


def estimator(way: str, n_threads: int) -> Any:
    if way == "LinearSVC":
        from sklearn.svm import LinearSVC

        return LinearSVC(dual=False)
    if way == "SGDClassifier":
        from sklearn.linear_model import SGDClassifier

        return SGDClassifier(n_jobs=n_threads, random_state=0)
    from hyplane import HyperbolicSVC

    return HyperbolicSVC(coordinates="tangent", n_jobs=n_threads, random_state=0)


def fit_here(folder: Path, way: str, n_threads: int) -> dict[str, float]:
    """Fit in this process, and say how long it took."""
    from hyplane._utils import validation

    validation.LEAST_BYTES = 0  # a small file, too, is read block by block
    X, y = load(folder, way)
    passes = count_passes()
    clf = estimator(way, n_threads)
    memory = Memory()
    memory.start()
    seconds, cpu = timed(lambda: clf.fit(X, y), way)
    memory.ended.set()
    memory.join()
    found = {"seconds": seconds, "cpu": cpu, "memory": memory.most - memory.before}
    return {**found, "passes": len(passes), **pass_here(X, y, way, n_threads)}


def timed(call: Any, way: str) -> tuple[float, float]:
    """Return the time of a call, and the processor time, that of the workers included."""
    cpu, start = processor_time(way), time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    return seconds, processor_time(way) - cpu


def processor_time(way: str) -> float:
    own = time.process_time()
    if way != "dask":
        return own
    from distributed import default_client

    return own + sum(default_client().run(time.process_time).values())


def count_passes() -> list[None]:
    """Note every pass over blocks from now on."""
    from hyplane.out_of_core import DiskBlocks
    from hyplane.out_of_core.dask import DaskBlocks

    passes: list[None] = []
    for kind in (DiskBlocks, DaskBlocks):
        original = kind.map

        def counting(self: Any, *args: Any, original: Any = original) -> Any:
            passes.append(None)
            return original(self, *args)

        kind.map = counting
    return passes


def pass_here(X: Any, y: Any, way: str, n_threads: int) -> dict[str, float]:
    """Time one pass: what all rows answer to the question of a usual step."""
    if way not in ("memory", "disk", "dask"):
        return {}
    from hyplane.out_of_core import MemoryBlocks
    from hyplane.out_of_core.disk import as_blocks
    from hyplane.solvers.block_rows import OutOfCoreRows

    blocks = as_blocks(X, y, n_threads=n_threads)
    if blocks is None:
        blocks = MemoryBlocks(X, y, n_threads=n_threads)
    ready = OutOfCoreRows.read(blocks, "tangent", -1.0, seed=0)
    # Kinks, rows of the curvature, rows of a working set, their reach, the spread of kinks,
    # cutoffs, and the hyperplane.
    wanted = [160.0, 192.0, 0.0, 0.0, 0.0, np.inf, 0.0]
    question = np.array([[*wanted, 0.0, 0.5, *np.eye(X.shape[1])[0]]])
    seconds = best(lambda: [None for _ in ready.map(one_pass, question)])
    found = {"pass": seconds, "blocks": sum(1 for _ in ready.map(nothing))}
    found["round"] = best(lambda: [None for _ in ready.map(nothing)])
    if way == "memory":
        doubles = X.astype(np.float64)
        found["sum"] = best(doubles.sum)
    return found


def one_pass(block: Any, question: Any) -> Any:
    from hyplane.native import core

    problem = np.array([[1, -1, -1]], dtype=np.int32)
    return core.passes_of_block(block.data.packed, block.codes, None, None, question, problem)


def nothing(block: Any) -> None:
    """Cost of a round alone."""


def best(call: Any, times: int = 5) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def child(folder: Path, way: str, n_threads: int) -> dict[str, float]:
    if way != "dask":
        return fit_here(folder, way, n_threads)
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=n_threads, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        client.run(warm)  # the imports of the workers are no part of a fit
        return {**fit_here(folder, way, n_threads), **rounds()}


def warm() -> None:
    """Import what a fit needs."""
    import hyplane.classifiers  # noqa: F401


def rounds() -> dict[str, float]:
    """Return the time of a round that computes nothing, and how it grows with the tasks."""
    import dask

    few, many = 4, 204
    seconds = []
    for n_tasks in (few, many):
        tasks = [dask.delayed(nothing, pure=False)(number) for number in range(n_tasks)]
        seconds.append(best(lambda tasks=tasks: dask.compute(*tasks)))
    per_task = (seconds[1] - seconds[0]) / (many - few)
    return {"per_task": per_task, "latency": seconds[0] - few * per_task}


def in_a_process(folder: Path, way: str, n_threads: int) -> dict[str, float]:
    arguments = ["--one", way, "--folder", str(folder), "--threads", str(n_threads)]
    done = subprocess.run(
        [sys.executable, __file__, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def measure(largest: int, place: str | None) -> list[dict[str, Any]]:
    """Measure every way at every size, both numbers of threads in turn."""
    found = []
    for n_rows in [int(10**k) for k in range(4, 11) if 10**k <= largest]:
        with tempfile.TemporaryDirectory(dir=place) as folder:
            write_data(Path(folder), n_rows)
            for way in WAYS:
                if n_rows > MOST_ROWS.get(way, np.inf):
                    continue
                for n_threads in (1,) if way == "LinearSVC" else (1, 2):
                    one = in_a_process(Path(folder), way, n_threads)
                    found.append({"rows": n_rows, "way": way, "threads": n_threads, **one})
                    print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    return found


def spaced(number: float) -> str:
    """Return a whole number with its digits in groups: 10 000, but 1000."""
    return f"{number:.0f}" if number < 10_000 else f"{number:,.0f}".replace(",", " ")


def measure_classes(largest: int, place: str | None) -> list[str]:
    """Measure fits of rows on disk for several numbers of classes; return the table."""
    lines = [
        "| classes | rows of each | fit, s | processor time, s | memory, MB | passes |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for n_classes in CLASSES:
        if n_classes > largest:
            continue
        with tempfile.TemporaryDirectory(dir=place) as folder:
            write_classes(Path(folder), n_classes)
            one = in_a_process(Path(folder), "disk", 2)
        lines.append(
            f"| {spaced(n_classes)} | {spaced(ROWS_OF_CLASSES // n_classes)} | "
            f"{one['seconds']:.3g} | "
            f"{one['cpu']:.3g} | {one['memory']:.0f} | {one['passes']} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def measure_map(n_rows: int, place: str | None) -> list[str]:
    """Fit a memory map of five coordinates and three classes, and say how long reading it takes."""
    with tempfile.TemporaryDirectory(dir=place) as folder:
        write_data(Path(folder), n_rows, 5, 3)
        one = in_a_process(Path(folder), "disk", 1)
        X = np.load(Path(folder) / "X.npy", mmap_mode="r")
        reading = min(timed(lambda: [X[k : k + CHUNK].sum() for k in range(0, n_rows, CHUNK)], "")
                      for _ in range(2))[1]  # fmt: skip
        few = np.array(X[:CHUNK]), np.load(Path(folder) / "y.npy", mmap_mode="r")[:CHUNK]
        linear = timed(lambda: estimator("LinearSVC", 1).fit(*few), "")[1]
    return [
        "| rows | fit, s | processor time, s | memory, MB | passes | `X.sum()`, s | "
        f"LinearSVC of {spaced(len(few[0]))} rows, s |",
        "|--:|--:|--:|--:|--:|--:|--:|",
        f"| {spaced(n_rows)} | {one['seconds']:.3g} | {one['cpu']:.3g} | {one['memory']:.0f} | "
        f"{one['passes']} | {reading:.2g} | {linear:.2g} |",
    ]


def held_here(n_rows: int, times: int = 12) -> dict[str, list[tuple[float, float]]]:
    """Fit rows in memory and rows that two workers hold, in turn."""
    import dask.array as da
    from distributed import Client, LocalCluster, wait

    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder), n_rows)
        X, y = load(Path(folder), "memory")
    found: dict[str, list[tuple[float, float]]] = {"memory": [], "dask": []}
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        client.run(warm)
        estimator("memory", 2).fit(X[:1000], y[:1000])  # imports
        lazy = da.from_array(X, (n_rows // 10, DIMENSION)), da.from_array(y, n_rows // 10)
        lazy = tuple(each.persist() for each in lazy)
        wait(lazy)
        for _ in range(times):
            for way, rows in (("memory", (X, y)), ("dask", lazy)):
                found[way].append(timed(lambda: estimator(way, 2).fit(*rows), way))  # noqa: B023
    return found


def measure_held(largest: int) -> list[str]:
    """Compare fits of rows in memory with fits of rows in the memory of workers."""
    lines = [
        "| rows | memory, first fit, s | Dask | ratio | memory, best of the next 11, s | Dask | "
        "ratio | memory, processor time, s | Dask | ratio |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for n_rows in (1_000_000, 3_000_000, 10_000_000, 30_000_000):
        if n_rows > largest:
            continue
        found = held_here(n_rows)
        cells = []
        for pick in (
            lambda fits: fits[0][0],
            lambda fits: min(seconds for seconds, _ in fits[1:]),
            lambda fits: min(cpu for _, cpu in fits[1:]),
        ):
            here, there = pick(found["memory"]), pick(found["dask"])
            cells.append(f"{here:.3g} | {there:.3g} | {there / here:.2f}")
        lines.append(f"| {spaced(n_rows)} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def table(found: list[dict[str, Any]]) -> list[str]:
    """Return the table of times; the exponent is that of the last step in rows."""
    sums = {
        each["rows"]: each["rows"] * DIMENSION * 8 / each["sum"] for each in found if "sum" in each
    }
    lines = [
        "| rows | way | threads | fit, s | processor time, s | exponent | memory, MB | passes | "
        "one pass, ms | bandwidth, share of `X.sum()`'s |",
        "|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    last: dict[Any, Any] = {}
    for each in found:
        key = each["way"], each["threads"]
        power = ""
        if key in last:
            ratio = each["rows"] / last[key]["rows"]
            power = f"{np.log(each['seconds'] / last[key]['seconds']) / np.log(ratio):.2f}"
        last[key] = each
        share = ""
        if "pass" in each and each["rows"] in sums:
            packed = each["rows"] * (DIMENSION + 1) * 8 / each["pass"]
            share = f"{packed / sums[each['rows']]:.2f}"
        counted = each["passes"] if each["passes"] else ""
        one = f"{1e3 * each['pass']:.1f}" if "pass" in each else ""
        lines.append(
            f"| {spaced(each['rows'])} | {each['way']} | {each['threads']} | "
            f"{each['seconds']:.3g} | {each['cpu']:.3g} | {power} | "
            f"{each['memory']:.0f} | {counted} | {one} | {share} |"
        )
    return lines


def on_paper(found: list[dict[str, Any]]) -> list[str]:
    """Return what the numbers measured here say of 1e10 rows over 100 workers."""
    cluster = [each for each in found if each["way"] == "dask"]
    if len(cluster) < 2:
        return ["Not measured."]
    largest = max(cluster, key=lambda each: (each["rows"], each["threads"]))
    n_rows, workers = 1e10, 100
    work = (largest["pass"] - largest["round"]) * largest["threads"] / largest["rows"]
    per_task, latency = largest["per_task"], largest["latency"]
    n_tasks = max(workers, n_rows * (DIMENSION + 1) / NUMBERS_OF_A_CHUNK)
    a_round = latency + n_tasks * per_task
    one = work * n_rows / workers
    passes = largest["passes"]
    return [
        "| quantity | value | from |",
        "|---|---|---|",
        f"| passes of a fit | {passes} | counted at {spaced(largest['rows'])} rows |",
        f"| work of a pass, one thread | {1e9 * work:.2f} ns a row | a pass without its round |",
        f"| a round | {1e3 * latency:.1f} ms + {1e3 * per_task:.2f} ms a task | passes that "
        "compute nothing, of 4 and 204 tasks |",
        f"| memory of the points | {n_rows * (DIMENSION + 1) * 8 / workers / 2**30:.1f} GiB a "
        f"worker | {DIMENSION} dimensions, double precision |",
        f"| passes × rows × work / workers | {passes * one:.0f} s | one thread each |",
        f"| passes × round | {passes * a_round:.1f} s | {n_tasks:.0f} tasks of "
        f"{n_rows / n_tasks:.0e} rows |".replace("e+0", "e"),
        f"| a fit | {passes * (one + a_round):.0f} s | the sum, without the reading |",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=float, default=1e7, help="most rows")
    parser.add_argument("--classes", type=int, help="most classes; nothing else is measured")
    parser.add_argument("--held", action="store_true", help="rows held by workers; nothing else")
    parser.add_argument("--map", type=float, help="rows of a memory map; nothing else is measured")
    parser.add_argument("--folder", help="where the data are written")
    parser.add_argument("--one", choices=WAYS, help="one measurement, in this process")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(child(Path(options.folder), options.one, options.threads)))
        return
    when = (
        f"Measured on {datetime.now(UTC):%d %B %Y}, {platform.machine()}, numpy {np.__version__}."
    )
    lines = []
    if options.classes:
        lines = measure_classes(options.classes, options.folder)
    elif options.held:
        lines = measure_held(int(options.largest))
    elif options.map:
        lines = measure_map(int(options.map), options.folder)
    if lines:
        print("\n".join([when, "", *lines]))
        return
    found = measure(int(options.largest), options.folder)
    print("\n".join([when, "", *table(found), "", *on_paper(found)]))


if __name__ == "__main__":
    main()
