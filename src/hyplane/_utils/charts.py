"""The names of the charts, in one place that takes no time to import."""

CHARTS = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")

# Other names that people use. Upper case, hyphens and spaces do not matter.
ALIASES = {
    "poincare": "ball",
    "poincaré": "ball",
    "poincare_ball": "ball",
    "poincaré_ball": "ball",
    "poincare_disk": "ball",
    "disk": "ball",
    "lorentz": "hyperboloid",
    "lorentzian": "hyperboloid",
    "minkowski": "hyperboloid",
    "half_space": "halfspace",
    "half_plane": "halfspace",
    "upper_half_space": "halfspace",
    "upper_half_plane": "halfspace",
    "upper_halfspace": "halfspace",
    "beltrami_klein": "klein",
    "klein_ball": "klein",
    "native": "polar",
    "tangent_space": "tangent",
}


def chart_name(name: str) -> str:
    """Return our own name of a chart, or say which names there are.

    Parameters
    ----------
    name : str
        One of `CHARTS` or of `ALIASES`, in any case.

    Returns
    -------
    chart : str
        One of `CHARTS`.

    Examples
    --------
    >>> chart_name("ball"), chart_name("Lorentz"), chart_name("upper half-space")
    ('ball', 'hyperboloid', 'halfspace')
    """
    if isinstance(name, str):
        if name in CHARTS:
            return name
        plain = name.lower().replace("-", "_").replace(" ", "_")
        plain = ALIASES.get(plain, plain)
        if plain in CHARTS:
            return plain
    raise ValueError(
        f"coordinates must be one of {', '.join(CHARTS)} (or poincare, lorentz, "
        f"upper_half_space, \N{HORIZONTAL ELLIPSIS}); got {name!r}."
    )
