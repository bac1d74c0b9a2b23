"""Base of sensors that measure at a rate: the author writes `measure`."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from pyrave.errors import ArgumentError, CommandError, PluginError, did_you_mean, shown
from pyrave.interfaces.base import OwnState
from pyrave.interfaces.commands import command
from pyrave.interfaces.sensor import ConfigureCommand, SensorBase
from pyrave.interfaces.settings.declarations import made_settings
from pyrave.interfaces.settings.sensor_geometry import SensorGeometry
from pyrave.records import Record
from pyrave.sensing.data import SensorData
from pyrave.sensing.sensor_type import SensorType
from pyrave.spatial import Array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.environment import Environment
    from pyrave.scene import Readable

D = TypeVar("D", bound=SensorData)

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
class _State(Record):
    """State that all such sensors have, for a copy; it pickles."""

    pose: Array
    switches: Mapping[int, bool]
    time_to_measure: float | None
    data: SensorData | None
    geometry: SensorGeometry
    random: Mapping[str, Any] | None
    """None: nobody asked for a random number yet."""
    own: OwnState | None


class PeriodicSensor(SensorBase, Generic[D]):
    """Measures one kind of data at its own period of simulated time.

    A subclass names the classes of its data (`data_type`) and of its geometry
    (`settings_type`), measures (`measure`), and says how often (`period`). Switches,
    timing, settings, copies of data, callbacks, noise and state are taken care of; what
    a subclass adds to the state it returns from `get_own_state`.

    While it is switched on it measures in the first step and then every `period`; a
    step that is longer than that leaves out measurements, and the phase is kept.
    """

    data_type: ClassVar[type[SensorData]] = SensorData
    """Dataclass of its measurements."""
    settings_type: ClassVar[type[SensorGeometry]] = SensorGeometry
    """Frozen dataclass of its geometry, which is what callers and files set."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        kind: Any = cls.data_type
        fits = isinstance(kind, type) and issubclass(kind, SensorData)
        if not fits or "__dataclass_fields__" not in vars(kind):
            raise PluginError(
                f"data_type of {cls.__name__} is {shown(kind)}, expected a dataclass "
                "that derives from pyrave.SensorData; write @dataclass above it"
            )
        settings: Any = cls.settings_type
        if not isinstance(settings, type) or not issubclass(settings, SensorGeometry):
            raise PluginError(
                f"settings_type of {cls.__name__} is {shown(settings)}, expected a "
                "frozen dataclass that derives from pyrave.SensorGeometry"
            )

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._switches = dict(_AT_FIRST)
        # None: in the next step
        self._time_to_measure: float | None = None
        self._data: D | None = None
        if self._part_settings is not made_settings(self.settings_type, "", {}):
            self._tell_settings()
            # the first measurement follows in the next step, as after a switch
            self._switches[_POWER] = bool(self._part_settings.power)

    # -- for subclasses --------------------------------------------------------------

    @abstractmethod
    def measure(self) -> D:
        """Return a measurement of now; `new_data` makes one with stamp and pose.

        It is called while the sensor is switched on, when it is time, and by users at
        any time. Noise comes from `random`. One that calls `record` itself lets what
        users measure between steps be the latest measurement, too.
        """

    @property
    def geometry(self) -> SensorGeometry:
        """The geometry of the sensor, which are its settings."""
        made: SensorGeometry = self._part_settings
        return made

    @property
    def period(self) -> float:
        """Seconds between measurements; 0: every step measures.

        A subclass has its own: ``period = 0.1``, or a property.
        """
        return 0.0

    def restart(self) -> None:
        """Start over, as the sensor has just been switched on; call it of ``super()``.

        The next step measures.
        """
        self._time_to_measure = None

    def new_data(self, **values: Any) -> D:
        """Return data of this sensor with the present time and pose, and values."""
        kind: Any = self.data_type
        made: D = kind(
            **{"stamp": self.env.simulation_time, "pose": self.transform, **values}
        )
        return made

    def is_due(self, dt: float) -> bool:
        """Return True if to measure in a step of `dt` seconds; call it once in each."""
        if not self._switches[_POWER]:
            return False
        if self._time_to_measure is None:
            self._time_to_measure = self.period
            return True
        left = self._time_to_measure - dt
        is_time = left <= _TIME_TOLERANCE
        self._time_to_measure = max(left + self.period, 0.0) if is_time else left
        return is_time

    def record(self, data: D) -> D:
        """Let data be the latest measurement; publish and return a copy of them.

        Raises
        ------
        PluginError
            Arrays have other shapes or types than the class of the data says.
        """
        self.accept(data)
        self._data = data
        result = data.copy()
        self._data_callbacks(result, self._report_problem)
        return result

    @property
    def latest(self) -> D | None:
        """The latest measurement itself, not to be changed; `read` copies it."""
        return self._data

    # -- switches --------------------------------------------------------------------

    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch power, drawing of data or of the device; return the state, 1 or 0.

        Parameters
        ----------
        command
            What to switch or to check.
        blocking
            Wait until it is done.
        """
        switch, action = divmod(_switch(command), 16)
        if action <= 1:
            starting = action == 0 and not self._switches[switch]
            self._switches[switch] = action == 0
            if starting and switch == _POWER:
                self.restart()
        return int(self._switches[switch])

    @property
    def is_on(self) -> bool:
        """True if the sensor is switched on."""
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

    # -- data ------------------------------------------------------------------------

    def supports(self, sensor_type: SensorType) -> bool:
        """Return True for what the sensor measures."""
        return sensor_type == self.data_type.sensor_type

    def get_sensor_geometry(self, sensor_type: SensorType = SensorType.INVALID) -> Any:
        """Return the geometry."""
        self._require(sensor_type)
        return self.geometry

    def set_sensor_geometry(self, geometry: SensorGeometry) -> None:
        """Take another geometry; saved with the scene.

        Raises
        ------
        ArgumentError
            It is the geometry of another class of sensor, or makes no sense.
        NotSupportedError
            The geometry of the class is not what is set.
        """
        wanted = self.settings_type
        if type(self.geometry) is not wanted:
            super().set_sensor_geometry(geometry)
        if type(geometry) is not wanted:
            raise ArgumentError(f"expected a {wanted.__name__}, got {shown(geometry)}")
        geometry.check()
        self._replace_settings(geometry)

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
        mine = self._data.copy()
        for item in fields(self.data_type):
            setattr(data, item.name, getattr(mine, item.name))
        return True

    def simulation_step(self, dt: float) -> None:
        """Measure if it is time and the sensor is switched on."""
        if not self.is_due(dt):
            return
        before, data = self._data, self.measure()
        if self._data is not before:
            return
        if not isinstance(data, self.data_type):
            raise PluginError(
                f"measure() of {self!r} returned {shown(data)}, expected "
                f"{self.data_type.__name__}"
            )
        # what measure() keeps for itself may change
        self.record(data.copy())

    def _require(self, sensor_type: SensorType) -> None:
        known = (SensorType.INVALID, self.data_type.sensor_type)
        # an array would answer a comparison with an array
        if not isinstance(sensor_type, int) or sensor_type not in known:
            raise ArgumentError(
                f"{self!r} measures {self.data_type.sensor_type.name} data, not "
                f"{_name_of(sensor_type)}"
            )

    # -- settings --------------------------------------------------------------------

    @property
    def id_words(self) -> tuple[str, ...]:
        """The words behind the id that make an equal sensor; none for `in_elements`."""
        return self.args if self.settings_type.in_elements else super().id_words

    @property
    def color(self) -> tuple[float, float, float]:
        """Red, green, blue 0 to 1 of drawn data; assignable, saved with the scene."""
        found: tuple[float, float, float] = self._part_settings.color
        return found

    @color.setter
    def color(self, color: tuple[float, float, float]) -> None:
        self.change_settings(color=color)

    @property
    def seed(self) -> int:
        """Start of the noise; assigning it restarts the noise. Saved with the scene."""
        return int(self._part_settings.seed)

    @seed.setter
    def seed(self, seed: int) -> None:
        self.change_settings(seed=seed)
        self._restart_noise()

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over the geometry that a file says; call it of ``super()``."""
        found = self.settings_type.from_readable(readable)
        if found is None:
            return
        found.check()
        before = self._part_settings
        self._adopt(found)
        if found.seed != before.seed:
            self._restart_noise()
        if found.power is not None:
            self.power = found.power

    def _replace_settings(self, settings: Any) -> None:
        before = self._part_settings
        super()._replace_settings(settings)
        if settings.seed != before.seed:
            self._restart_noise()
        if settings.power is not None and settings.power != before.power:
            self.power = settings.power
        self._tell_settings()

    def _adopt(self, geometry: SensorGeometry) -> None:
        """Take over the geometry of a file or a copy, which has nothing to write."""
        before, self._part_settings = self._part_settings, geometry
        try:
            self.settings_changed(before)
        except BaseException:
            self._part_settings = before
            raise

    def _tell_settings(self) -> None:
        """Let files keep the settings."""
        geometry: SensorGeometry = self._part_settings
        if geometry.in_elements:
            key = self.interface_id
            # not through set_readable: the exact values are in place already
            self.readables[key] = geometry.to_readable(key, self.readables.get(key))

    # -- noise -----------------------------------------------------------------------

    @cached_property
    def random(self) -> np.random.Generator:
        """Source of the sensor's noise, a part of its state; `seed` restarts it.

        It is made on first use: most sensors of a scene never need it.
        """
        return np.random.default_rng(self.seed)

    def _restart_noise(self) -> None:
        self.__dict__.pop("random", None)

    # -- state -----------------------------------------------------------------------

    def get_state(self) -> Any:
        """Return pose, switches, noise, the latest measurement, and the class's own."""
        generator = vars(self).get("random")
        return _State(
            # that of a mounted one follows from its robot
            self._placement.copy(),
            dict(self._switches),
            self._time_to_measure,
            self._data,
            self._part_settings,
            None if generator is None else generator.bit_generator.state,
            super().get_state(),
        )

    def set_state(self, state: Any) -> None:
        """Adopt the state of a copy; ArgumentError for anything else."""
        if state is None:
            return
        if not isinstance(state, _State):
            raise ArgumentError(f"state is {shown(state)}, expected that of a sensor")
        data: Any = state.data
        if state.geometry is not self._part_settings:
            self._adopt(state.geometry)
        super().set_state(state.own)
        self._placement = state.pose.copy()
        self._switches = dict(state.switches)
        self._time_to_measure = state.time_to_measure
        self._data = data
        self._restart_noise()
        if state.random is not None:
            self.random.bit_generator.state = state.random


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
