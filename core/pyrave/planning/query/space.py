"""Configurations of a robot as planning sees them: its active degrees of freedom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces import CollisionOptions, CollisionReport, Touches
from pyrave.interfaces.collision.touching_links import touches_of, touches_of_held
from pyrave.kinematics import angle_difference
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning.query.loops import ClosedLoops
from pyrave.planning.search.joint_space import JointSpace
from pyrave.spatial import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import TrajectoryBase

LIMIT_TOLERANCE = 1e-6
"""Distance beyond a limit at which a value still counts as on it."""
_MAX_STEPS = 4096
"""Largest number of compared steps in the search for a motion's collision."""
_FEW = 1024
"""Configurations that are not worth waking other threads for."""
_FIRST_BLOCK = 16
"""Number of steps in the first block; each block has twice as many."""
_REPORTED = CollisionOptions.CONTACTS | CollisionOptions.ALL_LINK_COLLISIONS


class PlanningSpace:
    """The active degrees of freedom of a robot, joints first, then its base.

    Everything else stays where it is when this is made. Belongs to one call of a
    planner: who uses it restores the robot.

    Parameters
    ----------
    limit_tolerance
        How far a value may be beyond a limit and still counts as on it, radians or
        metres: that much comes of encoders, solvers and single precision.

    Attributes
    ----------
    dof
        Number n of values of a configuration.
    names
        n names, of joints and base motions.
    lower, upper, resolutions, weights
        (n,) float64 in the units of the values.
    circular
        (n,) bool, joints without limits that turn round.
    checks
        How many configurations were compared so far.

    Raises
    ------
    ArgumentError
        There is nothing to move, a limit is infinite, or a resolution or the limit of
        a velocity or acceleration not positive.
    NotSupportedError
        The base turns by a rotation vector or a quaternion.
    """

    def __init__(self, robot: Robot, limit_tolerance: float = LIMIT_TOLERANCE) -> None:
        self.robot = robot
        self.limit_tolerance = limit_tolerance
        self.table = table = robot.active_table
        self.indices = table.indices
        self.affine = table.affine
        self.names = table.names
        self.dof = table.dof
        self.lower, self.upper = table.lower, table.upper
        self.resolutions = table.resolutions
        self.weights = table.weights
        self.checks = 0
        self._compiled_before = 0.0
        self.circular = np.isfinite(table.periods)
        self.circular[: len(self.indices)] |= robot.model.circular[self.indices]
        turns = bool(self.affine & Affine.ROTATION_AXIS)
        self._turns_between_limits = turns and not self.circular[-1]
        self._others = robot.dof_values
        self._base = robot.transform
        self._check()
        self.loops: ClosedLoops | None = None
        """Closed loops of a robot whose passive joints follow."""
        if robot.model.kept_loops is not None:
            self.loops = ClosedLoops(robot, self.resolutions)

    @cached_property
    def compiled(self) -> JointSpace | None:
        """Collisions in compiled loops, where that can be, as all stands when asked.

        Links count that the checker is told to look at then.
        """
        if self.loops is not None:
            return None
        try:
            return JointSpace(self.robot, self.weights, self.resolutions)
        except NotSupportedError:
            return None

    @property
    def compiling(self) -> float:
        """Seconds that it took to compile what compares configurations."""
        now = 0.0 if self.compiled is None else self.compiled.compiling
        return self._compiled_before + now

    def prepare(self) -> None:
        """Compile what compares configurations, once per machine."""
        if self.compiled is not None:
            self.compiled.prepare()

    def _check(self) -> None:
        robot = self.robot
        if not self.dof:
            raise ArgumentError(
                f"{robot!r} has no active degrees of freedom to plan for; "
                "robot.set_active_dofs(...) chooses some"
            )
        if self.affine & (Affine.ROTATION_3D | Affine.ROTATION_QUAT):
            raise NotSupportedError(
                f"paths of {robot!r} whose base turns by {self.affine!r} are not "
                "planned; expected Affine.X, Y, Z and ROTATION_AXIS"
            )
        endless = ~(np.isfinite(self.lower) & np.isfinite(self.upper)) & ~self.circular
        if endless.any():
            raise ArgumentError(
                f"{self.named(endless)} of {robot!r} has no limits, expected finite "
                "ones; assign robot.dof_limits"
            )
        rough = ~(np.isfinite(self.resolutions) & (self.resolutions > 0.0))
        if rough.any():
            raise ArgumentError(
                f"{self.named(rough)} of {robot!r} has the resolution "
                f"{self.resolutions[rough][0]:g}, expected a positive step of path "
                "checks; assign robot.dof_resolutions"
            )
        for what in ("velocity", "acceleration"):
            still = ~(getattr(self.table, f"{what}_limits") > 0.0)
            if still.any():
                raise ArgumentError(
                    f"the {what} limit of {self.named(still)} of {robot!r} is not "
                    f"positive; assign robot.dof_{what}_limits"
                )

    def named(self, which: NDArray[np.bool_]) -> str:
        """Return the names of chosen values for a message."""
        return ", ".join(
            repr(self.names[k]) if k < len(self.indices) else f"base {self.names[k]}"
            for k in np.flatnonzero(which).tolist()
        )

    @property
    def values(self) -> Array:
        """(n,) where the robot is."""
        if self.affine:
            return self.between_limits(self.robot.active.values)
        return self.robot.dof_values_view[self.indices]

    def between_limits(self, values: Array) -> Array:
        """Return values (..., n) with the angle of a limited base at their turn.

        A pose does not say how often the base has turned.
        """
        if not self._turns_between_limits:
            return values
        found, turn = values.copy(), 2.0 * np.pi
        middle = 0.5 * (self.lower[-1] + self.upper[-1])
        found[..., -1] -= turn * np.rint((found[..., -1] - middle) / turn)
        return found

    def place(self, values: Array) -> None:
        """Take the robot to a configuration (n,), if it is elsewhere.

        Raises
        ------
        ArgumentError
            The robot's loops do not close there.
        """
        if not self.placed(values):
            raise ArgumentError(f"the loops of {self.robot!r} do not close at {values}")

    def placed(self, values: Array) -> bool:
        """Take the robot to a configuration (n,); False if loops do not close there."""
        if np.array_equal(values, self.values):
            return True  # what is known of where it is stays so
        if self.loops is not None:
            return self.loops.placed(values)
        self.robot.active.set_values(values, LimitCheck.NONE)
        return True

    def split(self, values: Array) -> tuple[Array, Array]:
        """Return the pose of the base (4, 4) and all joint values of the robot."""
        joints = self._others.copy()
        count = len(self.indices)
        joints[self.indices] = values[:count]
        base = self._base
        if self.affine:
            axis = self.robot.active.affine_rotation_axis
            base = self.affine.applied(base, values[count:], axis)
        return base, joints

    def difference(self, a: Array, b: Array) -> Array:
        """Return a - b, (..., n), the short way round where values turn."""
        return angle_difference(a - b, self.table.periods)

    def distances(self, rows: Array, to: Array) -> Array:
        """Return the weighted distances (k,) of configurations (k, n) to others."""
        ways = self.weights * self.difference(rows, to)
        return np.asarray(np.linalg.norm(ways, axis=-1))

    def distance(self, a: Array, b: Array) -> float:
        """Return the weighted distance of two configurations."""
        return float(self.distances(a, b))

    def length(self, path: Array) -> float:
        """Return the sum of the distances along a path (k, n)."""
        return float(self.distances(path[1:], path[:-1]).sum())

    def beyond(self, values: Array) -> NDArray[np.bool_]:
        """Return the mask of values (..., n) that exceed limits beyond rounding."""
        slack = self.limit_tolerance
        outside = (values < self.lower - slack) | (values > self.upper + slack)
        return np.asarray(outside & ~self.circular)

    def within(self, values: Array, near: Array) -> Array:
        """Return values (..., n) without their rounding beyond limits.

        Values that turn round come at the turn nearest to `near` (n,).
        """
        turned = near + self.difference(values, near)
        return self.clipped(np.where(self.circular, turned, values))

    def at_limits(self, values: Array) -> Array:
        """Return values (n,), those beyond a limit by rounding alone at the limit."""
        return np.where(self.beyond(values), values, self.clipped(values))

    def clipped(self, values: Array) -> Array:
        """Return values (..., n) within their limits; those that turn as they are."""
        inside = np.clip(values, self.lower, self.upper)
        return np.where(self.circular, values, inside)

    def samples(self, rng: np.random.Generator, count: int, near: Array) -> Array:
        """Return random configurations (count, n), evenly within limits."""
        lower = np.where(self.circular, near - np.pi, self.lower)
        upper = np.where(self.circular, near + np.pi, self.upper)
        return rng.uniform(lower, upper, (count, self.dof))

    # -- collisions ------------------------------------------------------------------

    def hits(self, rows: Array) -> NDArray[np.bool_]:
        """Return the mask of configurations (k, n) that collide, or open a loop."""
        self.checks += len(rows)
        if (self.affine or len(rows) <= _FEW) and self.compiled is not None:
            return self.compiled.hits(rows)
        checker, robot = self.robot.env.collision_checker, self.robot
        if not self.affine and self.loops is None:
            found = checker.check_configurations(robot, self._all_joints(rows))
            return np.asarray(found, np.bool_)
        found = np.zeros(len(rows), np.bool_)
        for k, row in enumerate(rows):
            if not self.placed(row):
                found[k] = True
                continue
            checker.synchronise()
            found[k] = checker.check_collision(robot) or (
                # links of a base that moves as a whole stay as they are
                len(self.indices) > 0 and checker.check_self_collision(robot)
            )
        return found

    def first_hit(
        self, start: Array, end: Array, deadline: float
    ) -> tuple[float, Array]:
        """Return the place of a motion's first collision, and its configuration.

        Parameters
        ----------
        deadline
            Of `time.perf_counter`; what is behind is not compared.

        Returns
        -------
        tuple
            0 at the start to 1 at the end, infinite if nothing was met; (n,) the
            values there, or at the end.
        """
        way = self.difference(end, start)
        steps = np.abs(way / self.resolutions).max(initial=1.0)
        count = min(int(np.ceil(steps)), _MAX_STEPS)
        times = np.linspace(0.0, 1.0, count + 1)
        rows = start + times[:, None] * way
        done, block = 0, _FIRST_BLOCK
        while done < len(rows) and perf_counter() < deadline:
            hits = self.hits(rows[done : done + block])
            if hits.any():
                first = done + int(np.argmax(hits))
                return float(times[first]), rows[first]
            done, block = done + block, 2 * block
        return float("inf"), rows[-1]

    @contextmanager
    def letting_part(
        self, rows: Iterable[Array], most: float, *, held: bool = False
    ) -> Iterator[None]:
        """Let what touches at configurations (n,) do so for a ``with`` block.

        Parameters
        ----------
        most
            Metres that pairs of links may be deep in each other there.
        held
            Only what the robot holds may, against what it does not.
        """
        found = Touches()
        for row in rows:
            if self.placed(row):
                self.robot.env.collision_checker.synchronise()
                itself = len(self.indices) > 0
                more = touches_of(self.robot, most, held=held, itself=itself)
                found = found.joined(more)
        with self._allowing(found):
            yield

    @contextmanager
    def letting_place(self, most: float) -> Iterator[None]:
        """Let whatever the robot holds touch anything else for a ``with`` block."""
        with self._allowing(touches_of_held(self.robot, most)):
            yield

    @property
    def holds_bodies(self) -> bool:
        """True if the robot holds a body."""
        return bool(self.robot.grabbed)

    @contextmanager
    def _allowing(self, touches: Touches) -> Iterator[None]:
        if not touches:
            yield
            return
        try:
            with self.robot.env.collision_checker.allowing(touches):
                self._forget_compiled()
                yield
        finally:
            self._forget_compiled()

    def _forget_compiled(self) -> None:
        """Look again which pairs of links count."""
        self._compiled_before = self.compiling
        vars(self).pop("compiled", None)

    def report(self, row: Array) -> CollisionReport:
        """Return all pairs of links that collide in a configuration, with depths."""
        checker, robot = self.robot.env.collision_checker, self.robot
        self.place(row)
        options = checker.get_collision_options()
        with ExitStack() as stack:
            # who knows no contacts tells the pairs alone
            with suppress(NotSupportedError):
                stack.enter_context(checker.options(options | _REPORTED))
            (report,) = checker.check_configurations(
                robot, robot.dof_values[None], report=True
            )
        return report

    @property
    def own_bodies(self) -> frozenset[int]:
        """Ids of what moves: the robot and what it holds."""
        return frozenset(body.id for body in self.robot.attached)

    def for_user(self, trajectory: TrajectoryBase) -> TrajectoryBase:
        """Return a trajectory of the robot as it is given to the user."""
        return trajectory

    def _all_joints(self, rows: Array) -> Array:
        every = np.tile(self._others, (len(rows), 1))
        every[:, self.indices] = rows
        return every
