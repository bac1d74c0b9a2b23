"""Rotations, poses and twists as plain numpy functions.

Poses are (4, 4) float64 row-major arrays T_a_b that map coordinates in b to a, in
metres. Quaternions are ``w x y z``. A pose may also be given as the 7-vector
``qw qx qy qz x y z``. Formulas: Lynch & Park, Modern Robotics (2017), chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave._rigidity import ROUNDING, is_rigid, rigid_error
from pyrave.errors import ArgumentError, shown

__all__ = [
    "Array",
    "Indices",
    "IndicesLike",
    "as_array",
    "as_direction",
    "as_indices",
    "as_number",
    "as_numbers",
    "as_pose",
    "as_poses",
    "as_rows",
    "as_vector",
    "compose",
    "invert_pose",
    "look_at",
    "matrix_from_axis_angle",
    "matrix_from_quat",
    "matrix_from_rpy",
    "nearest_rotations",
    "nearest_turn",
    "pose_distance",
    "pose_from_axis_angle",
    "pose_from_rpy",
    "pose_from_wxyz_xyz",
    "quat_from_axis_angle",
    "quat_from_matrix",
    "quat_multiply",
    "quat_rotate_direction",
    "quat_slerp",
    "quat_squad",
    "rotation_vector",
    "rpy_from_matrix",
    "skew",
    "transform_points",
    "wxyz_xyz_from_pose",
]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
"""Indices as the public API returns them: a read-only vector that indexes arrays."""
IndicesLike = Sequence[int] | NDArray[np.integer[Any]]
"""Indices as the public API takes them: a list, tuple, range or integer array."""

QUATERNION_TOLERANCE = 1e-3
"""Permitted deviation of a given quaternion's length from 1."""
_ROTATION_TOLERANCE = 1e-4
_REAL_KINDS = frozenset("fiub")
"""Kinds of numpy types that are real numbers: floats, integers and booleans."""
_SHORT = 100
"""Vectors up to this length are faster looked at as plain numbers."""


def as_number(
    value: Any, name: str, least: float = -math.inf, most: float = math.inf
) -> float:
    """Return a finite number from `least` to `most`, or raise an ArgumentError.

    Texts are no numbers.
    """
    try:
        fits = math.isfinite(value) and bool(least <= value <= most)
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        kind = "finite number" if most == math.inf else "number"
        kind += f" >= {least:g}" if least > -math.inf else ""
        kind += f" and <= {most:g}" if most < math.inf else ""
        raise ArgumentError(f"{name} is {shown(value)}, expected a {kind}")
    return float(value)


def as_numbers(value: ArrayLike, name: str) -> Array:
    """Return `value` as a float64 array of any shape, or raise an ArgumentError.

    Complex numbers, texts and dates are refused.
    """
    return _real(value, f"{name} is not an array of numbers")


def _real(value: Any, refusal: str) -> Array:
    """Return real numbers as a float64 array, `value` itself where it is one."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and not any(
            one is None or isinstance(one, (str, bytes, complex)) for one in array.flat
        ):
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"{refusal}: {shown(value)}") from error
    kind = array.dtype.kind
    if kind not in _REAL_KINDS:
        what = "complex numbers: " if kind == "c" else ""
        raise ArgumentError(f"{refusal}: {what}{shown(value)}")
    return array.astype(np.float64, copy=False)


def as_ndarray(value: Any, name: str) -> NDArray[Any]:
    """Return `value` as an array of its own type; ArgumentError if it has no shape."""
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is not an array: {shown(value)}") from error


def _square(value: ArrayLike, size: int, name: str) -> Array:
    """Return a square matrix of numbers; whether it is a pose is not looked at."""
    matrix = as_numbers(value, name)
    if matrix.shape != (size, size):
        raise ArgumentError(
            f"{name} has shape {matrix.shape}, expected ({size}, {size})"
        )
    return matrix


def as_array(value: ArrayLike, shape: tuple[int | None, ...], name: str) -> Array:
    """Return `value` as a finite float64 array, or raise an ArgumentError.

    Parameters
    ----------
    shape
        Required shape, None for any number.
    name
        Argument name for the message.
    """
    array = as_numbers(value, name)
    if not _fits(array.shape, shape):
        wanted = ", ".join("n" if size is None else str(size) for size in shape)
        raise ArgumentError(f"{name} has shape {array.shape}, expected ({wanted})")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} has values that are not finite")
    return array


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    if len(shape) != len(wanted):
        return False
    for size, expected in zip(shape, wanted, strict=True):
        if expected is not None and size != expected:
            return False
    return True


def as_rows(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return `value` as rows of some shape, float64, which may hold nan; or none.

    Parameters
    ----------
    shape
        Of one row; there may be any number of dimensions before it.
    name
        Argument name for the message, a plural.
    """
    array = as_numbers(value, name)
    if array.size and array.shape[-len(shape) :] != shape:
        wanted = ", ".join(map(str, shape))
        raise ArgumentError(f"{name} have shape {array.shape}, expected (n, {wanted})")
    return array.reshape(-1, *shape)


