"""Meshes of OpenRAVE's scenes: triangles, boxes and colours; every mesh of the corpus.

OpenRAVE reads Inventor files in single precision and keeps one vertex per corner, so
the numbers of vertices are no measure; the triangles, their box and their sums are.

A deliberate difference: OpenRAVE looks for a material in the file that a scene names
alone, so a file that only includes others is white; pyrave keeps the colours of the
included files.
"""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.scene import MeshReference

ROOT = corpus.openrave_root()
EXPECTED = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(
    ROOT is None or EXPECTED is None, reason="the corpus is not here"
)
SINGLE = 2e-6
COLOURS_OF_INCLUDED_FILES = ("ketchup.iv",)
SCENES = [
    path.relative_to(EXPECTED).as_posix().removesuffix(".json")
    for path in sorted(EXPECTED.rglob("*.json") if EXPECTED else ())
    if path.name.endswith((".xml.json", ".dae.json", ".zae.json"))
]
SUFFIXES = (".ac", ".stl", ".dae", ".obj", ".ply", ".off", ".3ds")


def moved(frame, points):
    return points @ frame[:3, :3].T + frame[:3, 3]


def pairs(env, expected):
    """Yield each geometry with what OpenRAVE has for it; links may have no names."""
    for theirs in expected["bodies"]:
        body = env.bodies[theirs["name"]]
        for link, their_link in zip(body.links, theirs["links"], strict=True):
            assert link.name == their_link["name"]
            yield from zip(link.geometries, their_link["geometries"], strict=True)


@pytest.mark.parametrize("name", SCENES)
def test_meshes_and_colours_are_those_of_openrave(name):
    expected = json.loads((EXPECTED / f"{name}.json").read_text())
    env = pyrave.load(ROOT / name, resource_roots=[ROOT])
    for ours, theirs in pairs(env, expected):
        if theirs["info_filenamecollision"].endswith(COLOURS_OF_INCLUDED_FILES):
            colours = (theirs["diffuse"], theirs["ambient"])
            assert colours == ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
        else:
            colours = (ours.diffuse_color, ours.ambient_color)
        # files have brighter ones than light can show
        np.testing.assert_allclose(
            colours, [theirs["diffuse"], theirs["ambient"]], atol=SINGLE
        )
        assert ours.transparency == pytest.approx(theirs["transparency"], abs=SINGLE)
        stats = theirs.get("collision_mesh")
        if ours.type != "trimesh" or not isinstance(stats, dict):
            continue
        mesh = ours.mesh
        assert len(mesh.faces) == stats["ntriangles"]
        # in the link's frame: vertices of COLLADA may be in another one of their own
        corners = moved(ours.transform, mesh.triangles())
        mean = corners.reshape(-1, 3).mean(axis=0)
        frame = np.array(theirs["transform"])
        for found, key in ((corners[0], "first_triangle"), (mean, "vertex_mean")):
            wanted = moved(frame, np.array(stats[key]))
            np.testing.assert_allclose(found, wanted, atol=SINGLE)
        assert mesh.area == pytest.approx(stats["area"], rel=1e-5)
        box = ours.aabb_in(ours.transform)
        np.testing.assert_allclose(
            box,
            [theirs["aabb_linkframe"]["pos"], theirs["aabb_linkframe"]["extents"]],
            atol=SINGLE,
        )
    for theirs in expected["bodies"]:
        if theirs["aabb"]:
            np.testing.assert_allclose(
                env.bodies[theirs["name"]].aabb,
                [theirs["aabb"]["pos"], theirs["aabb"]["extents"]],
                atol=SINGLE,
            )


def mesh_files():
    if ROOT is None:
        return []
    return sorted(
        path for path in ROOT.parent.rglob("*") if path.suffix.lower() in SUFFIXES
    )


def test_every_mesh_file_of_the_corpus_is_read():
    files = mesh_files()
    assert len(files) > 100
    env = pyrave.Environment()
    for path in files:
        mesh = env.load_mesh(MeshReference(str(path)))
        assert len(mesh.faces)
        assert mesh.area > 0
    assert env.problems == ()
