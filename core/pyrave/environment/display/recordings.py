"""Recordings of an environment: which recorder makes them, and of what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.batches import each
from pyrave.environment.display.pictures import camera_of, file_target
from pyrave.environment.display.recorder import MotionRecorder, Recorder
from pyrave.environment.display.videos import ENDINGS, VideoRecorder
from pyrave.interfaces.settings.parts import as_part
from pyrave.interfaces.trajectory import as_trajectory
from pyrave.interfaces.viewer import ViewerBase
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.pictures import Viewpoint
    from pyrave.spatial import Array

_PAGES = (".html", ".htm")
_ROUNDING = 1e-7


def record(
    env: Environment,
    path: Any,
    trajectory: Any,
    rate: Any,
    speed: Any,
    viewpoint: Viewpoint,
    viewer: ViewerBase | str | None,
) -> Recorder:
    """Return a recorder; see `Environment.record`."""
    target = None if path is None else file_target(path, (*_PAGES, *ENDINGS))
    pictures = as_number(rate, "rate", 0.1, 1000.0)
    faster = as_number(speed, "speed", 1e-3, 1e3)
    motion = None if trajectory is None else as_trajectory(trajectory)
    # a copy moves for a trajectory: nobody sees this environment do it
    there = env if motion is None else env.clone()
    recorder: Recorder
    if target is not None and target.suffix.lower() in ENDINGS:
        recorder = VideoRecorder(
            there, target, viewpoint, rate=pictures, speed=faster, shown=env
        )
    else:
        writer = None
        if target is not None:
            writer = as_part(env, ViewerBase, viewer or "", what="viewer")
        recorder = MotionRecorder(
            there, target, camera_of(env, viewpoint), rate=pictures, speed=faster,
            writer=writer,
        )  # fmt: skip
    if motion is None:
        env.add(recorder)
        return recorder
    video = not isinstance(recorder, MotionRecorder)
    with recorder:
        rows = _rows(motion, faster / pictures, even=video)
        for time, row in each(rows, "recording", "pictures"):
            motion.spec.apply(there, row)
            recorder.synchronise()
            recorder.capture(time / faster)
    if isinstance(recorder, MotionRecorder):
        known = recorder.recording.bodies
        known.update({body.id: body for body in env.bodies if body.id in known})
    return recorder


def _rows(
    motion: TrajectoryBase, period: float, *, even: bool
) -> list[tuple[float, Array]]:
    """Return times and values of a trajectory; without times a second a waypoint.

    Times are a period apart but for the last one, or all as far or somewhat farther.
    """
    if motion.spec.find_compatible_group("deltatime") is None:
        return [(float(k), row) for k, row in enumerate(motion.get_waypoints())]
    end = motion.duration
    if even:
        times = np.append(np.arange(0.0, end, period), end)
    else:
        times = np.linspace(0.0, end, 1 + max(1, int(end / period + _ROUNDING)))
    return list(zip(times.tolist(), motion.sample_points(times), strict=True))
