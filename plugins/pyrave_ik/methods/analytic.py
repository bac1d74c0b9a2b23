"""All solutions of an arm's task in closed form or by elimination."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import combinations
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik import IkParameterization, IkParameterizationType
from pyrave.jit import Kernel, KernelModule
from pyrave.spatial import Array
from pyrave_ik.arm.chain import ORIGIN, WORLD, displaced
from pyrave_ik.arm.goals import Task, task_of
from pyrave_ik.arm.null_space import NullSpace
from pyrave_ik.kernels.packed_arm import DH_FRAMES, ONE_TURN, SCREWS
from pyrave_ik.methods.arm_kernels import fits
from pyrave_ik.methods.bounded_arm import NO_VIRTUAL, BoundedArm
from pyrave_ik.methods.decomposition import (
    Decomposition,
    Kind,
    classify,
    commuted,
    perturbed,
)
from pyrave_ik.methods.packed_arm import TOLERANCE, TURNS, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave_ik.arm.chain import ArmChain

closing = KernelModule("pyrave_ik.kernels.packed_arm")
cut_kernel = Kernel(
    "pyrave_ik.kernels.elimination.raghavan_roth",
    "solve_cut",
    "elimination",
    15.0,
    cost=lambda *_: 60.0,
    compile_after=3000.0,
    whole=True,
)

CAPACITY = 64
"""Most solutions of one loop that are kept; a loop of turning joints has up to 16."""
_TURNS = np.array([TURNS, (-0.4, 1.2, 2.7), (2.5, -0.9, 0.35)])
_TRIALS = 6
_GENERAL_TRIALS = 20
_REDRAWS = 3
_FLAT = 1e-9
_PLAIN, _CLOSED, _QUARTIC = 2.0, 6.0, 15.0
_OPPOSED_PRISMATIC, _ELIMINATION = 50.0, 500.0
"""Microseconds of a loop. Elimination takes 150, and a while to compile."""
_SINGULAR = -1
"""`raghavan_roth.solve` returns it for a singular cut; less where some may be lost."""
_IN_PLANE = (
    IkParameterizationType.TranslationXYOrientation3D,
    IkParameterizationType.TranslationXY2D,
)


_KEPT = 256
_planned: OrderedDict[tuple[object, ...], AnalyticSolver | NotSupportedError] = (
    OrderedDict()
)
_lock = Lock()


class SearchNeededError(NotSupportedError):
    """Goals have solutions, but no closed form and no elimination finds them."""


class TooFewJointsError(SearchNeededError):
    """Goals constrain more than the arm can choose: few of them have solutions."""


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
        arm has too many; None: those whose ranges take least time to search, among
        them none that the goal determines.
    point
        (3,) in the tool frame, metres: the local point of ``TranslationLocalGlobal6D``
        for which it is planned. It fits others with as many `still_axes`.

    Raises
    ------
    NotSupportedError
        The arm has too few joints, or no choice of free joints leaves isolated
        solutions.
    SearchNeededError
        Not every axis has a degree of freedom of its own.
    """

    def __init__(
        self,
        chain: ArmChain,
        kind: IkParameterizationType,
        direction: Array,
        free: Sequence[int] | None = None,
        point: Array = ORIGIN,
    ) -> None:
        if chain.coupled:
            if chain.n_joints < kind.dof:
                raise TooFewJointsError(
                    f"{kind.name} needs {kind.dof} joints, the arm has "
                    f"{chain.n_joints}, some of which move several axes"
                )
            raise SearchNeededError(
                "not every axis of the arm has a degree of freedom of its own: "
                + ", ".join(chain.names)
            )
        self.chain = chain
        self.kind = kind
        self.direction = np.asarray(direction, dtype=np.float64)
        self._point = point
        leaving = _leaving_the_plane(chain)
        if kind is IkParameterizationType.TranslationXYOrientation3D and leaving:
            raise NotSupportedError(
                f"{kind.name} in closed form is for arms whose joints turn about the "
                f"base's z or slide along or across it; joint {leaving!r} does not"
            )
        self._planar = not leaving and (
            kind in _IN_PLANE
            or (kind is IkParameterizationType.Lookat3D and self._looks_level())
        )
        probe = self._task_at(chain.home)
        surplus = chain.n + len(probe.names) - 6
        if surplus < 0:
            raise TooFewJointsError(
                f"{kind.name} needs {6 - len(probe.names)} joints, "
                f"the arm has {chain.n}"
            )
        self._order = tuple(range(chain.n))
        choices = _choices(chain.n, surplus, free)
        self.virtual_names = probe.names
        self.null_space = (
            NullSpace.of(chain, kind, self.direction, point, planar=self._planar)
            if surplus
            else None
        )
        """Motions that keep goals, of an arm with joints to spare."""
        n = chain.n
        # values of the axes, not of joints
        self._loose = replace(
            chain, arm=tuple(range(n)), scale=np.ones(n), offset=np.zeros(n)
        )
        self._bounds = np.zeros((n, 5))
        self._bounds[:, 2] = ONE_TURN
        self._bounds[:, 4] = np.where(chain.screws[:, 6] != 0.0, 0.0, 2.0 * np.pi)
        self.free, self.decomposition, self.turns = self._best(choices)
        self.dh_frames = self._is_in_dh_frames(self.free, self.decomposition)
        self._bounded = self._bounded_arm(self.free, self.decomposition, self.turns)
        self.free_dofs = tuple(chain.arm[axis] for axis in self.free)
        """Numbers of the arm's joints that are held."""
        self.free_scale = chain.scale[list(self.free)]
        self.free_offset = chain.offset[list(self.free)]
        self.line = (
            self.null_space.line(self.free, self._order, len(probe.names))
            if self.null_space
            else None
        )
        """Method for searching the range of a held joint, if there is one."""

    @property
    def loop_time(self) -> float:
        """Rough microseconds that the kernels take for one loop."""
        return _loop_time(self.decomposition)

    def _looks_level(self) -> bool:
        """Return True if the tool of a planar arm looks along one plane z = const."""
        rises = (self.chain.screws[:, 6] != 0.0) & (
            np.abs(self.chain.screws[:, 2]) > _FLAT
        )
        upward = abs(float(self.chain.home[2, :3] @ self.direction))
        return upward < _FLAT and not rises.any()

    # -- solving ---------------------------------------------------------------

    def ready(self, *, singular: bool = True) -> None:
        """Compile what this arm needs now, or read what was compiled before.

        Parameters
        ----------
        singular
            Whether also what singular poses need.
        """
        first, *others = self._bounded.stages
        kernels = [first.solve]
        if singular:
            kernels += [kernel for one in others for kernel in one.all]
        if first.solve_current is not None:
            kernels.append(first.solve_current)
        for kernel in kernels:
            kernel.call = kernel.now()

    def task(self, goal: IkParameterization) -> Task:
        """Return the end of the loop of a goal in the arm's base frame."""
        return task_of(goal, self.direction, self.chain.home, planar=self._planar)

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
        return self._run(self._bounded, self.task(goal), values)

    def decides(self, goal: IkParameterization) -> bool:
        """Return True if all solutions of a goal in the base frame are found.

        See `BoundedArm.decides`. Free axes are at zero.
        """
        held = np.zeros((1, len(self.free)))
        return self._bounded.decides(WORLD, *end_of(self.task(goal)), held)

    def within(self, bounds: Array, **options: Any) -> BoundedArm:
        """Return the arm within limits; see `packed_arm.pack` for the options."""
        return BoundedArm(
            self.decomposition,
            self.chain,
            self.free,
            bounds,
            turns=self.turns.tolist(),
            dh_frames=self.dh_frames,
            **options,
        )

    def held(self, values: Array) -> Array:
        """Return values (m, f) of the free axes from those of their joints."""
        return np.ascontiguousarray(self.free_scale * values + self.free_offset)

    def end(self, goal: IkParameterization) -> tuple[Array, Array]:
        """Return T_base_goal (4, 4) and the virtual joints (k, 8) of a goal."""
        return end_of(self.task(goal))

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
        how = Decomposition(Kind.GENERAL, order=self._order)
        bounded = pack(how, self._loose, free, self._bounds)
        target, virtual = np.eye(4), end_of(task)[1]
        closing.python.close(
            bounded, np.asarray(held, float), virtual, task.goal, target
        )
        kept = [i for i in self._order if i not in free]
        screws = bounded[SCREWS : SCREWS + 42].reshape(6, 7).copy()
        return Loop(screws, target, (*kept, *(-1 for _ in task.names)))

    def _bounded_arm(
        self, free: tuple[int, ...], how: Decomposition, turns: Array
    ) -> BoundedArm:
        return BoundedArm(
            how,
            self._loose,
            free,
            self._bounds,
            turns=turns.tolist(),
            dh_frames=self._is_in_dh_frames(free, how),
            given=True,
        )

    def _is_in_dh_frames(self, free: tuple[int, ...], how: Decomposition) -> bool:
        """Return True if a random loop is one for the kernels in DH frames.

        They take none with a slider, which may be a virtual joint.
        """
        task, values = self._sample(np.random.default_rng(3))
        bounded = pack(how, self._loose, free, self._bounds)
        if bounded[DH_FRAMES] == 0.0:
            return False
        held, target = values[list(free)], np.eye(4)
        closing.python.close(bounded, held, end_of(task)[1], task.goal, target)
        return fits(bounded)

    @staticmethod
    def _run(bounded: BoundedArm, task: Task, held: Array) -> Array:
        goal, virtual = end_of(task)
        return bounded.all(WORLD, goal, virtual, held.reshape(1, -1))

    # -- planning --------------------------------------------------------------

    def _best(
        self, choices: list[tuple[int, ...]]
    ) -> tuple[tuple[int, ...], Decomposition, Array]:
        """Return the free axes, decomposition and turns that work and cost least.

        The cost is the time to solve loops all over the ranges of the held axes. What a
        classification promises is tried on random configurations: they must be among
        the solutions.
        """
        rng = np.random.default_rng(20261121)
        rankings = []
        for order in dict.fromkeys((self._order, commuted(self.chain.screws))):
            self._order = order
            rankings.append((self._ranked(choices, rng), order))
        ranked, self._order = min(rankings, key=lambda ranking: ranking[0][0][:2])
        for _, _, choice, how in ranked:
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
        for _, _, choice, how in ranked:
            last = perturbed(how)
            if how.kind is not Kind.PLANAR and self._tried(choice, last, _TURNS[0]):
                return choice, last, _TURNS[0]
        raise NotSupportedError(
            f"{self.kind.name} of this arm has no isolated solutions: "
            + ", ".join(self.chain.names)
        )

    def _ranked(
        self, choices: list[tuple[int, ...]], rng: np.random.Generator
    ) -> list[tuple[float, int, tuple[int, ...], Decomposition]]:
        """Return cost, held axes, decomposition of each choice, the cheapest first."""
        ranked = []
        for axes in choices:
            choice = tuple(sorted(axes, key=self._order.index))
            how = self._classified(choice, rng)
            extent = self.null_space.extent(choice) if self.null_space else 1.0
            ranked.append((_loop_time(how) * extent, how.cost, choice, how))
        return sorted(ranked, key=lambda item: item[:3])

    def _classified(
        self, choice: tuple[int, ...], rng: np.random.Generator
    ) -> Decomposition:
        """Return the decomposition of loops with these axes held at any values.

        Axes may nearly meet, or nearly be parallel, in one of them by chance.
        """
        found = [self._loop_kind(choice, rng) for _ in range(2)]
        if found[0].kind is not found[1].kind:
            found.append(self._loop_kind(choice, rng))
            return sorted(found, key=lambda how: (how.cost, how.tilt))[1]
        return max(found, key=lambda how: (how.cost, how.tilt))

    def _loop_kind(
        self, choice: tuple[int, ...], rng: np.random.Generator
    ) -> Decomposition:
        """Return the decomposition of the loop of a random configuration."""
        task, values = self._sample(rng)
        loop = self._loop(task, choice, values[list(choice)])
        names = self._names(loop)
        how = (
            Decomposition(Kind.PLANAR, reason=_planar_reason(names))
            if self._planar
            else classify(loop.screws, loop.goal, names)
        )
        return replace(how, order=self._order)

    def _names(self, loop: Loop) -> tuple[str, ...]:
        given = iter(self.virtual_names)
        return tuple(
            self.chain.names[axis] if axis >= 0 else next(given) for axis in loop.axes
        )

    def _sample(self, rng: np.random.Generator) -> tuple[Task, Array]:
        """Return a task that a random configuration meets, and that configuration."""
        values = rng.uniform(-2.5, 2.5, self.chain.n)
        return self._task_at(self._forward(values)), values

    def _task_at(self, pose: Array) -> Task:
        """Return the task that a tool at T_base_tool meets."""
        return self.task(
            IkParameterization.from_pose(self.kind, pose, self.direction, self._point)
        )

    def _is_regular(self, free: tuple[int, ...], cut: int, turns: Array) -> bool:
        """Return True if a cut alone has answers: the kernels go on to the next."""
        rng = np.random.default_rng(13)
        out = np.empty((CAPACITY, 6))
        for _ in range(_TRIALS):
            task, values = self._sample(rng)
            loop = self._loop(task, free, values[list(free)])
            goal = np.ascontiguousarray(loop.goal[:3])
            n = solve_cut(loop.screws, goal, cut, turns, out)
            if n == _SINGULAR:
                return False
        return True

    def _tried(self, free: tuple[int, ...], how: Decomposition, turns: Array) -> int:
        """Return the number of solutions at random poses; 0 if any is not as it was."""
        rng = np.random.default_rng(7)
        slides = self.chain.screws[:, 6] != 0.0
        bounded = self._bounded_arm(free, how, turns)
        total = 0
        for _ in range(_GENERAL_TRIALS if how.kind is Kind.GENERAL else _TRIALS):
            found, values = self._trial(bounded, free, rng)
            if not len(found):
                return 0
            total += len(found)
            off = np.abs(found - values)
            off = np.where(slides, off, np.abs((off + np.pi) % (2 * np.pi) - np.pi))
            if off.max(axis=1).min() > 1e-5:
                return 0
        return total

    def _trial(
        self, bounded: BoundedArm, free: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return the solutions (k, n) of a random pose, and the values (n,) behind it.

        A regular pose is preferred: kernels for others take long to compile.
        """
        for _ in range(_REDRAWS):
            task, values = self._sample(rng)
            held = values[list(free)]
            found = bounded.regular(*end_of(task), held.reshape(1, -1))
            if found is not None:
                return found, values
        return self._run(bounded, task, held), values


def planned_solver(
    chain: ArmChain,
    kind: IkParameterizationType,
    direction: Array,
    free: Sequence[int] | None,
    point: Array,
) -> AnalyticSolver:
    """Return a solver that was planned before for the same geometry, or a new one.

    Parameters and errors are those of `AnalyticSolver`.
    """
    key = (
        *(a.tobytes() for a in (chain.screws, chain.home, chain.scale, chain.offset)),
        chain.ranges.tobytes(),
        chain.arm,
        chain.names,
        kind,
        np.asarray(direction, dtype=np.float64).tobytes(),
        None if free is None else tuple(free),
        point.tobytes(),
    )
    with _lock:
        known = _planned.get(key)
        if known is not None:
            _planned.move_to_end(key)
    if known is None:
        try:
            known = AnalyticSolver(chain, kind, direction, free, point)
        except NotSupportedError as error:
            known = error.with_traceback(None)
        with _lock:
            _planned[key] = known
            while len(_planned) > _KEPT:
                _planned.popitem(last=False)
    if isinstance(known, NotSupportedError):
        raise type(known)(str(known))
    return known


def solve_cut(screws: Array, goal: Array, first: int, turns: Array, out: Array) -> int:
    """Write solutions (k, 6) of a loop by one of its cuts, as `raghavan_roth.solve`.

    Parameters
    ----------
    screws, goal
        (6, 7) and (3, 4).
    turns
        (3,).
    """
    setting = np.array([first, *turns, TOLERANCE])
    return cut_kernel.call(screws, goal, setting, out)


def _loop_time(how: Decomposition) -> float:
    """Return the rough time of a loop, microseconds."""
    if how.kind in {Kind.GENERAL, Kind.PERTURBED_GEOMETRY}:
        return _ELIMINATION
    if how.kind is Kind.OPPOSED_PRISMATIC:
        return _OPPOSED_PRISMATIC
    if how.kind is Kind.PLANAR or not (how.first or how.quartic):
        return _PLAIN
    return _QUARTIC if how.quartic else _CLOSED


def end_of(task: Task) -> tuple[Array, Array]:
    """Return T_base_goal (4, 4) and the virtual joints (k, 8) of a task."""
    if not task.sides:
        return task.goal, NO_VIRTUAL
    sides = np.array(task.sides, dtype=np.float64)
    return task.goal, np.ascontiguousarray(np.column_stack([task.virtual, sides]))


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
    return [
        Decomposition(Kind.GENERAL, first, reason=reason, order=how.order)
        for first in range(6)
    ]


def _choices(n: int, surplus: int, free: Sequence[int] | None) -> list[tuple[int, ...]]:
    """Return the axes that may be held: first those of `free`, then any."""
    given = sorted(set(free or ()))
    if len(given) >= surplus:
        return list(combinations(given, surplus))
    others = [axis for axis in range(n) if axis not in given]
    return [
        tuple(sorted((*given, *more)))
        for more in combinations(others, surplus - len(given))
    ]
