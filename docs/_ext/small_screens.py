"""Mark what a narrow screen needs: figures of several panels, formulas before a comma."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx_gallery.directives import imgsgnode

WIDE = 1.7  # times the height: two panels or more
_PUNCTUATION = re.compile(r"[.,;:)?!]+")


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("doctree-read", _mark)
    return {"parallel_read_safe": True}


def _mark(app: Any, doctree: nodes.document) -> None:
    images = [*doctree.findall(nodes.image), *doctree.findall(imgsgnode)]
    for image in images:
        file = Path(app.srcdir) / image["uri"].lstrip("/")
        if file.suffix != ".png" or not file.exists():
            continue
        with Image.open(file) as opened:
            width, height = opened.size
        if width > WIDE * height:
            image.replace_self(nodes.container("", image.deepcopy(), classes=["wide-figure"]))
    for formula in list(doctree.findall(nodes.math)):
        _keep_punctuation(formula)


def _keep_punctuation(formula: nodes.math) -> None:
    """Put what follows a formula without a space on its line, which browsers do not do."""
    parent, place = formula.parent, formula.parent.index(formula)
    following = parent[place + 1] if place + 1 < len(parent) else None
    if not isinstance(following, nodes.Text) or not (found := _PUNCTUATION.match(following)):
        return
    kept = nodes.inline("", "", formula.deepcopy(), nodes.Text(found[0]), classes=["formula"])
    parent[place : place + 2] = [kept, nodes.Text(following[found.end() :])]
