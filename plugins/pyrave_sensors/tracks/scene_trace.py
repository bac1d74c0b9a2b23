"""Poses of the links of a scene during a scan."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import Array
from pyrave_sensors.tracks.history import History, ticks_of
from pyrave_sensors.tracks.pose_history import MOST_POSES, PoseHistory

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.views.link import Link


class SceneTrace:
    """Poses of the links of all bodies at recent times.

    It follows the changes of the packed world: a body that rests costs nothing.

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
        # of the packed world when it was recorded last; that of a copy has its own
        self._version = 0
        self._tracks = {body: _Track(items) for body, items in bodies.items()}

    @property
    def state(self) -> Any:
        """All that is known, by the ids of the bodies; it pickles."""
        bodies = {body: track.items for body, track in self._tracks.items()}
        return self._before, self._now, bodies

    def clear(self) -> None:
        """Forget all of it."""
        self._tracks = {}
        self._version = 0

    def record(self, env: Environment, begin: float) -> None:
        """Record the poses of all links; drop those before `begin`, microseconds."""
        now = ticks_of(env)
        if now < self._now:
            self.clear()
        if now != self._now:
            self._before, self._now = self._now, now
        world = env.world
        changes = world.changes_since(self._version)
        if changes.reset or not self._version:
            self._tracks = {
                body: self._tracks.get(body, _Track()) for body in changes.added
            }
        self._version = changes.version
        for body in changes.removed:
            self._tracks.pop(body, None)
        for body in (*changes.added, *changes.moved):
            poses = world.tables.links.poses[world.links_of(body)]
            track = self._tracks.setdefault(body, _Track())
            track.note(poses, self._before, now)
            track.drop_before(begin)

    def moved(
        self, env: Environment, begin: float
    ) -> Iterator[tuple[Link, PoseHistory]]:
        """Yield the links that moved since a time, and where each of them was.

        The present is recorded before.
        """
        for body, track in self._tracks.items():
            if track.last > begin:
                links = env.body_of_id(body).links
                for index, poses in track.moved(begin):
                    yield links[index], poses


class _Track(History[Array]):
    """Poses (n_links, 4, 4) of a body's links, whenever they were others than before.

    Parameters
    ----------
    items
        (time, poses) of a copy.
    """

    def __init__(self, items: Iterable[tuple[int, Array]] = ()) -> None:
        super().__init__(items, most=MOST_POSES)

    @property
    def last(self) -> int:
        """Time at which the body reached its present poses; -1: it never moved."""
        return self._items[-1][0] if len(self._items) > 1 else -1

    def note(self, poses: Array, before: int, now: int) -> None:
        """Record poses at `now`; the time `before` is that of the last record."""
        if self._items:
            time, last = self._items[-1]
            if np.array_equal(last, poses):
                return
            if time < before < now:
                # there it rested until then
                self.record(before, last)
        self.record(now, poses.copy())

    def moved(self, begin: float) -> Iterator[tuple[int, PoseHistory]]:
        """Yield the index of each link that moved since a time, and where it was."""
        items = self.items
        last = items[-1][1]
        changed = np.zeros(len(last), np.bool_)
        for (_, poses), (end, _) in itertools.pairwise(items):
            if end > begin:
                changed |= (poses != last).any(axis=(1, 2))
        for index in np.flatnonzero(changed).tolist():
            yield index, PoseHistory((time, poses[index]) for time, poses in items)
