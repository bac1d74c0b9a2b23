"""Template of a sensor: a range finder with one beam."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The sensor @id@."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from pyrave import NotSupportedError, Readable, XmlElement
from pyrave.interfaces import ConfigureCommand, SensorBase
from pyrave.sensing import (
    LaserData,
    LaserGeometry,
    SensorData,
    SensorGeometry,
    SensorType,
)

if TYPE_CHECKING:
    from pyrave.interfaces import EnvironmentProtocol

TAG = "@snake@_settings"


@dataclasses.dataclass(frozen=True)
class Settings(Readable):
    """Content of the tag ``<@snake@_settings min_range="..." max_range="..."/>``.

    Ranges are in metres.
    """

    min_range: float = 0.01
    max_range: float = 5.0

    def to_xml(self) -> XmlElement:
        """Return the tag that is written when the scene is saved."""
        values = dataclasses.asdict(self)
        return XmlElement(TAG, tuple((key, repr(v)) for key, v in values.items()))


def read_settings(element: Any, context: Any) -> Settings | None:
    """Read the tag; attributes match in lower case."""
    values: dict[str, float] = {}
    for key, text in element.attrib.items():
        if key not in {"min_range", "max_range"}:
            context.warn(f"unknown attribute {key!r} of <{TAG}>", element)
            continue
        try:
            values[key] = float(text)
        except ValueError:
            context.error(f"{key} of <{TAG}> is {text!r}, expected metres", element)
            return None
    return Settings(**values)


class @id@(SensorBase):
    """Measures the distance to the nearest body along its +z axis."""

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._settings = Settings()
        self._on = False
        self._data: LaserData | None = None

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over what the scene's tag says."""
        if isinstance(readable, Settings):
            self._settings = readable

    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch the power; there is nothing to draw."""
        if command == ConfigureCommand.POWER_ON:
            self._on = True
        elif command == ConfigureCommand.POWER_OFF:
            self._on = False
            self._data = None
        elif command == ConfigureCommand.POWER_CHECK:
            return int(self._on)
        return 0

    def get_sensor_geometry(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorGeometry:
        """Return the ranges."""
        self._require(sensor_type)
        return LaserGeometry(
            min_range=self._settings.min_range, max_range=self._settings.max_range
        )

    def create_sensor_data(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorData:
        """Return an empty scan."""
        self._require(sensor_type)
        return LaserData()

    def get_sensor_data(self, data: SensorData) -> bool:
        """Copy the latest scan into `data`; False if there is none yet."""
        if self._data is None or not isinstance(data, LaserData):
            return False
        for field in dataclasses.fields(data):
            setattr(data, field.name, copy.deepcopy(getattr(self._data, field.name)))
        return True

    def supports(self, sensor_type: SensorType) -> bool:
        """Return True for lasers."""
        return sensor_type == SensorType.LASER

    def simulation_step(self, dt: float) -> None:
        """Measure once a step while the power is on."""
        if self._on:
            self._data = self.measure()
            self.publish(self._data)

    def measure(self) -> LaserData:
        """Measure now."""
        pose = self.transform
        origin, direction = pose[:3, 3], pose[:3, 2]
        hits = self.env.raycast(
            origin[None],
            direction[None],
            min_range=self._settings.min_range,
            max_range=self._settings.max_range,
        )
        hit = bool(hits.hit[0])
        distance = float(hits.distance[0]) if hit else self._settings.max_range
        return LaserData(
            stamp=self.env.simulation_time,
            pose=pose,
            positions=origin[None].copy(),
            ranges=distance * direction[None],
            intensity=np.array([float(hit)]),
            body_ids=hits.id.copy(),
        )

    def get_state(self) -> tuple[bool, LaserData | None]:
        """Return what a clone of the environment needs."""
        return self._on, copy.deepcopy(self._data)

    def set_state(self, state: Any) -> None:
        """Take over what `get_state` returned."""
        if state is not None:
            self._on, self._data = state[0], copy.deepcopy(state[1])

    def _require(self, sensor_type: SensorType) -> None:
        if sensor_type not in {SensorType.INVALID, SensorType.LASER}:
            raise NotSupportedError(f"{self!r} is a laser, not a {sensor_type.name}")
'''

_TEST = '''"""What @id@ measures."""

import numpy as np
import pyrave


def test_it_sees_the_ball(scene):
    sensor = scene.create("sensor", "@id@")
    ball = scene.bodies["ball"]
    centre, _ = ball.aabb
    pose = np.eye(4)
    pose[:3, 3] = centre - (0.0, 0.0, 1.0)
    sensor.set_transform(pose)
    scan = sensor.measure()
    np.testing.assert_allclose(scan.distances, [0.9], atol=1e-6)
    assert scan.intensity[0] == 1.0


def test_the_tag_of_the_scene_is_used_and_saved(scene):
    sensors = [s for s in scene.sensors if s.interface_id == "@id@"]
    assert sensors
    assert sensors[0].get_sensor_geometry().max_range == 3.0
    readable = sensors[0].readables["@snake@_settings"]
    assert dict(readable.to_xml().attributes)["max_range"] == "3.0"


def test_it_measures_only_while_it_is_on(scene):
    sensor = next(s for s in scene.sensors if s.interface_id == "@id@")
    sensor.power = False
    scene.step(0.01)
    assert sensor.read() is None
    sensor.power = True
    scene.step(0.01)
    assert isinstance(sensor.read(), pyrave.LaserData)
'''

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <sensor type="@id@" name="@snake@">
    <translation>0 0 0.5</translation>
    <@snake@_settings max_range="3"/>
  </sensor>
""",
    tag="@snake@_settings",
)
