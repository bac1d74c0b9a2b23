"""A range finder by ray casting, and base of those whose rays go elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from pyrave.authoring import PeriodicSensor
from pyrave.interfaces.commands import command
from pyrave.sensing.data import LaserData
from pyrave.spatial import Array
from pyrave_sensors.ranges.laser_geometry import LaserGeometry, ScannerGeometry
from pyrave_sensors.ranges.moving_rays import cast_over_time
from pyrave_sensors.ranges.noise import RangeNoise, Ranges, kernels
from pyrave_sensors.ranges.reflectivity import surfaces_met
from pyrave_sensors.settings.file_geometry import same_but_for_looks
from pyrave_sensors.settings.property import SettingProperty
from pyrave_sensors.tracks.history import ticks_of
from pyrave_sensors.tracks.trail import Trail

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.geometry import RayHits
    from pyrave_sensors.ranges.beams import Beams

G = TypeVar("G", bound=ScannerGeometry)

# Rough times that a scan and a ray take in the interpreter.
_MILLISECONDS_PER_SCAN = 0.015
_MILLISECONDS_PER_RAY = 2e-5
_SURFACE = ("instance", "normal")
_NO_RINGS = np.empty(0, np.int64)
_NO_NUMBERS = np.empty(0)
REACH = 1e12
"""Metres: rays end here, even if the maximum range is longer."""


class BaseLaser2D(PeriodicSensor[LaserData], Generic[G]):
    """Measure ranges along the rays of its geometry, and their intensity.

    Those are a fan in the xy plane, see `planar_fan`; sensors that derive from this
    have a geometry with others. While it is switched on it measures every `time_scan`
    seconds, or in every step if that is 0.

    A ray sees the nearest surface of enabled geometry between minimum and maximum
    range, visible or not, as OpenRAVE's collision checkers do; also of the robot that
    carries the scanner unless `include_robot` is False. A hit gives the vector from the
    origin to the surface, intensity 1 and the id of the body; a miss the vector to
    maximum range, intensity 0 and -1. `noise` and `intensity_model` change that.

    The stamp is the time of the last ray. Where rays are cast one after another, each
    is cast from where the scanner was then, at things where they were then, see
    `PoseHistory`. XML tags: see `LaserGeometry`.
    """

    contract = 2
    settings_type: ClassVar[type[ScannerGeometry]] = LaserGeometry
    data_type = LaserData

    def __init__(self, env: Environment, *args: str) -> None:
        self._beams: Beams | None = None
        self.trail = Trail()
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

    noise: SettingProperty[RangeNoise] = SettingProperty(
        "Errors of the ranges, none at first; assignable, saved with the scene."
    )

    @property
    def geometry(self) -> G:
        """The geometry of the sensor, which are its settings."""
        made: G = self._part_settings
        return made

    def settings_changed(self, before: ScannerGeometry) -> None:
        """Forget the rays of another geometry."""
        if not same_but_for_looks(self.geometry, before):
            self._beams = None

    # -- measuring -----------------------------------------------------------------

    @property
    def fan(self) -> Beams:
        """The rays of the geometry, made once."""
        if self._beams is None:
            self._beams = self.geometry.beams()
        return self._beams

    def beams(self) -> Beams:
        """Return the rays of a scan now; those of the geometry unless overridden."""
        return self._beams or self.fan

    @property
    def period(self) -> float:
        """Seconds between scans; 0: every step measures."""
        return float(self._part_settings.time_scan)

    def restart(self) -> None:
        """Forget where everything was."""
        super().restart()
        self.trail.clear()

    def simulation_step(self, dt: float) -> None:
        """Record all poses, and measure if it is time."""
        duration = self.fan.duration
        if duration and self.is_on:
            self.trail.record(self, duration)
        super().simulation_step(dt)

    def measure(self) -> LaserData:
        """Measure now, switched on or not; returns data of the caller's own."""
        return self.record(self._cast(self.env.simulation_time, self.get_transform()))

    def get_own_state(self) -> Any:
        """Return the recorded poses."""
        return self.trail.state

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        self.trail.state = state

    def _cast(self, stamp: float, pose: Array) -> LaserData:
        """Cast the rays."""
        geometry: ScannerGeometry = self._part_settings
        env, beams = self.env, self.beams()
        physical = geometry.intensity_model == "physical"
        plain = geometry.noise.off and not physical
        own_form = kernels.auto(
            _MILLISECONDS_PER_SCAN + _MILLISECONDS_PER_RAY * len(beams.directions)
        )
        directions, origins = self._placed(beams, pose, own_form)
        mounting = None if geometry.include_robot else self.mounting
        own = () if mounting is None else (mounting.robot,)
        grid = beams.grid or (len(directions),)
        moving, times = [], _NO_NUMBERS
        if beams.duration:
            links = self.trail.moving_links(env, beams.duration)
            moving = [one for one in links if one[0].body not in own]
            times = _times(env, beams)
        hits = cast_over_time(
            env,
            origins if origins.ndim == 1 else origins.reshape(*grid, 3),
            directions.reshape(*grid, 3),
            times,
            moving,
            max_range=min(geometry.max_range, REACH),
            min_range=geometry.min_range,
            exclude=own,
            fields=() if plain else _SURFACE,
        )
        n = len(directions)
        ranges = Ranges(
            hits.distance.reshape(-1), hits.hit.reshape(-1), np.zeros(n, np.bool_)
        )
        cosines = surface = _NO_NUMBERS
        if not plain:
            ranges, cosines, surface = self._disturbed(ranges, hits, directions)
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
        if physical:
            outliers = geometry.noise.outlier_rate > 0
            # a stray reading has the intensity of no surface
            kernels.jit.strengths(
                hits.distance.reshape(-1), cosines, surface, ranges.returned,
                ranges.stray, float(geometry.intensity_range),
                self.random.random(n) if outliers else _NO_NUMBERS, data.intensity,
            )  # fmt: skip
        return data

    def _placed(self, beams: Beams, pose: Array, own_form: Any) -> tuple[Array, Array]:
        """Return directions (n, 3) and origins (3,) or (n, 3) in the world."""
        if beams.duration and self.trail.moved(self, beams.duration):
            local = beams.origins
            if local is not None:
                local = np.broadcast_to(local, beams.directions.shape)
            return self.trail.poses.place(
                _times(self.env, beams), beams.directions, local
            )
        rotation, position = pose[:3, :3], pose[:3, 3]
        directions = np.empty_like(beams.directions)
        own_form.turn(pose, beams.directions, directions)
        if beams.origins is None:
            return directions, position
        return directions, beams.origins @ rotation.T + position

    def _disturbed(
        self, truth: Ranges, hits: RayHits, directions: Array
    ) -> tuple[Ranges, Array, Array]:
        """Return the ranges with errors, and the incidence of the rays.

        The latter are cosines and reflectivities, (n,) or empty if nobody asks.
        """
        geometry = self.geometry
        physical = geometry.intensity_model == "physical"
        cosines, surface = surfaces_met(
            directions,
            hits.normal.reshape(-1, 3),
            hits.instance.reshape(-1),
            self.env.ray_world,
            reflecting=physical or geometry.noise.needs_surface,
        )
        limits = geometry.min_range, min(geometry.max_range, REACH)
        found = geometry.noise.apply(truth, cosines, surface, limits, self.random)
        return found, cosines, surface


def _times(env: Environment, beams: Beams) -> Array:
    """Return the time of each ray, (n,) microseconds."""
    assert beams.ages is not None  # noqa: S101 - for the type checker
    return ticks_of(env) - beams.ages * 1e6
