"""State savers: parts of states, early and on other bodies."""

import pickle

import numpy as np
import pytest

import pyrave
from pyrave import Affine, ArgumentError, StateError, StateParts
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
    body_from_boxes,
)

Z = (0.0, 0.0, 1.0)


@pytest.fixture
def env():
    made = pyrave.Environment()
    links = tuple(LinkDescription(f"L{i}") for i in range(3))
    joints = tuple(
        JointDescription(
            f"J{i}",
            "hinge",
            f"L{i}",
            f"L{i + 1}",
            axes=(JointAxis(Z, lower=-2, upper=2),),
        )
        for i in range(2)
    )
    arms = tuple(
        ManipulatorDescription(name, "L0", end)
        for name, end in (("one", "L1"), ("two", "L2"))
    )
    made.create_body(RobotDescription("robot", links, joints, manipulators=arms))
    made.create_body(body_from_boxes("box", [(0, 0, 0, 1, 1, 1)]))
    return made


PARTS = {
    StateParts.TRANSFORMS: (
        lambda r: (r.transform.tolist(), r.dof_values.tolist()),
        lambda r: (
            setattr(r, "transform", (0, 1, 0, 0, 1, 2, 3)),
            setattr(r, "dof_values", (0.5, -0.5)),
        ),
    ),
    StateParts.ENABLED: (
        lambda r: [link.enabled for link in r.links],
        lambda r: setattr(r.links[1], "enabled", False),
    ),
    StateParts.VELOCITIES: (
        lambda r: (r.dof_velocities.tolist(), r.base_velocity.tolist()),
        lambda r: (
            setattr(r, "dof_velocities", (1, 2)),
            setattr(r, "base_velocity", (1, 2, 3, 4, 5, 6)),
        ),
    ),
    StateParts.RATE_LIMITS: (
        lambda r: [
            getattr(r.limits, name).tolist()
            for name in ("velocity", "acceleration", "jerk", "torque")
        ],
        lambda r: [
            setattr(r.limits, name, (7, 8))
            for name in ("velocity", "acceleration", "jerk", "torque")
        ],
    ),
    StateParts.WEIGHTS: (
        lambda r: r.dof_weights.tolist(),
        lambda r: setattr(r, "dof_weights", (7, 8)),
    ),
    StateParts.LIMITS: (
        lambda r: (r.dof_limits[0].tolist(), r.active.affine_limits),
        lambda r: (
            setattr(r, "dof_limits", ((-1, -1), (1, 1))),
            r.active.set_affine_limits(Affine.X, lower=-5),
        ),
    ),
    StateParts.RESOLUTIONS: (
        lambda r: r.dof_resolutions.tolist(),
        lambda r: setattr(r, "dof_resolutions", (7, 8)),
    ),
    StateParts.ACTIVE_DOFS: (
        lambda r: (
            r.active_dof_indices.tolist(),
            r.active.affine,
            r.active.affine_rotation_axis.tolist(),
        ),
        lambda r: r.set_active_dofs([1], Affine.ROTATION_AXIS, (1, 0, 0)),
    ),
    StateParts.ACTIVE_MANIPULATOR: (
        lambda r: r.active_manipulator.name,
        lambda r: setattr(r, "active_manipulator", "two"),
    ),
    StateParts.GRABBED: (
        lambda r: [body.name for body in r.grabbed],
        lambda r: r.grab("box"),
    ),
    StateParts.TOOLS: (
        lambda r: [arm.local_tool_transform.tolist() for arm in r.manipulators],
        lambda r: [
            setattr(arm, "local_tool_transform", Pose.from_translation(1, 0, 0))
            for arm in r.manipulators
        ],
    ),
}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_only_what_is_asked_for_is_restored(env, part):
    robot = env.robots["robot"]
    before = {name: look(robot) for name, (look, _) in PARTS.items()}
    with robot.preserve_state(part) as saver:
        assert saver.parts == part
        for _, change in PARTS.values():
            change(robot)
        changed = {name: look(robot) for name, (look, _) in PARTS.items()}
    for name, (look, _) in PARTS.items():
        assert changed[name] != before[name]
        assert look(robot) == (before if name == part else changed)[name], name


@pytest.mark.parametrize(
    "change",
    [
        lambda body: setattr(body, "transform", (1, 0, 0, 0, 1, 2, 3)),
        lambda body: setattr(body, "dof_values", (0.5, -0.5)),
        lambda body: setattr(body, "dof_velocities", (1, 2)),
        lambda body: setattr(body, "base_velocity", (1, 2, 3, 4, 5, 6)),
        lambda body: setattr(body, "enabled", False),
        lambda body: setattr(body.links[1], "enabled", False),
        lambda body: setattr(body, "dof_limits", ((-1, -1), (1, 1))),
        lambda body: setattr(body, "dof_resolutions", (7, 8)),
        lambda body: body.grab("box", body.links[2]),
        lambda body: body.take_motion(np.eye(4), np.ones(2), np.ones(6), np.ones(2)),
    ],
)
def test_any_change_of_a_plain_body_is_seen_and_undone(env, change):
    described = env.robots["robot"].description
    body = env.create_body(BodyDescription("plain", described.links, described.joints))

    def state():
        return pickle.dumps((body.get_state(), body.grabbed == ()))

    before = state()
    with body.preserve_state(StateParts.ALL & ~StateParts.REST):
        change(body)
        assert state() != before
    assert state() == before


