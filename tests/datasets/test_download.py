import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hyplane.datasets import fetch, get_data_home

CONTENT = b"0.25 0.5\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
NOBODY_THERE = "http://127.0.0.1:9/points.txt"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "points.txt").write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_folder_is_an_argument_or_a_variable_or_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("HYPLANE_DATA", str(tmp_path / "mine"))
    assert get_data_home() == tmp_path / "mine"
    assert get_data_home(tmp_path) == tmp_path
    monkeypatch.delenv("HYPLANE_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert get_data_home() == tmp_path / "hyplane"


def test_a_file_is_downloaded_once_and_kept(tmp_path, address):
    points = {"path": "sub/points.txt", "sha256": SHA256, "data_home": tmp_path}
    file = fetch(f"{address}/points.txt", **points)
    assert file == tmp_path / "sub" / "points.txt"
    assert file.read_bytes() == CONTENT
    # A second call needs no server.
    assert fetch(NOBODY_THERE, **points) == file


def test_a_download_with_a_wrong_checksum_is_refused_and_not_kept(tmp_path, address):
    with pytest.raises(ValueError, match="hash"):
        fetch(f"{address}/points.txt", "points.txt", sha256="0" * 64, data_home=tmp_path)
    assert not (tmp_path / "points.txt").exists()


def test_a_file_put_there_by_hand_is_used_and_checked(tmp_path):
    (tmp_path / "points.txt").write_bytes(CONTENT)
    assert fetch(NOBODY_THERE, "points.txt", data_home=tmp_path).read_bytes() == CONTENT
    assert fetch(NOBODY_THERE, "points.txt", sha256=SHA256.upper(), data_home=tmp_path)
    with pytest.raises(ValueError, match=r"SHA-256 checksum .* expected: remove it"):
        fetch(NOBODY_THERE, "points.txt", sha256="0" * 64, data_home=tmp_path)


def test_without_a_network_the_error_says_which_file_to_put_where(tmp_path):
    with pytest.raises(ConnectionError) as caught:
        fetch(NOBODY_THERE, "sub/points.txt", data_home=tmp_path)
    message = str(caught.value)
    assert NOBODY_THERE in message
    assert str(tmp_path / "sub" / "points.txt") in message
    assert "HYPLANE_DATA" in message


def test_a_missing_page_is_the_same_error(tmp_path, address):
    with pytest.raises(ConnectionError, match="404"):
        fetch(f"{address}/nothing.txt", "nothing.txt", data_home=tmp_path)
