"""What the paper published, quoted as published.

The values of its table of real networks are not here: we had no copy to check them against.
"""

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


FINDINGS = {
    "gaussian": Finding(
        "the hyperbolic SVM ranks better than the Euclidean SVM on mixtures of hyperbolic "
        "Gaussians",
        6.17e-28,
    ),
    "evolving": Finding(
        "the hyperbolic SVM ranks better than the Euclidean SVM on labels of growing networks "
        "embedded by LaBNE",
        3.99e-21,
    ),
    "real": Finding(
        "the hyperbolic SVM ranks better than the Euclidean SVM on hyperbolic embeddings of real "
        "networks"
    ),
}
