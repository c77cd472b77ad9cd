"""A Dask cluster that someone else started, by the address of its scheduler."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from hyplane._utils.optional import import_optional

# Seconds to wait for a first worker.
_PATIENCE = 20


class ClusterError(OSError):
    """A cluster cannot be used; the message says why."""


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Connect to a Dask cluster whose workers have this version of hyplane.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``"tcp://10.0.0.1:8786"``.

    Yields
    ------
    client : distributed.Client

    Raises
    ------
    ClusterError
        If there is no scheduler or no worker, or a worker has another version.

    Examples
    --------
    >>> with connect("tcp://127.0.0.1:8786") as client:  # doctest: +SKIP
    ...     client.submit(pow, 2, 3).result()
    8
    """
    distributed = import_optional("distributed", "dask")
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address}: start one with 'dask scheduler', and workers "
            "with 'dask worker ADDRESS'."
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise ClusterError(
                f"the Dask scheduler at {address} has no workers: start some with 'dask worker "
                f"{address}'."
            ) from error
        _check_versions(client)
        yield client


def _check_versions(client: Any) -> None:
    own = version("hyplane")
    for worker, found in client.run(_version, on_error="return").items():
        if isinstance(found, Exception):
            raise ClusterError(f"the worker {worker} cannot import hyplane: {found}")
        if found != own:
            raise ClusterError(f"the worker {worker} has hyplane {found}, and this process {own}.")


def _version() -> str:
    return version("hyplane")
