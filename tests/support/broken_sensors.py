"""Sensors with one mistake each, which the contract of sensors must find."""

from dataclasses import replace

import numpy as np
from breaking import accepting, changed, constant, only, raising

from pyrave import SensorGeometry
from pyrave.sensing import LaserData

_SCAN = LaserData()
_GENERATOR = np.random.default_rng(0)


def reuse_scan(self, dt):
    """Publish one object with each scan."""
    if self.is_due(dt):
        data = self.measure()
        for name in ("stamp", "pose", "positions", "ranges", "intensity", "body_ids"):
            setattr(_SCAN, name, getattr(data, name))
        self._data = _SCAN
        self.publish(_SCAN)


def noise(n):
    """Return numbers that no two runs have in common."""
    return _GENERATOR.random(n)


def counted(self):
    """Return how often a sensor measured, which its state does not have."""
    self.count = getattr(self, "count", 0) + 1
    return np.array([float(self.count)])


def drift(self, dt):
    """Measure every 30 ms, counted from when the last measurement was made."""
    self.due = getattr(self, "due", 0.0) - dt
    if self.is_on and self.due <= 1e-9:
        self.due = 0.03
        self.record(self.measure())


# (type, check that must fail, base class -> replaced attributes)
SENSOR_MUTANTS = [
    ("sensor", "off_until_switched_on", lambda b: {"configure": constant(1)}),
    (
        "sensor",
        "render_switches",
        lambda b: {
            "configure": only(
                b.configure, lambda c, *_: c & 0xF >= 2 and c > 0x12, None
            )
        },
    ),
    (
        "sensor",
        "nothing_before_data",
        lambda b: {"get_sensor_data": constant(True)},
    ),
    (
        "sensor",
        "off_measures_nothing",
        lambda b: {
            "simulation_step": lambda self, dt: setattr(self, "_data", self.measure())
        },
    ),
    ("sensor", "off_reads_now", lambda b: {"read": b.last_data}),
    ("sensor", "geometry", lambda b: {"supports": constant(False)}),
    (
        "sensor",
        "geometry",
        lambda b: {
            "get_sensor_geometry": lambda self, kind=0: SensorGeometry(seed=kind),
        },
    ),
    (
        "sensor",
        "data_type",
        lambda b: {"create_sensor_data": lambda self, kind=0: LaserData()},
    ),
    (
        "sensor",
        "pose",
        lambda b: {"set_transform": lambda self, t: setattr(self, "_placement", t)},
    ),
    ("sensor", "pose_refused", lambda b: {"set_transform": accepting(b.set_transform)}),
    (
        "sensor",
        "measures",
        lambda b: {"measure": changed(b.measure, lambda d: LaserData(stamp=10**12))},
    ),
    (
        "sensor",
        "measures",
        lambda b: {"simulation_step": raising(OSError("broken laser"))},
    ),
    (
        "sensor",
        "callback",
        lambda b: {
            "simulation_step": lambda self, dt: (
                setattr(self, "_data", self.measure()) if self.is_on else None
            )
        },
    ),
    (
        "sensor",
        "data_copied",
        lambda b: {
            "get_sensor_data": lambda self, data: (
                self._data is not None
                and (setattr(data, "ranges", self._data.ranges) or True)
            )
        },
    ),
    ("sensor", "measure_now", lambda b: {"measure": constant("12 m")}),
    ("sensor", "clones", lambda b: {"set_state": lambda self, state: None}),
    ("sensor", "mounted", lambda b: {"get_transform": constant(np.eye(4))}),
    (
        "sensor",
        "callback_data_own",
        lambda b: {"simulation_step": reuse_scan},
    ),
    (
        "sensor",
        "exact_at_first",
        lambda b: {
            "measure": lambda self: replace(b.measure(self), intensity=counted(self))
        },
    ),
    (
        "sensor",
        "exact_at_first",
        lambda b: {
            "measure": changed(b.measure, lambda d: replace(d, intensity=noise(3)))
        },
    ),
    (
        "sensor",
        "exact_at_first",
        lambda b: {
            "measure": lambda self: replace(
                b.measure(self), intensity=self.random.random(1)
            )
        },
    ),
    (
        "sensor",
        "repeatable",
        lambda b: {
            "measure": changed(b.measure, lambda d: replace(d, intensity=noise(3)))
        },
    ),
    (
        "sensor",
        "clones_continue",
        lambda b: {
            "measure": lambda self: replace(b.measure(self), intensity=counted(self))
        },
    ),
    (
        "sensor",
        "period",
        lambda b: {
            "simulation_step": drift,
            "get_sensor_geometry": changed(
                b.get_sensor_geometry, lambda g: replace(g, time_scan=0.03)
            ),
        },
    ),
    ("sensor", "geometry_kept", lambda b: {"set_sensor_geometry": constant(None)}),
]
