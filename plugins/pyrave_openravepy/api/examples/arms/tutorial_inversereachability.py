"""Places of the base from which a pose is reached."""

from __future__ import annotations

from collections.abc import Sequence

from pyrave_openravepy.api.databases.inversereachability import InverseReachabilityModel
from pyrave_openravepy.api.examples._program import expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Find places for the mug from above, and check them."""
    with scene(args, __doc__ or "") as (_, robot):
        model = InverseReachabilityModel(robot)
        if not model.load():
            model.autogenerate()
        goal = robot.GetActiveManipulator().GetTransform()
        drawn = model.sampleBaseDistributionIterator([goal])
        reached = 0
        with robot:
            for _ in range(20):
                pose, _, (values, indices) = next(drawn)
                robot.SetTransform(pose)
                robot.SetDOFValues(values, indices)
                reached += model.getCloseIK(goal) is not None
        expect(reached >= 10, f"the pose is reached from {reached} of 20 places only")
        tell(f"the pose is reached from {reached} of 20 places")
