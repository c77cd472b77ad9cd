"""Points that other libraries have learned."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane.geometry import convert


def from_gensim_poincare(
    model: Any, *, coordinates: str = "ball"
) -> tuple[NDArray[np.float64], list[Any]]:
    """Take the points of gensim's ``PoincareModel``.

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
    """Take points of a geoopt manifold.

    Its ``PoincareBall(c)`` and ``Stereographic(k)`` with negative k are the ball of curvature
    ``-c`` and ``k`` here; its ``Lorentz(k)`` is the hyperboloid of curvature ``-1/k``.

    Parameters
    ----------
    points : torch.Tensor of shape (m, n_columns)
        A ``ManifoldTensor`` or ``ManifoldParameter``, or a plain tensor with its ``manifold``.
    manifold : geoopt.Manifold, optional
        By default the one that ``points`` carries.
    coordinates : str, optional
        Chart of the result; by default the one the points are in.

    Returns
    -------
    points : ndarray of shape (m, n_columns)
    curvature : float
        To be passed on with the points, as ``curvature=``.

    Examples
    --------
    >>> import geoopt, torch  # doctest: +SKIP
    >>> ball = geoopt.PoincareBall(c=4.0)  # doctest: +SKIP
    >>> points, curvature = from_geoopt(ball.random(5, 2), ball)  # doctest: +SKIP
    >>> HyperbolicSVC(curvature=curvature).fit(points, y)  # doctest: +SKIP
    """
    manifold = getattr(points, "manifold", None) if manifold is None else manifold
    chart, curvature = _chart_of(manifold)
    array = points.detach().cpu().numpy() if hasattr(points, "detach") else np.asarray(points)
    if array.ndim != 2:
        raise ValueError(f"points must have two dimensions, one row each; got {array.shape}.")
    return convert(array, chart, coordinates or chart, curvature=curvature), curvature


def _chart_of(manifold: Any) -> tuple[str, float]:
    # By name, so that neither geoopt nor torch has to be imported.
    names = {kind.__name__ for kind in type(manifold).__mro__}
    if "Stereographic" in names and float(manifold.k) < 0:
        return "ball", float(manifold.k)
    if "Lorentz" in names:
        return "hyperboloid", -1.0 / float(manifold.k)
    if "Stereographic" in names:
        raise ValueError(
            f"the manifold has curvature {float(manifold.k):.6g}: it is not hyperbolic."
        )
    raise ValueError(
        "manifold must be geoopt's PoincareBall, Stereographic or Lorentz, given or carried by the "
        f"points; got {type(manifold).__name__}."
    )
