"""Encoders: positions and velocities of joints, in whole ticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.sensor_data import JointEncoderData
from pyrave.interfaces.sensor_geometry import JointEncoderGeometry
from pyrave_sensors.disturbance import quantised, white
from pyrave_sensors.motion import MovingSensor
from pyrave_sensors.tables_body import JOINT_ENCODER

if TYPE_CHECKING:
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.interfaces.kinbody import Joint
    from pyrave.interfaces.sensor import UnresolvedName
    from pyrave.spatial import Array
    from pyrave_sensors.settings import SettingTable

__all__ = ["BaseEncoder"]


@dataclass(frozen=True, slots=True)
class _Reading:
    time: int
    values: Array
    velocities: Array


class BaseEncoder(MovingSensor[JointEncoderGeometry, JointEncoderData]):
    """Count the ticks of joints of the robot that carries it.

    It reads the joints that ``joints`` names; without that the joint that moves the
    carrying link (mimic joints too), or all degrees of freedom if it is
    carried by the base. A stand-alone encoder has none.

    A value is the joint's plus ``offset``, rounded to whole ticks of ``resolution``.
    A velocity is the joint's own while the robot has velocities; else the difference of
    two readings over the time between them, so that it has steps too; 0 at first.
    Errors of ``position_sigma`` are added before rounding, and of ``velocity_sigma``
    to velocities.

    XML tags: ``joints``, ``resolution``, ``offset``, ``position_sigma``,
    ``velocity_sigma`` (radians or metres, one or one each), ``time_measurement``,
    ``seed``.
    """

    contract = 1
    geometry_type = JointEncoderGeometry
    data_type = JointEncoderData
    settings: ClassVar[SettingTable] = JOINT_ENCODER

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        self._previous: _Reading | None = None
        super().__init__(env, *args)

    def default_geometry(self) -> JointEncoderGeometry:
        """Return an exact encoder of the joint above."""
        return JointEncoderGeometry()

    def geometry_changed(self) -> None:
        """Forget the reading of the old geometry."""
        self._previous = None

    def restart(self) -> None:
        """Forget the motion so far."""
        super().restart()
        self._previous = None

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that it reads."""
        body = self.observed()
        if body is None:
            return ()
        if self._geometry.joints.strip():
            return self.joints_named(self._geometry.joints)
        above = self.joint_above()
        return tuple(body.joints) if above is None else (above,)

    def unresolved_names(self) -> tuple[UnresolvedName, ...]:
        """Return the joints that it shall read and does not find."""
        return self.unknown_joints(self._geometry.joints)

    def sample(self, stamp: int, pose: Array) -> JointEncoderData:
        """Read the joints."""
        joints = self.joints
        true = _joined([joint.values for joint in joints])
        n, g = len(true), self._geometry
        wrong = white(self.random, _each(g.position_sigma, n), n)
        also_wrong = white(self.random, _each(g.velocity_sigma, n), n)
        shown = true + _each(g.offset, n) + wrong
        values = quantised(shown, _each(g.resolution, n))
        velocities = self._velocities(joints, values) + also_wrong
        return JointEncoderData(stamp, pose.copy(), values, velocities)

    def _velocities(self, joints: tuple[Joint, ...], values: Array) -> Array:
        """Return the robot's velocities, or those between this reading and the last."""
        before, time = self._previous, self.time
        body = self.observed()
        if body is not None and (body.dof_velocities.any() or body.base_velocity.any()):
            velocities = _joined([joint.velocities for joint in joints])
        elif before is None or len(before.values) != len(values):
            velocities = np.zeros(len(values))
        elif time <= before.time:
            velocities = before.velocities.copy()
        else:
            parts, start = [], 0
            for joint in joints:
                span = slice(start, start + len(joint.values))
                parts.append(joint.subtract_values(values[span], before.values[span]))
                start = span.stop
            velocities = _joined(parts) / ((time - before.time) * 1e-6)
        if self.step:
            self._previous = _Reading(time, values, velocities)
        return velocities

    def kept(self) -> Any:
        """Return the last reading."""
        return self._previous

    def keep(self, kept: Any) -> None:
        """Take over a twin's last reading."""
        self._previous = kept


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0)


def _each(values: Array, n: int) -> Array:
    """Return (n,) of one value for all, of n values, or of none (zeros)."""
    if len(values) not in {0, 1, n}:
        raise ArgumentError(
            f"an encoder of {n} degrees of freedom got {len(values)} numbers for each "
            "of them; expected one, or one a degree of freedom"
        )
    return np.broadcast_to(values if len(values) else np.zeros(1), (n,))
