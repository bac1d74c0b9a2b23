"""Parallel devices: legs and junctions, and how their loops stay closed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.errors import ArgumentError, NotSupportedError, SceneError
from pyrave.scene import same
from pyrave.spatial import matrix_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.spatial import Array

BASE, PLATFORM, UPPER, LOWER = 0.5, 0.15, 0.35, 0.4
ANGLES = [math.radians(angle) for angle in (90.0, 210.0, 330.0)]


def transform(pose: Array) -> str:
    numbers = " ".join(repr(float(number)) for number in pose[:3].ravel())
    return f"<Transform>{numbers}</Transform>"


def moved(x: float, y: float, angle: float = 0.0, z: float = 0.0) -> Array:
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle((0.0, 0.0, 1.0), angle)
    pose[:3, 3] = x, y, z
    return pose


def planar(home: str = "", junction: str = "") -> str:
    """Return a platform on three legs of three joints each, the first is a motor."""
    legs = ""
    for i, angle in enumerate(ANGLES):
        foot = moved(BASE * math.cos(angle), BASE * math.sin(angle))
        hip = moved(-PLATFORM * math.cos(angle), -PLATFORM * math.sin(angle))
        legs += f"""
  <Frame name="Foot{i}" refframe="Base">{transform(foot)}</Frame>
  <SerialChain name="Leg{i}">
    <Joint name="Motor" type="Revolute">{transform(np.eye(4))}
      <PosLimit min="-360" max="360"/></Joint>
    <Joint name="Knee" type="Revolute" state="Passive">{transform(moved(UPPER, 0))}
    </Joint>
    <Joint name="Hip" type="Revolute" state="Passive">{transform(moved(LOWER, 0))}
    </Joint>
  </SerialChain>
  <Frame name="End{i}">{transform(hip)}</Frame>"""
    q = f'<Q name="Home">{home}</Q>' if home else ""
    return f"""<WorkCell name="cell"><ParallelDevice name="P">
  <Frame name="Base"/>{legs}{junction}{q}</ParallelDevice></WorkCell>"""


def motors(x: float, y: float, turn: float) -> list[float]:
    """Return where the motors are for a pose of the platform: two links each."""
    found = []
    for angle in ANGLES:
        dx = x + PLATFORM * math.cos(angle + turn) - BASE * math.cos(angle)
        dy = y + PLATFORM * math.sin(angle + turn) - BASE * math.sin(angle)
        square = dx * dx + dy * dy
        cosine = (square + UPPER**2 - LOWER**2) / (2 * math.sqrt(square) * UPPER)
        found.append(math.atan2(dy, dx) + math.acos(cosine))
    return found


def loaded(text: str) -> pyrave.Environment:
    env = pyrave.Environment()
    env.load_string(text, strict=True)
    return env


@pytest.fixture
def robot() -> pyrave.bodies.Robot:
    home = " ".join(map(repr, motors(0.0, 0.0, 0.0)))
    return loaded(planar(home)).robots["P"]


def poses() -> Iterator[tuple[float, float, float]]:
    rng = np.random.default_rng(5)
    for _ in range(12):
        x, y = rng.uniform(-0.1, 0.1, 2)
        yield float(x), float(y), float(rng.uniform(-0.3, 0.3))


def test_the_platform_goes_where_the_motors_take_it(robot):
    arm = robot.manipulators["End0"]
    assert arm.arm_indices.tolist() == [0, 1, 2]
    np.testing.assert_allclose(arm.transform, np.eye(4), atol=1e-9)
    for x, y, turn in poses():
        wanted = np.array(motors(x, y, turn))
        present = robot.dof_values
        robot.dof_values = (
            present + np.remainder(wanted - present + math.pi, 2 * math.pi) - math.pi
        )
        np.testing.assert_allclose(arm.transform, moved(x, y, turn), atol=1e-9)
        ends = [robot.frames[f"End{i}"].transform for i in range(3)]
        np.testing.assert_allclose(ends, [arm.transform] * 3, atol=1e-9)


def test_the_jacobian_is_the_inverse_of_that_of_the_motors(robot):
    arm = robot.manipulators["End0"]
    h = 1e-6
    for x, y, turn in poses():
        robot.dof_values = motors(x, y, turn)
        columns = []
        for step in np.eye(3) * h:
            near, far = (
                np.array(motors(*(np.array((x, y, turn)) + sign * step)))
                for sign in (-1.0, 1.0)
            )
            columns.append((far - near) / (2 * h))
        wanted = np.linalg.inv(np.array(columns).T)
        np.testing.assert_allclose(arm.jacobian()[[0, 1, 5]], wanted, atol=1e-6)
        np.testing.assert_allclose(arm.jacobian()[[2, 3, 4]], 0.0, atol=1e-9)


def test_inverse_kinematics_is_refused_and_jacobians_lead_there(robot):
    arm = robot.manipulators["End0"]
    with pytest.raises(NotSupportedError, match="keeps a loop closed"):
        arm.solve_ik(arm.transform)
    goal = np.array((0.05, 0.02, 0.1))
    for _ in range(6):
        pose = arm.transform
        turn = math.atan2(pose[1, 0], pose[0, 0])
        way = goal - (pose[0, 3], pose[1, 3], turn)
        step = np.linalg.solve(arm.jacobian()[[0, 1, 5]], way)
        robot.dof_values = robot.dof_values + step
    np.testing.assert_allclose(arm.transform, moved(*goal), atol=1e-9)


def test_out_of_reach_is_an_error_and_nothing_moves(robot):
    before = robot.joint_values
    with pytest.raises(ArgumentError, match="the loops of 'P'"):
        # two legs stretched outwards: the third is too short
        robot.dof_values = ANGLES
    np.testing.assert_array_equal(robot.joint_values, before)


def test_bodies_in_a_tool_frame_stand_where_the_loops_put_them():
    home = " ".join(map(repr, motors(0.05, 0.1, 0.2)))
    part = """<Frame name="F"/><Frame name="Part" refframe="P.End2" type="Movable">
      <Drawable name="d"><Box x="0.1" y="0.1" z="0.1"/></Drawable></Frame></WorkCell>"""
    env = loaded(planar(home).replace("</WorkCell>", part))
    np.testing.assert_allclose(
        env.bodies["Part"].transform, moved(0.05, 0.1, 0.2), atol=1e-9
    )
    env.robots["P"].dof_values = motors(0.0, 0.0, 0.0)
    np.testing.assert_allclose(env.bodies["Part"].transform, np.eye(4), atol=1e-9)


def test_junctions_say_which_legs_meet():
    """The third leg stands on the end of the first, and meets the second."""
    chains = """<Junction><Chains>Leg0</Chains><Chains>Leg1</Chains></Junction>
      <Junction><Chains>Leg2</Chains><Chains>Leg1</Chains></Junction>"""
    home = " ".join(map(repr, motors(0.0, 0.0, 0.0)))
    one = loaded(planar(home, chains)).robots["P"]
    other = loaded(planar(home)).robots["P"]
    closing = [joint for joint in one.all_joints if joint.description.closes_loop]
    assert [(j.parent_link.name, j.child_link.name) for j in closing] == [
        ("Leg0.Hip", "Leg1.Hip"),
        ("Leg2.Hip", "Leg1.Hip"),
    ]
    q = motors(0.03, 0.05, -0.1)
    one.dof_values = other.dof_values = q
    np.testing.assert_allclose(one.link_transforms, other.link_transforms, atol=1e-9)


def test_a_platform_on_six_legs():
    """Universal, prismatic and spherical joints: lengths of legs by their ends."""
    rng = np.random.default_rng(2)
    feet, hips = [], []
    for i in range(6):
        angle = math.radians(60.0 * i)
        spread = math.radians(15.0 if i % 2 else -15.0)
        feet.append((math.cos(angle + spread), math.sin(angle + spread), 0.0))
        hips.append((0.6 * math.cos(angle - spread), 0.6 * math.sin(angle - spread), 0))
    home = np.array((0.0, 0.0, 1.2))
    legs, start = "", []
    for i, (foot, hip) in enumerate(zip(np.array(feet), np.array(hips), strict=True)):
        way = home + hip - foot
        length = float(np.linalg.norm(way))
        start.append(length)
        z = way / length
        x = np.cross((0.0, 1.0, 0.0), z)
        x /= np.linalg.norm(x)
        stand = np.eye(4)
        stand[:3, :3] = np.column_stack((x, np.cross(z, x), z))
        stand[:3, 3] = foot
        upright = np.eye(4)
        upright[:3, :3] = stand[:3, :3].T
        end = np.eye(4)
        end[:3, 3] = -hip
        legs += f"""
  <Frame name="Foot{i}" refframe="Base">{transform(stand)}</Frame>
  <SerialChain name="Leg{i}">
    <Joint name="Cardan" type="Universal" state="Passive">{transform(np.eye(4))}</Joint>
    <Joint name="Motor" type="Prismatic">{transform(np.eye(4))}</Joint>
    <Joint name="Ball" type="Spherical" state="Passive">{transform(upright)}</Joint>
  </SerialChain>
  <Frame name="End{i}">{transform(end)}</Frame>"""
    q = " ".join(map(repr, start))
    env = loaded(
        f'<WorkCell name="c"><ParallelDevice name="H"><Frame name="Base"/>{legs}'
        f'<Q name="Home">{q}</Q></ParallelDevice></WorkCell>'
    )
    robot = env.robots["H"]
    arm = robot.manipulators["End0"]
    assert robot.dof == 6
    np.testing.assert_allclose(arm.transform[:3, 3], home, atol=1e-9)
    h = 1e-6
    for _ in range(5):
        pose = np.eye(4)
        axis, place = rng.normal(size=3), home + rng.uniform(-0.2, 0.2, 3)
        pose[:3, :3] = matrix_from_axis_angle(axis, float(rng.uniform(-0.3, 0.3)))
        pose[:3, 3] = place

        def lengths(pose):
            tops = np.array(hips) @ pose[:3, :3].T + pose[:3, 3]
            return np.linalg.norm(tops - feet, axis=1)

        robot.dof_values = lengths(pose)
        np.testing.assert_allclose(arm.transform, pose, atol=1e-8)
        rows = []
        for i in range(6):
            ends = []
            for sign in (1.0, -1.0):
                other = pose.copy()
                if i < 3:
                    other[i, 3] += sign * h
                else:
                    turn = matrix_from_axis_angle(np.eye(3)[i - 3], sign * h)
                    other[:3, :3] = turn @ pose[:3, :3]
                ends.append(lengths(other))
            rows.append((ends[0] - ends[1]) / (2 * h))
        wanted = np.linalg.inv(np.array(rows).T)
        np.testing.assert_allclose(arm.jacobian(), wanted, atol=1e-5)
    copy = env.clone().robots["H"]
    np.testing.assert_array_equal(copy.joint_values, robot.joint_values)


@pytest.mark.parametrize("suffix", ["env.xml", "dae"])
def test_other_formats_keep_the_loops(robot, suffix, tmp_path):
    robot.dof_values = motors(0.05, 0.02, 0.1)
    file = tmp_path / f"cell.{suffix}"
    robot.env.save(file)
    copy = pyrave.load(file).robots["P"]
    assert same(copy.describe(), robot.describe())
    np.testing.assert_allclose(copy.joint_values, robot.joint_values, atol=1e-12)
    q = motors(0.0, 0.05, 0.0)
    copy.dof_values = robot.dof_values = q
    np.testing.assert_allclose(copy.link_transforms, robot.link_transforms, atol=1e-9)


def test_it_starts_at_the_nearest_limits_without_a_home():
    """A rod of 0.5 m ties a slider to a crank of 0.3 m, 1 m ahead of the slider's 0."""
    text = scene_beside(__file__, "slider_crank.wc.xml")
    robot = loaded(text).robots["P"]
    for slide in (0.3, 0.6):
        if slide != 0.3:
            robot.dof_values = [slide]
        np.testing.assert_allclose(robot.dof_values, [slide], atol=1e-12)
        end = robot.manipulators[0].transform[:3, 3]
        assert np.linalg.norm(end - (slide, 0, 0)) == pytest.approx(0.5)
        assert np.linalg.norm(end - (1, 0, 0)) == pytest.approx(0.3)
        assert end[1] > 0.05
    assert codes(text.replace('0.3" max', '-0.3" max')) == ["loop-not-closed"]


def codes(text: str) -> list[str]:
    env = pyrave.Environment()
    env.load_string(text)
    return [problem.code for problem in env.problems]


def test_what_is_wrong_with_loops():
    home = " ".join(map(repr, ANGLES))
    with pytest.raises(SceneError, match="do not close where it starts") as caught:
        codes(planar(home))
    assert caught.value.problems[0].code == "loop-not-closed"
    chains = "<Junction><Chains>Leg0</Chains><Chains>Leg7</Chains></Junction>"
    with pytest.raises(SceneError, match="no leg 'Leg7'"):
        codes(planar("", chains))
    # nothing can close it
    text = planar(" ".join(["0"] * 9)).replace(' state="Passive"', "")
    assert codes(text) == ["loop-not-closed"]
    one = '<ParallelDevice name="P"><Frame name="B"/></ParallelDevice>'
    assert codes(one) == ["no-loop"]
