"""The sensors of a scene that measure what a physics engine knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import setting
from pyrave.interfaces.sensor import UnresolvedName
from pyrave.scene import ContactSensor, ForceTorqueSensor, TactileArray
from pyrave.sensing.data import (
    ContactData,
    Force6DData,
    SensorData,
    TactileArrayData,
)
from pyrave.spatial import Array, transform_points
from pyrave_sensors.bodies.moving_sensor import MovingGeometry, MovingSensor
from pyrave_sensors.force6d import BaseForce6D, Force6DGeometry

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces import PhysicsContact
    from pyrave.scene import LinkReference

S = TypeVar("S", ForceTorqueSensor, ContactSensor, TactileArray)
G = TypeVar("G", bound=MovingGeometry)
D = TypeVar("D", bound=SensorData)

_REACH = 1.5
"""Radius of a contact's footprint on a tactile array, in cells."""


_PART = "name of its description in ``env.simulation``"


@dataclass(frozen=True, repr=False)
class TouchGeometry(MovingGeometry):
    """A sensor of a scene that is touched; the scene says where it is."""

    title = "a contact sensor of a scene"

    part: tuple[str, ...] = setting((), _PART)


@dataclass(frozen=True, repr=False)
class FTGeometry(Force6DGeometry):
    """Response of a force and torque sensor of a scene."""

    part: tuple[str, ...] = setting((), _PART)


class SceneSensor(MovingSensor[G, D], Generic[S, G, D]):
    """Base of sensors that ``env.simulation`` describes.

    Words behind the id are the name of the description; objects that a scene brings
    know theirs.
    """

    word_settings = ("part",)

    part_type: ClassVar[type[Any]]

    @property
    def id_words(self) -> tuple[str, ...]:
        """The name of the description; files keep other settings in elements."""
        return tuple(self._part_settings.part)

    @property
    def part(self) -> S | None:
        """Its description, None if ``env.simulation`` has no such sensor."""
        name = self.scene_name or " ".join(self._part_settings.part)
        for one in self.env.simulation.sensors:
            if one.name == name and isinstance(one, self.part_type):
                found: S = one
                return found
        return None

    def unresolved_names(self) -> tuple[UnresolvedName, ...]:
        """Return the name of a description that is not there."""
        if self.part is not None or not self._part_settings.part:
            return ()
        known = tuple(one.name for one in self.env.simulation.sensors)
        kind = "sensor of env.simulation"
        return (UnresolvedName(kind, " ".join(self._part_settings.part), known),)

    def link_of(self, end: LinkReference) -> Link | None:
        """Return a link, None for the world."""
        if not end.body:
            return None
        body = self.env.bodies[end.body]
        return body.links[end.link or 0]

    def touching(self, link: Link) -> list[tuple[PhysicsContact, Link, float]]:
        """Return contacts of a link, what touches it, and 1 where it is the second.

        Then normals and forces point as they act on it; -1: the other way.
        """
        try:
            found = self.env.physics_engine.contacts()
        except NotSupportedError:
            return []
        second = [(one, one.first, 1.0) for one in found if one.second is link]
        first = [(one, one.second, -1.0) for one in found if one.first is link]
        return second + first


class FTSensor(
    SceneSensor[ForceTorqueSensor, Force6DGeometry, Force6DData], BaseForce6D
):
    """Measure what a link exerts on another, as RobWork's sensors of this name.

    Minus the force and the torque that act on the child: through the joint between the
    two links, if there is one, by constraints and by contacts. The torque is about the
    origin of the sensor's frame, and its axes count. Zero without a physics engine that
    knows them. Polarity, noise, ranges and the rest are those of `BaseForce6D`.
    """

    contract = 2
    settings_type = FTGeometry
    data_type = Force6DData
    part_type = ForceTorqueSensor

    def sample(self, stamp: float, pose: Array) -> Force6DData:
        """Measure the load in the frame that the description names."""
        part = self.part
        if part is not None:
            frame = self.link_of(part.frame)
            place = part.pose.matrix
            pose = place if frame is None else frame.transform @ place
        return BaseForce6D.sample(self, stamp, pose)

    def _load(self, pose: Array) -> Array:
        """Return the load (6,) on the parent, in the sensor's axes."""
        part = self.part
        if part is None:
            return np.zeros(6)
        try:
            wrench = self._wrench(part, pose[:3, 3])
        except NotSupportedError:
            return np.zeros(6)
        turn = -pose[:3, :3].T
        return np.concatenate((turn @ wrench[:3], turn @ wrench[3:]))

    def _wrench(self, part: ForceTorqueSensor, origin: Array) -> Array:
        """Return the wrench on the child, about a point; world axes."""
        engine = self.env.physics_engine
        parent, child = self.link_of(part.parent), self.link_of(part.child)
        if child is None:
            return np.zeros(6)
        found = engine.get_link_force_torque(child)
        wrench = about(found, child.transform[:3, 3], origin)
        for joint in child.body.all_joints:
            ends = joint.parent_link, joint.child_link
            if ends in {(parent, child), (child, parent)}:
                given = engine.get_joint_force_torque(joint)
                sign = 1.0 if ends[1] is child else -1.0
                wrench += sign * about(given, joint.anchor, origin)
        return wrench


