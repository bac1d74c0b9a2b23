"""An arm as loops over many of its configurations take it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.databases.keys import arm_digest, geometry_digest, kinematics_digest
from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.jit import Kernel
from pyrave.kinematics import compile_tool
from pyrave.spatial import Array, invert_pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.manipulator import Manipulator

_MODULE = "pyrave.databases.kernels.reach"
_place = Kernel(_MODULE, "place_tools", "tools of many configurations", 3)
_measure = Kernel(_MODULE, "measure_tools", "manipulability of configurations", 3)
_approach = Kernel(_MODULE, "approach_poses", "configurations that reach poses", 5)
KERNELS = {
    "tools-of-configurations": _place,
    "manipulability": _measure,
    "reach-of-poses": _approach,
}
"""Kernels that `pyrave warm` compiles."""
_ENDLESS = 1e6
"""Radians to which joints turn that turn without end."""
TOLERANCE = 1e-7
"""Metres and radians by which a tool may miss a pose that it reaches."""
_STEPS = 40


def reach_identity(arm: Manipulator, *, free_space: bool) -> dict[str, object]:
    """Return what reached poses depend on; with `free_space`, the robot's shape too."""
    robot = arm.robot
    said: dict[str, object] = {
        "arm": arm_digest(arm),
        "endless": robot.model.circular[: robot.dof][arm.arm_indices],
    }
    if free_space:
        said["robot"] = kinematics_digest(robot), geometry_digest(robot)
        said["checker"] = robot.env.collision_checker.id_words
        if robot.self_collision_checker is not None:
            said["own checker"] = robot.self_collision_checker.id_words
    return said


@dataclass(frozen=True, eq=False)
class ToolChain:
    """The joints from the base of an arm to its tool; poses are in the base link.

    Parameters
    ----------
    rows, base, rest
        As kernels take them, see `pyrave.databases.kernels.reach`.
    limits
        (2, n) lower and upper; far away for joints that turn without end.
    ranges
        (2, n) within which values are chosen: one turn of these.
    origin
        (3,) where the first joint is.
    length
        Metres that the tool can be away from there at most.
    """

    rows: Array
    base: Array
    rest: Array
    limits: Array
    ranges: Array
    origin: Array
    length: float

    @classmethod
    def from_arm(cls, arm: Manipulator) -> ToolChain:
        """Return the chain of an arm.

        Raises
        ------
        NotSupportedError
            A joint of it follows others, or is spherical.
        ArgumentError
            The arm has no joints, or one without limits slides or turns within none.
        """
        robot, indices = arm.robot, arm.arm_indices
        if not len(indices):
            raise ArgumentError(
                f"{arm!r} has no joints between {arm.base.name!r} and "
                f"{arm.end_effector.name!r}, expected an arm that moves"
            )
        tool = compile_tool(
            robot.model, arm.end_effector.index, arm.local_tool_transform, indices
        )
        if tool.rows is None:
            raise NotSupportedError(
                f"{arm!r} has a joint that follows others or is spherical; maps of "
                "what it reaches need joints with a value of their own"
            )
        limits = np.array([bound[indices] for bound in robot.dof_limits])
        ranges = limits.copy()
        endless = robot.model.circular[: robot.dof][indices]
        ranges[:, endless] = [[-math.pi], [math.pi]]
        limits[:, endless] = [[-_ENDLESS], [_ENDLESS]]
        if not np.isfinite(ranges).all():
            bad = int(np.argmin(np.isfinite(ranges).all(axis=0)))
            raise ArgumentError(
                f"joint {robot.dof_names[indices[bad]]!r} of {arm!r} has no limits; "
                "joint.limits = lower, upper sets them"
            )
        world_base = invert_pose(arm.base.transform)
        base = world_base @ robot.transform
        rows = np.array(tool.rows)
        anchors = [one.anchor for one in arm.arm_joints]
        places = np.array([*anchors, arm.transform[:3, 3]])
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
        slides = np.abs(limits - arm.arm_dof_values).max(axis=0)
        slides = slides[robot.model.prismatic[indices]]
        origin = (world_base @ np.append(places[0], 1.0))[:3]
        length = float(lengths.sum() + slides.sum())
        return cls(
            rows, base, np.array(robot.dof_values), limits, ranges, origin, length
        )

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.limits.shape[1])

    def stretched(self, unit: Array) -> Array:
        """Return values (m, n) of places (m, n) in the unit cube."""
        lower, upper = self.ranges
        return np.ascontiguousarray(lower + unit * (upper - lower))

    def tools(self, values: Array) -> Array:
        """Return the tool at values (m, n): (m, 12), rotations row by row and origins.

        `values` are contiguous.
        """
        found = np.empty((len(values), 12))
        _place.now()(self.rows, self.base, self.rest, values, found)
        return found

    def manipulability(self, values: Array) -> Array:
        """Return (m,) volumes by which values (m, n) move the tool.

        The square root of ``det J J'``, Yoshikawa, "Manipulability of robotic
        mechanisms", 1985; of fewer than six joints, of ``J' J``.
        """
        found = np.empty(len(values))
        _measure.now()(self.rows, self.base, self.rest, values, found)
        return found

    def approach(
        self, goals: Array, starts: Array, *, turns: bool = True, steps: int = _STEPS
    ) -> tuple[NDArray[np.bool_], Array]:
        """Search from starts (m, n); return a mask of goals (m, 12) met, and values.

        What is reached is reached to 1e-7, within limits; what is not may be reached
        from elsewhere.

        Parameters
        ----------
        turns
            False: origins alone count.
        steps
            Most steps of the search.
        """
        values = np.array(starts, order="C")
        found = np.zeros(len(values), np.int32)
        settings = np.array((TOLERANCE, float(steps), float(turns)))
        _approach.now()(
            self.rows,
            self.base,
            self.rest,
            self.limits,
            np.ascontiguousarray(goals),
            settings,
            values,
            found,
        )
        return found > 0, values
