"""Statistics of the ordinary calls: solutions found, wrong or denied, and times.

`ik_statistics` measures the solver inside, which is given the values of held joints and
ignores limits. Here the arm is at some configuration, and `Manipulator.solve_ik` and
`Manipulator.find_ik` get a goal and nothing else.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from ik_statistics import SAME, WRONG

from pyrave.errors import Error, NotSupportedError
from pyrave.ik import IkAction, IkParameterization, IkParameterizationType, residuals_of
from pyrave.records import Record
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.arm.poses import goal_values, tool_poses
from pyrave_ik.arm.turns import separation
from pyrave_ik.solver.analytic_ik import AnalyticIk

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkResult
    from pyrave.spatial import Array

_CHUNK = 200
_CHECKED = 2000
"""Largest number of one goal's solutions to check, evenly spread."""
_FINE = time.get_clock_info("thread_time").resolution < 1e-6
_clock = time.thread_time if _FINE else time.perf_counter
_UNREACHABLE = "even without limits"


@dataclass(frozen=True)
class CallStatistics(Record):
    """Statistics of the ordinary calls on poses that the arm itself reached.

    Parameters
    ----------
    poses
        How many goals were measured; fewer than given if time ran out.
    found
        For how many `solve_ik` returned joint values.
    lost
        (k, 2, n_arm) the configurations that made the other goals, and where the arm
        stood.
    causes
        What `find_ik` said of the lost goals, and for how many.
    wrong
        (k, 2, n_arm) configurations and places of the arm where any call returned joint
        values outside limits or more than 1e-8 m or rad from the goal.
    position_error, rotation_error
        Greatest of all solutions that were checked, metres and radians.
    untrue
        (k, 2, n_arm) the same for goals of which `find_ik` said that they have no
        solution, completely or even without limits.
    asked
        Number of goals given to `find_ik`.
    missed
        (k, 2, n_arm) the same for configurations that were not among all solutions.
        None where the goal leaves joints free, which have other values then.
    moved
        How many goals that the arm met where it stood were answered by other joint
        values.
    errors
        Texts of errors that were raised in place of an answer, and how often.
    first_call
        Seconds of the first `solve_ik`, which plans how to solve the arm.
    microseconds
        Times (k,) of calls by name: ``solve`` of `solve_ik`, ``all`` of the same with
        all solutions, ``find`` of `find_ik`. They are the thread's processor time where
        the system counts it finely: other processes do not lengthen it.
    """

    poses: int
    found: int
    lost: Array
    causes: dict[str, int]
    wrong: Array
    position_error: float
    rotation_error: float
    untrue: Array
    asked: int
    missed: Array | None
    moved: int
    errors: dict[str, int]
    first_call: float
    microseconds: dict[str, Array]

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers as JSON data."""
        return {
            "poses": self.poses,
            "found": self.found / max(self.poses, 1),
            "lost": len(self.lost),
            "causes": self.causes,
            "wrong": len(self.wrong),
            "position_error": self.position_error,
            "rotation_error": self.rotation_error,
            "untrue": len(self.untrue),
            "asked": self.asked,
            "missed": None if self.missed is None else len(self.missed),
            "moved": self.moved,
            "errors": self.errors,
            "first_call": self.first_call,
            "microseconds": {
                name: {
                    str(p): float(t)
                    for p, t in zip((50, 99, 100), _percentiles(times), strict=False)
                }
                for name, times in self.microseconds.items()
            },
        }


def _percentiles(times: Array) -> Array:
    return np.percentile(times, (50, 99, 100)) if len(times) else np.empty(0)


def measure_calls(
    arm: Manipulator,
    kind: IkParameterizationType,
    configurations: Array,
    starts: Array,
    *,
    sample: int = 1,
    seconds: float = math.inf,
    warm_up: float = 1.0,
    progress: Callable[[int], None] | None = None,
) -> CallStatistics:
    """Solve the goals that configurations meet, from other configurations.

    The calls are ``arm.solve_ik(goal)``, ``arm.solve_ik(goal, all=True)`` and
    ``arm.find_ik(goal)``, with nothing else given. Poses and limits come from the
    robot, not from the solver.

    Parameters
    ----------
    configurations
        (n, n_arm) values of the arm, within limits, whose tools meet goals of the kind;
        see `pyrave_ik.arm.poses.meeting`.
    starts
        (n, n_arm) the current configuration of each call.
    sample
        `find_ik` is called at every so many goals and at those that `solve_ik` loses;
        so are all solutions of goals that leave joints free.
    seconds
        No goal is begun after so many, of processor time where that is counted.
    warm_up
        Before, kernels are compiled or loaded, and goals solved during so many
        seconds: the first calls of a process are interpreted.
    progress
        Called now and then with the number of goals that are done.
    """
    first = _warmed_up(arm, kind, configurations[:_CHUNK], starts, warm_up)
    tally = _Tally(arm, kind)
    begin = _clock()
    done = 0
    for at in range(0, len(configurations), _CHUNK):
        some = configurations[at : at + _CHUNK]
        chunk = _Chunk(arm, kind, some, starts[at : at + _CHUNK])
        for number in range(len(some)):
            if done and _clock() - begin > seconds:
                break
            tally.ask(chunk, number, find=not done % sample)
            done += 1
        tally.check(chunk)
        if progress is not None:
            progress(done)
        if _clock() - begin > seconds:
            break
    return tally.statistics(done, first)


_CALLS: dict[str, Callable[[Manipulator, Any], Any]] = {
    "solve": lambda arm, target: arm.solve_ik(target),
    "all": lambda arm, target: arm.solve_ik(target, all=True),
    "find": lambda arm, target: arm.find_ik(target),
}


def _warmed_up(
    arm: Manipulator,
    kind: IkParameterizationType,
    configurations: Array,
    starts: Array,
    seconds: float,
) -> float:
    """Make all calls for a while; return seconds of the first `solve_ik`."""
    first, begin = 0.0, _clock()
    targets = _targets(arm, kind, configurations)
    for start, target in cycle(zip(starts, targets, strict=False)):
        arm.arm_dof_values = start
        for call in _CALLS.values():
            with suppress(Error):  # it is raised again, and counted, when measured
                call(arm, target)
            if not first:
                first = _clock() - begin
                _compile(arm, kind)
                begin = _clock()
        if _clock() - begin > seconds:
            break
    return first


def _compile(arm: Manipulator, kind: IkParameterizationType) -> None:
    """Compile or load what regular poses need, of solvers that can say so."""
    solver = arm.own_ik_solver
    if isinstance(solver, AnalyticIk):
        with suppress(NotSupportedError):
            solver.goal_solver(kind).ready(singular=False)


def _targets(
    arm: Manipulator, kind: IkParameterizationType, configurations: Array
) -> list[Any]:
    """Return the goals in the world: poses (4, 4), or goals of other kinds."""
    poses = tool_poses(arm, configurations)
    base = arm.base.transform
    if kind is IkParameterizationType.Transform6D:
        return list(base @ poses)
    return [
        IkParameterization(kind, tuple(goal)).transformed(base)
        for goal in goal_values(kind, poses, arm.direction).tolist()
    ]


class _Chunk:
    """Some goals, and the joint values that were returned for them."""

    def __init__(
        self,
        arm: Manipulator,
        kind: IkParameterizationType,
        configurations: Array,
        starts: Array,
    ) -> None:
        self.pairs = np.stack([configurations, starts], axis=1)
        self.targets = _targets(arm, kind, configurations)
        poses = tool_poses(arm, configurations)
        self.goals = goal_values(kind, poses, arm.direction)
        self.owners: list[int] = []
        self.rows: list[Array] = []

    def add(self, number: int, rows: Array) -> None:
        """Keep solutions (k, n_arm) of a goal, to be checked later."""
        some = rows[:: 1 + len(rows) // _CHECKED]
        self.owners += [number] * len(some)
        self.rows.append(some)


@dataclass
class _Tally(Record):
    """Makes the calls, counts, and checks the answers a chunk at a time."""

    arm: Manipulator
    kind: IkParameterizationType
    found: int = 0
    asked: int = 0
    moved: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    lost: list[Array] = field(default_factory=list)
    wrong: list[Array] = field(default_factory=list)
    untrue: list[Array] = field(default_factory=list)
    missed: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        model, indices = self.arm.robot.state_model, self.arm.arm_indices
        self.determined = len(indices) <= self.kind.dof
        turns = np.where(model.prismatic[indices], 0.0, 2.0 * np.pi)
        # a turn of a joint that moves several axes need not be one of each
        self.turns = turns * (not ArmChain.from_manipulator(self.arm).coupled)
        lower, upper = (limit[indices] for limit in self.arm.robot.dof_limits)
        endless = model.circular[indices]
        self.lower = np.where(endless, -np.inf, lower) - WRONG
        self.upper = np.where(endless, np.inf, upper) + WRONG
        self.times: dict[str, list[float]] = {name: [] for name in _CALLS}
        self.worst = np.zeros(2)

    def ask(self, chunk: _Chunk, number: int, *, find: bool) -> None:
        """Make the calls for one goal."""
        pair, target = chunk.pairs[number], chunk.targets[number]
        self.arm.arm_dof_values = pair[1]
        row = self._call("solve", target)
        if row is None:
            self.lost.append(pair)
        else:
            self.found += 1
            chunk.add(number, row[None])
            stood = np.array_equal(*pair)
            self.moved += stood and bool(np.abs(row - pair[1]).max() > SAME)
        if self.determined or find:
            rows = self._call("all", target)
            if rows is not None:
                chunk.add(number, rows)
            if self.determined and not self._is_among(rows, pair[0]):
                self.missed.append(pair)
        if find or row is None:
            result = self._call("find", target)
            if row is None:
                self.causes[_cause(result)] += 1
            if result is not None:
                self.asked += 1
                chunk.add(number, result.solutions)
                if _denies(result):
                    self.untrue.append(pair)

    def _call(self, name: str, target: Any) -> Any:
        begin = _clock()
        try:
            answer = _CALLS[name](self.arm, target)
        except Error as error:
            self.errors[f"{name}: {error}"] += 1
            return None
        self.times[name].append(1e6 * (_clock() - begin))
        return answer

    def _is_among(self, rows: Array | None, q: Array) -> bool:
        if rows is None or not len(rows):
            return False
        return bool((separation(rows, q, self.turns) <= SAME).any())

    def check(self, chunk: _Chunk) -> None:
        """Check the answers to a chunk's goals by the robot's own kinematics."""
        if not chunk.owners:
            return
        rows, owners = np.concatenate(chunk.rows), np.array(chunk.owners)
        poses = tool_poses(self.arm, np.nan_to_num(rows, nan=1e9))
        goals = chunk.goals[owners]
        off = np.array(residuals_of(self.kind, goals, poses, self.arm.direction))
        inside = ((rows >= self.lower) & (rows <= self.upper)).all(axis=1)
        wrong = ~inside | ~(off <= WRONG).all(axis=0)
        self.wrong += list(chunk.pairs[np.unique(owners[wrong])])
        self.worst = np.maximum(self.worst, off.max(axis=1))

    def statistics(self, poses: int, first_call: float) -> CallStatistics:
        shape = (-1, 2, len(self.turns))
        return CallStatistics(
            poses=poses,
            found=self.found,
            lost=np.array(self.lost).reshape(shape),
            causes=dict(self.causes.most_common()),
            wrong=np.array(self.wrong).reshape(shape),
            position_error=float(self.worst[0]),
            rotation_error=float(self.worst[1]),
            untrue=np.array(self.untrue).reshape(shape),
            asked=self.asked,
            missed=np.array(self.missed).reshape(shape) if self.determined else None,
            moved=self.moved,
            errors=dict(self.errors.most_common()),
            first_call=first_call,
            microseconds={name: np.array(t) for name, t in self.times.items()},
        )


def _denies(result: IkResult) -> bool:
    """Return True if a result says that a goal has no solution at all."""
    if result:
        return False
    return result.complete or any(_UNREACHABLE in text for text in result.reasons)


def _cause(result: IkResult | None) -> str:
    """Return in words what `find_ik` said of a goal that `solve_ik` has lost."""
    if result is None:
        return "error"
    if result:
        return "find_ik has solutions"
    outside = result.action & IkAction.REJECT_JOINT_LIMITS
    what = "solutions outside limits" if outside else "no solutions"
    return f"{what}, complete" if result.complete else f"{what}, not complete"
