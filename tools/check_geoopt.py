"""Check the way from geoopt and back with the real libraries, which the tests do not install.

Run ``pip install "hyplane[geoopt]"`` first, then ``python tools/check_geoopt.py``. It trains small
sets of points in all precisions and models, fits a classifier, and ends with an error if one of
the claims does not hold.
"""

import warnings
from itertools import product

import geoopt
import numpy as np
import torch

from hyplane import HyperbolicSVC
from hyplane.embeddings import from_geoopt, to_geoopt
from hyplane.geometry import PointError, pairwise_distances


def claim(holds: bool, words: str) -> None:
    """Print a claim, or end the run where it does not hold."""
    print(f"{'holds' if holds else 'FAILS'}: {words}", flush=True)
    if not holds:
        raise SystemExit(1)


def trained(manifold: geoopt.Manifold, dtype: torch.dtype, steps: int = 120) -> torch.Tensor:
    """Pull two groups of points apart, as an embedding does, far out and for many steps."""
    torch.manual_seed(0)
    lorentz = isinstance(manifold, geoopt.Lorentz)
    tangent = 0.1 * torch.randn(40, 3 if lorentz else 2)
    tangent[:20, -1] += 0.5
    tangent[20:, -1] -= 0.5
    if lorentz:
        tangent[:, 0] = 0.0
    start = manifold.expmap0(tangent.to(dtype))
    points = geoopt.ManifoldParameter(start, manifold=manifold)
    optimizer = geoopt.optim.RiemannianAdam([points], lr=0.02)
    group = torch.arange(40) < 20
    for _ in range(steps):
        optimizer.zero_grad()
        across = manifold.dist(points[group][:, None], points[~group][None])
        loss = -across.double().clamp(max=7.0).mean()
        loss.backward()
        optimizer.step()
    return points


def check_training() -> None:
    """Points of every model and precision are taken, and a classifier separates them."""
    y = (np.arange(40) < 20).astype(int)
    makers = {"PoincareBall": geoopt.PoincareBall, "Lorentz": geoopt.Lorentz}
    for (name, make), dtype, learnable in product(
        makers.items(), (torch.float64, torch.float32), (False, True)
    ):
        manifold = make(0.5, learnable=learnable)
        tensor = trained(manifold, dtype)
        points, curvature = from_geoopt(tensor)
        chart = "ball" if name == "PoincareBall" else "hyperboloid"
        expected = -0.5 if name == "PoincareBall" else -2.0
        kind = f"{name}, {str(dtype).removeprefix('torch.')}{', learnable' * learnable}"
        claim(points.dtype == np.float64 and len(points) == 40, f"{kind}: points are taken")
        claim(curvature == expected, f"{kind}: the curvature is {curvature!r}")
        if name == "Lorentz":
            raw = tensor.detach().double().numpy()
            products = raw[:, 0] ** 2 - (raw[:, 1:] ** 2).sum(axis=1)
            print(f"       before: x*x between {products.min():.6g} and {products.max():.6g}")
        clf = HyperbolicSVC(coordinates=chart, curvature=curvature, random_state=0).fit(points, y)
        claim(clf.score(points, y) == 1.0, f"{kind}: a hyperplane separates the groups")


def check_low_precision() -> None:
    """Take points of low precision, and refuse those on the boundary in words."""
    ball = geoopt.PoincareBall(1.0)
    for dtype in (torch.bfloat16, torch.float16):
        tensor = torch.tensor([[0.5, 0.25], [-0.125, 0.75]], dtype=dtype)
        points, _ = from_geoopt(tensor, ball)
        claim(np.array_equal(points, tensor.double().numpy()), f"{dtype}: the same numbers")
        sheet = torch.tensor([[1.0, 0.0, 0.0], [3.76, 3.63, 0.0]], dtype=dtype)
        points, _ = from_geoopt(sheet, geoopt.Lorentz(1.0))
        products = points[:, 0] ** 2 - (points[:, 1:] ** 2).sum(axis=1)
        claim(bool(np.allclose(products, 1.0)), f"{dtype}: points of Lorentz are on the sheet")
    for dtype in (torch.bfloat16, torch.float32):
        try:
            from_geoopt(torch.tensor([[0.5, 0.0], [1.0 - 1e-9, 0.0]], dtype=dtype), ball)
        except PointError as error:
            claim("row 1" in str(error) and "double" in str(error), f"{dtype}: {error}")
        else:
            claim(False, f"{dtype}: a point on the boundary is refused")


def check_way_back() -> None:
    """Points go to geoopt and come back with the same distances."""
    rng = np.random.default_rng(0)
    tangent = rng.normal(size=(10, 3))
    for model, curvature in product(("ball", "lorentz"), (-1.0, -0.5, -4.0)):
        tensor = to_geoopt(tangent, coordinates="tangent", curvature=curvature, model=model)
        theirs = tensor.manifold.dist(tensor[:, None], tensor[None]).detach().numpy()
        ours = pairwise_distances(tangent, coordinates="tangent", curvature=curvature)
        claim(
            bool(np.allclose(theirs, ours, atol=1e-5)),
            f"{model}, curvature {curvature}: geoopt finds the same distances",
        )
        back, again = from_geoopt(tensor, coordinates="tangent")
        claim(again == curvature, f"{model}, curvature {curvature}: it comes back")
        claim(bool(np.allclose(back, tangent, atol=1e-9)), f"{model}, {curvature}: points too")


if __name__ == "__main__":
    warnings.simplefilter("error", UserWarning)
    check_training()
    check_low_precision()
    check_way_back()
