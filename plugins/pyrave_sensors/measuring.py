"""Base of the built-in sensors: switches, timing, data, settings, state."""

from __future__ import annotations

import copy
import dataclasses
import functools
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np

from pyrave.errors import ArgumentError, CommandError, did_you_mean, shown
from pyrave.interfaces.commands import command
from pyrave.interfaces.sensor import ConfigureCommand, SensorBase
from pyrave.sensing.data import SensorData
from pyrave.sensing.geometry import SensorGeometry, SensorType
from pyrave.spatial import Array
from pyrave_sensors.reading import SensorReadable
from pyrave_sensors.settings import SensorSettings
from pyrave_sensors.typed import as_typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.scene import Readable

G = TypeVar("G", bound=SensorGeometry)
D = TypeVar("D", bound=SensorData)
T = TypeVar("T")

_TIME_TOLERANCE = 1e-9
# state of each switch by the first digit of its commands; the second is 0 for on, 1 for
# off, another for a question
_AT_FIRST = {
    ConfigureCommand.POWER_ON >> 4: False,
    ConfigureCommand.RENDER_DATA_ON >> 4: False,
    ConfigureCommand.RENDER_GEOMETRY_ON >> 4: True,
}
_POWER = ConfigureCommand.POWER_ON >> 4


@dataclass(frozen=True, slots=True)
class _State:
    """State of a sensor for a copy of it; it pickles."""

    settings: SensorSettings
    pose: Array
    switches: Mapping[int, bool]
    time_to_measure: float | None
    data: SensorData | None
    random: Mapping[str, Any]
    more: Any


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


