"""Run the Python blocks of each Markdown page and show below each what it prints."""

import contextlib
import io
import os
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("doctree-read", _show_outputs)
    return {"parallel_read_safe": True}


def _show_outputs(app: Any, doctree: nodes.document) -> None:
    if Path(app.env.doc2path(app.env.docname)).suffix != ".md":
        return
    namespace: dict[str, Any] = {"__name__": "page"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in list(doctree.findall(nodes.literal_block)):
            code = block.astext()
            if block.get("language") != "python" or code.startswith(">>>") or _needs_more(block):
                continue
            if output := _printed(code, namespace):
                shown = nodes.literal_block(output, output, language="text", classes=["output"])
                block.parent.insert(block.parent.index(block) + 1, shown)


def _needs_more(block: nodes.literal_block) -> bool:
    """Whether a comment above the block names a package that is not installed with the docs."""
    place = block.parent.index(block)
    before = block.parent[place - 1] if place else None
    return isinstance(before, nodes.comment | nodes.raw) and "needs " in before.astext()


def _printed(code: str, namespace: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "page", "exec"), namespace)
    return printed.getvalue().rstrip().replace(os.getcwd() + os.sep, "")
