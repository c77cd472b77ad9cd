"""The promises of SECURITY.md that the interpreter itself can watch, by its audit events."""

import json
import subprocess
import sys
import textwrap

CHILD = textwrap.dedent(
    """
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

    def command(*words):
        return main(list(words))

    codes = [
        command("generate", "gaussians", "--points", "60", "--classes", "2", "-o", "t.csv"),
        command("fit", "t.csv", "--label", "label", "-o", "m.json"),
        command("predict", "m.json", "t.csv", "-o", "p.npz"),
        command("score", "m.json", "t.csv"),
        command("convert", "t.csv", "--label", "label", "--to", "klein", "-o", "k.npy"),
        command("embed", "karate", "-o", "karate.csv"),
        command("plot", "t.csv", "--label", "label", "--model", "m.json", "-o", "t.svg"),
        command("explore", "t.csv", "--label", "label", "-o", "t.html"),
        command("info", "m.json"),
    ]
    refused = [
        command("convert", name) for name in ("bomb.npy", "bomb.npz", "bomb.csv", "bomb.parquet")
    ]
    refused += [command("predict", "bomb.json", "t.csv"), command("embed", "bomb.npy")]
    refused += [command("embed", "bomb.txt"), command("embed", "bomb.npz")]
    print(json.dumps([codes, refused, seen, os.path.exists("exploded")]))
    """
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
