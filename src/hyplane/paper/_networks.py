"""Networks of one's own, from files, beside those of the paper."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from hyplane.datasets import (
    load_football,
    load_graph,
    load_karate,
    load_polblogs,
    load_polbooks,
)

NETWORKS = {
    "karate": load_karate,
    "polbooks": load_polbooks,
    "football": load_football,
    "polblogs": load_polblogs,
}


def name_networks(given: Any) -> tuple[tuple[str, ...], dict[str, str]]:
    """Tell the paper's networks from one's own.

    Parameters
    ----------
    given : iterable of str
        Names of the paper's, or ``FILE:LABELS`` for one's own, where LABELS is an attribute of the
        nodes (GML, GraphML) or a table with the label of each node.

    Returns
    -------
    names : tuple of str
        One's own are named after their files.
    files : dict
        ``FILE:LABELS`` of one's own by name.

    Examples
    --------
    >>> name_networks(["karate", "data/mine.gml:group"])
    (('karate', 'mine'), {'mine': 'data/mine.gml:group'})
    """
    names, files = [], {}
    for each in given:
        name = each
        if each not in NETWORKS:
            path, _, labels = each.rpartition(":")
            if not path or not labels:
                raise ValueError(
                    f"no network {each!r}: there are {', '.join(NETWORKS)}, and one of your own is "
                    "given as FILE:LABELS, where LABELS is an attribute of its nodes or a table "
                    "with their labels."
                )
            name = Path(path).stem
            files[name] = each
        if name in names:
            raise ValueError(f"two networks are called {name!r}: rename the file of one.")
        names.append(name)
    return tuple(names), files


def file_settings(place: str) -> dict[str, str]:
    """Return what a piece must know of a file: where it is, and a digest of its content.

    Raises
    ------
    ValueError
        If the file is not there.
    """
    path, _, labels = place.rpartition(":")
    content = hashlib.sha256()
    for file in (path, labels):
        if Path(file).is_file():
            content.update(Path(file).read_bytes())
        elif file == path:
            raise ValueError(f"no file {path!r} for a network.")
    return {"path": path, "labels": labels, "sha256": content.hexdigest()}


def load_network(settings: Mapping[str, Any]) -> Bunch:
    """Load the network that the settings of a piece name, once in a process: do not change it.

    Examples
    --------
    >>> len(load_network({"network": "karate"}).target)
    34
    """
    return _load(settings["network"], json.dumps(settings.get("file")))


@lru_cache(maxsize=8)  # every embedding and every method on it asks for its network
def _load(network: str, place: str) -> Bunch:
    file = json.loads(place)
    if file is None:
        return NETWORKS[network]()
    labels = file["labels"]
    kind = {"labels": labels} if Path(labels).is_file() else {"label_attribute": labels}
    return load_graph(file["path"], **kind)
