"""Joints outside of devices, free frames in devices, joints that follow from afar."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave

BOX = '<Drawable name="d"><Box x="0.1" y="0.1" z="0.1"/></Drawable>'
AT = "<RPY>0 0 0</RPY><Pos>{}</Pos>"
ARM = f"""<SerialDevice name="Arm">
  <Frame name="Base">{BOX}</Frame>
  <Joint name="Turn" type="Revolute">{AT.format("0 0 0.5")}
    <PosLimit min="-180" max="180"/></Joint>
  {{}}<Frame name="TCP">{AT.format("0 0 0.1")}</Frame>
  <Q name="Home">{{}}</Q>
</SerialDevice>"""


def loaded(inside: str) -> tuple[pyrave.Environment, list[str]]:
    env = pyrave.Environment()
    env.load_string(f'<WorkCell name="cell">{inside}</WorkCell>')
    return env, [problem.code for problem in env.problems]


def test_joints_outside_of_devices_are_bodies_that_move():
    door = f"""<Frame name="Wall">{AT.format("1 0 0")}</Frame>
      <Frame name="Door" refframe="Wall" type="Revolute">{AT.format("0 0 1")}{BOX}
        <PosLimit min="-90" max="45"/></Frame>
      <Frame name="Knob" refframe="Door">{AT.format("0.5 0 0")}{BOX}</Frame>
      <Frame name="Bolt" refframe="Knob" type="Prismatic">{AT.format("0 0.1 0")}</Frame>
      <Frame name="Tip" refframe="Bolt">{AT.format("0 0 0.2")}</Frame>"""
    env, codes = loaded(door)
    assert not codes
    (body,) = env.bodies
    assert (body.name, body.dof) == ("Door", 2)
    assert [joint.name for joint in body.joints] == ["Door", "Bolt"]
    assert [link.name for link in body.links] == ["base", "Door", "Knob", "Bolt"]
    np.testing.assert_allclose(body.dof_limits[0], [-math.pi / 2, -np.inf])
    assert body.links["base"].static
    body.dof_values = [-math.pi / 2, 0.05]
    tip = body.frames["Tip"].transform[:3, 3]
    np.testing.assert_allclose(tip, [1.1, -0.5, 1.25], atol=1e-12)


def test_a_joint_on_a_robot_is_held_by_it():
    lid = f"""<Frame name="Lid" refframe="Arm.TCP" type="Revolute">
      {AT.format("0.2 0 0")}{BOX}</Frame>"""
    env, codes = loaded(f'<Frame name="F"/>{ARM.format("", "0.3")}{lid}')
    assert not codes
    arm, body = env.robots["Arm"], env.bodies["Lid"]
    assert arm.grabbed == (body,)
    arm.dof_values = [math.pi / 2]
    body.dof_values = [0.4]
    np.testing.assert_allclose(
        body.links["Lid"].transform[:3, 3], [0.0, 0.2, 0.6], atol=1e-12
    )


def test_free_frames_in_devices_are_bodies_that_it_holds():
    tray = f'<Frame name="Tray" type="Movable">{AT.format("0 0 0.3")}{BOX}</Frame>'
    tree = f"""<TreeDevice name="Arm"><Frame name="Base">{BOX}</Frame>
      <Joint name="Turn" type="Revolute">{AT.format("0 0 0.5")}</Joint>
      <Frame name="TCP" refframe="Turn" type="EndEffector"/>
      <Frame name="Tray" refframe="Turn" type="Movable">{AT.format("0.2 0 0")}{BOX}
      </Frame></TreeDevice>"""
    env, codes = loaded(tree)
    assert not codes
    arm, body = env.robots["Arm"], env.bodies["Arm.Tray"]
    assert arm.grabbed == (body,)
    arm.dof_values = [math.pi / 2]
    np.testing.assert_allclose(body.transform[:3, 3], [0, 0.2, 0.5], atol=1e-12)
    arm.release(body)
    body.transform = np.eye(4)
    # in a serial device the end stands on it
    env, codes = loaded(ARM.format(tray, "0"))
    assert codes == ["fixed-frame"]
    assert [body.name for body in env.bodies] == ["Arm"]


@pytest.mark.parametrize("home", [0.0, 0.3])
def test_a_joint_that_follows_one_of_another_device_stays(home):
    hand = f"""<SerialDevice name="Arm.Hand"><Frame name="Palm">{BOX}</Frame>
      <Joint name="Finger" type="Prismatic">{AT.format("0 0 0")}
        <Depend on="Turn" gain="0.5" offset="0.1"/>{BOX}</Joint></SerialDevice>"""
    env, codes = loaded(f"{ARM.format('', home)}<Frame name='F'/>{hand}")
    assert codes[-1] == "foreign-owner"
    (joint,) = env.bodies["Arm.Hand"].passive_joints
    assert joint.values == pytest.approx([0.1 + 0.5 * home])
    height = env.bodies["Arm.Hand"].links["Finger"].transform[2, 3]
    assert height == pytest.approx(0.1 + 0.5 * home)
    env.robots["Arm"].dof_values = [1.0]
    joint.values = (0.2,)
    assert env.bodies["Arm.Hand"].links["Finger"].transform[2, 3] == pytest.approx(0.2)
