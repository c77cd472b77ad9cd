"""The paper's three experiments, run from nothing to a report by `reproduce`."""

from hyplane.paper.evolving_networks import EvolvingNetworks
from hyplane.paper.experiment import Experiment, OwnData
from hyplane.paper.gaussian_mixtures import GaussianMixtures
from hyplane.paper.pieces import ReproductionInterrupted
from hyplane.paper.real_networks import RealNetworks
from hyplane.paper.reproduction import ReproductionSummary, reproduce

__all__ = [
    "EvolvingNetworks",
    "Experiment",
    "GaussianMixtures",
    "OwnData",
    "RealNetworks",
    "ReproductionInterrupted",
    "ReproductionSummary",
    "reproduce",
]
