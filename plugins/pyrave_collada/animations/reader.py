"""``<library_animations>`` as trajectories of joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.coercion import HUGE
from pyrave_collada.animations.driven import DrivenJoints
from pyrave_collada.animations.samplers import Curves
from pyrave_collada.animations.trajectory import JointTrajectory
from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.parsed import children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.spatial import Array
    from pyrave_collada.animations.samplers import Curve
    from pyrave_collada.reading.kinematics.models import Axis
    from pyrave_collada.reading.load import ColladaReading
    from pyrave_collada.reading.scene import Scene

_MAX_CELLS = 20_000_000
_MEMBERS = {"X": 0, "Y": 1, "Z": 2}


def trajectories_of(scene: Scene) -> Iterator[JointTrajectory]:
    """Yield the trajectories of a read file's animations; problems are reported."""
    yield from _Animations(scene).read()


@dataclass(frozen=True, slots=True, eq=False)
class _Track:
    dof: int
    curve: Curve
    values: Array


class _Animations:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.reading: ColladaReading = scene.reading
        self.joints = DrivenJoints(scene)
        self.curves = Curves(self.reading.library.target)
        self.cells_left = _MAX_CELLS

    def read(self) -> Iterator[JointTrajectory]:
        tracks: dict[tuple[str, bool], list[_Track]] = {}
        root = self.scene.document.root
        for library in children(root, "library_animations"):
            for channel in library.iter("channel"):
                try:
                    body, track = self._track(channel)
                except ElementError as error:
                    self.reading.warn(
                        error.element, "bad-animation", f"{error}; it moves nothing"
                    )
                    continue
                tracks.setdefault((body, track.curve.holds), []).append(track)
        for (body, holds), several in tracks.items():
            # of several animations of one joint the last one counts
            last = {one.dof: one for one in several}
            ordered = [last[dof] for dof in sorted(last)]
            times = np.unique(np.concatenate([one.curve.times for one in ordered]))
            if times.size * len(ordered) > _MAX_CELLS:
                self.reading.warn(
                    root,
                    "bad-animation",
                    f"the animations of {body!r} have {times.size} times for "
                    f"{len(ordered)} joints, which is too much; they are left out",
                )
                continue
            columns = [_at(one, times) for one in ordered]
            yield JointTrajectory(
                body,
                np.array([one.dof for one in ordered]),
                times,
                np.column_stack(columns),
                "previous" if holds else "linear",
            )

    def _track(self, channel: Any) -> tuple[str, _Track]:
        path = (channel.get("target") or "").strip()
        found = self.reading.library.find(path, self.scene.document.root)
        if found is None:
            raise ElementError(f"the target {path!r} is not found", channel)
        place = self.joints.place(found)
        if place is None:
            raise ElementError(f"the target {path!r} drives no joint", channel)
        sampler = self.reading.library.target(channel, "source")
        if sampler is None:
            raise ElementError(f"{channel.get('source')!r} is not found", channel)
        driven = self.joints.dof(place)
        if driven is None:
            name = place[1][0].name
            raise ElementError(f"the joint {name!r} has no freedom to move", channel)
        body, dof = driven
        curve = self.curves.read(sampler)
        self.cells_left -= len(curve.times)
        if self.cells_left < 0:
            raise ElementError(
                f"all together have more than {_MAX_CELLS} keys", channel
            )
        values = self._values(curve, found.element, found.member, place[1][1], channel)
        if not max(np.abs(values).max(), np.abs(curve.times).max()) <= HUGE:
            raise ElementError("its numbers are absurdly large", channel)
        return body, _Track(dof, curve, values)

    def _values(
        self, curve: Curve, element: Any, member: str, axis: Axis, channel: Any
    ) -> Array:
        """Return the values of a joint, radians or metres, of the element's values."""
        values, width = curve.values, curve.values.shape[1]
        member = member.upper()
        line = np.array(axis.direction) / math.hypot(*axis.direction)
        unit = self.reading.unit(channel)
        if axis.prismatic:
            if element.tag != "translate" and width == 1:
                return np.asarray(values[:, 0] * unit)
            if member in _MEMBERS and width == 1 and abs(line[_MEMBERS[member]]) > 1e-9:
                return np.asarray(values[:, 0] * unit / line[_MEMBERS[member]])
            if not member and width == 3:
                return np.asarray(values @ line * unit)
            raise ElementError(f"{member or width} values do not move a slide", channel)
        radians = element.tag != "rotate" and self.scene.document.has_radians
        angles = values[:, -1] if radians else np.radians(values[:, -1])
        if width == (4 if element.tag == "rotate" and not member else 1):
            if element.tag == "rotate":
                numbers = self.reading.values.numbers(element, 4)
                if numbers is not None and np.dot(numbers[:3], line) < 0.0:
                    angles = -angles
            return np.asarray(angles)
        raise ElementError(f"{width} values at once do not turn a joint", channel)


def _at(track: _Track, times: Array) -> Array:
    if not track.curve.holds:
        return np.asarray(np.interp(times, track.curve.times, track.values))
    place = np.searchsorted(track.curve.times, times, side="right") - 1
    return np.asarray(track.values[np.maximum(place, 0)])
