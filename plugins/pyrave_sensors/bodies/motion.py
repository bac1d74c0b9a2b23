"""Velocities and accelerations of bodies from simulation steps."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from pyrave import kinematics
from pyrave.authoring import PeriodicSensor
from pyrave.interfaces.sensor import UnresolvedName
from pyrave.records import Record
from pyrave.sensing.data import SensorData
from pyrave.spatial import Array, rotation_vector
from pyrave_sensors.bodies.disturbance import is_covariance
from pyrave_sensors.settings.fields import (
    Conflict,
    schema_of,
    setting,
)
from pyrave_sensors.settings.file_geometry import FileGeometry
from pyrave_sensors.tracks.history import History, ticks_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link

G = TypeVar("G", bound="MovingGeometry")
D = TypeVar("D", bound=SensorData)

# second order needs three snapshots for a first derivative, four for a second one
_DEPTH = 4


_NEXT, _AFTER = np.array((1, 2, 0)), np.array((2, 0, 1))


def cross(a: Array, b: Array) -> Array:
    """Return a x b of (..., 3) vectors; a fifth of numpy's time for few of them."""
    left = a[..., _NEXT] * b[..., _AFTER]
    return np.asarray(left - a[..., _AFTER] * b[..., _NEXT])


@dataclass(frozen=True, slots=True)
class Snapshot(Record):
    """Pose, joint values and velocities of a body, or of a frame alone.

    Parameters
    ----------
    pose
        (4, 4) T_world_base.
    velocity
        (6,) of the base, linear first, world axes.
    values, rates
        (dof,).
    """

    pose: Array
    velocity: Array
    values: Array
    rates: Array

    @classmethod
    def from_body(cls, body: KinBody) -> Snapshot:
        """Return the present state of a body."""
        return cls(
            body.transform, body.base_velocity, body.dof_values, body.dof_velocities
        )

    @classmethod
    def of_frame(cls, pose: Array) -> Snapshot:
        """Return the present state of a frame that no body carries."""
        return cls(pose.copy(), np.zeros(6), np.zeros(0), np.zeros(0))

    def same_place(self, other: Snapshot) -> bool:
        """Return True if another snapshot shows the same configuration."""
        return np.array_equal(self.values, other.values) and np.array_equal(
            self.pose, other.pose
        )


@dataclass(frozen=True, slots=True)
class BodyMotion(Record):
    """Motion of a body at one moment.

    Parameters
    ----------
    velocity, acceleration
        (6,) of the base link's origin, linear first, world axes.
    rates, accelerations
        (dof,).
    """

    velocity: Array
    acceleration: Array
    rates: Array
    accelerations: Array

    def of_links(self, body: KinBody) -> tuple[Array, Array]:
        """Return (n_links, 6) velocities and accelerations of the links' origins.

        World axes, linear first; gravity is not part of accelerations.
        """
        base, q = body.links[0].pose_view, body.dof_values
        velocities = kinematics.link_velocities(
            body.state_model, base, q, self.rates, self.velocity
        )
        accelerations = kinematics.link_accelerations(
            body.state_model, base, q, self.rates, self.accelerations, self.velocity
        )
        # the accelerating base carries everything with it as one rigid body
        origins = body.transforms_view[:, :3, 3]
        arms = origins - origins[0]
        accelerations[:, :3] += self.acceleration[:3]
        accelerations[:, :3] += cross(self.acceleration[3:], arms)
        accelerations[:, 3:] += self.acceleration[3:]
        return velocities, accelerations


@dataclass(frozen=True, slots=True)
class FrameMotion(Record):
    """Motion of frames: (..., 3) vectors in world axes, m/s, rad/s, m/s2, rad/s2."""

    velocity: Array
    angular_velocity: Array
    acceleration: Array
    angular_acceleration: Array

    @classmethod
    def of_twists(cls, velocity: Array, acceleration: Array) -> FrameMotion:
        """Return the motion with these (..., 6) velocities and accelerations."""
        return cls(
            velocity[..., :3],
            velocity[..., 3:],
            acceleration[..., :3],
            acceleration[..., 3:],
        )

    def at(self, arm: Array) -> FrameMotion:
        """Return the motion of a point that is fixed in the frame.

        Parameters
        ----------
        arm
            (..., 3) from the frame's origin to the point, world axes.
        """
        w, alpha = self.angular_velocity, self.angular_acceleration
        across = cross(w, arm)
        return FrameMotion(
            self.velocity + across,
            w,
            self.acceleration + cross(alpha, arm) + cross(w, across),
            alpha,
        )


