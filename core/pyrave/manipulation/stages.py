"""Stages of tasks, and their compositions: in series, alternatives, fallbacks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.kinematics.limits import LimitCheck

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces import TrajectoryBase
    from pyrave.manipulation.task import Task


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Step:
    """One step of a task: a motion, or a body that is grabbed or released; frozen.

    Parameters
    ----------
    name
        What it is for, as results name it.
    motion
        Joints of the robot in time, from where it is, from rest to rest.
    grab
        A body that a link holds from now on.
    link
        Which link; None: the end effector of the active manipulator.
    spared
        Names of links that may touch what is grabbed.
    release
        A body that the robot lets go.
    is_verified
        True if limits and collisions of the motion were looked at. Others are verified
        before the task goes on.
    """

    name: str
    motion: TrajectoryBase | None = None
    grab: KinBody | None = None
    link: Link | None = None
    spared: tuple[str, ...] = ()
    release: KinBody | None = None
    is_verified: bool = False

    def apply(self, robot: Robot) -> None:
        """Take a robot, and what it holds, to the end of the step."""
        if self.motion is not None:
            spec, row = self.motion.spec, self.motion.get_waypoint(-1)
            indices = np.sort(spec.extract_used_indices(robot)[0])
            values = spec.extract_joint_values(row, robot, indices)
            if values is not None:
                robot.set_dof_values(values, indices, limits=LimitCheck.NONE)
        if self.release is not None:
            robot.release(self.release)
        if self.grab is not None:
            robot.grab(self.grab, self.link, self.spared)

    def __repr__(self) -> str:
        what = "" if self.motion is None else f", {self.motion.duration:.3f} s"
        for verb, body in (("grab", self.grab), ("release", self.release)):
            what += "" if body is None else f", {verb} {body.name!r}"
        return f"<Step {self.name}{what}>"


class Stage(ABC):
    """A part of a task, which may be done in several ways.

    A subclass writes `solutions`, a generator. It is called with the robot and all
    bodies where the stages before left them, goes on when its solution turned out to
    lead nowhere, with all as it was, and leaves everything where it is. What it tries
    in vain it tells `Task.reject`.

    Parameters
    ----------
    name
        As causes name it.
    """

    name = ""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the steps of each way to do it, the best first."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class Series(Stage):
    """Stages one after the other; a later one that fails makes earlier ones go on.

    Parameters
    ----------
    stages
        In order.
    name
        As causes name it; empty: they name the stages alone.
    """

    def __init__(self, *stages: Stage, name: str = "") -> None:
        super().__init__(name)
        self.stages = as_stages(stages)

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the steps of all stages, by depth-first search."""
        yield from self._from(task, 0, ())

    def _from(
        self, task: Task, number: int, done: tuple[Step, ...]
    ) -> Iterator[Sequence[Step]]:
        if number == len(self.stages):
            yield done
            return
        for steps in task.tries(self.stages[number], self.stages[number + 1 :]):
            with task.after(steps):
                yield from self._from(task, number + 1, (*done, *steps))


class Alternatives(Stage):
    """Stages of which one is done: all solutions of the first, then of the next.

    Parameters
    ----------
    stages
        The best first.
    name
        As causes name it.
    """

    def __init__(self, *stages: Stage, name: str = "") -> None:
        super().__init__(name)
        self.stages = as_stages(stages)

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the solutions of each stage."""
        for stage in self.stages:
            yield from task.tries(stage, ())


class Fallbacks(Alternatives):
    """Stages of which a later one is asked only where those before have no solution.

    Unlike `Alternatives`, what comes afterwards does not make it fall back.
    """

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the solutions of the first stage that has any."""
        for stage in self.stages:
            has_any = False
            for steps in task.tries(stage, ()):
                has_any = True
                yield steps
            if has_any:
                return


def as_stages(stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """Return stages, checked."""
    every = tuple(stages)
    for stage in every:
        if not isinstance(stage, Stage):
            raise ArgumentError(
                f"a stage is {shown(stage)}, expected a pyrave.manipulation.Stage"
            )
    if not every:
        raise ArgumentError("there are no stages")
    return every
