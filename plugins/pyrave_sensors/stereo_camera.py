"""Two cameras that measure depth together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pyrave.errors import StateError
from pyrave.geometry import Camera
from pyrave.interfaces.sensor import UnresolvedName
from pyrave.sensing.data import CameraData, StereoCameraData
from pyrave.sensing.sensor_type import SensorType
from pyrave.spatial import Array, invert_pose
from pyrave_sensors.camera import CameraSensor
from pyrave_sensors.optics.camera_geometry import CameraGeometry
from pyrave_sensors.optics.rectification import rectified, rectify
from pyrave_sensors.optics.stereo_geometry import StereoCameraGeometry
from pyrave_sensors.settings.file_geometry import same_but_for_looks
from pyrave_sensors.tracks.history import ticks_of
from pyrave_sensors.tracks.pose_history import PoseHistory

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.interfaces.sensor import SensorBase

# a point is seen if nothing is nearer than this part of its distance
_NEARLY = 1.0 - 1e-6


@dataclass(frozen=True, slots=True)
class StereoPair:
    """Two cameras, the first one left of the second as a rule."""

    first: Camera
    second: Camera


class StereoCamera(CameraSensor[StereoCameraGeometry, StereoCameraData]):
    """Takes two rectified images and measures the disparity between them.

    In rectified images a point is in the same row of both, further left in the second
    one the nearer it is: by the focal length times the distance of the cameras over
    the depth. The images are seen through the rectified pixels themselves, so nothing
    is interpolated, and the disparity is exact, also where the second camera does not
    see the point (`StereoCameraData.occluded`).

    The two cameras are other sensors, which `geometry.cameras` names: of the same
    robot, or of the environment (``robot:sensor``). Their lenses, sizes and places
    count; gain, format, channels and `options` are the stereo camera's own. Without
    names, the stereo camera itself is the first one, and the second is `baseline` to
    its right.

    Data have the pose of the first camera; depth and normals are in the frame
    of its rectified image, see `rectified_pair`. Both images are of the same
    `exposure_time`; the disparity is that of the stamp. XML tags: see
    `StereoCameraGeometry`.
    """

    contract = 2
    settings_type = StereoCameraGeometry
    data_type = StereoCameraData

    def __init__(self, env: Environment, *args: str) -> None:
        # where the cameras of the rectified images were
        self._eyes = (PoseHistory(), PoseHistory())
        super().__init__(env, *args)

    # -- the two cameras -----------------------------------------------------------

    @property
    def pair(self) -> StereoPair:
        """The two cameras as they are now, with distortion.

        Raises
        ------
        StateError
            There is no camera of a name, or it is something else.
        """
        geometry = self.geometry
        if geometry.named:
            first, second = (self._named(one.name) for one in geometry.named)
            return StereoPair(first, second)
        there = self.transform
        there[:3, 3] += geometry.baseline * there[:3, 0]
        camera = self.camera
        return StereoPair(camera, camera.moved(there))

    @property
    def rectified_pair(self) -> StereoPair:
        """The two cameras as if they had taken the rectified images."""
        pair, given = self.pair, self.geometry.rectifications
        size = pair.first.width, pair.first.height
        if given:
            first = rectified(pair.first, np.array(given[0]), size)
            second = rectified(pair.second, np.array(given[1]), size)
        else:
            first, second = rectify(pair.first, pair.second)
        return StereoPair(first, second)

    def unresolved_names(self) -> tuple[UnresolvedName, ...]:
        """Return the names without a camera."""
        alone = self.mounting is None
        places = {part.name: part.location for part in self.geometry.named}
        return tuple(
            UnresolvedName(
                "camera",
                name,
                self._known(),
                # the robot's own have no colon, those of others do
                elsewhere=alone or ":" in name,
                location=places.get(name),
            )
            for name in places
            if (found := self._find(name)) is None
            or not found.supports(SensorType.CAMERA)
        )

    def _named(self, name: str) -> Camera:
        sensor = self._find(name)
        if sensor is None:
            raise StateError(
                f"{self!r} refers to unknown camera {name!r}; cameras are "
                f"{', '.join(self._known()) or 'none'}"
            )
        if not sensor.supports(SensorType.CAMERA):
            raise StateError(f"{self!r} refers to {name!r}, which is not a camera")
        geometry = sensor.get_sensor_geometry(SensorType.CAMERA)
        if not isinstance(geometry, CameraGeometry):
            raise StateError(f"{self!r} refers to {name!r}, which is not a camera")
        size = geometry.width, geometry.height
        return Camera(sensor.get_transform(), *size, geometry.lens)

    def _find(self, name: str) -> SensorBase | None:
        mounting = self.mounting
        if mounting is not None and name in mounting.robot.attached_sensors:
            mounted = mounting.robot.attached_sensors[name]
            if mounted.has_sensor and mounted.sensor is not self:
                return mounted.sensor
        found = self.env.sensors.get(name)
        return None if found is self else found

    def _known(self) -> tuple[str, ...]:
        """Return the names of other cameras: those of its own robot first."""
        mounting = self.mounting
        robot = None if mounting is None else mounting.robot
        own, others = [], []
        for one in self.env.sensors:
            if one is self or not one.supports(SensorType.CAMERA):
                continue
            where = one.mounting
            if where is not None and where.robot is robot:
                own.append(where.name)
            else:
                others.append(one.name)
        return (*own, *others)

    def _taken_by(self, pose: Array | None = None) -> Camera:
        """Return the camera of the first rectified image."""
        turned = self.rectified_pair.first
        if pose is None:
            return turned
        return turned.moved(pose @ invert_pose(self.pair.first.pose) @ turned.pose)

    # -- measuring -----------------------------------------------------------------

    def note_poses(self) -> float:
        """Record the poses of both cameras, and all else."""
        begin = super().note_poses()
        now = ticks_of(self.env)
        if begin < now:
            pair = self.rectified_pair
            for eye, camera in zip(self._eyes, (pair.first, pair.second), strict=True):
                eye.record(now, camera.pose)
                eye.drop_before(begin)
        return begin

    def settings_changed(self, before: CameraGeometry) -> None:
        """Forget where the cameras were, if other ones count now."""
        super().settings_changed(before)
        if not same_but_for_looks(self.geometry, before):
            self._forget_eyes()

    def restart(self) -> None:
        """Forget where everything was."""
        super().restart()
        self._forget_eyes()

    def _forget_eyes(self) -> None:
        for eye in self._eyes:
            eye.clear()

    def sample(self, stamp: float, pose: Array) -> StereoCameraData:
        """Take both images and measure the disparity."""
        outputs = self.options.outputs
        place, pair = self.pair.first.pose, self.rectified_pair
        data = StereoCameraData(stamp=stamp, pose=place.copy())
        asked = {*outputs, "distance"}
        first, second = self._eyes
        truth = self.look(pair.first, data, asked, self.exposure(first))
        self._match(pair, data, cast("Array", truth))
        if "distance" not in outputs:
            data.distance = np.empty((0, 0))
        if "color" in outputs:
            other = CameraData()
            self.look(pair.second, other, {"color"}, self.exposure(second))
            data.second_image = other.image
        return data

    def get_own_state(self) -> Any:
        """Return the state of all cameras, and the poses of both."""
        return super().get_own_state(), [eye.items for eye in self._eyes]

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        trail, eyes = state
        super().set_own_state(trail)
        first, second = map(PoseHistory, eyes)
        self._eyes = first, second

    def _match(self, pair: StereoPair, data: StereoCameraData, truth: Array) -> None:
        """Find where the points of the first image are in the second one.

        The disparity is that of the measured distances, with their noise.
        """
        first, second = pair.first, pair.second
        eye, directions = first.rays()
        there = np.isfinite(data.distance)
        points = eye + data.distance[there][:, None] * directions[there]
        pixels, _ = second.project(points)
        columns = np.broadcast_to(np.arange(first.width), there.shape)[there]
        data.disparity = np.full(there.shape, np.nan)
        data.disparity[there] = columns - pixels[:, 0]
        data.occluded = np.zeros(there.shape, np.bool_)
        if truth is not data.distance:
            there = np.isfinite(truth)
            points = eye + truth[there][:, None] * directions[there]
            pixels, _ = second.project(points)
        size = np.array((second.width, second.height))
        outside = ~((pixels >= -0.5) & (pixels <= size - 0.5)).all(axis=1)
        data.occluded[there] = outside | self._hidden(second.pose[:3, 3], points)

    def _hidden(self, eye: Array, points: Array) -> NDArray[np.bool_]:
        """Return the mask (n,) of points that are hidden from a place."""
        away = points - eye
        far = np.sqrt(np.einsum("ij,ij->i", away, away))
        if not len(far):
            return np.zeros(0, np.bool_)
        around, _ = self.surroundings()
        reach = np.minimum(far * _NEARLY, around.max_range)
        hits = around.scene.cast(eye, away, reach, exclude=around.exclude, any_hit=True)
        return hits.hit
