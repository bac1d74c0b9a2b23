"""Tasks as loops: each freedom of a task is a virtual joint behind the tool.

A tool at T meets a task where ``T V(v) = G`` for some values v of the virtual joints V;
G is any pose that meets the task. With the arm in front, six joints close a loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik import IkParameterization
from pyrave.ik import IkParameterizationType as Kind
from pyrave.spatial import (
    Array,
    as_pose,
    matrix_from_quat,
    quat_from_matrix,
    quat_rotate_direction,
)

ANY, FRONT, POSITIVE, NONE_AT_ALL = range(4)
"""Values of `Task.sides`; the kernels of `solve` know the numbers."""

_ORIGIN = np.zeros(3)
_EYE = np.eye(3)
_POSE = np.eye(4)


@dataclass(frozen=True, eq=False)
class Task:
    """One goal as a loop's end.

    Parameters
    ----------
    virtual
        (k, 7) screws in the tool frame: axis, point on it, 1 for sliding.
    names
        k names of the freedoms.
    goal
        (4, 4) T_base_tool that the loop must close to, in the frame of the target.
    sides
        (k,) what must hold of the virtual joints' values beyond that the loop closes:
        nothing (`ANY`), a positive cosine (`FRONT`), more than zero (`POSITIVE`), or
        a whole turn or no slide (`NONE_AT_ALL`).
    """

    virtual: Array
    names: tuple[str, ...]
    goal: Array
    sides: tuple[int, ...]


def _turn(axis: Array, point: Array = _ORIGIN) -> Array:
    return np.concatenate([axis, point, [0.0]])


def _slide(axis: Array) -> Array:
    return np.concatenate([axis, _ORIGIN, [1.0]])


def _balls(point: Array) -> list[Array]:
    return [_turn(axis, point) for axis in _EYE]


_BALL = ("roll", "pitch", "yaw")
_SLIDES = ("x", "y", "z")


def turn_about_z(rotation: Array) -> float:
    """Return the twist about z of a rotation, without its swing."""
    quat = quat_from_matrix(rotation)
    return 2.0 * math.atan2(float(quat[3]), float(quat[0]))


def task_of(
    goal: IkParameterization,
    direction: Array,
    home: Array = _POSE,
    *,
    planar: bool = False,
) -> Task:
    """Return the loop's end for a goal given in the arm's base frame.

    Parameters
    ----------
    direction
        (3,) the tool's direction in the tool frame.
    home
        (4, 4) any T_base_tool of the arm. A planar arm turns it about z, nothing else.
    planar
        Whether the arm is planar.

    Raises
    ------
    NotSupportedError
        The goal is a velocity.
    """
    kind = goal.type
    v = goal.array
    if kind.is_velocity:
        raise NotSupportedError(
            f"{kind.name} is a velocity: joint velocities follow at a configuration"
        )
    name = kind.name
    if name.endswith("Norm4D"):
        return _axis_angle(v, name, direction, in_plane=True)
    if name.endswith("AxisAngle4D"):
        return _axis_angle(v, name, direction, in_plane=False)
    rows: list[Array]
    names: tuple[str, ...]
    sides: tuple[int, ...] = ()
    pose = np.eye(4)
    match kind:
        case Kind.Transform6D:
            rows, names = [], ()
            pose[:3, :3] = matrix_from_quat(v[:4])
            pose[:3, 3] = v[4:]
        case Kind.Rotation3D:
            rows, names = [_slide(axis) for axis in _EYE], _SLIDES
            pose[:3, :3] = matrix_from_quat(v)
        case Kind.Translation3D:
            rows, names = _balls(_ORIGIN), _BALL
            pose[:3, 3] = v
        case Kind.TranslationLocalGlobal6D:
            rows, names = _balls(v[:3]), _BALL
            pose[:3, 3] = v[3:] - v[:3]
        case Kind.Direction3D:
            rows = [_turn(direction), *(_slide(axis) for axis in _EYE)]
            names = ("roll", *_SLIDES)
            pose[:3, :3] = _rotation_to(direction, v)
        case Kind.Ray4D:
            rows, names = [_turn(direction), _slide(direction)], ("roll", "advance")
            pose[:3, :3] = _rotation_to(direction, v[:3])
            pose[:3, 3] = v[3:]
        case Kind.Lookat3D if planar:
            x, y, z = home[:3, :3]
            rows = [_slide(direction), _turn(z), _turn(x), _turn(y), _slide(z)]
            names = ("range", "yaw", "roll", "pitch", "z")
            sides = (POSITIVE, ANY, NONE_AT_ALL, NONE_AT_ALL, NONE_AT_ALL)
            pose[:3, :3] = home[:3, :3]
            pose[:3, 3] = v
        case Kind.Lookat3D:
            rows, names = [_slide(direction), *_balls(_ORIGIN)], ("range", *_BALL)
            sides = (POSITIVE, ANY, ANY, ANY)
            pose[:3, 3] = v
        case Kind.TranslationDirection5D:
            rows, names = [_turn(direction)], ("roll",)
            pose[:3, :3] = _rotation_to(direction, v[:3])
            pose[:3, 3] = v[3:]
        case Kind.TranslationXY2D if not planar:
            rows, names = [*_balls(_ORIGIN), _slide(_EYE[2])], (*_BALL, "z")
            pose[:2, 3] = v
        case Kind.TranslationXY2D | Kind.TranslationXYOrientation3D:
            turn = v[2] - turn_about_z(home[:3, :3]) if len(v) == 3 else 0.0
            c, s = math.cos(turn), math.sin(turn)
            pose[:2, :2] = ((c, -s), (s, c))
            pose[:3, :3] = pose[:3, :3] @ home[:3, :3]
            pose[:2, 3] = v[:2]
            x, y, z = pose[:3, :3]
            rows, names = [_turn(x), _turn(y), _slide(z)], ("roll", "pitch", "z")
            sides = (NONE_AT_ALL, NONE_AT_ALL, ANY)
            if kind is Kind.TranslationXY2D:
                rows, names = [_turn(z), *rows], ("yaw", *names)
                sides = (ANY, *sides)
        case _:
            raise NotSupportedError(f"{name} is not a task of one arm")
    return Task(
        np.array(rows).reshape(-1, 7), names, pose, sides or (ANY,) * len(names)
    )


def _rotation_to(direction: Array, wanted: Array) -> Array:
    """Return some rotation that takes the tool's direction to the wanted one."""
    return matrix_from_quat(quat_rotate_direction(direction, wanted))


