"""Motions of a robot in one kernel: what is sure to be free, against dense samples."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from planning_scenes import plane_of, wall
from solid_meshes import torus

import pyrave
from pyrave.jit import Kernel
from pyrave.planning.search import joint_space
from pyrave.planning.search.joint_space import JointSpace
from pyrave.scene import (
    BodyDescription,
    GeometryDescription,
    LinkDescription,
    MeshData,
    Pose,
    TriMesh,
)

STEP = 1e-3


def arm_among(*bodies):
    env = pyrave.Environment()
    env.load("robots/heron7.robot.xml")
    for body in bodies:
        env.create_body(body)
    robot = env.robots[0]
    robot.set_active_dofs(robot.manipulators[0].arm_indices)
    return env, robot


def boxes():
    rng = np.random.default_rng(3)
    places = rng.uniform((0.2, -0.6, 0.0), (0.7, 0.6, 1.0), (8, 3))
    return [wall(f"box{k}", (0.05, 0.08, 0.1), one) for k, one in enumerate(places)]


def ring():
    mesh = torus()
    shape = TriMesh(MeshData(0.4 * mesh.vertices, mesh.faces))
    link = LinkDescription("base", geometries=(GeometryDescription(shape=shape),))
    return BodyDescription("ring", links=(link,), pose=Pose(translation=(0.7, 0, 0.5)))


def compared(env, robot, count, seed=0):
    """Return how many of random motions are free; each must be what samples say."""
    active, rng = robot.active_dof_indices, np.random.default_rng(seed)
    lower, upper = (limits[active] for limits in robot.dof_limits)
    checker, free, seen = env.collision_checker, 0, 0
    with checker.moving_links():
        space = JointSpace(robot)
        while seen < count:
            start = rng.uniform(lower, upper)
            way = rng.normal(size=len(active)) * rng.choice((0.05, 0.2, 0.6))
            ends = np.stack((start, np.clip(start + way, lower, upper)))
            if space.hits(ends).any():
                continue
            seen += 1
            steps = int(np.abs(ends[1] - ends[0]).max() / STEP) + 2
            rows = np.tile(robot.dof_values, (steps, 1))
            rows[:, active] = np.linspace(*ends, steps)
            expected = not checker.check_configurations(robot, rows).any()
            assert space.is_free(*ends) == space.is_free(*ends[::-1]) == expected
            free += expected
    return free


@pytest.mark.parametrize("scene", [boxes, lambda: [ring()]], ids=["boxes", "mesh"])
def test_motions_are_free_as_samples_say(scene):
    env, robot = arm_among(*scene())
    assert 10 < compared(env, robot, 150) < 150


def test_what_a_robot_holds_is_certified_too():
    env, robot = arm_among(*boxes())
    alone = compared(env, robot, 40)
    hand = robot.manipulators[0].end_effector
    stick = wall("stick", (0.02, 0.02, 0.3), (0.0, 0.0, 0.0))
    body = env.create_body(stick)
    body.transform = hand.transform @ Pose(translation=(0.0, 0.0, 0.4)).matrix
    robot.grab(body, hand)
    assert compared(env, robot, 40) <= alone


def test_a_thin_wall_between_two_steps_is_found():
    _, robot = plane_of(wall("thin", (5e-4, 0.5, 0.2), (0.0, 0.0, 0.0)), radius=1e-3)
    space = JointSpace(robot)
    ends = np.array([(-0.0061, 0.0), (0.0039, 0.0)])  # one step of the resolutions
    assert not space.hits(ends).any()
    assert not space.is_free(*ends)
    assert space.is_free(ends[0], np.array((-0.0061, 0.9)))


def test_a_part_that_touches_nothing_is_one_check():
    _, robot = plane_of(wall("far", (0.1, 0.1, 0.1), (5.0, 0.0, 0.0)))
    space = JointSpace(robot)
    assert space.is_free(np.array((-0.05, 0.0)), np.array((0.05, 0.0)))
    assert space.checks == 2


def test_compiled_collisions_keep_the_world_that_they_were_made_in():
    env, robot = plane_of(wall("wall", (0.1, 0.1, 0.1), (0.0, 0.0, 0.0)))
    checker, poses = env.collision_checker, np.array(robot.link_transforms)
    first = checker.compiled(robot)
    env.bodies["wall"].transform = (1, 0, 0, 0, 3, 0, 0)
    second = checker.compiled(robot)
    assert first(poses)
    assert not second(poses)
    del first, second
    gc.collect()
    again = checker.compiled(robot)
    assert not again(poses)
    assert again.spheres[-1] == pytest.approx((0.0, 0.0, 0.0, 0.05))
    assert (again.spheres[:-1, 3] == -1.0).all()


@pytest.mark.parametrize("samples", [20, 300])
def test_where_a_sampled_curve_first_collides_also_between_samples(samples):
    env, robot = arm_among(*boxes())
    active, rng = robot.active_dof_indices, np.random.default_rng(5)
    lower, upper = (limits[active] for limits in robot.dof_limits)
    places, checker = np.linspace(0.0, 1.0, samples)[:, None], env.collision_checker
    finer = 6000 // samples
    seen = 0
    with checker.moving_links():
        space = JointSpace(robot)
        for size in np.tile((0.05, 0.2, 0.6), 20):
            start = rng.uniform(lower, upper)
            first, last = start + rng.normal(size=(2, len(active))) * size
            rows = (1.0 - places) ** 2 * start + places**2 * last
            rows += 2.0 * places * (1.0 - places) * first
            at = np.arange(finer * (samples - 1) + 1) / finer
            low = np.minimum(at.astype(int), samples - 2)
            dense = np.tile(robot.dof_values, (len(at), 1))
            dense[:, active] = rows[low] + (at - low)[:, None] * (
                rows[low + 1] - rows[low]
            )
            hits = checker.check_configurations(robot, dense)
            found = space.first_hit(rows)
            if not hits.any():
                assert found == -1
                continue
            expected = at[np.argmax(hits)]
            assert found in {np.floor(expected), np.ceil(expected)}
            seen += found > 0
    assert seen > 5


def test_motions_between_two_free_samples_are_not_free_for_that():
    env, robot = arm_among(*boxes())
    active, rng = robot.active_dof_indices, np.random.default_rng(6)
    lower, upper = (limits[active] for limits in robot.dof_limits)
    with env.collision_checker.moving_links():
        space = JointSpace(robot)
        some = rng.uniform(lower, upper, (200, len(active)))
        ends = some[~space.hits(some)]
        pairs = [ends[k : k + 2] for k in range(len(ends) - 1)]
        free = [space.is_free(*pair) for pair in pairs]
        assert [space.first_hit(pair) for pair in pairs] == [
            -1 if one else 0 for one in free
        ]
    assert 5 < sum(free) < len(free) - 5


def answers(space, rows):
    """Return what a space says of configurations and of the motions between them."""
    hits = space.hits(rows).tolist()
    pairs = [rows[k : k + 2] for k in range(len(rows) - 1)]
    motions = [(space.first_blocked(one), space.first_hit(one)) for one in pairs]
    return hits, motions, space.checks


def test_first_checks_are_interpreted_for_a_while(monkeypatch):
    env, robot = arm_among(*boxes())
    rng, n = np.random.default_rng(7), len(robot.active_dof_indices)
    rows = np.cumsum(rng.normal(size=(6, n)) * 0.05, axis=0) + 0.3
    with env.collision_checker.moving_links():
        expected = answers(JointSpace(robot), rows)
        # as where there is no machine code
        written = property(lambda self: getattr(self.module, self.request.name))
        monkeypatch.setattr(Kernel, "written", written)
        monkeypatch.setattr(joint_space, "_BEARABLE", 100.0)
        with monkeypatch.context() as patch:
            patch.setattr(Kernel, "now", None)
            space = JointSpace(robot)
            space.prepare()
            assert answers(space, rows) == expected
        assert space.compiling > 0.0
        spent = joint_space._interpreted[0]
        for left in (0.0, 0.01):  # over at once, or in the midst of a check
            monkeypatch.setattr(joint_space, "_BEARABLE", spent + left)
            monkeypatch.setattr(joint_space, "_interpreted", [spent])
            space = JointSpace(robot)
            assert answers(space, rows) == expected
            assert joint_space._interpreted[0] >= spent + left
