"""`Trajectory`: waypoints, their meaning and their timing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import register_kind
from pyrave_openravepy.api.interface import Interface
from pyrave_openravepy.api.motion.specification import (
    ConfigurationSpecification,
    native_specification,
)

__all__ = ["Trajectory"]

Array = NDArray[np.float64]
_AS_XML = 0x8000
_SLACK = 1e-9


class Trajectory(Interface):
    """Waypoints of a specification, one after the other, and their times."""

    def Init(self, spec: Any) -> None:
        self._native.init(_initial(native_specification(spec)))

    def GetDescription(self) -> str:
        return str(self._native.description)

    def SetDescription(self, description: str) -> None:
        self._native.description = str(description)

    def ClearWaypoints(self) -> None:
        self._native.clear_waypoints()

    def Insert(self, index: int, data: Any, *options: Any, **named: Any) -> None:
        """Put waypoints before one; behind `data` come a specification, overwrite."""
        spec, overwrite = _insertion(options, named)
        meaning = self._native.spec if spec is None else spec
        rows = np.asarray(data, dtype=np.float64).ravel()
        if meaning.dof == 0 or rows.size % meaning.dof:
            raise openrave_exception(
                f"Insert is given {rows.size} numbers, expected a multiple of the "
                f"{meaning.dof} of a waypoint",
                ErrorCode.InvalidArguments,
            )
        if rows.size:
            shaped = rows.reshape(-1, meaning.dof)
            self._native.insert(int(index), shaped, spec, overwrite)

    def Remove(self, startindex: int, endindex: int) -> None:
        self._native.remove(int(startindex), int(endindex))

    # -- samples -------------------------------------------------------------

    def Sample(self, time: float, spec: Any = None) -> Array:
        return np.array(self._native.sample(float(time), _meaning(spec)))

    def SampleFromPrevious(self, data: Any, time: float, spec: Any = None) -> Array:
        """Sample into a copy of `data`: what there is no group for stays."""
        from pyrave.trajectories import convert_data

        own = self._native.spec
        wanted = own if spec is None else native_specification(spec)
        out = np.array(data, dtype=np.float64).reshape(wanted.dof)
        sampled = self._native.sample(float(time))
        convert_data(wanted, sampled, own, fill=False, out=out, env=self._native.env)
        return out

    def SamplePoints2D(self, times: Any, spec: Any = None) -> Array:
        moments = np.asarray(times, dtype=np.float64).ravel()
        return np.array(self._native.sample_points(moments, _meaning(spec)))

    def SamplePointsSameDeltaTime2D(
        self, deltatime: float, ensurelastpoint: bool, spec: Any = None
    ) -> Array:
        step, last = float(deltatime), bool(ensurelastpoint)
        sample = self._native.sample_range_same_delta_time
        return np.array(sample(step, last, _meaning(spec)))

    def SampleRangeSameDeltaTime2D(
        self,
        deltatime: float,
        startTime: float,
        stopTime: float,
        ensurelastpoint: bool,
        spec: Any = None,
    ) -> Array:
        step, start, stop = float(deltatime), float(startTime), float(stopTime)
        if not (step > 0.0 and 0.0 <= start <= stop):
            raise openrave_exception(
                f"times are {start} to {stop} s in steps of {step} s, expected a step "
                "above 0 and times in order, none negative",
                ErrorCode.InvalidArguments,
            )
        count = int(np.floor((stop - start) / step + _SLACK)) + 1
        times = np.minimum(start + step * np.arange(count), stop)
        if ensurelastpoint and stop - times[-1] > _SLACK * step:
            times = np.append(times, stop)
        return self.SamplePoints2D(times, spec)

    # -- waypoints -----------------------------------------------------------

    def GetConfigurationSpecification(self) -> ConfigurationSpecification:
        return ConfigurationSpecification._of(self._native.spec)

    def GetNumWaypoints(self) -> int:
        return int(self._native.get_num_waypoints())

    def GetWaypoints(self, startindex: int, endindex: int, spec: Any = None) -> Array:
        return self.GetWaypoints2D(startindex, endindex, spec).ravel()

    def GetWaypoints2D(self, startindex: int, endindex: int, spec: Any = None) -> Array:
        get = self._native.get_waypoints
        return np.array(get(int(startindex), int(endindex), _meaning(spec)))

    def GetAllWaypoints2D(self, spec: Any = None) -> Array:
        return np.array(self._native.get_waypoints(spec=_meaning(spec)))

    def GetWaypoint(self, index: int, spec: Any = None) -> Array:
        return np.array(self._native.get_waypoint(int(index), _meaning(spec)))

    def GetFirstWaypointIndexAfterTime(self, time: float) -> int:
        return int(self._native.get_first_waypoint_index_after_time(float(time)))

    def GetDuration(self) -> float:
        return float(self._native.get_duration())

    def __len__(self) -> int:
        return self.GetNumWaypoints()

    # a trajectory without waypoints is still one
    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: Any) -> Array:
        if isinstance(index, slice):
            return self.GetAllWaypoints2D()[index]
        if np.ndim(index):
            return np.array(self.GetAllWaypoints2D()[np.asarray(index, int)])
        return self.GetWaypoint(index)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.GetAllWaypoints2D())

    # -- files ---------------------------------------------------------------

    def serialize(self, options: Any = None) -> Any:
        """Return the binary form as bytes, or XML as text with option 0x8000."""
        if int(options or 0) & _AS_XML:
            return str(self._native.to_xml())
        return bytes(self._native.to_bytes())

    def deserialize(self, data: Any) -> Self:
        """Take over a text or bytes; return the trajectory, as scripts chain calls."""
        if isinstance(data, str) and not data.lstrip().startswith("<"):
            # the binary form, read from a file that was opened as text
            data = data.encode("utf-8", "surrogateescape")
        self._native.deserialize(data)
        return self

    def SaveToFile(self, filename: str, options: Any = None) -> None:
        from pyrave.files import write_file

        data = self._native.serialize(int(options or 0))
        try:
            write_file(str(filename), data)
        except OSError as error:
            raise openrave_exception(
                f"{filename} cannot be written: {error}"
            ) from error

    def LoadFromFile(self, filename: str) -> Self:
        try:
            data = Path(str(filename)).read_bytes()
        except OSError as error:
            raise openrave_exception(f"{filename} cannot be read: {error}") from error
        return self.deserialize(data)


def _initial(spec: Any) -> Any:
    """Return a specification, with lines where derivatives of curves are missing.

    OpenRAVE takes curves without derivatives, which it cannot sample.
    """
    from pyrave.trajectories.groups import interpolation_degree

    groups = []
    for group in spec.groups:
        degree = interpolation_degree(group.interpolation) or 0
        curved = degree > 1 and spec.find_time_derivative_group(group) is None
        bare = curved and spec.find_time_integral_group(group) is None
        groups.append(replace(group, interpolation="linear") if bare else group)
    return replace(spec, groups=tuple(groups))


def _meaning(spec: Any) -> Any:
    return None if spec is None else native_specification(spec)


def _insertion(options: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, bool]:
    """Return the specification and whether waypoints are replaced."""
    given = dict(named)
    if len(options) == 1 and isinstance(options[0], bool | int):
        given["overwrite"] = options[0]
    else:
        given.update(zip(("spec", "overwrite"), options, strict=False))
    spec = given.pop("spec", given.pop("group", None))
    overwrite = bool(given.pop("overwrite", False))
    if given or len(options) > 2:
        raise TypeError(
            "Insert takes index, data, a specification or group, and overwrite; found "
            f"{sorted(given) or list(options)}"
        )
    return _meaning(spec), overwrite


register_kind("trajectory", Trajectory)
