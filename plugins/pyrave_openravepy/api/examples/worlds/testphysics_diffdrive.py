"""Wheels that drive a robot over the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]

_WHEEL = """<body name="{0}_wheel" type="dynamic">
  <offsetfrom>chassis</offsetfrom><translation>0 {1} 0</translation>
  <mass type="custom"><total>0.8</total>
    <inertia>0.0012 0 0 0 0.0023 0 0 0 0.0012</inertia></mass>
  <geom type="cylinder"><radius>0.075</radius><height>0.03</height></geom>
</body>
<joint name="{0}" type="hinge" circular="true">
  <body>chassis</body><body>{0}_wheel</body><offsetfrom>{0}_wheel</offsetfrom>
  <axis>0 1 0</axis><maxvel>20</maxvel><maxaccel>30</maxaccel><maxtorque>6</maxtorque>
</joint>"""
# nearly all of the weight is on the wheels, and a skid behind them carries the rest
_SCENE = f"""<environment>
<robot name="cart"><kinbody>
  <translation>0 0 0.076</translation>
  <body name="chassis" type="dynamic">
    <mass type="custom"><total>5</total><com>-0.01 0 0</com>
      <inertia>0.03 0 0 0 0.05 0 0 0 0.06</inertia></mass>
    <geom type="box"><extents>0.15 0.15 0.02</extents></geom>
    <geom type="sphere"><radius>0.03</radius>
      <translation>-0.14 0 -0.045</translation></geom>
  </body>
  {_WHEEL.format("left", 0.2)}
  {_WHEEL.format("right", -0.2)}
</kinbody></robot>
<kinbody name="floor"><body name="floor" type="static"><geom type="box">
  <extents>5 5 0.1</extents><translation>0 0 -0.1</translation>
</geom></body></kinbody>
</environment>"""
_RADIUS, _TRACK = 0.075, 0.4
"""Metres of a wheel, and between the wheels."""


def run(args: Sequence[str] | None = None) -> None:
    """Drive straight, then turn on the spot, by friction alone."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, robot):
        engine = api().RaveCreatePhysicsEngine(env, "ode")
        expect(engine is not None, "there is no physics engine: pyrave[physics]")
        env.SetPhysicsEngine(engine)
        engine.SetGravity(np.array((0.0, 0.0, -9.81)))
        controller = api().RaveCreateController(env, "odevelocity")
        robot.SetController(controller, list(range(robot.GetDOF())), 0)
        way, _ = _drive(env, robot, controller, (4.0, 4.0))
        tell(f"both wheels forward: {way:+.2f} m in 1 s")
        expect(0.8 < way / (4.0 * _RADIUS) < 1.05, "expected 0.3 m")
        way, turn = _drive(env, robot, controller, (-4.0, 4.0))
        tell(f"wheels against each other: turned by {turn:+.2f} rad, moved {way:+.2f}")
        expect(0.7 < turn / (8.0 * _RADIUS / _TRACK) < 1.1, "expected 1.5 rad")


def _drive(env: Any, robot: Any, controller: Any, speeds: Any) -> tuple[float, float]:
    """Return metres along the robot's front and radians after a second."""
    before = robot.GetTransform()
    controller.SendCommand(f"setvelocity {speeds[0]} {speeds[1]}")
    for _ in range(100):
        env.StepSimulation(0.01)
    moved = np.linalg.inv(before) @ robot.GetTransform()
    return float(moved[0, 3]), float(np.arctan2(moved[1, 0], moved[0, 0]))