class MotionHistory(History[Snapshot]):
    """The last snapshots of a body, from which its motion now is derived.

    A degree of freedom (or the base) that was given a velocity in this step or in the
    one before has that velocity; its acceleration is the derivative of the given
    ones. All others are differentiated from where they were: backward differences
    through the last three (velocity) and four (acceleration) snapshots, of second
    order in the step also if steps differ, so exact where values are quadratic in time
    (velocities) or cubic (accelerations). Rotations of the base are differentiated as
    rotation vectors against the newest. While there are fewer snapshots the order is
    lower, and one snapshot alone is at rest.
    """

    def __init__(self, items: Iterable[tuple[int, Snapshot]] = ()) -> None:
        super().__init__(items, most=_DEPTH)

    def record(self, time: int, thing: Snapshot) -> None:
        """Add the state after a step; another number of joints restarts the record."""
        if self._items and len(thing.values) != len(self._items[-1][1].values):
            self.clear()
        super().record(time, thing)

    def motion(self, now: Snapshot, body: KinBody | None = None) -> BodyMotion:
        """Return the motion at `now`.

        A body that was put elsewhere since the last record has its given velocities
        and does not accelerate: its former place has no meaning.
        """
        known = [snapshot for _, snapshot in self._items]
        if not known or not known[-1].same_place(now):
            zero = np.zeros_like(now.rates)
            return BodyMotion(now.velocity, np.zeros(6), now.rates, zero)
        shift = np.array([_shift(now.pose, one.pose) for one in known])
        velocity, acceleration = self._derived(
            shift, np.array([one.velocity for one in known])
        )
        values = np.array([one.values for one in known]) - now.values
        if body is not None:
            periods = body.model.circular_periods
            values = kinematics.angle_difference(values, periods)
        rates, accelerations = self._derived(
            values, np.array([one.rates for one in known])
        )
        return BodyMotion(velocity, acceleration, rates, accelerations)

    def _derived(self, places: Array, given: Array) -> tuple[Array, Array]:
        """Return velocity and acceleration (n,) from places and velocities (k, n)."""
        times = [time - self._items[-1][0] for time, _ in self._items]
        driven = (given[-2:] != 0).any(axis=0)
        velocity = np.where(driven, given[-1], _derivative(times, places, 1))
        acceleration = np.where(
            driven, _derivative(times, given, 1), _derivative(times, places, 2)
        )
        return velocity, acceleration


def _derivative(times: list[int], values: Array, order: int) -> Array:
    """Return the derivative of (k, n) values at the last of k times (microseconds)."""
    count = min(len(times), order + 2)
    if count <= order:
        return np.zeros(values.shape[1])
    return np.asarray(_weights(tuple(times[-count:]), order) @ values[-count:])


@functools.lru_cache(maxsize=256)
def _weights(times: tuple[int, ...], order: int) -> Array:
    """Return the weights of a polynomial's derivative at time 0, per second^order."""
    span = -times[0] * 1e-6
    scaled = np.array(times) * 1e-6 / span
    wanted = np.zeros(len(times))
    wanted[order] = math.factorial(order) / span**order
    return np.asarray(np.linalg.solve(np.vander(scaled, increasing=True).T, wanted))


def _shift(newest: Array, pose: Array) -> Array:
    """Return (6,) of a pose against the newest: translation and rotation vector.

    At the newest pose the derivatives of the rotation vector are the angular velocity
    and acceleration (the exponential's tangent is the identity there, and its
    derivative along the motion has no part across it).
    """
    if np.array_equal(newest, pose):
        return np.zeros(6)
    turn = newest[:3, :3] @ rotation_vector(newest[:3, :3].T @ pose[:3, :3])
    return np.concatenate((pose[:3, 3] - newest[:3, 3], turn))


@dataclass(frozen=True, repr=False)
class MovingGeometry(FileGeometry):
    """Encoders, force, inertial and tactile sensors, odometers, motors."""

    # fmt: off
    time_measurement: float = setting(
        0.0, "time_measurement measurement_time", example="0.01", least=0.0,
        unit="seconds", doc="between measurements; 0 is every step")
    # fmt: on

    def conflict(self) -> Conflict | None:
        """Return a covariance that is not positive semidefinite."""
        for one in schema_of(type(self)).own():
            if not one.name.endswith("_covariance"):
                continue
            if not is_covariance(getattr(self, one.name)):
                message = f"{one.name} is not symmetric without negative moments"
                return Conflict((one.name,), message)
        return None


def quantity(
    default: float, unit: str, doc: str, example: str, tags: str = "", **more: Any
) -> Any:
    """Return the setting of a number that is not negative."""
    bounds = {"least": 0.0, **more}
    return setting(default, tags, example=example, unit=unit, doc=doc, **bounds)


def three(unit: str, doc: str, example: str) -> Any:
    """Return the setting of three limits; 0 or less: not known."""
    return setting(
        np.zeros(3), example=example, unit=unit, shown="unknown",
        doc=f"{doc}; 0 or less is not known",
    )  # fmt: skip


def covariance(unit: str, doc: str = "of each measurement", size: int = 3) -> Any:
    """Return the setting of a covariance matrix."""
    return setting(
        np.zeros((size, size)), example="0" + " 0" * (size**2 - 1), shown="zeros",
        unit=f"({unit}) squared, row by row", doc=doc,
    )  # fmt: skip


