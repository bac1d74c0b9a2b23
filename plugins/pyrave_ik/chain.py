"""An arm as screws: the axes from base to tool where every joint is at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.kinematics import Chain as LinkChain
from pyrave.kinematics import joint_values
from pyrave.spatial import Array, invert_pose, matrix_from_axis_angle

if TYPE_CHECKING:
    from pyrave.interfaces import Manipulator
    from pyrave.kinematics import Model

__all__ = ["ArmChain", "displaced"]


@dataclass(frozen=True, eq=False)
class ArmChain:
    """Screws of an arm in its base link's frame, every joint at zero.

    The tool is at ``E_0(s_0 q[d_0] + o_0) ... E_n-1(...) home`` in the base link, the
    product of exponentials of Lynch & Park, Modern Robotics, 4.1. Immutable.

    Parameters
    ----------
    screws
        (n, 7): unit axis (3), a point on it (3), 1 for a sliding joint.
    home
        (4, 4) T_base_tool with every joint at zero.
    arm
        (n,) which of the arm's degrees of freedom moves each axis.
    scale, offset
        (n,) the axis' value is ``scale * q + offset``: not 1 and 0 for axes that
        follow a joint.
    names
        Names of the axes.
    lower, upper
        (n,) limits of the values; equal to -10000 and 10000 for circular axes.
    """

    screws: Array
    home: Array
    arm: tuple[int, ...]
    scale: Array
    offset: Array
    names: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of axes."""
        return len(self.arm)

    @property
    def coupled(self) -> bool:
        """Whether one degree of freedom moves several axes."""
        return len(set(self.arm)) < len(self.arm)

    @classmethod
    def of(cls, arm: Manipulator) -> ArmChain:
        """Return the chain of a manipulator.

        Raises
        ------
        NotSupportedError
            An axis follows joints by a formula that is not linear, or follows
            several.
        """
        model = arm.robot.model
        way = model.chain(arm.description.base, arm.description.end_effector)
        return cls.along(
            model,
            way,
            arm.local_tool_transform,
            tuple(arm.arm_indices),
            arm.robot.dof_values,
        )

    @classmethod
    def along(
        cls,
        model: Model,
        way: LinkChain,
        tool: Array,
        dofs: tuple[int, ...],
        q: Array,
    ) -> ArmChain:
        """Return the chain along a way through a body.

        Parameters
        ----------
        tool
            (4, 4) T_end_effector_tool.
        dofs
            Degrees of freedom that move it, in the arm's order.
        q
            (n_dof,) values that joints keep which the arm does not move.
        """
        follows = _Followers(model, dofs, q)
        pose = np.eye(4)
        rows, arm, scale, offset, names = [], [], [], [], []
        for number, joint in enumerate(way.joints):
            forward = way.links[number] == model.joint_links[joint, 0]
            first, count = (int(i) for i in model.joint_values[joint])
            into = (
                model.T_parent_joint[joint] if forward else model.T_child_joint[joint]
            )
            out = model.T_child_joint[joint] if forward else model.T_parent_joint[joint]
            pose = pose @ into
            kind = model.joint_types[joint]
            if kind in {"spherical", "trajectory"} and count:
                raise NotSupportedError(
                    f"joint {model.joint_names[joint]!r} is of type {kind!r}; inverse "
                    "kinematics needs joints whose axes turn or slide"
                )
            axes = range(first, first + count)
            for value in axes if forward else reversed(axes):
                direction = model.axis_directions[value] * (1.0 if forward else -1.0)
                slides = bool(model.prismatic[value])
                row = np.concatenate(
                    [pose[:3, :3] @ direction, pose[:3, 3], [float(slides)]]
                )
                index, factor, constant = follows.line(value)
                if index < 0:
                    pose = displaced(row, constant) @ pose
                    continue
                rows.append(row)
                arm.append(index)
                scale.append(factor)
                offset.append(constant)
                names.append(_axis_name(model, value))
            pose = pose @ invert_pose(out)
        return cls(
            np.array(rows).reshape(-1, 7),
            pose @ tool,
            tuple(arm),
            np.array(scale),
            np.array(offset),
            tuple(names),
        )

    def values(self, q: Array) -> Array:
        """Return the axes' values (n,) of the arm's joint values."""
        return np.asarray(self.scale * q[list(self.arm)] + self.offset)

    def tool(self, q: Array) -> Array:
        """Return (4, 4) T_base_tool at the arm's joint values."""
        pose = self.home
        for row, value in zip(self.screws[::-1], self.values(q)[::-1], strict=True):
            pose = displaced(row, float(value)) @ pose
        return np.asarray(pose)


class _Followers:
    """How each axis depends on the arm's degrees of freedom: on one, linearly."""

    def __init__(self, model: Model, dofs: tuple[int, ...], q: Array) -> None:
        self._model = model
        self._dofs = dofs
        self._q = q
        self._zero = q.copy()
        self._zero[list(dofs)] = 0.0
        self._at_zero = joint_values(model, self._zero)

    def line(self, value: int) -> tuple[int, float, float]:
        """Return (index in the arm or -1, factor, constant) of an axis value."""
        moved = [
            i for i, dof in enumerate(self._dofs) if self._model.follows[value, dof]
        ]
        constant = float(self._at_zero[value])
        if not moved:
            return -1, 0.0, constant
        name = self._model.joint_names[self._model.value_joint[value]]
        if len(moved) > 1:
            raise NotSupportedError(
                f"joint {name!r} follows several joints of the arm; inverse "
                "kinematics handles one"
            )
        if value < self._model.n_dof:
            return moved[0], 1.0, 0.0
        rise = [self._at(value, moved[0], x) - constant for x in (1.0, -1.0, 0.5)]
        if not np.allclose(rise, [rise[0], -rise[0], 0.5 * rise[0]], atol=1e-12):
            raise NotSupportedError(
                f"joint {name!r} follows a joint by a formula that is not linear"
            )
        return moved[0], rise[0], constant

    def _at(self, value: int, index: int, x: float) -> float:
        q = self._zero.copy()
        q[self._dofs[index]] = x
        return float(joint_values(self._model, q)[value])


def _axis_name(model: Model, value: int) -> str:
    joint = int(model.value_joint[value])
    axis = int(model.value_axis[value])
    several = model.joint_values[joint, 1] > 1
    return f"{model.joint_names[joint]}{f'_{axis}' if several else ''}"


def displaced(row: Array, value: float) -> Array:
    """Return the (4, 4) displacement of a joint with a screw (7,) at a value."""
    pose = np.eye(4)
    if row[6]:
        pose[:3, 3] = row[:3] * value
    else:
        pose[:3, :3] = matrix_from_axis_angle(row[:3], value)
        pose[:3, 3] = row[3:6] - pose[:3, :3] @ row[3:6]
    return pose
