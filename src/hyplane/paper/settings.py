"""Settings of a run as a file, ``experiment.toml``: what is run, on what, with which methods.

The keys at the top are shared by all experiments; a table named after an experiment holds its own
sizes. Every run writes such a file into its report, and a run can begin with one.
"""

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hyplane.paper.experiment import Experiment

FILE = "experiment.toml"
# Fields of every experiment that stand at the top of the file.
SHARED = ("n_trials", "methods", "data", "protocol", "seed", "Cs")
# What else stands there.
_TOP = ("experiments", "quick", "estimators", *SHARED)
# Fields that hold objects, which a file cannot.
_OBJECTS = ("estimators", "datasets")


def read_settings(source: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return settings from a file, or from a dict of the same form.

    Parameters
    ----------
    source : path or dict

    Returns
    -------
    settings : dict

    Raises
    ------
    ValueError
        If the file is no TOML.

    Examples
    --------
    >>> read_settings({"seed": 3, "gaussian": {"n_datasets": 5}})["gaussian"]
    {'n_datasets': 5}
    """
    if isinstance(source, Mapping):
        return dict(source)
    try:
        return tomllib.loads(Path(source).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{os.fspath(source)} is no TOML file: {error}.") from error


def check_keys(settings: Mapping[str, Any], experiments: Iterable[str]) -> None:
    """Refuse keys at the top of the settings that mean nothing.

    Examples
    --------
    >>> check_keys({"sede": 3}, ["gaussian"])
    Traceback (most recent call last):
    ValueError: the settings have an unknown key 'sede'; did you mean 'seed'?
    """
    for key in settings:
        _known(key, [*_TOP, *experiments], "the settings have")


def with_settings(experiment: Experiment, settings: Mapping[str, Any]) -> Experiment:
    """Return an experiment with fields replaced, or say which field there is not.

    Examples
    --------
    >>> from hyplane.paper import GaussianMixtures
    >>> with_settings(GaussianMixtures(), {"n_datasets": 5, "laws": ["wrapped"]}).laws
    ('wrapped',)
    """
    names = [each.name for each in fields(experiment)]
    for key in settings:
        _known(key, names, f"{experiment.name} has")
    return replace(experiment, **{key: frozen(each) for key, each in settings.items()})


def written(
    experiments: Sequence[Experiment], *, quick: bool, places: Mapping[str, str] | None = None
) -> str:
    """Return the settings of experiments as the text of a file.

    Parameters
    ----------
    experiments : sequence of Experiment
        With the same shared fields.
    quick : bool
        Whether their sizes are those of a quick run.
    places : dict, optional
        Where methods of one's own are to be imported from, ``module:object`` by name.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from hyplane.paper import GaussianMixtures
    >>> print(written([GaussianMixtures(n_datasets=5)], quick=False).splitlines()[2])
    experiments = ["gaussian"]
    """
    places = places or {}
    first = experiments[0]
    lost = [name for name in first.estimators if name not in places]
    lines = [
        "# Settings of a run of hyplane. To run the same again:",
        f"#     hyplane reproduce --settings {FILE}",
        f"experiments = {_value([each.name for each in experiments if each.of_the_paper])}",
        f"quick = {_value(quick)}",
    ]
    for key in SHARED:
        value = getattr(first, key)
        if key == "methods":
            value = [name for name in value if name not in first.estimators]
        lines.append(f"{key} = {_value(value)}")
    lines += [
        f"# The method {name} was given from Python: {first.estimators[name]}" for name in lost
    ]
    for experiment in experiments:
        lines += ["", f"[{experiment.name}]", *_data(getattr(experiment, "datasets", {}))]
        for each in fields(experiment):
            value = getattr(experiment, each.name)
            same = each.name in SHARED and value == getattr(first, each.name)
            if not same and each.name not in _OBJECTS:
                lines.append(f"{each.name} = {_value(value)}")
    if places:
        lines += ["", "[estimators]"]
        lines += [f"{name} = {_value(place)}" for name, place in places.items()]
    return "\n".join(lines) + "\n"


def _data(datasets: Mapping[str, Any]) -> list[str]:
    """Return the lines about data sets of one's own: files, or that there are none."""
    files = {name: data.place for name, data in datasets.items() if data.place}
    lines = [
        f"# The data set {name} was given from Python: {digest}"
        for name, digest in datasets.items()
        if name not in files
    ]
    return [*lines, f"datasets = {_value(files)}"] if files else lines


def _known(key: str, names: Sequence[str], who: str) -> None:
    if key not in names:
        close = get_close_matches(key, names, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}."
        raise ValueError(f"{who} an unknown key {key!r}; {hint}")


def frozen(value: Any) -> Any:
    """Return lists as tuples, which fields of experiments are."""
    return tuple(frozen(each) for each in value) if isinstance(value, list | tuple) else value


def _value(value: Any) -> str:
    """Return a value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_value(str(key))} = {_value(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(each) for each in value)}]"
    return repr(value)