def for_each(example: str, doc: str, **bounds: float) -> Any:
    """Return the setting of one number for all degrees of freedom, or one for each."""
    doc = f"{doc}, one number or one for each joint"
    unit = "radians or metres"
    return setting(
        np.empty(0), example=example, shown="none", unit=unit, doc=doc, **bounds
    )


def switch(doc: str) -> Any:
    """Return the setting of a switch that is off at first."""
    return setting(False, example="1", doc=doc)


class MovingSensor(PeriodicSensor[D], Generic[G, D]):
    """A sensor that depends on the motion of a body.

    It records a snapshot in each step while it is switched on.
    """

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.history = MotionHistory()
        self.step = 0.0
        """Length of the step that is being made, seconds; 0 outside of steps."""

    @abstractmethod
    def sample(self, stamp: float, pose: Array) -> D:
        """Return a measurement of now.

        Parameters
        ----------
        stamp
            Simulated time, seconds.
        pose
            (4, 4) T_world_sensor, not to be changed.
        """

    def measure(self) -> D:
        """Measure now, switched on or not; returns data of the caller's own."""
        return self.record(self.sample(self.env.simulation_time, self.transform))

    @property
    def geometry(self) -> G:
        """The geometry of the sensor, which are its settings."""
        made: G = self._part_settings
        return made

    @property
    def period(self) -> float:
        """Seconds between measurements; 0: every step measures."""
        return self.geometry.time_measurement

    def observed(self) -> KinBody | None:
        """Return the body whose motion counts: the carrying robot, if there is one."""
        mounting = self.mounting
        return None if mounting is None else mounting.robot

    @property
    def carrier(self) -> Link | None:
        """The link that carries the sensor, None if it stands alone."""
        mounting = self.mounting
        return None if mounting is None else mounting.link

    def joint_above(self) -> Joint | None:
        """Return the nearest joint that moves the carrying link; None: it's a base."""
        carrier = self.carrier
        if carrier is None:
            return None
        body, index = carrier.body, carrier.index
        while (above := int(body.model.parent_joint[index])) >= 0:
            if body.all_joints[above].dof:
                return body.all_joints[above]
            index = int(body.model.parent_link[index])
        return None

    def joints_named(self, names: str) -> tuple[Joint, ...]:
        """Return joints of the carrying robot; NotFoundError for unknown names."""
        body = self.observed()
        if body is None:
            return ()
        numbers = [body.model.joint_number(name) for name in names.split()]
        return tuple(body.all_joints[number] for number in numbers)

    def unknown_joints(self, names: str) -> tuple[UnresolvedName, ...]:
        """Return the names that `joints_named` does not find."""
        mounting = self.mounting
        alone = mounting is None
        known = () if mounting is None else mounting.robot.model.joint_names
        there = frozenset(known)
        hint = "attach it to a robot: joints are those of the robot that carries it"
        return tuple(
            UnresolvedName("joint", name, known, alone, hint if alone else "")
            for name in dict.fromkeys(names.split())
            if name not in there
        )

    @property
    def time(self) -> int:
        """Time of the present state, whole microseconds."""
        return ticks_of(self.env)

    def restart(self) -> None:
        """Forget the motion so far."""
        super().restart()
        self.history.clear()

    def simulation_step(self, dt: float) -> None:
        """Note the motion, and measure if it is time and the sensor is switched on."""
        if not self.is_on:
            return
        self.step = dt
        try:
            self.history.record(self.time, self.snapshot())
            self.advance(dt)
            super().simulation_step(dt)
        finally:
            self.step = 0.0

    def advance(self, dt: float) -> None:
        """Follow the motion between measurements; does nothing unless overridden."""

    def snapshot(self) -> Snapshot:
        """Return the present state of the observed body or frame."""
        body = self.observed()
        if body is None:
            return Snapshot.of_frame(self.transform)
        return Snapshot.from_body(body)

    def motion(self) -> BodyMotion:
        """Return the present motion of the observed body or frame.

        One that is off has not followed it, and knows given velocities only.
        """
        history = self.history if self.is_on else MotionHistory()
        return history.motion(self.snapshot(), self.observed())

    def motion_of(self, link: Link | None) -> FrameMotion:
        """Return the motion of a link's origin, or of the observed frame."""
        motion = self.motion()
        if link is None:
            return FrameMotion.of_twists(motion.velocity, motion.acceleration)
        velocities, accelerations = motion.of_links(link.body)
        return FrameMotion.of_twists(velocities[link.index], accelerations[link.index])

    def get_own_state(self) -> Any:
        """Return the snapshots, and the state of the sensor type."""
        return self.history.items, self.kept()

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        items, kept = state
        self.history = MotionHistory(items)
        self.keep(kept)

    def kept(self) -> Any:
        """Return the state between measurements; must pickle."""
        return None

    def keep(self, kept: Any) -> None:
        """Adopt the `kept` of a copy."""
