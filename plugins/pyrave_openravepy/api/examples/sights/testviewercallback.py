"""A function that is called when somebody clicks at a thing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyrave_openravepy.api.environment.options import options
from pyrave_openravepy.api.examples._program import expect, scene, tell

__all__ = ["run"]

_SECONDS = 30.0


def run(args: Sequence[str] | None = None) -> None:
    """Tell of clicks; in test mode, of one in the middle of the picture."""
    with scene(args, __doc__ or "") as (env, _):
        testing = "--testmode" in (args or ()) or not options.web_viewer
        env.SetViewer("qtcoin", showviewer=not testing)
        viewer = env.GetViewer()
        clicks: list[Any] = []

        def clicked(link: Any, point: Any, _: Any) -> bool:
            clicks.append(link)
            tell(f"{link.GetParent().GetName()} at {np.round(point, 3)}")
            return False

        handle = viewer.RegisterItemSelectionCallback(clicked)
        mug = env.GetKinBody("mug")
        above = np.diag((1.0, -1.0, -1.0, 1.0))
        above[:3, 3] = mug.ComputeAABB().pos() + np.array((0, 0, 0.5))
        viewer.SetCamera(above)
        if testing:
            viewer.SendCommand("Click 0.5 0.5")
            expect(clicks and clicks[0].GetParent() == mug, "the mug was not clicked")
        else:
            until = time.monotonic() + _SECONDS
            while len(clicks) < 3 and time.monotonic() < until:
                time.sleep(0.1)
        handle.close()
        tell(f"{len(clicks)} clicks")
