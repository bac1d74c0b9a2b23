"""A picture of a planned motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.cli.picture import draw, scene_camera

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces import TrajectoryBase
    from pyrave.scene import SceneDescription
    from pyrave.spatial import Array

_SIZE = (960, 720)
_SAMPLES = 200
_WAY = (0.98, 0.55, 0.05)
_START, _END = (0.1, 0.65, 0.2), (0.85, 0.1, 0.1)
_EDGE = (0.1, 0.1, 0.1)


def draw_plan(
    env: Environment,
    scene: SceneDescription | None,
    mover: Robot | Manipulator,
    trajectory: TrajectoryBase,
) -> NDArray[np.uint8]:
    """Return a picture of the robot at the end of a trajectory, with the way it takes.

    The line is the way of the tool, or of the robot's last link without one; it is
    drawn over what hides it. The start is green, the end red.

    Returns
    -------
    ndarray
        (720, 960, 3) uint8.
    """
    from pyrave.geometry import overlay_points, overlay_segments

    camera = scene_camera(env, scene, *_SIZE)
    with env.preserve_state():
        way = _way(mover, trajectory)
        image = draw(env, camera)
    segments = np.stack((way[:-1], way[1:]), axis=1)
    for colour, wider in ((_EDGE, 2.0), (_WAY, 0.0)):
        image = overlay_segments(
            image, camera, segments, colour, width=3.0 + wider, opacity=1.0
        )
    for colours, radius in (((_EDGE, _EDGE), 7.0), ((_START, _END), 5.5)):
        image = overlay_points(
            image, camera, way[[0, -1]], np.array(colours), radius=radius
        )
    return image


def _way(mover: Robot | Manipulator, trajectory: TrajectoryBase) -> Array:
    """Return the points (m, 3) that a tool passes; the robot is at the end then."""
    from pyrave.bodies import Robot
    from pyrave.kinematics import LimitCheck

    robot = mover if isinstance(mover, Robot) else mover.robot
    points, spec = [], trajectory.spec
    base = spec.find_compatible_group(f"affine_transform {robot.name} 39")
    for time in np.linspace(0.0, trajectory.duration, _SAMPLES):
        row = trajectory.sample(time)
        if base is not None:
            pose = spec.extract_transform(row, robot, robot.transform)
            robot.transform = robot.transform if pose is None else pose
        values = spec.extract_joint_values(
            row, robot, range(robot.dof), default=robot.dof_values
        )
        if values is not None:
            robot.set_dof_values(values, limits=LimitCheck.NONE)
        tool = robot.links[-1].transform if mover is robot else mover.transform
        points.append(tool[:3, 3])
    return np.array(points)
