"""Joints of a robot as the space of a search, in compiled loops."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import PlannerParameters
from pyrave.jit import DeferredKernel, KernelModule
from pyrave.jit.addresses import address_of
from pyrave.jit.bundles import ArrayBundle
from pyrave.planning.search.kernels.joint_space import AXES
from pyrave.planning.search.motion_bounds import farthest_reach, link_spheres

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import CollisionCheckerBase
    from pyrave.kinematics import Model
    from pyrave.spatial import Array, Indices

_PAD = 16
_NOT_COMPILING = 0.05
"""Seconds in which a kernel is read, but not compiled."""
_LEAST_MARGIN = 2e-4
"""Metres: steps between two checks of a motion are not made shorter than that."""
_kernels = "pyrave.planning.search.kernels."
_grow = DeferredKernel(
    KernelModule(_kernels + "tree_search"), "grow", "I64[2] I64[2]", "tree search", 6
)
_grow_one = DeferredKernel(
    KernelModule(_kernels + "tree_search"),
    "grow_one",
    "I64[2] I64[2] int",
    "tree search",
    6,
)
_improve = DeferredKernel(
    KernelModule(_kernels + "optimal_search"),
    "improve",
    "I64[2] I64[2]",
    "optimising searches",
    8,
)
_shortcuts = KernelModule(_kernels + "shortcuts")
_prune = DeferredKernel(_shortcuts, "prune", "I64[2] F64[2] int", "shortcuts", 4)
_shorten = DeferredKernel(
    _shortcuts, "shorten", "I64[2] F64[2] int F64[2] int", "shortcuts", 4
)
_checks = KernelModule(_kernels + "joint_space")
_check_states = DeferredKernel(
    _checks, "check_states", "I64[2] F64[2] F64[1]", "checks of configurations", 3
)
_check_motions = DeferredKernel(
    _checks, "check_motions", "I64[2] F64[2] int", "checks of motions", 3
)
KERNELS = {
    "tree-search": _grow,
    "one-tree-search": _grow_one,
    "optimising-search": _improve,
    "shortcuts-prune": _prune,
    "shortcuts": _shorten,
    "check-states": _check_states,
    "check-motions": _check_motions,
}
"""What `pyrave warm` compiles."""


class JointSpace:
    """Configurations of a robot's joints, with its collisions as they are now.

    All other bodies stay where they are while it is in use. One thread at a time.

    Parameters
    ----------
    robot
        In an environment.
    parameters
        Whose joints, limits, weights and resolutions count.

    Raises
    ------
    NotSupportedError
        Searches in this space cannot be compiled: functions of the user take part, the
        checker is not compiled, or joints follow others by formulas that are not
        linear.
    """

    compiled = True

    def __init__(self, robot: Robot, parameters: PlannerParameters) -> None:
        self.compiling = 0.0
        """Seconds that it took to compile kernels, once per machine."""
        model = robot.state_model
        if not parameters.is_plain:
            raise NotSupportedError("functions of the user say what the space is")
        if model.closing_joints.size or (
            model.has_mimic and model.linear_followers is None
        ):
            raise NotSupportedError(
                "joints close loops, or follow others by formulas that are not linear"
            )
        active = robot.active_dof_indices
        self._periods = _periods(model, active)
        self.is_winding = bool(self._periods.any())
        values, active_values, followers, slopes, ends = _values(robot, model, active)
        gains = np.abs(slopes).max(axis=0, initial=1.0)
        axes = np.stack(
            (
                parameters.weights,
                self._periods,
                parameters.resolutions,
                model.prismatic[active].astype(float),
                gains,
            )
        )
        self._check = np.zeros(2, np.int64)
        spheres = link_spheres(robot)
        bounds = np.array((farthest_reach(robot, spheres), _LEAST_MARGIN))
        spheres[~model.dof_affects[active].any(axis=0), 3] = -1.0
        self._bundle = ArrayBundle(
            (
                model.pose_rows,
                np.array(robot.transforms_view[0]),
                values,
                active_values,
                followers,
                slopes,
                ends,
                axes,
                np.zeros((3, -(-model.n_values // _PAD) * _PAD)),
                np.empty((model.n_poses, 4, 4)),
                np.empty((4, len(active))),
                self._check,
                *self._collisions(robot.env.collision_checker, robot),
                spheres,
                bounds,
                np.empty((model.n_links, 4, 4)),
                np.empty((model.n_links, 4, 4)),
            )
        )
        self.table = self._bundle.table
        """What kernels take."""

    def _collisions(
        self, checker: CollisionCheckerBase, robot: Robot
    ) -> tuple[NDArray[Any], ...]:
        if not checker.finds_collisions:
            none = np.empty(0, np.int32)
            table = np.empty((0, 4), np.int64)
            return table, table, none, none, np.empty((0, 16)), table, table
        begin = time.perf_counter()
        self._kept = checker.compiled(robot)
        self._count_compiling(begin)
        self._check[0] = address_of(self._kept.function)
        return *self._kept.arguments, self._kept.around, self._kept.within

    def _compiled(self, kernel: DeferredKernel) -> Callable[..., Any]:
        if kernel.function is not None:
            return kernel.function
        begin = time.perf_counter()
        function = kernel.now()
        self._count_compiling(begin)
        return function

    def _count_compiling(self, begin: float) -> None:
        spent = time.perf_counter() - begin
        self.compiling += spent if spent > _NOT_COMPILING else 0.0

    @property
    def checks(self) -> int:
        """How many configurations were checked so far."""
        return int(self._check[1])

    def grow(self, trees: ArrayBundle) -> int:
        """Grow trees, see `pyrave.planning.search.kernels.tree_search.grow`."""
        return int(self._compiled(_grow)(self.table, trees.table))

    def grow_one(self, trees: ArrayBundle, steps: int) -> int:
        """Grow a tree, see `pyrave.planning.search.kernels.tree_search.grow_one`."""
        return int(self._compiled(_grow_one)(self.table, trees.table, steps))

    def improve(self, tree: ArrayBundle) -> int:
        """Improve a tree, see `search.kernels.optimal_search.improve`."""
        return int(self._compiled(_improve)(self.table, tree.table))

    def prune(self, path: Array, count: int) -> int:
        """Leave out waypoints; see `pyrave.planning.search.kernels.shortcuts.prune`."""
        return int(self._compiled(_prune)(self.table, path, count))

    def shorten(self, path: Array, count: int, places: Array) -> int:
        """Take shortcuts; see `pyrave.planning.search.kernels.shortcuts.shorten`."""
        return int(
            self._compiled(_shorten)(self.table, path, count, places, len(places))
        )

    def hits(self, states: Array) -> NDArray[np.bool_]:
        """Return which configurations (n, d) collide."""
        found = np.zeros(len(states))
        self._compiled(_check_states)(self.table, np.ascontiguousarray(states), found)
        return found > 0.0

    def first_blocked(self, path: Array, *, searched: bool = False) -> int:
        """Return the first piece of a path that is not sure to be free, or -1.

        It is where something comes nearer than `_LEAST_MARGIN` between two
        configurations of a motion, and touches in the middle of them.
        """
        rows = np.ascontiguousarray(path)
        return int(
            self._compiled(_check_motions)(self.table, rows, 2 if searched else 1)
        )

    def is_free(self, start: Array, end: Array) -> bool:
        """Return whether the motion between two configurations is free."""
        ends = np.stack((start, end))
        return int(self._compiled(_check_motions)(self.table, ends, 0)) < 0

    def difference(self, end: Array, start: Array) -> Array:
        """Return the way (..., d) from start to end, the short way round."""
        way = end - start
        if not self.is_winding:
            return np.asarray(way)
        turns = np.rint(way / np.where(self._periods > 0.0, self._periods, np.inf))
        return np.asarray(way - turns * self._periods)

    def distance(self, start: Array, end: Array) -> float:
        """Return the weighted distance of two configurations."""
        weights = self._bundle.arrays[AXES][0]
        return float(np.linalg.norm(weights * self.difference(end, start)))

    def length(self, path: Array) -> float:
        """Return the sum of the weighted distances along a path (n, d)."""
        ways = self.difference(path[1:], path[:-1])
        return float(np.linalg.norm(self._bundle.arrays[AXES][0] * ways, axis=1).sum())

    def refine(self) -> None:
        """Check motions at half the distances from now on."""
        self._bundle.arrays[AXES][2] *= 0.5


def _periods(model: Model, active: Indices) -> Array:
    """Return periods of circular values, 0 for others."""
    periods = model.circular_periods[active]
    return np.where(np.isfinite(periods), periods, 0.0)


def _values(robot: Robot, model: Model, active: Indices) -> tuple[NDArray[Any], ...]:
    """Return values of all axes, which move, and how others follow these."""
    values = np.array(robot.joint_values)
    linear = model.linear_followers if model.has_mimic else None
    if linear is None:
        none = np.empty((0, len(active)))
        return values, active.astype(np.int64), np.empty(0, np.int64), none, none[:3]
    q = robot.dof_values
    q[active] = 0.0
    offset = linear.matrix @ q + linear.offset
    return (
        values,
        active.astype(np.int64),
        linear.values.astype(np.int64),
        np.ascontiguousarray(linear.matrix[:, active]),
        np.stack((offset, linear.lower, linear.upper)),
    )
