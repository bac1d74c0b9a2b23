"""Data of sensors, and files of measurements.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.sensing.data import (
        ActuatorData,
        ActuatorState,
        CameraData,
        ContactData,
        Force6DData,
        IMUData,
        JointEncoderData,
        LaserData,
        OdometryData,
        SensorData,
        StereoCameraData,
        TactileArrayData,
        TactileData,
    )
    from pyrave.sensing.export import (
        point_columns,
        save_sensor_data,
    )
    from pyrave.sensing.image_export import (
        export_image,
    )
    from pyrave.sensing.sensor_type import SensorType

__all__ = [
    "ActuatorData",
    "ActuatorState",
    "CameraData",
    "ContactData",
    "Force6DData",
    "IMUData",
    "JointEncoderData",
    "LaserData",
    "OdometryData",
    "SensorData",
    "SensorType",
    "StereoCameraData",
    "TactileArrayData",
    "TactileData",
    "export_image",
    "point_columns",
    "save_sensor_data",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "data": "ActuatorData ActuatorState CameraData ContactData Force6DData IMUData "
        "JointEncoderData LaserData OdometryData SensorData StereoCameraData "
        "TactileArrayData TactileData",
        "export": "point_columns save_sensor_data",
        "image_export": "export_image",
        "sensor_type": "SensorType",
    },
)
