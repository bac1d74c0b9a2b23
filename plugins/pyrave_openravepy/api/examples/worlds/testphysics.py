"""Things that fall onto the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]

_STEP = 0.01


def run(args: Sequence[str] | None = None) -> None:
    """Let blocks fall; the first moments are those of Galileo."""
    with scene(args, __doc__ or "") as (env, robot):
        env.Remove(robot)
        engine = api().RaveCreatePhysicsEngine(env, "ode")
        expect(engine is not None, "there is no physics engine: pyrave[physics]")
        env.SetPhysicsEngine(engine)
        engine.SetGravity(np.array((0.0, 0.0, -9.81)))
        blocks = [env.GetKinBody(f"block_{one}") for one in ("red", "green", "blue")]
        for k, block in enumerate(blocks):
            pose = np.eye(4)
            pose[:3, 3] = -1.4, 1.2 + 0.2 * k, 0.5 + 0.2 * k
            block.SetTransform(pose)
        before = np.array([block.GetTransform()[2, 3] for block in blocks])
        for _ in range(20):
            env.StepSimulation(_STEP)
        fallen = before - [block.GetTransform()[2, 3] for block in blocks]
        tell(f"after 0.2 s they have fallen by {np.round(fallen, 3)} m")
        expect(abs(fallen - 9.81 * 0.2**2 / 2).max() < 0.02, "expected 0.196 m")
        for _ in range(150):
            env.StepSimulation(_STEP)
        heights = np.array([block.GetTransform()[2, 3] for block in blocks])
        speeds = [np.linalg.norm(block.GetLinkVelocities()[0]) for block in blocks]
        tell(f"they lie at {np.round(heights, 3) + 0.0} m")
        expect(abs(heights).max() < 0.01, "they do not lie on the floor")
        expect(max(speeds) < 0.05, f"they still move: {speeds}")
