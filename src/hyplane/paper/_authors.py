"""The authors' own data sets as settings of pieces, and back."""

import hashlib
from functools import cache
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from hyplane.datasets import fetch_hyplinear
from hyplane.datasets.download import get_data_home


def authors_settings(collection: str, names: list[str]) -> dict[str, dict[str, Any]]:
    """Fetch data sets of the authors, and return what stands for each in the settings of a piece.

    Parameters
    ----------
    collection : {"gaussian", "randnet", "realnet"}
    names : list of str

    Returns
    -------
    settings : dict of dict
        By name: the collection, the name, and a digest of the content.
    """
    return dict(_fetched(collection, tuple(names), str(get_data_home())))


def authors_dataset(settings: dict[str, Any]) -> Bunch:
    """Return the data set that `authors_settings` stands for.

    Parameters
    ----------
    settings : dict

    Returns
    -------
    dataset : Bunch
        As `hyplane.datasets.fetch_hyplinear` gives it.
    """
    [dataset] = fetch_hyplinear(settings["collection"], subset=[settings["name"]])
    if _digest(dataset) != settings["sha256"]:
        raise ValueError(
            f"the data set {settings['name']} of the collection {settings['collection']} changed "
            "during the run; run again."
        )
    return dataset


@cache
def _fetched(collection: str, names: tuple[str, ...], home: str) -> dict[str, dict[str, Any]]:
    datasets = fetch_hyplinear(collection, subset=list(names), data_home=home)
    return {
        each.name: {"collection": collection, "name": each.name, "sha256": _digest(each)}
        for each in datasets
    }


def _digest(dataset: Bunch) -> str:
    digest = hashlib.sha256()
    for key in ("data", "target", "edges"):
        if key in dataset:
            digest.update(np.ascontiguousarray(dataset[key]).tobytes())
    return digest.hexdigest()
