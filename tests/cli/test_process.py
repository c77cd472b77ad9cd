"""The command as a process of its own: streams, signals, exit codes."""

import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version

import pytest

from hyplane.cli._app import COMMANDS

COMMAND = (sys.executable, "-m", "hyplane")


def run(*arguments, **settings):
    settings = {"capture_output": True, "text": True, "timeout": 60, **settings}
    return subprocess.run([*COMMAND, *arguments], check=False, **settings)


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
    assert process.stdout.readline() == b"x1,x2,label\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141
    process.stderr.close()


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


def test_without_click_one_line_names_the_extra():
    code = (
        "import sys; sys.modules['click'] = None\n"
        "from hyplane.cli import main\n"
        "sys.exit(main(['--version']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        'hyplane: error: the command line needs click: pip install "hyplane[cli]"\n'
    )


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(fails, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert "no permission" in fails("generate", "tree", "-o", "closed/t.csv")


def test_a_device_is_written_and_not_replaced(hyplane):
    assert hyplane("generate", "tree", "--format", "csv", "-o", os.devnull).code == 0
    assert not os.path.isfile(os.devnull)


def test_version(hyplane):
    assert hyplane("--version").out == f"hyplane {version('hyplane')}\n"


def test_the_help_lists_every_command(hyplane):
    outcome = hyplane("--help")
    assert outcome.code == 0
    for name, summary in COMMANDS.items():
        assert f"{name:<10}  {summary}" in outcome.out


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, "generate gaussians", "generate network", "generate tree"],
)
def test_every_help_has_an_example_and_fits_a_screen_in_width(hyplane, command):
    outcome = hyplane(*command.split(), "--help")
    assert outcome.code == 0
    assert re.search(rf"Example:\n  +.*hyplane {command} ", outcome.out), outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


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
        with pytest.raises(SystemExit):
            main([])
        assert wanted in capsys.readouterr().out


def test_warnings_are_one_line_too(hyplane, tmp_path):
    import warnings

    (tmp_path / "e.txt").write_text("a b\nb c\nc d\nd a\na c\nx y\n")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        outcome = hyplane("embed", "e.txt", "--exponent", "2.5")
    assert outcome.code == 0
    [line] = outcome.err.splitlines()
    assert line.startswith("hyplane: warning: ")
