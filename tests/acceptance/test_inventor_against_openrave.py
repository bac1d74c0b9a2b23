"""Every Inventor and VRML file of the corpus, and what OpenRAVE has of some of them.

OpenRAVE read them with Coin 4.0.0, which gave the dumps two peculiarities. Coin
transforms in single precision, so files with transforms differ by that. And numbers
with an exponent, such as 1.7e-05, came out as zero: a defect, repeated here on purpose
to show that the rest is equal to the last bit.
"""

from __future__ import annotations

import json
import re

import corpus
import numpy as np
import pytest

from pyrave.formats import MeshSource
from pyrave.formats.meshes.loader import read_mesh
from pyrave_inventor.formats import INVENTOR, VRML

ROOT = corpus.openrave_root()
EXPECTED = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(
    ROOT is None or EXPECTED is None, reason="the corpus is not here"
)
EXACT, SINGLE = 1e-12, 1e-6
TRANSFORMED = {"palm.iv", "ketchup.iv"}
_EXPONENT = re.compile(rb"-?\d+\.?\d*[eE]-\d+")


def files():
    if ROOT is None:
        return []
    found = [*(ROOT / "models").rglob("*.iv"), *(ROOT / "models").rglob("*.wrl")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def statistics():
    """Return what OpenRAVE has of each mesh file: {(file, scale): statistics}."""
    found = {}
    for path in sorted(EXPECTED.rglob("*.json")) if EXPECTED else ():
        for body in json.loads(path.read_text()).get("bodies", []):
            for link in body["links"]:
                for geometry in link["geometries"]:
                    name = geometry["info_filenamecollision"]
                    if name.endswith((".iv", ".wrl")):
                        name = name[name.index("models/") :]
                        scale = tuple(geometry["info_vCollisionScale"])
                        found[name, scale] = geometry["collision_mesh"]
    return found


def formats():
    return [VRML, INVENTOR]


@pytest.mark.parametrize("name", files())
def test_every_file_is_read(name):
    source = MeshSource.open(str(ROOT / name))
    mesh = read_mesh(source, formats())
    assert mesh.area > 0
    assert mesh.materials
    assert source.problems == []


def test_the_corpus_has_both_encodings():
    heads = [(ROOT / name).read_bytes()[:24] for name in files()]
    assert len(heads) == 64 + 4
    assert sum(b"binary" in head for head in heads) == 11
    assert sum(head.startswith(b"\x1f\x8b") for head in heads) == 1


@pytest.mark.parametrize(("name", "scale"), statistics())
def test_triangles_are_those_of_openrave(name, scale):
    wanted = statistics()[name, scale]
    source = MeshSource.open(str(ROOT / name))
    if b"binary" not in source.data[:24]:
        data = _EXPONENT.sub(b"0", source.data)
        source = MeshSource(data, source.file, source.folder)
    mesh = read_mesh(source, formats()).scaled(scale)
    triangles = mesh.triangles()
    corners = triangles.reshape(-1, 3)
    # OpenRAVE's sums are about the origin, which matters for meshes with holes
    a, b, c = (triangles[:, k] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    tolerance = SINGLE if name.rpartition("/")[2] in TRANSFORMED else EXACT
    size = np.abs(corners).max()
    assert len(triangles) == wanted["ntriangles"]
    assert wanted["nvertices"] == 3 * len(triangles)
    for found, key in (
        (triangles[0], "first_triangle"),
        (corners.min(axis=0), "aabb_min"),
        (corners.max(axis=0), "aabb_max"),
        (corners.mean(axis=0), "vertex_mean"),
    ):
        np.testing.assert_allclose(found, wanted[key], atol=tolerance * size)
    assert mesh.area == pytest.approx(wanted["area"], rel=tolerance)
    assert volume == pytest.approx(wanted["volume"], rel=tolerance)
