"""``hyplane info``: what a file is."""

import json
import os
from typing import Any

import click

from hyplane.cli._formats import STREAM, read_table
from hyplane.cli._options import debug_option, format_options
from hyplane.cli._standard_streams import say


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane info points.csv\n"
    "  hyplane info model.json\n"
    "  hyplane info report",
)
@click.argument("file", type=click.Path(allow_dash=True))
@format_options
@debug_option
def command(file: str, format: str | None, header: bool | None) -> None:
    """Say what FILE is: a table, a model, a report, or the scores of 'hyplane evaluate --json'.

    Of a table it says which columns would be taken for the points, and in which chart.
    """
    from hyplane.cli import _describe as words

    if os.path.isdir(file):
        summary = os.path.join(file, "summary.json")
        if not os.path.exists(summary):
            raise ValueError(f"{file} is a folder without the summary.json of a report")
        lines = words.about_report(file, _json(summary))
    elif file != STREAM and file.lower().endswith(".json"):
        lines = _about_json(file)
    elif file != STREAM and os.path.basename(file).lower() == "index.html":
        lines = words.about_report(file, _json(os.path.join(os.path.dirname(file), "summary.json")))
    else:
        lines = words.about_table(read_table(file, format, header))
    say(*lines)


def _about_json(file: str) -> list[str]:
    from hyplane.cli import _describe as words
    from hyplane.persistence import read_model

    content = _json(file)
    if isinstance(content, dict) and "experiments" in content and "run" in content:
        return words.about_report(file, content)
    if isinstance(content, dict) and {"methods", "records", "table"} <= set(content):
        return words.about_evaluation(file, content)
    format_version = content.get("format_version") if isinstance(content, dict) else None
    return words.about_model(file, read_model(file), format_version)


def _json(file: str) -> Any:
    from hyplane._utils.files import read_bytes

    try:
        return json.loads(read_bytes(file))
    except (ValueError, RecursionError):
        return None  # `read_model` says what is wrong with it
