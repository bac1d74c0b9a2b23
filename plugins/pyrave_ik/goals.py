"""Tasks as loops: what a task leaves free is a virtual joint behind the tool.

A tool at T meets a task where ``T V(v) = G`` for some values v of the virtual joints V;
G is any pose that meets the task. With the arm in front, six joints close a loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import IkParameterizationType as Kind
from pyrave.spatial import Array, matrix_from_quat, quat_rotate_direction

if TYPE_CHECKING:
    from pyrave.interfaces import IkParameterization

__all__ = ["Task", "task_of"]

_ORIGIN = np.zeros(3)
_EYE = np.eye(3)


@dataclass(frozen=True, eq=False)
class Task:
    """One goal as a loop's end.

    Parameters
    ----------
    virtual
        (k, 7) screws in the tool frame: axis, point on it, 1 for sliding.
    names
        k names that say what is free.
    goal
        (4, 4) T_base_tool that the loop must close to, in the frame of the target.
    wanted_direction
        (3,) in the target's frame: the tool's direction must agree with it beyond what
        the loop asks, None if nothing more is asked.
    """

    virtual: Array
    names: tuple[str, ...]
    goal: Array
    wanted_direction: Array | None = None


def _turn(axis: Array, point: Array = _ORIGIN) -> Array:
    return np.concatenate([axis, point, [0.0]])


def _slide(axis: Array) -> Array:
    return np.concatenate([axis, _ORIGIN, [1.0]])


def _balls(point: Array) -> list[Array]:
    return [_turn(axis, point) for axis in _EYE]


_BALL = ("roll", "pitch", "yaw")
_SLIDES = ("x", "y", "z")


def task_of(goal: IkParameterization, direction: Array) -> Task:
    """Return the loop's end for a goal given in the arm's base frame.

    Parameters
    ----------
    direction
        (3,) the tool's direction in the tool frame.

    Raises
    ------
    NotSupportedError
        The goal is a velocity.
    """
    kind = goal.type
    v = goal.array
    if kind.is_velocity:
        raise NotSupportedError(
            f"{kind.name} is a velocity; joint velocities follow from the Jacobian"
        )
    name = kind.name
    if name.endswith("Norm4D"):
        return _axis_angle(v, name, direction, in_plane=True)
    if name.endswith("AxisAngle4D"):
        return _axis_angle(v, name, direction, in_plane=False)
    rows: list[Array]
    names: tuple[str, ...]
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
        case Kind.Lookat3D:
            rows, names = [_slide(direction), *_balls(_ORIGIN)], ("range", *_BALL)
            pose[:3, 3] = v
        case Kind.TranslationDirection5D:
            rows, names = [_turn(direction)], ("roll",)
            pose[:3, :3] = _rotation_to(direction, v[:3])
            pose[:3, 3] = v[3:]
        case Kind.TranslationXY2D:
            rows, names = [*_balls(_ORIGIN), _slide(_EYE[2])], (*_BALL, "z")
            pose[:2, 3] = v
        case Kind.TranslationXYOrientation3D:
            rows = [_turn(_EYE[0]), _turn(_EYE[1]), _slide(_EYE[2])]
            names = ("roll", "pitch", "z")
            c, s = np.cos(v[2]), np.sin(v[2])
            pose[:2, :2] = ((c, -s), (s, c))
            pose[:2, 3] = v[:2]
        case _:
            raise NotSupportedError(f"{name} is not a task of one arm")
    return Task(np.array(rows).reshape(-1, 7), names, pose)


def _rotation_to(direction: Array, wanted: Array) -> Array:
    """Return some rotation that takes the tool's direction to the wanted one."""
    return matrix_from_quat(quat_rotate_direction(direction, wanted))


def _axis_angle(values: Array, name: str, direction: Array, *, in_plane: bool) -> Task:
    """Return the task of a position and an angle between direction and base axis."""
    axis = "XYZ".index(name[len("Translation")])
    angle, position = values[0], values[1:]
    other = _EYE[(axis + 1) % 3]
    wanted = np.cos(angle) * _EYE[axis] + np.sin(angle) * other
    pose = np.eye(4)
    pose[:3, :3] = _rotation_to(direction, wanted)
    pose[:3, 3] = position
    about = pose[:3, :3].T @ _EYE[axis]
    return Task(
        np.array([_turn(direction), _turn(about)]),
        ("roll", "around the axis"),
        pose,
        wanted if in_plane else None,
    )
