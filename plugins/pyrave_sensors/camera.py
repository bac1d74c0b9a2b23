"""A camera by ray casting: no viewer, no display, no graphics driver."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pyrave.authoring import PeriodicSensor
from pyrave.bodies.appearance import Appearance
from pyrave.errors import ArgumentError
from pyrave.geometry import Camera, Surroundings, View, view
from pyrave.interfaces.commands import command
from pyrave.sensing import export_image
from pyrave.sensing.data import CameraData
from pyrave.spatial import Array
from pyrave_sensors.optics.camera_geometry import CameraGeometry
from pyrave_sensors.optics.camera_options import CameraOptions
from pyrave_sensors.optics.exposure import Exposure
from pyrave_sensors.optics.images import develop, is_plain
from pyrave_sensors.ranges.noise import RangeNoise, Ranges
from pyrave_sensors.ranges.reflectivity import surfaces_met
from pyrave_sensors.settings.file_geometry import same_but_for_looks
from pyrave_sensors.settings.property import SettingProperty
from pyrave_sensors.tracks.history import ticks_of
from pyrave_sensors.tracks.trail import Trail

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.environment import RayWorld
    from pyrave_sensors.tracks.pose_history import PoseHistory

G = TypeVar("G", bound=CameraGeometry)
D = TypeVar("D", bound=CameraData)

_MAX_DIMENSIONS = 1 << 16
# field of the data -> the output that fills it
_OUTPUT_OF = {
    "image": "color",
    "second_image": "color",
    "depth": "depth",
    "distance": "distance",
    "normals": "normals",
    "body_ids": "segmentation",
    "link_indices": "segmentation",
    "geometry_indices": "segmentation",
}
# output -> part of the view
_LOOKED_AT = {
    "depth": "depth",
    "distance": "distance",
    "normals": "normal",
    "segmentation": "instance",
}


class CameraSensor(PeriodicSensor[D], Generic[G, D]):
    """Base of the cameras: settings, commands, and views of the scene."""

    testing_caches = ("_camera",)
    options: SettingProperty[CameraOptions] = SettingProperty(
        "Which images are made, and how; assignable, saved with the scene."
    )
    noise: SettingProperty[RangeNoise] = SettingProperty(
        "Errors of depth and distance, none at first; assignable, saved with the scene."
    )

    def __init__(self, env: Environment, *args: str) -> None:
        self._appearance = Appearance()
        self._camera: Camera | None = None
        self.trail = Trail()
        super().__init__(env, *args)

    # -- commands ------------------------------------------------------------------

    @command(name="power")
    def switch_power(self, on: bool = True) -> bool:
        """Switch the camera on (1) or off (0)."""
        self.power = on
        return True

    @command(name="render")
    def render(self, on: bool = True) -> bool:
        """Draw the image (1) or not (0)."""
        self.render_data = on
        return True

    @command(name="setintrinsic")
    def set_intrinsic(self, fx: float, fy: float, cx: float, cy: float) -> bool:
        """Set focal lengths and principal point, pixels; the distortion stays."""
        self.change_settings(kk=(fx, fy, cx, cy))
        return True

    @command(name="setdims")
    def set_dimensions(self, width: int, height: int) -> bool:
        """Set the size of the image, pixels."""
        if not (0 < width <= _MAX_DIMENSIONS and 0 < height <= _MAX_DIMENSIONS):
            raise ArgumentError(
                f"the image would have {width} x {height} pixels, expected 1 to "
                f"{_MAX_DIMENSIONS} of each"
            )
        self.change_settings(width=width, height=height)
        return True

    @command(name="SaveImage", writes=("filename",))
    def save_image(self, filename: str) -> bool:
        """Save the latest image, or one of now if there is none yet; PNG by default."""
        data = cast("D", self.read() or self.measure())
        path = Path(filename)
        export_image(data, path if path.suffix else path.with_suffix(".png"))
        return True

    # -- settings ------------------------------------------------------------------

    def ask_for(self, field: str) -> None:
        """Add the output that fills a field of the data to the options."""
        super().ask_for(field)
        output, options = _OUTPUT_OF.get(field), self.options
        if output is not None and output not in options.outputs:
            self.options = replace(options, outputs=(*options.outputs, output))

    @property
    def geometry(self) -> G:
        """The geometry of the sensor, which are its settings."""
        made: G = self._part_settings
        return made

    def settings_changed(self, before: CameraGeometry) -> None:
        """Forget the rays of another geometry."""
        if not same_but_for_looks(self.geometry, before):
            self._camera = None

    @property
    def camera(self) -> Camera:
        """Lens, image size and present pose: projects points and pixels."""
        if self._camera is None:
            g = self.geometry
            self._camera = Camera(np.eye(4), g.width, g.height, g.lens)
        return self._camera.moved(self.transform)

    def project(self, points: ArrayLike) -> Array:
        """Return the pixels (n, 2) at which points (n, 3) of the world are seen now.

        Column and row; whole numbers are the middles of pixels, nan is not seen.
        Points outside of the image have their place there, too.
        """
        return self._taken_by().project(points)[0]

    def unproject(self, pixels: ArrayLike) -> tuple[Array, Array]:
        """Return origin (3,) and unit directions (..., 3) of pixels (..., 2), world."""
        return self._taken_by().unproject(pixels)

    def points(self, data: CameraData) -> Array:
        """Return world positions of an image's pixels, (h, w, 3) metres.

        Parameters
        ----------
        data
            A measurement of this camera with `depth` or `distance`.

        Returns
        -------
        ndarray
            nan where there is nothing.

        Raises
        ------
        ArgumentError
            The measurement has neither, or another size.
        """
        if not isinstance(data, CameraData):
            raise ArgumentError(
                f"the data are {type(data).__name__}, expected CameraData"
            )
        camera = self._taken_by(data.pose)
        local = camera.local_rays()
        if data.distance.size:
            distance = data.distance
        elif data.depth.size:
            distance = data.depth / local[..., 2]
        else:
            raise ArgumentError(
                "the data have no depth; add 'depth' to the camera's options.outputs"
            )
        if distance.shape != local.shape[:2]:
            raise ArgumentError(
                f"the data have {distance.shape} pixels, the camera has "
                f"{local.shape[:2]}"
            )
        there = np.where(np.isfinite(distance), distance, np.nan)[..., None] * local
        return np.asarray(there @ camera.pose[:3, :3].T + camera.pose[:3, 3])

    def _taken_by(self, pose: Array | None = None) -> Camera:
        """Return the camera of images, now or where data have a `pose`."""
        return self.camera if pose is None else self.camera.moved(pose)

    # -- measuring -----------------------------------------------------------------

    @property
    def period(self) -> float:
        """Seconds between images."""
        return 1.0 / self.geometry.framerate

    @property
    def duration(self) -> float:
        """Seconds that an exposure takes."""
        return self.geometry.exposure_time

    @abstractmethod
    def sample(self, stamp: float, pose: Array) -> D:
        """Return a measurement of now.

        Parameters
        ----------
        stamp
            Simulated time, seconds.
        pose
            (4, 4) T_world_sensor, not to be changed.
        """

    def measure(self) -> D:
        """Measure now, switched on or not; returns data of the caller's own."""
        return self.record(self.sample(self.env.simulation_time, self.transform))

    def restart(self) -> None:
        """Forget where everything was."""
        super().restart()
        self.trail.clear()

    def simulation_step(self, dt: float) -> None:
        """Record all poses, and measure if it is time."""
        if self.is_on and self.duration:
            self.note_poses()
        super().simulation_step(dt)

    def note_poses(self) -> float:
        """Record all poses; return the begin of a measurement that ends now."""
        return self.trail.record(self, self.duration)

    def get_own_state(self) -> Any:
        """Return the recorded poses."""
        return self.trail.state

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        self.trail.state = state

    def look(
        self,
        camera: Camera,
        data: CameraData,
        outputs: Collection[str],
        exposure: Exposure | None = None,
    ) -> Array | None:
        """Fill data with the view of a camera, with noise.

        Parameters
        ----------
        outputs
            Of `CameraOptions`.
        exposure
            Of the colours; the rest is seen now. None: everything is seen now.

        Returns
        -------
        ndarray or None
            (h, w) true distances along the rays, if they are wanted.
        """
        around, labels = self.surroundings()
        wanted = {_LOOKED_AT[name] for name in outputs if name != "color"}
        if "color" in outputs:
            if exposure is not None:
                data.image = self._exposed(around, camera, exposure)
            elif is_plain(self.geometry, self.options):
                wanted.add("image")
            else:
                wanted.add("light")
        asked = frozenset(wanted)
        disturbed = not (self.noise.off or asked.isdisjoint({"depth", "distance"}))
        if disturbed:
            wanted |= {"distance", "normal", "instance"}
        if not wanted:
            return None
        seen = view(
            around,
            camera,
            wanted,
            samples=self.options.samples,
            gain=self.geometry.gain,
        )
        if seen.image is not None:
            data.image = seen.image
        if seen.light is not None:
            data.image = self._develop(seen.light)
        measured = self._disturbed(camera, seen) if disturbed else seen
        _fill(data, measured, asked, labels)
        return seen.distance

    def _disturbed(self, camera: Camera, seen: View) -> View:
        """Return a view whose depth and distance are wrong; it has all that matters."""
        local = camera.local_rays()
        distance = cast("Array", seen.distance)
        cosines, surface = surfaces_met(
            local.reshape(-1, 3),
            cast("Array", seen.normal).reshape(-1, 3),
            cast("NDArray[np.int32]", seen.instance).ravel(),
            self._world(),
            reflecting=self.noise.needs_surface,
        )
        flat = distance.ravel()
        truth = Ranges(flat, np.isfinite(flat), np.zeros(len(flat), np.bool_))
        limits = 0.0, self.options.max_range
        found = self.noise.apply(truth, cosines, surface, limits, self.random)
        along = local[..., 2]
        back = found.returned.reshape(distance.shape) & np.isfinite(along)
        wrong = np.where(back, found.distances.reshape(distance.shape), np.inf)
        depth = np.full(distance.shape, np.inf)
        depth[back] = wrong[back] * along[back]
        return replace(seen, distance=wrong, depth=depth)

    def _exposed(
        self, around: Surroundings, camera: Camera, exposure: Exposure
    ) -> NDArray[Any]:
        """Return the mean image over an exposure."""
        samples = self.options.samples
        total: Any = np.float32(0.0)
        for pose, there in exposure.views(around, self.env.world):
            seen = view(there, camera.moved(pose), {"light"}, samples=samples)
            total = total + cast("NDArray[np.float32]", seen.light)
        return self._develop(total / np.float32(len(exposure.times)))

    def _develop(self, light: NDArray[np.float32]) -> NDArray[Any]:
        """Return the image that light makes, with noise."""
        return develop(light, self.geometry, self.options, self.random)

    def exposure(self, trace: PoseHistory) -> Exposure | None:
        """Return the exposure that ends now; None if it is as good as a moment.

        Parameters
        ----------
        trace
            Where the camera was.
        """
        now, count = ticks_of(self.env), self.options.exposure_samples
        begin = self.note_poses()
        if count == 1 or begin >= now:
            return None
        moving = self.trail.moving_links(self.env, self.duration)
        if not (moving or trace.moved_since(begin)):
            return None
        middles = (np.arange(count) + 0.5) / count
        return Exposure(begin + middles * (now - begin), trace, moving)

    def surroundings(self) -> tuple[Surroundings, NDArray[np.int32]]:
        """Return the visible scene, and the labels of its instances."""
        options, world = self.options, self._world()
        look, labels = self._appearance.update(world.scene, world.geometries)
        mounting = self.mounting
        exclude = None
        if mounting is not None and not options.include_robot:
            exclude = labels[:-1, 0] == mounting.robot.id
        around = Surroundings(
            world.scene, look, options.lighting, exclude, options.max_range
        )
        return around, labels

    def _world(self) -> RayWorld:
        seen = self.options.see_invisible
        return self.env.ray_world if seen else self.env.visual_scene


