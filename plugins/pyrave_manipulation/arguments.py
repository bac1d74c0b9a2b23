"""Arguments of commands: numbers of texts and arrays of Python as the same arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

# annotations of commands are read when the program runs
from numpy.typing import ArrayLike

from pyrave.bodies import KinBody
from pyrave.errors import ArgumentError, shown
from pyrave.grasping import Grasp, GraspSet
from pyrave.ik import IkParameterization
from pyrave.interfaces.named_bodies import named_body
from pyrave.spatial import as_numbers, as_pose

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.spatial import Array

Vector = list[float] | ArrayLike
"""Numbers of a text, or an array."""
Numbers = Vector | None
"""Numbers of a text, an array, or None where they are left out."""
Words = list[str] | str | None
"""Words of a text, or a text."""
Target = list[str] | str | KinBody | None
"""A body or its name."""
Goal = list[str] | str | IkParameterization | ArrayLike | None
"""A goal of inverse kinematics, its text, or a pose."""
Goals = list[str] | str | Sequence[IkParameterization] | None
"""Goals of inverse kinematics, or their text."""
Grasps = list[float] | ArrayLike | GraspSet | Sequence[Grasp] | None
"""Grasps, or rows of a table."""

_MOST_WORDS = 200
"""Words of one goal in a text."""


def rows_of(given: ArrayLike, width: int, name: str) -> Array:
    """Return (n, width) numbers.

    Parameters
    ----------
    given
        (n, width), (width,) for one row, or flat as OpenRAVE's texts have them: how
        many rows, then their numbers.

    Raises
    ------
    ArgumentError
        Another number of numbers, none, or some are not finite.
    """
    numbers = as_numbers(given, name)
    if not np.isfinite(numbers).all():
        raise ArgumentError(f"{name} has numbers that are not finite")
    if numbers.ndim == 2 and numbers.shape[1] == width and numbers.size:
        return numbers
    if numbers.ndim == 1 and width:
        rows, rest = divmod(len(numbers) - 1, width)
        if rest == 0 and rows and numbers[0] == rows:
            return numbers[1:].reshape(rows, width)
        if len(numbers) and len(numbers) % width == 0:
            return numbers.reshape(-1, width)
    raise ArgumentError(
        f"{name} has the shape {numbers.shape}, expected (n, {width}); in a text how "
        f"many there are, then {width} numbers of each"
    )


def poses_of(given: Any, name: str) -> Array:
    """Return (n, 4, 4) poses.

    Parameters
    ----------
    given
        (n, 4, 4), (n, 3, 4), one of these without the first axis, (n, 7) or (7,)
        quaternions and positions. Flat, as in OpenRAVE's texts: how many, then of each
        7 numbers or the 12 of the first three rows of the matrix, column by column.
    """
    numbers = as_numbers(given, name)
    if numbers.ndim == 2 and numbers.shape in {(3, 4), (4, 4)}:
        numbers = numbers[None]
    if numbers.ndim == 3 and numbers.shape[1:] in {(3, 4), (4, 4)}:
        whole = np.tile(np.eye(4), (len(numbers), 1, 1))
        whole[:, : numbers.shape[1]] = numbers
        found = list(whole)
    elif numbers.ndim == 2 and numbers.shape[1] == 7:
        found = list(numbers)
    elif numbers.ndim == 1 and (flat := _flat_poses(numbers)) is not None:
        found = flat
    else:
        raise ArgumentError(
            f"{name} has the shape {numbers.shape}, expected poses (n, 4, 4) or "
            "(n, 7); in a text how many there are, then 7 numbers of each, or 12 of "
            "the matrix by columns"
        )
    if not found:
        raise ArgumentError(f"{name} is empty, expected poses")
    return np.array([as_pose(one, name) for one in found])


def _flat_poses(numbers: Array) -> list[Array] | None:
    """Return poses of a flat row of numbers, None if it is none."""
    count = len(numbers)
    for width in (7, 12):
        if count == width:
            return [_flat_pose(numbers)]
        rows, rest = divmod(count - 1, width)
        if rest == 0 and rows and numbers[0] == rows:
            return [_flat_pose(row) for row in numbers[1:].reshape(rows, width)]
    if count and count % 12 == 0:
        return [_flat_pose(row) for row in numbers.reshape(-1, 12)]
    return None


def _flat_pose(row: Array) -> Array:
    """Return a pose of its 7 numbers, or of 12 by columns."""
    if len(row) == 7:
        return row
    pose = np.eye(4)
    pose[:3] = row.reshape(4, 3).T
    return pose


def ik_goal(given: Any, name: str) -> IkParameterization:
    """Return a goal of inverse kinematics; texts are those of `serialize`."""
    if isinstance(given, IkParameterization):
        return given
    if isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given):
        given = " ".join(given)
    if isinstance(given, str):
        return IkParameterization.deserialize(given)
    try:
        return IkParameterization.transform_6d(poses_of(given, name)[0])
    except ArgumentError:
        raise ArgumentError(
            f"{name} is {shown(given)}, expected an IkParameterization, its text or a "
            "pose"
        ) from None


def ik_goals(given: Any, name: str) -> list[IkParameterization]:
    """Return goals of a list, or of OpenRAVE's text: how many, then each."""
    if isinstance(given, str):
        given = given.split()
    if not isinstance(given, (list, tuple)) or not given:
        raise ArgumentError(f"{name} is {shown(given)}, expected a list of goals")
    if not all(isinstance(one, str) for one in given) or " " in given[0].strip():
        return [ik_goal(one, name) for one in given]
    count, place = given[0], 1
    found = []
    while place < len(given):
        goal, taken = _first_goal(given[place : place + _MOST_WORDS], name)
        found.append(goal)
        place += taken
    if not count.isdecimal() or int(count) != len(found):
        raise ArgumentError(
            f"{name} begins with {count!r} and has {len(found)} goals, expected their "
            "number, then each"
        )
    return found


