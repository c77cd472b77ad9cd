"""``hyplane reproduce``: the experiments of the paper."""

from pathlib import Path
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import Any

import click

from hyplane.cli._options import dask_option, debug_option
from hyplane.cli._standard_streams import say
from hyplane.cli._types import JOBS, SEED, Names, Numbers, whole


class _Experiments(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A name from the register of experiments, which is imported only when it is needed."""

    name = "experiment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or fail with those there are."""
        from hyplane.paper import EXPERIMENTS

        names = (*EXPERIMENTS, "all")
        if value not in names:
            self.fail(f"no experiment {value!r}; there are {', '.join(names)}.", param, ctx)
        return value


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane reproduce --quick\n"
    "  hyplane reproduce gaussian --methods kernel-secant,klein --output report\n"
    "  hyplane reproduce real --networks karate,mine.gml:group --trials 2\n"
    "  hyplane reproduce --settings report/experiment.toml --seed 1 --output other",
)
@click.argument("which", type=_Experiments(), required=False, metavar="[EXPERIMENT]")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    default="report",
    show_default=True,
    metavar="FOLDER",
    help="Folder of the report; experiments that it already holds stay in it.",
)
@click.option("--quick", is_flag=True, default=None, help="A small version, for a first look.")
@click.option(
    "--methods",
    type=Names(),
    metavar="NAMES",
    help="Methods besides the two of the paper, as in kernel-secant,klein, or module:object for "
    "an estimator of your own.",
)
@click.option(
    "--networks",
    type=Names(),
    metavar="NAMES",
    help="Networks of the experiment real, as in karate,football, or FILE:LABELS for one of your "
    "own: LABELS is an attribute of its nodes, or a table with their labels.",
)
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="FILE",
    help="A table of points with a column label, to compare the methods on; may be "
    "given several times. FILE:COLUMN for another column of labels.",
)
@click.option(
    "--trials", type=whole(1, 100_000), metavar="INTEGER", help="Hold-outs of each data set.  [5]"
)
@click.option("--Cs", "Cs", type=Numbers(), metavar="NUMBERS", help="Grid of C, as in 0.1,1,10.")
@click.option(
    "--data",
    type=click.Choice(("recipe", "authors")),
    help="Draw the data anew, or fetch the files of the paper's authors.  [recipe]",
)
@click.option(
    "--cv",
    "--protocol",
    "protocol",
    type=click.Choice(("holdout", "twofold")),
    help="Test one half of each trial, or both in turn.  [holdout]",
)
@click.option("--seed", type=SEED, metavar="INTEGER", help="Seed of everything.  [0]")
@click.option(
    "--settings",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A file of settings, such as experiment.toml in every report; options count more.",
)
@click.option(
    "--jobs", type=JOBS, metavar="INTEGER", help="Processes.  [default: one per processor]"
)
@dask_option
@click.option("--progress/--no-progress", default=True, help="Show progress.")
@debug_option
def command(
    which: str | None,
    output: str,
    datasets: tuple[str, ...],
    settings: str | None,
    jobs: int | None,
    progress: bool,
    **options: Any,
) -> None:
    """Run the experiments of the paper, or variations of them, and write a report.

    The paper compares the hyperbolic with the Euclidean SVM on Gaussian mixtures (gaussian), on
    evolving networks (evolving) and on real networks (real); all of them are run unless one is
    named. A run that was stopped goes on where it was when it is started again.
    """
    from hyplane.paper import reproduce
    from hyplane.paper.reproduction import read_settings

    given = None if settings is None else read_settings(settings)
    files = {} if given is None else dict(given.get("own", {}).get("datasets", {}))
    files |= {Path(file.partition(":")[0]).stem: file for file in datasets}
    summary = reproduce(
        which,
        output=output,
        datasets={name: _own_data(file) for name, file in files.items()} or None,
        settings=given,
        n_jobs=jobs,
        progress=progress,
        **options,
    )
    width = min(96, get_terminal_size((96, 24)).columns)
    paragraph = TextWrapper(
        width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    )
    for name, found in summary.experiments.items():
        say(f"{name}: {found['outcome']}")
        for sentence in found["reading"]:
            say(*paragraph.wrap(sentence))
    say("", f"report: {summary.report}")


def _own_data(place: str) -> Any:
    """Read a table of points and labels; the points as those of the ball of curvature -1."""
    from hyplane.cli._choice import take_points
    from hyplane.cli._formats import read_table
    from hyplane.geometry import convert

    file, _, column = place.partition(":")
    data = read_table(file, None, None)
    labels = data.find([column or "label"])
    taken = take_points(data, (), labels, None, None)
    taken.announce(labels)
    curvature = taken.space.curvature
    X = convert(taken.X, taken.space.coordinates, "ball", curvature=curvature)
    return (-curvature) ** 0.5 * X, data.labels(labels), place
