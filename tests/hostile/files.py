"""The calls of the catalogue that read files, and the commands."""

import contextlib
import gzip
import io
import json
import os
import random
from itertools import product

import numpy as np
import scipy.sparse as sp
from calls import CLASSIFIERS, FAMILIES
from scipy.io import mmwrite, savemat
from values import X, y

from hyplane import persistence
from hyplane.baselines import ball_svm, rbf_svc
from hyplane.cli import main as run
from hyplane.datasets import load_graph
from hyplane.paper import reproduction
from hyplane.persistence import load_model, model_text

# Those of which a file can be made.
MODELS = {
    **{kind: make for kind, make in CLASSIFIERS.items() if kind != "EuclideanSVCCV"},
    **{kind: make for kind, make in FAMILIES.items() if kind != "NestedCV"},
    "rbf_svc": rbf_svc,
    "ball_svm": ball_svm,
}
REPLACEMENTS = [None, 0, -1, 1e308, "x", "", [], {}, True, [[]], {"float": "nan"}, {"array": []}]


def mutations(content, n_flips=12):
    """Give broken versions of a file: cut off, with bytes changed, doubled, or foreign."""
    yield "empty", b""
    for share in (0.02, 0.1, 0.3, 0.5, 0.9, 0.99):
        yield f"cut at {share}", content[: int(share * len(content))]
    draw = random.Random(0)
    for number in range(n_flips):
        broken = bytearray(content)
        for _ in range(1 + number % 3):
            place = draw.randrange(min(len(broken), 400) if number % 2 else len(broken))
            broken[place] = draw.randrange(256)
        yield f"bytes changed, {number}", bytes(broken)
    yield "doubled", content * 2
    yield "zeros before", b"\0" * 64 + content
    yield "zeros", b"\0" * 1000
    yield "letters", b"a" * 1000
    yield "brackets", b"[" * 100_000
    yield "all bytes", bytes(range(256)) * 10
    yield "UTF-16", "0.1,0.2,a\n".encode("utf-16")
    yield "byte order mark alone", b"\xef\xbb\xbf"
    yield "packed", gzip.compress(content)
    yield "packed, cut off", gzip.compress(content)[:-9]


def read(reader, name, content):
    def call():
        with open(name, "wb") as file:
            file.write(content)
        return reader(name)

    return call


