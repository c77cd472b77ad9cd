"""The names of the charts, in one place that takes no time to import."""

CHARTS = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")
