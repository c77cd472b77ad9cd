"""The paper's three experiments, run from nothing to a report by `reproduce`."""

from hyplane.experiments.engine import (
    EXPERIMENTS,
    ReproductionSummary,
    reproduce,
    run_experiments,
)
from hyplane.experiments.euclidean import EuclideanSVCCV
from hyplane.experiments.evolving_networks import EvolvingNetworks
from hyplane.experiments.gaussian_mixtures import GaussianMixtures
from hyplane.experiments.methods import METHODS
from hyplane.experiments.nested_cv import NestedCV
from hyplane.experiments.real_networks import RealNetworks
from hyplane.experiments.runner import ReproductionInterrupted
from hyplane.experiments.statistics import PairedTest, paired_t_test

__all__ = [
    "EXPERIMENTS",
    "METHODS",
    "EuclideanSVCCV",
    "EvolvingNetworks",
    "GaussianMixtures",
    "NestedCV",
    "PairedTest",
    "RealNetworks",
    "ReproductionInterrupted",
    "ReproductionSummary",
    "paired_t_test",
    "reproduce",
    "run_experiments",
]
