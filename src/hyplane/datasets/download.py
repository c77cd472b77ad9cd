"""Files from the web: fetched once, checked, and kept in a folder that the user can fill too."""

import hashlib
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from hyplane._utils.optional import import_optional


def get_data_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder where fetched files are kept.

    Parameters
    ----------
    data_home : path, optional
        Used as it is. By default the environment variable ``HYPLANE_DATA`` decides,
        and without it ``hyplane`` in the user's cache folder (``XDG_CACHE_HOME`` or
        ``~/.cache``). The folder is not created here.

    Returns
    -------
    folder : Path

    Examples
    --------
    >>> get_data_home("/somewhere").name
    'somewhere'
    """
    if data_home is not None:
        return Path(data_home).expanduser()
    if os.environ.get("HYPLANE_DATA"):
        return Path(os.environ["HYPLANE_DATA"]).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "hyplane"


def fetch(
    url: str,
    path: str,
    *,
    sha256: str | None = None,
    data_home: str | os.PathLike[str] | None = None,
    progressbar: bool = True,
) -> Path:
    """Return a local copy of a file, downloading it the first time.

    A file that is already in the folder, put there by hand for instance, is used without any
    download.

    Parameters
    ----------
    url : str
        Where the file is.
    path : str
        Its place below the data folder, for instance ``"hyplinear/data/net.txt"``.
    sha256 : str, optional
        Checksum in hexadecimal. A file with another one is refused, also if put there by hand.
        Without it the checksum of the downloaded file is printed, for the next time.
    data_home : path, optional
        The folder, see :func:`get_data_home`.
    progressbar : bool, default=True
        Show the progress of the download, and the checksum of a file that has none to compare.

    Returns
    -------
    file : Path

    Raises
    ------
    ConnectionError
        If the file is not there and cannot be downloaded; the message says where to put it.
    ValueError
        If the checksum is wrong.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "points.txt").write_text("0.1 0.2")
    ...     fetch("https://example.org/points.txt", "points.txt", data_home=folder).read_text()
    '0.1 0.2'
    """
    if not isinstance(url, str) or not isinstance(path, str):
        raise TypeError(f"url and path must be strings; got {url!r} and {path!r}")
    home = get_data_home(data_home)
    target = home / path
    if not path or not Path(os.path.abspath(target)).is_relative_to(os.path.abspath(home)):
        raise ValueError(f"{path!r} is not a place below the data folder {home}")
    if sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", str(sha256)):
        raise ValueError(f"sha256 has 64 hexadecimal digits; got {sha256!r}")
    address = urlsplit(url)
    local = address.hostname in ("localhost", "127.0.0.1", "::1")
    if address.scheme != "https" and not (address.scheme == "http" and (local or sha256)):
        raise ValueError(f"files are fetched by https, or by http with a sha256; got {url!r}")
    if target.is_file():
        found = hashlib.sha256(target.read_bytes()).hexdigest()
        if sha256 is not None and found != sha256.lower():
            raise ValueError(
                f"{target} has the SHA-256 checksum {found} where {sha256} was expected: "
                "remove it, so that it is fetched anew"
            )
        return target
    pooch = import_optional("pooch", "experiments")
    known = None if sha256 is None else f"sha256:{sha256.lower()}"
    # Without tqdm, pooch would raise an error instead of downloading without a bar.
    downloader = pooch.HTTPDownloader(progressbar=progressbar and find_spec("tqdm") is not None)
    try:
        pooch.retrieve(url, known, target.name, target.parent, downloader=downloader)
    except OSError as error:  # requests' errors are OSErrors too
        raise ConnectionError(
            f"could not download {url} ({type(error).__name__}: {error}). Without a network, "
            f"get the file in another way and put it at {target} "
            "(the environment variable HYPLANE_DATA names another folder)."
        ) from error
    if sha256 is None and progressbar:
        found = hashlib.sha256(target.read_bytes()).hexdigest()
        print(
            f"{target} was not checked; to check it from now on: sha256={found!r}", file=sys.stderr
        )
    return target
