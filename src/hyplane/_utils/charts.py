"""The names of charts and projections, in one place that takes no time to import."""

CHARTS = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")

# Other usual names. Upper case, accents, underscores, hyphens and spaces do not matter.
ALIASES = {
    "ball": ("poincare", "poincareball", "poincaredisk", "disk"),
    "hyperboloid": ("lorentz", "lorentzian", "minkowski"),
    "halfspace": ("halfplane", "upperhalfspace", "upperhalfplane"),
    "klein": ("beltramiklein", "kleinball"),
    "polar": ("native",),
    "tangent": ("tangentspace",),
}

# How a picture shows points of more than two dimensions.
PROJECTIONS = ("radial", "horo", "tangent", "orthogonal", "hyperplane")


def chart_name(name: str) -> str:
    """Return our own name of a chart; the error for an unknown one lists the names."""
    plain = str(name).lower().translate({ord("é"): "e", **dict.fromkeys(map(ord, "_- "))})
    for chart, aliases in ALIASES.items():
        if plain == chart or plain in aliases:
            return chart
    raise ValueError(
        f"coordinates must be one of {', '.join(CHARTS)} (or poincare, lorentz, "
        f"upper_half_space, \N{HORIZONTAL ELLIPSIS}); got {name!r}."
    )
