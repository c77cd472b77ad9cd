"""Draw the folders of the package and what each imports; fail where an import goes the wrong way.

``python tools/import_graph.py`` prints the drawing and ends with code 1, naming file and line, if

- a folder imports one that is not below it in `ORDER`,
- folders or modules import each other in a circle,
- a folder imports a private module or name (``_x``) of another folder.

Imports inside functions count, those for type checkers only do not. ``--check CONTRIBUTING.md``
also fails if the drawing in that file is not the present one, and ``--write CONTRIBUTING.md`` puts
the present one there.
"""

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = "hyplane"
# From the bottom to the top. Folders of one level do not import each other. `package` stands above
# all: the demo, and whatever takes a public name from `hyplane`. Plain `import hyplane` is `names`:
# the list of public names, which loads nothing. The embeddings take their graphs from the datasets.
ORDER = (
    ("_utils",),
    ("names",),
    ("native", "metrics"),
    ("geometry",),
    ("out_of_core", "features"),
    ("solvers",),
    ("classifiers",),
    ("baselines", "datasets", "plotting"),
    ("embeddings", "explorer", "persistence"),
    ("evaluation",),
    ("paper",),
    ("cli",),
    ("package",),
)
LEVEL = {folder: level for level, folders in enumerate(ORDER) for folder in folders}
START, END = "<!-- import graph: tools/import_graph.py -->", "<!-- end of the import graph -->"


class Import(NamedTuple):
    """One import of a name of the package."""

    path: Path
    line: int
    module: str  # the module that imports
    target: str  # the module or name that is imported, with dots

    @property
    def folders(self) -> tuple[str, str]:
        """The folder that imports, and the one that is imported."""
        return folder_of(self.module), folder_of(self.target)


def folder_of(name: str) -> str:
    """Return the folder of a module or of a name in it."""
    parts = name.split(".")
    if len(parts) == 1:
        return "names"
    return parts[1] if parts[1] in LEVEL else "package"


def module_of(path: Path, source: Path) -> str:
    """Return the dotted name of a file."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, source: Path) -> Iterator[Import]:
    """Find all imports of the package in a file, those inside functions too."""
    module = module_of(path, source)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guards = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _is_for_types(node)]
    not_run = {inner for guard in guards for inner in ast.walk(guard)}
    for node in ast.walk(tree):
        if node in not_run:
            continue
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                parents = parents[: len(parents) - node.level + 1]
                base = ".".join([*parents, base]).rstrip(".")
            targets = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and _called(node.func) in ("import_module", "__import__"):
            words = [arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)]
            targets = [word for word in words if isinstance(word, str)]
        else:
            continue
        for target in targets:
            if target.split(".")[0] == PACKAGE:
                yield Import(path, node.lineno, module, target)


def _is_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _called(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def all_imports(source: Path) -> list[Import]:
    """Find the imports of all files below a folder that holds the package."""
    files = sorted((source / PACKAGE).rglob("*.py"))
    return [found for path in files for found in imports_of(path, source)]


def wrong_ways(imports: Iterable[Import]) -> Iterator[str]:
    """Describe the imports that go up, aside, or into the private parts of another folder."""
    for found in imports:
        folder, other = found.folders
        if folder == other:
            continue
        place = f"{found.path}:{found.line}"
        if LEVEL[other] >= LEVEL[folder]:
            yield f"{place}: {folder} imports {found.target}, which is not below it"
        private = [part for part in found.target.split(".")[2:] if _is_private(part)]
        if private and other != "_utils":
            yield f"{place}: {folder} imports {found.target}, which is private to {other}"


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of nodes that can all be reached from each other (Tarjan)."""
    graph: dict[str, set[str]] = defaultdict(set)
    for start, end in edges:
        graph[start].add(end)
        graph[end]  # a node without edges of its own
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], order[other])
        if lowest[node] == order[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def module_edges(imports: Iterable[Import], source: Path) -> set[tuple[str, str]]:
    """Return which module needs which. A package's own name stands for its ``__init__``."""
    modules = {module_of(path, source) for path in (source / PACKAGE).rglob("*.py")}
    edges = set()
    for found in imports:
        target = found.target
        while target not in modules and "." in target:
            target = target.rpartition(".")[0]
        # A module may import its own package to reach a sibling: Python allows it.
        if target in modules and not found.module.startswith(f"{target}."):
            edges.add((found.module, target))
    return edges


def folder_edges(imports: Iterable[Import]) -> set[tuple[str, str]]:
    """Return which folder imports which."""
    return {found.folders for found in imports if found.folders[0] != found.folders[1]}


def drawing(edges: set[tuple[str, str]]) -> str:
    """Draw the folders from the top to the bottom, each with the folders it imports."""
    width = max(map(len, LEVEL)) + 2
    lines = []
    for folders in reversed(ORDER):
        for folder in folders:
            own = {end for start, end in edges if start == folder} - {"_utils", "names"}
            below = sorted(own, key=lambda name: (-LEVEL[name], name))
            arrow = f"→ {' '.join(below)}" if below else ""
            lines.append(f"{folder:<{width}}{arrow}".rstrip())
    return "\n".join(lines)


def block(edges: set[tuple[str, str]]) -> str:
    """Return the drawing as it stands in a page of Markdown."""
    return f"{START}\n```\n{drawing(edges)}\n```\n{END}"


def main(arguments: list[str] | None = None) -> int:
    """Print the drawing and what is wrong with it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--source", type=Path, default=Path(__file__).parent.parent / "src")
    parser.add_argument("--check", type=Path, metavar="FILE", help="fail if FILE has another one")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the drawing into FILE")
    options = parser.parse_args(arguments)

    imports = all_imports(options.source)
    folders = folder_edges(imports)
    print(drawing(folders))
    problems = list(wrong_ways(imports))
    problems += [f"a circle of folders: {', '.join(group)}" for group in circles(folders)]
    modules = circles(module_edges(imports, options.source))
    problems += [f"a circle of modules: {', '.join(group)}" for group in modules]
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        before, rest = page.split(START)
        options.write.write_text(before + block(folders) + rest.partition(END)[2], encoding="utf-8")
    if options.check and block(folders) not in options.check.read_text(encoding="utf-8"):
        problems.append(
            f"the drawing in {options.check} is out of date: "
            f"python tools/import_graph.py --write {options.check}"
        )
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
