"""What the paper published, quoted as published."""

from dataclasses import dataclass

CITATION = (
    "Cho, DeMeo, Peng, Berger. Large-Margin Classification in Hyperbolic Space. "
    "arXiv:1806.00437; AISTATS 2019."
)


@dataclass(frozen=True)
class Finding:
    """A finding of the paper.

    Attributes
    ----------
    claim : str
        In our words.
    p_value : float or None
        Of its one-sided paired t-test over data sets.
    """

    claim: str
    p_value: float | None = None