def _axis_angle(values: Array, name: str, direction: Array, *, in_plane: bool) -> Task:
    """Return the task of a position and an angle of the tool's direction.

    The angle to a base axis; or `in_plane` that of the direction's shadow in a base
    plane, from the axis.
    """
    axis = "XYZ".index(name[len("Translation")])
    angle, position = values[0], values[1:]
    other = _EYE[(axis + 1) % 3]
    wanted = np.cos(angle) * _EYE[axis] + np.sin(angle) * other
    pose = np.eye(4)
    pose[:3, :3] = _rotation_to(direction, wanted)
    pose[:3, 3] = position
    if in_plane:  # up and down, not over the top
        about = np.cross(_EYE[(axis + 2) % 3], wanted)
        name, side = "elevation", FRONT
    else:
        about = _EYE[axis]
        name, side = "around the axis", ANY
    rows = [_turn(direction), _turn(pose[:3, :3].T @ about)]
    return Task(np.array(rows), ("roll", name), pose, (ANY, side))


def checked(target: IkParameterization | Array) -> IkParameterization | Array:
    """Return a goal as such, or a copy of a pose (4, 4) that is rigid.

    Raises
    ------
    ArgumentError
        It is neither.
    """
    if isinstance(target, IkParameterization):
        return target
    return as_pose(target, "target")


def pose_of(goal: IkParameterization) -> Array:
    """Return T_world_tool (4, 4) of a goal that is a pose."""
    values = goal.array
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_quat(values[:4])
    pose[:3, 3] = values[4:]
    return pose
