"""Rays towards bodies, and hands that come along them."""

import math

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, StateError
from pyrave.grasping import (
    box_rays,
    circle_rays,
    hand_poses,
    noisy,
    plane_rays,
    roll_angles,
    sphere_points,
    sphere_rays,
    tilted,
)
from pyrave.spatial import pose_from_rpy


@pytest.fixture
def ball():
    env = pyrave.Environment()
    env.load_string(
        """<environment><kinbody name="ball"><body name="b">
        <geom type="sphere"><radius>0.1</radius></geom></body></kinbody>
        <kinbody name="wall"><translation>0 0 0.15</translation><body name="b">
        <geom type="box"><extents>1 1 0.01</extents></geom></body></kinbody>
        </environment>"""
    )
    env.bodies["ball"].transform = pose_from_rpy((0.3, -0.2, 1.0), (1, 2, 3))
    return env.bodies["ball"]


@pytest.mark.parametrize(
    "rays",
    [
        lambda ball: box_rays(ball, 0.03),
        lambda ball: sphere_rays(ball, 0.3),
        lambda ball: circle_rays(ball, (0, 0, 0.02), (0, 0, 2), 0.5),
        lambda ball: plane_rays(ball, (0, 0, 0.3), (0, 0.1, 0), (0.1, 0, 0), 0.013),
    ],
)
def test_rays_meet_the_surface_against_its_normal(ball, rays):
    found = rays(ball)
    assert len(found) > 12
    np.testing.assert_allclose(np.linalg.norm(found[:, :3], axis=1), 0.1, atol=1e-6)
    np.testing.assert_allclose(found[:, :3], -0.1 * found[:, 3:], atol=1e-6)


def test_a_box_is_met_on_all_sides(ball):
    found = box_rays(ball, 0.03)
    # a grid of 7 by 7 on each side, of which the corners pass by
    inside = sum(i * i + j * j <= 11 for i in range(-3, 4) for j in range(-3, 4))
    assert len(found) == 6 * inside
    sides = np.argmax(np.abs(found[:, 3:]), axis=1)
    assert set(sides.tolist()) == {0, 1, 2}


def test_a_circle_stays_in_its_plane(ball):
    found = circle_rays(ball, (0, 0, 0.02), (0, 0, 1), 2 * math.pi / 8)
    np.testing.assert_allclose(found[:, 2], 0.02, atol=1e-9)
    assert len(found) == 8


def test_directions_are_tilted_in_rings():
    ray = np.array([(1.0, 2, 3, 0, 0, 1)])
    found = tilted(ray, 0.8, 0.4)
    assert found[0].tolist() == ray[0].tolist()
    angles = np.arccos(np.clip(found[:, 5], -1, 1)).round(6)
    assert sorted(set(angles.tolist())) == [0.0, 0.4, 0.8]
    np.testing.assert_allclose(np.linalg.norm(found[:, 3:], axis=1), 1.0)
    assert tilted(ray, 0.0) is not None
    assert len(tilted(np.zeros((0, 6)), 0.5)) == 0


def test_hands_come_along_rays():
    rng = np.random.default_rng(3)
    rays = np.hstack((rng.normal(size=(20, 3)), sphere_points(20)))
    ways, rolls = sphere_points(20)[::-1], rng.uniform(0, 6, 20)
    poses = hand_poses(rays, ways, rolls)
    along = np.einsum("nij,nj->ni", poses[:, :3, :3], ways)
    np.testing.assert_allclose(along, rays[:, 3:], atol=1e-12)
    np.testing.assert_allclose(poses[:, :3, 3], rays[:, :3])
    np.testing.assert_allclose(np.linalg.det(poses[:, :3, :3]), 1.0)
    # a roll turns about the ray
    more = hand_poses(rays, ways, rolls + 0.5)
    turn = more[:, :3, :3] @ poses[:, :3, :3].transpose(0, 2, 1)
    np.testing.assert_allclose(np.trace(turn, axis1=1, axis2=2), 1 + 2 * np.cos(0.5))
    assert roll_angles(4).tolist() == [0, math.pi / 2, math.pi, 3 * math.pi / 2]


def test_noise_is_bounded_and_comes_again():
    poses = np.tile(np.eye(4), (50, 1, 1))
    found = noisy(poses, 0.01, 0.1, seed=5)
    assert np.array_equal(found, noisy(poses, 0.01, 0.1, seed=5))
    assert not np.array_equal(found, noisy(poses, 0.01, 0.1, seed=6))
    assert 0.001 < np.linalg.norm(found[:, :3, 3], axis=1).max() <= 0.01
    angles = np.arccos((np.trace(found[:, :3, :3], axis1=1, axis2=2) - 1) / 2)
    assert 0.05 < angles.max() <= 0.1 + 1e-12


def test_noise_is_spread_evenly_in_a_ball():
    found = noisy(np.tile(np.eye(4), (2000, 1, 1)), 0.01, seed=7)[:, :3, 3] / 0.01
    # parts of the volume that are nearer, in each half of space
    shares = np.linalg.norm(found, axis=1) ** 3
    for share in (0.125, 0.5, 0.875):
        assert (shares < share).mean() == pytest.approx(share, abs=0.04)
    assert (found > 0.0).mean(axis=0) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda b: box_rays(b, 0.0), ArgumentError, "spacing is 0.0"),
        (lambda b: box_rays(b, 1e-6), ArgumentError, "makes .* rays of a side"),
        (lambda b: box_rays(b, tilt=2.0), ArgumentError, "tilt is 2.0"),
        (lambda b: sphere_rays(b, math.nan), ArgumentError, "spacing is nan"),
        (lambda b: box_rays("ball"), ArgumentError, "body is 'ball', expected a body"),
        (
            lambda b: plane_rays(b, (0, 0, 0), (1, 0, 0), (2, 0, 0)),
            ArgumentError,
            "expected two directions apart",
        ),
        (
            lambda b: circle_rays(b, (0, 0, 0), (0, 0, 0)),
            ArgumentError,
            "normal is .*, expected a direction",
        ),
        (
            lambda b: hand_poses(np.zeros((1, 6)), (0, 0, 1), 0.0),
            ArgumentError,
            "rays have rows without a direction",
        ),
        (
            lambda b: hand_poses(np.ones((1, 6)), (0, 0, 0), 0.0),
            ArgumentError,
            "directions have rows without",
        ),
        (lambda b: noisy(np.eye(4)[None], -1), ArgumentError, "translation is -1"),
        (lambda b: noisy(np.eye(4)[None], seed="a"), ArgumentError, "seed is 'a', exp"),
        (lambda b: roll_angles(2.5), ArgumentError, "count is 2.5, expected a whole"),
    ],
)
def test_wrong_values_are_told(ball, call, error, message):
    with pytest.raises(error, match=message):
        call(ball)


def test_what_is_not_there_is_told(ball):
    env = ball.env
    env.remove(ball)
    with pytest.raises(StateError, match="is in no environment"):
        box_rays(ball)
    env.load_string(
        '<environment><kinbody name="air"><body name="b"/></kinbody></environment>'
    )
    with pytest.raises(ArgumentError, match="has no geometry"):
        box_rays(env.bodies["air"])
