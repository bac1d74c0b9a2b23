"""Points that are in the convex hulls of a robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.databases.convexdecomposition import ConvexDecompositionModel
from pyrave_openravepy.api.examples._program import expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Draw points of a box and say how many are inside."""
    with scene(args, __doc__ or "") as (env, robot):
        model = ConvexDecompositionModel(robot)
        if not model.load():
            model.autogenerate()
        box = robot.ComputeAABB()
        steps = np.stack(np.meshgrid(*[np.linspace(-1, 1, 12)] * 3), axis=-1)
        points = box.pos() + box.extents() * steps.reshape(-1, 3)
        inside = model.testPointsInside(points)
        handle = env.plot3(points[inside], 4)
        tell(f"{inside.sum()} of {len(points)} points are inside")
        del handle
        expect(0 < inside.sum() < len(points), "hulls have insides and outsides")
        links = np.array([link.GetTransform()[:3, 3] for link in robot.GetLinks()])
        origin = box.pos() + 2 * box.extents()
        expect(not model.testPointsInside(origin[None])[0], "a far point is inside")
        tell(f"{model.testPointsInside(links).sum()} origins of links are inside")
