"""Databases under OpenRAVE's names."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def env(openravepy):
    env = openravepy.Environment()
    assert env.Load("scenes/demo.env.xml")
    env.StopSimulation()
    yield env
    env.Destroy()


@pytest.fixture
def robot(env):
    return env.GetRobots()[0]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))


def test_statistics_of_links_make_weights(openravepy, robot):
    model = openravepy.databases.linkstatistics.LinkStatisticsModel(robot)
    assert model.load() is False
    assert model.getfilename(read=True) == ""
    model.autogenerate()
    assert model.has()
    assert openravepy.databases.linkstatistics.LinkStatisticsModel(robot).load()
    model.setRobotWeights(weightmult=2.0)
    native = robot._native
    turning = ~native.model.prismatic[: native.dof]
    assert native.dof_weights[turning].mean() == pytest.approx(2, rel=0.1)
    model.setRobotResolutions(0.01)
    coarse = native.dof_resolutions
    model.setRobotResolutions(0.005)
    np.testing.assert_allclose(native.dof_resolutions, coarse / 2)
    with pytest.raises(openravepy.openrave_exception, match="expected 0, 1 or 2"):
        model.setRobotWeights(7)


def test_hulls_hold_what_they_are_around(openravepy, env):
    body = env.GetKinBody("brick")
    model = openravepy.databases.convexdecomposition.ConvexDecompositionModel(body)
    model.generate(padding=0.01)
    ((index, hulls),) = model.linkgeometry[0]
    ((vertices, faces, planes),) = hulls
    assert index == 0
    inside = np.array([body.GetTransform()[:3, 3], [9, 9, 9]])
    assert list(model.testPointsInside(inside)) == [True, False]
    pose = openravepy.matrixFromPose([0.5, 0.5, 0.5, 0.5, 1, 2, 3])
    moved, _, turned = model.transformHull(pose, (vertices, faces, planes))
    np.testing.assert_allclose(
        turned @ np.c_[moved, np.ones(len(moved))].T,
        planes @ np.c_[vertices, np.ones(len(vertices))].T,
        atol=1e-12,
    )
    padded, _ = model.PadMesh(vertices, faces, 0.1, setNormalsAwayFromCenter=True)
    assert np.ptp(padded, axis=0).min() > np.ptp(vertices, axis=0).min() + 0.1
    np.testing.assert_allclose(
        model.ComputeHullPlanes((vertices, faces)).shape[1], planes.shape[1]
    )
