"""Base of the built-in sensors: switches, timing, data, settings, state."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np

from pyrave.authoring import PeriodicSensor
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces import ConfigureCommand
from pyrave.interfaces.settings.declarations import made_settings
from pyrave.sensing.data import SensorData
from pyrave.sensing.geometry import SensorGeometry
from pyrave.spatial import Array
from pyrave_sensors.settings.fields import SensorSettings
from pyrave_sensors.settings.typed import as_typed
from pyrave_sensors.settings.xml import SensorReadable

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.scene import Readable

_POWER = ConfigureCommand.POWER_ON // 16
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
        sensor.change_settings(**{self._name: value})


class MeasuringSensor(PeriodicSensor[D], Generic[G, D]):
    """A periodic sensor with settings that files and scripts give.

    A subclass names the class of its settings, and measures (`sample`).
    """

    settings_type: ClassVar[type[SensorSettings]]

    color: SettingProperty[tuple[float, float, float]] = SettingProperty(
        "Red, green, blue of drawn data, 0 to 1; assignable, saved with the scene."
    )

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._geometry: G = self._part_settings.geometry()
        if self._part_settings is not _defaults_of(self):
            self._tell_settings()
            # the first measurement follows in the next step, as after a switch
            self._switches[_POWER] = bool(self._part_settings.power)

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

    def settings_changed(self, before: SensorSettings) -> None:
        """Measure with other settings; another seed starts the noise again."""
        settings = self._part_settings
        self._adopt(settings, before)
        if settings.seed != before.seed:
            self._restart_noise()
        if settings.power is not None and settings.power != before.power:
            self.power = settings.power
        self._tell_settings()

    def _tell_settings(self) -> None:
        """Let files keep the settings."""
        known = self.readables.get(self.interface_id)
        if not isinstance(known, SensorReadable):
            known = SensorReadable(self.interface_id)
        # not through set_readable: the exact values are in place already
        self.readables[self.interface_id] = known.saying(self._part_settings)

    @property
    def id_words(self) -> tuple[str, ...]:
        """None: files keep the settings in elements."""
        return self.args

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Adopt the settings of a scene file."""
        if not isinstance(readable, SensorReadable):
            return
        settings = self.settings_type.from_file(readable.values)
        settings.check()
        self._adopt(settings, self._part_settings)
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
        typed = as_typed(geometry, _defaults_of(self).geometry())
        settings = self._part_settings.with_geometry(typed)
        settings.check()
        self._replace_settings(settings)

    def _adopt(self, settings: SensorSettings, before: SensorSettings) -> None:
        """Take settings over; after a failure those before are there again."""
        old, geometry = self._geometry, settings.geometry()
        self._part_settings, self._geometry = settings, geometry
        if _same(old, geometry):
            return
        try:
            self.geometry_changed()
        except BaseException:
            self._part_settings, self._geometry = before, old
            self.geometry_changed()
            raise

    @property
    def seed(self) -> int:
        """Start of the noise; assigning it restarts the noise. Saved with the scene."""
        return int(self._part_settings.seed)

    @seed.setter
    def seed(self, seed: int) -> None:
        self.change_settings(seed=seed)
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
        return self._part_settings, self.more_state()

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        settings, more = state
        if settings is not self._part_settings:
            self._adopt(settings, self._part_settings)
        self.set_more_state(more)


def _defaults_of(sensor: Any) -> Any:
    """Return default settings: one object for all sensors of a type."""
    return made_settings(sensor.settings_type, "", {})


def _same(a: Any, b: Any) -> bool:
    return all(
        np.array_equal(getattr(a, item.name), getattr(b, item.name))
        if isinstance(getattr(a, item.name), np.ndarray)
        else getattr(a, item.name) == getattr(b, item.name)
        for item in dataclasses.fields(a)
    )
