"""Base of sensors."""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

import numpy as np

from pyrave import sensing
from pyrave.argument_names import methods_suggest
from pyrave.attributes import answers_other_names, not_alone
from pyrave.errors import (
    ArgumentError,
    Error,
    NotSupportedError,
    PluginError,
    StateError,
    did_you_mean,
    shown,
)
from pyrave.interfaces.base import InterfaceBase, author_code, author_error, with_origin
from pyrave.interfaces.handles import CallbackList, Handle
from pyrave.sensing.data_checks import shape_problem, shapes_of
from pyrave.sensing.sensor_type import SensorType
from pyrave.spatial import Array, as_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.attached_sensor import AttachedSensor
    from pyrave.environment import Environment
    from pyrave.interfaces.settings.sensor_geometry import SensorGeometry
    from pyrave.scene import Location
    from pyrave.sensing import SensorData

Data = TypeVar("Data", bound="SensorData")


class ConfigureCommand(enum.IntEnum):
    """Switches of a sensor, with OpenRAVE's codes; ``*_CHECK`` asks for the state."""

    POWER_ON = 0x10
    POWER_OFF = 0x11
    POWER_CHECK = 0x12
    RENDER_DATA_ON = 0x20
    RENDER_DATA_OFF = 0x21
    RENDER_DATA_CHECK = 0x23
    RENDER_GEOMETRY_ON = 0x30
    RENDER_GEOMETRY_OFF = 0x31
    RENDER_GEOMETRY_CHECK = 0x32


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """A name in a sensor's settings under which nothing is found.

    Parameters
    ----------
    kind
        What the name is of, in words: ``"camera"``, ``"joint"``.
    name
        The name as it is written.
    known
        Names that would be found in its place.
    elsewhere
        It may be in a larger scene, of which the file of a robot or a sensor alone
        is a part. Environments are whole.
    hint
        What to do about it; empty: choose one of `known`.
    location
        Where a file says the name; None: where it says the sensor.
    """

    kind: str
    name: str
    known: tuple[str, ...] = ()
    elsewhere: bool = False
    hint: str = ""
    location: Location | None = None


