"""RRT-Connect (Kuffner, LaValle: ICRA 2000) in joint space."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from pyrave import (
    PlannerBase,
    PlannerParameters,
    PlannerStatus,
    PlannerStatusCode,
)
from pyrave.interfaces import PlannerAction, PlannerProgress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment, Robot, TrajectoryBase

    Vector = NDArray[np.float64]


class _Tree:
    """Configurations with their parents."""

    def __init__(self, root: Vector) -> None:
        self.nodes = [root]
        self.parents = [-1]

    def nearest(self, goal: Vector) -> int:
        """Return the index of the nearest node."""
        distances = ((np.array(self.nodes) - goal) ** 2).sum(axis=1)
        return int(distances.argmin())

    def add(self, node: Vector, parent: int) -> int:
        """Add a node and return its index."""
        self.nodes.append(node)
        self.parents.append(parent)
        return len(self.nodes) - 1

    def way(self, index: int) -> list[Vector]:
        """Return the nodes from a node to the root."""
        nodes = []
        while index >= 0:
            nodes.append(self.nodes[index])
            index = self.parents[index]
        return nodes


class BidirectionalRrt(PlannerBase):
    """Grows two trees towards each other until they meet; the seed decides how."""

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: Robot | None = None
        self._parameters: PlannerParameters | None = None

    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Check the problem."""
        n = parameters.dof
        failed = PlannerStatusCode.FAILED
        if n == 0 or parameters.set_state is None or parameters.get_state is None:
            return PlannerStatus(failed, "the parameters have no configuration space")
        if parameters.lower_limits.shape != (n,) or parameters.upper_limits.shape != (
            n,
        ):
            return PlannerStatus(failed, f"the limits are not {n} numbers each")
        for what, values, code in (
            ("start", parameters.initial_configuration, PlannerStatusCode.INITIAL),
            ("goal", parameters.goal_configuration, PlannerStatusCode.GOAL),
        ):
            if values.shape != (n,) or not np.isfinite(values).all():
                text = f"the {what} is {values}, expected {n} numbers"
                return PlannerStatus(code, text)
            outside = (values < parameters.lower_limits - 1e-9) | (
                values > parameters.upper_limits + 1e-9
            )
            if outside.any():
                return PlannerStatus(code, f"the {what} {values} is out of limits")
        self._robot, self._parameters = robot, parameters
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, "ready")

    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use."""
        return self._parameters

    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Plan."""
        begin = time.perf_counter()
        parameters = self._parameters
        if parameters is None or not parameters.set_state or not parameters.get_state:
            return PlannerStatus(PlannerStatusCode.FAILED, "call init_plan first")
        before = parameters.get_state()
        try:
            code, text, way = self._search(parameters)
        finally:
            parameters.set_state(before)
        if way:
            trajectory.init(parameters.specification)
            trajectory.insert(0, np.array(way))
        return PlannerStatus(code, text, time.perf_counter() - begin)

    def _search(
        self, parameters: PlannerParameters
    ) -> tuple[PlannerStatusCode, str, list[Vector]]:
        start, goal = parameters.initial_configuration, parameters.goal_configuration
        for what, q, code in (
            ("start", start, PlannerStatusCode.INITIAL),
            ("goal", goal, PlannerStatusCode.GOAL),
        ):
            if not self._free(parameters, q):
                return (
                    code | PlannerStatusCode.ENV_COLLISION,
                    f"the {what} collides",
                    [],
                )
        rng = np.random.default_rng(parameters.random_seed)
        trees = [_Tree(start.copy()), _Tree(goal.copy())]
        limit = parameters.max_iterations or 5000
        for iteration in range(limit):
            a, b = trees[iteration % 2], trees[1 - iteration % 2]
            sample = rng.uniform(parameters.lower_limits, parameters.upper_limits)
            if iteration < 2:
                sample = b.nodes[0]
            reached = self._extend(parameters, a, sample)
            met = self._extend(parameters, b, a.nodes[reached])
            if np.array_equal(a.nodes[reached], b.nodes[met]):
                way = a.way(reached)[::-1] + b.way(met)[1:]
                if a is trees[1]:
                    way.reverse()
                text = f"found after {iteration + 1} samples"
                return PlannerStatusCode.HAS_SOLUTION, text, way or [start, goal]
            answer = self.call_progress(PlannerProgress(iteration))
            if answer is not PlannerAction.CONTINUE:
                return PlannerStatusCode.INTERRUPTED, "a callback interrupted it", []
        return PlannerStatusCode.FAILED, f"no way after {limit} samples", []

    def _extend(self, parameters: PlannerParameters, tree: _Tree, goal: Vector) -> int:
        """Walk from the nearest node towards a goal as far as it is free."""
        index = tree.nearest(goal)
        while True:
            here = tree.nodes[index]
            way = goal - here
            length = float(np.sqrt(way @ way))
            if length == 0.0:
                return index
            step = 3 * parameters.step_length
            there = goal.copy() if length <= step else here + way * (step / length)
            keeps = parameters.check_path_constraints
            if keeps is not None and not keeps(here, there):
                return index
            if not self._free(parameters, there):
                return index
            index = tree.add(there, index)

    def _free(self, parameters: PlannerParameters, q: Vector) -> bool:
        assert parameters.set_state is not None
        parameters.set_state(q)
        robot = self._robot
        if robot is None:
            return True
        checker = self.env.collision_checker
        return not (
            self.env.check_collision(robot) or checker.check_self_collision(robot)
        )
