"""Make the data files of the tutorials anew.

Usage: python tools/make_tutorial_data.py words [folder of WordNet, default /usr/share/wordnet]
       python tools/make_tutorial_data.py cells

``words`` reads WordNet's nouns (Debian's package wordnet-base), writes the relations of all kinds
of mammals, and embeds them with gensim, which takes some minutes. ``cells`` needs scanpy, which
contains the data set.
"""

import sys
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "data"


def read_nouns(file: Path) -> dict[str, tuple[str, list[str]]]:
    """Return the first word of each set of synonyms and the numbers of its hypernyms."""
    nouns = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):  # the licence
            continue
        fields = line.split(" | ")[0].split()
        n_words = int(fields[3], 16)
        pointers = fields[5 + 2 * n_words :]
        above = [pointers[i + 1] for i in range(0, len(pointers) - 3, 4) if pointers[i] == "@"]
        nouns[fields[0]] = fields[4].replace("_", " "), above
    return nouns


def mammal_relations(nouns: dict[str, tuple[str, list[str]]]) -> list[tuple[str, str]]:
    """Return pairs (word, hypernym) of all kinds of mammals; homonyms get a number."""
    [root] = [key for key, (word, _) in nouns.items() if word == "mammal"]
    kept, grown = {root}, True
    while grown:
        more = {key for key, (_, above) in nouns.items() if kept.intersection(above)} - kept
        kept, grown = kept | more, bool(more)
    names: dict[str, str] = {}
    for key in sorted(kept):
        word = nouns[key][0]
        names[key] = word if word not in names.values() else f"{word} ({key})"
    return [(names[key], names[up]) for key in sorted(kept) for up in nouns[key][1] if up in kept]


def closure(relations: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return all pairs of a word and a word above it, directly or not."""
    above: dict[str, set[str]] = {}
    for word, hypernym in relations:
        above.setdefault(word, set()).add(hypernym)
    pairs = []
    for word in above:
        found, waiting = set(), list(above[word])
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += above.get(each, ())
        pairs += [(word, each) for each in sorted(found)]
    return pairs


def make_words(wordnet: Path) -> None:
    """Write the relations and their embedding."""
    from gensim.models.poincare import PoincareModel

    relations = mammal_relations(read_nouns(wordnet / "data.noun"))
    table = pd.DataFrame(relations, columns=["word", "hypernym"])
    table.to_csv(FOLDER / "mammals_relations.csv", index=False)
    model = PoincareModel(closure(relations), size=10, negative=20, burn_in=10, seed=1)
    model.train(epochs=100)
    columns = [f"x{i}" for i in range(1, 11)]
    points = pd.DataFrame(model.kv.vectors, index=model.kv.index_to_key, columns=columns)
    points.sort_index().round(7).to_csv(FOLDER / "mammals_points.csv", index_label="word")


def make_cells() -> None:
    """Write principal components and cell types."""
    import scanpy

    cells = scanpy.datasets.pbmc68k_reduced()
    columns = [f"PC{i}" for i in range(1, 51)]
    table = pd.DataFrame(cells.obsm["X_pca"], index=cells.obs_names, columns=columns).round(4)
    table.insert(0, "cell_type", cells.obs["bulk_labels"].astype(str))
    table.to_csv(FOLDER / "cells.csv", index_label="cell")


if __name__ == "__main__":
    if sys.argv[1:2] == ["words"]:
        make_words(Path(sys.argv[2] if len(sys.argv) > 2 else "/usr/share/wordnet"))
    elif sys.argv[1:] == ["cells"]:
        make_cells()
    else:
        sys.exit(__doc__)
