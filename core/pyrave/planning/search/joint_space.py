"""Joints and base of a robot as the space of a search, in compiled loops."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.jit import Kernel, TakesLongError, interpreted_for
from pyrave.jit.addresses import address_of
from pyrave.jit.bundles import ArrayBundle
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.base_joints import moved_base
from pyrave.kinematics.kernels.link_motions import MOTION_WIDTH
from pyrave.planning.search.kernels.joint_space import AXES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import CollisionCheckerBase
    from pyrave.kinematics import Model
    from pyrave.spatial import Array, Indices

_PAD = 16
_NOT_COMPILING = 0.05
"""Seconds in which a kernel is read, but not compiled."""
_BEARABLE = 1.0
"""Seconds of checks in a process before collisions are compiled, which takes ten."""
_interpreted = [0.0]
"""Seconds of checks in this process so far."""
_LEAST = 2e-4
"""Metres: parts of a motion in which no point moves further are not divided; less
where resolutions are finer than those of the robot."""
_PARTS = 192
"""Largest number of parts of a motion that wait for a test."""
_PAIRS = 32
"""Largest number of pairs of solids that are tested again in a part, not all."""
_kernels = "pyrave.planning.search.kernels."
_grow = Kernel(_kernels + "tree_search", "grow", "tree search", 6, whole=True)
_grow_one = Kernel(_kernels + "tree_search", "grow_one", "tree search", 6, whole=True)
_improve = Kernel(
    _kernels + "optimal_search", "improve", "optimising searches", 8, whole=True
)
_prune = Kernel(_kernels + "shortcuts", "prune", "shortcuts", 4, whole=True)
_shorten = Kernel(_kernels + "shortcuts", "shorten", "shortcuts", 4, whole=True)
_check_states = Kernel(
    _kernels + "joint_space", "check_states", "checks of configurations", 3, whole=True
)
_check_motions = Kernel(
    _kernels + "joint_space", "check_motions", "checks of motions", 3, whole=True
)
_first_hit = Kernel(
    _kernels + "sampled_motions", "first_hit", "checks of trajectories", 4, whole=True
)
KERNELS = {
    "tree-search": _grow,
    "one-tree-search": _grow_one,
    "optimising-search": _improve,
    "shortcuts-prune": _prune,
    "shortcuts": _shorten,
    "check-states": _check_states,
    "check-motions": _check_motions,
    "check-trajectories": _first_hit,
}
"""Kernels that `pyrave warm` compiles."""


class JointSpace:
    """Configurations of a robot's active degrees of freedom, with its collisions.

    Motions of the base are joints before its first link, see `moved_base`.

    All other bodies stay where they are while it is in use. One thread at a time.

    Parameters
    ----------
    robot
        In an environment.
    weights, resolutions
        (n,) of its active degrees of freedom; its own ones if left out.

    Raises
    ------
    NotSupportedError
        Searches in this space cannot be compiled: the base turns freely, the checker is
        not compiled, a link carries a plane, or joints follow others by formulas that
        are not linear.
    """

    compiled = True

    def __init__(
        self,
        robot: Robot,
        weights: Array | None = None,
        resolutions: Array | None = None,
    ) -> None:
        self.compiling = 0.0
        """Seconds that it took to compile kernels, or to do without them at first."""
        self._is_written = False
        model, dofs = robot.state_model, robot.active_table
        affine = dofs.affine
        if affine & (Affine.ROTATION_3D | Affine.ROTATION_QUAT):
            raise NotSupportedError("the base turns about more than one axis")
        if model.closing_joints.size or (
            model.has_mimic and model.linear_followers is None
        ):
            raise NotSupportedError(
                "joints close loops, or follow others by formulas that are not linear"
            )
        active = dofs.indices
        values, active_values, followers, slopes, ends = _values(robot, model, active)
        self._periods = np.where(np.isfinite(dofs.periods), dofs.periods, 0.0)
        rows, screws = model.pose_rows, model.pose_screws
        base, n_poses, first = robot.transforms_view[0], model.n_poses, 0
        moves = np.asarray(model.dof_affects[active].any(axis=0))
        if affine:
            axis = np.array(dofs.choice.rotation_axis)
            rows, screws, base = moved_base(rows, base, affine, axis)
            n_poses, first = len(rows), 1
            count = affine.size
            new = np.arange(count) + len(values)
            values = np.append(values, np.zeros(count))
            active_values = np.append(active_values, new)
            slopes = np.hstack((slopes, np.zeros((len(slopes), count))))
            moves[:] = True
        self.is_winding = bool(self._periods.any())
        if weights is None:
            weights = dofs.weights
        axes = np.stack((weights, self._periods))
        self._weights, self._resolutions = weights, resolutions
        self._check = np.zeros(3, np.int64)
        finer = 1.0
        if resolutions is not None:
            finer = min(1.0, float((resolutions / dofs.resolutions).min()))
        self._first_least = _LEAST * finer
        self._least = np.array([self._first_least])
        poses = np.empty((n_poses, 4, 4))
        motions = np.empty((n_poses, MOTION_WIDTH))
        *arguments, spheres = self._collisions(
            robot.env.collision_checker, robot, moves
        )
        if first:
            spheres = np.vstack(([[0.0, 0.0, 0.0, -1.0]], spheres))
        self._bundle = ArrayBundle(
            (
                rows,
                np.array(base),
                values,
                active_values,
                followers,
                slopes,
                ends,
                axes,
                np.zeros((3, -(-len(values) // _PAD) * _PAD)),
                poses,
                np.empty((4, len(active_values))),
                self._check,
                *arguments,
                spheres,
                screws,
                np.zeros((2, len(values))),
                motions,
                self._least,
                poses[first:],
                motions[first:],
                np.empty((_PARTS, 2)),
                np.empty((_PARTS, 1 + 2 * _PAIRS), np.int32),
            )
        )
        self.table = self._bundle.table
        """Arguments of kernels."""

    def serves(self, weights: Array, resolutions: Array) -> bool:
        """Return True if a space with these weights and resolutions is the same."""
        finest = self._resolutions
        return np.array_equal(weights, self._weights) and (
            finest is not None and np.array_equal(resolutions, finest)
        )

    def _collisions(
        self, checker: CollisionCheckerBase, robot: Robot, moves: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], ...]:
        """Return the arguments of collision functions, and spheres of links."""
        if not checker.finds_collisions:
            none = np.empty((0, 4), np.int64)
            return none, none, none, np.empty((0, 4))
        begin = time.perf_counter()
        self._kept = kept = checker.compiled(robot)
        function, sift = kept.written or kept.functions()
        self._is_written = kept.written is not None
        self._check[:2] = address_of(function), address_of(sift)
        self._count_compiling(begin)
        spheres = kept.spheres.copy()
        spheres[~moves, 3] = -1.0
        if not np.isfinite(spheres).all():
            raise NotSupportedError("a link carries a solid without end")
        return *kept.arguments, spheres

    def run(self, kernel: Kernel, *args: Any, alone: bool = False) -> Any:
        """Return the result of a kernel that takes `table` first.

        Where nothing is compiled yet, one that is interpreted is as good at first:
        checks of a motion or two take less than the compiler does.

        Parameters
        ----------
        alone
            The kernel may be interpreted: it begins anew with the same arguments.
        """
        if self._is_written:
            if alone and _interpreted[0] < _BEARABLE:
                try:
                    return self._interpreted(kernel, args)
                except TakesLongError:
                    pass
            begin = time.perf_counter()
            function, sift = self._kept.functions()
            self._check[:2] = address_of(function), address_of(sift)
            self._is_written = False
            self._count_compiling(begin)
        compiled = kernel.function or self._compiled(kernel)
        return compiled(self.table, *args)

    def _interpreted(self, kernel: Kernel, args: tuple[Any, ...]) -> Any:
        begin, checks = time.perf_counter(), self._check[2]
        try:
            with interpreted_for(_BEARABLE - _interpreted[0]):
                return kernel.python(self.table, *args)
        except TakesLongError:
            self._check[2] = checks
            raise
        finally:
            spent = time.perf_counter() - begin
            _interpreted[0] += spent
            self.compiling += spent

    def _compiled(self, kernel: Kernel) -> Callable[..., Any]:
        begin = time.perf_counter()
        function = kernel.now()
        self._count_compiling(begin)
        return function

    def _count_compiling(self, begin: float) -> None:
        spent = time.perf_counter() - begin
        self.compiling += spent if spent > _NOT_COMPILING else 0.0

    def prepare(self) -> None:
        """Compile what compares configurations, once per machine, if it is now."""
        if _check_states.function is None and not self._is_written:
            self._compiled(_check_states)

    @property
    def checks(self) -> int:
        """Number of configurations that were checked so far."""
        return int(self._check[2])

    def grow(self, trees: ArrayBundle) -> int:
        """Grow trees, see `pyrave.planning.search.kernels.tree_search.grow`."""
        return int(self.run(_grow, trees.table))

    def grow_one(self, trees: ArrayBundle, steps: int) -> int:
        """Grow a tree, see `pyrave.planning.search.kernels.tree_search.grow_one`."""
        return int(self.run(_grow_one, trees.table, steps))

    def improve(self, tree: ArrayBundle) -> int:
        """Improve a tree, see `search.kernels.optimal_search.improve`."""
        return int(self.run(_improve, tree.table))

    def prune(self, path: Array, count: int) -> int:
        """Leave out waypoints; see `pyrave.planning.search.kernels.shortcuts.prune`."""
        return int(self.run(_prune, path, count))

    def shorten(self, path: Array, count: int, places: Array) -> int:
        """Take shortcuts; see `pyrave.planning.search.kernels.shortcuts.shorten`."""
        return int(self.run(_shorten, path, count, places, len(places)))

    def hits(self, states: Array) -> NDArray[np.bool_]:
        """Return the mask of configurations (n, d) that collide."""
        found = np.zeros(len(states))
        self.run(_check_states, np.ascontiguousarray(states), found, alone=True)
        return found > 0.0

    def first_blocked(self, path: Array, *, searched: bool = False) -> int:
        """Return the first piece of a path that is not free, or -1.

        Searches check motions as well: what they found is not looked at again.
        """
        if searched:
            return -1
        rows = np.ascontiguousarray(path)
        return int(self.run(_check_motions, rows, alone=True))

    def first_hit(self, states: Array) -> int:
        """Return at or behind which of configurations (n, d) it collides, or -1.

        Made for those of a trajectory: they follow each other, without whole turns.
        """
        rows = np.ascontiguousarray(states)
        return int(self.run(_first_hit, rows, alone=True))

    def is_free(self, start: Array, end: Array) -> bool:
        """Return True if the motion between two configurations is free."""
        return self.first_blocked(np.stack((start, end))) < 0

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

    @property
    def gap(self) -> float:
        """Metres that no point moves further from a middle that was compared."""
        return float(self._least[0])

    def refine(self) -> None:
        """Divide motions further from now on."""
        self._least *= 0.5

    def restart(self) -> None:
        """Divide motions as at first, for another search."""
        self._least[:] = self._first_least


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
