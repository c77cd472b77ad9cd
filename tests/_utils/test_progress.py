"""Progress: one bar on a terminal, plain lines elsewhere, nothing in workers."""

import io
import re
import time
import warnings
from contextlib import redirect_stderr

import pytest

from hyplane._utils.progress import Progress, Waiting, clear_screen, progress

tqdm = pytest.importorskip("tqdm")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def at_once(limits):
    """Show everything without a delay."""
    limits(DELAY=0.0, LINE_SECONDS=0.0)


def on_a_terminal(work):
    """Run it with the standard error on a terminal; return what is on the screen."""
    with redirect_stderr(Terminal()) as screen:
        work()
    return screen.getvalue()


def show(name):
    with Progress(1, name) as bar:
        bar.advance()


def test_a_bar_says_what_runs_and_how_far_it_is():
    def work():
        with Progress(4, "0/4 pieces") as bar:
            bar.advance(3, "3/4 pieces, polblogs long")
            bar.tick()

    screen = on_a_terminal(work)
    assert "0/4 pieces" in screen
    assert re.search(r"75% .*3/4 pieces, polblogs long \[.*<.*\]", screen)


def test_what_runs_inside_a_bar_shows_none_of_its_own():
    def work():
        with Progress(1, "outer"):
            show("inner")
            assert list(progress([1, 2], total=2, description="loop")) == [1, 2]
        show("next")

    screen = on_a_terminal(work)
    assert "outer" in screen
    assert "inner" not in screen
    assert "loop" not in screen
    assert "next" in screen


def test_a_bar_that_is_left_by_an_error_gives_the_screen_back():
    with pytest.raises(RuntimeError), Progress(1, "broken"):
        raise RuntimeError
    assert "whole" in on_a_terminal(lambda: show("whole"))


def test_a_bar_leaves_nothing_on_the_screen():
    assert re.search(r"\r +\r+$", on_a_terminal(lambda: show("gone")))


def test_a_bar_that_only_a_clock_has_drawn_is_taken_away_too():
    def work():
        with Progress(3, "slow") as bar:
            bar.tick()

    screen = on_a_terminal(work)
    assert "slow" in screen
    assert screen.rstrip("\r").rpartition("\r")[2].strip() == ""


def test_costs_that_round_out_of_range_are_not_complained_about():
    def work():
        with Progress(0.3, "sums", initial=-1e-16) as bar:
            for cost in (0.1, 0.1, 0.1000001):
                bar.advance(cost)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        screen = on_a_terminal(work)
    assert "clamping" not in screen
    assert "-0%" not in screen


def test_without_a_terminal_there_are_plain_lines_now_and_then(capsys, limits):
    with Progress(20, "pieces", lines=True) as bar:
        for _ in range(20):
            bar.advance()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 20
    assert lines[0].startswith("  5% pieces, ")
    assert "\r" not in "".join(lines)
    limits(LINE_SECONDS=30.0)
    with Progress(20, "pieces", lines=True) as bar:
        bar.advance()
    assert capsys.readouterr().err == ""


def test_without_a_terminal_long_pieces_are_not_silent(capsys):
    with Progress(100, "0/3 pieces", lines=True) as bar:
        bar.advance(0, "0/3 pieces, polblogs")
    assert capsys.readouterr().err == "  0% 0/3 pieces, polblogs\n"


def test_without_a_terminal_loops_are_silent(capsys):
    list(progress(range(3), total=3, description="loop"))
    with Progress(3, "hidden", lines=True, shown=False) as bar:
        bar.advance(3)
    assert capsys.readouterr().err == ""


@pytest.fixture
def short_delay(at_once, limits):
    limits(DELAY=0.01)


def until(screen, words):
    """Wait until words are on the screen, which other threads write."""
    for _ in range(2000):
        if words in screen.getvalue():
            return
        time.sleep(0.005)
    raise AssertionError(f"{words!r} never came: {screen.getvalue()!r}")


def test_work_that_cannot_say_how_far_it_is_shows_the_time(short_delay):
    with redirect_stderr(Terminal()) as screen:
        with Waiting("thinking"):
            until(screen, "\rthinking [00:00]")
        assert re.search(r"\r +\r+$", screen.getvalue())


def test_a_bar_inside_takes_the_place_of_the_time_and_ticks(short_delay):
    with redirect_stderr(Terminal()) as screen, Waiting("thinking"):
        until(screen, "thinking")
        with Progress(4, "steps") as bar:
            before = len(screen.getvalue())
            bar.advance()
            until(screen, "25%")
            beside = screen.getvalue()[before:]
            assert "thinking" not in beside
        screen.truncate(0)
        until(screen, "thinking")


def test_without_a_terminal_the_time_is_a_plain_line(short_delay):
    with redirect_stderr(io.StringIO()) as log:
        with Waiting("thinking"):
            until(log, "thinking, 0 s so far\n")
        assert "\r" not in log.getvalue()


def test_a_line_that_is_written_meanwhile_is_not_glued_to_the_time(short_delay):
    with redirect_stderr(Terminal()) as screen, Waiting("thinking"):
        until(screen, "thinking")
        clear_screen()
        assert re.search(r"\r +\r(\rthinking \[00:00\] *)*$", screen.getvalue())
