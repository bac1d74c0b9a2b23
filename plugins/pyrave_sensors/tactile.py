"""Tactile sensors: soft elements on a link that are pressed in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.records import Record
from pyrave.sensing.data import TactileData
from pyrave.spatial import Array, invert_pose, transform_points
from pyrave_sensors.bodies.disturbance import correlated
from pyrave_sensors.bodies.moving_sensor import (
    MovingGeometry,
    MovingSensor,
    covariance,
    quantity,
    switch,
)
from pyrave_sensors.settings.fields import Conflict, setting
from pyrave_sensors.tracks.history import History

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.bodies.views.link import Link

MAX_ELEMENTS = 100_000
"""More elements than this on one sensor are refused."""
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Touch(Record):
    """Contacts with the skin at a time.

    Parameters
    ----------
    poses
        (4, 4) T_sensor_link by body and link.
    dragged
        The link that touches an element, by the element's number, and how far it has
        dragged the element's end along, (3,) metres, sensor axes.
    """

    poses: dict[_Key, Array]
    dragged: dict[int, tuple[_Key, Array]]


_NO_TOUCH = _Touch({}, {})
# a moment between steps needs the measurement before the last one, too
_KEPT = 2
# least divisor, so that quotients are finite
_TINY = 1e-150


@dataclass(frozen=True, repr=False)
class TactileGeometry(MovingGeometry):
    """Elements of a soft skin, in the frame of the sensor."""

    title = "a tactile sensor"

    # fmt: off
    positions: Array = setting(
        np.empty((0, 3)), example="0 0 0  0.01 0 0", unit="metres", shown="none",
        doc="three numbers an element, sensor frame")
    normals: Array = setting(
        np.empty((0, 3)), example="0 0 1", shown="+z",
        doc="one for all, or one an element")
    thickness: float = quantity(0.0, "metres", "of the skin", "0.003")
    stiffness: float = quantity(0.0, "N/m", "of an element", "500")
    tangential_stiffness: float = quantity(
        0.0, "N/m", "of an element that is dragged along", "200", shown="stiffness")
    friction: float = quantity(
        0.0, "tangential by normal force", "at which an element slips", "0.6")
    force_covariance: Array = covariance("N", "of each force")
    draw_covariances: bool = switch("1: forces have errors of the covariance")
    # fmt: on

    def conflict(self) -> Conflict | None:
        """Return lists of elements that do not fit, or a bad covariance."""
        for name in ("positions", "normals"):
            count = len(getattr(self, name))
            if count > MAX_ELEMENTS:
                why = f"{count} elements, at most {MAX_ELEMENTS} are allowed"
                return Conflict((name,), why)
        normals, n = self.normals, len(self.positions)
        if len(normals) > 1 and len(normals) != n:
            why = f"there are {len(normals)} normals for {n} elements"
            return Conflict(("normals",), why)
        if not (np.abs(normals) > 0).any(axis=1).all():
            return Conflict(("normals",), "a normal is zero")
        return MovingGeometry.conflict(self)


class BaseTactile(MovingSensor[TactileGeometry, TactileData]):
    """Measure the force on each element of a soft skin.

    An element is a spring of length ``thickness`` from its position along its normal.
    A ray along it finds the nearest surface of another link; where that is within the
    skin the element is pressed in by the rest of its length, and pushes back with
    ``stiffness`` times that. The ray begins one thickness behind the position, so that
    a surface behind it (a link that went through the skin) presses the element
    fully in; deeper it is not seen. What carries the sensor, and links that never move
    against it, are not felt.

    A surface drags the end of an element along, which resists with
    ``tangential_stiffness`` (that of the normal unless it is given) times the way,
    until the force is ``friction`` times the normal force: then it slips, and the
    force stays that large, also when the motion ends. This is Coulomb's law with an
    elastic part before it. An element that is let go springs back. The way is followed
    from measurement to measurement.

    XML tags: see `TactileGeometry`.
    """

    contract = 2
    settings_type = TactileGeometry
    data_type = TactileData

    def __init__(self, env: Environment, *args: str) -> None:
        self._touches: History[_Touch] = History(most=_KEPT)
        super().__init__(env, *args)

    def restart(self) -> None:
        """Forget the motion so far."""
        super().restart()
        self._touches.clear()

    def sample(self, stamp: float, pose: Array) -> TactileData:
        """Press a ray along each element."""
        g = self.geometry
        forces = self._forces(pose)
        if g.draw_covariances:
            forces += correlated(self.random, g.force_covariance, len(forces))
        return TactileData(stamp, pose.copy(), forces, g.force_covariance.copy())

    def _forces(self, pose: Array) -> Array:
        """Return (n, 3) forces on the elements, sensor axes."""
        g = self.geometry
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
        met = self.env.ray_world.geometry_of
        links = [met(k).link for k in hits.instance[touched].tolist()]
        stiffness = g.tangential_stiffness or g.stiffness
        reach = g.friction * sizes[touched] / max(stiffness, _TINY)
        ways = self._dragged(pose, links, touched, tops, normals, reach)
        forces[touched] += stiffness * ways
        return forces

    def _dragged(
        self,
        pose: Array,
        links: list[Link],
        touched: NDArray[np.intp],
        tops: Array,
        normals: Array,
        reach: Array,
    ) -> Array:
        """Return the drag of the ends of k touched elements, (k, 3) metres.

        Parameters
        ----------
        links, touched, reach
            (k,) what touches, the elements' numbers, and how far each gives way before
            it slips.
        tops, normals
            (n, 3) where all elements end, and look.
        """
        to_sensor = invert_pose(pose)
        now = {_key(one): to_sensor @ one.pose_view for one in links}
        before = self._touched_before()
        known = now.keys() & before.poses.keys()
        backs = {key: before.poses[key] @ invert_pose(now[key]) for key in known}
        ways = np.zeros((len(links), 3))
        for row, (link, k) in enumerate(zip(links, touched.tolist(), strict=True)):
            key = _key(link)
            holder, way = before.dragged.get(k, (None, ways[row]))
            if holder != key:
                continue
            back = backs[key]
            way = way + tops[k] - (back[:3, :3] @ tops[k] + back[:3, 3])
            way -= (way @ normals[k]) * normals[k]
            ways[row] = way * min(1.0, reach[row] / max(_norm(way), _TINY))
        if self.step:
            dragged = {
                k: (_key(link), way)
                for k, link, way in zip(touched.tolist(), links, ways, strict=True)
            }
            self._touches.record(self.time, _Touch(now, dragged))
        return ways

    def _touched_before(self) -> _Touch:
        """Return the touch of the skin at the last measurement."""
        known = [touch for time, touch in self._touches.items if time < self.time]
        return known[-1] if known else _NO_TOUCH

    def _own_links(self) -> tuple[Link, ...]:
        link = self.carrier
        return () if link is None else link.rigidly_attached

    def kept(self) -> Any:
        """Return the recorded touches."""
        return self._touches.items

    def keep(self, kept: Any) -> None:
        """Adopt the touched links of a copy."""
        self._touches = History(kept, most=_KEPT)


def _key(link: Link) -> tuple[str, str]:
    return link.body.name, link.name


def _norm(vector: Array) -> float:
    return math.sqrt(vector @ vector)


def _unit_normals(geometry: TactileGeometry) -> Array:
    """Return (n, 3) unit normals of the elements."""
    given = geometry.normals if len(geometry.normals) else np.array([[0.0, 0.0, 1.0]])
    # scaled first, so that tiny and huge ones have a length
    scaled = given / np.abs(given).max(axis=1, keepdims=True)
    unit = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.broadcast_to(unit, geometry.positions.shape)
