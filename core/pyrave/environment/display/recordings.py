"""Recordings of an environment: which recorder makes them, and of what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.batches import each
from pyrave.environment.display.pictures import camera_of, file_target
from pyrave.environment.display.recorder import MotionRecorder, Recorder
from pyrave.environment.display.videos import ENDINGS, VideoRecorder
from pyrave.errors import ArgumentError
from pyrave.interfaces.settings.parts import as_part
from pyrave.interfaces.trajectory import as_trajectory
from pyrave.interfaces.viewer import ViewerBase
from pyrave.pictures import Watermark
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.pictures import Viewpoint
    from pyrave.spatial import Array

_PAGES = (".html", ".htm")
_ROUNDING = 1e-7
_CODEC = re.compile(r"[a-z0-9][a-z0-9_]*")


@dataclass(frozen=True)
class VideoSettings:
    """Settings of recordings, most of them of videos; see `Environment.record`."""

    real_time: bool = False
    codec: str | None = None
    watermark: Watermark | None = None

    @classmethod
    def given(cls, real_time: Any, codec: Any, watermark: Any) -> VideoSettings:
        """Return what a caller gave; ArgumentError if that is none."""
        if not isinstance(real_time, bool):
            raise ArgumentError(f"real_time is {real_time!r}, expected True or False")
        if codec is not None and (
            not isinstance(codec, str) or not _CODEC.fullmatch(codec)
        ):
            raise ArgumentError(
                f"codec is {codec!r}, expected the name of an encoder of ffmpeg, such "
                "as 'mpeg4'"
            )
        mark = None if watermark is None else Watermark.of_image(watermark)
        return cls(real_time, codec, mark)

    def check_none(self, path: Any) -> None:
        """Raise ArgumentError for settings that only videos have."""
        for name in ("codec", "watermark"):
            if getattr(self, name) is not None:
                what = "no file" if path is None else repr(str(path))
                raise ArgumentError(
                    f"{name} is for videos, and {what} is none; their names end in "
                    f"{', '.join(ENDINGS)}"
                )


def record(
    env: Environment,
    path: Any,
    trajectory: Any,
    rate: Any,
    speed: Any,
    viewpoint: Viewpoint,
    viewer: ViewerBase | str | None,
    video: VideoSettings,
) -> Recorder:
    """Return a recorder; see `Environment.record`."""
    target = None if path is None else file_target(path, (*_PAGES, *ENDINGS))
    pictures = as_number(rate, "rate", 0.1, 1000.0)
    faster = as_number(speed, "speed", 1e-3, 1e3)
    motion = None if trajectory is None else as_trajectory(trajectory)
    if motion is not None and video.real_time:
        raise ArgumentError(
            "real_time is for what happens in steps: a trajectory has times of its own"
        )
    # a copy moves for a trajectory: nobody sees this environment do it
    there = env if motion is None else env.clone()
    recorder: Recorder
    if target is not None and target.suffix.lower() in ENDINGS:
        recorder = VideoRecorder(
            there, target, viewpoint, rate=pictures, speed=faster, shown=env,
            real_time=video.real_time, codec=video.codec, watermark=video.watermark,
        )  # fmt: skip
    else:
        video.check_none(path)
        writer = None
        if target is not None:
            writer = as_part(env, ViewerBase, viewer or "", what="viewer")
        recorder = MotionRecorder(
            there, target, camera_of(env, viewpoint), rate=pictures, speed=faster,
            writer=writer, real_time=video.real_time,
        )  # fmt: skip
    if motion is None:
        env.add(recorder)
        return recorder
    is_video = not isinstance(recorder, MotionRecorder)
    with recorder:
        rows = _rows(motion, faster / pictures, even=is_video)
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
