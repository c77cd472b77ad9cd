"""The paper's three experiments, run from nothing to a report by `reproduce`."""

from hyplane.paper.beside import ReportInTheWay
from hyplane.paper.engine import (
    EXPERIMENTS,
    ReproductionSummary,
    reproduce,
    run_experiments,
)
from hyplane.paper.evolving_networks import EvolvingNetworks
from hyplane.paper.execution import ReproductionInterrupted
from hyplane.paper.experiment import Experiment
from hyplane.paper.gaussian_mixtures import GaussianMixtures
from hyplane.paper.own_data import OwnData
from hyplane.paper.real_networks import RealNetworks

__all__ = [
    "EXPERIMENTS",
    "EvolvingNetworks",
    "Experiment",
    "GaussianMixtures",
    "OwnData",
    "RealNetworks",
    "ReportInTheWay",
    "ReproductionInterrupted",
    "ReproductionSummary",
    "reproduce",
    "run_experiments",
]
