"""Measurements of sensors."""

from __future__ import annotations

import enum
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from pyrave.attributes import TellsNames
from pyrave.cards import counted
from pyrave.errors import ArgumentError, Error, PluginGuard, error_text
from pyrave.records import Record
from pyrave.sensing.data_checks import shape_problem, values_of
from pyrave.sensing.sensor_type import SensorType
from pyrave.spatial import Array, invert_pose, transform_points

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from pyrave.plots.figure import Plot

# numbers of an array that its repr says
_MAX_SAID = 6


def _zeros3() -> Array:
    return np.zeros(3)


def _zeros33() -> Array:
    return np.zeros((3, 3))


def _eye4() -> Array:
    return np.eye(4)


def _empty() -> Array:
    return np.empty(0)


def _no_pixels() -> Array:
    return np.empty((0, 0))


def _no_labels() -> NDArray[np.int32]:
    return np.empty((0, 0), np.int32)


def _short(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size <= _MAX_SAID:
        return np.array2string(value, precision=6, separator=", ")
    return f"({'x'.join(map(str, value.shape))} {value.dtype})"


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))


def _reason(data: Sequence[SensorData], error: BaseException) -> str:
    """Return in words why data cannot be shown."""
    problems = (shape_problem(one) for one in data)
    return next((one for one in problems if one), error_text(error))


@contextmanager
def refusing_misfits(data: Sequence[SensorData], what: str) -> Iterator[None]:
    """Raise an ArgumentError that says what is wrong with data where a block raises.

    Errors of pyrave and of files pass.
    """
    with PluginGuard(passes=Error) as guard:
        yield
    if isinstance(guard.error, OSError):
        raise guard.error
    if guard.error is not None:
        raise ArgumentError(f"{what}: {_reason(data, guard.error)}") from guard.error


@dataclass(slots=True, repr=False)
class SensorData(Record, TellsNames):
    """One measurement. A sensor of another kind has a dataclass of its own.

    Lines about it, notebooks, JSON and ``.npz`` files show all fields; pictures and
    point clouds `drawn_points`.

    Parameters
    ----------
    stamp
        Simulated time of the measurement, seconds.
    pose
        (4, 4) T_world_sensor at the stamp.
    """

    sensor_type: ClassVar[SensorType] = SensorType.OTHER
    stamp: float = 0.0
    pose: Array = field(default_factory=_eye4)

    def drawn_points(self) -> Array:
        """Return points (n, 3) to draw and to write, world, metres; here none.

        What was met, for sensors that meet something.
        """
        return np.empty((0, 3))

    def copy(self) -> Self:
        """Return data that share nothing with these."""
        kind: Any = type(self)
        values = values_of(kind)(self)
        made: Self = kind(
            *[v.copy() if isinstance(v, np.ndarray) else deepcopy(v) for v in values]
        )
        return made

    def _facts(self) -> list[str]:
        """Return the facts in a line about the measurement, besides its time.

        Of arrays longer than six numbers it is the shape, and nothing of covariances.
        """
        said = [
            (item.name, getattr(self, item.name))
            for item in fields(self)
            if item.name not in {"stamp", "pose"}
            and not item.name.endswith("covariance")
        ]
        return [f"{name}={_short(value)}" for name, value in said if np.size(value)]

    def __repr__(self) -> str:
        with PluginGuard() as guard:
            parts = [f"t={np.max(self.stamp, initial=0):g} s", *self._facts()]
            return f"<{type(self).__name__} {', '.join(parts)}>"
        assert guard.error is not None  # noqa: S101 - for the type checker
        why = shape_problem(self) or f"{type(self).__name__}: {error_text(guard.error)}"
        return f"<{why}>"

    def _repr_html_(self) -> str:
        from pyrave.sensing.html import fields_card

        kind: Any = type(self)
        shown = {
            name: getattr(self, name)
            for name in _names(kind)
            if name != "pose" and not name.endswith("covariance")
        }
        return fields_card(type(self).__name__, shown)


