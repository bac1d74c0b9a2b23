"""Pick and place in the demo: what is put down stands there, and nothing is touched."""

from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import manipulation
from pyrave.errors import ArgumentError, StateError
from pyrave.grasping import Grasp
from pyrave.manipulation import Pick, Place, Series, box_grasps, pick, place, solve
from pyrave.planning import TaskSpaceRegion, ToolDirection, verify
from pyrave.scene import ContactProperties, Friction
from pyrave.spatial import invert_pose


@pytest.fixture
def arm():
    env = pyrave.load("scenes/demo.env.xml")
    return env.robots["heron7"].active_manipulator


def state_of(env):
    return [
        (body.dof_values.tolist(), body.transform.tolist(), body.grabs.info)
        for body in env.bodies
    ]


GOAL = np.array((1, 0, 0, 0, 0.0, 0.15, 0.72))


@pytest.mark.parametrize("name", ["mug", "bottle", "block_violet"])
def test_things_are_carried_to_where_they_shall_be(arm, name):
    robot, env = arm.robot, arm.robot.env
    body, before = env.bodies[name], state_of(env)
    height = body.transform[2, 3]
    picked = pick(arm, body)
    assert picked, picked.cause
    assert [step.name for step in picked.steps][-4:] == [
        "approach", "close", "attach", "lift",
    ]  # fmt: skip
    assert picked.choices[0].startswith("grasp ")
    assert state_of(env) == before
    assert verify(robot, picked.trajectory) == ()
    assert robot.execute(picked)
    assert robot.grabbed == (body,)
    assert body.transform[2, 3] > height + 0.02
    placed = place(arm, body, GOAL)
    assert placed, placed.cause
    assert verify(robot, placed.trajectory) == ()
    assert robot.execute(placed)
    assert robot.grabbed == ()
    np.testing.assert_allclose(body.transform[:3, 3], GOAL[4:], atol=1e-7)
    assert str(placed).startswith("transfer, lower, release, open, retreat: ")


def test_nothing_is_deeper_than_it_may_be_at_any_millisecond(arm):
    robot, env = arm.robot, arm.robot.env
    mug, checker = env.bodies["mug"], env.collision_checker
    task = solve(robot, Pick(arm, mug), Place(arm, mug, GOAL))
    depths = []
    robot.controller.set_path(task.trajectory)
    options = pyrave.CollisionOptions.CONTACTS | pyrave.CollisionOptions.ACTIVE_DOFS
    robot.set_active_dofs(range(robot.dof))
    for _ in range(int(task.trajectory.duration / 0.005)):
        env.step(0.005)
        with checker.options(options):
            report = env.check_collision(robot, report=True)
        depths += [one.depth for pair in report.pairs for one in pair.contacts]
    assert max(depths, default=0.0) <= 1e-3
    np.testing.assert_allclose(mug.transform[:3, 3], GOAL[4:], atol=1e-7)


def test_the_place_decides_about_the_grasp(arm):
    robot, env = arm.robot, arm.robot.env
    block = env.bodies["block_violet"]
    grasps = list(box_grasps(arm, block))
    away = grasps[0].T_hand_target.copy()
    away[:3, 3] += 1.0
    first = [Grasp(away), *grasps]
    task = solve(robot, Pick(arm, block, first), Place(arm, block, [GOAL]))
    assert task
    assert task.choices[0].startswith("grasp 2 (")
    upside_down = np.diag([1.0, -1.0, -1.0, 1.0])
    upside_down[:3, 3] = 0.0, 0.15, 0.78
    refused = solve(
        robot, Pick(arm, block, grasps[:2]), Place(arm, block, upside_down), timeout=5
    )
    assert not refused
    assert refused.failure.stage.startswith("place/")
    assert refused.failure.last.choice.startswith("grasp ")


def test_a_place_out_of_reach_is_seen_before_ways_are_looked_for(arm, monkeypatch):
    robot, block = arm.robot, arm.robot.env.bodies["block_violet"]
    before = state_of(robot.env)

    def searched(*_, **__):
        raise AssertionError("a search for nothing")

    grasps = list(box_grasps(arm, block))[:3]
    far, low = (1, 0, 0, 0, 5, 5, 0.72), (1, 0, 0, 0, 0, 0.15, 0.6)
    monkeypatch.setattr(pyrave.Manipulator, "plan", searched)
    for first in (Pick(arm, block, grasps), Series(Pick(arm, block, grasps))):
        refused = solve(robot, first, Place(arm, block, [far, low]))
        assert refused.failure.stage == "place/lower"
        assert "with grasp 1 (from above), place 2 (at 0 0.15 0.6): the arm" in str(
            refused
        )
        assert "the pose has no IK" in refused.failure.rejections[0].reason
        assert "collides at the pose" in refused.failure.rejections[1].reason
        assert not refused.failure.out_of_time
        assert state_of(robot.env) == before


