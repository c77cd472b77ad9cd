"""How fast the soft-margin solver is, as ratios measured side by side in one run.

    python benchmarks/solver.py            all tables, about fifteen minutes
    python benchmarks/solver.py --quick    small sizes only, about a minute
    python benchmarks/solver.py --processor-time    for a machine that is busy with other work

Prints Markdown tables; `benchmarks/README.md` keeps those of the last full run.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everybody

import numpy as np
from authors import projected_gradient
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC
from hyplane.geometry import convert
from hyplane.native import core
from hyplane.solvers import Points, solve_soft_margin

SIZES = (400, 2_000, 10_000, 100_000, 1_000_000)
DIMENSIONS = (2, 10, 50)
TABLES = ["linear", "authors", "pass", "threads", "growth"]
clock = time.perf_counter
# Half the distance of the two class means, in standard deviations.
OVERLAPS = {"separated": 3.0, "some": 0.8, "strong": 0.2}


def overlapping_classes(
    m: int, n: int, apart: float = 0.8, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Two Gaussian clouds in the ball; by default about a fifth of the points is misplaced."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(m) < 0.5, 1, -1)
    V = rng.standard_normal((m, n))
    V[:, 0] += apart * y
    return convert(V, "tangent", "ball"), y


def fastest_of(
    works: list[Callable[[], object]], seconds: float = 0.5, least: int = 3
) -> list[float]:
    """Time the shortest of several runs of each, taken in turn: so many, so long together."""
    best, begin, n_runs = [np.inf] * len(works), time.perf_counter(), 0
    while n_runs < least or time.perf_counter() - begin < seconds:
        for i, work in enumerate(works):
            start = clock()
            work()
            best[i] = min(best[i], clock() - start)
        n_runs += 1
    return best


def fastest(work: Callable[[], object], seconds: float = 0.5, least: int = 3) -> float:
    """Time the shortest of several runs."""
    return fastest_of([work], seconds, least)[0]


def against_linear_svc(sizes: tuple[int, ...]) -> None:
    print("\n### Fit time against LinearSVC(dual=False) on the same ball coordinates\n")
    print("| n | m | overlap | LinearSVC | HyperbolicSVC | ratio |\n|--:|--:|---|--:|--:|--:|")
    ratios = []
    for n in DIMENSIONS:
        for m in sizes:
            for name, apart in OVERLAPS.items():
                X, y = overlapping_classes(m, n, apart)
                linear, ours = fastest_of(
                    [
                        lambda X=X, y=y: LinearSVC(dual=False).fit(X, y),
                        lambda X=X, y=y: HyperbolicSVC(random_state=0).fit(X, y),
                    ],
                    seconds=1.0,
                    least=9 if m <= 10_000 else 3,
                )
                ratios.append(ours / linear)
                print(
                    f"| {n} | {m} | {name} | {1e3 * linear:.2f} ms | {1e3 * ours:.2f} ms "
                    f"| {ratios[-1]:.2f} |",
                    flush=True,
                )
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"\nWorst ratio {max(ratios):.2f}, geometric mean {mean:.2f} of {len(ratios)} shapes.")


def against_the_authors(quick: bool) -> None:
    print("\n### Against the authors' algorithm (2000 projected gradient steps)\n")
    print("| n | m | C | their time | our time | times faster | their objective / ours |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for n in (2, 10):
        for m in (100, 400) if quick else (100, 400, 1200):
            for C in (0.1, 1.0, 10.0):
                X, y = overlapping_classes(m, n)
                x = convert(X, "ball", "hyperboloid")
                points, labels = Points.from_chart(X), y.astype(np.int8)
                theirs = fastest(lambda x=x, y=y, C=C: projected_gradient(x, y, C), 0.1, 2)
                ours = fastest(lambda p=points, q=labels, C=C: solve_soft_margin(p, q, C=C), 0.2, 3)
                ratio = (
                    projected_gradient(x, y, C) / solve_soft_margin(points, labels, C=C).objective
                )
                print(
                    f"| {n} | {m} | {C:g} | {1e3 * theirs:.0f} ms | {1e3 * ours:.2f} ms "
                    f"| {theirs / ours:.0f} | {ratio:.4f} |",
                    flush=True,
                )


def one_pass(quick: bool) -> None:
    print("\n### One pass over the rows against NumPy reading the same bytes (`sum()`)\n")
    print(
        "| n | value and gradient | the pass of a step | sum | ratio | ratio of a step |\n"
        "|--:|--:|--:|--:|--:|--:|"
    )
    rng = np.random.default_rng(0)
    for n in DIMENSIONS:
        X, y = overlapping_classes(100_000 if quick else 1_000_000, n)
        points, labels = Points.from_chart(X, pack=True).packed, y.astype(np.int8)
        same_bytes = rng.random(len(X) * (n + 1))
        plane, codes = (-0.1, 0.3, np.eye(n)[0]), (y > 0).astype(np.int32)
        problem = np.array([[1, -1, -1]], dtype=np.int32)
        # Kinks, rows of the curvature, rows of a working set, their reach, the spread of kinks,
        # cutoffs, and the hyperplane.
        wanted = [160.0, max(192.0, 6.0 * (n + 1)), 0.0, 0.0, 0.0, np.inf, 0.0]
        question = np.array([[*wanted, *plane[:2], *plane[2]]])
        kernel, step, read = fastest_of(
            [
                lambda p=points, q=labels, w=plane: core.loss_and_gradient(p, q, None, 1.0, *w),
                lambda p=points, c=codes, q=question, k=problem: core.passes_of_block(
                    p, c, None, None, q, k
                ),
                same_bytes.sum,
            ],
            least=9,
        )
        print(
            f"| {n} | {1e3 * kernel:.2f} ms | {1e3 * step:.2f} ms | {1e3 * read:.2f} ms | "
            f"{kernel / read:.2f} | {step / read:.2f} |"
        )


def two_threads(quick: bool) -> None:
    print("\n### One binary problem, one thread and two\n")
    print(
        "| n | m | overlap | fit, one thread | two threads | ratio | one pass: ratio | "
        "reading its bytes: ratio |\n|--:|--:|---|--:|--:|--:|--:|--:|"
    )
    rng = np.random.default_rng(0)
    for n, m in ((2, 1_000_000), (2, 4_000_000), (10, 1_000_000), (50, 300_000)):
        rows = m // 10 if quick else m
        numbers = rng.random(rows * (n + 1))
        halves = np.array_split(numbers, 2)
        with ThreadPoolExecutor(2) as pool:
            alone, shared = fastest_of(
                [numbers.sum, lambda h=halves, p=pool: list(p.map(np.sum, h))], least=9
            )
        for overlap, apart in OVERLAPS.items():
            X, y = overlapping_classes(rows, n, apart)
            labels, points = y.astype(np.int8), Points.from_chart(X, pack=True).packed
            normal = np.eye(n)[0]
            fits = [HyperbolicSVC(random_state=0, n_jobs=jobs) for jobs in (1, 2)]
            one, two = fastest_of([lambda f=fit, X=X, y=y: f.fit(X, y) for fit in fits], least=7)
            passes = fastest_of(
                [
                    lambda p=points, q=labels, u=normal, t=threads: core.loss_and_gradient(
                        p, q, None, 1.0, -0.1, 0.3, u, t
                    )
                    for threads in (1, 2)
                ],
                least=9,
            )
            print(
                f"| {n} | {rows} | {overlap} | {1e3 * one:.1f} ms | {1e3 * two:.1f} ms | "
                f"{one / two:.2f} | {passes[0] / passes[1]:.2f} | {alone / shared:.2f} |",
                flush=True,
            )


GROWTH = """
import resource, sys, time
import numpy as np
sys.path.insert(0, {folder!r})
from solver import overlapping_classes
from hyplane import HyperbolicSVC
X, y = overlapping_classes({m}, {n})
HyperbolicSVC(random_state=0).fit(X[:1000], y[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open("/proc/self/clear_refs", "w") as f:
    f.write("5")  # forget the peak that making the data left behind
base = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
start = time.perf_counter()
HyperbolicSVC(random_state=0).fit(X, y)
seconds = time.perf_counter() - start
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
print(seconds, int(peak.split()[1]) * 1024 - base, X.nbytes + y.nbytes)
"""


def growth(quick: bool) -> None:
    print("\n### Ten times the rows: time and memory (each fit in a process of its own)\n")
    print("| n | m | time | peak beyond the input / input |\n|--:|--:|--:|--:|")
    for n in (2, 10):
        seconds = []
        for m in (100_000, 1_000_000) if quick else (1_000_000, 10_000_000):
            script = GROWTH.format(folder=os.path.dirname(os.path.abspath(__file__)), m=m, n=n)
            done = subprocess.run(
                [sys.executable, "-c", script], capture_output=True, text=True, check=True
            )
            fit, peak, size = map(float, done.stdout.split())
            seconds.append(fit)
            print(f"| {n} | {m} | {fit:.2f} s | {peak / size:.2f} |", flush=True)
        print(f"| {n} | ratio | {seconds[1] / seconds[0]:.1f} | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--only", choices=TABLES, help="one table only")
    parser.add_argument(
        "--processor-time", action="store_true", help="time of the processor, not of the clock"
    )
    options = parser.parse_args()
    if options.processor_time:
        global clock
        clock = time.process_time
    wanted = [options.only] if options.only else TABLES
    if "linear" in wanted:
        against_linear_svc(SIZES[:1] if options.quick else SIZES)
    if "authors" in wanted:
        against_the_authors(options.quick)
    if "pass" in wanted:
        one_pass(options.quick)
    if "threads" in wanted:
        two_threads(options.quick)
    if "growth" in wanted:
        growth(options.quick)


if __name__ == "__main__":
    main()
