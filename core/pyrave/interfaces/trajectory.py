"""The interface type trajectory: waypoints, their meaning and their timing."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, cast

import numpy as np

from pyrave import trajectories
from pyrave.argument_names import methods_suggest
from pyrave.attributes import answers_other_names
from pyrave.errors import (
    ArgumentError,
    SceneError,
    StateError,
    shown,
)
from pyrave.interfaces.base import InterfaceBase
from pyrave.scene.readable import Readables
from pyrave.trajectories.record import TrajectoryRecord

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment import Environment
    from pyrave.plots.figure import Plot
    from pyrave.spatial import Array
    from pyrave.trajectories import ConfigurationSpecification

SERIALIZE_XML = 0x8000
"""Option bit of `TrajectoryBase.serialize`: XML instead of the binary form."""

_BODIES = frozenset({"kinbody", "robot"})
_TIME_TOLERANCE = 1e-9
_MAX_SAMPLES = 100_000_000


class Motion(Protocol):
    """A plan or a joint path: it has a trajectory, or the cause of there being none."""

    @property
    def trajectory(self) -> TrajectoryBase:
        """The motion in time; `StateError` with the cause without one."""
        ...

    @property
    def cause(self) -> str:
        """Reason for having no trajectory; empty if there is one."""
        ...


class MotionResult(ABC):
    """A result that is true if there is a motion, and else says the cause."""

    __slots__ = ()
    _lack: ClassVar[str] = "there is no motion"
    timed: TrajectoryBase | None

    def __bool__(self) -> bool:
        return self.timed is not None

    @property
    @abstractmethod
    def cause(self) -> str:
        """Reason for having no motion, in words; empty if there is one."""

    @property
    def assumed(self) -> Mapping[str, tuple[Array, Array]]:
        """T_world_body (4, 4) and joint values of bodies that it relies on, by name."""
        return {}

    @property
    def trajectory(self) -> TrajectoryBase:
        """The motion in time, from rest to rest.

        Raises
        ------
        StateError
            There is none; says why, as `cause` does.
        """
        if self.timed is None:
            raise StateError(f"{self._lack}: {self.cause}")
        return self.timed


@methods_suggest
@answers_other_names
class TrajectoryBase(InterfaceBase):
    """A path of waypoints with timing. Belongs to one environment and its thread.

    A waypoint is one configuration of the trajectory's specification; a waypoint's
    ``deltatime`` is the seconds since the one before (for the first: since time 0).

    Authors implement the abstract methods; the rest builds on them and may be
    overridden for speed.
    """

    _hot = "get_duration get_num_waypoints get_waypoint sample"

    interface_type: ClassVar[str] = "trajectory"
    contract: ClassVar[int] = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._text = ""

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        body: KinBody | None = None,
        relative: bool = False,
    ) -> Plot:
        """Draw values, velocities and accelerations over time, with their limits.

        Dashed lines are limits; those far from what is drawn are left out. A trajectory
        without times is drawn by waypoints, one about no joints by its groups.

        Parameters
        ----------
        path
            A file in ``.png``, ``.jpg``, ``.svg`` or ``.pdf`` that it is written to,
            too.
        body
            Whose joints; None: the first body of the environment that it is about.
        relative
            Values as parts of their ranges, and rates of their limits: 0 to 1 and -1 to
            1 are within limits.

        Returns
        -------
        Plot
            A figure of matplotlib.

        Raises
        ------
        NotSupportedError
            matplotlib is not installed; the extra ``plot`` brings it.
        StateError
            There are no waypoints.
        ArgumentError
            The name has another ending, or the file cannot be written.
        """
        from pyrave.plots import require_matplotlib

        require_matplotlib("trajectory.plot()")
        from pyrave.plots.figure import write_plot
        from pyrave.plots.trajectory import plot_trajectory

        if not len(self):
            raise StateError(
                "the trajectory has no waypoints, there is nothing to draw"
            )
        if body is None:
            names = [group.body_name for group in self.spec]
            found = (self.env.bodies.get(name) for name in names if name)
            body = next((one for one in found if one is not None), None)
        elif not isinstance(body, InterfaceBase) or body.interface_type not in _BODIES:
            raise ArgumentError(f"body is {shown(body)}, expected a body or robot")
        return write_plot(plot_trajectory(self, body, relative=relative), path)

    def _repr_html_(self) -> str:
        from pyrave.interfaces.trajectory_html import trajectory_card

        return trajectory_card(self)

    # -- to implement --------------------------------------------------------

    @abstractmethod
    def init(self, spec: ConfigurationSpecification) -> None:
        """Set the meaning of waypoints and drop those that are there.

        An empty specification makes the trajectory as it was when created.
        """

    @abstractmethod
    def clear_waypoints(self) -> None:
        """Drop all waypoints; the specification stays."""

    @abstractmethod
    def insert(
        self,
        index: int,
        data: ArrayLike,
        spec: ConfigurationSpecification | None = None,
        overwrite: bool = False,
    ) -> None:
        """Put waypoints before waypoint `index`.

        Parameters
        ----------
        index
            0 to the number of waypoints.
        data
            (n, dof), (dof,) or flat (n * dof,) float64.
        spec
            Meaning of `data` when it differs from the trajectory's. Values that it
            does not have become zero (identity poses).
        overwrite
            Replace the waypoints from `index` on, as many as are given, and append
            what goes beyond the end. Values that `spec` does not have stay.
        """

    @abstractmethod
    def remove(self, start: int, end: int) -> None:
        """Remove waypoints `start` to `end` - 1."""

    @abstractmethod
    def sample(
        self, time: float, spec: ConfigurationSpecification | None = None
    ) -> Array:
        """Return the configuration (dof,) at a time in seconds.

        The first waypoint holds before its own time, the last after the end. The
        ``deltatime`` of a sample in between is the time since the waypoint before.

        Raises
        ------
        StateError
            There is no ``deltatime`` group, or no waypoint.
        ArgumentError
            `time` is negative or not a number.
        """

    @abstractmethod
    def get_configuration_specification(self) -> ConfigurationSpecification:
        """Return the meaning of waypoints."""

    @abstractmethod
    def get_num_waypoints(self) -> int:
        """Return the number of waypoints."""

    @abstractmethod
    def get_waypoints(
        self,
        start: int = 0,
        end: int | None = None,
        spec: ConfigurationSpecification | None = None,
    ) -> Array:
        """Return waypoints `start` to `end` - 1 as a new (n, dof) array."""

    @abstractmethod
    def get_first_waypoint_index_after_time(self, time: float) -> int:
        """Return the index of the first waypoint that is not before `time`.

        The number of waypoints when `time` is at or beyond the end.
        """

    @abstractmethod
    def get_duration(self) -> float:
        """Return the time of the last waypoint in seconds, 0 without timing."""

    # -- conveniences --------------------------------------------------------

    def __len__(self) -> int:
        return self.get_num_waypoints()

    # A trajectory without waypoints is still a trajectory.
    def __bool__(self) -> bool:
        return True

    @property
    def duration(self) -> float:
        """Time of the last waypoint in seconds."""
        return self.get_duration()

    @property
    def spec(self) -> ConfigurationSpecification:
        """Meaning of waypoints."""
        return self.get_configuration_specification()

    @property
    def waypoints(self) -> Array:
        """All waypoints, a new (n, dof) array."""
        return self.get_waypoints()

    @property
    def description(self) -> str:
        """Free text that travels with the trajectory."""
        return self._text

    @description.setter
    def description(self, text: str) -> None:
        self._text = text

    def append(
        self, data: ArrayLike, spec: ConfigurationSpecification | None = None
    ) -> None:
        """Put waypoints at the end.

        Parameters
        ----------
        data
            (n, dof), or (dof,) for one.
        """
        self.insert(self.get_num_waypoints(), data, spec)

    def get_waypoint(
        self, index: int, spec: ConfigurationSpecification | None = None
    ) -> Array:
        """Return one waypoint (dof,); negative indices count from the end."""
        count = self.get_num_waypoints()
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            raise ArgumentError(f"waypoint {index} of {count} does not exist")
        return np.asarray(self.get_waypoints(place, place + 1, spec)[0])

    def sample_points(
        self, times: ArrayLike, spec: ConfigurationSpecification | None = None
    ) -> Array:
        """Return configurations (m, dof) at times (m,); see `sample`."""
        moments = np.asarray(times, dtype=np.float64)
        dof = (spec or self.get_configuration_specification()).dof
        rows = [self.sample(float(time), spec) for time in moments]
        return np.array(rows, dtype=np.float64).reshape(len(rows), dof)

    def sample_range_same_delta_time(
        self,
        delta_time: float,
        ensure_last: bool = True,
        spec: ConfigurationSpecification | None = None,
    ) -> Array:
        """Return configurations (m, dof) at 0, dt, 2 dt, ...

        Parameters
        ----------
        delta_time
            Seconds, positive.
        ensure_last
            End with a sample at the duration, even when it is not a multiple.
        """
        if not 0 < delta_time < np.inf:
            raise ArgumentError(f"delta_time is {delta_time}, expected more than 0 s")
        duration = self.get_duration()
        steps = duration / delta_time
        if steps > _MAX_SAMPLES:
            raise ArgumentError(
                f"delta_time {delta_time} s gives {steps:.3g} samples over "
                f"{duration} s; at most {_MAX_SAMPLES} are allowed"
            )
        count = int(np.floor(steps + _TIME_TOLERANCE)) + 1
        times = np.minimum(np.arange(count) * delta_time, duration)
        if ensure_last and duration - times[-1] > _TIME_TOLERANCE * delta_time:
            times = np.append(times, duration)
        elif ensure_last:
            times[-1] = duration
        return self.sample_points(times, spec)

    def swap(self, other: TrajectoryBase) -> None:
        """Exchange contents with another trajectory, readables included."""
        mine, theirs = self._record(), other._record()
        self._restore(theirs)
        other._restore(mine)

    # -- state and text ------------------------------------------------------

    def get_state(self) -> Any:
        """Return specification, waypoints, description, readables, the class's own."""
        return self._record(), super().get_state()

    def set_state(self, state: Any) -> None:
        """Take over what `get_state` returned; None changes nothing."""
        if state is not None:
            record, own = state
            self._restore(record)
            super().set_state(own)

    def serialize(self, options: int = 0) -> bytes:
        """Return the binary form, or UTF-8 XML when `options` has `SERIALIZE_XML`."""
        if options & SERIALIZE_XML:
            return self.to_xml().encode()
        return self.to_bytes()

    def deserialize(self, source: str | bytes | bytearray | memoryview) -> None:
        """Take over what `serialize` or OpenRAVE wrote; distinguished by the beginning.

        Parameters
        ----------
        source
            The data, or XML text.

        Raises
        ------
        SceneError
            The data is not a trajectory; nothing has changed then.
        """
        from pyrave.trajectories import binary, xml

        if isinstance(source, bytearray | memoryview):
            source = bytes(source)
        if isinstance(source, bytes) and binary.is_binary(source):
            record = binary.read(source)
        else:
            record = xml.read(source, self.interface_id)
        self._take_over(record)

    def to_bytes(self) -> bytes:
        """Return OpenRAVE's binary form, version 3; every float exact."""
        from pyrave.trajectories import binary

        return binary.write(self._record())

    def to_xml(self, digits: int = 16) -> str:
        """Return OpenRAVE's XML form.

        Parameters
        ----------
        digits
            Significant digits; OpenRAVE writes 16, which may change the last bit of
            a value; 17 is exact.
        """
        from pyrave.trajectories import xml

        return xml.write(self._record(), self.interface_id, digits)

    def read_element(self, element: Any) -> None:
        """Take over a ``<trajectory>`` of a scene: an lxml element or an XmlElement.

        Raises
        ------
        SceneError
            As `deserialize`.
        """
        from pyrave.trajectories import xml

        self._take_over(xml.read(element, self.interface_id))

    @classmethod
    def from_bytes(cls, env: Environment, data: bytes) -> Self:
        """Return a new trajectory from the binary form (or XML bytes).

        Parameters
        ----------
        data
            Of `serialize`.
        """
        trajectory = cls._new(env)
        trajectory.deserialize(data)
        return trajectory

    @classmethod
    def from_xml(cls, env: Environment, text: str | bytes) -> Self:
        """Return a new trajectory from the XML form.

        Parameters
        ----------
        text
            A document whose root is ``<trajectory>``.
        """
        trajectory = cls._new(env)
        trajectory.deserialize(text)
        return trajectory

    @classmethod
    def _new(cls, env: Environment) -> Self:
        """Return an empty trajectory; one of the default class for the base itself."""
        if not inspect.isabstract(cls):
            return cls(env)
        made = env.create("trajectory", env.registry.default_id("trajectory"))
        return cast("Self", made)

    # -- helpers for authors -------------------------------------------------

    def converted(self, rows: Array, spec: ConfigurationSpecification | None) -> Array:
        """Return configurations (n, dof) of this trajectory in `spec`, if one is given.

        For what `sample` and `get_waypoints` return; `pyrave.trajectories.convert_data`
        converts what `insert` is given.

        Parameters
        ----------
        rows
            (n, dof) waypoints.
        """
        own = self.get_configuration_specification()
        if spec is None or spec == own:
            return rows
        return trajectories.convert_data(spec, rows, own, env=self.env)

    def _record(self) -> TrajectoryRecord:
        spec = self.get_configuration_specification()
        rows = self.get_waypoints() if spec.groups else np.empty((0, 0))
        return TrajectoryRecord(spec, rows, self._text, self.readables.items())

    def _take_over(self, record: TrajectoryRecord) -> None:
        """Restore what a file says; `init` refuses before it changes anything."""
        try:
            self._restore(record)
        except ArgumentError as error:
            raise SceneError.refusal("trajectory", str(error)) from error

    def _restore(self, record: TrajectoryRecord) -> None:
        self.init(record.spec)
        if record.waypoints.size:
            self.insert(0, record.waypoints)
        self._text = record.description
        self._readables = Readables(record.readables)


def as_trajectory(given: object, name: str = "trajectory") -> TrajectoryBase:
    """Return a trajectory as such, or that of a plan or of a joint path.

    Raises
    ------
    ArgumentError
        It is something else, or there is no motion, with the cause.
    """
    if isinstance(given, TrajectoryBase):
        return given
    cause = getattr(given, "cause", "")
    if cause and not given:
        raise ArgumentError(f"the {type(given).__name__} is no motion: {cause}")
    motion = getattr(given, "trajectory", None)
    if not isinstance(motion, TrajectoryBase):
        raise ArgumentError(
            f"{name} is {shown(given)}, expected a trajectory, the result of a plan or "
            "a joint path of an arm; planning.retime(robot, waypoints) makes one of "
            "joint values"
        )
    return motion
