"""The paper's experiments: the same numbers however they are run, and a report of them."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
pytest.importorskip("jinja2")

from matplotlib.image import imread

from hyplane.evaluation import METHODS, SCORES
from hyplane.paper import (
    EvolvingNetworks,
    Experiment,
    GaussianMixtures,
    RealNetworks,
    reproduce,
)
from hyplane.paper.pieces import Piece
from hyplane.paper.published import OUR_PAIRS, OURS, PAPER

pytestmark = pytest.mark.slow  # whole experiments, with their figures

MANY = GaussianMixtures(
    n_datasets=40, n_classes=2, n_per_class=15, n_trials=2, laws=("riemannian",)
)
FEW = GaussianMixtures(n_datasets=2, n_classes=2, n_per_class=10, n_trials=1, laws=("riemannian",))
TINY = [
    GaussianMixtures(n_datasets=3, n_per_class=12, n_trials=2),
    EvolvingNetworks(
        n_networks=2, n_labels=2, n_repetitions=1, n_trials=2, size_ranges=((20, 50), (50, 100))
    ),
    RealNetworks(networks=("karate",), dimensions=(2,), n_embeddings=2, n_trials=2),
]
SCRIPT = """
import sys
from hyplane.paper import GaussianMixtures, reproduce
if __name__ == "__main__":
    reproduce([{experiment}], output=sys.argv[1], n_jobs=int(sys.argv[2]))
