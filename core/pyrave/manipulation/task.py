"""The search of a task: stages with backtracking, and what came of it."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from pyrave.bodies.robot import Robot
from pyrave.errors import ArgumentError, StateError, shown
from pyrave.interfaces.trajectory import MotionResult
from pyrave.jit import seconds_compiled
from pyrave.kinematics.limits import LimitCheck
from pyrave.manipulation.joined_steps import joined
from pyrave.manipulation.stages import Series, Stage, Step
from pyrave.planning import verification
from pyrave.planning.query.arguments import as_seed
from pyrave.spatial import as_number
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array

_LEAST = 0.05
_SHARE = 0.25
"""Part of the time left that one search for a path may take."""
_DETAILED = 10
"""Rejections that tell details in any case."""
_END = object()
_MAX_KEPT = 1000
"""Largest number of rejections that a failure keeps."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Something that a stage tried in vain.

    Parameters
    ----------
    stage
        Names of the stages, outermost first, with ``/`` between.
    choice
        What was chosen before and in it: ``"grasp 3"``, ...; may be empty.
    reason
        In words.
    depth
        How far the task had come, in steps; parts of one are of the stage itself.
    """

    stage: str
    choice: str
    reason: str
    depth: float

    def __str__(self) -> str:
        chosen = f" with {self.choice}" if self.choice else ""
        return f"{self.stage or 'the task'} fails{chosen}: {self.reason}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TaskFailure:
    """Cause of a task's failure; ``str(failure)`` is made for reading.

    Parameters
    ----------
    last
        The rejection where the task had come farthest.
    rejections
        All, in order, the first thousand of them.
    counts
        How many there were by stage.
    out_of_time
        True if there was no time to try everything.
    """

    last: Rejection
    rejections: tuple[Rejection, ...]
    counts: Mapping[str, int]
    out_of_time: bool

    @property
    def stage(self) -> str:
        """The stage that fails where the task had come farthest."""
        return self.last.stage

    @property
    def reason(self) -> str:
        """Reason of the failure, in words."""
        return self.last.reason

    def __repr__(self) -> str:
        return f"<TaskFailure: {self.last}>"

    def __str__(self) -> str:
        tried = ", ".join(
            f"{name or 'the task'} {count} times" for name, count in self.counts.items()
        )
        if not tried:
            return str(self.last)
        late = "; there was no time to try more" if self.out_of_time else ""
        return f"{self.last}\n(that is how far it came; failed: {tried}{late})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TaskResult(MotionResult):
    """A task as one motion, or the reason why there is none; true if there is one.

    `Robot.execute` takes it.

    Parameters
    ----------
    steps
        What is done, in order; empty without a solution.
    choices
        What was chosen: grasps, places, ...
    seconds
        That the search took, compiling excepted.
    timed
        All steps as one trajectory from rest to rest; None without one. `trajectory`
        is it, and raises in place of None.
    failure
        Why there is none, for programs; `cause` has it in words.
    assumed
        T_world_body (4, 4) and joint values of the other bodies where it begins, by
        name: `Robot.execute` refuses it where one is elsewhere then.
    """

    _lack: ClassVar[str] = "the task has no solution"
    steps: tuple[Step, ...]
    choices: tuple[str, ...]
    seconds: float
    timed: TrajectoryBase | None = None
    failure: TaskFailure | None = None
    assumed: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)

    @property
    def cause(self) -> str:
        """Stage, choice and reason of the failure; empty if there is a motion."""
        return "" if self.failure is None else str(self.failure)

    def __repr__(self) -> str:
        return f"<TaskResult: {' '.join(str(self).split())}>"

    def __str__(self) -> str:
        if self.timed is None:
            return self.cause
        names = ", ".join(step.name for step in self.steps)
        return f"{names}: {self.timed.duration:.3f} s, planned in {self.seconds:.3f} s"


class Following(NamedTuple):
    """A stage that comes later, and the names of the stages around it."""

    names: list[str]
    stage: Stage


class Task:
    """A search in progress, which stages ask and tell.

    Parameters
    ----------
    robot
        It and all bodies are where the steps so far left them.
    seconds
        For all of the search.
    seed
        Of `rng`.
    """

    def __init__(self, robot: Robot, seconds: float, seed: int) -> None:
        self.robot = robot
        self.env = robot.env
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        """Numbers at random for stages: the same seed gives the same task."""
        self.drawn: dict[Stage, tuple[Array, ...]] = {}
        """Places that stages drew at random, the same whenever they are asked."""
        self.rejections: list[Rejection] = []
        self.counts: Counter[str] = Counter()
        self.is_over = False
        self._farthest: Rejection | None = None
        self._seconds = seconds
        self._began = perf_counter() - seconds_compiled()
        self._names: list[str] = []
        self._following: list[Following | None] = []
        self._choices: list[str] = []
        self._trail: list[Step] = []
        self._verified: set[Step] = set()

    @property
    def left(self) -> float:
        """Seconds that are left, compiling excepted; 0 at the end."""
        return max(self._seconds - self.spent, 0.0)

    @property
    def spent(self) -> float:
        """Seconds that the search has taken so far, compiling excepted."""
        return perf_counter() - seconds_compiled() - self._began

    @property
    def search_time(self) -> float:
        """Seconds that one search for a path should take at most."""
        return max(_SHARE * self.left, _LEAST)

    @property
    def choices(self) -> tuple[str, ...]:
        """The present choices."""
        return tuple(self._choices)

    def reject(
        self,
        reason: str,
        *,
        progress: float = 0.0,
        stage: str = "",
        details: Callable[[], str] | None = None,
    ) -> None:
        """Note that something was tried in vain.

        Parameters
        ----------
        reason
            In words; without the stage, which is known.
        progress
            How far the stage had come, 0 to 1: causes name what came farthest.
        stage
            Name of another stage whose fault it is, in place of the present one.
        details
            Returns more words, if it takes long to find them: called for what came
            farthest so far, and for the first ten.
        """
        names = [*self._names[:-1], stage] if stage else self._names
        where = "/".join(filter(None, names))
        depth = len(self._trail) + min(max(progress, 0.0), 1.0)
        is_farthest = self._farthest is None or depth > self._farthest.depth
        if details is not None and (is_farthest or len(self.rejections) < _DETAILED):
            reason = f"{reason}: {details()}"
        found = Rejection(where, ", ".join(self._choices), reason, depth)
        self.counts[where] += 1
        if len(self.rejections) < _MAX_KEPT:
            self.rejections.append(found)
        if is_farthest:
            self._farthest = found

    @contextmanager
    def choosing(self, choice: str) -> Iterator[None]:
        """Name a choice in causes, for a block that yields what follows from it."""
        self._choices.append(choice)
        try:
            yield
        finally:
            if not self.is_over:
                self._choices.pop()

    def tries(
        self, stage: Stage, following: Sequence[Stage] | None = None
    ) -> Iterator[Sequence[Step]]:
        """Yield the solutions of a stage while there is time, all verified.

        Parameters
        ----------
        following
            Stages that come after it, before those after the present one; None: what
            comes is not known.

        Raises
        ------
        ArgumentError
            It is of another robot, or yields no steps.
        """
        found = self._solutions(stage)
        names, depth = [*self._names], len(self._following)
        ahead: list[Following | None] = [None]
        if following is not None:
            ahead = [Following(names, one) for one in reversed(following)]
        while self.left > 0.0:
            self._names.append(stage.name)
            self._following += ahead
            try:
                steps = next(found, _END)
                if steps is _END:
                    return
                steps = _as_steps(stage, steps)
                wrong = self._violation(steps)
                if wrong:
                    self.reject(wrong, progress=1.0)
                    continue
            finally:
                if not self.is_over:
                    self._names.pop()
                    del self._following[depth:]
            yield steps

    def _solutions(self, stage: Stage) -> Iterator[Any]:
        """Return the solutions of a stage, which has to be of the task's robot."""
        mover = getattr(stage, "arm", getattr(stage, "mover", None))
        robot = getattr(mover, "robot", mover)
        if isinstance(robot, Robot) and robot is not self.robot:
            raise ArgumentError(
                f"{stage!r} is of {robot!r}, and the task of {self.robot!r}; solve "
                "takes stages of one robot"
            )
        found: Any = stage.solutions(self)
        if not isinstance(found, Iterable):
            raise ArgumentError(
                f"the solutions of {stage!r} are {shown(found)}, expected a generator: "
                "a method that yields lists of steps"
            )
        return iter(found)

    @property
    def following(self) -> Following | None:
        """The stage that comes after the present one, None if none is known to."""
        return self._following[-1] if self._following else None

    @contextmanager
    def ahead(
        self, coming: Following, steps: Sequence[Step], part: str = ""
    ) -> Iterator[None]:
        """Take the robot to the end of steps, and blame part of a stage that comes.

        For a block that asks whether what the present stage tries is in vain.
        """
        names = self._names
        with self.after(steps):
            self._names = [*coming.names, coming.stage.name, part]
            try:
                yield
            finally:
                self._names = names

    def _violation(self, steps: Sequence[Step]) -> str:
        """Return the fault of the steps of a stage in words, empty without one."""
        for number, step in enumerate(steps):
            if step.motion is None or step.is_verified or step in self._verified:
                continue
            with self.after(steps[:number]):
                found = verification(self.robot, step.motion)
            if not found:
                return f"{step.name}: {found.cause}"
            # a stage around this one yields it again, from another state
            self._verified.add(step)
        return ""

    @contextmanager
    def after(self, steps: Sequence[Step]) -> Iterator[None]:
        """Take the robot and what it holds to the end of steps, for a block.

        Steps that a stage within this one has just taken are not taken again.
        """
        trail = self._trail[len(self._trail) - len(steps) :]
        if len(trail) == len(steps) and all(map(operator.is_, trail, steps)):
            yield
            return
        robot = self.robot
        values, base, grabs = robot.dof_values, robot.transform, robot.grabs.info
        grabbed = (step.grab for step in steps if step.grab is not None)
        loose = [(body, body.transform) for body in (*robot.grabbed, *grabbed)]
        depth = len(self._trail)
        try:
            for step in steps:
                step.apply(robot)
            self._trail += steps
            yield
        finally:
            if not self.is_over:
                del self._trail[depth:]
                if not np.array_equal(robot.transform, base):
                    robot.transform = base
                robot.set_dof_values(values, limits=LimitCheck.NONE)
                if robot.grabs.info != grabs:
                    robot.grabs.info = grabs
                for body, pose in loose:
                    if body.holder is None:
                        body.transform = pose

    def failure(self) -> TaskFailure:
        """Return the cause of having no solution."""
        late = self.left <= 0.0
        last = self._farthest
        if last is None:
            said = "time ran out" if late else "no stage has a solution or says why"
            last = Rejection("", "", said, 0.0)
        return TaskFailure(last, tuple(self.rejections), dict(self.counts), late)


