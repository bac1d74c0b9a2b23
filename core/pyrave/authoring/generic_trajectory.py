"""GenericTrajectory: waypoints in one array, every interpolation kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.cards import counted
from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.trajectories.groups import is_joint_kind
from pyrave.trajectories.interpolation import Interpolator, Segments, make_interpolators
from pyrave.trajectories.specification import ConfigurationSpecification, convert_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from pyrave.environment import Environment
    from pyrave.spatial import Array

# Clocks that count down reach zero from either side.
_NEGATIVE_TIME = -1e-14


@methods_suggest
class GenericTrajectory(TrajectoryBase):
    """The trajectory that OpenRAVE calls GenericTrajectory.

    Waypoints are one (n, dof) float64 array. Interpolation is per group: ``previous``,
    ``next`` (also the meaning of an empty name), ``max``, and polynomials from
    ``linear`` to ``sextic`` that take their coefficients from the derivative groups
    of the specification; quaternions are interpolated on the sphere.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._spec = ConfigurationSpecification()
        self._interpolators: tuple[Interpolator, ...] = ()
        self._time_column: int | None = None
        self._buffer: Array = np.empty((0, 0))
        self._count = 0
        self._times: Array | None = None

    def init(self, spec: ConfigurationSpecification) -> None:
        """Set the meaning of waypoints and drop those that are there.

        Raises
        ------
        ArgumentError
            The specification is not valid, or a polynomial interpolation has not the
            derivative groups that it needs.
        """
        spec.require_valid()
        interpolators = make_interpolators(spec.groups)
        column = next((g.offset for g in spec.groups if g.kind == "deltatime"), None)
        self._spec = spec
        self._interpolators = interpolators
        self._time_column = column
        self._buffer = np.empty((0, spec.dof))
        self.clear_waypoints()

    def __repr__(self) -> str:
        parts = [counted(self._count, "waypoint")]
        if self._time_column is not None and self._count:
            parts.append(f"{self.get_duration():.3f} s")
        parts += [
            group.name for group in self._spec.groups if group.kind != "deltatime"
        ]
        return f"<trajectory {self._interface_id}: {', '.join(parts)}>"

    def clear_waypoints(self) -> None:
        """Drop all waypoints; the specification stays."""
        self._count = 0
        self._times = None

    def insert(
        self,
        index: int,
        data: ArrayLike,
        spec: ConfigurationSpecification | None = None,
        overwrite: bool = False,
    ) -> None:
        """Put waypoints before waypoint `index`, or over those from it on."""
        self._require_spec()
        if not 0 <= index <= self._count:
            raise ArgumentError(
                f"index is {index}, expected 0 to {self._count} (the end)"
            )
        source = self._spec if spec is None else spec
        rows = _as_waypoints(data, source)
        if not rows.shape[0]:
            return
        replaced = min(rows.shape[0], self._count - index) if overwrite else 0
        # All conversions come first: a failing one must not change anything.
        over = self._buffer[index : index + replaced].copy()
        added = rows[replaced:]
        if source == self._spec:
            over = rows[:replaced]
        else:
            env = self.env
            if replaced:
                convert_data(self._spec, rows[:replaced], source, fill=False, out=over)
            added = convert_data(self._spec, added, source, env=env)
        self._buffer[index : index + replaced] = over
        self._splice(index + replaced, added)
        self._times = None

    def remove(self, start: int, end: int) -> None:
        """Remove waypoints `start` to `end` - 1."""
        self._require_range(start, end)
        tail = self._buffer[end : self._count].copy()
        self._buffer[start : start + tail.shape[0]] = tail
        self._count -= end - start
        self._times = None

    def sample(
        self, time: float, spec: ConfigurationSpecification | None = None
    ) -> Array:
        """Return the configuration (dof,) at a time in seconds."""
        return np.asarray(self.sample_points((time,), spec)[0])

    def sample_points(
        self, times: ArrayLike, spec: ConfigurationSpecification | None = None
    ) -> Array:
        """Return configurations (m, dof) at times (m,), all at once."""
        moments = _as_times(times)
        ends = self._require_timing()
        data = self._buffer[: self._count]
        index = np.searchsorted(ends, moments, side="left")
        late = moments >= ends[-1]
        inside = np.flatnonzero(~late & (index > 0))
        result = np.empty((moments.shape[0], self._spec.dof))
        result[:] = data[0]
        result[late] = data[-1]
        if inside.size:
            end = index[inside]
            begin = ends[end - 1]
            segments = Segments(data, end, moments[inside] - begin, ends[end] - begin)
            # files may hold infinite values; nothing lies half-way between those
            with np.errstate(invalid="ignore", over="ignore"):
                for interpolator in self._asked(spec):
                    values = interpolator.evaluate(segments)
                    result[inside, interpolator.group.columns] = values
            result[inside, self._time_column] = segments.time
        return self.converted(result, spec)

    def _asked(self, spec: ConfigurationSpecification | None) -> Iterator[Interpolator]:
        """Yield the interpolators of the groups from which others are converted."""
        wanted = None if spec is None else {group.kind for group in spec.groups}
        if wanted is not None and not all(map(is_joint_kind, wanted)):
            wanted = None  # poses come from groups of several kinds
        for one in self._interpolators:
            if wanted is None or one.group.kind in wanted:
                yield one

    def get_configuration_specification(self) -> ConfigurationSpecification:
        """Return the meaning of waypoints; without groups before `init`."""
        return self._spec

    def get_num_waypoints(self) -> int:
        """Return the number of waypoints."""
        return self._count

    def get_waypoints(
        self,
        start: int = 0,
        end: int | None = None,
        spec: ConfigurationSpecification | None = None,
    ) -> Array:
        """Return waypoints `start` to `end` - 1 as a new (n, dof) array."""
        end = self._count if end is None else end
        self._require_range(start, end)
        return self.converted(self._buffer[start:end].copy(), spec)

    def get_first_waypoint_index_after_time(self, time: float) -> int:
        """Return the index of the first waypoint that is not before `time`."""
        self._require_spec()
        if self._time_column is None:
            raise StateError(_NO_TIMING)
        ends = self._end_times()
        if not ends.size or time < ends[0]:
            return 0
        if time >= ends[-1]:
            return self._count
        return int(np.searchsorted(ends, time, side="left"))

    def get_duration(self) -> float:
        """Return the time of the last waypoint in seconds, 0 without timing."""
        if self._time_column is None or not self._count:
            return 0.0
        return float(self._end_times()[-1])

    def _end_times(self) -> Array:
        """Return the time (n,) of every waypoint."""
        if self._times is None:
            deltas = self._buffer[: self._count, self._time_column]
            if not (deltas >= 0).all():
                worst = int(np.flatnonzero(~(deltas >= 0))[0])
                raise StateError(
                    f"deltatime of waypoint {worst} is {deltas[worst]}, expected 0 or "
                    "more seconds"
                )
            self._times = np.cumsum(deltas)
        return self._times

    def _require_timing(self) -> Array:
        self._require_spec()
        if self._time_column is None:
            raise StateError(_NO_TIMING)
        if not self._count:
            raise StateError("the trajectory has no waypoint to sample; insert some")
        return self._end_times()

    def _require_spec(self) -> None:
        if not self._spec.groups:
            raise StateError("the trajectory has no specification; call init(spec)")

    def _require_range(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= self._count:
            raise ArgumentError(
                f"waypoints {start} to {end} do not exist; expected 0 <= start <= end "
                f"<= {self._count}"
            )

    def _splice(self, index: int, rows: Array) -> None:
        """Put rows before `index`; room grows geometrically, so appending is cheap."""
        count = self._count + rows.shape[0]
        if count > self._buffer.shape[0]:
            room = max(count, 2 * self._buffer.shape[0])
            grown = np.empty((room, self._spec.dof))
            grown[: self._count] = self._buffer[: self._count]
            self._buffer = grown
        if index < self._count:
            tail = self._buffer[index : self._count].copy()
            self._buffer[index + rows.shape[0] : count] = tail
        self._buffer[index : index + rows.shape[0]] = rows
        self._count = count


_NO_TIMING = (
    "the trajectory has no deltatime group, so it has no timing; retime it or add the "
    "group with add_delta_time_group()"
)


def _as_waypoints(data: ArrayLike, spec: ConfigurationSpecification) -> Array:
    """Return data as (n, dof); flat data is cut into waypoints."""
    dof = spec.dof
    try:
        rows = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"data is not an array of numbers: {data!r}") from error
    if not rows.size:
        return np.empty((0, dof))
    if not dof:
        raise ArgumentError("the specification of the data has no group")
    if rows.ndim == 1 and rows.size % dof == 0:
        return rows.reshape(-1, dof)
    if rows.ndim != 2 or rows.shape[1] != dof:
        raise ArgumentError(
            f"data has shape {rows.shape}, expected (n, {dof}) or a flat multiple of "
            f"{dof}"
        )
    return rows


def _as_times(times: ArrayLike) -> Array:
    """Return times as (m,) that are numbers and not negative."""
    try:
        moments = np.array(times, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"times are not numbers: {times!r}") from error
    if moments.ndim != 1:
        raise ArgumentError(f"times have shape {moments.shape}, expected (m,)")
    wrong = ~(moments >= _NEGATIVE_TIME)
    if wrong.any():
        raise ArgumentError(f"time is {moments[wrong][0]}, expected 0 or more seconds")
    return np.maximum(moments, 0.0)