def nodes_of(value, path=()):
    """Give the paths of all parts of a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from nodes_of(item, (*path, key))


def forged(document, path, value):
    """Return a file with one part replaced and a checksum that fits."""
    document = json.loads(json.dumps(document))
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    document["sha256"] = persistence._digest(document)
    return json.dumps(document).encode()


def predicts(name):
    """Load a model and let it predict: what loads must work."""
    labels = load_model(name).predict(X)
    return labels if len(labels) == len(X) else "wrong number of labels"


def model_file_calls():
    for kind, make in MODELS.items():
        text = model_text(make().fit(X, y))
        for what, content in mutations(text.encode()):
            yield f"{kind}, {what}", read(predicts, "m.json", content)
        document = json.loads(text)
        draw = random.Random(1)
        for path in list(nodes_of(document["model"], ("model",))):
            value = draw.choice(REPLACEMENTS)
            name = f"{kind}, {'.'.join(map(str, path))}: {value!r}"
            yield name, read(predicts, "m.json", forged(document, path, value))


def saved(save):
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


TABLE = "x1,x2,label\n" + "".join(
    f"{a},{b},{'ab'[k]}\n" for (a, b), k in zip(X.tolist(), y, strict=True)
)
TABLES = {
    "t.csv": TABLE.encode(),
    "t.tsv": TABLE.replace(",", "\t").encode(),
    "t.npy": saved(lambda file: np.save(file, np.column_stack([X, y]))),
    "t.npz": saved(lambda file: np.savez(file, X=X, label=y)),
    "t.mat": saved(lambda file: savemat(file, {"X": X, "label": y})),
}
CELLS = ["", " ", "nan", "inf", "-inf", "1e999", "1_0", "٣", "0x1", "1,5", "½", "a", '"', '""',
         "\0", "=1+1", "1e308", "1e-400", "--1", "1.2.3", "True", "None", "1" * 5000]  # fmt: skip


def command(*words):
    """Run a command; only the documented exit codes and one clear line are right."""

    def call():
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            code = run(list(words))
        text = errors.getvalue()
        if code not in (0, 1, 2):
            return f"wrong: exit code {code}: {text[:200]}"
        said = any(line.startswith("hyplane: error: ") for line in text.splitlines())
        if code and (not said or "Traceback" in text):
            return f"wrong: {text[:200]}"
        return code

    return call


def convert(name):
    return command("convert", name, "--label", "label", "-o", "out.csv")()


def table_calls():
    for name, content in TABLES.items():
        # A MAT file starts a process of its own.
        for what, broken in mutations(content, 4 if name.endswith("mat") else 40):
            yield f"{name}, {what}", read(convert, name, broken)
    for cell in CELLS:
        content = TABLE.replace("\n0.1,", f"\n{cell},", 1).encode()
        yield f"cell {cell[:20]!r}", read(convert, "c.csv", content)
    for header in (*CELLS, "x1", "x1,x1", "label", ",,", "x" * 10_000):
        content = TABLE.replace("x1,x2,label", f"{header},x2,label", 1).encode()
        yield f"header {header[:20]!r}", read(convert, "h.csv", content)


EDGES = b"a b\nb c\nc a\nc d\n"
MATRIX = sp.coo_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
GRAPHS = {
    "g.txt": EDGES,
    "g.csv": EDGES.replace(b" ", b","),
    "g.gml": b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]",
    "g.graphml": b'<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    b'<edge source="a" target="b"/></graph></graphml>',
    "g.mtx": saved(lambda file: mmwrite(file, MATRIX)),
    "g.npy": saved(lambda file: np.save(file, MATRIX.toarray())),
    "g.npz": saved(lambda file: sp.save_npz(file, MATRIX.tocsr())),
}


def graph(name):
    return load_graph(name).graph.number_of_nodes()


def graph_file_calls():
    for name, content in GRAPHS.items():
        # A Matrix Market file starts a process of its own.
        for what, broken in mutations(content, 4 if name.endswith("mtx") else 40):
            yield f"{name}, {what}", read(graph, name, broken)


PATHS = ["", ".", "..", "/", "no/such/file.csv", "a\0b.csv", "x" * 5000 + ".csv", "/dev/null",
         "/dev/full", "link.csv", "loop.csv", "folder.csv", "\udcff.csv", "~/t.csv", "-", "t.exe",
         "t", "*.csv", "$HOME.csv", "a\nb.csv"]  # fmt: skip
NUMBERS = ["", "0", "-1", "nan", "inf", "1e400", "x", "1_0", "٣", "9" * 400, "0x10", "1,2", " "]
OPTIONS = {
    "fit": ["-C", "--curvature", "--coordinates", "--method", "--gamma", "--grid", "--folds",
            "--seed", "--jobs", "--points", "--label", "--format"],
    "convert": ["--from", "--to", "--curvature", "--clip-radius", "--points", "--label"],
    "evaluate": ["--trials", "--seed", "--methods", "--grid", "--folds", "--label", "--curvature"],
    "embed": ["--method", "--dim", "--exponent", "--disc-radius", "--curvature", "--seed",
              "--walks", "--walk-length", "--window", "--epochs", "--labels", "--graph-format"],
    "generate gaussians": ["--points", "--classes", "--dim", "--variance", "--center-variance",
                           "--law", "--seed", "--curvature"],
    "generate tree": ["--branching", "--depth", "--nodes", "--edge-length", "--label-depth"],
    "generate network": ["--nodes", "--degree", "--exponent", "--temperature", "--labels",
                         "--size", "--probability"],
    "plot": ["--label", "--model", "--coordinates", "--curvature", "--size"],
    "predict": ["--points", "--format", "--output", "--coordinates"],
    "explore": ["--label", "--edges", "--names", "--coordinates", "--curvature", "-o"],
    "reproduce": ["--methods", "--data", "--protocol", "--seed", "--jobs", "--output"],
}  # fmt: skip


def link(target, name):
    """Make a link, unless it is there, and return its name."""
    with contextlib.suppress(FileExistsError):
        os.symlink(target, name)
    return name


def prepare():
    for name, content in {"t.csv": TABLE.encode(), "g.txt": EDGES}.items():
        with open(name, "wb") as file:
            file.write(content)
    os.makedirs("folder.csv", exist_ok=True)
    link("nowhere.csv", "link.csv")
    link("loop.csv", "loop.csv")


def work_is_left_out(*_, **__):
    """Stand in for the work of ``reproduce``: what gets this far was accepted."""
    raise ValueError("accepted")


def command_calls():
    prepare()
    reproduction.run_pieces = work_is_left_out
    fit = ["fit", "t.csv", "--label", "label", "-o"]
    given = {"fit": ["t.csv", "--label", "label", "-o", "m.json"], "convert": ["t.csv"],
             "evaluate": ["t.csv", "--label", "label"], "embed": ["g.txt"],
             "plot": ["t.csv", "-o", "p.png"], "predict": ["m.json", "t.csv"],
             "explore": ["t.csv"], "reproduce": ["gaussian", "--quick"]}  # fmt: skip
    for name, options in OPTIONS.items():
        words = [*name.split(), *given.get(name, [])]
        for option, number in product(options, NUMBERS):
            if option in ("--points", "--nodes", "--depth", "--trials") and len(number) == 400:
                continue
            yield f"{name} {option} {number[:8]!r}", command(*words, option, number)
    commands = [["fit"], ["nonsense"], ["--nonsense"], ["fit", "--"], ["fit", "t.csv", "t.csv"],
                ["generate"], ["predict", "t.csv"], ["\0"], [""], ["completion", "nonsense"],
                [*fit, "t.csv"]]  # fmt: skip
    for path in PATHS:
        commands += [[*fit, path], ["convert", "t.csv", "-o", path]]
        if path != "-":
            commands += [["fit", path, *fit[2:], "m.json"], ["convert", path]]
            commands += [["predict", path, "t.csv"], ["embed", path]]
    for words in commands:
        yield " ".join(words)[:40], command(*words)


FILE_GROUPS = {
    "model files": model_file_calls,
    "tables": table_calls,
    "graph files": graph_file_calls,
    "commands": command_calls,
}
