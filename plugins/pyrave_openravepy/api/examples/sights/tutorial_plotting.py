"""Points, lines, triangles and boxes that are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Draw one of each, and count what is shown."""
    with scene(args, __doc__ or "") as (env, _):
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
        tell(f"{len(handles)} drawings")
        handles.pop().SetShow(False)
        del handles
        tell("nothing is left of them")
