"""Points of any chart as columns of another, for models of plain vectors."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS, validate_points
from hyplane.geometry import check_points, convert, from_polar, to_polar


class ChartTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Convert points to another chart, at curvature -1.

    Parameters
    ----------
    output_coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the result; "ball" by default.
    coordinates : same names, default="ball"
        The chart of X.
    curvature : float, default=-1.0
        Curvature of X, a negative number. The result is that of curvature -1 whatever it is, so
        that a model after it does not depend on the unit of length.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from hyplane.features import ChartTransformer
    >>> ChartTransformer("klein").fit_transform([[0.5, 0.0]])
    array([[0.8, 0. ]])
    """

    _saved = {  # noqa: RUF012
        "_n_columns": "int[]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "output_coordinates": CHART_CONSTRAINTS["coordinates"],
        **CHART_CONSTRAINTS,
    }

    def __init__(
        self,
        output_coordinates: str = "ball",
        *,
        coordinates: str = "ball",
        curvature: float = -1.0,
    ) -> None:
        self.output_coordinates = output_coordinates
        self.coordinates = coordinates
        self.curvature = curvature

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Check the points; nothing is learned from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : None
            Ignored.

        Returns
        -------
        self : ChartTransformer
        """
        X = validate_points(self, X)
        check_points(X, self.coordinates, curvature=self.curvature)
        self._n_columns = convert(
            X[:1], self.coordinates, self.output_coordinates, curvature=self.curvature
        ).shape[1]
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Convert points to the other chart.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        points : ndarray of shape (n_samples, n_columns)
        """
        check_is_fitted(self, "n_features_in_")
        X = validate_points(self, X, reset=False)
        radius, direction = to_polar(X, self.coordinates, curvature=self.curvature)
        if self.output_coordinates == "hyperboloid" and radius.max() > 92.0:
            row = int(radius.argmax())
            raise ValueError(
                f"row {row} is at radius {radius[row]:g} (at curvature -1): hyperboloid "
                "coordinates beyond radius 92 are above 1e39, with which linear solvers do not "
                "end. Use another chart, or HyperbolicSVC."
            )
        return from_polar(radius, direction, self.output_coordinates)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Name the columns after the chart.

        Parameters
        ----------
        input_features : array-like of str, optional
            Not used.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self)
        names = [f"{self.output_coordinates}{i}" for i in range(self._n_columns)]
        return np.array(names, dtype=object)
