"""A body in the model: indices of its state, and transfers to and from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import quat_from_matrix, skew
from pyrave_mujoco.bodies.driven_bodies import Driving

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array, Indices
    from pyrave.world.motion_groups import MotionGroup
    from pyrave_mujoco.bodies.couplings import Coupling


_NONE = np.empty(0, np.int64)

JointKey = tuple[str, int]
"""Key of a joint in its body: its kind, and its link or first value."""


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """A spherical joint.

    Parameters
    ----------
    value
        Index of the first component of its rotation vector in the body.
    place, rate
        Of its quaternion in `qpos`, of its velocity in `qvel`.
    frame
        (3, 3) axes of the rotation vector in the link.
    sign
        -1 where the link turns the other way.
    """

    value: int
    place: int
    rate: int
    frame: Array
    sign: float

    def vector(self, qpos: Array) -> Array:
        """Return the rotation vector (3,) of a quaternion in `qpos`."""
        w, x, y, z = qpos[self.place : self.place + 4].tolist()
        length = float(np.sqrt(x * x + y * y + z * z))
        if length == 0.0:
            return np.zeros(3)
        angle = 2.0 * np.arctan2(length, w)
        if angle > np.pi:
            angle -= 2.0 * np.pi
        turned = self.frame.T @ np.array((x, y, z))
        return np.asarray(self.sign * angle / length * turned)

    def put(self, vector: Array, qpos: Array) -> None:
        """Write the quaternion of a rotation vector."""
        angle = float(np.linalg.norm(vector))
        axis = self.frame @ (self.sign * vector) / (angle or 1.0)
        qpos[self.place] = np.cos(0.5 * angle)
        qpos[self.place + 1 : self.place + 4] = np.sin(0.5 * angle) * axis

    def turning(self, vector: Array) -> Array:
        """Return (3, 3) what takes rates of the vector to MuJoCo's velocity.

        The right Jacobian of the exponential (Chirikjian, Stochastic Models,
        Information Theory, and Lie Groups, volume 2, equation 10.86).
        """
        turned = self.sign * vector
        angle = float(np.linalg.norm(turned))
        cross = skew(turned)
        if angle < 1e-4:
            first, second = 0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0
        else:
            first = (1.0 - np.cos(angle)) / angle**2
            second = (angle - np.sin(angle)) / angle**3
        right = np.eye(3) - first * cross + second * cross @ cross
        return np.asarray(self.sign * self.frame @ right)


@dataclass(frozen=True, slots=True, eq=False)
class Follower:
    """A joint that follows another one through an equality constraint.

    Parameters
    ----------
    coupling
        What it follows and how.
    equality
        Number of the constraint.
    sources
        (n,) rows of what it follows in `qpos`.
    shares
        Row in `wrap_prm` of the first of several sources, else -1.
    """

    coupling: Coupling
    equality: int
    sources: Indices
    shares: int


class StatePart:
    """Indices of a body's state in the arrays of MuJoCo.

    Attributes
    ----------
    ids
        (n_links,) MuJoCo's numbers of its links.
    roots
        Of each link that moves freely: index, first row in `qpos` and in `qvel`.
    mocaps
        Of each link that stays where it is put: index, row in `mocap_pos`.
    values, places, rates
        Indices of values of hinges and sliders, their rows in `qpos` and `qvel`.
    joint_ids
        MuJoCo's numbers of joints by (first) value.
    driving
        Whether something puts the body somewhere at each step.
    held
        Something that is simulated, too, holds it.
    has_passive
        Passive joints of it can move.
    group
        What it is moved with.
    """

    def __init__(self, body: KinBody, ids: Indices) -> None:
        self.body = body
        self.ids = ids
        self.roots: list[tuple[int, int, int]] = []
        self.mocaps: list[tuple[int, int]] = []
        self.values = self.places = self.rates = _NONE
        self.balls: list[Ball] = []
        self.followers: list[Follower] = []
        self.joint_ids: dict[int, int] = {}
        self.held = False
        passive = body.model.passive_values
        self.has_passive = bool(len(passive) and passive.any())
        self.driving = Driving(body)
        self.group: MotionGroup | None = None
        self.stamp: int | None = None
        self.base_velocity: Array | None = None
        self.dof_velocities: Array | None = None

    @property
    def moves(self) -> bool:
        """True if the engine moves it, not only its holder."""
        return bool(self.roots or len(self.values) or self.balls)

    @property
    def is_soft(self) -> bool:
        """True if its links may deviate a little from its joint values."""
        model = self.body.model
        return model.has_mimic or self.has_passive or bool(model.closing_joints.size)

    @property
    def bends(self) -> bool:
        """True if a joint follows another one by a formula that is no polynomial."""
        return bool(self.followers) and any(
            one.coupling.bends for one in self.followers
        )

    @property
    def scattered(self) -> bool:
        """True if links that no joints connect with the base move by themselves."""
        return any(link for link, _, _ in self.roots)

    def place_of(self, value: int) -> int:
        """Return the row of a value of a hinge or slider in `qpos`, -1 for none."""
        rows = np.flatnonzero(self.values == value)
        return int(self.places[rows[0]]) if len(rows) else -1

    def rows(self) -> Iterator[tuple[JointKey, tuple[slice, slice]]]:
        """Yield the key of each of its joints, and its rows in `qpos` and `qvel`."""
        joints = [("root", *one, 7, 6) for one in self.roots]
        joints += [("ball", one.value, one.place, one.rate, 4, 3) for one in self.balls]
        table = (self.values.tolist(), self.places.tolist(), self.rates.tolist())
        joints += [("axis", *row, 1, 1) for row in zip(*table, strict=True)]
        for kind, which, place, rate, size, count in joints:
            rows = slice(place, place + size), slice(rate, rate + count)
            yield (kind, which), rows

    # -- what users changed --------------------------------------------------------

    def note(self) -> None:
        """Record the present state of the body."""
        self.stamp = self._stamp()
        self.base_velocity, self.dof_velocities = self.body.velocity_views

    def forget(self) -> None:
        """Take it that nobody knows how the body is."""
        self.stamp = self.base_velocity = self.dof_velocities = None

    def is_current(self) -> bool:
        """Return True if nobody moved the body since it was noted."""
        return self._stamp() == self.stamp

    def _stamp(self) -> int:
        """Return the number of times that others than the engine moved the body."""
        steps = 0 if self.group is None else self.group.steps
        return self.body.pose_stamp - steps

    def push(self, data: Any, step: int = 0, dt: float = 0.0) -> None:
        """Put poses, values and velocities of the body into the data.

        Parameters
        ----------
        step, dt
            How many steps were taken, and the length of the last one in seconds.
        """
        if not self.is_current():
            self._push_poses(data)
            if self.is_put():
                self.driving.note_placement(step, dt)
        self._push_velocities(data)

    def is_put(self) -> bool:
        """Return True if somebody moved the body, and gave it no velocities."""
        base, rates = self.body.velocity_views
        same = base is self.base_velocity and rates is self.dof_velocities
        return same and self.moves and not self.held and not self.is_current()

    def _push_poses(self, data: Any) -> None:
        body, qpos = self.body, data.qpos
        poses = body.transforms_view
        for link, row in self.mocaps:
            data.mocap_pos[row] = poses[link, :3, 3]
            data.mocap_quat[row] = quat_from_matrix(poses[link, :3, :3])
        for link, row, _ in self.roots:
            qpos[row : row + 3] = poses[link, :3, 3]
            qpos[row + 3 : row + 7] = quat_from_matrix(poses[link, :3, :3])
        if len(self.values) or self.balls:
            known = body.joint_values
            qpos[self.places] = known[self.values]
            for ball in self.balls:
                ball.put(known[ball.value : ball.value + 3], qpos)

    def _push_velocities(self, data: Any) -> None:
        body, qvel = self.body, data.qvel
        poses = body.transforms_view
        for link, _, row in self.roots:
            if link:
                continue  # bodies do not know these
            velocity = body.base_velocity
            qvel[row : row + 3] = velocity[:3]
            qvel[row + 3 : row + 6] = poses[link, :3, :3].T @ velocity[3:]
        if not (len(self.values) or self.balls):
            return
        rates, n = body.dof_velocities, body.dof
        own = self.values < n
        qvel[self.rates[own]] = rates[self.values[own]]
        for ball in self.balls:
            if ball.value + 2 < n:
                turn = ball.turning(ball.vector(data.qpos))
                span = slice(ball.value, ball.value + 3)
                qvel[ball.rate : ball.rate + 3] = turn @ rates[span]
        for one in self.followers:
            sources = list(one.coupling.sources)
            slopes = one.coupling.tangent(body, data.qpos[one.sources])[1:]
            rate = slopes @ rates[sources]
            qvel[self.rates[self.values == one.coupling.follower]] = rate

    # -- coupled joints ------------------------------------------------------------

    def follow(self, model: Any, data: Any) -> None:
        """Put the tangents of formulas that bend into the model."""
        for one in self.followers:
            if not one.coupling.bends:
                continue
            constant, *slopes = one.coupling.tangent(
                self.body, data.qpos[one.sources]
            ).tolist()
            if one.shares >= 0:
                model.eq_data[one.equality, 0] = constant
                rows = slice(one.shares, one.shares + len(slopes))
                model.wrap_prm[rows] = np.negative(slopes)
            else:
                model.eq_data[one.equality, :2] = constant, slopes[0]

    # -- what the engine moved -----------------------------------------------------

    def ball_values(self, data: Any, values: Array, rates: Array) -> None:
        """Write values and rates of spherical joints that have degrees of freedom."""
        for ball in self.balls:
            if ball.value + 2 < self.body.dof:
                vector = ball.vector(data.qpos)
                span = slice(ball.value, ball.value + 3)
                values[span] = vector
                rates[span] = np.linalg.solve(
                    ball.turning(vector), data.qvel[ball.rate : ball.rate + 3]
                )

    def passive(self, data: Any) -> tuple[Array, Indices]:
        """Return values of passive joints that move, and their indices."""
        movable = self.body.model.passive_values
        own = movable[self.values]
        found = [data.qpos[self.places[own]]]
        which = [self.values[own]]
        for ball in self.balls:
            if movable[ball.value]:
                found.append(ball.vector(data.qpos))
                which.append(np.arange(ball.value, ball.value + 3))
        return np.concatenate(found), np.concatenate(which)
