"""Constraints that a whole path keeps, and projection onto them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.planning.query.configuration import PlannedConfiguration, ToolKinematics
from pyrave.spatial import (
    Array,
    as_array,
    as_direction,
    as_number,
    as_numbers,
    as_pose,
    as_vector,
    invert_pose,
    skew,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.planning.query.space import PlanningSpace

_NEWTON = 30
_STEP = 1e-6
_AIM = 0.5
"""Part of its tolerance that a projection comes to."""
_DAMPING = 1e-8


class Constraint(ABC):
    """A condition on configurations; where it is met within `tolerance` is a region.

    Derive from it to project with a derivative of your own.
    """

    tolerance: float

    @abstractmethod
    def excess(self, at: PlannedConfiguration) -> Array:
        """Return by how much a configuration is off: (k,), 0 where it is met.

        Signs count: the projection takes all of them to 0.
        """

    def derivative(self, at: PlannedConfiguration) -> Array:
        """Return the (k, n) derivative of `excess` by the values.

        Unless overridden by differences.
        """
        steps = _STEP * np.eye(len(at.values))
        ahead, behind = (
            np.stack([self.excess(at.moved(sign * step)) for step in steps], axis=1)
            for sign in (1.0, -1.0)
        )
        return (ahead - behind) / (2.0 * _STEP)

    def beginning_at(self, at: PlannedConfiguration) -> Constraint:
        """Return the constraint of a motion that begins at a configuration.

        Itself, unless it is about where the motion begins.
        """
        return self

    @property
    def inner(self) -> Constraint:
        """Constraint that projections aim at: this one, or a part of it in its bounds.

        Straight motions between two configurations in there stay within the bounds.
        """
        return self

    @property
    @abstractmethod
    def what(self) -> str:
        """Its demand, in words."""


@dataclass(frozen=True, slots=True, eq=False)
class FunctionConstraint(Constraint):
    """A function of the planned values, called with the robot there.

    Parameters
    ----------
    function
        Gets (n,) values and returns True or False, or numbers that are 0 where it is
        met. Only numbers lead a search back to where it is met.
    tolerance
        How far numbers may be from 0.
    """

    function: Callable[[Array], Any]
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(
                f"a constraint is {shown(self.function)}, expected a function or a "
                "pyrave.planning.Constraint"
            )
        as_number(self.tolerance, "tolerance of a constraint", 1e-12)

    def excess(self, at: PlannedConfiguration) -> Array:
        """Return the result of the function, with the robot there."""
        _ = at.robot
        answer = self.function(at.values.copy())
        if isinstance(answer, bool | np.bool_):
            return np.array((0.0 if answer else np.inf,))
        if answer is None or isinstance(answer, str):
            raise self._wrong(answer)
        try:
            numbers = np.atleast_1d(as_numbers(answer, "constraint"))
        except ArgumentError:
            raise self._wrong(answer) from None
        if numbers.ndim != 1 or np.isnan(numbers).any():
            raise self._wrong(answer)
        return numbers

    def _wrong(self, answer: object) -> ArgumentError:
        return ArgumentError(
            f"the constraint {self.function!r} returned {shown(answer)}, expected True "
            "or False, or (k,) numbers that are 0 where it is met"
        )

    @property
    def what(self) -> str:
        """Name of the function."""
        return getattr(self.function, "__name__", "") or repr(self.function)


@dataclass(frozen=True, slots=True, eq=False)
class ToolDirection(Constraint):
    """Keep a direction of the tool near one of the world: a cup stays upright.

    Parameters
    ----------
    direction
        (3,) in the tool frame; None: what is along `target` where a motion begins,
        however the tool is there.
    target
        (3,) in the world.
    angle
        Radians by which it may lean.
    tolerance
        Radians beyond that which count for nothing.
    """

    direction: Any = None
    target: Any = (0.0, 0.0, 1.0)
    angle: float = 0.0
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("direction", "target"):
            if name == "direction" and self.direction is None:
                continue
            given = as_direction(getattr(self, name), f"{name} of a ToolDirection")
            object.__setattr__(self, name, given)
        as_number(self.angle, "angle of a ToolDirection", 0.0, np.pi)
        as_number(self.tolerance, "tolerance of a ToolDirection", 1e-12)

    def beginning_at(self, at: PlannedConfiguration) -> ToolDirection:
        """Return the constraint with the direction that is along `target` there."""
        if self.direction is not None:
            return self
        return replace(self, direction=at.tool_pose[:3, :3].T @ self.target)

    def excess(self, at: PlannedConfiguration) -> Array:
        """Return the angle beyond the one that is allowed, (1,)."""
        _, angle = self._leaning(at.tool_pose)
        return np.array((max(angle - self.angle, 0.0),))

    def derivative(self, at: PlannedConfiguration) -> Array:
        """Return the derivative of the angle, (1, n), by the tool's Jacobian."""
        axis, angle = self._leaning(at.tool_pose)
        if angle <= self.angle:
            return np.zeros((1, len(at.values)))
        return np.asarray(-axis[None] @ at.tool_jacobian()[3:])

    def _leaning(self, tool: Array) -> tuple[Array, float]:
        """Return the unit axis that turns the tool upright, and the angle to turn."""
        now = tool[:3, :3] @ self.direction
        axis = skew(now) @ self.target
        sine = math.sqrt(axis @ axis)
        angle = math.atan2(sine, now @ self.target)
        if sine < 1e-12:  # upside down any axis will do
            axis = skew(now) @ np.eye(3)[np.argmin(np.abs(now))]
            sine = math.sqrt(axis @ axis)
        return axis / sine, angle

    @property
    def inner(self) -> ToolDirection:
        """Leaning less."""
        return replace(self, angle=self.angle - _margin(self.angle))

    @property
    def what(self) -> str:
        """The directions and the angle."""
        target = " ".join(f"{x:.3g}" for x in self.target)
        return f"tool direction within {self.angle:.3g} rad of {target}"


