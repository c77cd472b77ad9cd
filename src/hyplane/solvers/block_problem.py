"""A binary problem on rows that are read block by block."""

from dataclasses import dataclass

from hyplane.solvers.soft_margin import SoftMarginResult


@dataclass(frozen=True)
class BlockProblem:
    """Which rows of blocks are to be told apart.

    Attributes
    ----------
    positive : int
        Number of the class, or of the label, on the positive side.
    negative : int, default=-1
        Number of the class on the other side; -1 for all other rows.
    left_out : int, default=-1
        Fold whose rows do not count; -1 for none.
    C : float, default=1.0
        Weight of the losses.
    seed : int, default=0
        Of the random starts.
    start : SoftMarginResult, optional
        The hyperplane of a problem much like this one.
    sides : tuple of float, default=(1.0, 1.0)
        What the weights of the positive and of the negative rows are multiplied by.

    Examples
    --------
    >>> BlockProblem(positive=2).numbers, BlockProblem(positive=2, negative=0).numbers
    ((2, -1, -1), (2, 0, -1))
    """

    positive: int
    negative: int = -1
    left_out: int = -1
    C: float = 1.0
    seed: int = 0
    start: SoftMarginResult | None = None
    sides: tuple[float, float] = (1.0, 1.0)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three numbers that the passes know it by."""
        return self.positive, self.negative, self.left_out
