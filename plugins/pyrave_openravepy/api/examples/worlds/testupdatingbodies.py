"""A loop that moves a body and steps the time by hand."""

from __future__ import annotations

from collections.abc import Sequence

from pyrave_openravepy.api.examples._program import scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Move the mug while the simulation is stepped."""
    with scene(args, __doc__ or "") as (env, _):
        mug = env.GetKinBody("mug")
        pose = mug.GetTransform()
        for _ in range(20):
            with env:
                pose[2, 3] += 0.005
                mug.SetTransform(pose)
                env.StepSimulation(0.01)
                env.UpdatePublishedBodies()
        tell(
            f"{env.GetSimulationTime() * 1e-6:.2f} s later it is at {pose[2, 3]:.3f} m"
        )
