"""Helpers of OpenRAVE's scripts: options, logs, drawings, meshes, samples."""

import argparse
import io
import logging
import optparse

import numpy as np
import pytest


@pytest.fixture(scope="module")
def env(openravepy):
    env = openravepy.Environment()
    assert env.Load("scenes/demo.env.xml")
    yield env
    env.Destroy()


@pytest.mark.parametrize("kind", [optparse.OptionParser, argparse.ArgumentParser])
def test_options_of_either_kind_make_an_environment(openravepy, kind):
    parser = kind()
    shared = openravepy.misc.OpenRAVEGlobalArguments
    shared.addOptions(parser)
    words = ["--module", "BaseManipulation", "", "--level", "error", "--testmode"]
    given = parser.parse_args(words)
    options = given[0] if isinstance(given, tuple) else given
    assert options.testmode is True
    before = openravepy.RaveGetDebugLevel()
    seen = []
    try:
        shared.parseAndCreateThreadedUser(
            options, lambda env, options: seen.append((env, options))
        )
        assert openravepy.RaveGetDebugLevel() == openravepy.DebugLevel.Error
    finally:
        openravepy.RaveSetDebugLevel(before)
    ((env, passed),) = seen
    assert passed is options
    assert [one.GetXMLId().lower() for one in env.GetModules()] == ["basemanipulation"]
    env.Destroy()


def test_a_wrong_level_is_told(openravepy):
    parser = optparse.OptionParser()
    openravepy.misc.OpenRAVEGlobalArguments.addOptions(parser, testmode=False)
    options, _ = parser.parse_args(["-l", "loud"])
    with pytest.raises(openravepy.openrave_exception, match="expected one of fatal"):
        openravepy.misc.OpenRAVEGlobalArguments.parseGlobal(options)


def test_logs_go_to_a_stream_once(openravepy):
    stream = io.StringIO()
    loggers = [logging.getLogger(name) for name in ("openravepy", "pyrave.openravepy")]
    before = [list(one.handlers) for one in loggers]
    try:
        openravepy.misc.InitOpenRAVELogging(io.StringIO())
        openravepy.misc.InitOpenRAVELogging(stream)
        openravepy.RaveLogWarn("the table is full")
        assert stream.getvalue().count("the table is full") == 1
    finally:
        for one, handlers in zip(loggers, before, strict=True):
            one.handlers[:] = handlers


def test_drawings_go_with_their_handles(openravepy, env):
    draw, misc = env._native.draw, openravepy.misc
    assert misc.DrawAxes(env, np.eye(4)) is None
    assert misc.DrawCircle(env, [0, 0, 1], [1, 0, 0], 0.2) is None
    assert env.SetViewer("qtosg")
    count = len(draw)
    handles = [
        misc.DrawAxes(env, np.eye(4), 0.1),
        misc.DrawAxes(env, [1, 0, 0, 0, 1, 2, 3], colormode="cmyk", coloradd=[0.1] * 3),
        misc.DrawLabel(env, "here", [0, 0, 1]),
        misc.DrawCircle(env, [0, 0, 1], [1, 0, 0], 0.2),
    ]
    assert len(draw) > count
    del handles
    assert len(draw) == count
    with pytest.raises(openravepy.openrave_exception, match="'rgb' or 'cmyk'"):
        misc.DrawAxes(env, np.eye(4), colormode="grey")


def volume(mesh):
    vertices, faces = mesh
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def test_meshes_are_closed_and_look_outwards(openravepy):
    misc = openravepy.misc
    assert volume(misc.ComputeBoxMesh([1, 2, 3])) == pytest.approx(48)
    cylinder = misc.ComputeCylinderYMesh(1, 2, 0.01)
    assert volume(cylinder) == pytest.approx(2 * np.pi, rel=1e-4)
    assert np.abs(cylinder[0][:, 1]).max() == 1
    sphere = misc.ComputeGeodesicSphereMesh(2, 4)
    assert volume(sphere) == pytest.approx(32 * np.pi / 3, rel=0.01)


def test_even_samples(openravepy):
    sampler = openravepy.misc.SpaceSamplerExtra()
    assert sampler.sampleS2(1).shape == (48, 2)
    rotations = sampler.sampleSO3(0)
    assert rotations.shape == (72, 4)
    np.testing.assert_allclose(np.linalg.norm(rotations, axis=1), 1)
    assert sampler.sampleSO3(quatdelta=0.25).shape == (576, 4)
    assert sampler.computeSepration(rotations).min() > 0.3
    box = np.array((1.0, 1.0, 2.0))
    for places in (sampler.sampleR3(0.1, box), sampler.sampleR3lattice(0.1, box)):
        assert len(places) == pytest.approx(2000, rel=0.02)
        assert ((places >= 0) & (places <= box)).all()
        assert (places > 0.5 * box).all(axis=1).mean() == pytest.approx(1 / 8, abs=0.02)
    lattice = sampler.sampleR3lattice(0.1, box)
    tree = openravepy.KDTree(lattice)
    nearest = np.sqrt(tree.kSearchArray(lattice, 2, 0)[1][:, 1])
    assert nearest.min() > 0.05
    with pytest.raises(openravepy.openrave_exception, match="too many places"):
        sampler.sampleR3(1e-4, box)


def test_hopf_coordinates_turn_x_to_a_direction(openravepy):
    sampler = openravepy.misc.SpaceSamplerExtra()
    theta, phi = 0.7, 1.9
    (quat,) = sampler.hopf2quat([[theta, phi, 0.4]])
    found = openravepy.quatRotate(quat, [1, 0, 0])
    assert np.arccos(found[0]) == pytest.approx(theta)


def test_orders(openravepy):
    ordered = openravepy.misc.TSP([[0.0], [5.0], [1.0], [3.0]])
    np.testing.assert_array_equal(ordered.ravel(), (0, 1, 3, 5))
    assert list(openravepy.misc.sequence_cross_product([1, 2], "ab")) == [
        [1, "a"],
        [1, "b"],
        [2, "a"],
        [2, "b"],
    ]


def test_a_clone_is_the_same_until_it_moves(openravepy, env):
    other = env.CloneSelf(openravepy.CloningOptions.Bodies)
    openravepy.misc.CompareEnvironments(env, other)
    body = other.GetBodies()[3]._native
    body.transform = [1, 0, 0, 0, 9, 9, 9]
    with pytest.raises(AssertionError, match="transform"):
        openravepy.misc.CompareEnvironments(env, other)
    other.Destroy()


def test_folders(openravepy, tmp_path):
    for _ in range(2):
        openravepy.misc.mkdir_recursive(str(tmp_path / "a/b"))
    assert (tmp_path / "a/b").is_dir()
