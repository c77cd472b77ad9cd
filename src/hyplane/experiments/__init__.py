"""The paper's three experiments, run from nothing to a report by `reproduce`."""

from hyplane.experiments.beside import ReportInTheWay
from hyplane.experiments.engine import (
    EXPERIMENTS,
    ReproductionSummary,
    reproduce,
    run_experiments,
)
from hyplane.experiments.evolving_networks import EvolvingNetworks
from hyplane.experiments.execution import ReproductionInterrupted
from hyplane.experiments.experiment import Experiment
from hyplane.experiments.gaussian_mixtures import GaussianMixtures
from hyplane.experiments.own_data import OwnData
from hyplane.experiments.real_networks import RealNetworks

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