def test_all_parts_are_all(env):
    robot = env.robots["robot"]
    before = {name: look(robot) for name, (look, _) in PARTS.items()}
    total = StateParts.REST | StateParts.ACTIVE_TOOL
    for part in PARTS:
        total |= part
    assert total == StateParts.ALL

    def spoil():
        with robot.preserve_state():
            for _, change in PARTS.values():
                change(robot)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        spoil()
    assert {name: look(robot) for name, (look, _) in PARTS.items()} == before


def test_the_tool_of_the_active_manipulator_alone(env):
    robot = env.robots["robot"]
    for active, expected in ((None, [0, 1]), ("two", [1, 0])):
        robot.active_manipulator = active
        with robot.preserve_state(StateParts.ACTIVE_TOOL):
            for arm in robot.manipulators:
                arm.local_tool_transform = Pose.from_translation(1, 0, 0)
        found = [arm.local_tool_transform[0, 3] for arm in robot.manipulators]
        assert found == expected
        for arm in robot.manipulators:
            arm.local_tool_transform = np.eye(4)


def test_bits_are_openraves():
    assert [int(part) for part in PARTS] == [
        1, 2, 4, 8, 0x10, 0x20, 0x40, 0x10000, 0x20000, 0x40000, 0x100000,
    ]  # fmt: skip
    assert StateParts.ACTIVE_TOOL == 0x80000


def test_restored_early_released_or_on_a_clone(env):
    robot = env.robots["robot"]
    robot.dof_values = (0.1, 0.2)
    with robot.preserve_state() as saver:
        robot.dof_values = (1, 1)
        saver.restore()
        assert robot.dof_values.tolist() == [0.1, 0.2]
        other = env.clone()
        twin = other.robots["robot"]
        twin.dof_values = (0.7, 0.7)
        twin.dof_weights = (4, 4)
        saver.restore(twin)
        assert twin.dof_values.tolist() == [0.1, 0.2]
        assert twin.dof_weights.tolist() == [1, 1]
        robot.dof_values = (-1, -1)
        saver.release()
        assert saver.body is None
    assert robot.dof_values.tolist() == [-1, -1]
    with pytest.raises(StateError, match="was released"):
        saver.restore()
    saver.restore(robot)
    assert robot.dof_values.tolist() == [0.1, 0.2]
    with pytest.raises(ArgumentError, match=r"2 joint values, .*'box'> has 0"):
        saver.restore(env.bodies["box"])
    with pytest.raises(ArgumentError, match="unknown bits"):
        robot.preserve_state(0x200)


def test_parts_of_all_bodies(env):
    robot, box = env.robots["robot"], env.bodies["box"]
    with env.preserve_state(StateParts.TRANSFORMS):
        robot.dof_values = (1, 1)
        robot.dof_weights = (4, 4)
        box.transform = (1, 0, 0, 0, 5, 5, 5)
        box.enabled = False
        env.step(0.01)
    assert robot.dof_values.tolist() == [0, 0]
    assert robot.dof_weights.tolist() == [4, 4]
    assert box.transform[0, 3] == 0
    assert not box.enabled
    assert env.simulation_time == 0


def test_what_is_as_it_was_is_left_alone(env):
    robot, box = env.robots["robot"], env.bodies["box"]
    robot.dof_weights = (3, 3)
    robot.grab(box)
    every = StateParts.ALL & ~StateParts.REST
    seen = []
    version = env.world.version
    with robot.register_change_callback(seen.append):
        with env.preserve_state(every):
            pass
        assert not seen
        assert env.world.version == version
    for _, change in PARTS.values():
        with robot.preserve_state(every):
            before = {name: look(robot) for name, (look, _) in PARTS.items()}
            change(robot)
        assert {name: look(robot) for name, (look, _) in PARTS.items()} == before


def test_a_manipulator_that_is_gone_is_not_active_after_restoring(env):
    robot = env.robots["robot"]
    robot.active_manipulator = "two"
    with robot.preserve_state():
        robot.remove_manipulator("two")
    assert robot.active_manipulator.name == "one"


def test_states_pickle(env):
    state = env.robots["robot"].get_state()
    again = pickle.loads(pickle.dumps(state))  # noqa: S301 - our own pickle
    assert again.robot == state.robot


def test_what_a_class_adds_is_saved_whatever_was_saved_before():
    class Lamp(pyrave.KinBody):
        level = 1

        def get_own_state(self):
            return self.level

        def set_own_state(self, state):
            self.level = state

    env = pyrave.Environment()
    lamp = Lamp(env)
    lamp.init(body_from_boxes("lamp", [(0, 0, 0, 1, 1, 1)]))
    env.add(lamp)
    with lamp.preserve_state(StateParts.TRANSFORMS):
        lamp.level = 2
    assert lamp.level == 2
    with lamp.preserve_state():
        lamp.level = 3
    assert lamp.level == 2
