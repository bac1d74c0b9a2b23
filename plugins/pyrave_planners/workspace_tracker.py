"""WorkspaceTrajectoryTracker: joints that lead a tool along a trajectory in space."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, Error
from pyrave.ik import IkFilterOptions, IkParameterization
from pyrave.interfaces import (
    PlannerBase,
    PlannerStatus,
    PlannerStatusCode,
    setting,
)
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning import TimedPath, retime, verify
from pyrave.planning.moving_links import checks_of
from pyrave.planning.timing.timed_trajectories import write_timed
from pyrave.spatial import as_pose, rotation_vector
from pyrave.trajectories import ConfigurationSpecification
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator, Robot
    from pyrave.interfaces import PlannerParameters, TrajectoryBase
    from pyrave.spatial import Array

_STEP, _ANGLE = 0.01, 0.05
"""Metres and radians of the tool between two configurations."""
_MAX_STEPS = 100_000
_STILL = 1e-7
_SAMPLE = 1e-3
_COLLISIONS = IkFilterOptions.CHECK_ENV_COLLISIONS


class _Ended(Exception):  # noqa: N818 - it ends in a status
    """Tracking that ends too early, and why."""


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """Settings of `WorkspaceTrajectoryTracker`; OpenRAVE's names mean the same."""

    workspace_trajectory: str = setting(
        "",
        "trajectory of the tool as text: ``trajectory.to_xml()``",
        aliases=("workspacetraj",),
    )
    max_deviation_angle: float = setting(
        0.15 * math.pi,
        "by which joints may move away from where the Jacobian says",
        unit="rad",
        least=0.0,
        most=math.pi,
    )
    maintain_timing: bool = setting(False, "keep the times; else it is retimed")
    greedy_search: bool = setting(True, "begin with the nearest solution only")
    ignore_first_collision: float = setting(
        0.0,
        "time in the beginning in which collisions do not count",
        unit="s",
        least=0.0,
    )
    minimum_complete_time: float = setting(
        1e30, "what ends after that much of it is a solution, too", unit="s", least=0.0
    )


