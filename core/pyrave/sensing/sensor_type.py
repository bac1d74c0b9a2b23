"""Kinds of sensors."""

from __future__ import annotations

import enum


class SensorType(enum.IntEnum):
    """Kinds of sensors, with OpenRAVE's codes.

    Attributes
    ----------
    INVALID
        No kind is asked for: the sensor's own.
    OTHER
        None of these; the class of the data says what is measured. No code of OpenRAVE.
    """

    INVALID = 0
    LASER = 1
    CAMERA = 2
    JOINT_ENCODER = 3
    FORCE6D = 4
    IMU = 5
    ODOMETRY = 6
    TACTILE = 7
    ACTUATOR = 8
    OTHER = 0x100
