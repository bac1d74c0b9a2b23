"""Sensors with all of their noise on keep the rules: repeatable, clones go on alike."""

from __future__ import annotations

import numpy as np

from pyrave.testing.contracts.mounted_sensor import MountedSensorContract
from pyrave_sensors.optics.camera_options import CameraOptions
from pyrave_sensors.ranges.noise import RangeNoise

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
    "MultiBeamLidar": {"resolution": 0.1, "time_increment": 1e-3},
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


class NoisyContract(MountedSensorContract):
    interface_type = "sensor"
    collection = "sensors"
    # of what else sensors promise noise changes nothing
    test_exact_at_first = test_geometry_kept = test_mounted = None

    def setup_object(self, made):
        made.change_settings(**SETTINGS[self.interface])
        if hasattr(made, "noise"):
            made.noise = NOISE
        if hasattr(made, "options"):
            made.options = IMAGES
        made.seed = 12

    def test_seed(self, env):
        states = [self.make(env).random.bit_generator.state["state"] for _ in "ab"]
        assert states[0] == states[1]


for name in SETTINGS:
    title = f"Test{name}"
    globals()[title] = type(title, (NoisyContract,), {"interface": name})