class WorkspaceTrajectoryTracker(PlannerBase):
    """Leads the tool of the active manipulator along a trajectory of goals.

    ``workspace_trajectory`` is a trajectory with times and a group ``ikparam_values``
    in the world, as text. Joints follow it without a jump (`Manipulator.follow`), and
    what is in the way ends it. The result has the arm's joints.

    With ``maintain_timing`` it fails where joints would be too fast. Motions that leave
    the tool where it is do not count for ``max_deviation_angle``.
    """

    contract = 2
    needs_goal = False
    needs_path = True
    settings_type = TrackerSettings

    _robot: Robot | None = None
    _parameters: PlannerParameters | None = None
    _options: TrackerSettings | None = None

    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Take a trajectory of the tool; the status says what is wrong with it."""
        self._robot = self._parameters = self._options = None
        failed = PlannerStatusCode.FAILED
        if robot is None or robot.id < 0:
            return PlannerStatus(failed, "there is no robot in an environment")
        if not robot.manipulators:
            return PlannerStatus(failed, f"{robot!r} has no manipulator")
        try:
            options: TrackerSettings = self.settings_for(parameters)
            if not options.workspace_trajectory:
                raise ArgumentError(
                    "workspace_trajectory is empty, expected the trajectory of the "
                    "tool as text: trajectory.to_xml()"
                )
            self._goals(options)
        except Error as error:
            return PlannerStatus(failed, str(error))
        self._robot, self._parameters, self._options = robot, parameters, options
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, "ready")

    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use, None before `init_plan`."""
        return self._parameters

    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Track, and put the joint trajectory into `trajectory`."""
        begin = time.perf_counter()
        failed = PlannerStatusCode.FAILED
        if self._robot is None or self._options is None:
            return PlannerStatus(failed, "call init_plan first")
        robot = self._robot
        try:
            with robot.env.lock(), robot.preserve_state(StateParts.PLANNED):
                arm = robot.active_manipulator
                said = self._tracked(arm, self._options, trajectory)
        except (Error, _Ended) as error:
            return PlannerStatus(failed, str(error), time.perf_counter() - begin)
        seconds = time.perf_counter() - begin
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, said, seconds)

    def _goals(
        self, options: TrackerSettings
    ) -> tuple[Array, list[IkParameterization]]:
        """Return times (n,) and goals along the trajectory of the tool, near enough."""
        given = self.env.create("trajectory", "")
        given.deserialize(options.workspace_trajectory)
        spec = given.spec
        kinds = [group.name for group in spec.groups if group.kind == "ikparam_values"]
        spans = spec.extract_delta_time(given.waypoints) if len(given) else None
        if not kinds or spans is None:
            lacks = "deltatime" if kinds else "ikparam_values"
            raise ArgumentError(
                f"workspace_trajectory has no group {lacks}; its groups are "
                + (", ".join(group.name for group in spec.groups) or "none")
            )

        def goal_at(moment: float) -> IkParameterization:
            found = spec.extract_ik_parameterization(given.sample(moment))
            assert found is not None  # noqa: S101 - the group is there
            return found

        times = [0.0]
        for end in np.cumsum(spans)[1:].tolist():
            first, last = goal_at(times[-1]), goal_at(end)
            count = max(1, math.ceil(_steps(first, last)))
            if len(times) + count > _MAX_STEPS:
                raise ArgumentError(
                    f"workspace_trajectory is longer than {_MAX_STEPS} steps of "
                    "the tool"
                )
            times += np.linspace(times[-1], end, count + 1)[1:].tolist()
        return np.array(times), [goal_at(moment) for moment in times]

    def _tracked(
        self, arm: Manipulator, options: TrackerSettings, trajectory: TrajectoryBase
    ) -> str:
        times, goals = self._goals(options)
        values, why = _followed(arm, goals, times, options)
        kept = _within_angle(
            arm, goals[: len(values)], values, options.max_deviation_angle
        )
        if kept < len(values):
            why = f"joints deviate from the Jacobian's way at {times[kept - 1]:.3f} s"
            values = values[:kept]
            if times[kept - 1] < min(options.minimum_complete_time, times[-1]):
                raise _Ended(
                    f"{why} by more than {options.max_deviation_angle:.3g} rad"
                )
        moments = times[: len(values)]
        motion = self._timed(arm, moments, values, options)
        hit = _first_hit(arm, motion, options, moments)
        if hit is not None:
            raise _Ended(f"links collide at {hit:.3f} s of the joint trajectory")
        rows = motion.waypoints
        trajectory.init(motion.spec)
        trajectory.insert(0, rows)
        whole = f"{len(values)} configurations"
        return whole if not why else f"{whole}, up to {moments[-1]:.3f} s: {why}"

    @staticmethod
    def _timed(
        arm: Manipulator, times: Array, values: Array, options: TrackerSettings
    ) -> TrajectoryBase:
        robot = arm.robot
        if not options.maintain_timing:
            return retime(robot, values, arm.arm_indices, path="spline")
        motion = robot.env.create("trajectory", "")
        names = " ".join(map(str, arm.arm_indices.tolist()))
        spec = ConfigurationSpecification().add_group(
            f"joint_values {robot.name} {names}", values.shape[1]
        )
        rates = np.zeros_like(values)
        if len(times) > 1:
            rates = np.gradient(values, times, axis=0)
        write_timed(motion, spec, TimedPath(times, values, rates))
        beyond = verify(robot, motion, collisions=False)
        if beyond:
            raise _Ended(f"{beyond[0]}; without maintaintiming it is retimed")
        return motion


def _steps(first: IkParameterization, last: IkParameterization) -> float:
    """Return in how many steps a tool goes from one goal to the next."""
    if first.type.name != "Transform6D":
        return float(np.linalg.norm(last.array - first.array)) / _STEP
    a, b = as_pose(first.array), as_pose(last.array)
    way = float(np.linalg.norm(b[:3, 3] - a[:3, 3]))
    turn = float(np.linalg.norm(rotation_vector(a[:3, :3].T @ b[:3, :3])))
    return max(way / _STEP, turn / _ANGLE)


def _followed(
    arm: Manipulator,
    goals: list[IkParameterization],
    times: Array,
    options: TrackerSettings,
) -> tuple[Array, str]:
    """Return joint values (m, n) of the first goals, and why the others lack."""
    start = arm.arm_dof_values
    if options.greedy_search:
        solution = arm.solve_ik(goals[0])
        if solution is None:
            raise _Ended("the first goal of workspace_trajectory has no IK solution")
        start = solution
    split = (
        int(np.searchsorted(times, options.ignore_first_collision))
        if options.ignore_first_collision
        else 0
    )
    parts: list[Array] = []
    for first, last, checks in (
        (0, split, IkFilterOptions.NONE),
        (split, len(goals), _COLLISIONS),
    ):
        if first == last:
            continue
        begin = max(first - 1, 0)
        # the last goal of the part before is where this one begins
        path = arm.follow(goals[first if not parts else begin : last],
                          q0=start, options=checks)  # fmt: skip
        parts.append(path.values[1:] if parts else path.values)
        if not path:
            break
        start = path.values[-1]
    values = np.concatenate(parts)
    if path:
        return values, ""
    reached = times[len(values) - 1] if len(values) else -1.0
    if reached < min(options.minimum_complete_time, times[-1]):
        raise _Ended(f"the tool gets to {max(reached, 0.0):.3f} s: {path.cause}")
    return values, path.cause


def _within_angle(
    arm: Manipulator, goals: list[IkParameterization], values: Array, most: float
) -> int:
    """Return the number of configurations that follow the Jacobian within an angle."""
    robot = arm.robot
    if goals[0].type.name != "Transform6D":
        return len(values)
    poses = [as_pose(goal.array) for goal in goals]
    with robot.preserve_state(StateParts.PLANNED):
        for k in range(len(values) - 1):
            robot.set_dof_values(values[k], arm.arm_indices, limits=LimitCheck.NONE)
            jacobian = arm.jacobian()
            turn = poses[k + 1][:3, :3] @ poses[k][:3, :3].T
            way = poses[k + 1][:3, 3] - poses[k][:3, 3]
            inverse = np.linalg.pinv(jacobian)
            wanted = inverse @ np.concatenate((way, rotation_vector(turn)))
            moved = inverse @ (jacobian @ (values[k + 1] - values[k]))
            sizes = np.linalg.norm(wanted) * np.linalg.norm(moved)
            if sizes > _STILL and wanted @ moved < math.cos(most) * sizes:
                return k + 1
    return len(values)


def _first_hit(
    arm: Manipulator, motion: TrajectoryBase, options: TrackerSettings, times: Array
) -> float | None:
    """Return the time of the arm's first collision, where that counts."""
    ignored = options.ignore_first_collision
    if ignored and not options.maintain_timing:
        # the same part of the path, at other times
        ignored *= motion.duration / max(float(times[-1]), 1e-9)
    count = int(motion.duration / _SAMPLE) + 2
    moments = np.linspace(0.0, motion.duration, count)
    moments = moments[moments >= ignored]
    if not len(moments):
        return None
    columns = slice(0, len(arm.arm_indices))
    with checks_of(arm.robot, arm.arm_indices) as collide:
        hits = collide(motion.sample_points(moments)[:, columns])
    return float(moments[np.argmax(hits)]) if hits.any() else None
