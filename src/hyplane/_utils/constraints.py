"""What scikit-learn's validation of parameters cannot say by itself."""

from numbers import Real
from typing import Any

from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from hyplane._utils.charts import CHARTS, chart_name


class ChartOption(StrOptions):  # type: ignore[misc]
    """A chart, by any of its names; errors list the charts in their usual order.

    Examples
    --------
    >>> option = ChartOption()
    >>> option.is_satisfied_by("Lorentz"), option.is_satisfied_by("mercator")
    (True, False)
    """

    def __init__(self) -> None:
        super().__init__(set(CHARTS))

    def is_satisfied_by(self, val: Any) -> bool:
        """Say whether a value names a chart."""
        try:
            chart_name(val)
        except ValueError:
            return False
        return True

    def __str__(self) -> str:
        return f"one of {', '.join(CHARTS)} (or poincare, lorentz, upper_half_space, …)"


# Constraints of a parameter that names a chart. Our own names are known to scikit-learn's part,
# which is asked first and takes no time; the message is that of the other.
CHART = [Hidden(StrOptions(set(CHARTS))), ChartOption()]
CHART_CONSTRAINTS = {
    "coordinates": CHART,
    "curvature": [Interval(Real, None, 0, closed="neither")],
}