@dataclass(frozen=True, slots=True, eq=False)
class TaskSpaceRegion(Constraint):
    """Keep the tool in a box of positions and angles about a frame.

    Berenson, Srinivasa and Kuffner, "Task Space Regions: A framework for
    pose-constrained manipulation planning", International Journal of Robotics Research
    30(12), 2011.

    Parameters
    ----------
    T_world_region
        (4, 4) frame of the region.
    bounds
        (6, 2) least and greatest x, y, z (m), roll, pitch and yaw (rad: turns about
        the fixed x, y and z of the region's frame, in this order) of the tool in it.
    T_tool_offset
        (4, 4) frame in the tool that is meant; the tool itself if left out.
    tolerance
        Metres and radians beyond that which count for nothing.
    """

    T_world_region: Any
    bounds: Any
    T_tool_offset: Any = None
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        frame = as_pose(self.T_world_region, "T_world_region")
        bounds = _bounds(self.bounds)
        offset = self.T_tool_offset
        offset = np.eye(4) if offset is None else as_pose(offset, "T_tool_offset")
        object.__setattr__(self, "T_world_region", frame)
        object.__setattr__(self, "bounds", bounds)
        object.__setattr__(self, "T_tool_offset", offset)
        as_number(self.tolerance, "tolerance of a TaskSpaceRegion", 1e-12)

    def displacement(self, T_world_tool: ArrayLike) -> Array:  # noqa: N803 - a frame
        """Return x, y, z, roll, pitch and yaw (6,) of a tool pose in the region."""
        return self._there(as_pose(T_world_tool, "T_world_tool"))

    def pose(self, displacement: ArrayLike) -> Array:
        """Return T_world_tool (4, 4) of a displacement (6,)."""
        x, y, z, roll, pitch, yaw = as_vector(displacement, 6, "displacement").tolist()
        inside = np.eye(4)
        inside[:3, :3] = _turn(2, yaw) @ _turn(1, pitch) @ _turn(0, roll)
        inside[:3, 3] = x, y, z
        return np.asarray(
            self.T_world_region @ inside @ invert_pose(self.T_tool_offset)
        )

    def excess(self, at: PlannedConfiguration) -> Array:
        """Return the excess of each of the six numbers over its bounds, (6,)."""
        return _beyond(self._there(at.tool_pose), self.bounds)

    def derivative(self, at: PlannedConfiguration) -> Array:
        """Return the derivative of `excess`, (6, n), by the tool's Jacobian."""
        place = (at.tool_pose @ self.T_tool_offset)[:3, 3]
        turned = self.T_world_region[:3, :3].T
        jacobian = at.tool_jacobian(place)
        there = self._there(at.tool_pose)
        rows = np.vstack((turned @ jacobian[:3], turned @ jacobian[3:]))
        rows[3:] = _angle_rates(there[4], there[5]) @ rows[3:]
        rows[_beyond(there, self.bounds) == 0.0] = 0.0
        return rows

    @property
    def inner(self) -> TaskSpaceRegion:
        """A smaller box."""
        less = _margin(0.5 * (self.bounds[:, 1] - self.bounds[:, 0]))
        return replace(self, bounds=self.bounds + np.stack((less, -less), axis=1))

    def _there(self, tool: Array) -> Array:
        to_region = invert_pose(self.T_world_region)
        return _displacement(to_region @ tool @ self.T_tool_offset)

    @property
    def what(self) -> str:
        """The region and its place, for messages."""
        place = " ".join(f"{x:.3g}" for x in self.T_world_region[:3, 3])
        return f"tool within the region at {place}"


