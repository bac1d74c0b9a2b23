"""Tactile sensors: soft elements on a link that are pressed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.interfaces.sensor_data import TactileData
from pyrave.interfaces.sensor_geometry import TactileGeometry
from pyrave.spatial import invert_pose, transform_points
from pyrave_sensors.disturbance import correlated
from pyrave_sensors.motion import MovingSensor
from pyrave_sensors.tables_body import TACTILE

if TYPE_CHECKING:
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.interfaces.kinbody import Link
    from pyrave.spatial import Array
    from pyrave_sensors.settings import SettingTable

__all__ = ["BaseTactile"]


@dataclass(frozen=True, slots=True)
class _Seen:
    """When and where touched links were: (4, 4) T_sensor_link by body and link."""

    time: int
    poses: dict[tuple[str, str], Array]


# Slower sliding has less than the full friction, so that resting contact has none, m/s
_SLIDING = 1e-3


class BaseTactile(MovingSensor[TactileGeometry, TactileData]):
    """Measure the force on each element of a soft skin.

    An element is a spring of length ``thickness`` from its position along its normal.
    A ray along it finds the nearest surface of another link; where that is within the
    skin the element is pressed in by the rest of its length, and pushes back with
    ``stiffness`` times that. The ray begins one thickness behind the position, so that
    a surface behind it (a link that went through the skin) presses the element
    fully in; deeper it is not seen. What carries the sensor, and links that never move
    against it, are not felt.

    A surface that slides over an element drags it along: ``friction`` times the normal
    force in the direction of sliding, growing linearly up to 1 mm/s. A resting
    contact has no tangential force: this is a measurement of penetration, not a
    contact solver.

    XML tags: ``positions``, ``normals`` (three an element), ``thickness``,
    ``stiffness``, ``friction``, ``force_covariance`` (9), ``time_measurement``,
    ``draw_covariances``, ``seed``.
    """

    contract = 1
    geometry_type = TactileGeometry
    data_type = TactileData
    settings: ClassVar[SettingTable] = TACTILE

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        # the two last measurements; a moment between steps needs the one before
        self._seen = (_Seen(0, {}), _Seen(0, {}))
        super().__init__(env, *args)

    def default_geometry(self) -> TactileGeometry:
        """Return a skin without elements."""
        return TactileGeometry()

    def restart(self) -> None:
        """Forget the motion so far."""
        super().restart()
        self._seen = (_Seen(0, {}), _Seen(0, {}))

    def sample(self, stamp: int, pose: Array) -> TactileData:
        """Press a ray along each element."""
        g = self._geometry
        forces = self._forces(pose)
        if g.draw_covariances:
            forces += correlated(self.random, g.force_covariance, len(forces))
        return TactileData(stamp, pose.copy(), forces, g.force_covariance.copy())

    def _forces(self, pose: Array) -> Array:
        """Return (n, 3) forces on the elements, sensor axes."""
        g = self._geometry
        forces = np.zeros_like(g.positions)
        if not len(forces) or g.thickness == 0:
            return forces
        normals = _unit_normals(g)
        outward = normals @ pose[:3, :3].T
        hits = self.env.raycast(
            transform_points(pose, g.positions - g.thickness * normals),
            outward,
            max_range=2 * g.thickness,
            exclude=self._own_links(),
        )
        pressed = np.where(hits.hit, 2 * g.thickness - hits.distance, 0.0)
        sizes = g.stiffness * np.clip(pressed, 0.0, g.thickness)
        forces -= sizes[:, None] * normals
        touched = np.flatnonzero(sizes)
        tops = g.positions + (g.thickness - pressed)[:, None] * normals
        links = [self.env.ray_world.geometries[k].link for k in hits.instance[touched]]
        sliding = self._sliding(pose, links, tops[touched])
        sliding -= (sliding * normals[touched]).sum(axis=1)[:, None] * normals[touched]
        speeds = np.linalg.norm(sliding, axis=1)[:, None]
        drag = g.friction * sizes[touched][:, None]
        forces[touched] += drag * sliding / np.maximum(speeds, _SLIDING)
        return forces

    def _sliding(self, pose: Array, links: list[Link], points: Array) -> Array:
        """Return (k, 3) velocities of points of links against the sensor, its axes.

        They are differences of where the links were in the sensor's frame one
        measurement ago; of what was not touched then nothing is known: zero.
        """
        to_sensor = invert_pose(pose)
        now = {_key(one): to_sensor @ one.pose_view for one in links}
        time = self.time
        before = self._seen[-1 if time > self._seen[-1].time else 0]
        velocities = np.zeros_like(points)
        seconds = (time - before.time) * 1e-6
        for k, link in enumerate(links):
            key = _key(link)
            if seconds > 0 and key in before.poses:
                back = before.poses[key] @ invert_pose(now[key])
                moved = points[k] - (back[:3, :3] @ points[k] + back[:3, 3])
                velocities[k] = moved / seconds
        if self.step:
            self._seen = (self._seen[-1], _Seen(time, now))
        return velocities

    def _own_links(self) -> tuple[Link, ...]:
        link = self.carrier
        return () if link is None else link.rigidly_attached

    def kept(self) -> Any:
        """Return where touched links were."""
        return self._seen

    def keep(self, kept: Any) -> None:
        """Take over what a twin knows of touched links."""
        self._seen = kept


def _key(link: Link) -> tuple[str, str]:
    return link.body.name, link.name


def _unit_normals(geometry: TactileGeometry) -> Array:
    """Return (n, 3) unit normals of the elements."""
    given = geometry.normals if len(geometry.normals) else np.array([[0.0, 0.0, 1.0]])
    # scaled first, so that tiny and huge ones have a length
    scaled = given / np.abs(given).max(axis=1, keepdims=True)
    unit = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.broadcast_to(unit, geometry.positions.shape)
