"""Panel of sensors: rays, points and images that are to be drawn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.sensing import CameraData, LaserData
from pyrave_viser.shown.colors import linear
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from pyrave.spatial import Array
    from pyrave_viser.shared import Shared

_PERIOD = 0.1
_MAX_RAYS = 2000
_MAX_POINTS = 400_000
_POINT = 0.012
_WIDEST = 480


class SensorPanel:
    """Switches of sensors: those that are on have drawn what they measured last.

    A switch is the sensor's own ``render_data``, which pictures heed, too.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        gui = shared.server.gui
        self._folder = gui.add_folder("Sensors", expand_by_default=False, visible=False)
        self._rows: dict[str, Any] = {}
        self._nodes: dict[str, list[Any]] = {}
        self._images: dict[str, Any] = {}
        self._stamps: dict[str, tuple[object, ...]] = {}
        self._read = 0.0
        self._button: Any = None

    def follow(self) -> None:
        """Take over which sensors there are, and what they measured."""
        if time.monotonic() - self._read < _PERIOD:
            return
        self._read = time.monotonic()
        sensors = {one.name: one for one in self._shared.env.sensors}
        if sensors.keys() != self._rows.keys():
            self._list(sensors)
        for name, sensor in sensors.items():
            self._follow(name, sensor)

    def _list(self, sensors: dict[str, Any]) -> None:
        for one in (*self._rows.values(), *filter(None, [self._button])):
            one.remove()
        for name in self._nodes.keys() - sensors.keys():
            self._clear(name)
        self._rows = {}
        self._folder.visible = bool(sensors)
        gui = self._shared.server.gui
        with self._folder:
            for name, sensor in sensors.items():
                row = gui.add_checkbox(name, bool(sensor.render_data))
                row.on_update(weakly(self._switched, name))
                self._rows[name] = row
            self._button = gui.add_button(
                "Measure now", hint="Let those that are on measure, without a step"
            )
            self._button.on_click(weakly(self._measure))

    def _switched(self, name: str, event: Any) -> None:
        if event.client is None:
            return
        on = bool(event.target.value)

        def switch(env: Any) -> None:
            sensor = env.sensors[name]
            sensor.render_data = on
            if on and sensor.last_data() is None:
                sensor.measure()

        self._shared.actions.ask(("sensor", name), switch)

    def _measure(self, event: Any) -> None:
        def measure(env: Any) -> None:
            for sensor in env.sensors:
                if sensor.render_data:
                    sensor.measure()

        self._shared.actions.ask("measure", measure)

    def _follow(self, name: str, sensor: Any) -> None:
        row = self._rows[name]
        on = bool(sensor.render_data)
        if row.value != on:
            row.value = on
        data = sensor.last_data() if on else None
        if data is None:
            self._clear(name)
            return
        seen = (data.stamp, data.pose.tobytes(), _fingerprint(data))
        if self._stamps.get(name) == seen:
            return
        self._stamps[name] = seen
        if isinstance(data, CameraData):
            self._show_image(name, data)
        else:
            self._show_points(name, sensor, data)

    def _show_points(self, name: str, sensor: Any, data: Any) -> None:
        scene = self._shared.server.scene
        color = tuple(float(one) for one in sensor.color)
        number = list(self._rows).index(name)
        points = np.asarray(data.drawn_points())
        points = points[np.isfinite(points).all(axis=1)][:_MAX_POINTS]
        nodes = []
        if len(points):
            nodes.append(
                scene.add_point_cloud(
                    f"/sensors/{number}/points",
                    points,
                    color,
                    point_size=_POINT,
                    point_shape="circle",
                    precision="float32",
                )
            )
        rays = _rays(data)
        if len(rays):
            nodes.append(
                scene.add_line_segments(
                    f"/sensors/{number}/rays",
                    rays,
                    linear(color),
                    thickness=1.0,
                    thickness_units="screen",
                )
            )
        for old in self._nodes.get(name, ()):
            if all(old.name != new.name for new in nodes):
                old.remove()
        self._nodes[name] = nodes

    def _show_image(self, name: str, data: CameraData) -> None:
        image = np.asarray(data.image)
        if not image.size:
            return
        if image.dtype != np.uint8:
            image = (255.0 * np.clip(image, 0.0, 1.0)).astype(np.uint8)
        if image.ndim == 2:
            image = np.repeat(image[..., None], 3, axis=2)
        step = -(-image.shape[1] // _WIDEST)
        image = np.ascontiguousarray(image[::step, ::step, :3])
        shown = self._images.get(name)
        if shown is not None:
            shown.image = image
            return
        with self._folder:
            self._images[name] = self._shared.server.gui.add_image(image, label=name)

    def _clear(self, name: str) -> None:
        self._stamps.pop(name, None)
        for node in self._nodes.pop(name, ()):
            node.remove()
        image = self._images.pop(name, None)
        if image is not None:
            image.remove()


def _rays(data: Any) -> Array:
    """Return the rays of a scan that came back, (n, 2, 3); none of many."""
    if not isinstance(data, LaserData) or len(data.ranges) > _MAX_RAYS:
        return np.zeros((0, 2, 3))
    ends = data.points
    starts = np.broadcast_to(data.positions, ends.shape)
    return np.stack((starts, ends), axis=1)[data.returned][::3]


def _fingerprint(data: Any) -> object:
    """Return a value that changes with each measurement, also at the same time."""
    if isinstance(data, LaserData):
        return data.ranges[::7].tobytes()
    if isinstance(data, CameraData):
        return np.asarray(data.image)[::16, ::16].tobytes()
    try:
        return np.asarray(data.drawn_points()).tobytes()
    except Error:
        return None
