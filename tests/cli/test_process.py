"""The command as a process of its own: streams, signals, exit codes."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from hyplane.cli.app import app

COMMAND = (sys.executable, "-m", "hyplane")
COMMANDS = app.list_commands(None)


def run(*arguments, command=COMMAND, **settings):
    settings = {"capture_output": True, "text": True, "timeout": 60, **settings}
    return subprocess.run([*command, *arguments], check=False, **settings)


def run_code(code, *arguments, **settings):
    """Run Python code in a process of its own."""
    code = f"import sys\nfrom hyplane.cli import main\n{code}"
    return run(*arguments, command=(sys.executable, "-c", code), **settings)


@pytest.mark.slow
def test_a_pipeline_of_processes(tmp_path):
    # Without buffering the output goes out in parts, which must all arrive.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    made = run("generate", "gaussians", "--points", "10000", "--classes", "2", env=environment)
    assert (made.returncode, made.stderr) == (0, "")
    assert len(made.stdout.splitlines()) == 10_001
    model = tmp_path / "m.json"
    fitted = run("fit", "-", "--label", "label", "-o", str(model), input=made.stdout)
    assert fitted.returncode == 0, fitted.stderr
    assert fitted.stdout == ""
    predicted = run("predict", str(model), "-", input=made.stdout)
    assert predicted.returncode == 0
    assert len(predicted.stdout.splitlines()) == 10_001


def test_an_error_is_one_line_and_code_1():
    done = run("fit", "no.csv", "--label", "a", "-o", "-")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "hyplane: error: no.csv: no such file or directory\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_is_no_error(unbuffered):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    process = subprocess.Popen(
        [*COMMAND, "generate", "gaussians", "--points", "20000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout.readline() == b"ball_x1,ball_x2,label\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141
    process.stderr.close()


needs_full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")


@needs_full_device
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_results_that_find_no_room_are_an_error(unbuffered):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = run(
            "--version", capture_output=False, stdout=full, stderr=subprocess.PIPE, env=environment
        )
    assert (done.returncode, done.stderr) == (1, "hyplane: error: no space left on device\n")


@needs_full_device
def test_notes_that_find_no_room_stop_no_work(tmp_path):
    with open("/dev/full", "w") as full:
        words = ("generate", "tree", "--depth", "1", "-o", tmp_path / "t.csv")
        done = run(*words, capture_output=False, stderr=full)
    assert done.returncode == 0
    assert (tmp_path / "t.csv").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_is_one_line_and_code_130(tmp_path):
    pipe = tmp_path / "table.csv"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "fit", str(pipe), "--label", "a", "-o", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with open(pipe, "wb"):  # which waits until the command is there to read
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, b"")
    assert errors.strip() == b"hyplane: error: interrupted; no file was left half written"


def workers_of(session):
    """Count the worker processes of a session."""
    found = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, IndexError):
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            command = Path(f"/proc/{name}/cmdline").read_bytes()
            found += int(fields[3]) == session and b"popen_loky" in command
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
@pytest.mark.parametrize("words", ["evaluate t.csv --label label", "reproduce --quick -o report"])
def test_ctrl_c_while_workers_start_is_one_line_and_none_is_left(tmp_path, words):
    assert run("generate", "gaussians", "-o", "t.csv", cwd=tmp_path).returncode == 0
    process = subprocess.Popen(
        [*COMMAND, *words.split(), "--jobs", "2"],
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        start_new_session=True,
    )
    while workers_of(process.pid) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    errors = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "leaked" not in errors
    assert errors.splitlines()[-1].startswith("hyplane: error: ")
    assert workers_of(process.pid) == 0


def test_the_end_of_the_process_does_not_search_for_cycles():
    done = run_code("import gc; main(); print(gc.get_freeze_count() > 0)", "--version")
    assert done.stdout.endswith("True\n"), done.stderr


def test_without_click_one_line_names_the_extra():
    done = run_code("sys.modules['click'] = None; sys.exit(main(['--version']))")
    assert (done.returncode, done.stdout) == (1, "")
    line = 'hyplane: error: the command line needs click: pip install "hyplane[cli]"\n'
    assert done.stderr == line


def test_without_pyarrow_one_line_names_the_extra(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    code = "sys.modules['pyarrow.parquet'] = None; sys.exit(main(['info', 't.parquet']))"
    done = run_code(code, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert 'pip install "hyplane[parquet]"' in done.stderr


@pytest.fixture
def failing(hyplane, monkeypatch):
    """Run a command inside of which something is raised by code that is not ours."""

    def run(raised, *more):
        names = {"__name__": "somewhere"}
        exec(f"def broken(*_, **__):\n    {raised}", names)
        monkeypatch.setattr("hyplane.datasets.make_hyperbolic_gaussians", names["broken"])
        return hyplane("generate", "gaussians", *more)

    return run


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("raise TypeError('no float')", "TypeError: no float"),
        ("raise RuntimeError", "RuntimeError"),
        ("return {}['missing']", "KeyError: 'missing'"),
        ("assert False", "AssertionError"),
        ("import hyplane.no_such_module", "ModuleNotFoundError: No module"),
        ("raise NotImplementedError('later')", "NotImplementedError: later"),
    ],
)
def test_a_bug_says_that_it_is_one_and_how_to_report_it(failing, raised, said):
    done = failing(raised)
    assert (done.code, done.out) == (70, "")
    [line] = done.err.splitlines()
    assert line.startswith(f"hyplane: error: this is a bug in hyplane: {said}")
    assert line.endswith("please report it with the output of the same command with --debug")


def test_debug_adds_the_traceback_of_a_bug(failing):
    done = failing("raise TypeError('no float')", "--debug")
    assert done.code == 70
    assert done.err.startswith("Traceback (most recent call last):")
    assert "this is a bug in hyplane" in done.err.splitlines()[-1]


def test_a_refusal_by_another_library_is_no_bug(failing):
    done = failing("import numpy; return numpy.ones(2) + numpy.ones(3)")
    assert done.code == 1
    assert done.err.startswith("hyplane: error: operands could not be broadcast")


def test_a_refusal_of_our_own_is_said_as_it_is(fails):
    line = fails("generate", "tree", "--depth", "40")
    assert line.startswith("40 generations of edges of length 2.0 reach the radius 80")
    assert "bug" not in line


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("raise MemoryError", "not enough memory"),
        ("raise OSError(28, 'No space left on device')", "no space left on device"),
        (
            "from concurrent.futures.process import BrokenProcessPool as E; raise E('ended')",
            "a worker process was ended from outside",
        ),
        (
            "from hyplane._utils import optional; optional.import_optional('not_there', 'plot')",
            'not_there is needed here and is not installed: pip install "hyplane[plot]"',
        ),
    ],
)
def test_what_no_one_can_help_is_no_bug(failing, raised, said):
    done = failing(raised)
    assert done.code == 1
    assert done.err.startswith(f"hyplane: error: {said}")


@pytest.mark.parametrize("group", [(), ("generate",)])
def test_a_group_without_a_command_prints_its_help(group):
    done = run(*group)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(*group, "--help").stdout
    assert len(done.stdout.splitlines()) > 10


def test_a_misspelt_command_is_guessed():
    done = run("fti")
    assert (done.returncode, done.stdout) == (2, "")
    assert "No such command 'fti'. Did you mean 'fit'?" in done.stderr
    assert "Did you mean 'gaussians'?" in run("generate", "gausian").stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--version"], ""),
        ([], ""),
        *((([*command.split(), "--help"]), "") for command in ("", *COMMANDS, "generate tree")),
        *(([], f"hyplane {words}") for words in ("", "generate t", "fit --method k", "score --")),
    ],
)
def test_help_and_completion_wait_for_no_library(arguments, words):
    code = (
        "main(sys.argv[1:])\n"
        "print([name for name in ('numpy', 'sklearn', 'matplotlib') if name in sys.modules])"
    )
    environment = dict(os.environ)
    if words:
        place = str(len(words.split(" ")) - 1)
        environment |= {"_HYPLANE_COMPLETE": "bash_complete", "COMP_WORDS": words}
        environment |= {"COMP_CWORD": place}
    done = run_code(code, *arguments, env=environment)
    *said, loaded = done.stdout.splitlines()
    assert said
    assert loaded == "[]"


HEAVY = (
    *("numpy", "scipy", "sklearn", "joblib", "matplotlib", "pandas", "pyarrow", "networkx"),
    *("gensim", "jinja2", "pooch", "tqdm", "dask", "distributed", "anywidget", "hyplane.native"),
)


def test_the_version_is_told_without_any_heavy_module():
    done = run_code("code = main(['--version'])\nprint(code, sorted(sys.modules))")
    said, loaded = done.stdout.splitlines()
    assert said == f"hyplane {version('hyplane')}"
    assert loaded.startswith("0 [")
    assert [name for name in HEAVY if repr(name) in loaded] == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(fails, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert "no permission" in fails("generate", "tree", "-o", "closed/t.csv")


def test_a_device_is_written_and_not_replaced(hyplane):
    assert hyplane("generate", "tree", "--format", "csv", "-o", os.devnull).code == 0
    assert not os.path.isfile(os.devnull)


def test_the_help_lists_every_command(hyplane):
    outcome = hyplane("--help")
    assert outcome.code == 0
    listed = outcome.out.partition("Commands:\n")[2].splitlines()[: len(COMMANDS)]
    assert [line.split()[0] for line in listed] == COMMANDS
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, "generate gaussians", "generate network", "generate tree"],
)
def test_every_help_has_an_example_and_fits_a_screen_in_width(hyplane, command):
    outcome = hyplane(*command.split(), "--help")
    assert outcome.code == 0
    assert re.search(rf"Example:\n  +.*hyplane {command} ", outcome.out), outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


def numeric_options(group=app, *words):
    """Give the words of every command with each of its options that takes a number."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from numeric_options(command, *words, name)
        for option in command.params:
            if option.type.name in ("number", "integer", "numbers"):
                yield *words, name, option.opts[0]


