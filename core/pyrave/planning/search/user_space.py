"""Spaces that user functions define, searched in Python."""

from __future__ import annotations

from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.jit import KernelModule
from pyrave.kinematics.limits import LimitCheck

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import PlannerParameters
    from pyrave.jit.bundles import ArrayBundle
    from pyrave.spatial import Array

_kernels = "pyrave.planning.search.kernels."
_substitutes = {_kernels + "joint_space": _kernels + "user_space"}
_search = KernelModule(_kernels + "tree_search", substitutes=_substitutes)
_shortcuts = KernelModule(_kernels + "shortcuts", substitutes=_substitutes)
_optimal = KernelModule(_kernels + "optimal_search", substitutes=_substitutes)
_MIN_PROGRESS = 1e-6


class UserSpace:
    """Configurations that parameters of planners describe by functions.

    What there is no function for is done as for joints of a robot: the way is a
    difference, distances are weighted, motions are straight and checked in steps of the
    resolutions by the environment's checker. `check_path_constraints` is asked about
    each step, `neighbour_state` where each step ends. The robot is moved; the caller
    puts it back.

    Parameters
    ----------
    robot
        Whose collisions count; None: only the functions do.
    """

    compiled = False
    is_winding = True
    compiling = 0.0

    def __init__(self, robot: Robot | None, parameters: PlannerParameters) -> None:
        self._robot = robot
        self._parameters = parameters
        self._given = parameters.changed_functions
        self._resolutions = np.array(parameters.resolutions, float)
        self.checks = 0
        """Number of configurations that were checked so far."""

    # -- what kernels ask for, see `search.kernels.user_space` ------------

    def difference(self, end: Array, start: Array) -> Array:
        """Return the way (d,) from start to end."""
        function = self._parameters.difference
        return end - start if function is None else _vector(function(end, start), end)

    def distance(self, start: Array, end: Array) -> float:
        """Return the distance of two configurations."""
        function = self._parameters.distance_metric
        if function is not None:
            return number_of(function(start, end), "distance_metric")
        return self._length(self.difference(end, start))

    def length(self, path: Array) -> float:
        """Return the sum of the distances along a path (n, d)."""
        return sum(self.distance(one, other) for one, other in pairwise(path))

    def _length(self, way: Array) -> float:
        weights = self._parameters.weights
        return float(np.linalg.norm(way * weights if len(weights) else way))

    def distances(self, nodes: Array, target: Array) -> Array:
        """Return the distances (n,) of (n, d) configurations from another one."""
        return np.array([self.distance(node, target) for node in nodes])

    def steer(self, start: Array, target: Array, reach: float, out: Array) -> int:
        """Write the end of a step; 2 if that is the target, 0 if there is no step."""
        total = self.distance(start, target)
        way = self.difference(target, start)
        part = 1.0 if total <= reach else reach / total
        end = self._neighbour(start, part * way)
        if end is None:
            return 0
        out[:] = end
        if "neighbour_state" not in self._given:
            return 2 if total <= reach else 1
        left = self.distance(end, target)
        if left <= _MIN_PROGRESS * reach:
            out[:] = target
            return 2
        moved = self.distance(start, end)
        is_nearer = left < total - _MIN_PROGRESS * reach
        return 1 if is_nearer and moved <= 2.0 * reach else 0

    def is_free(self, start: Array, end: Array) -> bool:
        """Return True if a motion is free, the start left out."""
        states = self._between(start, end)
        if self._parameters.check_path_constraints is not None:
            for one, other in zip((start, *states), states, strict=False):
                if not self._parameters.check_path_constraints(one, other):
                    return False
        return not self.hits(states).any()

    def _between(self, start: Array, end: Array) -> Array:
        way = self.difference(end, start)
        steps = 1
        if len(self._resolutions):
            parts = np.abs(way) / self._resolutions
            steps = max(1, int(np.ceil(parts.max(initial=1.0) - 1e-9)))
        places = np.arange(1, steps + 1)[:, None] / steps
        return np.vstack((start + places[:-1] * way, end[None]))

    def _neighbour(self, start: Array, way: Array) -> Array | None:
        function = self._parameters.neighbour_state
        if function is None:
            return np.asarray(start + way)
        end = function(start, way)
        return None if end is None else _vector(end, start)

    # -- checks --------------------------------------------------------------------

    def hits(self, states: Array) -> NDArray[np.bool_]:
        """Return the mask of configurations (n, d) that collide, or cannot be set."""
        self.checks += len(states)
        robot, function = self._robot, self._parameters.set_state
        has_joints_only = robot is not None and not robot.active.affine
        if robot is not None and has_joints_only and "set_state" not in self._given:
            rows = np.tile(robot.dof_values, (len(states), 1))
            rows[:, robot.active_dof_indices] = states
            checker = robot.env.collision_checker
            return checker.check_configurations(robot, rows)
        return np.array([self._hits_at(state, function) for state in states], np.bool_)

    def _hits_at(self, state: Array, function: object) -> bool:
        if callable(function) and function(state) is False:
            return True
        robot = self._robot
        if robot is None:
            return False
        if function is None:
            robot.set_dof_values(
                state, robot.active_dof_indices, limits=LimitCheck.NONE
            )
        return bool(robot.env.check_collision(robot)) or bool(
            robot.check_self_collision()
        )

    def is_sure(self, start: Array, end: Array) -> bool:
        """Return True if a motion is free at a quarter of the resolutions, too."""
        if not self.is_free(start, end):
            return False
        before, self._resolutions = self._resolutions, 0.25 * self._resolutions
        try:
            return self.is_free(start, end)
        finally:
            self._resolutions = before

    def first_blocked(self, path: Array, *, searched: bool = False) -> int:
        """Return the first piece of a path that is not sure to be free, or -1."""
        for k in range(len(path) - 1):
            if not self.is_sure(path[k], path[k + 1]):
                return k
        return -1

    # -- searches ------------------------------------------------------------------

    def grow(self, trees: ArrayBundle) -> int:
        """Grow trees, see `pyrave.planning.search.kernels.tree_search.grow`."""
        return int(_search.python.grow(self, trees.table))

    def grow_one(self, trees: ArrayBundle, steps: int) -> int:
        """Grow a tree, see `pyrave.planning.search.kernels.tree_search.grow_one`."""
        return int(_search.python.grow_one(self, trees.table, steps))

    def improve(self, tree: ArrayBundle) -> int:
        """Improve a tree, see `search.kernels.optimal_search.improve`."""
        return int(_optimal.python.improve(self, tree.table))

    def prune(self, path: Array, count: int) -> int:
        """Leave out waypoints; see `pyrave.planning.search.kernels.shortcuts.prune`."""
        if "neighbour_state" in self._given:
            return count
        return int(_shortcuts.python.prune(self, path, count))

    def shorten(self, path: Array, count: int, places: Array) -> int:
        """Take shortcuts; see `pyrave.planning.search.kernels.shortcuts.shorten`."""
        if "neighbour_state" in self._given:
            return count
        return int(_shortcuts.python.shorten(self, path, count, places, len(places)))

    def refine(self) -> None:
        """Check motions at half the distances from now on."""
        self._resolutions = 0.5 * self._resolutions


def number_of(found: object, function: str) -> float:
    """Return the result of a user's function, if it is a distance."""
    if isinstance(found, Real) and 0.0 <= float(found) < float("inf"):
        return float(found)
    raise ArgumentError(
        f"{function} of the planner's parameters gave {shown(found)}, expected a "
        "finite number >= 0"
    )


def _vector(found: object, like: Array) -> Array:
    """Return the result of a user's function, if it is a configuration."""
    values = np.asarray(found, float)
    if values.shape != like.shape or not np.isfinite(values).all():
        raise ArgumentError(
            f"a function of the planner's parameters gave {found!r}, expected "
            f"{len(like)} finite numbers"
        )
    return values