class PicturedData(SensorData):
    """A measurement that notebooks show as a picture."""

    __slots__ = ()

    def picture(self) -> NDArray[np.uint8] | None:
        """Return a picture (h, w, 3) of moderate size; None if there is nothing."""
        return None

    def _repr_html_(self) -> str:
        from pyrave.sensing.html import picture_card

        return picture_card(repr(self), self._shown())

    def _repr_png_(self) -> bytes | None:
        from pyrave.geometry import encode_png

        image = self._shown()
        return None if image is None else encode_png(image)

    def _shown(self) -> NDArray[np.uint8] | None:
        """Return the picture; None of data that have none, as where shapes misfit."""
        with PluginGuard():
            return self.picture()
        return None


@dataclass(slots=True, repr=False)
class LaserData(PicturedData):
    """A scan of n rays.

    Parameters
    ----------
    positions
        (1, 3), or (n, 3) if the scanner moved meanwhile: origin of each ray, metres,
        world axes.
    ranges
        (n, 3) vectors from the origin to the hit (or to maximum range), world axes.
    intensity
        (n,) 1 where something came back, else 0 (or a measured intensity).
    body_ids
        (n,) id of the body hit (`KinBody.id`), -1 for none.
    rings
        (n,) number of the laser of a scanner that has several; or empty.
    time_offsets
        (n,) when each ray was cast, seconds after the stamp (0 or less: the stamp is
        that of the last ray); or empty: all of them at the stamp.
    """

    sensor_type: ClassVar[SensorType] = SensorType.LASER
    positions: Array = field(default_factory=lambda: np.empty((0, 3)))
    ranges: Array = field(default_factory=lambda: np.empty((0, 3)))
    intensity: Array = field(default_factory=_empty)
    body_ids: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    rings: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    time_offsets: Array = field(default_factory=_empty)

    def _facts(self) -> list[str]:
        parts = [counted(len(self.ranges), "ray")]
        found = self.distances[self.returned]
        parts.append(f"{len(found)} returned")
        if len(found):
            parts.append(f"{found.min():.2f}..{found.max():.2f} m")
        return parts

    def drawn_points(self) -> Array:
        """Return the ends (n, 3) of rays that came back, world, metres."""
        return np.asarray(self.points[self.returned])

    @property
    def distances(self) -> Array:
        """Length of each range vector, (n,), metres."""
        return np.asarray(np.sqrt((self.ranges**2).sum(axis=1)))

    @property
    def points(self) -> Array:
        """End point of each ray, (n, 3), metres, world axes."""
        return np.asarray(self.positions + self.ranges)

    @property
    def returned(self) -> NDArray[np.bool_]:
        """True where something came back, (n,); elsewhere the range is the maximum."""
        return np.asarray((self.intensity > 0) | (self.body_ids >= 0))

    def plot(self, path: str | PathLike[str] | None = None) -> Plot:
        """Draw where something was met, about the sensor, in its x and y: polar.

        Points off the plane are coloured by their height in the sensor's frame.

        Parameters
        ----------
        path
            A file in ``.png``, ``.jpg``, ``.svg`` or ``.pdf`` that it is written to,
            too.

        Returns
        -------
        Plot
            A figure of matplotlib.

        Raises
        ------
        NotSupportedError
            matplotlib is not installed; the extra ``plot`` brings it.
        ArgumentError
            The name has another ending, or the file cannot be written.
        """
        from pyrave.plots import require_matplotlib

        require_matplotlib("scan.plot()")
        from pyrave.plots.figure import write_plot
        from pyrave.plots.scan import plot_scan

        with refusing_misfits([self], "the scan cannot be plotted"):
            plot = plot_scan(self._ends(), len(self.ranges), self.stamp)
        return write_plot(plot, path)

    def picture(self) -> NDArray[np.uint8]:
        """Return the scan (h, w, 3) from above, in the sensor's x and y."""
        from pyrave.sensing.pixels import seen_from_above

        with refusing_misfits([self], "the scan has no picture"):
            return seen_from_above(self._ends())

    def _ends(self) -> Array:
        """Return the points that rays hit (n, 3), in the sensor's frame, metres."""
        return transform_points(invert_pose(self.pose), self.points[self.returned])


