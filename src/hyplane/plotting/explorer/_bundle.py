"""The scripts of the explorer as one: each module becomes a function that returns its exports."""

import re
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|class|function|async function) (\w+))", re.MULTILINE)


@cache
def asset(name: str) -> str:
    """Return the text of a file that comes with the package.

    Parameters
    ----------
    name : str
        For instance ``"explorer.css"``.

    Returns
    -------
    text : str
    """
    return files("hyplane.plotting.explorer").joinpath("assets", name).read_text("utf-8")


@cache
def bundle(entry: str) -> str:
    """Join a module and all that it imports into one script.

    Parameters
    ----------
    entry : str
        Name of the module, ``"page"`` or ``"widget"``. Its own exports stay exports.

    Returns
    -------
    script : str
        A module of JavaScript that imports nothing.

    Examples
    --------
    >>> script = bundle("page")
    >>> "import " in script.splitlines()[0], "createExplorer" in script
    (False, True)
    """
    order: list[str] = []
    _visit(entry, order, ())
    parts = [_wrapped(name) for name in order[:-1]]
    script = "\n".join([*parts, _linked(asset(f"{entry}.js"))])
    if "</script" in script.lower():
        raise ValueError(f"{entry}.js cannot stand in a page: it holds the end of a script.")
    return script


def _visit(name: str, order: list[str], above: tuple[str, ...]) -> None:
    """Append a module after all that it needs."""
    if name in above:
        raise ValueError(f"scripts import each other: {' -> '.join([*above, name])}.")
    if name in order:
        return
    for _, needed in _IMPORT.findall(asset(f"{name}.js")):
        _visit(needed, order, (*above, name))
    order.append(name)


def _wrapped(name: str) -> str:
    text = asset(f"{name}.js")
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _linked(text)).rstrip()
    return f"const module_{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def _linked(text: str) -> str:
    return _IMPORT.sub(lambda found: f"const {{{found[1]}}} = module_{found[2]};\n", text)
