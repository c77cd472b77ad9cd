"""Finished pieces: complete or not there, and only for the settings they were made with."""

import json
import re

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from hyplane.paper import ReproductionInterrupted
from hyplane.paper.pieces import Piece, PieceStore, derive_seed, run_pieces


def double(settings, store):
    return {"value": 2 * settings["number"]}


def interrupt(settings, store):
    raise KeyboardInterrupt


def count_threads(settings, store):
    return {"threads": [library["num_threads"] for library in threadpool_info()]}


def doubles(n):
    return [Piece(f"double {number}", double, {"number": number}) for number in range(n)]


def test_a_finished_piece_is_found_again_and_another_setting_is_another_piece(tmp_path):
    [piece, other] = doubles(2)[::-1]
    PieceStore(tmp_path).obtain(piece)
    assert PieceStore(tmp_path).load(piece)["value"] == 2
    assert PieceStore(tmp_path).load(other) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"",
        lambda text: text[:20].encode(),
        lambda text: b"[]",
        lambda text: b'{"key": "other", "result": {}}',
        lambda text: text.replace('"value": 6', '"value": 7').encode(),
        lambda text: re.sub(r'"sha256": "[^"]*"', '"sha256": ""', text).encode(),
        lambda text: b"\xff\xfe",
    ],
)
def test_a_damaged_piece_is_noticed_named_and_computed_again(tmp_path, damage):
    store, piece = PieceStore(tmp_path), Piece("double", double, {"number": 3})
    store.obtain(piece)
    [file] = store.folder.iterdir()
    file.write_bytes(damage(file.read_text()))
    with pytest.warns(UserWarning, match=rf"{re.escape(str(file))}.*computed again"):
        assert run_pieces([piece], store, n_jobs=1) == 1
    assert json.loads(file.read_text())["result"]["value"] == 6
    assert store.load(piece)["value"] == 6


def test_seeds_differ_between_uses():
    seeds = {derive_seed(s, word, i) for s in (0, 1) for word in ("a", "b") for i in range(50)}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_a_piece_has_one_thread_and_the_caller_as_many_as_before(tmp_path):
    store = PieceStore(tmp_path)
    work = [Piece(f"threads {i}", count_threads, {"number": i}) for i in range(2)]
    with threadpool_limits(limits=2):
        run_pieces(work, store, n_jobs=1)
        left = count_threads({}, store)["threads"]
    assert {n for piece in work for n in store.load(piece)["threads"]} == {1}
    assert set(left) == {2}


def test_only_missing_pieces_are_computed(tmp_path):
    store, work = PieceStore(tmp_path), doubles(4)
    assert run_pieces(work[:3], store, n_jobs=1) == 3
    assert run_pieces(work, store, n_jobs=1) == 1
    assert len(list(store.folder.iterdir())) == 4


def test_an_interruption_keeps_what_is_finished_and_says_so(tmp_path):
    store = PieceStore(tmp_path)
    work = [*doubles(1), Piece("stop", interrupt, {})]
    with pytest.raises(ReproductionInterrupted, match=r"1 of 2 pieces are finished.*again"):
        run_pieces(work, store, n_jobs=1)
    assert len(list(store.folder.iterdir())) == 1


def test_pieces_are_begun_by_stage_and_the_longest_first(tmp_path):
    order = []

    def note(settings, store):
        order.append(settings["name"])
        return {}

    work = [
        Piece("short", note, {"name": "short"}, cost=1),
        Piece("long", note, {"name": "long"}, cost=9),
        Piece("base", note, {"name": "base"}, cost=2, stage=0),
    ]
    run_pieces(work, PieceStore(tmp_path), n_jobs=1)
    assert order == ["base", "long", "short"]