def as_indices(value: IndicesLike, name: str) -> Indices:
    """Return a read-only int64 vector of indices, or raise an ArgumentError.

    Booleans are refused: a mask is no list of indices. So are floating-point numbers.

    Parameters
    ----------
    name
        Argument name for the message, a plural.
    """
    array: Any = value
    if not isinstance(value, np.ndarray):
        try:
            array = np.array(value if isinstance(value, list) else [*value])
        except (TypeError, ValueError, OverflowError):
            array = np.array(None)
        if not array.size and array.ndim == 1:
            array = np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        hint = "; np.flatnonzero(mask) turns a mask into indices"
        raise ArgumentError(
            f"{name} are {shown(value)}, expected integers in one dimension"
            + (hint if array.dtype.kind == "b" else "")
        )
    if array.dtype != np.int64 or array.flags.writeable:
        array = array.astype(np.int64)
        array.flags.writeable = False
    return array  # type: ignore[no-any-return]


def as_vector(value: ArrayLike, size: int | None, name: str) -> Array:
    """Return `value` as a finite float64 vector, or raise an ArgumentError.

    Parameters
    ----------
    size
        Required length, or None for any.
    name
        Argument name for the message.
    """
    array: Array = value  # type: ignore[assignment]
    if type(value) is not np.ndarray or value.dtype != np.float64:
        array = _real(value, f"{name} is not a vector of numbers")
    if array.ndim != 1 or (size is not None and array.shape[0] != size):
        wanted = "any length" if size is None else f"length {size}"
        raise ArgumentError(f"{name} has shape {array.shape}, expected {wanted}")
    # the sum is the cheaper test; it may overflow, hence the second one
    is_short = array.shape[0] <= _SHORT
    is_finite = is_short and math.isfinite(sum(array.tolist()))
    if not is_finite and not np.isfinite(array).all():
        raise ArgumentError(f"{name} has values that are not finite: {array}")
    return array


def as_direction(value: ArrayLike, name: str) -> Array:
    """Return a vector (3,) of any length above 0 as a unit vector.

    Or raise an ArgumentError.

    Parameters
    ----------
    name
        Argument name for the message.
    """
    way = as_vector(value, 3, name)
    largest = max(map(abs, way.tolist()))
    if not largest > 0.0:
        raise ArgumentError(f"{name} is {way.tolist()}, expected a direction")
    way = way / largest  # squares of very long and short ones are no numbers
    return np.asarray(way / math.sqrt(way @ way))


