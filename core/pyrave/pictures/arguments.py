"""Arguments of pictures as layers to be painted over them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.trajectory import as_trajectory
from pyrave.pictures.layers import Frames, Regions, Way, cloud_of
from pyrave.sensing.data import LaserData, SensorData
from pyrave.sensing.data_checks import shape_problem
from pyrave.sensing.export import points_of
from pyrave.spatial import Array, as_pose, as_rows, invert_pose

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment import Environment
    from pyrave.pictures.layers import Layer
    from pyrave.trajectories.specification import ConfigurationSpecification

_SAMPLES = 200


def layers_of(
    env: Environment,
    *,
    scans: Any = None,
    regions: Any = None,
    frames: Any = None,
    trajectory: Any = None,
) -> list[Layer]:
    """Return layers, see `Environment.picture` for what may be given.

    Raises
    ------
    ArgumentError
        Something else is given; a trajectory moves no body of the environment.
    """
    layers: list[Layer] = []
    if regions is not None:
        found = _listed(regions, _is_polygon)
        layers.append(Regions([_polygon(one) for one in found]))
    for one in _listed(trajectory, _is_one):
        layers += ways_of(env, one)
    if scans is not None:
        measured: list[LaserData] = []
        points: list[Array] = []
        for one in _listed(scans, _is_scan):
            problem = shape_problem(one) if isinstance(one, SensorData) else None
            if problem is not None:
                raise ArgumentError(f"scans cannot be drawn: {problem}")
            if isinstance(one, LaserData):
                measured.append(one)
            elif isinstance(one, SensorData):
                points.append(points_of(one))
            else:
                points.append(_points(one))
        layers.append(cloud_of(measured, np.concatenate(points) if points else None))
    if frames is not None:
        poses = [frame_of(one) for one in _listed(frames, _is_frame)]
        layers.append(Frames(np.array(poses).reshape(-1, 4, 4)))
    return layers


def _listed(value: Any, is_one: Callable[[Any], bool]) -> list[Any]:
    """Return one item or several as a list."""
    if value is None:
        return []
    if is_one(value) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def _is_one(value: Any) -> bool:
    return not isinstance(value, (list, tuple))


def _is_scan(value: Any) -> bool:
    return isinstance(value, SensorData) or getattr(value, "ndim", 0) == 2


def _points(value: Any) -> Array:
    try:
        return as_rows(value, (3,), "points")
    except ArgumentError as error:
        raise ArgumentError(
            f"scans has {shown(value)}, expected measurements or points (n, 3): {error}"
        ) from error


def _is_polygon(value: Any) -> bool:
    return hasattr(value, "points") or getattr(value, "ndim", 0) == 2


def _polygon(value: Any) -> Array:
    try:
        return as_rows(getattr(value, "points", value), (3,), "region")
    except ArgumentError as error:
        raise ArgumentError(
            f"regions has {shown(value)}, expected corners (n, 3) or what has them as "
            f"`points`: {error}"
        ) from error


def _is_frame(value: Any) -> bool:
    return hasattr(value, "transform") or getattr(value, "ndim", 0) == 2


def frame_of(value: Any) -> Array:
    """Return a pose of what is one or has one as ``transform``.

    Raises
    ------
    ArgumentError
        It is neither.
    """
    try:
        return as_pose(getattr(value, "transform", value), "frame")
    except ArgumentError as error:
        raise ArgumentError(
            f"frames has {shown(value)}, expected a pose or what has one as "
            f"`transform`, as links and manipulators do: {error}"
        ) from error


def ways_of(env: Environment, given: Any) -> list[Way]:
    """Return the way of each body that a trajectory or plan moves.

    Raises
    ------
    ArgumentError
        It is something else, or moves no body of the environment.
    """
    trajectory = as_trajectory(given)
    spec = trajectory.spec
    names = dict.fromkeys(one.body_name for one in spec.groups if one.body_name)
    found = [body for name in names if (body := env.bodies.get(name)) is not None]
    if not found:
        raise ArgumentError(
            f"the trajectory is about {', '.join(names) or 'no body'}, the environment "
            f"has {', '.join(env.bodies.names) or 'no bodies'}"
        )
    if spec.find_compatible_group("deltatime") is None:
        rows = trajectory.get_waypoints()
    else:
        times = np.linspace(0.0, trajectory.duration, _SAMPLES)
        rows = trajectory.sample_points(times)
    return [Way(_way(body, spec, rows)) for body in found]


def _way(body: KinBody, spec: ConfigurationSpecification, rows: Array) -> Array:
    """Return the points (m, 3) that the tool of a body passes.

    It is that of the manipulator with most of the joints, the active one before
    others, or the last link of a body without one.
    """
    values = spec.extract_joint_values(
        rows, body, range(body.dof), default=body.dof_values
    )
    if values is None:
        values = np.tile(body.dof_values, (len(rows), 1))
    link, tool = _tool(body, spec.extract_used_indices(body)[0])
    poses = body.compute_link_transforms(values)[:, link] @ tool
    base = spec.extract_transform(rows, body, body.transform)
    if base is not None:
        poses = base @ invert_pose(body.transform) @ poses
    return np.asarray(poses[:, :3, 3])


def _tool(body: KinBody, used: Any) -> tuple[int, Array]:
    """Return the index of a link and a pose in it, T_link_tool."""
    robot: Any = body
    arms = list(robot.manipulators) if body.is_robot else []
    active = robot.active_manipulator if arms else None
    arms.sort(key=lambda arm: arm is not active)
    moved = [len(np.intersect1d(arm.arm_indices, used)) for arm in arms]
    if not any(moved) and not (arms and not len(used)):
        return len(body.links) - 1, np.eye(4)
    arm = arms[int(np.argmax(moved))]
    return arm.end_effector.index, arm.local_tool_transform
