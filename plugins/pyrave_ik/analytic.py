"""All solutions of an arm's task in closed form or by elimination."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import IkParameterization, IkParameterizationType
from pyrave.jit import KernelModule
from pyrave.spatial import Array
from pyrave_ik.chain import displaced
from pyrave_ik.classify import Decomposition, Kind, classify
from pyrave_ik.goals import Task, task_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave_ik.chain import ArmChain

    Indices = NDArray[np.int64]

__all__ = ["AnalyticSolver", "Loop", "SearchNeededError"]

kernels = KernelModule("pyrave_ik.kernels.answers._kernels")
cuts = KernelModule("pyrave_ik.kernels.eliminate._kernels")
loops = KernelModule("pyrave_ik.kernels.loops._kernels")

CAPACITY = 64
"""Most solutions of one loop that are kept; a loop of turning joints has up to 16."""
TOLERANCE = 1e-9
"""Greatest deviation of an entry of the pose that a solution reaches."""
ONE_TURN = 1.0
"""Mode of bounds in the kernels of `answers`."""
_TURNS = np.array([[0.83, 2.1, -1.3], [-0.4, 1.2, 2.7], [2.5, -0.9, 0.35]])
_TRIALS = 6
_GENERAL_TRIALS = 20
_FLAT = 1e-9
_SINGULAR = -1
"""What `eliminate` returns of a cut without answers; less: some may be lost."""
_IN_PLANE = (
    IkParameterizationType.TranslationXYOrientation3D,
    IkParameterizationType.TranslationXY2D,
)


class SearchNeededError(NotSupportedError):
    """Goals have solutions, but no closed form and no elimination finds them."""


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
        Axes of the chain that are held at given values before others, as many as the
        arm has too many; None: the best choice.

    Raises
    ------
    NotSupportedError
        The arm has too few joints, or no choice of free joints leaves isolated
        solutions.
    SearchNeededError
        One degree of freedom moves several axes, or two joints slide that are opposite
        each other in the loop.
    """

    def __init__(
        self,
        chain: ArmChain,
        kind: IkParameterizationType,
        direction: Array,
        free: Sequence[int] | None = None,
    ) -> None:
        if chain.coupled:
            text = "one degree of freedom moves several axes of the arm: "
            enough = len(set(chain.arm)) >= kind.dof
            error = SearchNeededError if enough else NotSupportedError
            raise error(text + ", ".join(chain.names))
        self.chain = chain
        self.kind = kind
        self._direction = np.asarray(direction, dtype=np.float64)
        leaving = _leaving_the_plane(chain)
        if kind is IkParameterizationType.TranslationXYOrientation3D and leaving:
            raise NotSupportedError(
                f"{kind.name} in closed form is for arms whose joints turn about the "
                f"base's z or slide along or across it; joint {leaving!r} does not"
            )
        self._planar = not leaving and kind in _IN_PLANE
        probe = self.task(
            IkParameterization.from_pose(kind, chain.home, self._direction)
        )
        surplus = chain.n + len(probe.names) - 6
        if surplus < 0:
            raise NotSupportedError(
                f"{kind.name} needs {6 - len(probe.names)} joints, "
                f"the arm has {chain.n}"
            )
        choices = _choices(chain.n, surplus, free)
        self.virtual_names = probe.names
        self._axes = np.ascontiguousarray(
            np.column_stack([chain.screws, np.ones(chain.n), np.zeros(chain.n)])
        )
        self._home = np.ascontiguousarray(chain.home[:3])
        self._bounds = np.zeros((chain.n, 5))
        self._bounds[:, 2] = ONE_TURN
        self._bounds[:, 4] = np.where(chain.screws[:, 6] != 0.0, 0.0, 2.0 * np.pi)
        self.free, self.decomposition, self.turns = self._best(choices)
        self.how = _numbers(self.decomposition)

    # -- solving ---------------------------------------------------------------

    def task(self, goal: IkParameterization) -> Task:
        """Return the end of the loop of a goal in the arm's base frame."""
        return task_of(goal, self._direction, self.chain.home, planar=self._planar)

    def solve(self, goal: IkParameterization, held: Array | None = None) -> Array:
        """Return all solutions (k, n) as values of the chain's axes, -pi..pi.

        Parameters
        ----------
        goal
            In the arm's base frame.
        held
            (n_free,) values of the free axes; zeros by default.
        """
        values = np.zeros(len(self.free)) if held is None else np.asarray(held, float)
        return self._run(self.task(goal), self.free, values, self.how, self.turns)

    def loop(self, task: Task, held: Array) -> Loop:
        """Return the loop of a task with the free axes held at values.

        Parameters
        ----------
        held
            (n_free,) values of the free axes.
        """
        return self._loop(task, self.free, held)

    def _forward(self, values: Array) -> Array:
        pose = self.chain.home
        for row, value in zip(self.chain.screws[::-1], values[::-1], strict=True):
            pose = displaced(row, float(value)) @ pose
        return pose

    def _loop(self, task: Task, free: tuple[int, ...], held: Array) -> Loop:
        screws, target = np.empty((6, 7)), np.eye(4)
        kernels.jit.close(
            self._axes,
            self._home,
            np.array(free, dtype=np.int64),
            np.asarray(held, dtype=np.float64),
            task.virtual,
            np.ascontiguousarray(task.goal[:3]),
            screws,
            target[:3],
        )
        kept = [i for i in range(self.chain.n) if i not in free]
        return Loop(screws, target, (*kept, *(-1 for _ in task.names)))

    def _run(
        self,
        task: Task,
        free: tuple[int, ...],
        held: Array,
        how: Indices,
        turns: Array,
    ) -> Array:
        out = np.empty((CAPACITY, self.chain.n))
        n = kernels.jit.all_answers(
            how,
            np.append(turns, (TOLERANCE, TOLERANCE)),
            self._axes,
            self._home,
            np.arange(self.chain.n),
            np.array(free, dtype=np.int64),
            np.asarray(held, dtype=np.float64).reshape(1, -1),
            task.virtual,
            np.array(task.sides, dtype=np.int64),
            np.ascontiguousarray(task.goal[:3]),
            self._bounds,
            out,
            np.empty(0, dtype=np.int64),
        )
        return out[:n]

    # -- planning --------------------------------------------------------------

    def _best(
        self, choices: list[tuple[int, ...]]
    ) -> tuple[tuple[int, ...], Decomposition, Array]:
        """Return the free axes, decomposition and turns that work and cost least.

        What a classification promises is tried on random configurations: they must be
        among the solutions.
        """
        rng = np.random.default_rng(20261121)
        ranked = []
        opposite = ""
        for choice in choices:
            task, values = self._sample(rng)
            loop = self._loop(task, choice, values[list(choice)])
            names = self._names(loop)
            how = (
                Decomposition(Kind.PLANAR, reason=_planar_reason(names))
                if self._planar
                else classify(loop.screws, loop.goal, names)
            )
            ranked.append((how.cost, choice != (2,), choice, how))
            opposite = opposite or _opposite_sliders(loop, names)
        for _, _, choice, how in sorted(ranked, key=lambda item: item[:3]):
            if how.kind is not Kind.GENERAL and self._tried(choice, how, _TURNS[0]):
                return choice, how, _TURNS[0]
            # cuts that work may lose solutions where axes meet: the one with most
            best: tuple[int, Decomposition, Array] = (0, how, _TURNS[0])
            for option in _cuts(how):
                for turns in _TURNS:
                    if not self._is_regular(choice, option.first, turns):
                        continue
                    found = self._tried(choice, option, turns)
                    if found > best[0]:
                        best = found, option, turns
                    if found:
                        break
            if best[0]:
                return choice, best[1], best[2]
        if opposite:
            raise SearchNeededError(
                f"{opposite} slide and are opposite each other in the loop, where "
                "elimination is singular"
            )
        raise NotSupportedError(
            f"{self.kind.name} of this arm has no isolated solutions: "
            + ", ".join(self.chain.names)
        )

    def _names(self, loop: Loop) -> tuple[str, ...]:
        given = iter(self.virtual_names)
        return tuple(
            self.chain.names[axis] if axis >= 0 else next(given) for axis in loop.axes
        )

    def _sample(self, rng: np.random.Generator) -> tuple[Task, Array]:
        """Return a task that a random configuration meets, and that configuration."""
        values = rng.uniform(-2.5, 2.5, self.chain.n)
        pose = self._forward(values)
        return self.task(
            IkParameterization.from_pose(self.kind, pose, self._direction)
        ), values

    def _is_regular(self, free: tuple[int, ...], cut: int, turns: Array) -> bool:
        """Return whether a cut alone has answers: the kernels go on to the next."""
        rng = np.random.default_rng(13)
        out = np.empty((CAPACITY, 6))
        for _ in range(_TRIALS):
            task, values = self._sample(rng)
            loop = self._loop(task, free, values[list(free)])
            goal = np.ascontiguousarray(loop.goal[:3])
            n = cuts.jit.solve(loop.screws, goal, cut, turns, TOLERANCE, out)
            if n == _SINGULAR:
                return False
        return True

    def _tried(self, free: tuple[int, ...], how: Decomposition, turns: Array) -> int:
        """Return how many solutions random poses have; 0 if any is not as it was."""
        rng = np.random.default_rng(7)
        slides = self.chain.screws[:, 6] != 0.0
        total = 0
        for _ in range(_GENERAL_TRIALS if how.kind is Kind.GENERAL else _TRIALS):
            task, values = self._sample(rng)
            found = self._run(task, free, values[list(free)], _numbers(how), turns)
            if not len(found):
                return 0
            total += len(found)
            off = np.abs(found - values)
            off = np.where(slides, off, np.abs((off + np.pi) % (2 * np.pi) - np.pi))
            if off.max(axis=1).min() > 1e-5:
                return 0
        return total


