"""Template of a sensor: a range finder with one beam."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(SensorBase):
    """Measures the distance to the nearest body along its +z axis."""

    contract = 1

    @override@ __init__
        super().__init__(env, *args)
        self._settings = Settings()
        self._on = False
        self._data: LaserData | None = None

    @override@ readable_changed
        if isinstance(readable, Settings):
            self._settings = readable

    @override@ configure
        if command == ConfigureCommand.POWER_ON:
            self._on = True
        elif command == ConfigureCommand.POWER_OFF:
            self._on = False
            self._data = None
        elif command == ConfigureCommand.POWER_CHECK:
            return int(self._on)
        return 0

    @override@ get_sensor_geometry
        self._require(sensor_type)
        return LaserGeometry(**dataclasses.asdict(self._settings))

    @override@ create_sensor_data
        self._require(sensor_type)
        return LaserData()

    @override@ get_sensor_data
        if self._data is None or not isinstance(data, LaserData):
            return False
        for field in dataclasses.fields(data):
            setattr(data, field.name, copy.deepcopy(getattr(self._data, field.name)))
        return True

    @override@ supports
        return sensor_type == SensorType.LASER

    @override@ simulation_step
        if self._on:
            self._data = self.measure()
            self.publish(self._data)

    def measure(self) -> LaserData:
        """Measure now, without stepping."""
        pose, reach = self.transform, self._settings
        origin, direction = pose[:3, 3], pose[:3, 2]
        hits = self.env.raycast(
            origin[None],
            direction[None],
            min_range=reach.min_range,
            max_range=reach.max_range,
        )
        hit = bool(hits.hit[0])
        distance = float(hits.distance[0]) if hit else reach.max_range
        return LaserData(
            stamp=self.env.simulation_time,
            pose=pose,
            positions=origin[None].copy(),
            ranges=distance * direction[None],
            intensity=np.array([float(hit)]),
            body_ids=hits.id.copy(),
        )

    @override@ get_own_state
        return self._on, self._data

    @override@ set_own_state
        self._on, self._data = state

    def _require(self, sensor_type: SensorType) -> None:
        if sensor_type not in {SensorType.INVALID, SensorType.LASER}:
            raise NotSupportedError(f"{self!r} is a laser, not a {sensor_type.name}")
'''

_TEST = """
def test_it_sees_the_ball(scene):
    sensor = scene.create("sensor", "@id@")
    pose = np.eye(4)
    pose[:3, 3] = scene.bodies["ball"].aabb[0] - (0.0, 0.0, 1.0)
    sensor.set_transform(pose)
    np.testing.assert_allclose(sensor.measure().distances, [0.9], atol=1e-6)


def test_the_tag_of_the_scene_is_used_and_saved(scene):
    sensor = next(s for s in scene.sensors if s.interface_id == "@id@")
    assert sensor.get_sensor_geometry().max_range == 3.0
    readable = sensor.readables["@snake@_settings"]
    assert dict(readable.to_xml().attributes)["max_range"] == "3.0"
"""

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <sensor type="@id@" name="@snake@">
    <translation>0 0 0.5</translation>
    <@snake@_settings max_range="3"/>
  </sensor>
""",
    {"min_range": 0.01, "max_range": 5.0},
    "metres",
)