def test_a_region_gives_places_by_the_seed(arm):
    robot, env = arm.robot, arm.robot.env
    mug = env.bodies["mug"]
    table = np.eye(4)
    table[:3, 3] = 0.0, 0.15, 0.72
    bounds = [(-0.1, 0.1), (-0.02, 0.02), (0, 0), (0, 0), (0, 0), (-np.pi, np.pi)]
    region = TaskSpaceRegion(table, bounds)
    ends = []
    for seed in (1, 1, 2):
        task = solve(robot, Pick(arm, mug), Place(arm, mug, region), seed=seed)
        assert task, task.cause
        ends.append(task.choices)
    assert ends[0] == ends[1] != ends[2]
    assert robot.execute(task)
    assert abs(mug.transform[0, 3]) <= 0.1
    assert mug.transform[2, 3] == pytest.approx(0.72, abs=1e-7)


def test_a_region_without_size_is_a_place(arm):
    mug, goal = arm.robot.env.bodies["mug"], np.eye(4)
    goal[:3, 3] = GOAL[4:]
    region = TaskSpaceRegion(goal, [(0.0, 0.0)] * 6)
    task = solve(arm.robot, Pick(arm, mug), Place(arm, mug, region))
    assert arm.robot.execute(task)
    np.testing.assert_allclose(mug.transform, goal, atol=1e-9)
    goal[:3, 3] = 5.0
    grasp = next(box_grasps(arm, mug))
    region = TaskSpaceRegion(goal, [(0.0, 0.0)] * 6)
    refused = solve(arm.robot, Pick(arm, mug, [grasp]), Place(arm, mug, region))
    assert refused.failure.counts == {"place/lower": 1}


def test_causes_name_stage_grasp_and_reason(arm):
    env = arm.robot.env
    before = state_of(env)
    block = env.bodies["block_red"]
    stood = block.transform
    block.transform = [1, 0, 0, 0, 2, 2, 0.0]
    far = pick(arm, block)
    assert not far
    assert (
        "pick/approach fails with grasp 1 (from above): the pose has no IK" in far.cause
    )
    assert "the arm reaches 0.8 m" in far.cause
    with pytest.raises(StateError, match="no solution: pick/approach fails"):
        _ = far.trajectory
    block.transform = stood
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    pose[2, 3] = 0.1
    empty = pick(arm, block, [Grasp(invert_pose(pose))])
    assert "fails with grasp 1 (from above)" in empty.cause
    assert empty.failure.counts
    assert state_of(env) == before


def test_a_cause_says_that_the_hand_is_full(arm):
    env = arm.robot.env
    held = env.bodies["block_violet"]
    held.transform = arm.transform
    arm.robot.grab(held)
    mug = env.bodies["mug"]
    mug.transform = [1, 0, 0, 0, 2, 2, 0.0]
    full = pick(arm, mug)
    assert "fails with 'block_violet' still in the hand, grasp 1 (" in full.cause


def test_whatever_happens_everything_is_as_it_was(arm, monkeypatch):
    env = arm.robot.env
    mug, before = env.bodies["mug"], state_of(env)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "pyrave.manipulation.motion_stages.LetGo.solutions", interrupted
    )
    with pytest.raises(KeyboardInterrupt):
        solve(arm.robot, Pick(arm, mug), Place(arm, mug, GOAL))
    assert state_of(env) == before
    assert not pick(arm, mug, timeout=1e-6)
    assert state_of(env) == before


