"""Where the links of a scene were while a scan was taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_sensors.history import History
from pyrave_sensors.pose_history import MOST_POSES, PoseHistory

if TYPE_CHECKING:
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.interfaces.kinbody import KinBody, Link
    from pyrave.spatial import Array

__all__ = ["SceneTrace"]


class SceneTrace:
    """Poses of the links of all bodies at recent times.

    Parameters
    ----------
    bodies
        What `state` of a twin was.
    """

    def __init__(
        self, bodies: Mapping[str, tuple[tuple[int, Array], ...]] | None = None
    ) -> None:
        # (n_links, 4, 4) by the body's name, which a twin's body has, too
        self._bodies = {
            name: History(items, most=MOST_POSES)
            for name, items in (bodies or {}).items()
        }

    @property
    def state(self) -> dict[str, tuple[tuple[int, Array], ...]]:
        """All that is known; it pickles."""
        return {name: history.items for name, history in self._bodies.items()}

    def clear(self) -> None:
        """Forget all of it."""
        self._bodies.clear()

    def record(self, env: EnvironmentProtocol, begin: float) -> None:
        """Note where all links are; what ended before `begin`, microseconds, goes."""
        now, known = env.simulation_time, self._bodies
        self._bodies = {}
        for body in env.bodies:
            history = known.get(body.name) or History(most=MOST_POSES)
            poses = body.transforms_view.copy()
            if history.items:
                last = history.items[-1][1]
                if len(last) != len(poses):
                    history.clear()
                elif np.array_equal(last, poses):
                    # what rests shares one array
                    poses = last
            history.record(now, poses)
            history.drop_before(begin)
            self._bodies[body.name] = history

    def moved(
        self, env: EnvironmentProtocol, begin: float
    ) -> Iterator[tuple[Link, PoseHistory]]:
        """Yield the links that moved since a time, and where each of them was."""
        for body in env.bodies:
            history = self._bodies.get(body.name)
            if history is not None:
                yield from _moved_links(body, history, begin)


def _moved_links(
    body: KinBody, history: History[Array], begin: float
) -> Iterator[tuple[Link, PoseHistory]]:
    items = history.items
    last: Any = items[-1][1]
    since = [k for k in range(len(items) - 1) if items[k + 1][0] > begin]
    if all(items[k][1] is last for k in since):
        return
    changed = np.zeros(len(last), np.bool_)
    for k in since:
        changed |= (items[k][1] != last).any(axis=(1, 2))
    for index in np.flatnonzero(changed).tolist():
        poses = ((time, all_poses[index]) for time, all_poses in items)
        yield body.links[index], PoseHistory(poses)