def _numbers(how: Decomposition) -> Indices:
    """Return a decomposition as the kernels take it."""
    return np.array([int(how.kind), how.first, int(how.backward), 1], dtype=np.int64)


def _opposite_sliders(loop: Loop, names: tuple[str, ...]) -> str:
    """Return the names of two sliders, opposite each other in a loop that can move."""
    sliders = np.flatnonzero(loop.screws[:, 6])
    if len(sliders) != 2 or sliders[1] - sliders[0] != 3:
        return ""
    reached, jacobian = np.empty((3, 4)), np.empty((6, 6))
    values = np.random.default_rng(17).uniform(-2.0, 2.0, 6)
    loops.jit.twists(loop.screws, values, reached, jacobian)
    if np.linalg.matrix_rank(jacobian) < 6:
        return ""
    return " and ".join(names[i] for i in sliders)


def _planar_reason(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:3])} move in a plane: a quadratic equation"


def _leaving_the_plane(chain: ArmChain) -> str:
    """Return the name of a joint that does not move things in planes z = const."""
    for row, name in zip(chain.screws, chain.names, strict=True):
        across = float(np.abs(row[:2]).max())
        if across > _FLAT and (not row[6] or abs(row[2]) > _FLAT):
            return name
    return ""


def _cuts(how: Decomposition) -> list[Decomposition]:
    """Return elimination with every cut of the loop; planar arms have none."""
    if how.kind is Kind.PLANAR:
        return []
    reason = (
        how.reason
        if how.kind is Kind.GENERAL
        else f"{how.reason}, but singular: elimination to an eigenvalue problem"
    )
    return [Decomposition(Kind.GENERAL, first, reason=reason) for first in range(6)]


def _choices(n: int, surplus: int, free: Sequence[int] | None) -> list[tuple[int, ...]]:
    """Return which axes may be held: first those of `free`, then any."""
    given = sorted(set(free or ()))
    if len(given) >= surplus:
        return list(combinations(given, surplus))
    others = [axis for axis in range(n) if axis not in given]
    return [
        tuple(sorted((*given, *more)))
        for more in combinations(others, surplus - len(given))
    ]
