"""The calls of the catalogue where files and streams fail: a full disk, no permission, a pipe that
is closed, links that lead nowhere. Each command runs in a process of its own, made by fork."""

import contextlib
import ctypes
import io
import os
import resource
import signal
import sys
from functools import partial
from importlib import import_module

from files import link, prepare

from hyplane.cli import main

TABLE = ["t.csv", "--label", "label"]
QUICK = ["--methods", "klein,ambient", "--trials", "2"]
# Subcommands that write a file: the words before its name, and the kinds of file.
WRITERS = {
    "fit": (["fit", *TABLE, "-o"], ["json"]),
    "predict": (["predict", "m.json", "t.csv", "-o"], ["csv", "tsv", "npy", "npz", "mat"]),
    "convert": (["convert", "t.csv", "-o"], ["csv", "tsv", "npy", "npz", "mat", "parquet"]),
    "embed": (["embed", "g.txt", "-o"], ["csv", "npz"]),
    "generate gaussians": (["generate", "gaussians", "--points", "40", "-o"], ["csv", "npz"]),
    "generate tree": (["generate", "tree", "--depth", "3", "-o"], ["csv", "npz"]),
    "tree --edges": (["generate", "tree", "--depth", "3", "-o", "x.csv", "--edges"], ["csv"]),
    "generate network": (["generate", "network", "--nodes", "50", "-o"], ["csv", "npz"]),
    "plot": (["plot", *TABLE, "-o"], ["png", "svg", "pdf"]),
    "explore": (["explore", *TABLE, "-o"], ["html"]),
    "evaluate --records": (["evaluate", *TABLE, *QUICK, "--records"], ["csv", "npz"]),
    "reproduce": (["reproduce", "--dataset", "t.csv", *QUICK, "--jobs", "1", "-o"], ["report"]),
}  # fmt: skip
# Subcommands that print.
PRINTERS = {
    "predict": ["predict", "m.json", "t.csv"],
    "score": ["score", "m.json", "t.csv"],
    "evaluate": ["evaluate", *TABLE, *QUICK],
    "evaluate --json": ["evaluate", *TABLE, *QUICK, "--json"],
    "convert": ["convert", "t.csv"],
    "embed": ["embed", "g.txt"],
    "generate gaussians": ["generate", "gaussians", "--points", "40"],
    "generate gaussians, much": ["generate", "gaussians", "--points", "5000"],
    "generate tree": ["generate", "tree", "--depth", "3"],
    "generate network": ["generate", "network", "--nodes", "50"],
    "info": ["info", "t.csv"],
    "info, model": ["info", "m.json"],
    "completion": ["completion", "bash"],
    "help": ["--help"],
    "help of fit": ["fit", "--help"],
    "version": ["--version"],
    "fit": ["fit", *TABLE, "-o", "-"],
    "fit to a device": ["fit", *TABLE, "-o", "/dev/stdout"],
    "an error": ["convert", "no.csv"],
}
# Subcommands that read a file, where {} stands for it.
READERS = {
    "fit": ["fit", "{}", "--label", "label", "-o", "n.json"],
    "predict, model": ["predict", "{}", "t.csv"],
    "predict": ["predict", "m.json", "{}"],
    "score, model": ["score", "{}", "t.csv"],
    "score": ["score", "m.json", "{}"],
    "evaluate": ["evaluate", "{}", "--label", "label"],
    "plot": ["plot", "{}", "-o", "p.png"],
    "plot --model": ["plot", "t.csv", "--model", "{}", "-o", "p.png"],
    "plot --edges": ["plot", "t.csv", "--edges", "{}", "-o", "p.png"],
    "explore": ["explore", "{}", "-o", "p.html"],
    "convert": ["convert", "{}"],
    "embed": ["embed", "{}"],
    "embed --labels": ["embed", "g.txt", "--labels", "{}"],
    "info": ["info", "{}"],
    "reproduce --dataset": ["reproduce", "--dataset", "{}", "-o", "new"],
    "reproduce --settings": ["reproduce", "--settings", "{}", "-o", "new"],
    "reproduce --networks": ["reproduce", "real", "--networks", "{}:label", "-o", "new"],
}
OLD = b"what was there before"


def prepare_failures():
    """Make the files that the commands read, and places where nothing can be written."""
    prepare()
    for name in ("pyplot", "backends.backend_agg", "backends.backend_pdf", "backends.backend_svg"):
        import_module(f"matplotlib.{name}")  # before the forks, so that it is imported once

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(["fit", *TABLE, "-o", "m.json"])
    os.makedirs("locked", exist_ok=True)
    with open("locked/unreadable.csv", "wb") as file:
        file.write(OLD)
    os.chmod("locked/unreadable.csv", 0)
    os.chmod("locked", 0o555)
    for name, target in {"round": "about", "about": "round", "self": "self/self"}.items():
        link(target, name)


def nothing():
    """Leave the process as it is."""


