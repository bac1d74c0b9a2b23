"""Planners with one tree: BasicRRT and ExplorationRRT."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import PlannerStatusCode, command, setting
from pyrave.planning.search.planner import (
    RangeSettings,
    SearchPlanner,
    SearchSettings,
)
from pyrave.planning.search.problem import Refused
from pyrave.planning.search.samples import Samples
from pyrave.planning.search.trees import TreePair
from pyrave.planning.search.user_space import number_of
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_RANGE = 0.1
_BLOCK = 64
_MAX_STEPS = 100
_MET = 1e-4
"""Largest value of a goal function that counts as 0."""


class _OneTree(SearchPlanner):
    """Base of planners with one tree."""

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._tree: TreePair | None = None

    @command(name="DumpTree")
    def dump_tree(self) -> str:
        """Return the tree of the last search as JSON: configurations and parents."""
        return json.dumps([] if self._tree is None else self._tree.as_data()[:1])

    def _planted(
        self, problem: Problem, space: Space, numbers: NDArray[np.intp]
    ) -> TreePair:
        reach = self.reach_of(problem, space, _RANGE)
        tree = self._tree = TreePair(space, problem.parameters.dof, reach)
        for root in problem.starts[numbers]:
            tree.add_root(0, root)
        return tree

    def _note(self, tree: TreePair) -> None:
        self.statistics = replace(
            self.statistics, iterations=tree.iterations, nodes=tree.counts[0]
        )


@dataclass(frozen=True)
class GoalBiasSettings(SearchSettings):
    """Settings of `BasicRRT`."""

    goal_bias: float = setting(
        0.05, "how often a goal is the sample", least=0.0, most=1.0
    )


@dataclass(frozen=True)
class ExplorationSettings(RangeSettings):
    """Settings of `ExplorationRRT`."""

    exploration_size: int = setting(
        100,
        "configurations of the tree",
        least=1,
        most=1e6,
        aliases=("expectedsize",),
    )
    exploration_probability: float = setting(
        0.0,
        "how often a node grows to a place beside it",
        least=0.0,
        most=1.0,
        aliases=("exploreprob",),
    )


class BasicRRT(_OneTree):
    """RRT: one tree grows from the start, now and then towards a goal.

    LaValle, "Rapidly-exploring random trees: A new tool for path planning", 1998. Each
    sample is approached until something is in the way. The extra parameter
    ``goal_bias`` is how often a goal is the sample. A function ``goal`` of the
    parameters, at most 0.0001 where it is met, may take the place of goals: it is asked
    about each configuration of the tree.
    """

    contract = 2
    functions = frozenset({"goal"})
    settings_type = GoalBiasSettings

    def take_problem(self, problem: Problem) -> None:
        """Take the settings for a problem, or raise `Refused`."""
        super().take_problem(problem)
        self._bias = self._own.goal_bias
        if problem.parameters.sample_initial or problem.parameters.sample_goal:
            raise Refused(
                PlannerStatusCode.FAILED,
                "BasicRRT does not sample initial configurations or goals; BiRRT does",
            )
        self._goal = -1

    @command(name="GetGoalIndex")
    def goal_index(self) -> int:
        """Return the index of the last path's goal."""
        return self._goal

    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d)."""
        starts, free = self.free_ends(problem, space)
        tree = self._planted(problem, space, starts)
        asked = 0
        samples = Samples(problem)
        rng = np.random.default_rng((problem.parameters.random_seed, 1))
        while True:
            self.go_on(tree.iterations)
            count = min(_BLOCK, max(1, self.most_iterations - tree.iterations))
            rows = samples.take(count)
            targets = np.full(len(rows), -1, np.int64)
            chosen = rng.random(len(rows)) < self._bias
            if not tree.iterations:
                chosen[:1] = True
            if len(free):
                targets[chosen] = rng.choice(free, int(chosen.sum()))
                rows[chosen] = problem.goals[targets[chosen]]
            found = tree.grow_one(rows, targets, _MAX_STEPS)
            if found is None and problem.parameters.goal is not None:
                found = self._met(problem.parameters.goal, tree, asked)
                asked = tree.counts[0]
            if found is not None:
                break
        self._note(tree)
        self._goal = found[1]
        return found[0]

    @staticmethod
    def _met(
        goal: Callable[[Array], float], tree: TreePair, asked: int
    ) -> tuple[Array, int] | None:
        """Return the way to the first configuration not asked about that is a goal."""
        for node, row in enumerate(tree.configurations(0)[asked:], asked):
            if number_of(goal(row), "goal") <= _MET:
                return tree.way_to(node), -1
        return None


class ExplorationRRT(_OneTree):
    """RRT without a goal: the tree is the result.

    The trajectory holds the configurations of the tree in the order in which they were
    added, which is no path. Extra parameters are ``exploration_size``, how many there
    are, and ``exploration_probability``: how often a node grows to a place beside it
    instead of the nearest one towards a sample. Places beside a node are those of
    ``sample_neighbour(node, distance)`` of the parameters, if there is one.
    """

    contract = 2
    functions = frozenset({"sample_neighbour"})
    needs_goal = False
    finds_paths = False
    settings_type = ExplorationSettings

    def take_problem(self, problem: Problem) -> None:
        """Take the settings for a problem, or raise `Refused`."""
        super().take_problem(problem)
        self._size = self._own.exploration_size
        self._share = self._own.exploration_probability
        if len(problem.goals) or problem.parameters.sample_goal:
            raise Refused(
                PlannerStatusCode.GOAL, "ExplorationRRT has no goal; leave it out"
            )

    def search(self, problem: Problem, space: Space) -> Array:
        """Return the configurations (n, d) of a tree."""
        tree = self._planted(problem, space, self.free_ends(problem, space)[0])
        samples = Samples(problem)
        rng = np.random.default_rng((problem.parameters.random_seed, 1))
        reach = self.reach_of(problem, space, _RANGE)
        none = np.full(1, -1, np.int64)
        beside = problem.parameters.sample_neighbour
        while tree.counts[0] < self._size:
            self.go_on(tree.iterations)
            row = samples.take(1)
            if len(row) and rng.random() < self._share:
                nodes = tree.configurations(0)
                near = nodes[rng.integers(len(nodes))]
                if beside is not None:
                    row = self._beside(problem, beside(near, reach))
                else:
                    way = space.difference(row[0], near)
                    size = max(space.distance(near, row[0]), 1e-9)
                    row = np.atleast_2d(
                        near + way * min(1.0, reach * rng.random() / size)
                    )
            tree.grow_one(row, none[: len(row)], 1)
        self._note(tree)
        return tree.configurations(0)[: self._size]

    @staticmethod
    def _beside(problem: Problem, found: Array | None) -> Array:
        """Return the place that a function of the user gave as (1, d); none: (0, d)."""
        parameters = problem.parameters
        if found is None:
            return np.empty((0, parameters.dof))
        row = as_vector(found, parameters.dof, "sample_neighbour")
        return np.clip(row, parameters.lower_limits, parameters.upper_limits)[None]