def as_pose(value: Any, name: str = "pose") -> Array:
    """Return a new (4, 4) pose from a matrix, a 7-vector or a description's Pose.

    A matrix that is a rotation up to rounding is kept to the last bit. One that was
    rounded to a few digits becomes the nearest rotation, so that products of poses stay
    poses.

    Raises
    ------
    ArgumentError
        Wrong shape, not finite, or the rotation part is not a rotation to 1e-4.
    """
    if (
        type(value) is np.ndarray
        and value.shape == (4, 4)
        and value.dtype == np.float64
        and is_rigid(value.tolist())
    ):
        return value.copy()
    matrix = getattr(value, "matrix", None)
    given = matrix if isinstance(matrix, np.ndarray) else value
    array = np.array(_real(given, f"{name} is not a pose"), order="C")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} has values that are not finite")
    if array.shape == (7,):
        _require_unit(array[:4], f"the quaternion of {name}")
        return pose_from_wxyz_xyz(array)
    if array.shape != (4, 4):
        raise ArgumentError(
            f"{name} has shape {array.shape}, expected (4, 4), or (7,) as "
            "qw qx qy qz x y z"
        )
    off = rigid_error(array.tolist())
    if off > ROUNDING:
        if off > _ROTATION_TOLERANCE:
            raise ArgumentError(f"{name} is not a rigid transform: {array.tolist()}")
        array[:3, :3] = nearest_rotations(array[:3, :3])
        array[3] = (0.0, 0.0, 0.0, 1.0)
    return array


