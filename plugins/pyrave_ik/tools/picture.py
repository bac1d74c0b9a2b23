"""A picture of an arm where `pyrave ik` has put it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.ik import IkParameterizationType
from pyrave.spatial import pose_from_wxyz_xyz
from pyrave.trajectories import ConfigurationSpecification

if TYPE_CHECKING:
    from pathlib import Path

    from pyrave import Environment
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization
    from pyrave.interfaces import TrajectoryBase
    from pyrave.pictures import Viewpoint
    from pyrave.spatial import Array


def draw_arm(
    env: Environment,
    hand: Manipulator,
    goal: IkParameterization | None,
    path: Array | None,
    target: Path,
    view: Viewpoint,
) -> None:
    """Write a picture of an arm, with the frames of its tool and of its goal.

    Parameters
    ----------
    goal
        The arm is drawn at the solution that is nearest to where it is, if any.
    path
        (n, n_arm) values of a joint path, of which the way of the tool is drawn, and
        the arm at its end; wins over the goal.
    view
        Where it is taken from.
    """
    frames: list[Any] = [hand]
    if goal is not None and goal.type is IkParameterizationType.Transform6D:
        frames.append(pose_from_wxyz_xyz(goal.values))
    way = None
    if path is not None and len(path):
        way = _trajectory(env, hand, path)
        hand.arm_dof_values = path[-1]
    elif goal is not None:
        found = hand.solve_ik(goal)
        if found is not None:
            hand.arm_dof_values = found
    env.picture(target, frames=frames, trajectory=way, **vars(view))


def _trajectory(env: Environment, hand: Manipulator, path: Array) -> TrajectoryBase:
    joints = " ".join(map(str, hand.arm_indices))
    spec = ConfigurationSpecification().add_group(
        f"joint_values {hand.robot.name} {joints}", path.shape[1], "linear"
    )
    trajectory = env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, path)
    return trajectory
