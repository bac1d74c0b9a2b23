"""Base of the scanners: casting rays on the move, noise, intensity, commands."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from pyrave.interfaces.commands import command
from pyrave.sensing.data import LaserData
from pyrave.sensing.geometry import LaserGeometry
from pyrave.spatial import Array
from pyrave_sensors.ranges.moving_rays import cast_over_time
from pyrave_sensors.ranges.noise import Ranges, kernels
from pyrave_sensors.ranges.range_sensor import RangingSensor
from pyrave_sensors.ranges.reflectivity import surfaces_met
from pyrave_sensors.ranges.scanner_settings import ScannerSettings
from pyrave_sensors.sensor_base import SettingProperty
from pyrave_sensors.tracks.history import ticks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.geometry import RayHits

G = TypeVar("G", bound=LaserGeometry)

# Rough time that a ray takes in the interpreter.
_MILLISECONDS_PER_RAY = 0.005
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

    A ray sees the nearest surface of enabled geometry between minimum and maximum
    range, visible or not, as OpenRAVE's collision checkers do; also of the robot that
    carries the scanner unless `include_robot` is False. A hit gives the vector from the
    origin to the surface, intensity 1 and the id of the body; a miss the vector to
    maximum range, intensity 0 and -1. `noise` and `intensity_model` change that.

    The stamp is the time of the last ray. Where rays are cast one after another, each
    is cast from where the scanner was then, at things where they were then, see
    `PoseHistory`.
    """

    data_type = LaserData
    _settings: ScannerSettings

    def __init__(self, env: Environment, *args: str) -> None:
        self._beams: Beams | None = None
        super().__init__(env, *args)

    # -- commands ------------------------------------------------------------------

    @command(name="render")
    def render(self, on: bool = True) -> bool:
        """Draw the measured rays (1) or not (0)."""
        self.render_data = on
        return True

    @command(name="collidingbodies")
    def colliding_bodies(self, unique: bool = False) -> list[int]:
        """Return the body that each ray of the last scan hit.

        One number a ray: 0 for none, k for the k-th body of the environment, counted
        from 1; also 0 for a body that was removed since. With `unique` each body that
        was seen once, in increasing order.
        """
        if self.latest is None:
            return []
        ids = self.latest.body_ids
        places = {body.id: k for k, body in enumerate(self.env.bodies, 1)}
        seen, rows = np.unique(ids, return_inverse=True)
        numbers = np.array([places.get(one, 0) for one in seen.tolist()])[rows]
        if unique:
            numbers = np.unique(numbers[numbers > 0])
        return [int(number) for number in numbers]

    # -- settings ------------------------------------------------------------------

    intensity_model: SettingProperty[str] = SettingProperty(
        """Meaning of the intensity; assignable, saved with the scene.

        ``"hit"``: 1 where something came back, else 0. ``"physical"``: reflectivity
        times the cosine of the incidence angle over the square of the range, 1 for a
        white surface that is met squarely at `intensity_range`, never more than 1.
        """
    )
    intensity_range: SettingProperty[float] = SettingProperty(
        "Range at which a white surface gives intensity 1, metres; assignable, saved."
    )
    include_robot: SettingProperty[bool] = SettingProperty(
        "Whether the carrying robot is seen; assignable, saved with the scene."
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

    def sample(self, stamp: float, pose: Array) -> LaserData:
        """Cast the rays."""
        geometry, beams = self._geometry, self.beams()
        plain = self._plain
        own_form = kernels.auto(2.0 * _MILLISECONDS_PER_RAY * len(beams.directions))
        directions, origins = self._placed(beams, pose, own_form)
        mounting = None if self.include_robot else self.mounting
        own = () if mounting is None else (mounting.robot,)
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
            fields=() if plain else _SURFACE,
        )
        n = len(directions)
        ranges, cosines, surface = self._measured(hits, directions, plain=plain)
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
        own_form.take_back(
            directions, ranges.distances, ranges.returned, ranges.stray,
            hits.id.reshape(-1), float(geometry.max_range),
            data.ranges, data.body_ids, data.intensity,
        )  # fmt: skip
        if self._part_settings.intensity_model == "physical":
            outliers = self.noise.outlier_rate > 0
            # a stray reading has the intensity of no surface
            kernels.jit.strengths(
                hits.distance.reshape(-1), cosines, surface, ranges.returned,
                ranges.stray, float(self._part_settings.intensity_range),
                self.random.random(n) if outliers else _NO_NUMBERS, data.intensity,
            )  # fmt: skip
        return data

    def _times(self, beams: Beams) -> Array:
        """Return the time of each ray, (n,) microseconds; empty: all at the stamp."""
        if beams.ages is None:
            return _NO_NUMBERS
        return ticks_of(self.env) - beams.ages * 1e6

    def _placed(self, beams: Beams, pose: Array, own_form: Any) -> tuple[Array, Array]:
        """Return directions (n, 3) and origins (3,) or (n, 3) in the world."""
        if beams.ages is not None and self.moved():
            local = beams.origins
            if local is not None:
                local = np.broadcast_to(local, beams.directions.shape)
            return self.trace.place(self._times(beams), beams.directions, local)
        rotation, position = pose[:3, :3], pose[:3, 3]
        directions = np.empty_like(beams.directions)
        own_form.turn(pose, beams.directions, directions)
        if beams.origins is None:
            return directions, position
        return directions, beams.origins @ rotation.T + position

    @property
    def _plain(self) -> bool:
        """True if the data are the true distances only."""
        settings = self._part_settings
        return bool(settings.noise.off and settings.intensity_model == "hit")

    def _measured(
        self, hits: RayHits, directions: Array, *, plain: bool
    ) -> tuple[Ranges, Array, Array]:
        """Return the measured ranges, and the incidence of the rays.

        The latter are cosines and reflectivities, (n,) or empty if nobody asks.
        """
        distance = hits.distance.reshape(-1)
        truth = Ranges(
            distance, hits.hit.reshape(-1), np.zeros(len(distance), np.bool_)
        )
        if plain:
            return truth, _NO_NUMBERS, _NO_NUMBERS
        physical = self._part_settings.intensity_model == "physical"
        cosines, surface = surfaces_met(
            directions,
            hits.normal.reshape(-1, 3),
            hits.instance.reshape(-1),
            self.env.ray_world,
            reflecting=physical or self.noise.needs_surface,
        )
        limits = self._geometry.min_range, min(self._geometry.max_range, REACH)
        found = self.noise.apply(truth, cosines, surface, limits, self.random)
        return found, cosines, surface
