"""Finished pieces: whole or not there, and only for the settings they were made with."""

import json

import numpy as np
import pytest

from hyplane.experiments import pieces
from hyplane.experiments.pieces import Piece, PieceStore, decode_array, derive_seed, encode_array
from hyplane.experiments.runner import ReproductionInterrupted, run_pieces


def double(settings, store):
    return {"value": 2 * settings["number"]}


def interrupt(settings, store):
    raise KeyboardInterrupt


def count_files(store):
    return len(list(store.folder.iterdir()))


def test_a_finished_piece_is_found_again(tmp_path):
    piece = Piece("double", double, {"number": 3})
    PieceStore(tmp_path).obtain(piece)
    assert PieceStore(tmp_path).load(piece)["value"] == 6


def test_another_setting_is_another_piece(tmp_path):
    store = PieceStore(tmp_path)
    store.obtain(Piece("double", double, {"number": 3}))
    assert store.load(Piece("double", double, {"number": 4})) is None


def test_another_version_is_another_piece(tmp_path, monkeypatch):
    before = Piece("double", double, {"number": 3}).key
    monkeypatch.setattr(pieces.hyplane, "__version__", "999")
    assert Piece("double", double, {"number": 3}).key != before


@pytest.mark.parametrize("content", ["", '{"key": ', "[]", '{"key": "other", "result": {}}'])
def test_a_broken_file_is_computed_anew(tmp_path, content):
    store, piece = PieceStore(tmp_path), Piece("double", double, {"number": 3})
    store.obtain(piece)
    [file] = tmp_path.iterdir()
    file.write_text(content)
    assert store.load(piece) is None
    assert store.obtain(piece)["value"] == 6
    assert json.loads(file.read_text())["result"]["value"] == 6


def test_arrays_come_back_exactly():
    values = np.random.default_rng(0).normal(size=(7, 3)) * 1e-8
    again = decode_array(json.loads(json.dumps(encode_array(values))))
    assert again.tobytes() == values.tobytes()


def test_seeds_differ_between_uses():
    seeds = {derive_seed(s, word, i) for s in (0, 1) for word in ("a", "b") for i in range(50)}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_only_missing_pieces_are_computed(tmp_path):
    store = PieceStore(tmp_path)
    work = [Piece(f"double {i}", double, {"number": i}) for i in range(4)]
    assert run_pieces(work[:3], store, n_jobs=1) == 3
    assert run_pieces(work, store, n_jobs=1) == 1
    assert count_files(store) == 4


def test_an_interruption_keeps_what_is_finished_and_says_so(tmp_path):
    store = PieceStore(tmp_path)
    work = [Piece("double", double, {"number": 1}), Piece("stop", interrupt, {})]
    with pytest.raises(ReproductionInterrupted, match=r"1 of 2 pieces are finished.*again"):
        run_pieces(work, store, n_jobs=1)
    assert count_files(store) == 1


def test_the_bar_says_what_is_running(tmp_path, monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    texts = []
    monkeypatch.setattr(tqdm.tqdm, "set_postfix_str", lambda self, text: texts.append(text))
    run_pieces([Piece("double 1", double, {"number": 1})], PieceStore(tmp_path), n_jobs=1)
    assert texts == ["0/1, running: double 1"]
