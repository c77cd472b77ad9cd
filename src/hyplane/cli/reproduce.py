"""``hyplane reproduce``: the experiments of the paper."""

from pathlib import Path
from typing import Any

import click

from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import NAMES, NUMBERS, Number, choice, option


@options.command
@click.argument("which", type=click.Choice(("gaussian", "evolving", "real", "all")), required=False)
@option("-o --output", "Folder of the report.", click.Path(file_okay=False), "report")
@click.option(
    "--quick", is_flag=True, default=None, help="Run only a small part of each experiment."
)
@option("--methods", "Methods to add. module:object is an estimator of your own.", NAMES)
@option("--networks", "Networks for 'real'. FILE:LABELS is a network of your own.", NAMES)
@option("--dataset", "Table to add. Can be repeated.", options.FILE, multiple=True)
@option("--trials", "Number of splits of a data set.  [default: 5]", Number(1, 100_000))
@option("--Cs Cs", "Values of C to choose from.", NUMBERS)
@choice("--data", "Draw new data (recipe) or download the authors' files", ("recipe", "authors"))
@choice(
    "--cv --protocol protocol", "Test on one half of a split, or on both", ("holdout", "twofold")
)
@option("--seed", "Seed of the random numbers.  [default: 0]", options.SEED)
@option("--settings", "File of settings, such as the experiment.toml of a report.", options.FILE)
@option("--jobs n_jobs", "Number of processes.  [default: one per processor]", options.JOBS)
@click.option("--progress/--no-progress", default=True, help="Show progress.  [default: on]")
def command(
    which: str | None, dataset: tuple[str, ...], settings: str | None, **given: Any
) -> None:
    """Run the experiments of the paper and write a report.

    The paper compares the hyperbolic SVM with the Euclidean SVM on Gaussian mixtures (gaussian), on
    evolving networks (evolving) and on real networks (real). By default all three experiments run.
    You can interrupt a run. Run the same command again to continue. The report shows the
    experiments of the last run; finished work is kept in the output folder and not repeated.

    In --networks, FILE:LABELS adds a network of your own. LABELS is an attribute of the nodes or a
    table with their labels. In --dataset, FILE:COLUMN names the column of the labels, which is
    'label' by default. Options override the values in the file of --settings.

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
    data = read_table(options.TableFile(file))
    labels = data.find([column or "label"])
    taken = take_points(data, options.PointOptions(), labels)
    taken.announce(labels)
    curvature = taken.space.curvature
    X = convert(taken.X, taken.space.coordinates, "ball", curvature=curvature)
    return (-curvature) ** 0.5 * X, data.labels(labels), place
