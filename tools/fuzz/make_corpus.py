"""Write the first inputs of the fuzzer: one small valid file of each kind."""

import io
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.io import mmwrite, savemat

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV, klein_svm
from hyplane.persistence import model_text

CORPUS = Path(__file__).parent / "corpus"


def _saved(save, *arguments, **options) -> bytes:  # noqa: ANN001, ANN002, ANN003
    file = io.BytesIO()
    save(file, *arguments, **options)
    return file.getvalue()


def files() -> dict[str, list[bytes]]:
    """Return the contents for each target; a first byte chooses the format."""
    X = np.array([[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0], [0.1, 0.6], [0.2, 0.7]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    models = [
        HyperbolicSVC(random_state=0),
        HyperbolicSVC(multi_class="ovo", random_state=0),
        HyperbolicSVCCV([1.0], cv=2, random_state=0),
        HyperbolicKernelSVC(),
        EuclideanSVCCV([1.0], cv=2, random_state=0),
        klein_svm(),
    ]
    ring = sp.csr_array(np.roll(np.eye(4), 1, axis=1) + np.roll(np.eye(4), -1, axis=1))
    gml = (
        b'graph [\n node [ id 0 label "a" ]\n node [ id 1 label "b" ]\n'
        b" edge [ source 0 target 1 ]\n]"
    )
    graphml = (
        b'<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
        b'<edge source="a" target="b"/></graph></graphml>'
    )
    return {
        "model_file": [model_text(model.fit(X, y)).encode() for model in models],
        "table_text": [
            b"\x00x,y,label\n0.1,0.2,a\n0.3,nan,b\n",
            b"\x01x\ty\n1e-3\t2\n",
            b'\x00"a,b",c\n1,"2"\n',
        ],
        "table_binary": [
            b"\x00" + _saved(np.save, X),
            b"\x01" + _saved(np.savez, X=X, y=y),
        ],
        "table_mat": [b"\x00" + _saved(savemat, {"X": X, "y": np.arange(6)})],
        "graph_text": [
            b"\x00source,target\nann,bob\nbob,cid\n",
            b"\x00# comment\n0 1\n1 2\n",
            b"\x01" + gml,
            b"\x02" + graphml,
            b"\x030 1 0\n1 0 1\n0 1 0\n",
        ],
        "graph_binary": [
            b"\x00" + _saved(np.save, ring.toarray()),
            b"\x01" + _saved(sp.save_npz, ring, compressed=False),
            b"\x02" + _saved(mmwrite, ring),
        ],
        "native": [bytes([kind, 0]) + np.random.default_rng(kind).bytes(300) for kind in range(16)],
    }


if __name__ == "__main__":
    for target, contents in files().items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(contents):
            (folder / f"seed_{number}").write_bytes(content)
