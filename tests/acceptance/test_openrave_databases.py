"""Databases of OpenRAVE's robots have the figures of OpenRAVE's own."""

import warnings

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.databases import ConvexDecomposition, LinkStatistics

ROOT = corpus.openrave_root()
needs_corpus = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")


@needs_corpus
def test_link_statistics_of_hanois_puma(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyrave.SceneWarning)
        env = pyrave.load(ROOT / "data" / "hanoi.env.xml", resource_roots=[ROOT])
    stats = LinkStatistics(env.robots["Puma"]).build()
    # of OpenRAVE 0.149: setRobotWeights(), setRobotResolutions(0.002)
    weights = (2.0129, 2.0129, 1.3209, 0.4671, 0.4671, 0.4671, 0.2519)
    steps = (0.00262, 0.00262, 0.00399, 0.01129, 0.01129, 0.01129, 0.02094)
    np.testing.assert_allclose(stats.robot_weights(), weights, atol=5e-5)
    np.testing.assert_allclose(stats.robot_resolutions(0.002), steps, atol=5e-6)


@needs_corpus
@pytest.mark.parametrize(
    "name", ["barrettwam.robot.xml", "shadow-hand.zae", "pr2-beta-static.zae"]
)
def test_hulls_have_all_of_their_links_in_them(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyrave.SceneWarning)
        env = pyrave.load(ROOT / "robots" / name, resource_roots=[ROOT])
    robot = env.robots[0]
    hulls = ConvexDecomposition(robot, whole_above=1).build()
    some = 0
    for link in robot.links:
        planes = {one.geometry: one.planes for one in hulls.hulls(link)}
        for number, geometry in enumerate(link.geometries):
            if geometry.type == "none" or geometry.unusable:
                continue
            mesh, pose = geometry.mesh, geometry.transform
            if not len(mesh.faces):
                continue
            points = mesh.vertices[np.unique(mesh.faces)]
            points = points @ pose[:3, :3].T + pose[:3, 3]
            outside = points @ planes[number][:, :3].T + planes[number][:, 3]
            assert outside.max() < -0.0049  # the padding is 5 mm
            some += 1
    assert some > 15
