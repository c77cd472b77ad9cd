"""``hyplane reproduce``: the experiments of the paper."""

from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import Any

import click

from hyplane.cli._options import JOBS, Methods, debug_option, seed_option


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


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane reproduce --quick\n"
    "  hyplane reproduce gaussian --methods kernel-secant,klein --output report",
)
@click.argument("which", type=_Experiments(), default="all", metavar="[EXPERIMENT]")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    default="report",
    show_default=True,
    metavar="FOLDER",
    help="Folder of the report.",
)
@click.option("--quick", is_flag=True, help="A small version, for a first look.")
@click.option(
    "--methods",
    type=Methods(),
    metavar="NAMES",
    help="Methods besides the two of the paper, as in kernel-secant,klein.",
)
@click.option(
    "--data",
    type=click.Choice(("recipe", "authors")),
    default="recipe",
    show_default=True,
    help="Draw the data anew, or fetch the files of the paper's authors.",
)
@click.option(
    "--protocol",
    type=click.Choice(("holdout", "twofold")),
    default="holdout",
    show_default=True,
    help="Test one half of each trial, or both in turn.",
)
@seed_option
@click.option(
    "--jobs", type=JOBS, metavar="INTEGER", help="Processes.  [default: one per processor]"
)
@click.option("--progress/--no-progress", default=True, help="Say how far it is.")
@debug_option
def command(
    which: str,
    output: str,
    quick: bool,
    methods: tuple[str, ...] | None,
    data: str,
    protocol: str,
    seed: int,
    jobs: int | None,
    progress: bool,
) -> None:
    """Run the experiments of the paper and write a report.

    The paper compares the hyperbolic with the Euclidean SVM on Gaussian mixtures (gaussian), on
    evolving networks (evolving) and on real networks (real); all of them are run unless one is
    named. A run that was stopped goes on where it was when it is started again.
    """
    from hyplane.experiments import reproduce

    summary = reproduce(
        which,
        output=output,
        quick=quick,
        methods=methods,
        data=data,
        protocol=protocol,
        seed=seed,
        n_jobs=jobs,
        progress=progress,
    )
    width = min(96, get_terminal_size((96, 24)).columns)
    paragraph = TextWrapper(
        width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    )
    for name, found in summary.experiments.items():
        click.echo(f"{name}: {found['outcome']}")
        for sentence in found["reading"]:
            click.echo(paragraph.fill(sentence))
    click.echo(f"\nreport: {summary.report}")
