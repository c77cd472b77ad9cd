"""``hyplane reproduce``: the experiments of the paper."""

from textwrap import fill

import click

from hyplane.cli._options import JOBS, Methods, debug_option, seed_option

_EXPERIMENTS = ("gaussian", "evolving", "real", "all")


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane reproduce --quick\n"
    "  hyplane reproduce gaussian --methods kernel-secant,klein --output report",
)
@click.argument("which", type=click.Choice(_EXPERIMENTS), default="all")
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
@seed_option
@click.option(
    "--jobs", type=JOBS, metavar="INTEGER", help="Processes.  [default: one per processor]"
)
@click.option("--progress/--no-progress", default=True, help="Show a bar on a terminal.")
@debug_option
def command(
    which: str,
    output: str,
    quick: bool,
    methods: tuple[str, ...] | None,
    seed: int,
    jobs: int | None,
    progress: bool,
) -> None:
    """Run the experiments of the paper, or one of them, and write a report.

    The paper compares the hyperbolic with the Euclidean SVM on Gaussian mixtures, on evolving
    networks and on real networks. A run that was stopped goes on where it was when it is started
    again.
    """
    from hyplane.experiments import reproduce

    summary = reproduce(
        which,
        output=output,
        quick=quick,
        methods=methods,
        seed=seed,
        n_jobs=jobs,
        progress=progress,
    )
    for name, found in summary.experiments.items():
        click.echo(f"{name}: {found['outcome']}")
        for sentence in found["reading"]:
            click.echo(fill(sentence, 96, initial_indent="  ", subsequent_indent="  "))
    click.echo(f"\nreport: {summary.report}")
