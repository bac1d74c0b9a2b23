"""Velocities and accelerations of bodies from simulation steps."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave import kinematics
from pyrave.records import Record
from pyrave.spatial import Array, rotation_vector
from pyrave_sensors.tracks.history import History

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.bodies.kinbody import KinBody

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
