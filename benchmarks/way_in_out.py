"""How fast points come in and scores go out, as ratios measured side by side in one run.

    python benchmarks/way_in_out.py            all tables, about a minute on an idle machine
    python benchmarks/way_in_out.py --quick    a tenth of the rows

Prints Markdown tables, one thread for everybody but in the table of threads. The times of a line
are the shortest of rounds in which its programs run one after the other, in processor time: a busy
machine counts less.
"""

import argparse
import os
import time
from collections.abc import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import CHARTS, convert
from hyplane.native import charts, core
from hyplane.solvers import Points, solve_soft_margin

SHAPES = ((1_000_000, 2, 1), (1_000_000, 10, 1), (300_000, 10, 10), (200_000, 50, 1))


def ball_points(m: int, n: int) -> np.ndarray:
    """Gaussian tangent vectors in the ball, at radii up to about 6."""
    rng = np.random.default_rng(0)
    return convert(rng.standard_normal((m, n)) * (2.0 / np.sqrt(n)), "tangent", "ball")


def random_planes(p: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    normal = rng.standard_normal((p, n))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return rng.normal(0.0, 0.5, p), rng.normal(0.0, 0.5, p), normal


def fastest(
    works: list[Callable[[], object]],
    seconds: float = 2.0,
    least: int = 7,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Time each of several programs: the shortest of rounds in which all of them run in turn."""
    times: list[list[float]] = [[] for _ in works]
    start = time.perf_counter()
    while len(times[0]) < least or time.perf_counter() - start < seconds:
        for work, taken in zip(works, times, strict=True):
            before = clock()
            work()
            taken.append(clock() - before)
    return [min(taken) for taken in times]


def table(title: str, names: list[str]) -> None:
    print(f"\n### {title}\n\n| " + " | ".join(names) + " |\n" + "|--:" * len(names) + "|")


def line(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms" if seconds > 1e-4 else f"{1e6 * seconds:.1f} µs"


def predictions(tenth: int) -> None:
    kinds = ("decide", "product", "arsinh_product", "signed_distance")
    table(
        "Scores of ball points against LinearSVC.predict on the same points (ratio of times)",
        ["m", "n", "planes", "LinearSVC.predict", *kinds],
    )
    for m, n, p in (*SHAPES, (1, 2, 1), (1, 10, 10)):
        m = max(1, m // tenth)
        X, planes = ball_points(m, n), random_planes(p, n)
        many = ball_points(1000, n)
        labels = np.arange(1000) % max(2, p)
        linear = LinearSVC(dual=False).fit(many, labels)
        works: list[Callable[[], object]] = [
            lambda X=X, linear=linear: linear.predict(X),
            lambda X=X, planes=planes: charts.decide(X, "ball", 1.0, *planes),
        ]
        works += [
            lambda X=X, planes=planes, kind=kind: charts.scores(X, "ball", 1.0, *planes, kind)
            for kind in kinds[1:]
        ]
        base, *ours = fastest(works)
        line(m, n, p, milliseconds(base), *(f"{t / base:.2f}" for t in ours))


def conversions(tenth: int) -> None:
    table(
        "To polar coordinates: ball points against a copy of them",
        ["m", "n", "to_polar", "passes of X.copy()"],
    )
    for m, n, _ in (SHAPES[0], SHAPES[1], SHAPES[3]):
        X = ball_points(m // tenth, n)
        ours, copy = fastest([lambda X=X: charts.to_polar(X, "ball", 1.0), lambda X=X: X.copy()])
        line(len(X), n, milliseconds(ours), f"{ours / copy:.1f}")


def other_charts(tenth: int) -> None:
    table(
        "Every chart: 1e6 × 2 rows (polar: an angle), time against the ball",
        ["chart", "to_polar", "arsinh_product", "float32 to_polar"],
    )
    X = ball_points(1_000_000 // tenth, 2)
    planes = random_planes(1, 2)
    base: list[float] = []
    for chart in CHARTS:
        Y = convert(X, "ball", chart)
        single = Y.astype(np.float32)
        times = fastest(
            [
                lambda Y=Y, chart=chart: charts.to_polar(Y, chart, 1.0),
                lambda Y=Y, chart=chart: charts.scores(Y, chart, 1.0, *planes, "arsinh_product"),
                lambda Y=single, chart=chart: charts.to_polar(Y, chart, 1.0),
            ],
            1.0,
        )
        base = base or times
        cells = (f"{milliseconds(t)} ({t / b:.2f})" for t, b in zip(times, base, strict=True))
        line(chart, *cells)


def signs_of(X: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(2).normal(scale=0.3, size=len(X))
    return np.where(X[:, 0] + noise > 0, 1, -1).astype(np.int8)


def passes(tenth: int) -> None:
    table(
        "One pass of loss and gradient against NumPy's sum of the same bytes",
        ["m", "n", "pass", "sum", "ratio"],
    )
    for m, n in ((1_000_000, 2), (1_000_000, 10), (200_000, 50)):
        X = ball_points(m // tenth, n)
        packed, labels = Points.from_chart(X, pack=True).packed, signs_of(X)
        bytes_of_it = np.ones((len(X), n + 1))
        plane = (0.3, 0.1, -np.eye(n)[0])
        ours, numpy = fastest(
            [
                lambda p=packed, y=labels, w=plane: core.loss_and_gradient(p, y, None, 1.0, *w),
                bytes_of_it.sum,
            ],
            least=25,
        )
        line(len(X), n, milliseconds(ours), milliseconds(numpy), f"{ours / numpy:.2f}")


def packing(tenth: int) -> None:
    table(
        "Packing 1e6 × 2 rows, in passes of loss and gradient over them",
        ["chart", "float64", "passes", "float32", "passes"],
    )
    X = ball_points(1_000_000 // tenth, 2)
    labels, plane = signs_of(X), (0.3, 0.1, np.array([-1.0, 0.0]))
    for chart in CHARTS:
        Y = convert(X, "ball", chart)
        packed, single = core.pack(Y, chart, 1.0)[0], Y.astype(np.float32)
        double, float32, one = fastest(
            [
                lambda Y=Y, chart=chart: core.pack(Y, chart, 1.0),
                lambda Y=single, chart=chart: core.pack(Y, chart, 1.0),
                lambda p=packed: core.loss_and_gradient(p, labels, None, 1.0, *plane),
            ],
            least=25,
        )
        line(chart, milliseconds(double), f"{double / one:.1f}", milliseconds(float32),
             f"{float32 / one:.1f}")  # fmt: skip


def threads(tenth: int) -> None:
    table(
        "Two threads against one (elapsed time; needs two idle processors)",
        ["m", "n", "what", "one", "two", "times faster"],
    )
    for m, n in ((1_000_000, 2), (1_000_000, 10), (200_000, 50)):
        X = ball_points(m // tenth, n)
        rows, labels = Points.from_chart(X, pack=True), signs_of(X)
        plane = (0.3, 0.1, -np.eye(n)[0])
        works: dict[str, Callable[[int], object]] = {
            "packing": lambda k, X=X: core.pack(X, "ball", 1.0, k),
            "one pass": lambda k, r=rows, y=labels, w=plane: core.loss_and_gradient(
                r.packed, y, None, 1.0, *w, k
            ),
            "solve": lambda k, r=rows, y=labels: solve_soft_margin(r, y, n_threads=k),
            "HyperbolicSVC.fit": lambda k, X=X, y=labels: HyperbolicSVC(
                random_state=0, n_jobs=k
            ).fit(X, y),
        }
        for name, work in works.items():
            one, two = fastest(
                [lambda work=work: work(1), lambda work=work: work(2)],
                clock=time.perf_counter,
                least=9,
            )
            line(len(X), n, name, milliseconds(one), milliseconds(two), f"{one / two:.2f}")


def small_calls() -> None:
    table(
        "Small calls against LinearSVC(dual=False) (ratio of times)",
        ["call", "LinearSVC", "hyplane", "ratio"],
    )
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.6, 0.6, (100, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=100) > 0).astype(int)
    linear, svc = LinearSVC(dual=False).fit(X, y), HyperbolicSVC(random_state=0).fit(X, y)
    chosen, row = HyperbolicSVCCV(random_state=0).fit(X, y), X[:1]
    calls: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "predict, one row": (lambda: linear.predict(row), lambda: svc.predict(row)),
        "decision_function, one row": (
            lambda: linear.decision_function(row),
            lambda: svc.decision_function(row),
        ),
        "predict_proba of HyperbolicSVCCV, one row": (
            lambda: linear.decision_function(row),
            lambda: chosen.predict_proba(row),
        ),
        "fit, 100 × 2": (
            lambda: LinearSVC(dual=False).fit(X, y),
            lambda: HyperbolicSVC(random_state=0).fit(X, y),
        ),
    }
    for name, pair in calls.items():
        theirs, ours = fastest(list(pair), 1.0, 200, time.perf_counter)
        line(name, milliseconds(theirs), milliseconds(ours), f"{ours / theirs:.2f}")


def cross_validation() -> None:
    table("HyperbolicSVCCV: three values of C, five folds", ["data", "time"])
    X, y = make_hyperbolic_gaussians(600, random_state=0)
    digits = load_digits()
    Z = PCA(10, random_state=0).fit_transform(StandardScaler().fit_transform(digits.data))
    Z *= 2.0 / np.sqrt((Z**2).sum(axis=1).mean())
    both = fastest(
        [
            lambda: HyperbolicSVCCV(random_state=0).fit(X, y),
            lambda: HyperbolicSVCCV(coordinates="tangent", random_state=0).fit(Z, digits.target),
        ]
    )
    for name, taken in zip(("600 × 2, 4 classes", "digits, 1797 × 10"), both, strict=True):
        line(name, milliseconds(taken))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    tenth = 10 if parser.parse_args().quick else 1
    predictions(tenth)
    conversions(tenth)
    other_charts(tenth)
    passes(tenth)
    packing(tenth)
    small_calls()
    cross_validation()
    threads(tenth)


if __name__ == "__main__":
    main()
