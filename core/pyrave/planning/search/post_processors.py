"""Planners that improve the path of another one."""

from __future__ import annotations

import copy
from contextlib import nullcontext
from typing import TYPE_CHECKING

from pyrave.errors import Error
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces import PlannerParameters, TrajectoryBase


def post_process(
    env: Environment,
    robot: Robot | None,
    parameters: PlannerParameters,
    trajectory: TrajectoryBase,
) -> str:
    """Let the planners of ``parameters.post_processing`` change a path one by one.

    Each is an id and the text inside of a ``<PlannerParameters>`` element, which may
    name a next one. It gets the parameters of the search with what its text says.

    Parameters
    ----------
    trajectory
        A path of the specification of the parameters; changed in place.

    Returns
    -------
    Why one of them failed; empty if all went well.
    """
    for planner_id, text in parameters.post_processing:
        own = copy.copy(parameters)
        own.post_processing, own.max_iterations, own.extra = (), 0, {}
        try:
            own.read_xml(f"<PlannerParameters>{text}</PlannerParameters>")
            # a planner that searches would do it, too
            later, own.post_processing = own.post_processing, ()
            planner = env.create("planner", planner_id)
            with (
                nullcontext()
                if robot is None
                else robot.preserve_state(StateParts.PLANNED)
            ):
                status = planner.init_plan(robot, own)
                if status:
                    status = planner.plan_path(trajectory)
        except Error as error:
            return f"post-processing by {planner_id!r} failed: {error}"
        if not status:
            return f"post-processing by {planner_id!r} failed: {status.cause}"
        own.post_processing = later
        failed = post_process(env, robot, own, trajectory)
        if failed:
            return failed
    return ""
