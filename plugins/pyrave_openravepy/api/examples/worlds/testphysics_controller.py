"""Joints that are driven by their velocities under gravity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]

_SCENE = """<environment>
<robot name="heron7" file="robots/heron7.robot.xml"/>
</environment>"""


def run(args: Sequence[str] | None = None) -> None:
    """Turn joints at given speeds; the engine moves them."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, robot):
        engine = api().RaveCreatePhysicsEngine(env, "ode")
        expect(engine is not None, "there is no physics engine: pyrave[physics]")
        env.SetPhysicsEngine(engine)
        engine.SetGravity(np.array((0.0, 0.0, -9.81)))
        controller = api().RaveCreateController(env, "odevelocity")
        robot.SetController(controller, list(range(robot.GetDOF())), 0)
        start = robot.GetDOFValues()
        speeds = np.zeros(robot.GetDOF())
        speeds[:4] = 0.4, -0.3, 0.2, 0.5
        said = controller.SendCommand(
            "setvelocity " + " ".join(map(str, speeds.tolist()))
        )
        expect(said is not None, "the controller knows no setvelocity")
        for _ in range(100):
            env.StepSimulation(0.01)
        moved = robot.GetDOFValues() - start
        tell(f"after 1 s the joints have moved by {np.round(moved[:4], 2)}")
        expect(abs(moved - speeds).max() < 0.1, f"expected {speeds[:4]}")
        now = robot.GetDOFVelocities()
        tell(f"they move at {np.round(now[:4], 2)}")
        expect(abs(now - speeds).max() < 0.05, f"expected {speeds[:4]}")