class BodyContactSensor(SceneSensor[ContactSensor, TouchGeometry, ContactData]):
    """Measure where a link is touched, with what force and by what, in its axes.

    Nothing without a physics engine that knows contacts.
    """

    contract = 2
    settings_type = TouchGeometry
    data_type = ContactData
    part_type = ContactSensor

    def sample(self, stamp: float, pose: Array) -> ContactData:
        """Collect the contacts."""
        part = self.part
        link = None if part is None else self.link_of(part.link)
        if link is None:
            return ContactData(stamp, pose.copy())
        place, found = link.transform, self.touching(link)
        turn = place[:3, :3]
        points = np.array([one.position for one, _, _ in found]).reshape(-1, 3)
        normals = np.array([s * one.normal for one, _, s in found]).reshape(-1, 3)
        forces = np.array([s * one.force for one, _, s in found]).reshape(-1, 3)
        return ContactData(
            stamp,
            place,
            forces @ turn,
            points=(points - place[:3, 3]) @ turn,
            normals=normals @ turn,
            links=tuple((other.body.name, other.name) for _, other, _ in found),
        )


class TactileArraySensor(SceneSensor[TactileArray, TouchGeometry, TactileArrayData]):
    """Measure pressures on the cells of a grid on a link.

    What contacts push against the grid, along the normals of its cells, spreads over
    the cells within 1.5 cells, the more the nearer: the sum over all cells of pressure
    times area is the normal force. Pressures above the range are clipped, those below
    are zero. Nothing without a physics engine that knows contacts.
    """

    contract = 2
    settings_type = TouchGeometry
    data_type = TactileArrayData
    part_type = TactileArray

    def sample(self, stamp: float, pose: Array) -> TactileArrayData:
        """Spread the contacts over the cells."""
        part = self.part
        link = None if part is None else self.link_of(part.link)
        if part is None or link is None:
            return TactileArrayData(stamp, pose.copy())
        place = link.transform @ part.pose.matrix
        centers, normals = cells_of(part)
        loads = np.zeros(len(centers))
        size = np.array(part.cell_size)
        for contact, _, sign in self.touching(link):
            point = transform_points(np.linalg.inv(place), contact.position[None])[0]
            force = sign * (place[:3, :3].T @ contact.force)
            away = np.linalg.norm((centers[:, :2] - point[:2]) / size, axis=1)
            share = np.maximum(1.0 - (away / _REACH) ** 2, 0.0) ** 2
            against = np.maximum(-normals @ force, 0.0)
            if share.any():
                loads += share / share.sum() * against
        pressures = loads / size.prod()
        pressures[pressures < part.lowest] = 0.0
        pressures = np.minimum(pressures, part.highest)
        shape = len(part.heights) - 1, len(part.heights[0]) - 1
        return TactileArrayData(
            stamp,
            place,
            -normals * (pressures * size.prod())[:, None],
            pressures=pressures.reshape(shape),
        )


def about(wrench: Array, before: Array, after: Array) -> Array:
    """Return a wrench (6,) about one point, about another."""
    made = wrench.copy()
    made[3:] += np.cross(before - after, wrench[:3])
    return made


def cells_of(part: TactileArray) -> tuple[Array, Array]:
    """Return centres and unit normals (n, 3) of the cells of an array, row by row."""
    heights, (dx, dy) = np.array(part.heights), part.cell_size
    rows, columns = heights.shape[0] - 1, heights.shape[1] - 1
    corners = [heights[i : i + rows, j : j + columns] for i in (0, 1) for j in (0, 1)]
    low, right, up, both = corners
    y, x = np.mgrid[0:rows, 0:columns] + 0.5
    middle = (low + right + up + both) / 4.0
    centers = np.stack((x * dx, y * dy, middle), axis=-1).reshape(-1, 3)
    slope_x = ((right + both) - (low + up)) / (2.0 * dx)
    slope_y = ((up + both) - (low + right)) / (2.0 * dy)
    normals = np.stack((-slope_x, -slope_y, np.ones_like(middle)), axis=-1)
    normals = normals.reshape(-1, 3)
    return centers, normals / np.linalg.norm(normals, axis=1, keepdims=True)