def _as_steps(stage: Stage, given: Any) -> Sequence[Step]:
    """Return the steps that a stage yields, checked."""
    if isinstance(given, Sequence) and all(isinstance(one, Step) for one in given):
        return given
    raise ArgumentError(
        f"{stage!r} yields {shown(given)}, expected a list of pyrave.manipulation.Step"
    )


def solve(
    robot: Robot, *stages: Stage, timeout: float = 10.0, seed: int = 0
) -> TaskResult:
    """Return the motion of a robot through stages, or the reason why there is none.

    Stages are tried in order with backtracking: where one fails, those before try what
    else they have. Whatever happens, the environment is as it was before.

    Parameters
    ----------
    robot
        In an environment. All stages are its own.
    stages
        One after the other.
    timeout
        Seconds for all of it, compiling excepted.
    seed
        Of everything random: the same seed gives the same result if time suffices.

    Returns
    -------
    TaskResult
        True if a motion was found; else its `cause` names stage, choice and reason.

    Raises
    ------
    ArgumentError
        There are no stages, something is none, is of another robot, or yields no steps.
    StateError
        The robot is in no environment.
    """
    if not isinstance(robot, Robot):
        raise ArgumentError(f"robot is {shown(robot)}, expected a robot")
    if robot.id < 0:
        raise StateError(f"{robot!r} is in no environment; env.add(robot) adds it")
    whole = Series(*stages)
    task = Task(robot, as_number(timeout, "timeout", 1e-6), as_seed(seed))
    env = robot.env
    with env.lock(), env.preserve_state(StateParts.PLANNED):
        try:
            ways = whole.solutions(task)  # the last one goes on for the choices
            steps = next(ways, None)
            choices = task.choices
        finally:
            task.is_over = True  # nothing is put back after this, but by the block
    if steps is None:
        failure = task.failure()
        return TaskResult((), (), task.spent, None, failure)
    every = tuple(steps)
    trajectory = joined(robot, every)
    assumed = {
        body.name: (body.transform, body.dof_values)
        for body in env.bodies
        if body is not robot
    }
    return TaskResult(every, choices, task.spent, trajectory, assumed=assumed)
