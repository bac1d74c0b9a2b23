"""Kernels of sensors, compiled beforehand by ``pyrave warm``."""

from __future__ import annotations

from typing import Any

import numpy as np

import pyrave
from pyrave.scene import body_from_boxes
from pyrave_sensors.ranges.noise import RangeNoise

_SENSORS = ("BaseLaser2D", "BaseFlashLidar3D", "MultiBeamLidar", "BaseCamera")
_STEP = 0.1


def measure_everything() -> None:
    """Measure with lasers and cameras: at rest and in motion, with and without errors.

    What moves is a box in front of the sensors.
    """
    env = pyrave.Environment()
    env.create_body(body_from_boxes("box", [(2.0, 0.0, 0.0, 0.5, 0.5, 0.5)]))
    for kind in _SENSORS:
        sensor: Any = env.create("sensor", kind)
        env.add(sensor)
        sensor.measure()
        sensor.noise = RangeNoise(sigma=0.01, outlier_rate=0.01)
        if kind != "BaseCamera":
            sensor.intensity_model = "physical"
        for moved in (0.1, 0.2):
            env.bodies["box"].transform = (1, 0, 0, 0, 0, moved, 0)
            sensor.set_transform(np.array((1, 0, 0, 0, moved, 0, 0)))
            env.step(_STEP)
        sensor.measure()
        env.remove(sensor)
