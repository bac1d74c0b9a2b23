"""Points, lines, triangles and boxes that are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Draw one of each, and compare pictures with and without them."""
    with scene(args, __doc__ or "") as (env, _):
        env.SetViewer("qtcoin", showviewer="--testmode" not in (args or ()))
        viewer = env.GetViewer()
        pose, lens = viewer.GetCameraTransform(), [200, 200, 160, 120]

        def look() -> np.ndarray:
            return np.asarray(viewer.GetCameraImage(320, 240, pose, lens))

        before = look()
        points = np.array([(0, 0, 1), (0.5, 0, 1), (0.5, 0.5, 1), (0, 0.5, 1)], float)
        colors = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)], float)
        handles = [
            env.plot3(points, 10, colors),
            env.drawlinestrip(points, 2, colors),
            env.drawlinelist(points, 2),
            env.drawarrow(points[0], points[2], 0.01),
            env.drawbox(np.array((0, 0, 1.5)), np.array((0.1, 0.2, 0.3))),
            env.drawtrimesh(points, np.array([(0, 1, 2), (0, 2, 3)])),
        ]
        drawn = look()
        changed = (drawn != before).any(axis=2).sum()
        tell(f"{len(handles)} drawings change {changed} pixels")
        expect(changed > 100, "nothing is drawn")
        handles[0].SetShow(False)
        expect((look() != drawn).any(), "what is not shown is there")
        handles.clear()
        expect((look() == before).all(), "something is left of them")
        tell("nothing is left of them")
