"""The four real networks of the paper, kept in the package: edges, labels and names."""

from collections.abc import Callable
from importlib.resources import files
from inspect import getdoc

import numpy as np
from sklearn.utils import Bunch

from hyplane.datasets.graphs import Network, network_bunch


def load_karate() -> Bunch:
    """Load Zachary's karate club: 34 nodes, 78 edges, two factions of 17.

    Members of a karate club at a university and the friendships outside the club. The club split
    after a dispute; the target is the faction a member joined (17 with the instructor, Mr. Hi,
    and 17 with the officers). Names are the numbers in Zachary's article.

    Returns
    -------
    network : Bunch
        ``graph`` (an undirected networkx graph on 0, …, n - 1 whose nodes carry ``name`` and
        ``label``), ``target`` (class of each node), ``target_names``, ``node_names`` and
        ``DESCR`` (this text).

    References
    ----------
    W. W. Zachary (1977). An information flow model for conflict and fission in small groups.
    Journal of Anthropological Research 33, 452-473. Taken from networkx.

    Examples
    --------
    >>> from hyplane.datasets import load_karate
    >>> network = load_karate()
    >>> network.graph.number_of_edges(), [str(name) for name in network.target_names]
    (78, ['Mr. Hi', 'Officer'])
    """
    return _load(load_karate)


def load_polbooks() -> Bunch:
    """Load the political books: 105 nodes, 441 edges, three leanings (49, 43 and 13).

    Books about politics in the United States sold by an online bookseller around the election of
    2004, and the pairs often bought together. The target is the leaning: conservative, liberal or
    neutral.

    Returns
    -------
    network : Bunch
        As for :func:`load_karate`.

    References
    ----------
    V. Krebs, unpublished, http://www.orgnet.com/; leanings by M. E. J. Newman. Taken from
    graph-tool's collection.

    Examples
    --------
    >>> from hyplane.datasets import load_polbooks
    >>> load_polbooks().target.size
    105
    """
    return _load(load_polbooks)


def load_football() -> Bunch:
    """Load college football: 115 nodes, 613 edges, 12 conferences of 5 to 13 teams.

    Teams of Division IA and the games of the regular season of autumn 2000. The target is the
    conference. Games that older copies list twice are counted once.

    Returns
    -------
    network : Bunch
        As for :func:`load_karate`.

    References
    ----------
    M. Girvan and M. E. J. Newman (2002). Community structure in social and biological networks.
    Proceedings of the National Academy of Sciences 99, 7821-7826. Corrections by T. S. Evans
    (2010), Clique graphs and overlapping communities, arXiv:1009.0638. Taken from graph-tool's
    collection.

    Examples
    --------
    >>> from hyplane.datasets import load_football
    >>> len(load_football().target_names)
    12
    """
    return _load(load_football)


def load_polblogs() -> Bunch:
    """Load the political blogs: 1224 nodes, 16 715 edges, two leanings (588 and 636).

    Blogs about politics in the United States with at least one link, and their links, undirected:
    links both ways and repeated links are one edge, and 266 blogs without a link are left out. The
    target is the leaning, liberal or conservative.

    Returns
    -------
    network : Bunch
        As for :func:`load_karate`. The graph has two components, of 1222 and 2 blogs.

    References
    ----------
    L. A. Adamic and N. Glance (2005). The political blogosphere and the 2004 US election.
    Proceedings of the WWW-2005 Workshop on the Weblogging Ecosystem. Taken from graph-tool's
    collection.

    Examples
    --------
    >>> from hyplane.datasets import load_polblogs
    >>> load_polblogs().graph.number_of_edges()
    16715
    """
    return _load(load_polblogs)


def _load(loader: Callable[[], Bunch]) -> Bunch:
    name = loader.__name__.removeprefix("load_")
    text = files(__package__).joinpath("data", f"{name}.txt").read_text(encoding="utf-8")
    _, classes, nodes, _, *lines = text.splitlines()
    n_nodes = int(nodes.partition(": ")[2])
    labels, names = zip(*(line.split("\t") for line in lines[:n_nodes]), strict=True)
    edges = [(node, int(end)) for node, line in enumerate(lines[n_nodes:]) for end in line.split()]
    return network_bunch(
        Network(np.array(names), np.array(edges, dtype=np.intp)),
        np.array(labels, dtype=np.intp),
        np.array(classes.partition(": ")[2].split(" | ")),
        getdoc(loader) or "",
    )
