"""Animations of joints, as trajectories of bodies, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pyrave_collada.document import children
from pyrave_collada.driven import DrivenJoints
from pyrave_collada.samplers import CurveError, Curves

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from pyrave.interfaces import EnvironmentProtocol, TrajectoryBase
    from pyrave.spatial import Array
    from pyrave_collada.kinematics import Axis
    from pyrave_collada.reading import Reading
    from pyrave_collada.samplers import Curve
    from pyrave_collada.scene import Scene

__all__ = ["JointTrajectory", "read_trajectories", "write_trajectories"]

_MAX_CELLS = 20_000_000
_MEMBERS = {"X": 0, "Y": 1, "Z": 2}


@dataclass(frozen=True, slots=True, eq=False)
class JointTrajectory:
    """What animations do to the joints of one body.

    Parameters
    ----------
    body
        Its name.
    dof_indices
        The degrees of freedom that move, (k,).
    times
        (n,) float64, seconds, rising.
    values
        (n, k) float64, radians or metres.
    interpolation
        ``linear`` between waypoints, or ``previous``: values hold until the next one.
    """

    body: str
    dof_indices: tuple[int, ...]
    times: Array
    values: Array
    interpolation: Literal["linear", "previous"] = "linear"

    def trajectory(self, env: EnvironmentProtocol) -> TrajectoryBase:
        """Return a trajectory of an environment with the waypoints."""
        from pyrave import ConfigurationSpecification

        indices = " ".join(map(str, self.dof_indices))
        spec = ConfigurationSpecification().add_group(
            f"joint_values {self.body} {indices}",
            len(self.dof_indices),
            self.interpolation,
        )
        made: TrajectoryBase = env.create("trajectory", "")  # type: ignore[assignment]
        made.init(spec.add_delta_time_group())
        steps = np.diff(self.times, prepend=0.0)
        made.insert(0, np.column_stack((self.values, steps)))
        return made


def read_trajectories(
    path: str | os.PathLike[str],
    *,
    resource_roots: Iterable[str | os.PathLike[str]] = (),
    confine: bool = False,
    strict: bool = False,
) -> tuple[JointTrajectory, ...]:
    """Return what the ``<library_animations>`` of a COLLADA file do to joints.

    Parameters
    ----------
    path
        A .dae or .zae file.
    resource_roots, confine, strict
        As `pyrave.load` has them.

    Returns
    -------
    tuple of JointTrajectory
        One for each body and kind of interpolation; bent curves become lines between
        points of the curve.

    Raises
    ------
    SceneError
        The file is damaged; if `strict`, also where an animation drives no joint.
    """
    scene = _opened(path, resource_roots, confine, strict)
    found = tuple(_Animations(scene).read())
    scene.reading.context.diagnostics.raise_if_refused(strict=strict)
    return found


def write_trajectories(
    path: str | os.PathLike[str],
    trajectories: Iterable[TrajectoryBase | JointTrajectory],
    *,
    resource_roots: Iterable[str | os.PathLike[str]] = (),
    confine: bool = False,
) -> tuple[str, ...]:
    """Put trajectories into a COLLADA file, in place of its ``<library_animations>``.

    Polynomials up to the third degree are said exactly, as Bezier curves.

    Parameters
    ----------
    path
        A .dae or .zae file with the bodies that move; the rest of it stays.
    trajectories
        Trajectories of an environment, with times, or those that were read.
    resource_roots, confine
        As `pyrave.load` has them.

    Returns
    -------
    tuple of str
        What of the trajectories animations of joints cannot say.

    Raises
    ------
    ArgumentError
        A trajectory has no times or no waypoints, or names a body or a degree of
        freedom that the file does not have.
    SceneError
        The file is damaged, or cannot be written.
    """
    from pyrave_collada.writing.trajectories import animate

    return animate(_opened(path, resource_roots, confine), trajectories)


def _opened(
    path: str | os.PathLike[str],
    resource_roots: Iterable[str | os.PathLike[str]],
    confine: bool,
    strict: bool = False,
) -> Scene:
    """Return a file that is read, without its geometries."""
    from pyrave.formats import ReadContext, Resolver, open_source
    from pyrave_collada.scene import open_scene

    roots = [str(one) for one in resource_roots]
    context = ReadContext(
        resolver=Resolver(roots, confine=confine), skip_geometry=True, strict=strict
    )
    scene = open_scene(open_source(path, context), context)
    scene.read()
    context.diagnostics.raise_if_refused()
    return scene


@dataclass(frozen=True, slots=True, eq=False)
class _Track:
    dof: int
    curve: Curve
    values: Array


class _Animations:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.reading: Reading = scene.reading
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
                except CurveError as error:
                    self.reading.warn(
                        "bad-animation", f"{error}; it moves nothing", error.element
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
                    "bad-animation",
                    f"the animations of {body!r} have {times.size} times for "
                    f"{len(ordered)} joints, which is too much; they are left out",
                    root,
                )
                continue
            columns = [_at(one, times) for one in ordered]
            yield JointTrajectory(
                body,
                tuple(one.dof for one in ordered),
                times,
                np.column_stack(columns),
                "previous" if holds else "linear",
            )

    def _track(self, channel: Any) -> tuple[str, _Track]:
        path = (channel.get("target") or "").strip()
        found = self.reading.library.find(path, self.scene.document.root)
        if found is None:
            raise CurveError(f"the target {path!r} is not found", channel)
        place = self.joints.place(found)
        if place is None:
            raise CurveError(f"the target {path!r} drives no joint", channel)
        sampler = self.reading.library.target(channel, "source")
        if sampler is None:
            raise CurveError(f"{channel.get('source')!r} is not found", channel)
        driven = self.joints.dof(place)
        if driven is None:
            name = place[1][0].name
            raise CurveError(f"the joint {name!r} has no freedom to move", channel)
        body, dof = driven
        curve = self.curves.of(sampler)
        self.cells_left -= len(curve.times)
        if self.cells_left < 0:
            raise CurveError(f"all together have more than {_MAX_CELLS} keys", channel)
        values = self._values(curve, found.element, found.member, place[1][1], channel)
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
            raise CurveError(f"{member or width} values do not move a slide", channel)
        radians = element.tag != "rotate" and self.scene.document.has_radians
        angles = values[:, -1] if radians else np.radians(values[:, -1])
        if width == (4 if element.tag == "rotate" and not member else 1):
            if element.tag == "rotate":
                numbers = self.reading.values.numbers(element, 4)
                if numbers is not None and np.dot(numbers[:3], line) < 0.0:
                    angles = -angles
            return np.asarray(angles)
        raise CurveError(f"{width} values at once do not turn a joint", channel)


def _at(track: _Track, times: Array) -> Array:
    if not track.curve.holds:
        return np.asarray(np.interp(times, track.curve.times, track.values))
    place = np.searchsorted(track.curve.times, times, side="right") - 1
    return np.asarray(track.values[np.maximum(place, 0)])
