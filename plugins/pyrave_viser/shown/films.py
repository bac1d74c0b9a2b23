"""Motions that were recorded, at any time of theirs."""

from __future__ import annotations

import time
from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces.recorded_motion import RecordedFrame, Recording

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies import KinBody
    from pyrave.geometry import Camera
    from pyrave.spatial import Array
    from pyrave_viser.shown.bodies import ShownBodies

    Rows = dict[int, NDArray[np.float32]]


class Film:
    """Recorded poses of bodies at each time of a motion.

    Parameters
    ----------
    recording
        What was recorded up to now.
    moving
        Whether bodies that never move are left out.
    """

    def __init__(self, recording: Recording, *, moving: bool = False) -> None:
        self._frames = tuple(recording.frames)
        self._times = [one.time for one in self._frames]
        later: set[int] = set()
        for frame in self._frames[1:]:
            later |= frame.poses.keys()
        self.bodies: dict[int, KinBody] = {
            number: body
            for number, body in recording.bodies.items()
            if number in later or not moving
        }
        """Shown bodies by id."""
        self._at = -1
        self._rows: Rows = {}

    @property
    def duration(self) -> float:
        """Seconds."""
        return self._times[-1] if self._times else 0.0

    def number_at(self, time: float) -> int:
        """Return the frame that is seen at a time, seconds."""
        return max(0, bisect_right(self._times, time + 1e-9) - 1)

    def rows_at(self, number: int) -> Rows:
        """Return (n_links, 3, 4) upper rows of T_world_link by id, of who is there."""
        if number < self._at:
            self._at, self._rows = -1, {}
        for frame in self._frames[self._at + 1 : number + 1]:
            for body in frame.removed:
                self._rows.pop(body, None)
            for body, rows in frame.poses.items():
                if body in self.bodies:
                    self._rows[body] = rows
        self._at = max(self._at, number)
        return self._rows


class Take:
    """Recording of what people see from now on; its times are theirs."""

    def __init__(self, camera: Camera) -> None:
        self.recording = Recording(camera)
        self._began = time.monotonic()
        self._present: set[int] = set()
        self.size = 0
        """Bytes of the poses so far."""

    def note(self, shown: ShownBodies, moved: set[int]) -> None:
        """Write down where those that moved are, and who has left."""
        came = shown.known.keys() - self._present
        gone = self._present - shown.known.keys()
        self._present = set(shown.known)
        self.recording.bodies.update({one: shown.known[one] for one in came})
        poses = {
            number: shown.poses[number][:, :3].astype(np.float32)
            for number in sorted(self._present & (moved | came))
        }
        passed = time.monotonic() - self._began
        self.size += sum(rows.nbytes for rows in poses.values())
        frame = RecordedFrame(passed, poses, tuple(sorted(gone)))
        self.recording.frames.append(frame)


def squared(rows: NDArray[np.float32]) -> Array:
    """Return (n, 4, 4) float64 poses of their upper rows."""
    poses = np.zeros((len(rows), 4, 4))
    poses[:, :3] = rows
    poses[:, 3, 3] = 1.0
    return poses