@methods_suggest
@answers_other_names
class SensorBase(InterfaceBase):
    """Measures something. Off until it is switched on; data come from stepping.

    The environment calls `simulation_step` last in each step. A sensor asks for its
    `transform` when it measures; that of a mounted one follows the link.
    """

    _hot = "accept get_transform last_data measure publish simulation_step"

    interface_type: ClassVar[str] = "sensor"
    __reduce_ex__ = not_alone
    contract: ClassVar[int] = 2
    color: tuple[float, float, float] = (0.5, 0.5, 1.0)
    """Red, green, blue 0 to 1 in which viewers draw what the sensor measured."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.name = ""
        self._data_callbacks: CallbackList[SensorData] = CallbackList("data")
        self._mounting: AttachedSensor | None = None
        self._placement = np.eye(4)
        self._accepted: tuple[object, ...] = ()

    @abstractmethod
    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch something; checks return 1 (on) or 0 (off).

        Parameters
        ----------
        command
            What to switch or to check.
        blocking
            Wait until it is done.
        """

    @abstractmethod
    def get_sensor_geometry(self, sensor_type: SensorType = SensorType.INVALID) -> Any:
        """Return its geometry, of a type that it supports (or the main).

        It is a `SensorGeometry` of the sensor's own class, which cannot be changed.
        """

    @abstractmethod
    def create_sensor_data(self, sensor_type: SensorType = SensorType.INVALID) -> Any:
        """Return an empty data object to hand to `get_sensor_data`."""

    @abstractmethod
    def get_sensor_data(self, data: SensorData) -> bool:
        """Copy the latest measurement into `data`; False if there is none yet."""

    @abstractmethod
    def supports(self, sensor_type: SensorType) -> bool:
        """Return True if the sensor measures that kind of data."""

    def set_transform(self, transform: ArrayLike) -> None:
        """Place a sensor that stands alone, (4, 4) T_world_sensor.

        Raises
        ------
        StateError
            It is mounted on a robot.
        """
        pose = as_pose(transform, "transform of a sensor")
        if self._mounting is not None:
            raise StateError(
                f"{self!r} is mounted on {self._mounting.link!r} and moves with it; "
                "assign the local_transform of its mounting"
            )
        self._placement = pose.copy()

    def get_transform(self) -> Array:
        """Return (4, 4) T_world_sensor, a copy."""
        mounting = self._mounting
        return self._placement.copy() if mounting is None else mounting.transform

    def set_sensor_geometry(self, geometry: SensorGeometry) -> None:
        """Take another geometry, made of the present one by ``dataclasses.replace``."""
        raise NotSupportedError(f"the geometry of {self!r} cannot be changed")

    def simulation_step(self, dt: float) -> None:
        """Advance by `dt` seconds and measure when it is time."""

    def measure(self) -> Any:
        """Measure now, without stepping; returns data of the sensor's own class."""
        raise NotSupportedError(f"{self!r} measures only while the simulation steps")

    def accept(self, data: SensorData) -> None:
        """Refuse a measurement whose arrays have other shapes or types than its class.

        Parameters
        ----------
        data
            The measurement.

        Raises
        ------
        PluginError
            It does not fit; names the field and the plugin.
        """
        shapes = shapes_of(data)
        if shapes == self._accepted:
            return
        problem = shape_problem(data)
        if problem is not None:
            raise PluginError(f"{with_origin(self)} measured {problem}")
        self._accepted = shapes

    @overload
    def read(self) -> Any: ...
    @overload
    def read(self, kind: type[Data]) -> Data: ...
    def read(self, kind: type[SensorData] | None = None) -> SensorData:
        """Return the latest measurement; it measures now if there is none.

        A sensor that is on measures while time passes. One that is off does not: it
        measures anew each time it is read.

        Parameters
        ----------
        kind
            Class that the data must have, for example `LaserData`: type checkers then
            know their fields.

        Raises
        ------
        StateError
            There is none, and the sensor measures only while the environment steps.
        ArgumentError
            The data are of another class than `kind`.
        PluginError
            The sensor's class raises when it is asked.
        """
        if kind is not None and not _is_data_class(kind):
            raise ArgumentError(
                f"kind is {shown(kind)}, expected a class of sensor data such as "
                "pyrave.LaserData"
            )
        data = self._latest_or_new()
        if kind is not None and not isinstance(data, kind):
            raise ArgumentError(
                f"{self!r} measures {type(data).__name__}, expected {kind.__name__}"
            )
        return data

    def _latest_or_new(self) -> SensorData:
        power = self.power
        found = self.last_data() if power else None
        if found is not None:
            return found
        try:
            with author_code(self, "measure"):
                data: SensorData = self.measure()
                return data
        except NotSupportedError:
            if power:
                need = "has measured nothing yet; env.step(dt) lets it"
            else:
                need = (
                    "is off, and measures only while the environment steps; assign "
                    "True to its power and step"
                )
            raise StateError(f"{self!r} {need}") from None

    def last_data(self) -> SensorData | None:
        """Return the latest measurement, on or off; None when there is none yet.

        Raises
        ------
        PluginError
            The sensor's class raises when it is asked, or its data do not fit.
        """
        with author_code(self, "get_sensor_data"):
            data: SensorData = self.create_sensor_data()
            measured = bool(self.get_sensor_data(data))
        if not measured:
            return None
        self.accept(data)
        return data

    def ask_for(self, field: str) -> None:
        """Let measurements from now on have a field of the data.

        Nothing is to be done for it here, where measurements have all fields. Sensors
        that measure some of them only if they are asked to, as cameras do, override it.

        Raises
        ------
        ArgumentError
            The data have no such field.
        NotSupportedError
            This sensor cannot measure it.
        """
        known = [item.name for item in fields(self.create_sensor_data())]
        if field not in known:
            raise ArgumentError(
                f"{self!r} measures no {shown(field)}, expected one of "
                f"{', '.join(known)}{did_you_mean(str(field), known)}"
            )

    def unresolved_names(self) -> Iterable[UnresolvedName]:
        """Return the names in its settings under which nothing is found; none here.

        The environment asks when all that a scene says is there, and warns of each.
        """
        return ()

    @property
    def mounting(self) -> AttachedSensor | None:
        """The robot's attachment of the sensor; None if it is not mounted."""
        return self._mounting

    def mounted(self, mounting: AttachedSensor | None) -> None:
        """Set the mounting of the sensor; `AttachedSensor` calls this.

        A sensor that is taken off stays where it is.

        Parameters
        ----------
        mounting
            Where it is mounted, None: nowhere.
        """
        self._placement = self.get_transform()
        self._mounting = mounting

    def _switch(self, command: ConfigureCommand) -> bool:
        """Configure, and return what a check answers: it has to be true or false."""
        try:  # as `author_code`, in one call: readers ask each time
            return bool(self.configure(command))
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, Error)):
                raise
            raise author_error(self, "configure", error) from error

    @property
    def power(self) -> bool:
        """True if the sensor is switched on; assign to switch."""
        return self._switch(ConfigureCommand.POWER_CHECK)

    @power.setter
    def power(self, on: bool) -> None:
        commands = ConfigureCommand
        self._switch(_either(on, "power", commands.POWER_ON, commands.POWER_OFF))

    @property
    def render_data(self) -> bool:
        """True if viewers draw the measured data; assign to switch."""
        return self._switch(ConfigureCommand.RENDER_DATA_CHECK)

    @render_data.setter
    def render_data(self, on: bool) -> None:
        commands = ConfigureCommand
        self._switch(
            _either(
                on, "render_data", commands.RENDER_DATA_ON, commands.RENDER_DATA_OFF
            )
        )

    @property
    def render_geometry(self) -> bool:
        """True if viewers draw the device; assign to switch."""
        return self._switch(ConfigureCommand.RENDER_GEOMETRY_CHECK)

    @render_geometry.setter
    def render_geometry(self, on: bool) -> None:
        commands = ConfigureCommand
        self._switch(
            _either(
                on,
                "render_geometry",
                commands.RENDER_GEOMETRY_ON,
                commands.RENDER_GEOMETRY_OFF,
            )
        )

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_sensor; assign to place the sensor."""
        return self.get_transform()

    @transform.setter
    def transform(self, transform: ArrayLike) -> None:
        self.set_transform(transform)

    def register_data_callback(self, callback: Callable[[Any], object]) -> Handle:
        """Call `callback` with every new measurement until the handle is closed."""
        return self._data_callbacks.add(callback)

    def publish(self, data: SensorData) -> None:
        """Hand a new measurement to the data callbacks; sensors call this.

        Raises
        ------
        PluginError
            Its arrays have other shapes or types than its class says.
        """
        self.accept(data)
        self._data_callbacks(data, self._report_problem)


def _either(
    on: bool, name: str, true: ConfigureCommand, false: ConfigureCommand
) -> ConfigureCommand:
    """Return the command of a switch; texts like "off" are true and no answer."""
    if not isinstance(on, (int, np.bool_, np.integer)) or on not in {0, 1}:
        raise ArgumentError(f"{name} is {shown(on)}, expected True or False")
    return true if on else false


def _is_data_class(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, sensing.SensorData)
