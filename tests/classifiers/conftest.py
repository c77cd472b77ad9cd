"""Data and steps that the tests of classifiers share."""

import pytest

from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.persistence import load_model, save_model


@pytest.fixture(scope="session")
def data():
    """Return points of three classes in the disk; no test may change them."""
    X, y = make_hyperbolic_gaussians(240, n_classes=3, random_state=0)
    X.flags.writeable = y.flags.writeable = False
    return X, y


@pytest.fixture
def reloaded(tmp_path):
    """Return a function that writes a model to a file and reads it."""

    def reload(model):
        save_model(model, tmp_path / "model.json")
        return load_model(tmp_path / "model.json")

    return reload
