"""Lines of the hand by planners that track a trajectory in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.ik import IkParameterization
from pyrave.interfaces import PlannerParameters
from pyrave.spatial import as_direction
from pyrave.trajectories import ConfigurationSpecification
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array


def tracked_line(
    arm: Manipulator,
    direction: Array,
    at_least: float,
    at_most: float,
    planner: str,
    **settings: Any,
) -> tuple[TrajectoryBase | None, str, Array]:
    """Return a line of the hand by a planner, why there is none, and its values.

    The planner gets a trajectory of the hand at a metre a second.

    Parameters
    ----------
    direction
        (3,) in the world.
    at_least, at_most
        Metres.
    planner
        Id of a planner with the settings of WorkspaceTrajectoryTracker.
    **settings
        Of the planner; None: as it has them.
    """
    robot, env = arm.robot, arm.robot.env
    way = as_direction(direction, "direction")
    kind = IkParameterization.transform_6d(arm.transform).type
    spec = ConfigurationSpecification().add_group(
        f"ikparam_values {int(kind)}", kind.n_values, "linear"
    )
    line = env.create("trajectory", "")
    line.init(spec.add_delta_time_group())
    for distance in (0.0, at_most):
        pose = arm.transform
        pose[:3, 3] += distance * way
        goal = IkParameterization.transform_6d(pose)
        line.insert(len(line), [*goal.array, distance])
    made = env.create(
        "planner",
        planner,
        workspace_trajectory=line.to_xml(17),
        minimum_complete_time=at_least,
        **{name: value for name, value in settings.items() if value is not None},
    )
    timed = env.create("trajectory", "")
    with robot.preserve_state(StateParts.PLANNED):
        robot.set_active_dofs(arm.arm_indices)
        parameters = PlannerParameters()
        parameters.set_robot_active_joints(robot)
        status = made.init_plan(robot, parameters)
        if status:
            status = made.plan_path(timed)
    if not status:
        return None, status.cause, np.zeros((0, len(arm.arm_indices)))
    values = timed.spec.extract_joint_values(
        timed.waypoints, robot, np.sort(arm.arm_indices)
    )
    order = np.argsort(np.argsort(arm.arm_indices))
    assert values is not None  # noqa: S101 - the tracker gives joint values
    return timed, "", np.asarray(values)[:, order]