def as_poses(value: ArrayLike, name: str) -> Array:
    """Return new (n, 4, 4) poses from matrices or from (n, 7) rows, as `as_pose`."""
    array = np.array(_real(value, f"{name} are not poses"), order="C")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} have values that are not finite")
    if array.ndim == 2 and array.shape[1] == 7:
        with np.errstate(over="ignore"):
            length = np.sqrt((array[:, :4] ** 2).sum(axis=1))
        off = np.abs(length - 1.0) > QUATERNION_TOLERANCE
        if off.any():
            row = int(np.argmax(off))
            _require_unit(array[row, :4], f"the quaternion of {name}[{row}]")
        w, x, y, z = (array[:, :4] / length[:, None]).T
        poses = np.zeros((len(array), 4, 4))
        poses[:, 0, :3] = np.transpose(
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
        )
        poses[:, 1, :3] = np.transpose(
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))
        )
        poses[:, 2, :3] = np.transpose(
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
        )
        poses[:, :3, 3] = array[:, 4:]
        poses[:, 3, 3] = 1.0
        return poses
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise ArgumentError(
            f"{name} have shape {array.shape}, expected (n, 4, 4), or (n, 7) as "
            "qw qx qy qz x y z"
        )
    rotations = array[:, :3, :3]
    off = np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max(
        axis=(1, 2), initial=0.0
    )
    off = np.maximum(off, np.abs(array[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1))
    wrong = (off > _ROTATION_TOLERANCE) | (np.linalg.det(rotations) <= 0.0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ArgumentError(
            f"{name}[{row}] is not a rigid transform: {array[row].tolist()}"
        )
    rounded = off > ROUNDING
    if rounded.any():
        array[rounded, :3, :3] = nearest_rotations(rotations[rounded])
        array[rounded, 3] = (0.0, 0.0, 0.0, 1.0)
    return array


def nearest_rotations(matrices: Array) -> Array:
    """Return the (..., 3, 3) rotations nearest to matrices that are nearly rotations.

    The orthogonal polar factor by the iteration of Newton and Schulz (Higham, Functions
    of Matrices, 2008, chapter 8). It squares the error each time: three times are
    enough for `_ROTATION_TOLERANCE`.
    """
    for _ in range(3):
        gram = np.swapaxes(matrices, -1, -2) @ matrices
        matrices = matrices @ (1.5 * np.eye(3) - 0.5 * gram)
    return matrices


def pose_from_wxyz_xyz(values: ArrayLike) -> Array:
    """Return the (4, 4) pose of a vector qw qx qy qz x y z, as `matrix_from_quat`."""
    v = as_vector(values, 7, "pose")
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_quat(v[:4])
    pose[:3, 3] = v[4:]
    return pose


def _require_unit(quat: Array, what: str) -> list[float]:
    """Return the numbers of a quaternion, or raise ArgumentError if it is no unit."""
    values: list[float] = quat.tolist()
    length = math.hypot(*values)
    if not abs(length - 1.0) <= QUATERNION_TOLERANCE:
        raise ArgumentError(
            f"{what} is {values}, of length {length:.6g}, expected length 1 and the "
            "order qw qx qy qz (of a pose qw qx qy qz x y z)"
        )
    return values


def wxyz_xyz_from_pose(pose: ArrayLike) -> Array:
    """Return the 7-vector qw qx qy qz x y z of a (4, 4) pose."""
    matrix = _square(pose, 4, "pose")
    return np.concatenate((quat_from_matrix(matrix[:3, :3]), matrix[:3, 3]))


def matrix_from_quat(quat_wxyz: ArrayLike) -> Array:
    """Return the (3, 3) rotation of a quaternion w x y z.

    Its length is 1 up to 1e-3, else it is an ArgumentError: then its numbers are wrong,
    or in another order.
    """
    w, x, y, z = _require_unit(as_vector(quat_wxyz, 4, "quaternion"), "the quaternion")
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        (
            (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
        )
    )


def quat_from_matrix(rotation: ArrayLike) -> Array:
    """Return the unit quaternion w x y z (w >= 0) of a (3, 3) rotation.

    Shepperd's method (J. Guidance and Control 1(3), 1978): the largest of the four
    squared components is found first, so no division is by a small number.
    """
    # on plain numbers, as that is faster
    r = _square(rotation, 3, "rotation").tolist()
    squares = (r[0][0] + r[1][1] + r[2][2], r[0][0], r[1][1], r[2][2])
    largest = squares.index(max(squares))
    q = [0.0] * 4
    if largest == 0:
        q[0] = 1.0 + squares[0]
        q[1] = r[2][1] - r[1][2]
        q[2] = r[0][2] - r[2][0]
        q[3] = r[1][0] - r[0][1]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q[0] = r[k][j] - r[j][k]
        q[1 + i] = 1.0 + r[i][i] - r[j][j] - r[k][k]
        q[1 + j] = r[j][i] + r[i][j]
        q[1 + k] = r[k][i] + r[i][k]
    w, x, y, z = q
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not 0.0 < length < math.inf:
        raise ArgumentError(f"rotation is not a rotation matrix: {r}")
    return np.array(q) / (-length if w < 0.0 else length)


def matrix_from_axis_angle(axis: ArrayLike, angle: float | None = None) -> Array:
    """Return the (3, 3) rotation by `angle` radians about `axis`.

    Without `angle` the axis is a rotation vector, its length the angle.
    """
    vector = as_vector(axis, 3, "axis")
    length = float(np.sqrt(vector @ vector))
    if angle is None:
        angle = length
        if length == 0.0:
            return np.eye(3)
    if not length > 0:
        raise ArgumentError("a zero axis has no direction")
    angle = as_number(angle, "angle")
    k = skew(vector / length)
    return np.asarray(np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k))


def quat_from_axis_angle(axis: ArrayLike, angle: float | None = None) -> Array:
    """Return the quaternion w x y z of a rotation by `angle` radians about `axis`."""
    return quat_from_matrix(matrix_from_axis_angle(axis, angle))


def matrix_from_rpy(rpy: ArrayLike) -> Array:
    """Return the (3, 3) rotation Rz(yaw) Ry(pitch) Rx(roll) of (roll, pitch, yaw).

    Radians; turns about fixed axes, roll first, as URDF and RobWork have it.
    """
    roll, pitch, yaw = as_vector(rpy, 3, "rpy")
    x, y, z = np.eye(3)
    return np.asarray(
        matrix_from_axis_angle(z, yaw)
        @ matrix_from_axis_angle(y, pitch)
        @ matrix_from_axis_angle(x, roll)
    )


def rpy_from_matrix(rotation: ArrayLike) -> Array:
    """Return (roll, pitch, yaw) of a (3, 3) rotation; pitch from -pi/2 to pi/2.

    Where pitch makes roll and yaw one turn, they are any that give it.
    """
    r = _square(rotation, 3, "rotation")
    yaw = math.atan2(r[1, 0], r[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
    pitch = math.atan2(-r[2, 0], c * r[0, 0] + s * r[1, 0])
    return np.array((roll, pitch, yaw))


def pose_from_rpy(rpy: ArrayLike, xyz: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the (4, 4) pose with a rotation as `matrix_from_rpy` at a place."""
    return _pose(matrix_from_rpy(rpy), xyz)


def pose_from_axis_angle(
    axis: ArrayLike, angle: float | None = None, xyz: ArrayLike = (0.0, 0.0, 0.0)
) -> Array:
    """Return the (4, 4) pose with a rotation as `matrix_from_axis_angle` at a place."""
    return _pose(matrix_from_axis_angle(axis, angle), xyz)


def look_at(
    eye: ArrayLike, target: ArrayLike, up: ArrayLike = (0.0, 0.0, 1.0)
) -> Array:
    """Return the (4, 4) pose of a camera at `eye` that sees `target` in the middle.

    Cameras look along +z, +x is right in the image and +y down.

    Parameters
    ----------
    eye, target, up
        (3,), world; `up` is a direction that is upwards in the image.
    """
    place = as_vector(eye, 3, "eye")
    forward = as_vector(target, 3, "target") - place
    length = math.sqrt(forward @ forward)
    if not length > 0:
        raise ArgumentError("eye and target are at the same place")
    forward = forward / length
    right = np.cross(forward, as_vector(up, 3, "up"))
    if not math.sqrt(right @ right) > 1e-9:
        # straight up or down: any direction of the image will do
        right = np.cross(forward, np.eye(3)[int(np.argmin(np.abs(forward)))])
    right = right / math.sqrt(right @ right)
    return _pose(np.stack((right, np.cross(forward, right), forward), axis=1), place)


def _pose(rotation: Array, xyz: ArrayLike) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, as_vector(xyz, 3, "xyz")
    return pose


def rotation_vector(rotation: ArrayLike) -> Array:
    """Return axis times angle (radians, 0..pi) of a (3, 3) rotation or quaternion."""
    array = as_numbers(rotation, "rotation")
    w, *xyz = array if array.shape == (4,) else quat_from_matrix(array)
    vector = np.asarray(xyz) if w >= 0 else -np.asarray(xyz)
    sine = float(np.sqrt(vector @ vector))
    if sine < 1e-12:
        return 2.0 * vector
    return np.asarray(vector * (2.0 * np.arctan2(sine, abs(w)) / sine))


def quat_multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the quaternion product a b, both w x y z."""
    aw, ax, ay, az = as_vector(a, 4, "a")
    bw, bx, by, bz = as_vector(b, 4, "b")
    return np.array(
        (
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        )
    )


def quat_rotate_direction(source: ArrayLike, target: ArrayLike) -> Array:
    """Return the shortest rotation, as w x y z, that turns one direction to another."""
    a = as_vector(source, 3, "source")
    b = as_vector(target, 3, "target")
    na, nb = np.sqrt(a @ a), np.sqrt(b @ b)
    if not (na > 0 and nb > 0):
        raise ArgumentError("a zero vector has no direction")
    a, b = a / na, b / nb
    cosine = float(a @ b)
    if cosine < -0.9:
        # half a turn to the opposite of a, then the rest, which is exact: the
        # cross product of nearly opposite directions knows its own direction badly
        axis = np.cross(a, b)
        if axis @ axis < 1e-24:
            axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        axis = axis - (axis @ a) * a
        half = np.concatenate(((0.0,), axis / np.sqrt(axis @ axis)))
        return quat_multiply(quat_rotate_direction(-a, b), half)
    quat = np.concatenate(((1.0 + cosine,), np.cross(a, b)))
    return np.asarray(quat / np.sqrt(quat @ quat))


def quat_slerp(a: ArrayLike, b: ArrayLike, t: float, *, short: bool = True) -> Array:
    """Return the rotation at `t` between two quaternions, turning at a constant speed.

    Shoemake, Animating rotation with quaternion curves (SIGGRAPH 1985).

    Parameters
    ----------
    a, b
        (4,) unit quaternions ``w x y z``, reached at 0 and 1.
    t
        Outside of 0 to 1 the turn goes on.
    short
        Take the shorter of the two ways, else that of the signs as they are.
    """
    start = np.array(_require_unit(as_vector(a, 4, "a"), "a"))
    end = np.array(_require_unit(as_vector(b, 4, "b"), "b"))
    cosine = float(start @ end)
    if short and cosine < 0.0:
        end, cosine = -end, -cosine
    share = as_number(t, "t")
    # chords know small angles better than the cosine does
    angle = 2.0 * math.atan2(
        float(np.linalg.norm(end - start)), float(np.linalg.norm(end + start))
    )
    sine = math.sin(angle)
    if sine < 1e-9:
        mixed = start + share * (end - start) if cosine > 0.0 else start
    else:
        weights = math.sin((1.0 - share) * angle), math.sin(share * angle)
        mixed = (weights[0] * start + weights[1] * end) / sine
    return np.asarray(mixed / np.linalg.norm(mixed))


def quat_squad(
    start: ArrayLike,
    leave: ArrayLike,
    arrive: ArrayLike,
    end: ArrayLike,
    t: float,
    *,
    short: bool = True,
) -> Array:
    """Return the rotation at `t` on a smooth curve of quaternions.

    The curve goes from `start` to `end`; `leave` and `arrive` bend it, as the inner
    points of a Bezier curve do (Shoemake 1987). `short` is that of `quat_slerp`.
    """
    chord = quat_slerp(start, end, t, short=short)
    inner = quat_slerp(leave, arrive, t, short=short)
    share = as_number(t, "t")
    return quat_slerp(chord, inner, 2.0 * share * (1.0 - share), short=short)


def pose_distance(a: Any, b: Any, rotation_weight: float = 1.0) -> float:
    """Return the distance of two poses, from their positions and quaternions.

    It is the root of the squared distance of the positions plus w times that of the
    quaternions, with the sign of one of them that brings both nearer.

    Parameters
    ----------
    a, b
        Poses, metres.
    rotation_weight
        Square metres that w counts a quaternion's squared difference as, at least 0.
    """
    first, second = (
        wxyz_xyz_from_pose(as_pose(a, "a")),
        wxyz_xyz_from_pose(as_pose(b, "b")),
    )
    weight = as_number(rotation_weight, "rotation_weight", 0.0)
    turned = min(
        float(((first[:4] - second[:4]) ** 2).sum()),
        float(((first[:4] + second[:4]) ** 2).sum()),
    )
    return math.sqrt(float(((first[4:] - second[4:]) ** 2).sum()) + weight * turned)


def nearest_turn(axis: ArrayLike, quat: ArrayLike) -> float:
    """Return the angle about an axis after which a rotation is nearest to none.

    Parameters
    ----------
    axis
        (3,) direction about which to turn after `quat`.
    quat
        (4,) unit quaternion ``w x y z``.

    Returns
    -------
    float
        Radians, -pi to pi.
    """
    way = as_direction(axis, "axis")
    w, x, y, z = _require_unit(as_vector(quat, 4, "quat"), "quat")
    along = float(way @ (x, y, z))
    if w < 0.0:
        w, along = -w, -along
    return 2.0 * math.atan2(-along, w)


def invert_pose(pose: ArrayLike) -> Array:
    """Return T_b_a of T_a_b, (4, 4)."""
    matrix = _square(pose, 4, "pose")
    inverse = np.eye(4)
    inverse[:3, :3] = matrix[:3, :3].T
    inverse[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return inverse


def compose(*poses: ArrayLike) -> Array:
    """Return the product T_a_b T_b_c ... of (4, 4) poses."""
    result = np.eye(4)
    for pose in poses:
        result = result @ _square(pose, 4, "pose")
    return result


def transform_points(pose: ArrayLike, points: ArrayLike) -> Array:
    """Return points (n, 3), given in b, in frame a of the pose T_a_b."""
    matrix = _square(pose, 4, "pose")
    array = as_numbers(points, "points")
    if not array.ndim or array.shape[-1] != 3:
        raise ArgumentError(f"points have shape {array.shape}, expected (n, 3)")
    return np.asarray(array @ matrix[:3, :3].T + matrix[:3, 3])


def skew(vector: ArrayLike) -> Array:
    """Return the (3, 3) matrix [v] with [v] w = v x w."""
    x, y, z = as_vector(vector, 3, "vector")
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def __dir__() -> list[str]:
    return sorted(__all__)
