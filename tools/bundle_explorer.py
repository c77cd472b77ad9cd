"""Join the scripts in ``javascript`` into the one that the explorer's page and widget load.

``python tools/bundle_explorer.py`` writes ``src/hyplane/explorer/static/explorer.js``. Each module
comes after those it imports, without its imports and exports; all share one scope, so no two may
declare the same name. The default export of ``widget.js`` stays.
"""

import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "javascript"
BUNDLE = ROOT / "src/hyplane/explorer/static/explorer.js"

IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n+', re.MULTILINE)
DECLARED = re.compile(r"^(?:export )?(?:const|let|class|(?:async )?function) (\w+)", re.MULTILINE)


def bundle(sources: Path = SOURCES) -> str:
    """Return all modules of a folder as one script that imports nothing."""
    texts = {path.stem: path.read_text("utf-8") for path in sorted(sources.glob("*.js"))}
    needs = {name: IMPORT.findall(text) for name, text in texts.items()}
    declared = Counter(name for text in texts.values() for name in DECLARED.findall(text))
    twice = [name for name, count in declared.items() if count > 1]
    if twice:
        raise ValueError(f"declared in two modules: {', '.join(twice)}")
    parts = ["// Made by tools/bundle_explorer.py from the files in javascript; do not edit."]
    for name in TopologicalSorter(needs).static_order():
        body = IMPORT.sub("", texts[name])
        parts.append(re.sub(r"^export (?!default)", "", body, flags=re.MULTILINE).strip())
    script = "\n\n".join(parts) + "\n"
    if re.search(r"^import |</script", script, re.MULTILINE | re.IGNORECASE):
        raise ValueError("the script cannot stand in a page: it imports or ends the element")
    return script


if __name__ == "__main__":
    BUNDLE.write_text(bundle(), "utf-8")
    print(f"wrote {BUNDLE}")
