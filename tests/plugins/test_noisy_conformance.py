"""Sensors with all of their noise on keep the rules: repeatable, clones go on alike."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.testing import check_interface

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
        sensor.seed = 12
        seen.append(sensor.random.bit_generator.state["state"]["state"])

    rules = ["repeatable", "clones-continue", "clones", "callback-data-own", "period"]
    report = check_interface("sensor", interface, setup=setup, only=rules)
    assert report.ok, str(report)
    assert {finding.check for finding in report.findings} == set(rules)
    assert len(set(seen)) == 1