@dataclass(slots=True, repr=False)
class CameraData(PicturedData):
    """An image, rows from the top; fields that were not requested are empty.

    Parameters
    ----------
    image
        (h, w, 3) red green blue or (h, w, 1) grey, of the type that the camera has,
        uint8 at first.
    depth
        (h, w) metres along the camera's z axis; inf where there is nothing.
    distance
        (h, w) metres along the ray; inf where there is nothing.
    normals
        (h, w, 3) unit vectors in the camera's frame, towards it; 0 where there is
        nothing.
    body_ids
        (h, w) id of the body (`KinBody.id`), -1 for none.
    link_indices
        (h, w) index of the link in its body, -1 for none.
    geometry_indices
        (h, w) index of the geometry in its link, -1 for none.
    """

    sensor_type: ClassVar[SensorType] = SensorType.CAMERA
    image: NDArray[Any] = field(default_factory=lambda: np.empty((0, 0, 3), np.uint8))
    depth: Array = field(default_factory=_no_pixels)
    distance: Array = field(default_factory=_no_pixels)
    normals: Array = field(default_factory=lambda: np.empty((0, 0, 3)))
    body_ids: NDArray[np.int32] = field(default_factory=_no_labels)
    link_indices: NDArray[np.int32] = field(default_factory=_no_labels)
    geometry_indices: NDArray[np.int32] = field(default_factory=_no_labels)

    def _facts(self) -> list[str]:
        there = self.parts()
        if not there:
            return ["no image"]
        size = next(iter(there.values())).shape
        names = ", ".join(there)
        return (
            [f"{size[1]}x{size[0]} pixels: {names}"]
            if len(size) < 4
            else [f"{size[0]} images of {size[2]}x{size[1]} pixels: {names}"]
        )

    def parts(self) -> dict[str, NDArray[Any]]:
        """Return the images that were measured by the names of their fields."""
        kind: Any = type(self)
        found = {name: getattr(self, name) for name in _names(kind)[2:]}
        return {name: array for name, array in found.items() if np.size(array)}

    def picture(self) -> NDArray[np.uint8] | None:
        """Return the first of `parts` as an image of moderate size, None of several."""
        from pyrave.sensing.pixels import thumbnail

        with refusing_misfits([self], "the images have no picture"):
            for name, array in self.parts().items():
                return thumbnail(name, array)
        return None


@dataclass(slots=True, repr=False)
class StereoCameraData(CameraData):
    """Two rectified images; everything of `CameraData` is that of the first one.

    Parameters
    ----------
    second_image
        As `image`, of the second camera.
    disparity
        (h, w) columns that a point is further left in the second image; nan where
        there is nothing.
    occluded
        (h, w) bool, True where the second camera does not see the point.
    """

    second_image: NDArray[Any] = field(
        default_factory=lambda: np.empty((0, 0, 3), np.uint8)
    )
    disparity: Array = field(default_factory=_no_pixels)
    occluded: NDArray[np.bool_] = field(
        default_factory=lambda: np.empty((0, 0), np.bool_)
    )


@dataclass(slots=True, repr=False)
class JointEncoderData(SensorData):
    """Encoder values (n,), rad or m, and velocities (n,), rad/s or m/s."""

    sensor_type: ClassVar[SensorType] = SensorType.JOINT_ENCODER
    values: Array = field(default_factory=_empty)
    velocities: Array = field(default_factory=_empty)


@dataclass(slots=True, repr=False)
class Force6DData(SensorData):
    """A wrench about the sensor's origin, in its axes.

    Parameters
    ----------
    force, torque
        (3,) N and (3,) N m.
    saturated
        (6,) bool: which of force and torque were beyond the range.
    broken
        Whether a load beyond the capacity has broken the sensor.
    """

    sensor_type: ClassVar[SensorType] = SensorType.FORCE6D
    force: Array = field(default_factory=_zeros3)
    torque: Array = field(default_factory=_zeros3)
    saturated: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(6, np.bool_))
    broken: bool = False


