"""All solutions of an arm's task in closed form or by elimination."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.jit import KernelModule
from pyrave.spatial import Array, invert_pose, matrix_from_axis_angle
from pyrave_ik.classify import Decomposition, Kind, classify
from pyrave_ik.goals import Task, task_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.interfaces import IkParameterization, IkParameterizationType
    from pyrave_ik.chain import ArmChain

__all__ = ["AnalyticSolver", "Loop"]

kernels = KernelModule("pyrave_ik.kernels.solve._kernels")

CAPACITY = 64
"""Most solutions of one loop that are kept; a loop of turning joints has up to 16."""
TOLERANCE = 1e-9
_TURNS = np.array([[0.83, 2.1, -1.3], [-0.4, 1.2, 2.7], [2.5, -0.9, 0.35]])
_TRIALS = 6


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop of six joints: ``E_0(x_0) ... E_5(x_5) = goal``.

    Parameters
    ----------
    screws
        (6, 7): unit axis, a point on it, 1 for a sliding joint.
    goal
        (4, 4).
    axes
        (6,) number of the arm's axis, or -1 for a virtual joint.
    """

    screws: Array
    goal: Array
    axes: tuple[int, ...]


class AnalyticSolver:
    """Solves one kind of task of one arm. Immutable after construction.

    Parameters
    ----------
    chain
        The arm.
    kind
        The kind of goals.
    direction
        (3,) the tool's direction in the tool frame.
    free
        Axes of the chain that are held at given values; None: the best choice of as
        many as the arm has too many.

    Raises
    ------
    NotSupportedError
        The arm has too few joints, or joints that depend on each other, or no choice
        of free joints leaves isolated solutions.
    """

    def __init__(
        self,
        chain: ArmChain,
        kind: IkParameterizationType,
        direction: Array,
        free: Sequence[int] | None = None,
    ) -> None:
        from pyrave.interfaces import IkParameterization

        if chain.coupled:
            raise NotSupportedError(
                "one degree of freedom moves several axes of the arm: "
                + ", ".join(chain.names)
            )
        self.chain = chain
        self.kind = kind
        self._direction = np.asarray(direction, dtype=np.float64)
        probe = task_of(
            IkParameterization.from_pose(kind, chain.home, self._direction),
            self._direction,
        )
        surplus = chain.n + len(probe.names) - 6
        if surplus < 0:
            raise NotSupportedError(
                f"{kind.name} needs {6 - len(probe.names)} joints, "
                f"the arm has {chain.n}"
            )
        choices = (
            [tuple(free)] if free is not None else combinations(range(chain.n), surplus)
        )
        self.virtual_names = probe.names
        self.free, self.decomposition, self._turns = self._best(list(choices), surplus)

    # -- solving ---------------------------------------------------------------

    def loop(self, goal: Array, virtual: Array, held: Array) -> Loop:
        """Return the loop of a goal with the free axes held at values.

        Parameters
        ----------
        goal
            (4, 4) T_base_tool at which the loop closes.
        virtual
            (k, 7) screws in the tool frame.
        held
            (n_free,) values of the free axes.
        """
        return self._loop(goal, virtual, self.free, held)

    def solve(self, goal: IkParameterization, held: Array | None = None) -> Array:
        """Return all solutions (k, n) as values of the chain's axes.

        Parameters
        ----------
        goal
            In the arm's base frame.
        held
            (n_free,) values of the free axes; zeros by default.
        """
        task = task_of(goal, self._direction)
        values = np.zeros(len(self.free)) if held is None else np.asarray(held, float)
        found = self._run(
            self._loop(task.goal, task.virtual, self.free, values),
            self.decomposition,
            self._turns,
        )
        return self._chosen(found, values, task)

    def _chosen(self, found: Array, held: Array, task: Task) -> Array:
        n = self.chain.n
        kept = [i for i in range(n) if i not in self.free]
        out = np.empty((len(found), n))
        out[:, kept] = found[:, : len(kept)]
        out[:, list(self.free)] = held
        if task.wanted_direction is not None:
            fits = [self._points(row, task.wanted_direction) for row in out]
            out = out[np.array(fits, dtype=bool)] if len(out) else out
        return _unique(out, self.chain.screws[:, 6] != 0.0)

    def _points(self, values: Array, wanted: Array) -> bool:
        pose = self._forward(values)
        return bool(np.abs(pose[:3, :3] @ self._direction - wanted).max() < 1e-7)

    def _forward(self, values: Array) -> Array:
        pose = self.chain.home
        for row, value in zip(self.chain.screws[::-1], values[::-1], strict=True):
            pose = _moved(row, float(value)) @ pose
        return pose

    def _loop(
        self, goal: Array, virtual: Array, free: tuple[int, ...], held: Array
    ) -> Loop:
        before = np.eye(4)
        rows, axes = [], []
        for i, row in enumerate(self.chain.screws):
            now = _carried(before, row)
            if i in free:
                before = _moved(now, float(held[free.index(i)])) @ before
            else:
                rows.append(now)
                axes.append(i)
        home = before @ self.chain.home
        rows += [_carried(home, row) for row in virtual]
        axes += [-1] * len(virtual)
        return Loop(np.array(rows), goal @ invert_pose(home), tuple(axes))

    @staticmethod
    def _run(loop: Loop, how: Decomposition, turns: Array) -> Array:
        out = np.empty((CAPACITY, 6))
        n = kernels.jit.solve_any(
            int(how.kind),
            how.first,
            how.backward,
            loop.screws,
            np.ascontiguousarray(loop.goal[:3]),
            turns,
            TOLERANCE,
            out,
        )
        return out[:n]

    # -- planning --------------------------------------------------------------

    def _best(
        self, choices: list[tuple[int, ...]], surplus: int
    ) -> tuple[tuple[int, ...], Decomposition, Array]:
        """Return the free axes, decomposition and turns that work and cost least.

        What a classification promises is tried on random configurations: they must be
        among the solutions.
        """
        rng = np.random.default_rng(20261121)
        ranked = []
        for choice in choices:
            if len(choice) != surplus:
                raise NotSupportedError(
                    f"{len(choice)} free joints are given, {self.kind.name} leaves "
                    f"{surplus} of {self.chain.n}"
                )
            loop, _ = self._sample(choice, rng)
            how = classify(loop.screws, loop.goal, self._names(loop))
            ranked.append((how.cost, choice != (2,), choice, how))
        for _, _, choice, how in sorted(ranked, key=lambda item: item[:3]):
            for option in _options(how):
                for turns in _TURNS:
                    if self._works(choice, option, turns):
                        return choice, option, turns
                    if option.kind is not Kind.GENERAL:
                        break
        raise NotSupportedError(
            f"{self.kind.name} of this arm has no isolated solutions: "
            + ", ".join(self.chain.names)
        )

    def _names(self, loop: Loop) -> tuple[str, ...]:
        given = iter(self.virtual_names)
        return tuple(
            self.chain.names[axis] if axis >= 0 else next(given) for axis in loop.axes
        )

    def _sample(
        self, free: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[Loop, Array]:
        """Return the loop of a random configuration, and that configuration."""
        from pyrave.interfaces import IkParameterization

        values = rng.uniform(-2.5, 2.5, self.chain.n)
        pose = self._forward(values)
        task = task_of(
            IkParameterization.from_pose(self.kind, pose, self._direction),
            self._direction,
        )
        return self._loop(task.goal, task.virtual, free, values[list(free)]), values

    def _works(self, free: tuple[int, ...], how: Decomposition, turns: Array) -> bool:
        rng = np.random.default_rng(7)
        kept = [i for i in range(self.chain.n) if i not in free]
        slides = self.chain.screws[kept, 6] != 0.0
        for _ in range(_TRIALS):
            loop, values = self._sample(free, rng)
            found = self._run(loop, how, turns)[:, : len(kept)]
            if not len(found):
                return False
            off = np.abs(found - values[kept])
            off = np.where(slides, off, np.abs((off + np.pi) % (2 * np.pi) - np.pi))
            if off.max(axis=1).min() > 1e-5:
                return False
        return True


def _options(how: Decomposition) -> list[Decomposition]:
    """Return what to try: the closed form, then elimination with every cut."""
    general = [
        Decomposition(
            Kind.GENERAL,
            first,
            reason=how.reason
            if how.kind is Kind.GENERAL
            else f"{how.reason}, but singular: elimination to an eigenvalue problem",
        )
        for first in range(6)
    ]
    return general if how.kind is Kind.GENERAL else [how, *general]


def _moved(row: Array, value: float) -> Array:
    pose = np.eye(4)
    if row[6]:
        pose[:3, 3] = row[:3] * value
    else:
        pose[:3, :3] = matrix_from_axis_angle(row[:3], value)
        pose[:3, 3] = row[3:6] - pose[:3, :3] @ row[3:6]
    return pose


def _carried(pose: Array, row: Array) -> Array:
    return np.concatenate(
        [pose[:3, :3] @ row[:3], pose[:3, :3] @ row[3:6] + pose[:3, 3], row[6:]]
    )


def _unique(rows: Array, slides: Array) -> Array:
    """Return the rows without repetitions: virtual joints may double solutions."""
    kept: list[Array] = []
    for row in rows:
        for other in kept:
            off = np.abs(row - other)
            off = np.where(slides, off, np.abs((off + np.pi) % (2 * np.pi) - np.pi))
            if off.max() < 1e-6:
                break
        else:
            kept.append(row)
    return np.array(kept).reshape(-1, rows.shape[1])