@pytest.mark.parametrize("words", list(numeric_options()), ids=" ".join)
@pytest.mark.parametrize("value", ["1e200", "-1e200", "1" + 200 * "0", "nan"])
def test_every_number_has_a_range_that_is_checked_first(fails, words, value):
    line = fails(*words, value, code=2)
    assert line.startswith(f"Invalid value for '{words[-1]}")
    assert "must be" in line


def test_usage_errors_are_code_2(fails):
    assert "No such command 'fly'" in fails("fly", code=2)
    assert "Missing argument 'TABLE'" in fails("fit", code=2)
    assert "Missing option '--label'" in fails("fit", "points.csv", "-o", "m.json", code=2)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(hyplane, shell):
    outcome = hyplane("completion", shell)
    assert outcome.code == 0
    assert "_HYPLANE_COMPLETE" in outcome.out


def test_a_shell_completes_commands_and_options(capsys, monkeypatch):
    from hyplane.cli import main

    monkeypatch.setenv("_HYPLANE_COMPLETE", "bash_complete")
    for words, wanted in (("hyplane ev", "plain,evaluate"), ("hyplane fit --cur", "--curvature")):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        assert main([]) == 0
        assert wanted in capsys.readouterr().out


def test_warnings_are_one_line_too(hyplane, tmp_path):
    import warnings

    (tmp_path / "e.txt").write_text("a b\nb c\nc d\nd a\na c\nx y\n")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        outcome = hyplane("embed", "e.txt", "--method", "labne", "--exponent", "2.5")
    assert outcome.code == 0
    [line] = outcome.err.splitlines()
    assert line.startswith("hyplane: warning: ")
