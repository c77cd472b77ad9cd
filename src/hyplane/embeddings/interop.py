"""Points that other libraries have learned, and the way back to them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.charts import chart_name
from hyplane._utils.optional import import_optional
from hyplane._utils.typing import ArrayLike
from hyplane.geometry import PointError, check_points, convert
from hyplane.geometry.numerics import row_norms


def from_gensim_poincare(
    model: Any, *, coordinates: str = "ball"
) -> tuple[NDArray[np.float64], list[Any]]:
    """Return the points and the names of gensim's ``PoincareModel``.

    Parameters
    ----------
    model : gensim.models.poincare.PoincareModel or PoincareKeyedVectors
        A trained model, or its ``kv``. Its points lie in the ball of curvature -1.
    coordinates : str, default="ball"
        Chart of the result.

    Returns
    -------
    points : ndarray of shape (n_nodes, n_columns)
    node_names : list
        The node of each row.

    Examples
    --------
    >>> from gensim.models.poincare import PoincareModel
    >>> model = PoincareModel([("cat", "mammal"), ("dog", "mammal")], size=2, negative=1)
    >>> points, names = from_gensim_poincare(model, coordinates="hyperboloid")
    >>> points.shape, names
    ((3, 3), ['cat', 'mammal', 'dog'])
    """
    vectors = getattr(model, "kv", model)
    if not hasattr(vectors, "index_to_key") or not hasattr(vectors, "vectors"):
        raise ValueError(
            "model must be a PoincareModel of gensim or its kv (PoincareKeyedVectors); got "
            f"{type(model).__name__}."
        )
    return convert(vectors.vectors, "ball", coordinates), list(vectors.index_to_key)


def from_geoopt(
    points: Any, manifold: Any | None = None, *, coordinates: str | None = None
) -> tuple[NDArray[np.float64], float]:
    """Return points of a geoopt manifold as an array, with their curvature.

    Its ``PoincareBall(c)`` and ``Stereographic(k)`` with negative k are the ball of curvature
    ``-c`` and ``k`` here; its ``Lorentz(k)`` is the hyperboloid of curvature ``-1/k``.

    Parameters
    ----------
    points : torch.Tensor of shape (m, n_columns)
        A ``ManifoldTensor`` or ``ManifoldParameter``, or a plain tensor with its ``manifold``, of
        any precision and on any device.
    manifold : geoopt.Manifold, optional
        By default the one that ``points`` carries. Its curvature may be learnable.
    coordinates : str, optional
        Chart of the result; by default the one the points are in.

    Returns
    -------
    points : ndarray of shape (m, n_columns)
        In double precision. On the hyperboloid x0 is computed anew from the other columns:
        training moves it off the sheet by more than rounding does.
    curvature : float
        To be passed on with the points, as ``curvature=``. geoopt keeps it in a form that rounds:
        -0.5 may come back as -0.49999997.

    Examples
    --------
    >>> import geoopt, torch  # doctest: +SKIP
    >>> ball = geoopt.PoincareBall(c=4.0)  # doctest: +SKIP
    >>> points, curvature = from_geoopt(ball.random(5, 2), ball)  # doctest: +SKIP
    >>> HyperbolicSVC(curvature=curvature).fit(points, y)  # doctest: +SKIP
    """
    manifold = getattr(points, "manifold", None) if manifold is None else manifold
    chart, curvature = _chart_of(manifold)
    array, eps = _doubles(points)
    if array.ndim != 2:
        raise ValueError(f"points must have two dimensions, one row each; got {array.shape}.")
    if chart == "hyperboloid":
        array = _on_the_sheet(array, -curvature, eps)
    elif eps > np.finfo(np.float64).eps:
        _refuse_rounded(array, -curvature, eps)
    return convert(array, chart, coordinates or chart, curvature=curvature), curvature


def to_geoopt(
    points: ArrayLike,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    model: str | None = None,
    learnable: bool = False,
    dtype: Any | None = None,
    device: Any | None = None,
) -> Any:
    """Return points as a tensor of geoopt that carries its manifold.

    Parameters
    ----------
    points : array-like of shape (m, n_columns)
    coordinates : str, default="ball"
        Their chart.
    curvature : float, default=-1.0
        Their curvature.
    model : {"ball", "hyperboloid"}, optional
        geoopt's ``PoincareBall`` or its ``Lorentz``. By default the chart of the points if it is
        one of these, else the ball.
    learnable : bool, default=False
        Whether the curvature of the manifold is to be learned.
    dtype : torch.dtype, optional
        Double precision by default. Points that the precision would round to the boundary of the
        ball are an error.
    device : torch.device or str, optional
        The processor by default.

    Returns
    -------
    points : geoopt.ManifoldTensor

    Examples
    --------
    >>> tensor = to_geoopt([[0.5, 0.1]], curvature=-1.0)  # doctest: +SKIP
    >>> tensor.manifold  # doctest: +SKIP
    PoincareBall manifold
    """
    geoopt, torch = (import_optional(name, "geoopt") for name in ("geoopt", "torch"))
    chart = chart_name(coordinates)
    own = chart if chart in ("ball", "hyperboloid") else "ball"
    target = chart_name(model or own)
    if target not in ("ball", "hyperboloid"):
        raise ValueError(f"model must be ball or hyperboloid, which geoopt has; got {model!r}.")
    converted = convert(points, chart, target, curvature=curvature)
    tensor = torch.as_tensor(converted, dtype=dtype or torch.float64, device=device)
    if target == "ball":
        rounded, eps = _doubles(tensor)
        _refuse_rounded(rounded, -curvature, eps)
        manifold = geoopt.PoincareBall(c=-curvature, learnable=learnable)
    else:
        manifold = geoopt.Lorentz(k=-1.0 / curvature, learnable=learnable)
    return geoopt.ManifoldTensor(tensor, manifold=manifold.to(tensor.device))


def _doubles(points: Any) -> tuple[NDArray[np.float64], float]:
    """Return a tensor or array as doubles, and the rounding unit it came with."""
    if not hasattr(points, "detach"):
        array = np.asarray(points)
        kind = array.dtype if array.dtype.kind == "f" else np.dtype(np.float64)
        return array.astype(np.float64), float(np.finfo(kind).eps)
    # Of the tensor as it is, since NumPy has no bfloat16.
    tensor = points.detach()
    eps = float(import_optional("torch", "geoopt").finfo(tensor.dtype).eps)
    return np.array(tensor.cpu().double().numpy(), dtype=np.float64), eps


def _on_the_sheet(points: NDArray[np.float64], k: float, eps: float) -> NDArray[np.float64]:
    """Compute x0 anew; a row that rounding and training cannot have moved so far is an error."""
    expected = np.hypot(1.0 / np.sqrt(k), row_norms(points[:, 1:]))
    # Training in single precision moves points off the sheet step by step.
    allowed = min(max(1e-6, 1e4 * eps), 0.1)
    if not (np.abs(points[:, 0] - expected) <= allowed * expected).all():
        check_points(points, "hyperboloid", curvature=-k, name="points")
    return np.column_stack([expected, points[:, 1:]])


def _refuse_rounded(points: NDArray[np.float64], k: float, eps: float) -> None:
    """Say where a tensor of low precision has a point on the boundary of the ball."""
    norms = row_norms(points) * np.sqrt(k)
    bad = np.flatnonzero(norms >= 1.0)
    if not bad.size or eps <= np.finfo(np.float64).eps:
        return
    raise PointError(
        f"is on the boundary of the Poincaré ball: a tensor with a rounding of {eps:.1g} holds "
        f"points up to a radius of about {-np.log(eps / 4.0) / np.sqrt(k):.0f}",
        int(bad[0]),
        float(norms[bad[0]]),
        "Train in double precision (tensor.double()) or on geoopt's Lorentz",
        "points",
        coordinates="ball",
        can_clip=True,
    )


def _chart_of(manifold: Any) -> tuple[str, float]:
    # By name, so that neither geoopt nor torch has to be imported.
    names = {kind.__name__ for kind in type(manifold).__mro__}
    if not names & {"Stereographic", "Lorentz"}:
        raise ValueError(
            "manifold must be geoopt's PoincareBall, Stereographic or Lorentz, given or carried by "
            f"the points; got {type(manifold).__name__}."
        )
    k = float(manifold.k.detach() if hasattr(manifold.k, "detach") else manifold.k)
    if "Lorentz" in names:
        return "hyperboloid", -1.0 / k
    if k >= 0:
        raise ValueError(f"the manifold has curvature {k:.6g}: it is not hyperbolic.")
    return "ball", k
