"""The promises of SECURITY.md that the interpreter itself can watch, by its audit events."""

import json
import subprocess
import sys
import textwrap

CHILD = textwrap.dedent(
    '''
    import io, json, os, pickle, sys
    import numpy as np
    from hyplane.cli import main
    from hyplane.datasets import load_graph

    class Bomb:
        def __reduce__(self):
            return os.mkdir, ("exploded",)

    bomb = np.array([[Bomb(), 1.0]], dtype=object)
    np.save("bomb.npy", bomb, allow_pickle=True)
    np.savez("bomb.npz", X=bomb)
    for name in ("bomb.csv", "bomb.json", "bomb.txt", "bomb.parquet"):
        with open(name, "wb") as file:
            pickle.dump(Bomb(), file)

    seen = []
    watched = ("socket.connect", "socket.getaddrinfo", "pickle.find_class", "os.system")
    sys.addaudithook(lambda event, given: seen.append(event) if event in watched else None)

    commands = """
        generate gaussians --points 60 --classes 2 -o t.csv
        fit t.csv --label label -o m.json
        predict m.json t.csv -o p.npz
        score m.json t.csv
        convert t.csv --label label --to klein -o k.npy
        embed karate -o karate.csv
        plot t.csv --label label --model m.json -o t.svg
        explore t.csv --label label -o t.html
        info m.json
    """
    harmful = """
        convert bomb.npy
        convert bomb.npz
        convert bomb.csv
        convert bomb.parquet
        predict bomb.json t.csv
        embed bomb.npy
        embed bomb.txt
        embed bomb.npz
    """
    codes = [main(words.split()) for words in commands.strip().splitlines()]
    refused = [main(words.split()) for words in harmful.strip().splitlines()]
    print(json.dumps([codes, refused, seen, os.path.exists("exploded")]))
    '''
)


def test_commands_connect_to_nothing_and_no_file_of_theirs_runs_code(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHILD],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    codes, refused, seen, exploded = json.loads(done.stdout.splitlines()[-1])
    assert set(codes) == {0}, done.stderr
    assert set(refused) == {1}, done.stderr
    assert not exploded
    assert seen == []
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "src=" not in page.replace('src="data:', "")
    assert "http://" not in page.replace("http://www.w3.org/", "")