class MeasuringSensor(SensorBase, Generic[G, D]):
    """Measures one kind of data at its own period of simulated time.

    While it is switched on it measures in the first step and then every `period`, in
    every step if that is 0. A subclass names the class of its settings, and measures
    (`sample`).
    """

    settings_type: ClassVar[type[SensorSettings]]
    data_type: ClassVar[type[SensorData]]

    color: SettingProperty[tuple[float, float, float]] = SettingProperty(
        "Red, green, blue of drawn data, 0 to 1; assignable, saved with the scene."
    )

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        kind: Any = self.settings_type
        self._settings: SensorSettings = _defaults(kind)
        self._geometry: G = self._settings.geometry()
        self._switches = dict(_AT_FIRST)
        # None: in the next step
        self._time_to_measure: float | None = None
        self._data: D | None = None

    # -- defined by subclasses -------------------------------------------------------

    @abstractmethod
    def sample(self, stamp: int, pose: Array) -> D:
        """Return a measurement of now.

        Parameters
        ----------
        stamp
            Simulated time, microseconds.
        pose
            (4, 4) T_world_sensor, not to be changed.
        """

    @property
    @abstractmethod
    def period(self) -> float:
        """Seconds between measurements; 0: every step measures."""

    def geometry_changed(self) -> None:
        """React to another geometry; does nothing unless overridden."""

    def restart(self) -> None:
        """Reset the sensor, as it has just been switched on."""
        self._time_to_measure = None

    def more_state(self) -> Any:
        """Return state beyond that of all sensors; must pickle."""
        return None

    def set_more_state(self, state: Any) -> None:
        """Adopt the `more_state` of a copy."""

    # -- switches --------------------------------------------------------------------

    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch power, drawing of data or of the device; return the state, 1 or 0."""
        switch, action = divmod(_switch(command), 16)
        if action <= 1:
            starting = action == 0 and not self._switches[switch]
            self._switches[switch] = action == 0
            if starting and switch == _POWER:
                self.restart()
        return int(self._switches[switch])

    @property
    def is_on(self) -> bool:
        """Whether the sensor is switched on."""
        return self._switches[_POWER]

    @command(name="Configure")
    def configure_by_name(self, switch: str) -> int:
        """Switch something by a name of OpenRAVE's; returns the state, 1 or 0.

        PowerOn, PowerOff, PowerCheck; RenderDataOn, RenderDataOff, RenderDataCheck;
        RenderGeometryOn, RenderGeometryOff, RenderGeometryCheck.
        """
        known = {_words(one.name): one for one in ConfigureCommand}
        names = {name.lower(): name for name in known}
        word = switch.removeprefix("CC_").lower()
        if word not in names:
            raise CommandError(
                f"{switch!r} is no switch{did_you_mean(switch, known)}; expected one "
                f"of {', '.join(known)}"
            )
        return self.configure(known[names[word]])

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

    def get_sensor_geometry(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorGeometry:
        """Return a copy of the geometry."""
        self._require(sensor_type)
        return copy.deepcopy(self._geometry)

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

    @cached_property
    def random(self) -> np.random.Generator:
        """Source of the sensor's noise; `seed` restarts it.

        It is made on first use: most sensors of a scene never need it.
        """
        return np.random.default_rng(self._settings.seed)

    def _restart_noise(self) -> None:
        self.__dict__.pop("random", None)

    def supports(self, sensor_type: SensorType) -> bool:
        """Return True for what the sensor measures."""
        return sensor_type == self.data_type.sensor_type

    def _require(self, sensor_type: SensorType) -> None:
        known = (SensorType.INVALID, self.data_type.sensor_type)
        # an array would answer a comparison with an array
        if not isinstance(sensor_type, int) or sensor_type not in known:
            raise ArgumentError(
                f"{self!r} measures {self.data_type.sensor_type.name} data, not "
                f"{_name_of(sensor_type)}"
            )

    # -- measuring -------------------------------------------------------------------

    def create_sensor_data(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorData:
        """Return an empty data object."""
        self._require(sensor_type)
        return self.data_type()

    def get_sensor_data(self, data: SensorData) -> bool:
        """Copy the latest measurement into `data`; False if there is none yet."""
        if not isinstance(data, self.data_type):
            raise ArgumentError(
                f"{self!r} fills {self.data_type.__name__}, got "
                f"{type(data).__name__}; use create_sensor_data()"
            )
        if self._data is None:
            return False
        kind: Any = self.data_type
        mine = _copied(self._data)
        for name in _names(kind):
            setattr(data, name, getattr(mine, name))
        return True

    def simulation_step(self, dt: float) -> None:
        """Measure if it is time and the sensor is switched on."""
        if not self.is_on:
            return
        if self._time_to_measure is None:
            self._time_to_measure = self.period
        else:
            self._time_to_measure -= dt
            if self._time_to_measure > _TIME_TOLERANCE:
                return
            # keep the phase; a step longer than the period leaves out measurements
            self._time_to_measure = max(self._time_to_measure + self.period, 0.0)
        self.measure()

    def measure(self) -> D:
        """Measure now, switched on or not; returns data of the caller's own."""
        self._data = self.sample(self.env.simulation_time, self.transform)
        result: D = _copied(self._data)
        self.publish(result)
        return result

    @property
    def latest(self) -> D | None:
        """The latest measurement itself, for subclasses; not to be changed."""
        return self._data

    # -- state -----------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return settings, pose, switches, noise and the latest measurement."""
        return _State(
            self._settings,
            self.transform,
            dict(self._switches),
            self._time_to_measure,
            self._data,
            self.random.bit_generator.state,
            self.more_state(),
        )

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        if not isinstance(state, _State):
            return
        data: Any = state.data
        self._adopt(state.settings)
        self._placement = state.pose.copy()
        self._switches = dict(state.switches)
        self._time_to_measure = state.time_to_measure
        self._data = data
        self._restart_noise()
        self.random.bit_generator.state = state.random
        self.set_more_state(state.more)


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


def _copied(data: Any) -> Any:
    """Return measured data with arrays of its own."""
    kind: Any = type(data)
    values = (getattr(data, name) for name in _names(kind))
    return kind(*[v.copy() if isinstance(v, np.ndarray) else v for v in values])


@functools.cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in dataclasses.fields(kind))


def _words(name: str) -> str:
    """Return OpenRAVE's spelling of a constant: POWER_ON is PowerOn."""
    return name.title().replace("_", "")


def _name_of(kind: Any) -> str:
    return kind.name if isinstance(kind, SensorType) else shown(kind)


def _switch(asked: Any) -> ConfigureCommand:
    try:
        return ConfigureCommand(asked)
    except ValueError:
        raise ArgumentError(
            f"the command is {shown(asked)}, expected a ConfigureCommand, for example "
            "ConfigureCommand.POWER_ON"
        ) from None
