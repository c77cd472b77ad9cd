"""The four real networks of the paper, kept in the package: edges, labels and names."""

from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from hyplane._utils.optional import import_optional

_HEADER = "hyplane network 1"

_DESCRIPTIONS = {
    "karate": """Zachary's karate club.

    34 members of a karate club at a university, 78 friendships outside the club. The club split
    after a dispute; the target is the faction a member joined (17 with the instructor, Mr. Hi,
    and 17 with the officers). Names are the numbers in Zachary's article.

    W. W. Zachary (1977). An information flow model for conflict and fission in small groups.
    Journal of Anthropological Research 33, 452-473. Taken from networkx.
    """,
    "polbooks": """Books about politics in the United States.

    105 books sold by an online bookseller around the election of 2004, 441 pairs often bought
    together. The target is the leaning: 49 conservative, 43 liberal, 13 neutral.

    V. Krebs, unpublished, http://www.orgnet.com/; leanings by M. E. J. Newman. Taken from
    graph-tool's collection.
    """,
    "football": """College football.

    115 teams of Division IA and the 613 games of the regular season of autumn 2000. The target
    is the conference (12, of 5 to 13 teams). Games that older copies list twice are counted once.

    M. Girvan and M. E. J. Newman (2002). Community structure in social and biological networks.
    Proceedings of the National Academy of Sciences 99, 7821-7826. Corrections by T. S. Evans
    (2010), Clique graphs and overlapping communities, arXiv:1009.0638. Taken from graph-tool's
    collection.
    """,
    "polblogs": """Political blogs in the United States.

    1224 blogs with at least one link and their 16 715 links, undirected: links both ways and
    repeated links are one edge, and 266 blogs without a link are left out. The target is the
    leaning: 588 liberal, 636 conservative. The graph has two components, of 1222 and 2 blogs.

    L. A. Adamic and N. Glance (2005). The political blogosphere and the 2004 US election.
    Proceedings of the WWW-2005 Workshop on the Weblogging Ecosystem. Taken from graph-tool's
    collection.
    """,
}


def load_karate() -> Bunch:
    """Load Zachary's karate club: 34 nodes, 78 edges, two factions of 17.

    Returns
    -------
    network : Bunch
        ``graph`` (an undirected networkx graph on 0, …, n - 1 whose nodes carry ``name`` and
        ``label``), ``target`` (class of each node), ``target_names``, ``node_names`` and
        ``DESCR`` (source and citation).

    Examples
    --------
    >>> from hyplane.datasets import load_karate
    >>> network = load_karate()
    >>> network.graph.number_of_edges(), [str(name) for name in network.target_names]
    (78, ['Mr. Hi', 'Officer'])
    """
    return _load("karate")


def load_polbooks() -> Bunch:
    """Load the political books: 105 nodes, 441 edges, three leanings (49, 43 and 13).

    Returns
    -------
    network : Bunch
        As for :func:`load_karate`.

    Examples
    --------
    >>> from hyplane.datasets import load_polbooks
    >>> load_polbooks().target.size
    105
    """
    return _load("polbooks")


def load_football() -> Bunch:
    """Load college football: 115 nodes, 613 edges, 12 conferences of 5 to 13 teams.

    Returns
    -------
    network : Bunch
        As for :func:`load_karate`.

    Examples
    --------
    >>> from hyplane.datasets import load_football
    >>> len(load_football().target_names)
    12
    """
    return _load("football")


def load_polblogs() -> Bunch:
    """Load the political blogs: 1224 nodes, 16 715 edges, two leanings (588 and 636).

    Returns
    -------
    network : Bunch
        As for :func:`load_karate`. The graph has a second component of two blogs.

    Examples
    --------
    >>> from hyplane.datasets import load_polblogs
    >>> load_polblogs().graph.number_of_edges()
    16715
    """
    return _load("polblogs")


def network_bunch(
    n_nodes: int,
    edges: NDArray[np.intp],
    target: NDArray[np.intp] | None,
    target_names: NDArray[Any] | None,
    node_names: NDArray[Any],
    *,
    directed: bool = False,
    description: str = "",
) -> Bunch:
    """Build what every loader of a network returns.

    Parameters
    ----------
    n_nodes : int
    edges : ndarray of shape (n_edges, 2)
    target : ndarray of shape (n_nodes,) or None
        Class of each node, an index into `target_names`; None where there are no labels.
    target_names : ndarray or None
    node_names : ndarray of shape (n_nodes,)
    directed : bool, default=False
    description : str
        Text for ``DESCR``.

    Returns
    -------
    network : Bunch
    """
    nx = import_optional("networkx", "experiments")
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from((node, {"name": node_names[node]}) for node in range(n_nodes))
    if target is not None and target_names is not None:
        labels = target_names[target].tolist()
        nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    graph.add_edges_from(edges.tolist())
    return Bunch(
        graph=graph,
        target=target,
        target_names=target_names,
        node_names=node_names,
        DESCR=description,
    )


def _load(name: str) -> Bunch:
    text = files(__package__).joinpath("data", f"{name}.txt").read_text(encoding="utf-8")
    header, classes, nodes, edges, *rest = text.splitlines()
    if header != _HEADER:
        raise ValueError(f"{name}.txt begins with {header!r}, not {_HEADER!r}")
    n_nodes, n_edges = (int(line.partition(": ")[2]) for line in (nodes, edges))
    labels, names = zip(*(line.split("\t") for line in rest[:n_nodes]), strict=True)
    pairs = [
        (node, int(neighbour))
        for node, line in enumerate(rest[n_nodes:])
        for neighbour in line.split()
    ]
    if len(rest) != 2 * n_nodes or len(pairs) != n_edges:
        raise ValueError(
            f"{name}.txt does not hold the {n_nodes} nodes and {n_edges} edges it says"
        )
    return network_bunch(
        n_nodes,
        np.array(pairs, dtype=np.intp),
        np.array(labels, dtype=np.intp),
        np.array(classes.partition(": ")[2].split(" | ")),
        np.array(names),
        description="\n".join(line.strip() for line in _DESCRIPTIONS[name].splitlines()),
    )
