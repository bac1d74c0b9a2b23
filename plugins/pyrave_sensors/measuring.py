"""What all built-in sensors share: switches, timing, pose, data, settings, state."""

from __future__ import annotations

import copy
import dataclasses
import math
import operator
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from pyrave.errors import ArgumentError, CommandError, did_you_mean, shown
from pyrave.interfaces.commands import command
from pyrave.interfaces.sensor import ConfigureCommand, SensorBase
from pyrave.interfaces.sensor_data import SensorData
from pyrave.interfaces.sensor_geometry import SensorGeometry, SensorType
from pyrave.spatial import Array
from pyrave_sensors.settings import MOST_SEED, SensorReadable
from pyrave_sensors.typed import as_kind, as_typed, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.scene import Readable
    from pyrave_sensors.settings import SettingTable

__all__ = ["MeasuringSensor"]

G = TypeVar("G", bound=SensorGeometry)
D = TypeVar("D", bound=SensorData)

_DEFAULT_COLOR = (0.5, 0.5, 1.0)
_TIME_TOLERANCE = 1e-9
# numbers that a message names
_FEW = 8


@dataclass(frozen=True, slots=True)
class _State:
    """Everything that a twin needs; it pickles."""

    geometry: SensorGeometry
    pose: Array
    power: bool
    render_data: bool
    render_geometry: bool
    time_to_measure: float | None
    data: SensorData | None
    color: tuple[float, float, float]
    seed: int
    random: Mapping[str, Any]
    more: Any


