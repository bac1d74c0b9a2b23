"""Odometry: pose and velocity of a body, as it would measure them itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotFoundError
from pyrave.interfaces.sensor import UnresolvedName
from pyrave.records import Record
from pyrave.sensing.data import OdometryData
from pyrave.spatial import Array, invert_pose, matrix_from_axis_angle, rotation_vector
from pyrave_sensors.bodies.disturbance import correlated, white
from pyrave_sensors.bodies.moving_sensor import (
    MovingGeometry,
    MovingSensor,
    covariance,
    switch,
)
from pyrave_sensors.settings.fields import setting
from pyrave_sensors.settings.file_geometry import same_but_for_looks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link


@dataclass(frozen=True, repr=False)
class OdometryGeometry(MovingGeometry):
    """Whose motion is reported, and how wrong it is."""

    title = "an odometer"

    # fmt: off
    target_id: str = setting(
        "", "targetid target target_id", example="robot", shown="the carrying link",
        doc="`body`, `body/link`, or a link of the robot")
    pose_covariance: Array = covariance(
        "metres, then radians", "in the axes of the target", size=6)
    velocity_covariance: Array = covariance(
        "m/s, then rad/s", "in the axes of the target", size=6)
    drift: Array = setting(
        np.zeros(4), example="0.01 0 0 0.02", least=0.0,
        unit="m and rad per root of metres and radians of motion",
        doc="m by root of m, m by root of rad, rad by root of m, rad by root of rad")
    draw_covariances: bool = switch("1: measurements have errors of both covariances")
    # fmt: on


@dataclass(frozen=True, slots=True)
class _Track(Record):
    """(4, 4) poses of the target: where it was last, and where it believes it was."""

    true: Array
    believed: Array


class BaseOdometry(MovingSensor[OdometryGeometry, OdometryData]):
    """Report the pose and the velocity of a body or link in the world.

    The target is ``target_id``: a body (its base link), ``body/link``, or a link of the
    carrying robot. Without it the carrying link's motion is reported, or the
    sensor's own if it stands alone.

    With a ``drift`` each motion between two measurements goes astray in the target's
    xy plane, as that of a wheeled base: along x and y with the variance
    drift[0]^2 way + drift[1]^2 turn, about z with drift[2]^2 way + drift[3]^2 turn. So
    the error does not depend on the period (compare Thrun, Burgard, Fox, Probabilistic
    Robotics, chapter 5.4). These add up from where the sensor was switched on. On top
    come errors of the covariances in each measurement, with ``draw_covariances``.

    XML tags: see `OdometryGeometry`.
    """

    contract = 2
    settings_type = OdometryGeometry
    data_type = OdometryData

    def __init__(self, env: Environment, *args: str) -> None:
        self._track: _Track | None = None
        super().__init__(env, *args)

    def settings_changed(self, before: OdometryGeometry) -> None:
        """Begin a new track with another geometry."""
        if not same_but_for_looks(self.geometry, before):
            self._track = None
            self.history.clear()

    def restart(self) -> None:
        """Forget the motion so far; the sensor believes in the present pose."""
        super().restart()
        self._track = None

    @property
    def target(self) -> Link | None:
        """The link whose motion is reported; None: the sensor itself.

        Raises
        ------
        NotFoundError
            There is no such body or link.
        """
        name = self.geometry.target_id
        if not name:
            return self.carrier
        found = self._found(name)
        if found is None:
            raise NotFoundError("odometry target", name, self._known(name))
        return found

    def unresolved_names(self) -> tuple[UnresolvedName, ...]:
        """Return the target if it is not there."""
        name = self.geometry.target_id
        if not name or self._found(name) is not None:
            return ()
        mounting = self.mounting
        own = mounting is not None and name.startswith(f"{mounting.robot.name}/")
        known = self._known(name)
        return (UnresolvedName("body or link", name, known, elsewhere=not own),)

    def _found(self, name: str) -> Link | None:
        body = self.env.bodies.get(name)
        if body is not None:
            return body.links[0]
        mounting = self.mounting
        if mounting is not None and name in mounting.robot.links:
            return mounting.robot.links[name]
        for body, link in self._split(name):
            if link in body.links:
                return body.links[link]
        return None

    def _known(self, name: str) -> tuple[str, ...]:
        """Return the known targets: bodies, or the links of a named body."""
        for body, _ in self._split(name):
            return tuple(f"{body.name}/{link.name}" for link in body.links)
        mounting = self.mounting
        own = () if mounting is None else mounting.robot.model.link_names
        return (*self.env.bodies.names, *own)

    def _split(self, name: str) -> Iterator[tuple[KinBody, str]]:
        """Yield bodies with what follows ``body/``; names may hold slashes, too."""
        for cut in (k for k, letter in enumerate(name) if letter == "/"):
            body = self.env.bodies.get(name[:cut])
            if body is not None:
                yield body, name[cut + 1 :]

    def observed(self) -> KinBody | None:
        """Return the body whose motion is reported."""
        target = self.target
        return None if target is None else target.body

    def sample(self, stamp: float, pose: Array) -> OdometryData:
        """Report the target's motion."""
        g, target = self.geometry, self.target
        true = pose if target is None else target.pose_view
        motion = self.motion_of(target)
        believed = self._believed(true.copy())
        twist = np.concatenate((motion.velocity, motion.angular_velocity))
        turns = np.kron(np.eye(2), true[:3, :3])
        if g.draw_covariances:
            believed = believed @ _small(correlated(self.random, g.pose_covariance)[0])
            error = correlated(self.random, g.velocity_covariance)[0]
            twist += turns @ error
        return OdometryData(
            stamp,
            pose.copy(),
            believed.copy(),
            twist[:3],
            twist[3:],
            g.pose_covariance.copy(),
            turns @ g.velocity_covariance @ turns.T,
        )

    def _believed(self, true: Array) -> Array:
        """Return (4, 4) where the target believes to be: its track goes astray."""
        g, before = self.geometry, self._track
        if before is None or not g.drift.any():
            self._track = _Track(true, true)
            return true
        motion = invert_pose(before.true) @ true
        way = float(np.linalg.norm(motion[:3, 3]))
        turn = float(np.linalg.norm(rotation_vector(motion[:3, :3])))
        across, about = np.sqrt(
            g.drift.reshape(2, 2) ** 2 @ (way, turn)  # variances add
        )
        x, y, angle = white(self.random, (across, across, about), 3)
        error = _small(np.array((x, y, 0.0, 0.0, 0.0, angle)))
        believed = before.believed @ motion @ error
        self._track = _Track(true, believed)
        return np.asarray(believed)

    def kept(self) -> Any:
        """Return the track."""
        return self._track

    def keep(self, kept: Any) -> None:
        """Adopt the track of a copy."""
        self._track = kept


def _small(vector: Array) -> Array:
    """Return the (4, 4) motion of a translation and a rotation vector, (6,)."""
    motion = np.eye(4)
    motion[:3, 3] = vector[:3]
    motion[:3, :3] = matrix_from_axis_angle(vector[3:])
    return motion
