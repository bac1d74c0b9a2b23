"""Exposure of a camera: the scene at the moments while its shutter is open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave_sensors.tracks.pose_history import PoseHistory

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.geometry import Surroundings
    from pyrave.spatial import Array
    from pyrave.world import PackedWorld


@dataclass(frozen=True, slots=True, eq=False)
class Exposure:
    """Moments at which the light of an image is gathered.

    Parameters
    ----------
    times
        (k,) microseconds.
    camera
        Where the camera was.
    moving
        Links that move meanwhile, and where they were.
    """

    times: Array
    camera: PoseHistory
    moving: Sequence[tuple[Link, PoseHistory]] = ()

    def views(
        self, now: Surroundings, world: PackedWorld
    ) -> Iterator[tuple[Array, Surroundings]]:
        """Yield the pose (4, 4) of the camera at each time, and the visible scene.

        Parameters
        ----------
        now, world
            As in `surroundings`.
        """
        poses = _poses(self.camera, self.times)
        return zip(poses, self.surroundings(now, world), strict=True)

    def surroundings(
        self, now: Surroundings, world: PackedWorld
    ) -> Iterator[Surroundings]:
        """Yield the visible scene at each time; each is valid until the next.

        Parameters
        ----------
        now
            The visible scene at present.
        world
            Whose rows the instances of its scene are.
        """
        table = world.tables.geometries
        rows = {world.link_row(link.id): k for k, (link, _) in enumerate(self.moving)}
        moved = np.flatnonzero(np.isin(table.link, list(rows)))
        if not len(moved):
            for _ in self.times:
                yield now
            return
        there = replace(now, scene=now.scene.clone())
        tracks = np.array([_poses(trace, self.times) for _, trace in self.moving])
        local = table.T_link_geometry[moved]
        carrying = [rows[link] for link in table.link[moved].tolist()]
        for poses in tracks.swapaxes(0, 1):
            there.scene.set_poses(moved, poses[carrying] @ local)
            yield there


def _poses(trace: PoseHistory, times: Array) -> Array:
    """Return the poses of something at k times, (k, 4, 4)."""
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = trace.at(times)
    return poses