"""


def numbers(folder):
    """All that a run found, without the clock."""
    experiments = json.loads((folder / "summary.json").read_text())["experiments"]
    for summary in experiments.values():
        del summary["work_seconds"]
    with (folder / "scores.csv").open() as file:
        rows = [{key: row[key] for key in row if key != "seconds"} for row in csv.DictReader(file)]
    return experiments, rows


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    reproduce(TINY, output=folder, n_jobs=1, progress=False)
    return folder


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    reproduce([MANY], output=folder, n_jobs=1, progress=False)
    return numbers(folder)


def test_one_and_two_processes_give_the_same_numbers(tiny, tmp_path):
    reproduce(TINY, output=tmp_path, n_jobs=2, progress=False)
    assert numbers(tmp_path) == numbers(tiny)


def test_another_seed_gives_other_numbers(tmp_path):
    one, two = (reproduce(FEW, seed=seed, output=tmp_path / str(seed), n_jobs=1) for seed in (0, 1))
    assert one.experiments["gaussian"]["table"] != two.experiments["gaussian"]["table"]


def test_running_again_computes_nothing_and_says_the_same(tiny):
    before = numbers(tiny)
    again = reproduce(TINY, output=tiny, n_jobs=1)
    assert again.run["n_computed"] == 0
    assert numbers(tiny) == before


def test_every_score_is_in_the_table_and_the_summary(tiny):
    experiments, rows = numbers(tiny)
    # Four methods on 3 mixtures of 2 laws, on 4 data sets on networks and on 2 embeddings of 3
    # kinds; one on DeepWalk of 2 kinds; 2 trials.
    assert len(rows) == 2 * (3 * 2 * 4 + 4 * 4 + 2 * (3 * 4 + 2))
    for row in rows:
        assert all(0.0 <= float(row[score]) <= 1.0 for score in SCORES)
    mine = [
        float(row["macro_aupr"])
        for row in rows
        if (row["part"], row["method"]) == ("riemannian", "hyperbolic")
    ]
    [found] = [
        row
        for row in experiments["gaussian"]["table"]
        if (row["source"], row["method"]) == ("riemannian", "hyperbolic")
    ]
    assert found["scores"]["macro_aupr"]["mean"] == pytest.approx(sum(mine) / len(mine))


def test_ours_stands_beside_the_papers_procedure_and_is_tested_against_it(tiny):
    experiments, _ = numbers(tiny)
    words = " ".join(Page((tiny / "index.html").read_text()).words)
    assert "Hyperbolic SVM, ours minus Hyperbolic SVM" in words
    assert "Hyperbolic SVM, ours minus Euclidean SVM, our grid" in words
    for summary in experiments.values():
        assert (summary["headline"]["first"], summary["headline"]["second"]) == PAPER
        assert {(test["first"], test["second"]) for test in summary["tests"]} == {PAPER, *OUR_PAIRS}
        methods = {row["method"] for row in summary["table"]}
        assert methods == {*PAPER, *OURS}


def test_the_papers_method_has_none_of_our_settings_and_the_rival_has_our_grid():
    paper, ours = (METHODS[name].make() for name in (PAPER[0], OURS[0]))
    assert (paper.bound, paper.score_function, paper.Cs) == ("ball", "minkowski", (0.1, 1.0, 10.0))
    assert (ours.bound, ours.score_function) == ("horosphere", "auto")
    assert ours.Cs == METHODS[OURS[1]].make().Cs == (0.01, 0.1, 1.0, 10.0, 100.0)
    assert METHODS[PAPER[1]].make().Cs == (0.1, 1.0, 10.0)


def test_figures_are_there_and_not_blank(tiny):
    names = {path.stem for path in (tiny / "figures").glob("*.png")}
    assert names == {f"figure-{n}" for n in ("1", "2a", "2b", "2c", "3a", "3b", "3c", "real")}
    for name in names:
        pixels = imread(tiny / "figures" / f"{name}.png")[:, :, :3]
        assert (pixels.min(axis=2) < 0.9).mean() > 0.005
        assert (tiny / "figures" / f"{name}.svg").read_text().count("<path") > 10


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.words = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.links += [found[key] for key in ("src", "href") if key in found]
        self.ids.add(found.get("id"))
        assert tag not in ("script", "link")

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_needs_nothing_else_and_holds_the_numbers(tiny):
    text = (tiny / "index.html").read_text()
    page, experiments = Page(text), numbers(tiny)[0]
    assert all(link.startswith(("data:image/svg+xml", "#")) for link in page.links)
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.ids
    assert len([link for link in page.links if link.startswith("data:")]) == 8
    words = " ".join(page.words)
    for summary in experiments.values():
        for row in summary["table"]:
            assert f"{row['scores']['macro_aupr']['mean']:.3f}" in words
        assert all(sentence in words for sentence in summary["reading"])


def test_a_quick_run_says_that_it_is_one(tmp_path):
    summary = reproduce("gaussian", output=tmp_path, quick=True, n_jobs=1)
    assert summary.run["quick"]
    found = summary.experiments["gaussian"]
    assert found["reproduced"] is None
    assert "too small to tell" in found["reading"][0]
    [row] = summary.table
    assert row["Experiment"] == "Gaussian mixtures"
    assert row["The paper’s finding is"] == "too small to tell"
    assert "A quick run" in (tmp_path / "index.html").read_text()


def test_a_method_that_joins_later_leaves_the_others_as_they_are(tmp_path):
    before = reproduce([FEW], output=tmp_path, n_jobs=1)
    more = replace(FEW, methods=(*FEW.methods, "klein"))
    after = reproduce([more], output=tmp_path, n_jobs=1)
    assert after.run["n_computed"] == 2
    table = after.experiments["gaussian"]["table"]
    assert table[:4] == before.experiments["gaussian"]["table"]
    assert table[4]["method"] == "klein"


def test_a_changed_digit_in_a_piece_does_not_reach_the_report(tmp_path):
    reproduce([FEW], output=tmp_path, n_jobs=1)
    before = numbers(tmp_path)
    piece = next((tmp_path / "pieces").rglob("gaussian-1-hyperbolic*"))
    piece.write_text(re.sub(r'("macro_aupr": 0\.)\d', r"\g<1>0", piece.read_text()))
    with pytest.warns(UserWarning, match=piece.name):
        again = reproduce([FEW], output=tmp_path, n_jobs=1)
    assert again.run["n_computed"] == 1
    assert numbers(tmp_path) == before


@dataclass(frozen=True, kw_only=True)
class Coins(Experiment):
    """A fourth experiment, as one would write it."""

    n_datasets: int = 12
    name = "coins"
    title = "Coins <b>& dice</b>"
    claim = "heads come before tails"
    published_p = 0.01

    def quick(self):
        return replace(self, n_datasets=3)

    def pieces(self):
        return [
            Piece(f"coin {n} {method}", toss, {"n": n, "method": method}, {"dataset": f"coin-{n}"})
            for n in range(self.n_datasets)
            for method in self.methods
        ]


def toss(settings, store):
    score = 0.5 + 0.01 * settings["n"] + 0.1 * (settings["method"] == "hyperbolic")
    record = {"method": settings["method"], "trial": 0, "seconds": 0.0}
    return {"records": [record | dict.fromkeys(SCORES, score)]}


def test_a_fourth_experiment_is_one_class(tmp_path):
    summary = reproduce(Coins(), output=tmp_path, n_jobs=1)
    found = summary.experiments["coins"]
    assert found["outcome"] == "reproduced"
    assert found["headline"]["difference"] == pytest.approx(0.1)
    text = (tmp_path / "index.html").read_text()
    assert "Coins &lt;b&gt;&amp; dice&lt;/b&gt;" in text
    assert "<b>& dice" not in text
    assert found["reading"][0] in " ".join(Page(text).words)


def test_the_templates_are_part_of_the_package():
    folder = files("hyplane.paper") / "templates"
    assert {"report.html", "table.html", "report.css"} <= {each.name for each in folder.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"which": "gauss"}, "which must be one of"),
        ({"which": []}, "which must be one of"),
        ({"methods": ["svm"]}, "no method"),
        ({"data": "theirs"}, "data must be one of recipe, authors"),
        ({"protocol": "tenfold"}, "protocol must be one of holdout, twofold"),
        ({"seed": -1}, "seed"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_settings_are_refused_before_any_work(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        reproduce(output=tmp_path / "report", **arguments)
    assert not (tmp_path / "report").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_goes_on_to_the_same_numbers(tmp_path, uninterrupted, sent):
    script = tmp_path / "run.py"
    script.write_text(SCRIPT.format(experiment=repr(MANY)))
    folder = tmp_path / "report"
    process = subprocess.Popen(
        [sys.executable, script, folder, "2"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    finished = _wait_for_pieces(folder / "pieces", 5)
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert 5 <= finished < 160
    assert not (folder / "summary.json").exists()
    if sent == signal.SIGINT:
        assert re.search(
            r"Stopped: \d+ of 160 pieces are finished.*Run the same command again", errors
        )
    summary = reproduce([MANY], output=folder, n_jobs=1, progress=False)
    assert 0 < summary.run["n_computed"] <= 160 - finished
    assert numbers(folder) == uninterrupted


def _wait_for_pieces(folder: Path, n: int) -> int:
    for _ in range(6000):
        found = len(list(folder.rglob("*.json"))) if folder.exists() else 0
        if found >= n:
            return found
        time.sleep(0.01)
    raise TimeoutError("no piece was finished")