class BaseCamera(CameraSensor[CameraGeometry, CameraData]):
    """Takes images of what is visible, by ray casting.

    The camera looks along its +z, +x is to the right and +y down in the image; images
    have their rows from the top. `options` chooses the images: colours, depth
    along z, distance along the ray, normals, and the indices of body, link and
    geometry; `geometry` the lens with its distortion. Depth, normals and
    indices are those of the ray in the middle of each pixel at the stamp, of the
    nearest visible surface, transparent or not. Colours are the mean of what is seen in
    `exposure_time`, which ends at the stamp, at several moments: each from where the
    camera was then, of bodies where they were then, see `PoseHistory`. `noise` makes
    depth and distance wrong, as those of a scanner; all else stays true.

    While it is switched on it takes `framerate` images a second of simulated time.
    XML tags: see `CameraGeometry`.
    """

    contract = 2
    settings_type = CameraGeometry
    data_type = CameraData

    def sample(self, stamp: float, pose: Array) -> CameraData:
        """Take an image."""
        data = CameraData(stamp=stamp, pose=pose.copy())
        camera, outputs = self.camera.moved(pose), self.options.outputs
        self.look(camera, data, outputs, self.exposure(self.trail.poses))
        return data


def _fill(
    data: CameraData, seen: View, asked: Collection[str], labels: NDArray[np.int32]
) -> None:
    if "depth" in asked and seen.depth is not None:
        data.depth = seen.depth
    if "distance" in asked and seen.distance is not None:
        data.distance = seen.distance
    if "normal" in asked and seen.normal is not None:
        data.normals = seen.normal
    if "instance" in asked and seen.instance is not None:
        # a miss is -1, and the last row of the labels is for that
        of_pixels = labels[seen.instance]
        data.body_ids, data.link_indices, data.geometry_indices = (
            np.ascontiguousarray(of_pixels[..., column]) for column in range(3)
        )
