"""Odometry: pose and velocity of a body, as it would measure them itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import NotFoundError
from pyrave.interfaces.sensor_data import OdometryData
from pyrave.interfaces.sensor_geometry import OdometryGeometry
from pyrave.spatial import invert_pose, matrix_from_axis_angle, rotation_vector
from pyrave_sensors.disturbance import correlated, white
from pyrave_sensors.motion import MovingSensor
from pyrave_sensors.tables_body import ODOMETRY

if TYPE_CHECKING:
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.interfaces.kinbody import KinBody, Link
    from pyrave.spatial import Array
    from pyrave_sensors.settings import SettingTable

__all__ = ["BaseOdometry"]


@dataclass(frozen=True, slots=True)
class _Track:
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

    XML tags: ``targetid`` (or ``target``), ``pose_covariance``,
    ``velocity_covariance`` (36), ``drift`` (4), ``time_measurement``,
    ``draw_covariances``, ``seed``.
    """

    contract = 1
    geometry_type = OdometryGeometry
    data_type = OdometryData
    settings: ClassVar[SettingTable] = ODOMETRY

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        self._track: _Track | None = None
        super().__init__(env, *args)

    def default_geometry(self) -> OdometryGeometry:
        """Return a perfect odometer of what carries it."""
        return OdometryGeometry()

    def geometry_changed(self) -> None:
        """Begin a new track."""
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
        name = self._geometry.target_id
        if not name:
            return self.carrier
        found = self.env.bodies.get(name)
        if found is not None:
            return found.links[0]
        mounting = self.mounting
        if mounting is not None and name in mounting.robot.links:
            return mounting.robot.links[name]
        return self._link_of_body(name)

    def _link_of_body(self, name: str) -> Link:
        # names may hold slashes themselves
        cuts = [k for k, letter in enumerate(name) if letter == "/"]
        for cut in cuts:
            body = self.env.bodies.get(name[:cut])
            if body is not None and name[cut + 1 :] in body.links:
                return body.links[name[cut + 1 :]]
        known = [body.name for body in self.env.bodies]
        raise NotFoundError("odometry target", name, known)

    def observed(self) -> KinBody | None:
        """Return the body whose motion is reported."""
        target = self.target
        return None if target is None else target.body

    def sample(self, stamp: int, pose: Array) -> OdometryData:
        """Report the target's motion."""
        g, target = self._geometry, self.target
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
        g, before = self._geometry, self._track
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
        """Take over a twin's track."""
        self._track = kept


def _small(vector: Array) -> Array:
    """Return the (4, 4) motion of a translation and a rotation vector, (6,)."""
    motion = np.eye(4)
    motion[:3, 3] = vector[:3]
    motion[:3, :3] = matrix_from_axis_angle(vector[3:])
    return motion
