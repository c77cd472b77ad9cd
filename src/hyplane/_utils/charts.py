"""The names of the charts, in one place that takes no time to import."""

CHARTS = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")

# Other usual names. Upper case, accents, underscores, hyphens and spaces do not matter.
ALIASES = {
    "poincare": "ball",
    "poincareball": "ball",
    "poincaredisk": "ball",
    "disk": "ball",
    "lorentz": "hyperboloid",
    "lorentzian": "hyperboloid",
    "minkowski": "hyperboloid",
    "halfplane": "halfspace",
    "upperhalfspace": "halfspace",
    "upperhalfplane": "halfspace",
    "beltramiklein": "klein",
    "kleinball": "klein",
    "native": "polar",
    "tangentspace": "tangent",
}


def chart_name(name: str) -> str:
    """Return our own name of a chart, or say which names there are."""
    if isinstance(name, str):
        plain = name.lower().translate({ord("é"): "e", **dict.fromkeys(map(ord, "_- "))})
        plain = ALIASES.get(plain, plain)
        if plain in CHARTS:
            return plain
    raise ValueError(
        f"coordinates must be one of {', '.join(CHARTS)} (or poincare, lorentz, "
        f"upper_half_space, \N{HORIZONTAL ELLIPSIS}); got {name!r}."
    )
