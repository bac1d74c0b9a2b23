"""A planar range finder by ray casting."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.commands import command
from pyrave.interfaces.sensor import (
    ConfigureCommand,
    LaserData,
    LaserGeometry,
    SensorBase,
    SensorData,
    SensorGeometry,
    SensorType,
)
from pyrave.spatial import Array, as_pose
from pyrave_sensors.xml import MAX_RAYS, LaserReadable, ray_count

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.scene import Readable

__all__ = ["BaseLaser2D"]

# A hundredth of a radian in single precision, as OpenRAVE has it
_DEFAULT_RESOLUTION = float(np.float32(0.01))
_DEFAULT_COLOR = (0.5, 0.5, 1.0)
_TIME_TOLERANCE = 1e-9


def _default_geometry() -> LaserGeometry:
    return LaserGeometry(
        min_angle=(-math.pi / 2, 0.0),
        max_angle=(math.pi / 2, 0.0),
        resolution=(_DEFAULT_RESOLUTION, 0.0),
        min_range=0.03,
        max_range=100.0,
    )


@dataclass(frozen=True, slots=True)
class _State:
    """Everything that a twin needs; it pickles."""

    geometry: LaserGeometry
    pose: Array
    power: bool
    render_data: bool
    render_geometry: bool
    time_to_scan: float | None
    data: LaserData | None
    color: tuple[float, float, float] = field(default=_DEFAULT_COLOR)


class BaseLaser2D(SensorBase):
    """Measure distances in the sensor's xy plane with a fan of rays.

    Ray i leaves the origin at the angle ``min_angle + i * resolution`` from +x, turned
    about z; there are ``int((max_angle - min_angle) / resolution + 0.5) + 1`` of them.
    A ray sees surfaces between minimum and maximum range. A hit gives the vector from
    the origin to the surface, intensity 1 and the body's index in ``env.bodies``; a
    miss the vector to maximum range, intensity 0 and -1. Bodies that carry the sensor
    are seen like all others.

    While it is switched on it measures every `time_scan` seconds, or in every step if
    that is 0. XML tags (angles and resolution in degrees): ``minangle`` (-90),
    ``maxangle`` (90), ``resolution`` (0.573), ``minrange`` (0.03), ``maxrange`` (100),
    ``scantime`` (0), ``time_increment`` (0), ``color`` (0.5 0.5 1), ``power`` (0);
    ``min_angle``, ``max_angle`` and ``time_scan`` are understood too.
    """

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._geometry = _default_geometry()
        self._pose = np.eye(4)
        self._power = False
        self._render_data = False
        self._render_geometry = True
        # None: in the next step
        self._time_to_scan: float | None = None
        self._data: LaserData | None = None
        self._rays: Array | None = None
        self.color: tuple[float, float, float] = _DEFAULT_COLOR
        """Red, green, blue of drawn rays, 0 to 1."""

    # -- commands ------------------------------------------------------------------

    @command(name="render")
    def render(self, on: bool = True) -> bool:
        """Draw the measured rays (1) or not (0)."""
        self._render_data = on
        return True

    @command(name="collidingbodies")
    def colliding_bodies(self, unique: bool = False) -> list[int]:
        """Return which body each ray of the last scan hit.

        One number a ray: 0 for none, k for the k-th body of the environment, counted
        from 1. With `unique` each body that was seen once, in increasing order.
        """
        if self._data is None:
            return []
        numbers = self._data.body_ids + 1
        if unique:
            numbers = np.unique(numbers[numbers > 0])
        return [int(number) for number in numbers]

    # -- settings ------------------------------------------------------------------

    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch power, drawing of data or of the device; return the state, 1 or 0."""
        kind = _switch(command)
        if kind is ConfigureCommand.POWER_ON:
            if not self._power:
                self._time_to_scan = None
            self._power = True
        elif kind is ConfigureCommand.POWER_OFF:
            self._power = False
        elif kind is ConfigureCommand.RENDER_DATA_ON:
            self._render_data = True
        elif kind is ConfigureCommand.RENDER_DATA_OFF:
            self._render_data = False
        elif kind is ConfigureCommand.RENDER_GEOMETRY_ON:
            self._render_geometry = True
        elif kind is ConfigureCommand.RENDER_GEOMETRY_OFF:
            self._render_geometry = False
        group = kind & 0xF0
        if group == ConfigureCommand.POWER_ON:
            return int(self._power)
        if group == ConfigureCommand.RENDER_DATA_ON:
            return int(self._render_data)
        return int(self._render_geometry)

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over what a scene file says."""
        if not isinstance(readable, LaserReadable):
            return
        geometry = _default_geometry()
        for name, degrees in (
            ("min_angle", readable.min_angle_deg),
            ("max_angle", readable.max_angle_deg),
            ("resolution", readable.resolution_deg),
        ):
            if degrees is not None:
                setattr(geometry, name, (math.radians(degrees), 0.0))
        for name in ("min_range", "max_range", "time_scan", "time_increment"):
            value = getattr(readable, name)
            if value is not None:
                setattr(geometry, name, value)
        self._set_geometry(geometry)
        self.color = readable.color or _DEFAULT_COLOR
        if readable.power is not None:
            self.power = readable.power

    def get_sensor_geometry(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorGeometry:
        """Return a copy of the geometry, a `LaserGeometry`."""
        self._require(sensor_type)
        return dataclasses.replace(self._geometry)

    def set_sensor_geometry(self, geometry: SensorGeometry) -> None:
        """Change angles (rad), ranges (m) and times (s); saved with the scene.

        Raises
        ------
        ArgumentError
            It is not a laser's geometry, or its values make no sense.
        """
        if not isinstance(geometry, LaserGeometry):
            raise ArgumentError(f"expected a LaserGeometry, got {geometry!r}")
        self._set_geometry(dataclasses.replace(geometry))
        g, plain = self._geometry, _default_geometry()
        known = self.readables.get(self.interface_id)
        base = (
            known
            if isinstance(known, LaserReadable)
            else LaserReadable(self.interface_id)
        )

        def changed(name: str) -> Any:
            value = getattr(g, name)
            return None if value == getattr(plain, name) else value

        def degrees(name: str) -> float | None:
            value = changed(name)
            return None if value is None else math.degrees(value[0])

        # not through set_readable: the exact radians are in place already
        self.readables[self.interface_id] = dataclasses.replace(
            base,
            min_angle_deg=degrees("min_angle"),
            max_angle_deg=degrees("max_angle"),
            resolution_deg=degrees("resolution"),
            min_range=changed("min_range"),
            max_range=changed("max_range"),
            time_scan=changed("time_scan"),
            time_increment=changed("time_increment"),
        )

    def _set_geometry(self, geometry: LaserGeometry) -> None:
        low, high = geometry.min_angle[0], geometry.max_angle[0]
        step = geometry.resolution[0]
        numbers = (
            low,
            high,
            step,
            geometry.min_range,
            geometry.max_range,
            geometry.time_scan,
            geometry.time_increment,
        )
        if not all(map(math.isfinite, numbers)):
            raise ArgumentError(f"a laser's numbers must be finite: {geometry!r}")
        if low > high or step <= 0:
            raise ArgumentError(
                f"a laser scans from min_angle {low:g} up to max_angle {high:g} in "
                f"steps of resolution {step:g} > 0 (radians)"
            )
        if not 0 <= geometry.min_range <= geometry.max_range:
            raise ArgumentError(
                f"min_range is {geometry.min_range:g}, expected 0 to max_range "
                f"{geometry.max_range:g} (metres)"
            )
        if geometry.time_scan < 0 or geometry.time_increment < 0:
            raise ArgumentError(
                "time_scan and time_increment must be 0 s or more, got "
                f"{geometry.time_scan:g} and {geometry.time_increment:g}"
            )
        count = ray_count(low, high, step)
        if count > MAX_RAYS:
            raise ArgumentError(
                f"the resolution {step:g} rad makes {count:.3g} rays, at most "
                f"{MAX_RAYS} are allowed"
            )
        self._geometry = geometry
        self._rays = None

    def supports(self, sensor_type: SensorType) -> bool:
        """Return True for lasers."""
        return sensor_type == SensorType.LASER

    def _require(self, sensor_type: SensorType) -> None:
        if sensor_type not in {SensorType.INVALID, SensorType.LASER}:
            raise ArgumentError(
                f"{self!r} measures LASER data, not {SensorType(sensor_type).name}"
            )

    # -- measuring -----------------------------------------------------------------

    def set_transform(self, transform: ArrayLike) -> None:
        """Place the sensor, (4, 4) T_world_sensor."""
        self._pose = as_pose(transform, "transform of a sensor")

    def get_transform(self) -> Array:
        """Return (4, 4) T_world_sensor."""
        return self._pose.copy()

    def create_sensor_data(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorData:
        """Return an empty `LaserData`."""
        self._require(sensor_type)
        return LaserData()

    def get_sensor_data(self, data: SensorData) -> bool:
        """Copy the latest scan into `data`; False if there is none yet."""
        if not isinstance(data, LaserData):
            raise ArgumentError(
                f"{self!r} fills LaserData, got {type(data).__name__}; use "
                "create_sensor_data()"
            )
        if self._data is None:
            return False
        for item in dataclasses.fields(LaserData):
            value = getattr(self._data, item.name)
            copied = value.copy() if isinstance(value, np.ndarray) else value
            setattr(data, item.name, copied)
        return True

    def simulation_step(self, dt: float) -> None:
        """Measure if it is time and the sensor is switched on."""
        if not self._power:
            return
        period = self._geometry.time_scan
        if self._time_to_scan is None:
            self._time_to_scan = period
        else:
            self._time_to_scan -= dt
            if self._time_to_scan > _TIME_TOLERANCE:
                return
            # keep the phase; a step longer than the period leaves out scans
            self._time_to_scan = max(self._time_to_scan + period, 0.0)
        self.measure()

    def measure(self) -> LaserData:
        """Measure now, switched on or not; returns a scan of the caller's own."""
        geometry, pose = self._geometry, self._pose
        directions = self._local_rays() @ pose[:3, :3].T
        origin = pose[:3, 3]
        hits = self.env.raycast(
            np.broadcast_to(origin, directions.shape),
            directions,
            max_range=geometry.max_range,
            min_range=geometry.min_range,
        )
        distances = np.where(hits.hit, hits.distance, geometry.max_range)
        self._data = LaserData(
            stamp=self.env.simulation_time,
            pose=pose.copy(),
            positions=origin[None].copy(),
            ranges=directions * distances[:, None],
            intensity=hits.hit.astype(np.float64),
            body_ids=np.where(hits.hit, hits.id, -1).astype(np.int64),
        )
        result = LaserData()
        self.get_sensor_data(result)
        self.publish(result)
        return result

    def _local_rays(self) -> Array:
        """Return the unit directions (n, 3) in the sensor's frame."""
        if self._rays is None:
            g = self._geometry
            low, high, step = g.min_angle[0], g.max_angle[0], g.resolution[0]
            angles = low + np.arange(ray_count(low, high, step)) * step
            self._rays = np.stack(
                (np.cos(angles), np.sin(angles), np.zeros_like(angles)), axis=1
            )
        return self._rays

    # -- state ---------------------------------------------------------------------

    def get_state(self) -> Any:
        """Return settings, pose, switches and the latest scan."""
        return _State(
            dataclasses.replace(self._geometry),
            self._pose.copy(),
            self._power,
            self._render_data,
            self._render_geometry,
            self._time_to_scan,
            self._data,
            self.color,
        )

    def set_state(self, state: Any) -> None:
        """Take over what `get_state` of a twin returned."""
        if not isinstance(state, _State):
            return
        self._set_geometry(dataclasses.replace(state.geometry))
        self._pose = state.pose.copy()
        self._power = state.power
        self._render_data = state.render_data
        self._render_geometry = state.render_geometry
        self._time_to_scan = state.time_to_scan
        self._data = state.data
        self.color = state.color


def _switch(command: Any) -> ConfigureCommand:
    try:
        return ConfigureCommand(command)
    except ValueError:
        raise ArgumentError(
            f"the command is {command!r}, expected a ConfigureCommand, for example "
            "ConfigureCommand.POWER_ON"
        ) from None
