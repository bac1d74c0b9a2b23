"""Samples of joint values that bring a manipulator to one of several goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import ErrorCode, IkFilterOptions
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["ManipulatorIKGoalSampler"]

_SEED = 0
_CHECK = int(IkFilterOptions.CheckEnvCollisions)


@dataclass(frozen=True)
class _Sample:
    """Joint values, and which goal they are for."""

    answer: Any
    goal: int


class ManipulatorIKGoalSampler(Guarded):
    """Gives joint values for goals that are drawn at random, each once.

    Parameters
    ----------
    manip
        Whose goals they are.
    parameterizations
        The goals.
    nummaxsamples
        How often a goal is asked for; more than once only with a jitter.
    nummaxtries
        How many goals one call of `Sample` asks for at most.
    jitter
        Metres by which positions of goals are moved at random.
    ikfilteroptions
        As for `Manipulator.FindIKSolutions`.
    freevalues
        Values of free joints; None searches over them.
    """

    def __init__(
        self,
        manip: Any,
        parameterizations: Any,
        nummaxsamples: int = 20,
        nummaxtries: int = 10,
        jitter: float = 0.0,
        searchfreeparameters: bool = True,
        ikfilteroptions: int = _CHECK,
        freevalues: Any = None,
    ) -> None:
        self._manip = manip
        self._goals = list(parameterizations)
        if not self._goals:
            raise openrave_exception(
                "there are no parameterizations, expected one or more",
                ErrorCode.InvalidArguments,
            )
        self._jitter, self._options = float(jitter), int(ikfilteroptions)
        self._tries = max(1, int(nummaxtries))
        self._free = freevalues
        # the same question has the same answers
        asked = max(1, int(nummaxsamples)) if self._jitter > 0.0 else 1
        self._left = dict.fromkeys(range(len(self._goals)), asked)
        self._rng = np.random.default_rng(_SEED)
        self._waiting: list[_Sample] = []
        self._given: list[int] = []

    def Sample(self, ikreturn: bool = False, releasegil: bool = False) -> Any:
        """Return the next joint values, None if no more are found.

        With `ikreturn` the `IkReturn` that has them.
        """
        for _ in range(self._tries):
            if self._waiting or not self._left:
                break
            self._ask()
        if not self._waiting:
            return None
        sample = self._waiting.pop(0)
        self._given.append(sample.goal)
        return sample.answer if ikreturn else sample.answer.GetSolution()

    def SampleAll(
        self, maxsamples: int = 0, maxchecksamples: int = 0, releasegil: bool = False
    ) -> list[Any]:
        """Return the `IkReturn` s of all that is left; 0 is no bound.

        Parameters
        ----------
        maxsamples
            How many of them.
        maxchecksamples
            How many goals are asked for.
        """
        answers = []
        for sample in self._samples(int(maxchecksamples)):
            self._given.append(sample.goal)
            answers.append(sample.answer)
            if len(answers) == int(maxsamples):
                break
        return answers

    def GetIkParameterizationIndex(self, index: int) -> int:
        """Return the index of the goal of a sample; -1 asks for the last sample."""
        return self._given[int(index)]

    def _samples(self, most: int) -> Iterator[_Sample]:
        asked = 0
        while self._waiting or self._left:
            while self._waiting:
                yield self._waiting.pop(0)
            if not self._left or (most > 0 and asked >= most):
                return
            self._ask()
            asked += 1

    def _ask(self) -> None:
        """Ask for the solutions of a goal that is drawn at random."""
        goal = [*self._left][int(self._rng.integers(len(self._left)))]
        self._left[goal] -= 1
        if not self._left[goal]:
            del self._left[goal]
        wanted = self._jittered(self._goals[goal])
        arguments = (wanted, self._options)
        if self._free is not None:
            arguments = (wanted, self._free, self._options)  # type: ignore[assignment]
        answers = list(self._manip.FindIKSolutions(*arguments, ikreturn=True))
        order = self._rng.permutation(len(answers))
        self._waiting += [_Sample(answers[place], goal) for place in order]

    def _jittered(self, goal: Any) -> Any:
        if self._jitter <= 0.0:
            return goal
        step = np.eye(4)
        step[:3, 3] = self._jitter * self._rng.uniform(-1.0, 1.0, 3)
        return goal.Transform(step) if hasattr(goal, "Transform") else step @ goal
