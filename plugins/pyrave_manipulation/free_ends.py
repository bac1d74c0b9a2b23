"""Plans between ends that may collide: free ones near them are joined by a way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.interfaces import PlannerParameters
from pyrave.manipulation import Step
from pyrave.manipulation.joined_steps import joined
from pyrave.planning import (
    PlanFailureCode,
    free_values_near,
    retime,
    verification,
    verify_torques,
)
from pyrave.planning.search.post_processors import post_process
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.bodies import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.planning import FreeNearby, PlanResult
    from pyrave.spatial import Array, Indices

_JITTERS = 1000
"""Random values that are tried near one that collides."""
_BY_CHANCE = {
    PlanFailureCode.NO_PATH,
    PlanFailureCode.NOT_VERIFIED,
    PlanFailureCode.GOAL_NOT_MET,
}
_MAX_CAUSES = 2


@dataclass(frozen=True, slots=True, eq=False)
class FreeMotion:
    """A motion between ends of which some may collide; true if there is one.

    Parameters
    ----------
    timed
        From rest to rest; None without one.
    cause
        Why there is none, in words.
    goal
        Index of the goal that is reached.
    code
        Kind of the cause, of a plan that failed.
    """

    timed: TrajectoryBase | None
    cause: str = ""
    goal: int = -1
    code: PlanFailureCode | None = None

    def __bool__(self) -> bool:
        return self.timed is not None


@dataclass(frozen=True, slots=True, eq=False)
class JointQuery:
    """Joints of a robot, and how they are to be moved.

    Parameters
    ----------
    robot
        In an environment; it starts where it is.
    indices
        (n,) degrees of freedom that move.
    jitter
        Radians or metres by which ends that collide may be moved to become free; 0:
        they must not collide.
    tries
        Plans that are tried, each with the next seed.
    options
        Of `Robot.plan`: planner, seed, timeout, speed, ...
    post_processing
        Planners that change the path: (id, XML).
    use_torques
        Keep the torque limits of the joints, too.
    """

    robot: Robot
    indices: Indices
    jitter: float = 0.04
    tries: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    post_processing: tuple[tuple[str, str], ...] = ()
    use_torques: bool = False

    def to_values(self, goals: Array) -> FreeMotion:
        """Return a motion to one of several goals.

        Goals are clamped to limits. Of goals that collide, and a start that does, free
        values near them are what is planned between; the motion still begins and ends
        at the values that were given, as OpenRAVE's commands do.

        Parameters
        ----------
        goals
            (k, n) joint values.
        """
        robot = self.robot
        goals = self._clamped(goals)
        parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
        with robot.env.lock(), robot.preserve_state(parts):
            robot.set_active_dofs(self.indices)
            start = robot.dof_values[self.indices]
            result = self._planned(None, goals)
            if result or not self.jitter:
                return self._motion(result, None, goals, goals)
            codes = PlanFailureCode
            failure = result.failure
            if failure is None or failure.code not in {
                codes.START_COLLISION,
                codes.GOAL_COLLISION,
            }:
                return self._motion(result, None, goals, goals)
            near_start = self._free(start)
            if near_start.found is None:
                cause = f"the start collides: {near_start.cause}"
                return FreeMotion(None, cause, code=failure.code)
            free_start = near_start.found
            found = [self._free(goal) for goal in goals]
            free = {
                k: one.found for k, one in enumerate(found) if one.found is not None
            }
            if not free:
                cause = f"the goal collides: {found[0].cause}"
                return FreeMotion(None, cause, code=codes.GOAL_COLLISION)
            kept = list(free)
            free_goals = np.array(list(free.values()))
            result = self._planned(free_start, free_goals)
            motion = self._motion(result, free_start, goals[kept], free_goals)
            return FreeMotion(
                motion.timed,
                motion.cause,
                kept[motion.goal] if motion.goal >= 0 else -1,
            )

    def to_goal(self, goal: Any, **options: Any) -> FreeMotion:
        """Return a motion to a goal of `Robot.plan`."""
        result = self._planned(None, None, goal=goal, **options)
        return self._motion(result, None, None, None)

    # -- parts ---------------------------------------------------------------------

    def _planned(
        self, start: Array | None, values: Array | None, **options: Any
    ) -> PlanResult:
        """Return a plan; the search is repeated where another seed may help."""
        known: dict[str, Any] = dict(self.options) | options
        seed = known.pop("seed", 0)
        if values is not None:
            known["values"] = values
        for k in range(max(self.tries, 1)):
            result = self.robot.plan(
                start=start, dof_indices=self.indices, seed=seed + k, **known
            )
            failure = result.failure
            if failure is None or failure.code not in _BY_CHANCE:
                break
        return result

    def _motion(
        self,
        result: PlanResult,
        start: Array | None,
        goals: Array | None,
        free_goals: Array | None,
    ) -> FreeMotion:
        """Return the motion of a plan, with the ways from and to ends that collide."""
        if not result:
            failure = result.failure
            code = None if failure is None else failure.code
            return FreeMotion(None, result.cause, code=code)
        robot = self.robot
        timed, cause = self._processed(result)
        if timed is None:
            return FreeMotion(None, cause)
        if goals is None or free_goals is None:
            return FreeMotion(timed)
        last = result.path[-1]
        index = int(np.argmin([np.abs(last - goal).max() for goal in free_goals]))
        steps = [Step("plan", timed)]
        given = robot.dof_values[self.indices]
        if start is not None and (start != given).any():
            steps.insert(0, Step("start", self._direct(given, start)))
        if (goals[index] != free_goals[index]).any():
            steps.append(Step("goal", self._direct(last, goals[index])))
        whole = timed if len(steps) == 1 else joined(robot, steps)
        return FreeMotion(whole, goal=index)

    def _processed(self, result: PlanResult) -> tuple[TrajectoryBase | None, str]:
        """Return the trajectory of a plan as other planners and limits change it."""
        robot = self.robot
        speed = self.options.get("speed", 1.0)
        if not self.post_processing and not self.use_torques:
            return result.trajectory, ""
        timed = result.trajectory
        with robot.preserve_state(StateParts.PLANNED):
            robot.set_active_dofs(self.indices)
            if self.post_processing:
                parameters = PlannerParameters()
                parameters.set_robot_active_joints(robot)
                parameters.velocity_limits = speed * parameters.velocity_limits
                parameters.acceleration_limits = speed * parameters.acceleration_limits
                parameters.post_processing = self.post_processing
                timed = robot.env.create("trajectory", "")
                timed.init(parameters.specification)
                timed.insert(0, result.path)
                cause = post_process(robot.env, robot, parameters, timed)
                if cause:
                    return None, cause
            if self.use_torques:
                spec = robot.active.configuration_specification("linear")
                rows = timed.get_waypoints(0, None, spec)
                limits = robot.dof_torque_limits[self.indices]
                timed = retime(
                    robot,
                    rows,
                    self.indices,
                    torque_limits=limits,
                    velocity_scale=speed,
                    acceleration_scale=speed,
                )
            found = verification(robot, timed)
            violations = [str(one) for one in found.violations]
            if self.use_torques:
                found_torques = verify_torques(robot, timed, robot.dof_torque_limits)
                violations += map(str, found_torques)
        if violations:
            said = "; ".join(violations[:_MAX_CAUSES])
            return None, f"the path cannot be used as it was changed: {said}"
        return timed, ""

    def _direct(self, begin: Array, end: Array) -> TrajectoryBase:
        """Return the straight motion between values, which may collide."""
        speed = self.options.get("speed", 1.0)
        return retime(
            self.robot,
            np.stack((begin, end)),
            self.indices,
            velocity_scale=speed,
            acceleration_scale=speed,
        )

    def _free(self, values: Array) -> FreeNearby:
        """Return free values near some; those themselves if they are free."""
        return free_values_near(
            self.robot,
            values,
            dof_indices=self.indices,
            jitter=self.jitter,
            tries=_JITTERS,
            constraints=self.options.get("constraints", ()),
        )

    def _clamped(self, goals: Array) -> Array:
        """Return goals within limits; circular joints have none."""
        lower, upper = (bound[self.indices] for bound in self.robot.dof_limits)
        return np.asarray(np.clip(goals, lower, upper))