class MeasuringSensor(SensorBase, Generic[G, D]):
    """Measures one kind of data at its own period of simulated time.

    While it is switched on it measures in the first step and then every `period`, in
    every step if that is 0. A subclass says what it measures (`sample`), what its
    geometry means (`default_geometry`, `check_geometry`) and how files spell it
    (`settings`, `geometry_of`, `values_of`).
    """

    geometry_type: ClassVar[type[SensorGeometry]]
    data_type: ClassVar[type[SensorData]]
    settings: ClassVar[SettingTable]

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._geometry: G = self.default_geometry()
        self._power = False
        self._render_data = False
        self._render_geometry = True
        # None: in the next step
        self._time_to_measure: float | None = None
        self._data: D | None = None
        self._seed = 0
        self._color = _DEFAULT_COLOR

    # -- to be said by subclasses ----------------------------------------------------

    @abstractmethod
    def default_geometry(self) -> G:
        """Return the geometry of a sensor about which nothing is said."""

    @abstractmethod
    def check_geometry(self, geometry: G) -> None:
        """Raise ArgumentError if a geometry makes no sense."""

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

    @abstractmethod
    def geometry_of(self, values: Mapping[str, Any]) -> G:
        """Return the geometry that a file's values mean, see `settings`."""

    @abstractmethod
    def values_of(self, geometry: G) -> dict[str, Any]:
        """Return a geometry as values of a file; None where it is the default."""

    def geometry_changed(self) -> None:
        """React to another geometry; does nothing unless overridden."""

    def settings_read(self, values: Mapping[str, Any]) -> None:
        """Take over a file's values that are not part of the geometry."""

    def restart(self) -> None:
        """Begin anew, as the sensor has just been switched on."""
        self._time_to_measure = None

    def more_state(self) -> Any:
        """Return state beyond what all sensors have; must pickle."""
        return None

    def set_more_state(self, state: Any) -> None:
        """Take over what `more_state` of a twin returned."""

    # -- switches --------------------------------------------------------------------

    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch power, drawing of data or of the device; return the state, 1 or 0."""
        kind = _switch(command)
        if kind is ConfigureCommand.POWER_ON:
            if not self._power:
                self._power = True
                self.restart()
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

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over what a scene file says."""
        if not isinstance(readable, SensorReadable):
            return
        values = readable.values
        geometry = self.geometry_of(values)
        geometry.hardware_id = values.get("hardware_id", "")
        self._take(geometry)
        self._color = values.get("color", _DEFAULT_COLOR)
        if "seed" in values:
            self._start_noise(values["seed"])
        self.settings_read(values)
        if "power" in values:
            self.power = values["power"]

    def get_sensor_geometry(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorGeometry:
        """Return a copy of the geometry."""
        self._require(sensor_type)
        return copy.deepcopy(self._geometry)

    def set_sensor_geometry(self, geometry: SensorGeometry) -> None:
        """Change what the sensor is like; saved with the scene.

        Raises
        ------
        ArgumentError
            It is the geometry of another kind of sensor, or makes no sense.
        """
        if not isinstance(geometry, self.geometry_type):
            raise ArgumentError(
                f"expected a {self.geometry_type.__name__}, got {shown(geometry)}"
            )
        mine: Any = as_typed(geometry, self.default_geometry())
        self._take(mine)
        values = self.values_of(mine) | {"hardware_id": mine.hardware_id or None}
        self.remember(values)

    def remember(self, values: Mapping[str, Any]) -> None:
        """Keep values for saving; None: the default, which is not written."""
        known = self.readables.get(self.interface_id)
        if not isinstance(known, SensorReadable):
            known = SensorReadable(self.interface_id)
        # not through set_readable: the exact values are in place already
        self.readables[self.interface_id] = known.changed(self.settings, values)

    def _take(self, geometry: G) -> None:
        self.check_geometry(geometry)
        self._geometry = geometry
        self.geometry_changed()

    @property
    def color(self) -> tuple[float, float, float]:
        """Red, green, blue of drawn data, 0 to 1; assignable, saved with the scene."""
        return self._color

    @color.setter
    def color(self, color: Sequence[float]) -> None:
        rgb = as_kind(color, tuple[float, float, float], None, "color")
        if not all(0 <= part <= 1 for part in rgb):
            raise ArgumentError(f"color is {rgb}, expected three numbers, 0 to 1")
        self._color = rgb
        self.remember({"color": None if rgb == _DEFAULT_COLOR else rgb})

    @property
    def seed(self) -> int:
        """Where the noise starts; assign to start it anew, saved with the scene."""
        return self._seed

    @seed.setter
    def seed(self, seed: int) -> None:
        start = whole_number(seed, "the seed")
        if not 0 <= start <= MOST_SEED:
            raise ArgumentError(f"the seed is {start}, expected 0 to {MOST_SEED}")
        self._start_noise(start)
        self.remember({"seed": start or None})

    @cached_property
    def random(self) -> np.random.Generator:
        """Source of the sensor's noise; `seed` starts it anew.

        It is made when it is first asked for: most sensors of a scene never are.
        """
        return np.random.default_rng(self._seed)

    def _start_noise(self, seed: int) -> None:
        self._seed = seed
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
        for item in dataclasses.fields(self.data_type):
            value = getattr(self._data, item.name)
            copied = value.copy() if isinstance(value, np.ndarray) else value
            setattr(data, item.name, copied)
        return True

    def simulation_step(self, dt: float) -> None:
        """Measure if it is time and the sensor is switched on."""
        if not self._power:
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

    def get_state(self) -> Any:
        """Return settings, pose, switches, noise and the latest measurement."""
        return _State(
            copy.deepcopy(self._geometry),
            self.transform,
            self._power,
            self._render_data,
            self._render_geometry,
            self._time_to_measure,
            self._data,
            self._color,
            self._seed,
            self.random.bit_generator.state,
            self.more_state(),
        )

    def set_state(self, state: Any) -> None:
        """Take over what `get_state` of a twin returned."""
        if not isinstance(state, _State):
            return
        geometry: Any = copy.deepcopy(state.geometry)
        data: Any = state.data
        self._take(geometry)
        self._placement = state.pose.copy()
        self._power = state.power
        self._render_data = state.render_data
        self._render_geometry = state.render_geometry
        self._time_to_measure = state.time_to_measure
        self._data = data
        self._color = state.color
        self._start_noise(state.seed)
        self.random.bit_generator.state = state.random
        self.set_more_state(state.more)


def require_finite(geometry: SensorGeometry, *numbers: float) -> None:
    """Raise ArgumentError unless all numbers of a geometry are finite."""
    if not all(map(math.isfinite, numbers)):
        found = ", ".join(f"{number:g}" for number in numbers[:_FEW])
        raise ArgumentError(
            f"a sensor's numbers must be finite, those of a "
            f"{type(geometry).__name__} are {found}" + ", ..." * (len(numbers) > _FEW)
        )


def _copied(data: Any) -> Any:
    """Return measured data with arrays of its own."""
    kind = type(data)
    values = _FIELDS.get(kind)
    if values is None:
        names = [item.name for item in dataclasses.fields(kind)]
        values = _FIELDS[kind] = operator.attrgetter(*names)
    return kind(
        *[
            value.copy() if isinstance(value, np.ndarray) else value
            for value in values(data)
        ]
    )


_FIELDS: dict[type, Callable[[Any], tuple[Any, ...]]] = {}


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
