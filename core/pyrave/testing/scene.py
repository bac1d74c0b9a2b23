"""The small world in which interfaces are tested."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.errors import Problem

ARM, BOX, BALL = "kit_arm", "kit_box", "kit_ball"

KIT_SCENE = """\
<environment>
  <robot name="kit_arm">
    <kinbody>
      <body name="base" type="dynamic">
        <mass type="custom"><total>5</total></mass>
        <geom type="box"><extents>0.15 0.15 0.1</extents></geom>
      </body>
      <body name="upper" type="dynamic">
        <offsetfrom>base</offsetfrom><translation>0 0 0.1</translation>
        <mass type="custom"><total>2</total><com>0 0 0.2</com></mass>
        <geom type="box">
          <translation>0 0 0.2</translation><extents>0.04 0.04 0.15</extents>
        </geom>
      </body>
      <body name="fore" type="dynamic">
        <offsetfrom>upper</offsetfrom><translation>0 0 0.4</translation>
        <mass type="custom"><total>1</total><com>0 0 0.15</com></mass>
        <geom type="box">
          <translation>0 0 0.15</translation><extents>0.03 0.03 0.1</extents>
        </geom>
      </body>
      <body name="hand" type="dynamic">
        <offsetfrom>fore</offsetfrom><translation>0 0 0.3</translation>
        <mass type="custom"><total>0.5</total></mass>
        <geom type="box"><extents>0.02 0.05 0.02</extents></geom>
      </body>
      <joint name="turn" type="hinge">
        <body>base</body><body>upper</body><offsetfrom>upper</offsetfrom>
        <axis>0 0 1</axis><limitsdeg>-150 150</limitsdeg>
        <maxvel>2</maxvel><maxaccel>10</maxaccel>
      </joint>
      <joint name="bend" type="hinge">
        <body>upper</body><body>fore</body><offsetfrom>fore</offsetfrom>
        <axis>0 1 0</axis><limitsdeg>-100 100</limitsdeg>
        <maxvel>2</maxvel><maxaccel>10</maxaccel>
      </joint>
      <joint name="reach" type="slider">
        <body>fore</body><body>hand</body><offsetfrom>hand</offsetfrom>
        <axis>0 0 1</axis><limits>-0.1 0.25</limits>
        <maxvel>0.5</maxvel><maxaccel>3</maxaccel>
      </joint>
    </kinbody>
    <manipulator name="arm">
      <base>base</base><effector>hand</effector>
      <translation>0 0 0.05</translation>
    </manipulator>
  </robot>
  <kinbody name="kit_box">
    <translation>2 0 0.5</translation>
    <body name="base" type="dynamic">
      <mass type="custom"><total>1</total></mass>
      <geom type="box"><extents>0.5 0.5 0.5</extents></geom>
    </body>
  </kinbody>
  <kinbody name="kit_ball">
    <translation>0 3 0.5</translation>
    <body name="base" type="dynamic">
      <mass type="custom"><total>1</total></mass>
      <geom type="sphere"><radius>0.5</radius></geom>
    </body>
  </kinbody>
</environment>
"""
"""A robot ``kit_arm`` (hinges ``turn`` and ``bend``, slider ``reach``, manipulator
``arm``) at the origin, a box of 1 m ``kit_box`` at x = 2 m and a ball of 0.5 m radius
``kit_ball`` at y = 3 m."""


def kit_environment() -> Environment:
    """Return a new environment with `KIT_SCENE` loaded."""
    from pyrave.environment import Environment

    env = Environment()
    env.load_string(KIT_SCENE, strict=True)
    return env


def state_of_world(env: Environment) -> dict[str, Any]:
    """Return the poses and states of all bodies, for comparison."""
    return {
        body.name: (
            body.link_transforms,
            body.dof_values,
            body.dynamics.link_velocities,
        )
        for body in env.bodies
    }


def goes_away(env: Environment, name: str, steps: int = 0) -> bool:
    """Remove a body that nobody holds; return whether it is gone after some steps."""
    body = env.bodies[name]
    reference = weakref.ref(body)
    env.remove(body)
    del body
    for _ in range(steps):
        env.step(0.05)
    gc.collect()
    return reference() is None


def failures(env: Environment) -> list[Problem]:
    """Return the failures of objects in the environment; hooks are not counted."""
    return [
        problem
        for problem in env.problems
        if problem.code == "plugin-failure"
        and " is out of use: " not in problem.message
    ]
