"""``hyplane reproduce``: the experiments of the paper."""

from pathlib import Path
from typing import Any

import click

from hyplane.cli import options
from hyplane.cli.errors import say


class _Experiments(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A name from the register of experiments, which is imported only when it is needed."""

    name = "experiment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or fail with those there are."""
        from hyplane.experiments import EXPERIMENTS

        names = (*EXPERIMENTS, "all")
        if value not in names:
            self.fail(f"no experiment {value!r}; there are {', '.join(names)}.", param, ctx)
        return value


@options.command
@click.argument("which", type=_Experiments(), required=False, metavar="[EXPERIMENT]")
@options.option(
    "-o --output",
    "Folder of the report. Experiments that it already holds stay in the report.",
    click.Path(file_okay=False),
    "report",
    metavar="FOLDER",
)
@click.option("--quick", is_flag=True, default=None, help="Run a small part of each experiment.")
@options.option(
    "--methods",
    "Methods besides the two of the paper, such as kernel-secant,klein, or module:object for an "
    "estimator of your own.",
    options.ListOf(click.STRING, "names"),
)
@options.option(
    "--networks",
    "Networks of the experiment real, such as karate,football, or FILE:LABELS for your own; "
    "LABELS is an attribute of its nodes or a table with their labels.",
    options.ListOf(click.STRING, "names"),
)
@options.option(
    "--dataset datasets",
    "Table of points to compare the methods on, with its labels in the column label, or in "
    "another one as FILE:COLUMN. Can be given several times.",
    metavar="FILE",
    multiple=True,
)
@options.option(
    "--trials", "Number of hold-outs of each data set.  [default: 5]", options.Number(1, 100_000)
)
@options.option(
    "--Cs Cs", "Values of C to choose from.", options.ListOf(options.POSITIVE, "numbers")
)
@options.choice(
    "--data",
    "Draw the data by the paper's recipe, or fetch the files of its authors",
    ("recipe", "authors"),
    note="  [default: recipe]",
)
@options.choice(
    "--cv --protocol protocol",
    "Test one half of each trial, or both in turn",
    ("holdout", "twofold"),
    note="  [default: holdout]",
)
@options.option("--seed", "Seed of the random numbers.  [default: 0]", options.SEED)
@options.option(
    "--settings",
    "File of settings, such as the experiment.toml of a report. Options override it.",
    click.Path(exists=True, dir_okay=False),
)
@options.option("--jobs", "Number of processes.  [default: one per processor]", options.JOBS)
@options.dask
@click.option("--progress/--no-progress", default=True, help="Show progress.")
def command(
    which: str | None,
    output: str,
    datasets: tuple[str, ...],
    settings: str | None,
    jobs: int | None,
    **given: Any,
) -> None:
    """Run the experiments of the paper and write a report.

    The paper compares the hyperbolic with the Euclidean SVM on Gaussian mixtures (gaussian), on
    evolving networks (evolving) and on real networks (real). By default all three are run. You can
    interrupt a run. Run the same command again to continue.

    Example:
      hyplane reproduce --quick
      hyplane reproduce gaussian --methods kernel-secant,klein --output report
      hyplane reproduce real --networks karate,mine.gml:group --trials 2
      hyplane reproduce --settings report/experiment.toml --seed 1 --output other
    """
    from hyplane.cli.evaluate import laid_out
    from hyplane.experiments import reproduce
    from hyplane.experiments.settings import read_settings

    stored = None if settings is None else read_settings(settings)
    files = {} if stored is None else dict(stored.get("own", {}).get("datasets", {}))
    files |= {Path(file.partition(":")[0]).stem: file for file in datasets}
    own = {name: _own_data(file) for name, file in files.items()}
    summary = reproduce(
        which, output=output, datasets=own or None, settings=stored, n_jobs=jobs, **given
    )
    rows = [["experiment", "difference", "p", "paper's p", "verdict"]]
    for name, found in summary.experiments.items():
        test, published = found.get("headline") or {}, found.get("published") or {}
        numbers = test.get("p_value"), published.get("p_value")
        p_values = ["-" if p is None or p != p else f"{p:.2g}" for p in numbers]
        difference = f"{test['difference']:+.3f}" if "difference" in test else "-"
        rows.append([name, difference, *p_values, found["outcome"]])
    say(*laid_out(rows), "", f"report: {summary.report}")


def _own_data(place: str) -> Any:
    """Read a table of points and labels; the points as those of the ball of curvature -1."""
    from hyplane.cli.point_columns import take_points
    from hyplane.experiments.own_data import OwnPoints
    from hyplane.geometry import convert

    file, _, column = place.partition(":")
    data = options.TableFile(file).read()
    labels = data.find([column or "label"])
    taken = take_points(data, options.PointOptions(), labels)
    taken.announce(labels)
    curvature = taken.space.curvature
    X = convert(taken.X, taken.space.coordinates, "ball", curvature=curvature)
    return OwnPoints.of((-curvature) ** 0.5 * X, data.labels(labels), place)