def small_disk(size):
    """Let no file grow beyond a size: writing says that the file is too large."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def no_capabilities():
    """Make permissions count for root too."""
    if os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        if ctypes.CDLL(None, use_errno=True).capset(header, (ctypes.c_uint32 * 6)()):
            raise OSError(ctypes.get_errno(), "capset")


def forked(words, before, stdout=None, stderr=None, *, lines=None):
    """Run a command in a new process; return its exit code and what it printed on both streams.

    ``lines`` is how many lines the reader of the output takes before it goes away.
    """
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(50)
        signal.setitimer(signal.ITIMER_PROF, 6.0)
        os.close(out_read)
        os.close(err_read)
        code = 70
        try:
            streams(out_write, err_write, stdout, stderr)
            before()
            code = as_a_process(words)
        finally:
            os._exit(code)
    os.close(out_write)
    os.close(err_write)
    with os.fdopen(err_read, "rb") as errors, os.fdopen(out_read, "rb") as output:
        if lines is None:
            printed = output.read()
        else:
            printed = b"".join(output.readline() for _ in range(lines))
            output.close()
        said = errors.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), printed, said


def streams(out, err, stdout, stderr):
    """Give the process its standard streams, as the interpreter does at its start."""
    for number, pipe, name in ((1, out, stdout), (2, err, stderr)):
        if name is None:
            os.dup2(pipe, number)
        elif name != "closed":
            os.dup2(os.open(name, os.O_WRONLY), number)
        if pipe != number:
            os.close(pipe)
        if name == "closed":
            os.close(number)
    sys.stdout = None if stdout == "closed" else open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = (
        None if stderr == "closed" else open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    )


def as_a_process(words):
    """Return the exit code of a process that runs a command, its last flush counted."""
    code = main(words)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"Exception ignored in: {error!r}\n")
        return 120  # as the interpreter does
    return code


def judged(code, said, allowed, *names):
    """Say what is wrong with an exit code and the lines on the standard error."""
    if code not in allowed:
        return f"wrong: exit code {code}: {said[-300:]}"
    if "Traceback" in said or "Exception ignored" in said or "this is a bug" in said:
        return f"wrong: {said[-300:]}"
    errors = [line for line in said.splitlines() if line.startswith("hyplane: error: ")]
    if code in (1, 2) and len(errors) != 1:
        return f"wrong: {said[-300:]}"
    if code in (1, 2) and names and not any(name in errors[0] for name in names):
        return f"wrong: none of {names} in {errors[0][:300]}"
    return None


def left_over():
    """Return the temporary files of this folder and the one that is locked."""
    return [name for name in (*os.listdir("."), *os.listdir("locked")) if name.endswith(".tmp")]


def write(words, path, before=nothing, allowed=(1,), kept=None):
    """Let a command write where it cannot; it names the place and leaves everything as it was."""

    def call():
        if kept:
            with open(path, "wb") as file:
                file.write(OLD)
        code, _, said = forked([*words, path], before)
        wrong = judged(code, said, allowed, path, os.path.dirname(path) or ".")
        wrong = wrong or (f"wrong: left over {rest}" if (rest := left_over()) else None)
        if kept and code:
            with open(path, "rb") as file:
                if file.read() != OLD:
                    wrong = wrong or "wrong: the old file is gone"
        return wrong or refused(code)

    return call


def refused(code):
    """Raise where a command refused, so that the catalogue counts it."""
    if code:
        raise ValueError(f"refused with the exit code {code}")
    return code


def written():
    for name, (words, kinds) in WRITERS.items():
        for kind in kinds:
            yield from ((f"{name} {kind}, {what}", call) for what, call in places(words, kind))


def places(words, kind):
    """Let a command write a file of this kind to places where it cannot."""
    report = kind == "report"
    for size in (0, 20):
        call = write(words, f"old.{kind}", partial(small_disk, size), kept=not report)
        yield f"room for {size} bytes", call
    if not report:
        yield "full", write(words, link("/dev/full", f"full.{kind}"))
    yield "locked", write(words, f"locked/x.{kind}", no_capabilities)
    for place in ("/proc", "round", "self", "link.csv", "t.csv"):
        yield f"{place}/", write(words, f"{place}/x.{kind}")
    for target in ("itself", "nowhere", "no/where", "folder.csv", "round"):
        if report and target == "folder.csv":
            continue  # where a report may be
        path = f"to_{target.replace('/', '_')}.{kind}"
        link(path if target == "itself" else target, path)
        allowed = (1, 2) if report else (0,) if target == "nowhere" else (1,)
        yield f"a link to {target}", write(words, path, allowed=allowed)


def read_back():
    for name, words in READERS.items():
        for path in ("loop.csv", "link.csv", "round", "self/t.csv", "t.csv/x", "folder.csv",
                     "locked/unreadable.csv"):  # fmt: skip
            given = [word.replace("{}", path) for word in words]
            yield f"{name}, {path} to read", partial(read, given, path)


def read(words, path):
    """Let a command read what cannot be read; it names the file."""
    code, _, said = forked(words, no_capabilities)
    return judged(code, said, (1, 2), path) or refused(code)


def printed():
    for name, words in PRINTERS.items():
        fails = 1 if name == "an error" else 0
        # What the reader of the standard output does, and which exit codes are right.
        cases = {
            "nobody reads": ({"lines": 0}, (141, fails)),
            "| head -1": ({"lines": 1}, (0, 141) if not fails else (1,)),
            "stdout full": ({"stdout": "/dev/full"}, (1,)),
            "stdout closed": ({"stdout": "closed"}, (1,)),
            "stderr full": ({"stderr": "/dev/full"}, (fails,)),
            "stderr closed": ({"stderr": "closed"}, (fails,)),
            "both closed": ({"stdout": "closed", "stderr": "closed"}, (1,)),
            "both full": ({"stdout": "/dev/full", "stderr": "/dev/full"}, (1,)),
        }
        for what, (options, allowed) in cases.items():
            if name == "fit to a device" and options.get("stdout") == "closed":
                continue  # there is no such device then
            yield f"{name}, {what}", partial(stream, words, allowed, options)


def stream(words, allowed, options):
    """Let a command print where it cannot."""
    code, _, said = forked(words, nothing, **options)
    if "stderr" in options:
        return None if code in allowed else f"wrong: exit code {code}"
    return judged(code, said, allowed) or (refused(code) if code == 1 else code)


def failing_calls():
    prepare_failures()
    yield from written()
    yield from read_back()
    yield from printed()


FAILING_GROUPS = {"failing files and streams": failing_calls}
