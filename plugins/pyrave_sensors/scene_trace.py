"""Where the links of a scene were while a scan was taken."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_sensors.history import History
from pyrave_sensors.pose_history import MOST_POSES, PoseHistory

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.spatial import Array


class SceneTrace:
    """Poses of the links of all bodies at recent times.

    A body that rests costs a glance at its stamp.

    Parameters
    ----------
    state
        `state` of a copy.
    """

    def __init__(self, state: Any = None) -> None:
        before, now, bodies = state or (0, 0, {})
        # when it was recorded last, and at another time before
        self._before: int = before
        self._now: int = now
        # by the body's name, as bodies of copies have other ids
        self._tracks = {name: _Track(items) for name, items in bodies.items()}

    @property
    def state(self) -> Any:
        """All that is known; it pickles."""
        bodies = {name: track.poses.items for name, track in self._tracks.items()}
        return self._before, self._now, bodies

    def clear(self) -> None:
        """Forget all of it."""
        self._tracks = {}

    def record(self, env: EnvironmentProtocol, begin: float) -> None:
        """Note where all links are; what ended before `begin`, microseconds, goes."""
        now = env.simulation_time
        if now < self._now:
            self.clear()
        if now != self._now:
            self._before, self._now = self._now, now
        known, self._tracks = self._tracks, {}
        for body in env.bodies:
            track = known.get(body.name)
            if track is None or track.is_of_another(body):
                track = _Track()
            self._tracks[body.name] = track
            if track.stamp != body.pose_stamp:
                track.note(body, self._before, now)
                track.poses.drop_before(begin)

    def moved(self, begin: float) -> Iterator[tuple[Link, PoseHistory]]:
        """Yield the links that moved since a time, and where each of them was."""
        for track in self._tracks.values():
            if track.last > begin:
                yield from track.moved(begin)


class _Track:
    """Poses (n_links, 4, 4) of a body's links, whenever they were others than before.

    Parameters
    ----------
    items
        (time, poses) of a copy.
    """

    __slots__ = ("body", "last", "poses", "stamp")

    def __init__(self, items: tuple[tuple[int, Array], ...] = ()) -> None:
        self.poses: History[Array] = History(items, most=MOST_POSES)
        # of a copy only the body's name is known
        self.body: Any = _nobody
        self.stamp = -1
        self.last = items[-1][0] if len(items) > 1 else -1
        """When the body came to where it is; -1: it was there always."""

    def is_of_another(self, body: KinBody) -> bool:
        """Return True if another body had the name before."""
        return self.body is not _nobody and self.body() is not body

    def note(self, body: KinBody, before: int, now: int) -> None:
        """Record a body whose stamp is another than before."""
        self.body, self.stamp = weakref.ref(body), body.pose_stamp
        items, poses = self.poses.items, body.transforms_view
        if items and len(items[-1][1]) != len(poses):
            self.poses.clear()
            items = ()
        if items and np.array_equal(items[-1][1], poses):
            return
        if items and items[-1][0] < before < now:
            # there it rested until then
            self.poses.record(before, items[-1][1])
        self.poses.record(now, poses.copy())
        self.last = now if items else -1

    def moved(self, begin: float) -> Iterator[tuple[Link, PoseHistory]]:
        """Yield the links that moved since a time, and where each of them was."""
        items, body = self.poses.items, self.body()
        last = items[-1][1]
        changed = np.zeros(len(last), np.bool_)
        for (_, poses), (end, _) in itertools.pairwise(items):
            if end > begin:
                changed |= (poses != last).any(axis=(1, 2))
        for index in np.flatnonzero(changed).tolist():
            yield (
                body.links[index],
                PoseHistory((time, poses[index]) for time, poses in items),
            )


def _nobody() -> None:
    return None
