"""Bounds of how far links move, against where they are in between."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.kinematics import compile_body
from pyrave.kinematics.kernels import forward_kinematics as forward
from pyrave.kinematics.kernels import link_motions as motions

KINDS = ("hinge", "slider", "universal", "hinge2", "spherical", "rr", "rp", "pr", "pp")
PARTS = np.linspace(-1.0, 1.0, 21)


def placed(model, base, values):
    poses = np.empty((model.n_poses, 4, 4))
    status = forward.place_nodes(model.pose_rows, base, values, poses)
    assert status == forward.DONE
    return poses


def points_of(sphere, rng, count=40):
    ways = rng.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return np.column_stack((sphere[:3] + sphere[3] * ways, np.ones(count)))


@pytest.mark.parametrize("size", [1e-3, 0.05, 0.6])
@pytest.mark.parametrize("kind", KINDS)
def test_no_point_goes_further(bodies, kind, size):
    rng = np.random.default_rng(KINDS.index(kind))
    model = compile_body(bodies.random(rng, (kind, "hinge", kind, "slider", "hinge")))
    assert model.n_values == model.n_dof
    base = bodies.random_pose(rng).matrix
    values = rng.uniform(-2.0, 2.0, model.n_values)
    rates = np.zeros((2, model.n_values))
    rates[0] = rng.uniform(-size, size, model.n_values)
    # one value has no derivative in between: it goes all the way, or not at all
    rates[1, -1], rates[0, -1] = abs(rates[0, -1]), 0.0
    sudden = rates[1, -1] * np.where(PARTS > 0.3, 1.0, 0.0)
    spheres = rng.uniform(0.05, 0.3, (model.n_links, 4))
    found = np.empty((model.n_poses, motions.MOTION_WIDTH))
    here = placed(model, base, values)
    farthest = motions.link_motions(
        model.pose_rows, model.pose_screws, here, values, rates, spheres, found
    )
    moved = 0.0
    for part, more in zip(PARTS, sudden, strict=True):
        q = values + part * rates[0]
        q[-1] += more
        there = placed(model, base, q)
        for n, sphere in enumerate(spheres):
            points = points_of(sphere, rng)
            before = (here[n] @ points.T)[:3].T
            after = (there[n] @ points.T)[:3].T
            twist = found[n, :3] + np.cross(found[n, 3:6], before)
            off = np.linalg.norm(after - before - part * twist, axis=1).max()
            assert off <= found[n, motions.BEND] + 1e-12
            moved = max(moved, np.linalg.norm(after - before, axis=1).max())
    assert 0.0 < moved <= farthest + 1e-12
    if kind != "spherical" and size == 1e-3:
        assert farthest < 3.0 * moved


def test_twists_are_derivatives(bodies):
    rng = np.random.default_rng(11)
    model = compile_body(bodies.random(rng, ("hinge", "slider", "universal", "hinge")))
    base = bodies.random_pose(rng).matrix
    values, step = rng.uniform(-2.0, 2.0, (2, model.n_values))
    rates = np.stack((step, np.zeros(model.n_values)))
    spheres = np.full((model.n_links, 4), -1.0)
    found = np.empty((model.n_poses, motions.MOTION_WIDTH))
    here = placed(model, base, values)
    motions.link_motions(
        model.pose_rows, model.pose_screws, here, values, rates, spheres, found
    )
    small = 1e-6
    change = placed(model, base, values + small * step)
    change -= placed(model, base, values - small * step)
    for n in range(model.n_links):
        expected = change[n, :3, 3] / (2.0 * small)
        velocity = found[n, :3] + np.cross(found[n, 3:6], here[n, :3, 3])
        np.testing.assert_allclose(velocity, expected, atol=1e-8)
