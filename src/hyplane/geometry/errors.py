"""The error about a row that is not a point. It carries its facts, not only a sentence."""

from dataclasses import astuple, dataclass


@dataclass(eq=False, repr=False)
class PointError(ValueError):
    """Error raised for a row that is not a point, or not one that its chart can hold.

    Parameters
    ----------
    problem : str
        What is wrong, as a predicate: "is not inside the Poincaré ball: …".
    row : int
        The first such row, counted from 0.
    value : float
        The number that is wrong: a length, a radius, a coordinate.
    remedy : str
        What to do about it.
    name : str, default=""
        What the caller calls the array of points.
    column : int, optional
        The column, where a single coordinate is wrong.
    coordinates : str, optional
        The chart that the row was meant for.
    can_clip : bool, default=False
        Whether `clip_radius` would make a point of it.
    hint : str, default=""
        A further sentence, for callers of Python functions.

    Examples
    --------
    >>> from hyplane.geometry import check_points
    >>> try:
    ...     check_points([[0.5, 0.5], [0.6, 0.8]], "ball")
    ... except PointError as error:
    ...     print(error.row, error.value, error.coordinates, error.can_clip)
    1 1.0 ball True
    """

    problem: str
    row: int
    value: float
    remedy: str = ""
    name: str = ""
    column: int | None = None
    coordinates: str | None = None
    can_clip: bool = False
    hint: str = ""

    def __post_init__(self) -> None:
        self.row, self.value = int(self.row), float(self.value)
        super().__init__(*astuple(self))  # an exception is unpickled with its arguments

    def __str__(self) -> str:
        of = f" of {self.name}" if self.name else ""
        clip = "pull them back explicitly with hyplane.geometry.clip_radius"
        return f"row {self.row}{of} {self.explanation(clip)} {self.hint}".rstrip()

    def explanation(self, clip: str) -> str:
        """Return the problem and the remedy, with the caller's own words for clipping.

        Parameters
        ----------
        clip : str
            How to pull points back, in the words of the place where the error is shown.

        Returns
        -------
        sentences : str

        Examples
        --------
        >>> error = PointError("is too long", 3, 2.0, "Rescale the points", can_clip=True)
        >>> error.explanation("use --clip-radius")
        'is too long. Rescale the points, or use --clip-radius.'
        """
        remedies = [self.remedy] if self.remedy else []
        if self.can_clip:
            remedies.append(clip if remedies else clip[0].upper() + clip[1:])
        return f"{self.problem}. {', or '.join(remedies)}." if remedies else f"{self.problem}."
