"""Snapshots of MuJoCo's own state, for the same model or another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces.state_copies import Immutable
from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave_mujoco.bodies.driven_bodies import Placed
    from pyrave_mujoco.bodies.part import JointKey
    from pyrave_mujoco.ties.suction import CupState
    from pyrave_mujoco.ties.tie import Key
    from pyrave_mujoco.ties.tie_elements import Held


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Pose, joint values and velocities of a body, or of several in sequence.

    Parameters
    ----------
    poses
        (4, 4) T_world_body, or (n, 4, 4).
    values, rates
        (dof,), or (m,) of all.
    velocities
        (6,) of the base link, or (n, 6).
    """

    poses: Array
    values: Array
    rates: Array
    velocities: Array

    def equals(self, other: Motion) -> bool:
        """Return True if another one is the same to the last bit."""
        return (
            np.array_equal(self.poses, other.poses)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.rates, other.rates)
            and np.array_equal(self.velocities, other.velocities)
        )

    def is_of(self, body: KinBody) -> bool:
        """Return True if a body moves so, to the last bit."""
        return (
            np.array_equal(body.transform, self.poses)
            and np.array_equal(body.dof_values_view, self.values)
            and np.array_equal(body.base_velocity, self.velocities)
            and np.array_equal(body.dof_velocities, self.rates)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Layout(Immutable):
    """Indices of bodies in the arrays of snapshots.

    Parameters
    ----------
    joints
        Of each body that MuJoCo moves by its name: keys of its joints, with their rows
        in `qpos` and `qvel`. One object as long as the model is the same.
    together
        Of each body that moves together with others by its name: its row, and those of
        its degrees of freedom.
    """

    joints: Mapping[str, Mapping[JointKey, tuple[slice, slice]]]
    together: Mapping[str, tuple[int, slice]]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot(Immutable):
    """MuJoCo's own state at a time. Nobody changes it, and it pickles.

    Parameters
    ----------
    layout
        Where bodies are in the arrays.
    coordinates
        `qpos`, `qvel` and `qacc_warmstart`.
    group
        How the bodies moved that move together: their coordinates count while they do.
    others
        How other bodies moved, by name.
    changed
        Names of those that somebody had changed since the last step.
    placed
        Where somebody put bodies last, if that was in the last step, by name.
    put
        Names of bodies that somebody moved since, without velocities.
    dt
        Length of the last step, seconds.
    held, cups
        What it knew about ties, and about suction cups by name.
    """

    layout: Layout
    coordinates: tuple[Array, Array, Array]
    group: Motion
    others: Mapping[str, Motion]
    changed: frozenset[str]
    placed: Mapping[str, Placed]
    put: frozenset[str]
    dt: float
    held: Mapping[Key, Held]
    cups: Mapping[str, CupState]

    def motion_of(self, name: str) -> Motion | None:
        """Return a body's motion; None if MuJoCo did not move it."""
        rows = self.layout.together.get(name)
        if rows is None:
            return self.others.get(name)
        row, dofs = rows
        group = self.group
        return Motion(
            group.poses[row],
            group.values[dofs],
            group.rates[dofs],
            group.velocities[row],
        )

    def knows(self, body: KinBody) -> bool:
        """Return True if a body moves as it did."""
        motion = self.motion_of(body.name)
        return motion is not None and motion.is_of(body)

    def without_ties(self, gone: Callable[[Key], bool]) -> Snapshot:
        """Return it without what is known about some ties."""
        held = {key: one for key, one in self.held.items() if not gone(key)}
        return replace(self, held=held)


_NONE = np.empty(0)
NOTHING = Snapshot(
    Layout({}, {}),
    (_NONE, _NONE, _NONE),
    Motion(np.empty((0, 4, 4)), _NONE, _NONE, np.empty((0, 6))),
    {},
    frozenset(),
    {},
    frozenset(),
    0.0,
    {},
    {},
)
"""The state before the first model is made."""
