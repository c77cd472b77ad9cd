"""Experiments varied: own methods, networks, data and settings."""

import json
import tomllib
from importlib import import_module

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
pytest.importorskip("jinja2")

from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

from hyplane.cli import main
from hyplane.datasets import load_karate, make_hyperbolic_gaussians
from hyplane.paper import GaussianMixtures, RealNetworks, reproduce
from hyplane.paper.experiment import imported_method

SMALL = {"gaussian": {"n_datasets": 2, "n_per_class": 12, "laws": ["riemannian"]}}


OWN_METHOD = """
import numpy as np
from sklearn.linear_model import LogisticRegression


class Scaled(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        return super().fit(10.0 * np.asarray(X), y, sample_weight)
"""


@pytest.fixture(autouse=True)
def _without_figures(monkeypatch):
    """Other tests draw them; here they would take most of the time."""
    for kind in (GaussianMixtures, RealNetworks):
        monkeypatch.setattr(kind, "figures", lambda self, frame, summary: ())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, from which methods are imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # and what is imported is forgotten afterwards
    return tmp_path


def vary(output, which="gaussian", **settings):
    settings = {"settings": SMALL, "trials": 1, "n_jobs": 1, "progress": False, **settings}
    return reproduce(which, output=output, **settings)


def scores(summary, method):
    return [row["scores"] for row in summary.experiments["gaussian"]["table"]
            if row["method"] == method]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_methods_of_ones_own_are_compared_also_in_several_processes(tmp_path, n_jobs, monkeypatch):
    (tmp_path / "a_method_of_ones_own.py").write_text(OWN_METHOD)
    monkeypatch.syspath_prepend(tmp_path)
    Scaled = import_module("a_method_of_ones_own").Scaled
    tmp_path = tmp_path / "report"
    summary = vary(tmp_path, methods={"mine": Scaled()}, n_jobs=n_jobs)
    [mine] = scores(summary, "mine")
    assert 0.2 < mine["accuracy"]["mean"] <= 1.0
    assert any(test["first"] == "mine" for test in summary.experiments["gaussian"]["tests"])
    assert "mine" in (tmp_path / "index.html").read_text()
    assert vary(tmp_path, methods={"mine": Scaled()}).run["n_computed"] == 0
    assert vary(tmp_path, methods={"mine": Scaled(C=2.0)}).run["n_computed"] == 2


def test_a_method_without_scores_or_with_a_taken_name_is_refused(tmp_path):
    for estimator in (object(), KMeans()):
        with pytest.raises(ValueError, match="a method is an estimator with fit, predict"):
            vary(tmp_path, methods={"mine": estimator})
    with pytest.raises(ValueError, match="'klein' is the name of a method of hyplane"):
        vary(tmp_path, methods={"klein": LogisticRegression()})
    with pytest.raises(ValueError, match=r"no method 'kline'.*module:object"):
        vary(tmp_path, methods=["kline"])


def test_a_method_is_named_by_module_and_object(folder):
    (folder / "my_methods.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "steady = LogisticRegression(C=3.0)\n"
        "def made():\n    return LogisticRegression(C=4.0)\n"
    )
    assert imported_method("my_methods:steady").content.C == 3.0
    assert imported_method("my_methods:made").content.C == 4.0
    assert imported_method("sklearn.linear_model:LogisticRegression").content.C == 1.0
    with pytest.raises(ValueError, match="no method 'my_methods:lost'"):
        imported_method("my_methods:lost")
    summary = vary(folder / "report", methods=["my_methods:steady"])
    assert len(scores(summary, "steady")) == 1
    written = tomllib.loads((folder / "report" / "experiment.toml").read_text())
    assert written["estimators"] == {"steady": "my_methods:steady"}


def test_trials_and_the_grid_of_C_are_those_asked_for(tmp_path):
    first = vary(tmp_path / "a", Cs=[1e-4])
    second = vary(tmp_path / "b")
    assert first.experiments["gaussian"]["settings"]["Cs"] == (1e-4,)
    assert scores(first, "euclidean") != scores(second, "euclidean")
    twofold = vary(tmp_path / "c", trials=2, protocol="twofold")
    rows = (tmp_path / "c" / "scores.csv").read_text().splitlines()
    assert len(rows) == 1 + 2 * 2 * 2 * 4
    assert twofold.run["protocol"] == "twofold"
    with pytest.raises(ValueError, match="Cs must be positive"):
        vary(tmp_path / "d", Cs=[-1.0])