def _first_goal(words: Sequence[str], name: str) -> tuple[IkParameterization, int]:
    """Return the first goal of words, and how many of them it is."""
    for end in range(2, len(words) + 1):
        try:
            goal = IkParameterization.deserialize(" ".join(words[:end]))
        except ArgumentError:
            continue
        return goal, end
    raise ArgumentError(
        f"{name} has {' '.join(words)[:60]!r}, expected type codes with their numbers"
    )


def words_of(given: Any, name: str) -> list[str]:
    """Return the words of a text, or of a list; none of None."""
    if given is None or isinstance(given, str):
        return (given or "").split()
    if isinstance(given, (list, tuple)):
        return [str(one) for one in given]
    raise ArgumentError(f"{name} is {shown(given)}, expected words")


def joined_words(given: Words) -> str:
    """Return words of a text as one."""
    if given is None:
        return ""
    return given if isinstance(given, str) else " ".join(given)


def body_of(env: Environment, given: Any) -> KinBody:
    """Return the body that a command names, or is given."""
    if given is None:
        raise ArgumentError("there is no target: give a body or its name")
    name = " ".join(map(str, given)) if isinstance(given, (list, tuple)) else given
    found = named_body(env, name)
    if not isinstance(found, KinBody):
        raise ArgumentError(f"the target is {shown(given)}, expected a body or a name")
    return found


def pose_of(matrix: Numbers, pose: Numbers, name: str) -> Array | None:
    """Return the pose of one of two arguments; None without any."""
    if matrix is not None and pose is not None:
        raise ArgumentError(f"{name}matrix and {name}pose are both given, expected one")
    if matrix is None and pose is None:
        return None
    given, kind = (pose, "pose") if matrix is None else (matrix, "matrix")
    return np.asarray(poses_of(given, f"{name}{kind}")[0])
