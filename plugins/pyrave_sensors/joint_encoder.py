"""Encoders: positions and velocities of joints, in whole ticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.records import Record
from pyrave.sensing.data import JointEncoderData
from pyrave.spatial import Array
from pyrave_sensors.bodies.disturbance import quantised, white
from pyrave_sensors.bodies.moving_sensor import MovingGeometry, MovingSensor, for_each
from pyrave_sensors.settings.fields import setting
from pyrave_sensors.settings.file_geometry import same_but_for_looks

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.views.joint import Joint
    from pyrave.interfaces.sensor import UnresolvedName


@dataclass(frozen=True, slots=True)
class _Reading(Record):
    time: int
    values: Array
    velocities: Array


@dataclass(frozen=True, repr=False)
class JointEncoderGeometry(MovingGeometry):
    """Joints, ticks and errors of an encoder."""

    title = "a joint encoder"

    # fmt: off
    joints: str = setting(
        "", "joints joints joint", example="joint0 joint1", shown="the joint above",
        doc="names; on the base link: all joints")
    resolution: Array = for_each("0.001", "one tick", least=0.0)
    offset: Array = for_each("0.01", "reading at 0")
    position_sigma: Array = for_each("0.0005", "standard deviation", least=0.0)
    velocity_sigma: Array = for_each(
        "0.005", "standard deviation, per second", least=0.0)
    # fmt: on


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

    XML tags: see `JointEncoderGeometry`.
    """

    contract = 2
    settings_type = JointEncoderGeometry
    data_type = JointEncoderData

    def __init__(self, env: Environment, *args: str) -> None:
        self._previous: _Reading | None = None
        super().__init__(env, *args)

    def settings_changed(self, before: JointEncoderGeometry) -> None:
        """Forget the reading of another geometry."""
        if not same_but_for_looks(self.geometry, before):
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
        if self.geometry.joints.strip():
            return self.joints_named(self.geometry.joints)
        above = self.joint_above()
        return tuple(body.joints) if above is None else (above,)

    def unresolved_names(self) -> tuple[UnresolvedName, ...]:
        """Return the joints that it shall read and does not find."""
        return self.unknown_joints(self.geometry.joints)

    def sample(self, stamp: float, pose: Array) -> JointEncoderData:
        """Read the joints."""
        joints = self.joints
        true = _joined([joint.values for joint in joints])
        n, g = len(true), self.geometry
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
        """Adopt the last reading of a copy."""
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
