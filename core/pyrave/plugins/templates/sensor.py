"""Template of a sensor: a range finder with one beam."""

from pyrave.plugins.templates.base import TemplateSetting, TypeTemplate

_SOURCE = '''
class @id@(PeriodicSensor[LaserData]):
    """Measures the distance to the nearest body along its +z axis."""

    contract = 2
    data_type = LaserData
    settings_type = Settings

    @property
    def geometry(self) -> LaserGeometry:
        """Range and time between measurements."""
        near, far = self.settings.min_range, self.settings.max_range
        return LaserGeometry(min_range=near, max_range=far, time_scan=self.period)

    @property
    def period(self) -> float:
        """Seconds between measurements."""
        return float(1.0 / self.settings.rate)

    def measure(self) -> LaserData:
        """Measure now, without stepping."""
        pose, reach = self.transform, self.settings
        origin, direction = pose[:3, 3], pose[:3, 2]
        hits = self.env.raycast(
            origin[None],
            direction[None],
            min_range=reach.min_range,
            max_range=reach.max_range,
        )
        hit = bool(hits.hit[0])
        distance = float(hits.distance[0]) if hit else reach.max_range
        return self.new_data(
            positions=origin[None],
            ranges=distance * direction[None],
            intensity=np.array([float(hit)]),
            body_ids=hits.id,
        )
'''

_TEST = """
def test_it_sees_the_ball(scene):
    sensor = scene.create("sensor", "@id@")
    pose = np.eye(4)
    pose[:3, 3] = scene.bodies["ball"].aabb[0] - (0.0, 0.0, 1.0)
    sensor.set_transform(pose)
    np.testing.assert_allclose(sensor.measure().distances, [0.9], atol=1e-6)


def test_what_the_scene_sets_is_used_and_saved(scene):
    sensor = next(s for s in scene.sensors if s.interface_id == "@id@")
    assert sensor.get_sensor_geometry().max_range == 3.0
    saved = [one.interface for one in scene.describe().interfaces]
    assert any(one.endswith("@id@ max_range=3.0") for one in saved)


def test_it_measures_at_its_rate(scene):
    sensor = next(s for s in scene.sensors if s.interface_id == "@id@")
    stamps = []
    sensor.register_data_callback(lambda data: stamps.append(data.stamp))
    for _ in range(100):
        scene.step(0.01)
    assert len(stamps) == 20
    np.testing.assert_allclose(np.diff(stamps), 0.05)
"""

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <sensor type="@id@" name="@snake@">
    <translation>0 0 0.5</translation>
    <max_range>3</max_range>
  </sensor>
""",
    (
        TemplateSetting("min_range", 0.01, "shortest distance", "m"),
        TemplateSetting("max_range", 5.0, "longest distance", "m"),
        TemplateSetting("rate", 20.0, "of measurements", "1/s"),
    ),
)
