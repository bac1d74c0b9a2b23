"""A robot's active degrees of freedom, motions of its base among them, as chains."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics import Affine
from pyrave.spatial import Array, as_vector, matrix_from_axis_angle
from pyrave_ik.arm.chain import ArmChain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.bodies import Manipulator, Robot
    from pyrave_ik.methods.least_squares import NumericResult

_FREE_TURNS = Affine.ROTATION_3D | Affine.ROTATION_QUAT
_EYE = np.eye(3)


@dataclass(frozen=True, eq=False)
class ActiveChains:
    """Chains from the world to tools, moved by a robot's active degrees of freedom.

    Their joints are the active ones, then slides of the base along world axes, then
    its turns: one about the robot's affine rotation axis, or three about x, y and z
    for a free rotation. `inner` and `outer` convert from and to active values.

    Parameters
    ----------
    robot
        The robot.
    chains
        One per tool, in the world.
    """

    robot: Robot
    chains: tuple[ArmChain, ...]

    @classmethod
    def from_manipulators(cls, arms: Sequence[Manipulator]) -> ActiveChains:
        """Return the chains of manipulators of one robot.

        Raises
        ------
        ArgumentError
            There are none, or they belong to several robots, or nothing is active.
        NotSupportedError
            A joint on the way has no axes.
        """
        if not arms:
            raise ArgumentError("there are no tasks; expected (arm, goal, weight)")
        robot = arms[0].robot
        for arm in arms[1:]:
            if arm.robot is not robot:
                raise ArgumentError(
                    f"tasks are for arms of {robot!r} and of {arm.robot!r}; expected "
                    "those of one robot"
                )
        if not robot.active.dof:
            raise ArgumentError(f"{robot!r} has no active degrees of freedom")
        return cls(robot, tuple(cls._chain(robot, arm) for arm in arms))

    @staticmethod
    def _chain(robot: Robot, arm: Manipulator) -> ArmChain:
        model = robot.state_model
        active = robot.active_dof_indices
        end = arm.end_effector.index
        body = (
            ArmChain.along(
                model,
                model.chain(0, end),
                arm.local_tool_transform,
                active,
                robot.dof_values,
            )
            if end
            else ArmChain(
                np.empty((0, 7)),
                arm.local_tool_transform,
                (),
                np.empty(0),
                np.empty(0),
                (),
            )
        )
        rows, still = _base(robot)
        names = robot.active.names[len(active) :][: len(rows)]
        turned, shift = still[:3, :3], still[:3, 3]
        screws = body.screws.copy()
        screws[:, :3] = body.screws[:, :3] @ turned.T
        screws[:, 3:6] = body.screws[:, 3:6] @ turned.T + shift
        k = len(rows)
        return ArmChain(
            np.concatenate([np.array(rows).reshape(-1, 7), screws]),
            still @ body.home,
            (*range(len(active), len(active) + k), *body.arm),
            np.concatenate([np.ones(k), body.scale]),
            np.concatenate([np.zeros(k), body.offset]),
            (*names, *body.names),
            body.couplings
            and replace(body.couplings, sources=(*(-1,) * k, *body.couplings.sources)),
        )

    @property
    def limits(self) -> tuple[Array, Array]:
        """(n,) lower and upper limits of the chains' joints."""
        lower, upper = self.robot.active.limits
        n = self._without_turns
        if not self.robot.active.affine & _FREE_TURNS:
            return lower, upper
        return (
            np.concatenate([lower[:n], np.full(3, -1e4)]),
            np.concatenate([upper[:n], np.full(3, 1e4)]),
        )

    @property
    def _without_turns(self) -> int:
        affine = self.robot.active.affine
        return len(self.robot.active_dof_indices) + (int(affine) & 7).bit_count()

    def inner(self, values: Array) -> Array:
        """Return the chains' joint values (n,) of active values (active_dof,)."""
        robot = self.robot
        given = as_vector(values, robot.active.dof, "q0")
        if not robot.active.affine & _FREE_TURNS:
            return given
        n = len(robot.active_dof_indices)
        base = robot.active.affine.applied(
            robot.transform, given[n:], robot.active.affine_rotation_axis
        )
        r = base[:3, :3]
        turns = (
            math.atan2(-r[1, 2], r[2, 2]),
            math.asin(min(1.0, max(-1.0, r[0, 2]))),
            math.atan2(-r[0, 1], r[0, 0]),
        )
        return np.concatenate([given[: self._without_turns], turns])

    def outer(self, result: NumericResult) -> NumericResult:
        """Return a result with active values in the place of the chains'."""
        robot = self.robot
        if not robot.active.affine & _FREE_TURNS:
            return result
        n = self._without_turns
        x, y, z = result.q[n:]
        base = robot.transform.copy()
        base[:3, :3] = (
            matrix_from_axis_angle(_EYE[0], x)
            @ matrix_from_axis_angle(_EYE[1], y)
            @ matrix_from_axis_angle(_EYE[2], z)
        )
        turn = Affine(int(robot.active.affine) & ~7).values_of(
            base, robot.active.affine_rotation_axis
        )
        return replace(
            result,
            q=np.concatenate([result.q[:n], turn]),
            at_lower=tuple(i for i in result.at_lower if i < n),
            at_upper=tuple(i for i in result.at_upper if i < n),
        )


def _base(robot: Robot) -> tuple[list[Array], Array]:
    """Return screws (7,) of the base's motions, and its pose with these at zero."""
    affine, base = robot.active.affine, robot.transform
    still = base.copy()
    rows = []
    for i in range(3):
        if affine & (1 << i):
            still[i, 3] = 0.0
            rows.append(np.concatenate([_EYE[i], np.zeros(3), [1.0]]))
    axes = _EYE if affine & _FREE_TURNS else robot.active.affine_rotation_axis[None]
    if int(affine) & ~7:
        still[:3, :3] = _EYE
        rows += [np.concatenate([axis, still[:3, 3], [0.0]]) for axis in axes]
    return rows, still
