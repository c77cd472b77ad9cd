"""Mark what a narrow screen needs: wide figures, formulas before a comma, long numbers."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx import addnodes
from sphinx_gallery.directives import imgsgnode

WIDE = 1.6  # times the height: two panels or more
_PUNCTUATION = re.compile(r"[.,;:)?!]+")
# 1e-300, 10 000, 2 %: browsers would break these at the hyphen and at the space.
_NUMBER = re.compile(r"(?<![\w.])[+-]?[\d.]*\de-\d+|(?<![\w.])[\d.]+(?: \d{3})*(?: %| \d{3})(?!\w)")
_AS_IT_IS = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.raw, nodes.title)


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
        if width > WIDE * height and "hyplane-hero" not in image["classes"]:
            image.replace_self(nodes.container("", image.deepcopy(), classes=["wide-figure"]))
    for formula in list(doctree.findall(nodes.math)):
        _keep_punctuation(formula)
    for text in list(doctree.findall(nodes.Text)):
        _keep_numbers(text)


def _keep_punctuation(formula: nodes.math) -> None:
    """Put what follows a formula without a space on its line, which browsers do not do."""
    parent, place = formula.parent, formula.parent.index(formula)
    following = parent[place + 1] if place + 1 < len(parent) else None
    if not isinstance(following, nodes.Text) or not (found := _PUNCTUATION.match(following)):
        return
    kept = nodes.inline("", "", formula.deepcopy(), nodes.Text(found[0]), classes=["formula"])
    parent[place : place + 2] = [kept, nodes.Text(following[found.end() :])]


def _keep_numbers(text: nodes.Text) -> None:
    """Put the numbers of a text on one line each."""
    parent, parts, end = text.parent, [], 0
    above = parent
    while above is not None:
        if isinstance(above, (*_AS_IT_IS, addnodes.desc_signature)):
            return
        above = above.parent
    for found in _NUMBER.finditer(text):
        parts += [nodes.Text(text[end : found.start()]), nodes.inline("", found[0])]
        parts[-1]["classes"].append("number")
        end = found.end()
    if parts:
        place = parent.index(text)
        parent[place : place + 1] = [*parts, nodes.Text(text[end:])]