def test_the_settings_of_a_report_run_it_again(tmp_path):
    first = vary(tmp_path / "a", methods=["klein"], seed=3, Cs=[1.0, 10.0])
    again = reproduce(
        output=tmp_path / "b",
        settings=tmp_path / "a" / "experiment.toml",
        n_jobs=1,
        progress=False,
    )
    assert again.experiments["gaussian"]["table"] == first.experiments["gaussian"]["table"]
    copies = [(tmp_path / name / "experiment.toml").read_text() for name in "ab"]
    assert copies[0] == copies[1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"gausian": {}}, "unknown key 'gausian'; did you mean 'gaussian'"),
        ({"gaussian": {"n_dataset": 3}}, "gaussian has an unknown key 'n_dataset'; did you mean"),
        ({"seed": "x"}, "seed must be an integer"),
        ({"experiments": ["wavy"]}, "which must be one of gaussian, evolving, real and all"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path, settings, words):
    with pytest.raises(ValueError, match=words):
        reproduce(output=tmp_path, settings=settings, progress=False)


def test_data_sets_of_ones_own_are_compared(tmp_path):
    data = {str(k): make_hyperbolic_gaussians(60, random_state=k)[:2] for k in range(3)}
    summary = vary(tmp_path, None, datasets=data, settings={})
    assert list(summary.experiments) == ["own"]
    assert summary.experiments["own"]["outcome"] == "not in the paper"
    assert summary.experiments["own"]["headline"]["n"] == 3
    assert summary.experiments["own"]["reproduced"] is None


def test_networks_of_ones_own_come_from_files(tmp_path):
    karate = load_karate()
    edges = "\n".join(f"{a},{b}" for a, b in karate.graph.edges)
    (tmp_path / "club.csv").write_text(f"source,target\n{edges}\n")
    labels = "\n".join(f"{node},{label}" for node, label in enumerate(karate.target))
    (tmp_path / "factions.csv").write_text(f"node,label\n{labels}\n")
    summary = vary(
        tmp_path / "report",
        "real",
        networks=[f"{tmp_path / 'club.csv'}:{tmp_path / 'factions.csv'}"],
        settings={"real": {"dimensions": [2], "n_embeddings": 2, "corpora": ["biased"]}},
    )
    found = summary.experiments["real"]
    assert {row["network"] for row in found["table"]} == {"club"}
    assert found["outcome"] == "too small to tell"
    assert found["cells"][0]["published_difference"] is None


def test_names_of_networks_that_are_none_are_refused():
    with pytest.raises(ValueError, match=r"no network 'karat'.*FILE:LABELS"):
        RealNetworks(networks=("karat",))
    with pytest.raises(ValueError, match="two networks are called 'a'"):
        RealNetworks(networks=("x/a.gml:v", "y/a.gml:v"))


@pytest.mark.slow
def test_the_command_takes_all_of_it(folder, capsys):
    X, y = make_hyperbolic_gaussians(60, random_state=0)[:2]
    rows = "\n".join(f"{a},{b},{c}" for (a, b), c in zip(X, y, strict=True))
    (folder / "points.csv").write_text(f"x1,x2,label\n{rows}\n")
    options = ["--dataset", "points.csv", "--methods", "sklearn.naive_bayes:GaussianNB,klein"]
    options += ["--trials", "2", "--Cs", "1,10", "--cv", "twofold", "--seed", "4", "--jobs", "1"]
    assert main(["reproduce", *options, "-o", "first"]) == 0
    titles, row, _, place = capsys.readouterr().out.splitlines()
    assert titles.split() == ["experiment", "difference", "p", "paper's", "p", "verdict"]
    assert row.startswith("Own data ")
    assert row.endswith("not in the paper")
    assert place == "report: first/index.html"
    found = json.loads((folder / "first" / "summary.json").read_text())
    settings = found["experiments"]["own"]["settings"]
    assert settings["methods"] == [
        *("hyperbolic", "euclidean", "hyperbolic-ours", "euclidean-ours"),
        *("GaussianNB", "klein"),
    ]
    assert (settings["n_trials"], settings["seed"], settings["protocol"]) == (2, 4, "twofold")
    again = ["reproduce", "--settings", "first/experiment.toml", "-o", "second", "--jobs", "1"]
    assert main(again) == 0
    other = json.loads((folder / "second" / "summary.json").read_text())
    tables = [
        {row["method"]: row["scores"] for row in each["experiments"]["own"]["table"]}
        for each in (found, other)
    ]
    assert tables[0] == tables[1]
