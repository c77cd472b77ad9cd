"""Write the pages of the API reference: every public name of every folder.

The names are those of ``__all__``, so that none can be forgotten. `GROUPS` only puts them in order;
names it does not mention come last.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

FOLDERS = {
    "hyplane": ("Classifiers", "The estimators."),
    "hyplane.geometry": (
        "Geometry",
        "Functions of arrays of points: distances, charts, isometries.",
    ),
    "hyplane.features": (
        "Features",
        "Transformers and kernels for pipelines.",
    ),
    "hyplane.baselines": ("Baselines", "Euclidean classifiers of the same points."),
    "hyplane.datasets": ("Data sets", "Points, networks and labels, generated or loaded."),
    "hyplane.embeddings": ("Embeddings", "Graphs as points of hyperbolic space."),
    "hyplane.plotting": ("Pictures", "The hyperbolic plane on matplotlib axes."),
    "hyplane.explorer": ("Explorer", "Interactive pages of the hyperbolic plane."),
    "hyplane.metrics": ("Metrics", "Areas under precision-recall and ROC curves."),
    "hyplane.evaluation": ("Evaluation", "The paper's protocol, and paired tests."),
    "hyplane.paper": ("Experiments", "The paper's three experiments."),
    "hyplane.persistence": ("Model files", "Fitted classifiers in plain JSON."),
    "hyplane.out_of_core": ("Out of core", "Rows that do not fit into memory."),
    "hyplane.solvers": ("Solvers", "Solvers of a single binary problem, and the certificate."),
}

GROUPS = {
    "hyplane.geometry": [
        ("Charts", ["CHARTS", "convert", "to_polar", "from_polar", "check_points", "clip_radius"]),
        (
            "Distances and maps",
            [
                *("distance", "pairwise_distances", "minkowski_product", "exponential_map"),
                *("logarithm_map", "geodesic_midpoint", "einstein_midpoint"),
            ],
        ),
        (
            "Hyperplanes",
            [
                *("signed_distance", "hyperplane_parameters", "hyperplane_normal"),
                *("hyperplane_through", "hyperplane_points"),
            ],
        ),
        (
            "Isometries",
            [
                *("lorentz_boost", "rotation", "random_isometry", "apply_isometry"),
                *("inverse_isometry", "is_isometry"),
            ],
        ),
        (
            "Horospheres, spheres, equidistants",
            ["busemann", "surface_kind", "surface_distance", "surface_in_ball"],
        ),
    ],
    "hyplane.datasets": [
        ("Generated points", ["make_hyperbolic_gaussians", "make_hyperbolic_tree"]),
        (
            "Growing networks",
            ["popularity_similarity_graph", "PopularitySimilarityNetwork", "propagate_labels"],
        ),
        (
            "Networks",
            ["load_karate", "load_polbooks", "load_football", "load_polblogs", "load_graph"],
        ),
        ("Downloads", ["fetch", "fetch_hyplinear", "get_data_home"]),
    ],
}


def write_pages(folder: Path) -> list[Path]:
    """Write one page per folder and the index of them; return the files."""
    folder.mkdir(exist_ok=True)
    pages = {"index": _index()} | {
        folder.replace(".", "_"): "\n".join(_folder(folder)) + "\n" for folder in FOLDERS
    }
    written = []
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        # A file that stays the same is not read again by an incremental build.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def groups_of(folder: str) -> list[tuple[str, list[str]]]:
    """Return the public names of a folder in their groups, all of them."""
    module = importlib.import_module(folder)
    names = [name for name in module.__all__ if not name.startswith("__")]
    groups = GROUPS.get(folder, [])
    if folder == "hyplane":
        groups = [("", [name for name in names if hasattr(getattr(module, name), "fit")])]
    known = [name for _, group in groups for name in group]
    rest = [name for name in names if name not in known]
    if rest:
        groups = [*groups, ("More" if groups else "", rest)]
    return [(title, [name for name in group if name in names]) for title, group in groups]


def own_methods(folder: str, name: str) -> list[str]:
    """Return the methods and properties of a class that hyplane itself defines."""
    kind = getattr(importlib.import_module(folder), name)
    own = {member for base in kind.__mro__ if _is_ours(base) for member in vars(base)}
    return [
        member
        for member, value in inspect.getmembers(kind)
        if member in own
        and not member.startswith("_")
        and not member.endswith("_request")
        and (inspect.isroutine(value) or isinstance(value, property))
        and getattr(value, "__doc__", None)
    ]


def _is_ours(kind: type) -> bool:
    return kind.__module__.split(".")[0] == "hyplane"


def _index() -> str:
    lines = ["API reference", "=============", ""]
    lines += ["Every public name, with an example that runs.", ""]
    lines += [".. toctree::", "   :hidden:", ""]
    lines += [f"   {folder.replace('.', '_')}" for folder in FOLDERS]
    lines += ["", ".. list-table::", "   :header-rows: 1", "   :widths: 30 70", ""]
    lines += ["   * - Module", "     - What it holds"]
    for folder, (title, text) in FOLDERS.items():
        lines += [
            f"   * - :doc:`{folder} <{folder.replace('.', '_')}>`",
            f"     - **{title}.** {text}",
        ]
    lines += ["", "The command line is described :doc:`in the guide </guide/command_line>`.", ""]
    return "\n".join(lines)


def _folder(folder: str) -> Iterator[str]:
    module = importlib.import_module(folder)
    title = f"{FOLDERS[folder][0]}: {folder}"
    yield from [title, "=" * len(title), "", f".. module:: {folder}", ""]
    yield from [inspect.getdoc(module) or "", ""]
    for heading, names in groups_of(folder):
        if heading:
            yield from [heading, "-" * len(heading), ""]
        documented = [name for name in names if not _is_data(getattr(module, name))]
        if documented:
            yield from [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
            yield from [f"   {name}" for name in documented]
            yield ""
        for name in names:
            if name not in documented:
                yield from _data(folder, name, getattr(module, name))


def _is_data(value: Any) -> bool:
    return not (inspect.isclass(value) or inspect.isroutine(value))


def _data(folder: str, name: str, value: Any) -> Iterator[str]:
    """Describe a table of names, or a type of them, by what is in it."""
    yield from [f".. py:data:: {name}", f"   :module: {folder}", ""]
    words = get_args(value) or tuple(value)
    kind = "A dictionary with the keys" if isinstance(value, dict) else "The values"
    yield from [f"   {kind} {', '.join(f'``{key!r}``' for key in words)}.", ""]
    yield from ["   .. rubric:: Examples", "", f"   >>> from {folder} import {name}"]
    inside = f"{name}.__args__" if get_args(value) else name
    yield from [f"   >>> {words[0]!r} in {inside}", "   True", ""]


def protect_names(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape the last letter of ``n_features_in_`` in types, which else reads as a link."""
    for number, line in enumerate(lines):
        if " : " in line:
            lines[number] = re.sub(r"(?<![`\w])([A-Za-z]\w*)_(?![`\w])(?=.*$)", r"\1\\_", line)


def straighten_quotes(app: Any, doctree: Any) -> None:
    """Undo typographic quotes in the types of parameters: ``default="ball"`` is code."""
    straight = str.maketrans("“”‘’", "\"\"''")
    from docutils import nodes  # here: the tests read this file without the extra docs

    for kind in doctree.findall(nodes.classifier):
        for text in list(kind.findall(nodes.Text)):
            text.parent.replace(text, nodes.Text(text.translate(straight)))


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for its sources."""
    app.connect("config-inited", lambda app, config: write_pages(Path(app.srcdir) / "api"))
    app.connect("autodoc-process-docstring", protect_names, priority=900)
    app.connect("doctree-read", straighten_quotes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
