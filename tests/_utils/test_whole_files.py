"""Files appear whole or not at all, also with two writers and on a full disk."""

import errno
import os
import threading

import pytest

from hyplane._utils.files import check_writable, replacing, write_text


def fail(file, error):
    with replacing(file) as out:
        out.write(b"half")
        raise error


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("old")
    with pytest.raises(RuntimeError):
        fail(file, RuntimeError())
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_only_what_must_last_waits_for_the_disk(tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr("os.fsync", waits.append)
    write_text(tmp_path / "piece", "a", durable=False)
    assert ((tmp_path / "piece").read_text(), len(waits)) == ("a", 0)
    write_text(tmp_path / "model", "a")
    assert len(waits) == 1


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    file = tmp_path / "table.csv"
    with replacing(file) as one, replacing(file) as two:
        one.write(b"one")
        two.write(b"two")
        assert one.name != two.name
    # The writer that ends last wins, whole.
    assert file.read_text() == "one"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_many_writers_at_once_leave_one_whole_file(tmp_path):
    file = tmp_path / "note.txt"
    texts = [str(number) * 5000 for number in range(10)]
    threads = [threading.Thread(target=write_text, args=(file, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.read_text() in texts
    assert os.listdir(tmp_path) == ["note.txt"]


def test_a_full_disk_names_the_file_and_leaves_nothing(tmp_path):
    file = tmp_path / "table.csv"
    with pytest.raises(OSError, match=r"table\.csv"):
        fail(file, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert os.listdir(tmp_path) == []


def test_the_mode_of_a_replaced_file_stays(tmp_path):
    file = tmp_path / "private.txt"
    file.write_text("old")
    file.chmod(0o640)
    write_text(file, "new")
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_device_that_is_full_is_named():
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_text("/dev/full", "much")


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_link_that_leads_back_to_itself_is_refused_and_stays(tmp_path):
    link = tmp_path / "loop.csv"
    link.symlink_to(link)
    for write in (check_writable, lambda path: write_text(path, "new")):
        with pytest.raises(OSError, match=r"leads back to itself.*loop\.csv"):
            write(link)
    assert link.is_symlink()


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="devices of POSIX")
def test_a_pipe_that_has_no_path_is_written():
    read, write = os.pipe()
    check_writable(f"/dev/fd/{write}")
    write_text(f"/dev/fd/{write}", "much")
    os.close(write)
    with os.fdopen(read) as file:
        assert file.read() == "much"


@pytest.mark.parametrize("number", [1, 2**31])
def test_a_number_is_no_path(number):
    with pytest.raises(TypeError, match="not int"), replacing(number):
        pass
    with pytest.raises(TypeError, match="not int"):
        check_writable(number)
