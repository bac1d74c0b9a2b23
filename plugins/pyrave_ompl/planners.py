"""A planner of OMPL that searches in a space of ours."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import PluginError
from pyrave.interfaces import PlannerAction, PlannerProgress, PlannerStatusCode
from pyrave.planning.search.planner import InterruptedSearch, SearchPlanner
from pyrave.planning.search.problem import Refused
from pyrave.planning.search.samples import box_of
from pyrave_ompl.library import Library, ompl

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

FEASIBLE = ("RRT", "RRTConnect", "KPIECE1", "BKPIECE1", "LBKPIECE1", "FMT", "BFMT")
OPTIMISING = ("RRTstar", "InformedRRTstar", "SORRTstar", "BITstar", "AORRTC")
"""These take all the time that there is. PRM and PRMstar are left out: they ask
whether to go on from threads of their own, which Python's lock holds for ever."""
_PROGRESS_SECONDS = 0.01


class OmplPlanner(SearchPlanner):
    """Base of OMPL's planners: its search, and motions that our checker calls free.

    Configurations are multiplied by the weights, so that OMPL's distances are ours.
    Joints that go round for ever are planned within one turn. `max_iterations` limits
    the motions that are checked. The setting ``range`` is set where a planner
    has one. `RETURN_WITH_ANY_SOLUTION` ends a search at once: most of OMPL's planners
    tell only then whether they have a path.
    """

    contract = 2
    ompl_name: ClassVar[str] = ""
    optimises: ClassVar[bool] = False

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._library = ompl()
        if self.optimises:
            self.default_seconds = 2.0

    def take_problem(self, problem: Problem) -> None:
        """Take the settings for a problem, or raise `Refused`."""
        super().take_problem(problem)
        failed = PlannerStatusCode.FAILED
        if problem.parameters.sample_goal or problem.parameters.sample_initial:
            raise Refused(failed, "OMPL's planners do not sample ends here; BiRRT does")
        if "neighbour_state" in problem.parameters.changed_functions:
            raise Refused(
                failed, "OMPL's planners do not project configurations here; BiRRT does"
            )
        if self._reach and not hasattr(self._kind, "setRange"):
            raise Refused(failed, f"OMPL's {self.ompl_name} has no range")

    @property
    def _kind(self) -> Any:
        return getattr(self._library.geometric, self.ompl_name)

    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d)."""
        starts, goals = self.free_ends(problem, space)
        if len(starts) == len(goals) == 1:
            ends = np.stack((problem.starts[starts[0]], problem.goals[goals[0]]))
            if space.is_free(*ends):
                return ends  # which no path is shorter than
        run = _Run(self, problem, space)
        found = run.solved(problem.starts[starts], problem.goals[goals])
        self.statistics = replace(self.statistics, iterations=run.motions)
        if found is None:
            raise InterruptedSearch(
                PlannerStatusCode.FAILED,
                f"OMPL's {self.ompl_name} gave up after {run.motions} motions",
            )
        return found

    def make_planner(self, information: Any) -> Any:
        """Return OMPL's planner; its own choice of a range, unless one was given."""
        planner = self._kind(information)
        if self._reach:
            planner.setRange(self._reach)
        return planner


