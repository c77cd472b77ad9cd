"""``hyplane reproduce``: the experiments of the paper."""

from pathlib import Path
from typing import Any

import click

from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import NAMES, PATH, POSITIVE, ListOf, Number, PointOptions, TableFile


@options.command
@click.argument("which", type=click.Choice(("gaussian", "evolving", "real", "all")), required=False)
@options.option("-o --output", "Folder of the report.", click.Path(file_okay=False), "report")
@click.option("--quick", is_flag=True, default=None, help="Run a small part of each experiment.")
@options.option("--methods", "Further methods; module:object for an estimator of your own.", NAMES)
@options.option("--networks", "Networks of 'real'; FILE:LABELS for one of your own.", NAMES)
@options.option("--dataset", "Table of points; FILE:COLUMN of its labels.", PATH, multiple=True)
@options.option("--trials", "Hold-outs of each data set.  [default: 5]", Number(1, 100_000))
@options.option("--Cs Cs", "Values of C to choose from.", ListOf(POSITIVE, "numbers"))
@options.choice("--data", "Draw the data, or fetch the authors' files", ("recipe", "authors"))
@options.choice("--cv --protocol protocol", "Halves of each trial to test", ("holdout", "twofold"))
@options.option("--seed", "Seed of the random numbers.  [default: 0]", options.SEED)
@options.option("--settings", "Settings, as in the experiment.toml of a report.", PATH)
@options.option("--jobs n_jobs", "Number of processes.  [default: one per processor]", options.JOBS)
@options.dask
@click.option("--progress/--no-progress", default=True, help="Show progress.")
def command(
    which: str | None, dataset: tuple[str, ...], settings: str | None, **given: Any
) -> None:
    """Run the experiments of the paper and write a report.

    The paper compares the hyperbolic with the Euclidean SVM on Gaussian mixtures (gaussian), on
    evolving networks (evolving) and on real networks (real). By default all three are run. You can
    interrupt a run. Run the same command again to continue.

    Experiments that the folder already holds stay in the report. For a network of your own, LABELS
    is an attribute of its nodes or a table with their labels. --dataset adds data of your own, with
    labels in the column 'label' or the one that is named, and can be given several times. Options
    override the file of --settings.

    Example:
      hyplane reproduce --quick
      hyplane reproduce gaussian --methods kernel-secant,klein --output report
      hyplane reproduce real --networks karate,mine.gml:group --trials 2
      hyplane reproduce --settings report/experiment.toml --seed 1 --output other
    """
    from hyplane.cli.evaluate import laid_out
    from hyplane.paper import reproduce
    from hyplane.paper.reproduction import read_settings

    stored = None if settings is None else read_settings(settings)
    files = {} if stored is None else dict(stored.get("own", {}).get("datasets", {}))
    files |= {Path(file.partition(":")[0]).stem: file for file in dataset}
    own = {name: _own_data(file) for name, file in files.items()}
    summary = reproduce(which, datasets=own or None, settings=stored, **given)
    columns = {
        "experiment": "Experiment",
        "difference": "Mean difference",
        "p": "p, ours",
        "paper's p": "p, paper",
        "verdict": "The paper’s finding is",
    }
    rows = [list(columns), *([row[name] for name in columns.values()] for row in summary.table)]
    say(*laid_out(rows), "", f"report: {summary.report}")


def _own_data(place: str) -> Any:
    """Read a table of points and labels; the points as those of the ball of curvature -1."""
    from hyplane.cli.point_columns import take_points
    from hyplane.cli.table_files import read_table
    from hyplane.geometry import convert

    file, _, column = place.partition(":")
    data = read_table(TableFile(file))
    labels = data.find([column or "label"])
    taken = take_points(data, PointOptions(), labels)
    taken.announce(labels)
    curvature = taken.space.curvature
    X = convert(taken.X, taken.space.coordinates, "ball", curvature=curvature)
    return (-curvature) ** 0.5 * X, data.labels(labels), place