def test_wrong_input_is_told(arm):
    robot, env = arm.robot, arm.robot.env
    mug = env.bodies["mug"]
    with pytest.raises(ArgumentError, match=r"grasp is 3, expected a pyrave.grasping"):
        pick(arm, mug, [3])
    with pytest.raises(ArgumentError, match="grasp 1 has a preshape of 2 values, and"):
        pick(arm, mug, [Grasp(np.eye(4), [0.01, 0.01])])
    with pytest.raises(ArgumentError, match=r"grasp 1 has the preshape \[9.0\], exp"):
        pick(arm, mug, [Grasp(np.eye(4), [9.0])])
    mug.enabled = False
    assert "whose links are all disabled" in pick(arm, mug).cause
    mug.enabled = True
    with pytest.raises(ArgumentError, match="cannot take hold of itself"):
        pick(arm, robot)
    with pytest.raises(ArgumentError, match=r"approach\[0\]"):
        pick(arm, mug, approach=(0.2, 0.1))
    with pytest.raises(ArgumentError, match=r"approach is 0.1, expected metres"):
        pick(arm, mug, approach=0.1)
    with pytest.raises(ArgumentError, match="approach"):
        pick(arm, mug, approach=(0.1, [0.2, 0.3]))
    with pytest.raises(ArgumentError, match=r"lift"):
        pick(arm, mug, lift=(0, np.nan))
    with pytest.raises(StateError, match=r"does not hold .*mug.*; pick it"):
        place(arm, mug, GOAL)
    env.bodies["table"].grab(mug)
    with pytest.raises(StateError, match=r"holds .*mug.* already; release it"):
        pick(arm, mug)
    env.bodies["table"].release(mug)
    robot.grab(mug)
    with pytest.raises(ArgumentError, match="where"):
        place(arm, mug, "there")
    with pytest.raises(ArgumentError, match=r"where has shape \(3,\), expected"):
        place(arm, mug, [0.1, 0.2, 0.3])
    with pytest.raises(ArgumentError, match="where has no places"):
        place(arm, mug, [])
    with pytest.raises(ArgumentError, match="timeout"):
        place(arm, mug, GOAL, timeout=0)
    other = pyrave.load("robots/heron7.robot.xml").robots[0].active_manipulator
    with pytest.raises(StateError, match="is not in the environment of"):
        pick(other, mug)
    empty = env.create_body(
        pyrave.scene.BodyDescription(
            "empty", links=(pyrave.scene.LinkDescription("base"),)
        )
    )
    with pytest.raises(ArgumentError, match="has no geometry to touch"):
        pick(arm, empty)
    with pytest.raises(ArgumentError, match="there are no stages"):
        manipulation.solve(robot)


def most_tilted(task, body):
    """Return by how much a body tilts at most while a task is done, radians."""
    env, robot = body.env, body.env.robots["heron7"]
    with env.preserve_state():
        robot.controller.set_path(task.trajectory)
        up = []
        for _ in range(int(task.trajectory.duration / 0.01)):
            env.step(0.01)
            up.append(body.transform[2, 2])
    return np.arccos(np.clip(min(up), -1.0, 1.0))


def test_what_is_carried_stays_upright(arm):
    robot, mug = arm.robot, arm.robot.env.bodies["mug"]
    goal = np.array((1, 0, 0, 0, 0.2, 0.36, 0.72))
    tilts = []
    for constraints in ((), ToolDirection(angle=0.1)):
        place = Place(arm, mug, goal, constraints=constraints)
        task = solve(robot, Pick(arm, mug), place)
        assert task, task.cause
        assert verify(robot, task.trajectory) == ()
        tilts.append(most_tilted(task, mug))
    assert tilts[0] > 0.2
    assert tilts[1] <= 0.101


def test_constraints_are_of_the_free_motions(arm):
    mug = arm.robot.env.bodies["mug"]

    def never(_values):
        return False

    refused = pick(arm, mug, list(box_grasps(arm, mug))[:1], constraints=never)
    assert "move: the start is off a constraint: never" in refused.cause
    assert arm.robot.execute(pick(arm, mug))
    refused = place(arm, mug, GOAL, constraints=never)
    assert "transfer: the start is off a constraint: never" in refused.cause


def least_friction(arm, body, acceleration=0.0):
    """Return the friction with which the fingers just hold a body's weight."""
    finger = arm.gripper_indices[0]
    force = arm.robot.dof_torque_limits[finger]
    mass = sum(link.mass for link in body.links)
    return mass * (9.81 + acceleration) / force


@pytest.mark.parametrize("acceleration", [0.0, 3.0])
def test_fingers_have_to_hold_the_weight_where_friction_is_known(arm, acceleration):
    block = arm.robot.env.bodies["block_violet"]
    grasps = list(box_grasps(arm, block))[:1]
    least = least_friction(arm, block, acceleration)

    def picked(friction):
        return pick(
            arm, block, grasps, friction=friction, acceleration=acceleration, seed=1
        )

    firm = picked(1.01 * least)
    assert firm, firm.cause
    loose = picked(0.99 * least)
    assert loose.failure.stage == "pick/close"
    assert f"'block_violet': with friction {0.99 * least:g} the fingers" in loose.cause
    assert f"and they have {40:g} N" in loose.cause
    assert ("in any direction" in loose.cause) == (acceleration > 0.0)
    assert "the fingers do not hold" in picked(0.0).cause


def test_friction_is_that_of_the_environment(arm):
    env = arm.robot.env
    block = env.bodies["block_violet"]
    grasps = list(box_grasps(arm, block))[:1]
    least = least_friction(arm, block)
    for part, holds in ((0.99, False), (1.01, True)):
        env.contact_properties = ContactProperties(
            friction=(Friction("wood", "wood", part * least),), default_material="wood"
        )
        assert bool(pick(arm, block, grasps)) is holds
    # another material, of which nothing is known with the fingers'
    env.contact_properties = ContactProperties(
        friction=(Friction("wood", "steel", 0.0),), default_material="wood"
    )
    assert pick(arm, block, grasps)
    with pytest.raises(ArgumentError, match="friction is -1"):
        pick(arm, block, friction=-1)
    with pytest.raises(ArgumentError, match="acceleration is -1"):
        pick(arm, block, acceleration=-1)


