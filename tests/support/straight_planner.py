"""A planner that knows the straight way alone, for tests of what is around planners."""

import numpy as np

from pyrave import PlannerBase, PlannerStatus, PlannerStatusCode
from pyrave.interfaces import PlannerAction, PlannerProgress


class StraightPlanner(PlannerBase):
    """Goes straight to the first goal to which nothing is in the way."""

    contract = 2

    def init_plan(self, robot, parameters):
        self.robot, self.parameters = robot, parameters
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION)

    def get_parameters(self):
        return self.parameters

    def plan_path(self, trajectory, options=0):
        given = self.parameters
        start = given.initial_configuration
        for number, goal in enumerate(given.goal_configuration.reshape(-1, given.dof)):
            answer = self.call_progress(PlannerProgress(number + 1))
            if answer is not PlannerAction.CONTINUE:
                return PlannerStatus(PlannerStatusCode.INTERRUPTED, "asked to stop")
            way = given.difference(goal, start)
            if self.is_free(start, start + way):
                trajectory.init(given.specification)
                trajectory.insert(0, np.vstack((start, start + way)))
                return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, "straight")
        return PlannerStatus(PlannerStatusCode.FAILED, "no straight way is free")

    def is_free(self, start, end):
        given, checker = self.parameters, self.env.collision_checker
        check = given.check_path_constraints
        if check is not None and not check(start, end):
            return False
        count = int(np.ceil(np.abs((end - start) / given.resolutions).max())) + 1
        for row in np.linspace(start, end, count + 1):
            given.set_state(row)
            if checker.check_collision(self.robot):
                return False
            if checker.check_self_collision(self.robot):
                return False
        return True
