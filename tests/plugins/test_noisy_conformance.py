"""Sensors with all of their noise on keep the rules: repeatable, clones go on alike."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.testing import check_interface
from pyrave_sensors.camera_options import CameraOptions
from pyrave_sensors.noise import RangeNoise

NOISE = RangeNoise(
    bias=0.01, sigma=0.02, sigma_relative=0.01, quantisation=0.001, outlier_rate=0.1,
    dropout_rate=0.1, dropout_angle=0.5, dropout_reflectivity=0.5,
)  # fmt: skip
IMAGES = CameraOptions(
    outputs=("color", "depth", "segmentation"),
    exposure_samples=3,
    noise_gaussian=0.02,
    noise_shot=0.02,
)
IMAGE = {"width": 24, "height": 16, "framerate": 20.0, "exposure_time": 0.03}

SETTINGS = {
    "BaseEncoder": {"position_sigma": [0.01], "velocity_sigma": [0.02]},
    "BaseForce6D": {"force_sigma": 0.1, "torque_sigma": 0.01},
    "BaseIMU": {
        "rotation_covariance": np.eye(3) * 1e-4,
        "angular_velocity_covariance": np.eye(3) * 1e-3,
        "linear_acceleration_covariance": np.eye(3) * 1e-2,
        "gyroscope_noise_density": 0.01,
        "gyroscope_random_walk": 0.01,
        "accelerometer_noise_density": 0.01,
        "accelerometer_random_walk": 0.01,
        "time_measurement": 0.02,
        "draw_covariances": True,
    },
    "BaseOdometry": {
        "draw_covariances": True,
        "drift": [0.1, 0.1, 0.1, 0.1],
        "pose_covariance": np.eye(6) * 1e-4,
        "velocity_covariance": np.eye(6) * 1e-4,
    },
    "BaseTactile": {
        "draw_covariances": True,
        "positions": [[0.0, 0, 0], [0.1, 0, 0]],
        "thickness": 0.5,
        "stiffness": 10.0,
        "friction": 0.5,
        "force_covariance": np.eye(3),
    },
    "BaseLaser2D": {"time_increment": 1e-4, "time_scan": 0.04},
    "BaseSpinningLaser2D": {"time_increment": 1e-4, "spin_speed": 3.0},
    "MultiBeamLidar": {"resolution": (0.1, 0.0), "time_increment": 1e-3},
    "BaseFlashLidar3D": {"width": 12, "height": 8},
    "BaseCamera": IMAGE,
    "StereoCamera": IMAGE,
    "BaseActuator": {
        "torque_constant": 0.1,
        "current_sigma": 0.1,
        "terminal_resistance": 1.0,
        "thermal_resistance": 5.0,
        "thermal_time_constant": 2.0,
    },
}


@pytest.mark.parametrize("interface", SETTINGS)
def test_noise_keeps_the_rules(interface):
    seen = []

    def setup(sensor):
        geometry = sensor.get_sensor_geometry()
        for name, value in SETTINGS[interface].items():
            setattr(geometry, name, value)
        sensor.set_sensor_geometry(geometry)
        if hasattr(sensor, "noise"):
            sensor.noise = NOISE
        if hasattr(sensor, "options"):
            sensor.options = IMAGES
        sensor.seed = 12
        seen.append(sensor.random.bit_generator.state["state"]["state"])

    rules = ["repeatable", "clones-continue", "clones", "callback-data-own", "period"]
    report = check_interface("sensor", interface, setup=setup, only=rules)
    assert report.ok, str(report)
    assert {finding.check for finding in report.findings} == set(rules)
    assert len(set(seen)) == 1