def test_a_swinging_thing_is_held_nearer_to_its_centre(arm):
    bottle = arm.robot.env.bodies["bottle"]
    heights = []
    for acceleration in (0.0, 3.0):
        picked = pick(arm, bottle, friction=0.4, acceleration=acceleration)
        assert picked, picked.cause
        (held,) = (step for step in picked.steps if step.name == "approach")
        with arm.robot.preserve_state():
            held.apply(arm.robot)
            heights.append(arm.transform[2, 3])
    assert heights[1] <= heights[0]


def test_what_has_moved_since_is_told(arm):
    robot, env = arm.robot, arm.robot.env
    mug, brick = env.bodies["mug"], env.bodies["brick"]
    task = pick(arm, mug)
    pose = brick.transform
    brick.transform = pose @ pyrave.spatial.pose_from_rpy((0, 0, 0.1), (0.03, 0, 0))
    said = r"brick.* has moved since .* by 0.03 m and 0.1 rad: it was at \(.*\), and is"
    with pytest.raises(StateError, match=said):
        robot.execute(task)
    with pytest.raises(StateError, match="has moved since"):
        env.execute(task)
    assert robot.grabbed == ()
    brick.transform = pose
    brick.transform = pose @ pyrave.spatial.pose_from_rpy((0, 0, 0), (1e-3, 0, 0))
    with pytest.raises(StateError, match="has moved since"):
        robot.execute(task, body_tolerance=1e-4)
    env.remove(brick)
    with pytest.raises(StateError, match="'brick' was there when the motion was pla"):
        robot.execute(task)
    with pytest.raises(ArgumentError, match="body_tolerance is -1"):
        robot.execute(task, body_tolerance=-1)
    assert robot.execute(task, body_tolerance=None)
    assert robot.grabbed == (mug,)
    # what it holds goes with it, and the next task begins there
    assert robot.execute(place(arm, mug, GOAL))


def test_a_door_that_moved_is_told(arm):
    robot, env = arm.robot, arm.robot.env
    other = pyrave.load("robots/heron7.robot.xml").robots[0].description
    other = env.create_body(replace(other, name="other"))
    other.transform = [1, 0, 0, 0, 5.0, 0, 0]
    task = pick(arm, env.bodies["mug"])
    other.dof_values = [0.5, *other.dof_values[1:]]
    with pytest.raises(StateError, match=r"the joints of .*other.* have moved since"):
        robot.execute(task)


def test_a_robot_that_collides_says_so_at_once(arm, monkeypatch):
    env, mug = arm.robot.env, arm.robot.env.bodies["mug"]
    block = env.bodies["block_red"]
    block.transform = arm.robot.links["link4"].transform
    searches = []
    plan = pyrave.Manipulator.plan

    def counted(*arguments, **options):
        searches.append(arguments)
        return plan(*arguments, **options)

    monkeypatch.setattr(pyrave.Manipulator, "plan", counted)
    refused = pick(arm, mug)
    assert "move: the start collides: " in refused.cause
    assert "block_red" in refused.cause
    assert len(searches) == 1
    assert not refused.failure.out_of_time


def test_regions_are_asked_before_ways_are_looked_for(arm, monkeypatch):
    robot, block = arm.robot, arm.robot.env.bodies["block_violet"]

    def searched(*_, **__):
        raise AssertionError("a search for nothing")

    far = np.eye(4)
    far[:3, 3] = 5.0, 5.0, 0.72
    region = TaskSpaceRegion(far, [(-0.1, 0.1)] * 2 + [(0, 0)] * 4)
    grasps = list(box_grasps(arm, block))[:2]
    with monkeypatch.context() as patched:
        patched.setattr(pyrave.Manipulator, "plan", searched)
        refused = solve(robot, Pick(arm, block, grasps), Place(arm, block, region))
    assert refused.failure.stage == "place/lower"
    # a few of the places are in reach, and the first of these is taken
    wide = np.eye(4)
    wide[:3, 3] = 0.0, 0.15, 0.72
    region = TaskSpaceRegion(wide, [(-2.0, 2.0), (-0.05, 0.05)] + [(0, 0)] * 4)
    task = solve(robot, Pick(arm, block, grasps), Place(arm, block, region))
    assert task, task.cause
    assert int(task.choices[1].split()[1]) > 1
