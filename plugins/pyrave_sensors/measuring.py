"""Base of the built-in sensors: switches, timing, data, settings, state."""

from __future__ import annotations

import dataclasses
import functools
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.interfaces import PeriodicSensor
from pyrave.sensing.data import SensorData
from pyrave.sensing.geometry import SensorGeometry
from pyrave.spatial import Array
from pyrave_sensors.settings.fields import SensorSettings
from pyrave_sensors.settings.typed import as_typed
from pyrave_sensors.settings.xml import SensorReadable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.scene import Readable

G = TypeVar("G", bound=SensorGeometry)
D = TypeVar("D", bound=SensorData)
T = TypeVar("T")


class SettingProperty(Generic[T]):
    """A property for one of the settings: assigned values are checked, and saved."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, sensor: None, owner: type) -> Self: ...
    @overload
    def __get__(self, sensor: Any, owner: type) -> T: ...
    def __get__(self, sensor: Any, owner: type) -> Self | T:
        if sensor is None:
            return self
        value: T = getattr(sensor.settings, self._name)
        return value

    def __set__(self, sensor: Any, value: T) -> None:
        given: Any = {self._name: value}
        sensor.settings = dataclasses.replace(sensor.settings, **given)


class MeasuringSensor(PeriodicSensor[D], Generic[G, D]):
    """A periodic sensor with settings that files and scripts give.

    A subclass names the class of its settings, and measures (`sample`).
    """

    settings_type: ClassVar[type[SensorSettings]]

    color: SettingProperty[tuple[float, float, float]] = SettingProperty(
        "Red, green, blue of drawn data, 0 to 1; assignable, saved with the scene."
    )

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        kind: Any = self.settings_type
        self._settings: SensorSettings = _defaults(kind)
        self._geometry: G = self._settings.geometry()

    # -- defined by subclasses -------------------------------------------------------

    @abstractmethod
    def sample(self, stamp: float, pose: Array) -> D:
        """Return a measurement of now.

        Parameters
        ----------
        stamp
            Simulated time, seconds.
        pose
            (4, 4) T_world_sensor, not to be changed.
        """

    @property
    def geometry(self) -> G:
        """The geometry itself, not to be changed."""
        return self._geometry

    def geometry_changed(self) -> None:
        """React to another geometry; does nothing unless overridden."""

    def more_state(self) -> Any:
        """Return state beyond that of all sensors; must pickle."""
        return None

    def set_more_state(self, state: Any) -> None:
        """Adopt the `more_state` of a copy."""

    # -- settings --------------------------------------------------------------------

    @property
    def settings(self) -> SensorSettings:
        """All settings, frozen; assignable, saved with the scene.

        Raises
        ------
        ArgumentError
            They are those of another sensor type, or make no sense.
        """
        return self._settings

    @settings.setter
    def settings(self, settings: SensorSettings) -> None:
        if not isinstance(settings, self.settings_type):
            raise ArgumentError(
                f"expected {self.settings_type.__name__}, got {shown(settings)}"
            )
        settings.check()
        reseeded = settings.seed != self._settings.seed
        self._adopt(settings)
        if reseeded:
            self._restart_noise()
        known = self.readables.get(self.interface_id)
        if not isinstance(known, SensorReadable):
            known = SensorReadable(self.interface_id)
        # not through set_readable: the exact values are in place already
        self.readables[self.interface_id] = known.saying(settings)

    def take_settings(self, settings: Mapping[str, Any]) -> None:
        """Take settings by name; those that are not given have their defaults.

        Raises
        ------
        ArgumentError
            There is no such setting, or it makes no sense.
        """
        self.settings = self.settings_type.of(self.interface_id, settings)
        if self.settings.power is not None:
            self.power = self.settings.power

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Adopt the settings of a scene file."""
        if not isinstance(readable, SensorReadable):
            return
        settings = self.settings_type.from_file(readable.values)
        settings.check()
        self._adopt(settings)
        if "seed" in readable.values:
            self._restart_noise()
        if settings.power is not None:
            self.power = settings.power

    def set_sensor_geometry(self, geometry: SensorGeometry) -> None:
        """Change the geometry; saved with the scene.

        Raises
        ------
        ArgumentError
            It is the geometry of another sensor type, or makes no sense.
        """
        kind: Any = self.settings_type
        wanted = kind.geometry_type
        if not isinstance(geometry, wanted):
            raise ArgumentError(f"expected a {wanted.__name__}, got {shown(geometry)}")
        typed = as_typed(geometry, _defaults(kind).geometry())
        self.settings = self._settings.with_geometry(typed)

    def _adopt(self, settings: SensorSettings) -> None:
        before = self._geometry
        self._settings, self._geometry = settings, settings.geometry()
        if not _same(before, self._geometry):
            self.geometry_changed()

    @property
    def seed(self) -> int:
        """Start of the noise; assigning it restarts the noise. Saved with the scene."""
        return self._settings.seed

    @seed.setter
    def seed(self, seed: int) -> None:
        self.settings = dataclasses.replace(self._settings, seed=seed)
        self._restart_noise()

    # -- measuring -------------------------------------------------------------------

    def simulation_step(self, dt: float) -> None:
        """Measure if it is time and the sensor is switched on."""
        if self.is_due(dt):
            self.measure()

    def measure(self) -> D:
        """Measure now, switched on or not; returns data of the caller's own."""
        return self.record(self.sample(self.env.simulation_time, self.transform))

    # -- state -----------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return settings and more state."""
        return self._settings, self.more_state()

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        settings, more = state
        if settings is not self._settings:
            self._adopt(settings)
        self.set_more_state(more)


@functools.cache
def _defaults(kind: Any) -> Any:
    """Return default settings: one object for all sensors of a type."""
    return kind()


def _same(a: Any, b: Any) -> bool:
    return all(
        np.array_equal(getattr(a, item.name), getattr(b, item.name))
        if isinstance(getattr(a, item.name), np.ndarray)
        else getattr(a, item.name) == getattr(b, item.name)
        for item in dataclasses.fields(a)
    )