class PathConstraints:
    """Constraints of a plan, all together.

    Parameters
    ----------
    given
        Functions and `Constraint` objects, or one of them.
    start
        (n,) where the motion begins; None: where the robot is.
    """

    def __init__(
        self,
        space: PlanningSpace,
        arm: Manipulator | None,
        given: Any,
        start: Array | None = None,
    ) -> None:
        alone = callable(given) or isinstance(given, Constraint)
        if not alone and (isinstance(given, str) or not isinstance(given, Iterable)):
            raise ArgumentError(
                f"constraints is {shown(given)}, expected functions, "
                "pyrave.planning.Constraint objects, or a list of them"
            )
        every = (given,) if alone else tuple(given)
        self.error: BaseException | None = None
        """Exception of a constraint: it is the user's, not the planner's."""
        self._space = space
        needed = arm is not None and bool(every)
        self._tool = ToolKinematics(space, arm) if needed else None
        begin = self.at(space.values if start is None else start)
        self.all: tuple[Constraint, ...] = tuple(
            one.beginning_at(begin)
            if isinstance(one, Constraint)
            else FunctionConstraint(one)
            for one in every
        )
        self._aims = tuple(one.inner for one in self.all)

    def __bool__(self) -> bool:
        return bool(self.all)

    def are_met(self, values: Array, tolerances: float = 1.0) -> bool:
        """Return True if a configuration (n,) meets all within so many tolerances."""
        if not self.all:
            return True
        if self._is_open(values):
            return False
        at = self.at(values)
        return all(
            float(np.abs(self._excess(one, at)).max(initial=0.0))
            <= tolerances * one.tolerance
            for one in self.all
        )

    def text(self, values: Array) -> str:
        """Return the constraints that a configuration violates, and the amounts."""
        at, missed = self.at(values), []
        for one in self.all:
            worst = np.abs(self._excess(one, at)).max(initial=0.0)
            if worst > one.tolerance:
                by = "" if np.isinf(worst) else f" is missed by {worst:.3g}"
                missed.append(f"{one.what}{by or ' is not met'}")
        return "; ".join(missed)

    def projected(self, values: Array) -> Array | None:
        """Return a configuration near `values` (n,) that meets all, None without.

        Newton's method with the damped pseudoinverse, in the weighted distance.
        """
        space, now = self._space, values
        if self.are_met(now):
            return now
        scale = 1.0 / np.maximum(space.weights, 1e-3)
        for _ in range(_NEWTON):
            if self._is_open(now):
                return None
            at = self.at(now)
            parts = [self._excess(one, at) for one in self._aims]
            if all(
                float(np.abs(part).max(initial=0.0)) <= _AIM * one.tolerance
                for part, one in zip(parts, self.all, strict=True)
            ):
                return now
            excess = np.concatenate(parts)
            if not np.isfinite(excess).all():
                return None
            rows = np.concatenate([one.derivative(at) for one in self._aims])
            weighted = rows * scale
            square = weighted @ weighted.T
            square.flat[:: len(square) + 1] += _DAMPING * (1.0 + np.trace(square))
            step = scale * (weighted.T @ np.linalg.solve(square, excess))
            step /= max(1.0, float(np.abs(step).max()) / 0.3)
            now = space.clipped(now - step)
        return None

    def _is_open(self, values: Array) -> bool:
        """Return True if a configuration opens a loop of the robot."""
        return self._space.loops is not None and not self._space.placed(values)

    def at(self, values: Array) -> PlannedConfiguration:
        """Return a configuration as constraints see it."""
        return PlannedConfiguration(self._space, self._tool, values)

    def _excess(self, one: Constraint, at: PlannedConfiguration) -> Array:
        try:
            return one.excess(at)
        except BaseException as error:
            self.error = error
            raise


def _margin(half: Any) -> Any:
    """Return the margin of projections to a bound, as a part of half the width."""
    return np.minimum(0.2 * half, 0.02)


def _bounds(given: Any) -> Array:
    bounds = as_array(given, (6, 2), "bounds of a TaskSpaceRegion")
    if (bounds[:, 0] > bounds[:, 1]).any():
        row = int(np.argmax(bounds[:, 0] > bounds[:, 1]))
        raise ArgumentError(
            f"bounds of a TaskSpaceRegion have {bounds[row].tolist()} in row {row}, "
            "expected the least number first"
        )
    return bounds


def _beyond(values: Array, bounds: Array) -> Array:
    """Return (6,) how far numbers are beyond bounds, angles at their nearest turn."""
    centre = bounds.mean(axis=1)
    near = values.copy()
    turns = np.round((values[3:] - centre[3:]) / (2.0 * np.pi))
    near[3:] -= 2.0 * np.pi * turns
    return np.asarray(near - np.clip(near, bounds[:, 0], bounds[:, 1]))


def _displacement(pose: Array) -> Array:
    """Return x, y, z, roll, pitch and yaw of a pose (4, 4)."""
    r = pose[:3, :3]
    pitch = np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0]))
    roll, yaw = np.arctan2(r[2, 1], r[2, 2]), np.arctan2(r[1, 0], r[0, 0])
    return np.array((*pose[:3, 3], roll, pitch, yaw))


def _turn(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    turned = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turned[i, i] = turned[j, j] = c
    turned[i, j], turned[j, i] = -s, s
    return turned


def _angle_rates(pitch: float, yaw: float) -> Array:
    """Return (3, 3): rates of roll, pitch and yaw by the angular velocity."""
    c, s = np.cos(yaw), np.sin(yaw)
    cosine = np.cos(pitch)
    cosine = np.copysign(max(abs(cosine), 1e-6), cosine)
    tangent = np.sin(pitch) / cosine
    return np.array(
        ((c / cosine, s / cosine, 0.0), (-s, c, 0.0), (c * tangent, s * tangent, 1.0))
    )