@dataclass(slots=True, repr=False)
class IMUData(SensorData):
    """Inertial measurements, in the sensor's axes.

    Parameters
    ----------
    rotation
        (4,) quaternion w x y z of the sensor in the world.
    angular_velocity
        (3,) rad/s against the world.
    linear_acceleration
        (3,) specific force, m/s2: acceleration less gravity; at rest +g upwards.
    rotation_covariance, angular_velocity_covariance, linear_acceleration_covariance
        (3, 3) of this measurement: rad2, (rad/s)2, (m/s2)2.
    """

    sensor_type: ClassVar[SensorType] = SensorType.IMU
    rotation: Array = field(default_factory=lambda: np.array((1.0, 0.0, 0.0, 0.0)))
    angular_velocity: Array = field(default_factory=_zeros3)
    linear_acceleration: Array = field(default_factory=_zeros3)
    rotation_covariance: Array = field(default_factory=_zeros33)
    angular_velocity_covariance: Array = field(default_factory=_zeros33)
    linear_acceleration_covariance: Array = field(default_factory=_zeros33)


@dataclass(slots=True, repr=False)
class OdometryData(SensorData):
    """Measured pose and velocity of the target, in the world.

    Parameters
    ----------
    target_pose
        (4, 4) T_world_target.
    linear_velocity, angular_velocity
        (3,) of the target's origin, world axes, m/s and rad/s.
    pose_covariance
        (6, 6), linear first, in the target's axes; of each measurement, without
        the accumulated drift.
    velocity_covariance
        (6, 6), linear first, world axes.
    """

    sensor_type: ClassVar[SensorType] = SensorType.ODOMETRY
    target_pose: Array = field(default_factory=_eye4)
    linear_velocity: Array = field(default_factory=_zeros3)
    angular_velocity: Array = field(default_factory=_zeros3)
    pose_covariance: Array = field(default_factory=lambda: np.zeros((6, 6)))
    velocity_covariance: Array = field(default_factory=lambda: np.zeros((6, 6)))


@dataclass(slots=True, repr=False)
class TactileData(SensorData):
    """Force on each element (n, 3) N, sensor axes; covariance (3, 3) of each, N2."""

    sensor_type: ClassVar[SensorType] = SensorType.TACTILE
    forces: Array = field(default_factory=lambda: np.empty((0, 3)))
    force_covariance: Array = field(default_factory=_zeros33)


@dataclass(slots=True, repr=False)
class ContactData(TactileData):
    """Contacts of a link with the forces (n, 3) N on it, in the link's axes.

    Parameters
    ----------
    points
        (n, 3) metres.
    normals
        (n, 3) towards the link.
    links
        (n,) names of bodies and links that touch it.
    """

    points: Array = field(default_factory=lambda: np.empty((0, 3)))
    normals: Array = field(default_factory=lambda: np.empty((0, 3)))
    links: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, repr=False)
class TactileArrayData(TactileData):
    """Pressure on each cell, (rows, columns) Pa; forces (n, 3) N on all, row by row.

    Parameters
    ----------
    pressures
        (rows, columns) Pa.
    """

    pressures: Array = field(default_factory=lambda: np.empty((0, 0)))


class ActuatorState(enum.IntEnum):
    """State of a motor, with OpenRAVE's codes."""

    UNDEFINED = 0
    IDLE = 1
    MOVING = 2
    STALLED = 3
    BRAKED = 4


@dataclass(slots=True, repr=False)
class ActuatorData(SensorData):
    """Measurements of a motor.

    Parameters
    ----------
    measured_current, applied_current
        A: the reading, and the true current; NaN where the motor's torque constant
        is not known.
    measured_temperature
        Of the windings, degrees Celsius.
    torque
        What the motor gives at the joint, N m or N.
    state
        What the motor does.
    """

    sensor_type: ClassVar[SensorType] = SensorType.ACTUATOR
    state: ActuatorState = ActuatorState.UNDEFINED
    measured_current: float = 0.0
    measured_temperature: float = 0.0
    applied_current: float = 0.0
    torque: float = 0.0