class _Run:
    """One search of OMPL's, and what it asks."""

    def __init__(self, planner: OmplPlanner, problem: Problem, space: Space) -> None:
        self._planner, self._problem, self._space = planner, problem, space
        self._library: Library = ompl()
        weights = problem.parameters.weights
        self._lower, self._upper = box_of(problem)
        self._dof = len(self._lower)
        self._weights = weights if len(weights) else np.ones(self._dof)
        self.motions = 0
        self._asked = 0.0
        self._error: BaseException | None = None

    def solved(self, starts: Array, goals: Array) -> Array | None:
        """Return a path from a start to a goal, or None."""
        base, geometric, util = self._library
        util.RNG.setSeed(int(self._problem.parameters.random_seed) % 2**31 + 1)
        states = base.RealVectorStateSpace(self._dof)
        bounds = base.RealVectorBounds(self._dof)
        for k in range(self._dof):
            bounds.setLow(k, float(self._weights[k] * self._lower[k]))
            bounds.setHigh(k, float(self._weights[k] * self._upper[k]))
        states.setBounds(bounds)
        setup = geometric.SimpleSetup(states)
        information = setup.getSpaceInformation()
        setup.setStateValidityChecker(self._is_valid)
        validator = _motions(base)(information, self._is_free)
        information.setMotionValidator(validator)
        for start in starts:
            setup.addStartState(self._state(states, start))
        ends = base.GoalStates(information)
        for goal in goals:
            ends.addState(self._state(states, goal))
        setup.setGoal(ends)
        setup.setPlanner(self._planner.make_planner(information))
        setup.solve(base.PlannerTerminationCondition(self._is_over))
        if self._error is not None:
            # what is raised refers to this object, which would keep OMPL's for long
            error, self._error = self._error, None
            raise error
        if not setup.haveExactSolutionPath():
            # says why, if time or samples ran out
            self._planner.go_on(self.motions)
            return None
        rows = setup.getSolutionPath().getStates()
        path = np.array([self._values(one) for one in rows])
        for given, row in ((starts, 0), (goals, -1)):
            near = np.abs(given - path[row]).max(axis=1)
            path[row] = given[int(np.argmin(near))]
        return path

    def _state(self, states: Any, q: Array) -> Any:
        state = states.allocState()
        turned = self._lower + np.mod(q - self._lower, self._span(q))
        for k in range(self._dof):
            state[k] = float(self._weights[k] * turned[k])
        return state

    def _span(self, q: Array) -> Array:
        """Return one turn for values beyond the box, else more than it is wide."""
        width = self._upper - self._lower
        beyond = (q < self._lower) | (q > self._upper)
        return np.where(beyond, width, 2.0 * width + 1.0)

    def _values(self, state: Any) -> Array:
        return np.asarray(state[0 : self._dof], float) / self._weights

    def _is_valid(self, state: Any) -> bool:
        return self._guarded(lambda: not self._space.hits(self._values(state)[None])[0])

    def _is_free(self, one: Any, other: Any) -> bool:
        self.motions += 1
        return self._guarded(
            lambda: self._space.is_free(self._values(one), self._values(other))
        )

    def _is_over(self) -> bool:
        return self._error is not None or self._guarded(self._ends_now)

    def _ends_now(self) -> bool:
        planner, now = self._planner, time.perf_counter()
        if now - self._asked >= _PROGRESS_SECONDS:
            self._asked = now
            action = planner.call_progress(PlannerProgress(self.motions))
            if action is PlannerAction.INTERRUPT:
                planner.interrupted(self.motions)
            if action is PlannerAction.RETURN_WITH_ANY_SOLUTION:
                return True
        return planner.is_out_of_time() or self.motions >= planner.most_iterations

    def _guarded(self, question: Any) -> bool:
        """Answer a question of OMPL's; what is raised waits until it has ended."""
        try:
            return bool(question())
        except BaseException as error:  # noqa: BLE001 - raised again by `solved`
            self._error = self._error or error
            return False


def _motions(base: Any) -> type:
    """Return a class of OMPL's that asks a function about motions."""

    class Motions(base.MotionValidator):  # type: ignore[misc]
        def __init__(self, information: Any, is_free: Any) -> None:
            super().__init__(information)
            self._is_free = is_free

        def checkMotion(self, one: Any, other: Any, *rest: Any) -> bool:  # noqa: N802
            if rest:
                raise PluginError("OMPL asks how far a motion is free")
            return bool(self._is_free(one, other))

    return Motions


def planner_classes() -> dict[str, type[OmplPlanner]]:
    """Return a class for each planner, by its id."""
    return {
        f"OMPL_{name}": type(
            f"Ompl{name}",
            (OmplPlanner,),
            {
                "contract": 2,
                "ompl_name": name,
                "optimises": name in OPTIMISING,
                "__module__": __name__,
                "__doc__": f"{name} of the Open Motion Planning Library.",
            },
        )
        for name in (*FEASIBLE, *OPTIMISING)
    }
