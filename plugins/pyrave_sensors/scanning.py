"""What all scanners share: casting rays on the move, noise, intensity, commands."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.commands import command
from pyrave.interfaces.sensor_data import LaserData
from pyrave.interfaces.sensor_geometry import LaserGeometry
from pyrave.spatial import Array
from pyrave_sensors.angles import degrees
from pyrave_sensors.casting import cast_over_time
from pyrave_sensors.measuring import require_finite
from pyrave_sensors.noise import Ranges, kernels
from pyrave_sensors.ranging import RangingSensor
from pyrave_sensors.reflectivity import surfaces_met
from pyrave_sensors.tables_laser import FAR, LONG, MOST_ANGLE, MOST_MAX_RANGE
from pyrave_sensors.typed import as_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pyrave.geometry import RayHits
    from pyrave.interfaces.environment import EnvironmentProtocol

__all__ = ["REACH", "Beams", "Scanner"]

G = TypeVar("G", bound=LaserGeometry)

_ANGLES = ("min_angle", "max_angle", "resolution")
_PLAIN = ("min_range", "max_range", "time_scan", "time_increment")
_INTENSITY_MODELS = ("hit", "physical")
_SURFACE = ("instance", "normal")
_NO_RINGS = np.empty(0, np.int64)
_NO_NUMBERS = np.empty(0)
REACH = 1e12
"""Metres: rays end here, even if the maximum range is longer."""


@dataclass(frozen=True, slots=True, eq=False)
class Beams:
    """The rays of a scan in the sensor's frame.

    Parameters
    ----------
    directions
        (n, 3) unit.
    origins
        (3,) or (n, 3), metres; None: all at the sensor's origin.
    ages
        (n,) how long before the last ray each is cast, seconds; None: all at once.
    rings
        (n,) number of the laser; None: there is one.
    grid
        Rows and columns in which neighbours go much the same way; None: one row. Rays
        of a grid are cast in tiles.
    """

    directions: Array
    origins: Array | None = None
    ages: Array | None = None
    rings: NDArray[np.int64] | None = None
    grid: tuple[int, int] | None = None

    @property
    def duration(self) -> float:
        """Seconds from the first ray to the last."""
        return 0.0 if self.ages is None else float(self.ages.max(initial=0.0))


class Scanner(RangingSensor[G, LaserData], Generic[G]):
    """Measures ranges along rays, and their intensity.

    A ray sees the nearest surface between minimum and maximum range of what is enabled,
    visible or not, as OpenRAVE's collision checkers do; also of the robot that carries
    the scanner unless `include_robot` is False. A hit gives the vector from the origin
    to the surface, intensity 1 and the body's index in ``env.bodies``; a miss the
    vector to maximum range, intensity 0 and -1. `noise` and `intensity_model` change
    that on request.

    The stamp is the time of the last ray. Where rays are cast one after another, each
    is cast from where the scanner was then, at things where they were then, see
    `PoseHistory`.
    """

    data_type = LaserData
    plain_fields: ClassVar[tuple[str, ...]] = ()
    """Further fields of the geometry that files hold as they are."""

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        self._beams: Beams | None = None
        self._intensity_model = _INTENSITY_MODELS[0]
        self._intensity_range = 1.0
        self._include_robot = True
        super().__init__(env, *args)

    # -- commands ------------------------------------------------------------------

    @command(name="render")
    def render(self, on: bool = True) -> bool:
        """Draw the measured rays (1) or not (0)."""
        self._render_data = on
        return True

    @command(name="collidingbodies")
    def colliding_bodies(self, unique: bool = False) -> list[int]:
        """Return which body each ray of the last scan hit.

        One number a ray: 0 for none, k for the k-th body of the environment, counted
        from 1. With `unique` each body that was seen once, in increasing order.
        """
        if self.latest is None:
            return []
        numbers = self.latest.body_ids + 1
        if unique:
            numbers = np.unique(numbers[numbers > 0])
        return [int(number) for number in numbers]

    # -- settings ------------------------------------------------------------------

    @property
    def intensity_model(self) -> str:
        """What the intensity is; assignable, saved with the scene.

        ``"hit"``: 1 where something came back, else 0. ``"physical"``: reflectivity
        times the cosine of the incidence angle over the square of the range, 1 for a
        white surface that is met squarely at `intensity_range`, never more than 1.
        """
        return self._intensity_model

    @intensity_model.setter
    def intensity_model(self, model: str) -> None:
        if as_kind(model, str, None, "intensity_model") not in _INTENSITY_MODELS:
            raise ArgumentError(
                f"the intensity model is {model!r}, expected one of "
                f"{', '.join(_INTENSITY_MODELS)}"
            )
        self._intensity_model = model
        plain = model == _INTENSITY_MODELS[0]
        self.remember({"intensity_model": None if plain else model})

    @property
    def intensity_range(self) -> float:
        """Where a white surface gives intensity 1, metres; assignable, saved."""
        return self._intensity_range

    @intensity_range.setter
    def intensity_range(self, distance: float) -> None:
        metres = as_kind(distance, float, None, "intensity_range")
        if not 0 < metres <= FAR:
            raise ArgumentError(
                f"intensity_range is {shown(distance)}, expected more than 0, at most "
                f"{FAR:g} metres"
            )
        self._intensity_range = metres
        self.remember({"intensity_range": None if metres == 1 else metres})

    @property
    def include_robot(self) -> bool:
        """Whether the carrying robot is seen; assignable, saved with the scene."""
        return self._include_robot

    @include_robot.setter
    def include_robot(self, include: bool) -> None:
        self._include_robot = as_kind(include, bool, None, "include_robot")
        self.remember({"include_robot": None if self._include_robot else False})

    def settings_read(self, values: Mapping[str, Any]) -> None:
        """Take over noise and intensity."""
        super().settings_read(values)
        self._intensity_model = values.get("intensity_model", _INTENSITY_MODELS[0])
        self._intensity_range = values.get("intensity_range", 1.0)
        self._include_robot = values.get("include_robot", True)

    def geometry_of(self, values: Mapping[str, Any]) -> G:
        """Return the geometry that a file's values mean."""
        geometry = self.default_geometry()
        self.fill(geometry, values)
        return geometry

    def fill(self, geometry: G, values: Mapping[str, Any]) -> None:
        """Set the fields of a geometry about which a file says something."""
        for name in _ANGLES:
            if name in values:
                second = getattr(geometry, name)[1]
                setattr(geometry, name, (math.radians(values[name]), second))
        for name in (*_PLAIN, *self.plain_fields):
            if name in values:
                setattr(geometry, name, values[name])

    def values_of(self, geometry: G) -> dict[str, Any]:
        """Return a geometry as values of a file."""
        plain = self.default_geometry()
        names = [
            name
            for name in (*_ANGLES, *_PLAIN, *self.plain_fields)
            if name in self.settings.settings
        ]
        values: dict[str, Any] = dict.fromkeys(names)
        for name in names:
            value = getattr(geometry, name)
            if value != getattr(plain, name):
                values[name] = degrees(value[0]) if name in _ANGLES else value
        return values

    def check_ranges(self, geometry: LaserGeometry) -> None:
        """Raise ArgumentError if ranges or times make no sense."""
        ranges = geometry.min_range, geometry.max_range
        times = geometry.time_scan, geometry.time_increment
        require_finite(geometry, *ranges, *times)
        if not 0 <= geometry.min_range <= min(geometry.max_range, FAR):
            raise ArgumentError(
                f"min_range is {geometry.min_range:g}, expected 0 to max_range "
                f"{geometry.max_range:g} (metres), and at most {FAR:g}"
            )
        if geometry.max_range > MOST_MAX_RANGE:
            raise ArgumentError(
                f"max_range is {geometry.max_range:g}, expected at most "
                f"{MOST_MAX_RANGE:g} metres"
            )
        if min(times) < 0 or max(times) > LONG:
            raise ArgumentError(
                f"time_scan and time_increment must be 0 to {LONG:g} s, got "
                f"{geometry.time_scan:g} and {geometry.time_increment:g}"
            )

    def check_angles(self, geometry: LaserGeometry) -> None:
        """Raise ArgumentError if the angles of the scan make no sense."""
        low, high = geometry.min_angle[0], geometry.max_angle[0]
        step = geometry.resolution[0]
        require_finite(geometry, low, high, step)
        most = math.radians(MOST_ANGLE)
        if not -most <= low <= high <= most or step <= 0:
            raise ArgumentError(
                f"a laser scans from min_angle {low:g} up to max_angle {high:g} in "
                f"steps of resolution {step:g} > 0 (radians, at most {most:g})"
            )

    def geometry_changed(self) -> None:
        """Forget the rays of the old geometry."""
        self._beams = None

    # -- measuring -----------------------------------------------------------------

    @abstractmethod
    def make_beams(self) -> Beams:
        """Return the rays of the geometry."""

    @property
    def fan(self) -> Beams:
        """The rays of the geometry, made once."""
        if self._beams is None:
            self._beams = self.make_beams()
        return self._beams

    def beams(self) -> Beams:
        """Return the rays of a scan now; those of the geometry unless overridden."""
        return self.fan

    @property
    def period(self) -> float:
        """Seconds between scans; 0: every step measures."""
        return self._geometry.time_scan

    @property
    def duration(self) -> float:
        """Seconds from the first ray to the last."""
        return self.fan.duration

    def sample(self, stamp: int, pose: Array) -> LaserData:
        """Cast the rays."""
        geometry, beams = self._geometry, self.beams()
        directions, origins = self._placed(beams)
        mounting = self.mounting
        own = () if self._include_robot or mounting is None else (mounting.robot,)
        grid = beams.grid or (len(directions),)
        hits = cast_over_time(
            self.env,
            origins if origins.ndim == 1 else origins.reshape(*grid, 3),
            directions.reshape(*grid, 3),
            self._times(beams),
            [
                one
                for one in self.moving_links(beams.duration)
                if one[0].body not in own
            ],
            max_range=min(geometry.max_range, REACH),
            min_range=geometry.min_range,
            exclude=own,
            fields=() if self._plain else _SURFACE,
        )
        n = len(directions)
        ranges, cosines, surface = self._measured(hits, directions)
        data = LaserData(
            stamp=stamp,
            pose=pose.copy(),
            positions=origins.reshape(-1, 3).copy(),
            ranges=np.empty((n, 3)),
            intensity=np.empty(n),
            body_ids=np.empty(n, np.int64),
            rings=_NO_RINGS if beams.rings is None else beams.rings.copy(),
            time_offsets=_NO_NUMBERS if beams.ages is None else 0.0 - beams.ages,
        )
        kernels.jit.take_back(
            directions, ranges.distances, ranges.returned, ranges.stray,
            hits.id.reshape(-1), float(geometry.max_range),
            data.ranges, data.body_ids, data.intensity,
        )  # fmt: skip
        if self._intensity_model == "physical":
            outliers = self._noise.outlier_rate > 0
            # a stray reading has the intensity of no surface
            kernels.jit.strengths(
                hits.distance.reshape(-1), cosines, surface, ranges.returned,
                ranges.stray, float(self._intensity_range),
                self.random.random(n) if outliers else _NO_NUMBERS, data.intensity,
            )  # fmt: skip
        return data

    def _times(self, beams: Beams) -> Array:
        """Return when each ray is cast, (n,) microseconds; empty: all at the stamp."""
        if beams.ages is None:
            return _NO_NUMBERS
        return self.env.simulation_time - beams.ages * 1e6

    def _placed(self, beams: Beams) -> tuple[Array, Array]:
        """Return directions (n, 3) and origins (3,) or (n, 3) in the world."""
        pose = self.transform
        if self.moved() and beams.ages is not None:
            local = beams.origins
            if local is not None:
                local = np.broadcast_to(local, beams.directions.shape)
            return self.trace.place(self._times(beams), beams.directions, local)
        rotation, position = pose[:3, :3], pose[:3, 3]
        directions = np.empty_like(beams.directions)
        kernels.jit.turn(pose, beams.directions, directions)
        if beams.origins is None:
            return directions, position
        return directions, beams.origins @ rotation.T + position

    @property
    def _plain(self) -> bool:
        """Whether the true distances are all that is measured."""
        return self._noise.off and self._intensity_model == _INTENSITY_MODELS[0]

    def _measured(
        self, hits: RayHits, directions: Array
    ) -> tuple[Ranges, Array, Array]:
        """Return what is measured of the truth, and how rays met surfaces.

        The latter are cosines and reflectivities, (n,) or empty if nobody asks.
        """
        distance = hits.distance.reshape(-1)
        truth = Ranges(
            distance, hits.hit.reshape(-1), np.zeros(len(distance), np.bool_)
        )
        if self._plain:
            return truth, _NO_NUMBERS, _NO_NUMBERS
        physical = self._intensity_model == "physical"
        cosines, surface = surfaces_met(
            directions,
            hits.normal.reshape(-1, 3),
            hits.instance.reshape(-1),
            self.env.ray_world,
            reflecting=physical or self._noise.needs_surface,
        )
        limits = self._geometry.min_range, min(self._geometry.max_range, REACH)
        found = self._noise.apply(truth, cosines, surface, limits, self.random)
        return found, cosines, surface

    # -- state ---------------------------------------------------------------------

    def more_state(self) -> dict[str, Any]:
        """Return settings beside the geometry, and where the scanner was."""
        return {
            **super().more_state(),
            "intensity_model": self._intensity_model,
            "intensity_range": self._intensity_range,
            "include_robot": self._include_robot,
        }

    def set_more_state(self, state: Any) -> None:
        """Take over what `more_state` of a twin returned."""
        super().set_more_state(state)
        self._intensity_model = state["intensity_model"]
        self._intensity_range = state["intensity_range"]
        self._include_robot = state["include_robot"]
