"""A loop that moves a body and steps the time by hand."""

from __future__ import annotations

from collections.abc import Sequence

from pyrave_openravepy.api.examples._program import expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Move the mug while the simulation is stepped."""
    with scene(args, __doc__ or "") as (env, _):
        mug = env.GetKinBody("mug")
        pose = mug.GetTransform()
        begin = env.GetSimulationTime()
        for _ in range(20):
            with env:
                pose[2, 3] += 0.005
                mug.SetTransform(pose)
                env.StepSimulation(0.01)
                env.UpdatePublishedBodies()
        passed = (env.GetSimulationTime() - begin) * 1e-6
        there = mug.GetTransform()[2, 3]
        tell(f"{passed:.2f} s later it is at {there:.3f} m")
        expect(abs(passed - 0.2) < 1e-6, "expected 20 steps of 10 ms")
        expect(abs(there - 0.82) < 1e-6, "expected it 0.1 m above the table")
