"""Data and geometry types of sensors, and files of measurements.

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
    from pyrave.sensing.geometry import (
        ActuatorGeometry,
        CameraGeometry,
        CameraIntrinsics,
        FlashLidarGeometry,
        Force6DGeometry,
        IMUGeometry,
        JointEncoderGeometry,
        LaserGeometry,
        MultiBeamGeometry,
        OdometryGeometry,
        SensorGeometry,
        SpinningLaserGeometry,
        StereoCameraGeometry,
        TactileGeometry,
        TouchGeometry,
    )
    from pyrave.sensing.image_export import (
        export_image,
    )
    from pyrave.sensing.sensor_type import SensorType

__all__ = [
    "ActuatorData",
    "ActuatorGeometry",
    "ActuatorState",
    "CameraData",
    "CameraGeometry",
    "CameraIntrinsics",
    "ContactData",
    "FlashLidarGeometry",
    "Force6DData",
    "Force6DGeometry",
    "IMUData",
    "IMUGeometry",
    "JointEncoderData",
    "JointEncoderGeometry",
    "LaserData",
    "LaserGeometry",
    "MultiBeamGeometry",
    "OdometryData",
    "OdometryGeometry",
    "SensorData",
    "SensorGeometry",
    "SensorType",
    "SpinningLaserGeometry",
    "StereoCameraData",
    "StereoCameraGeometry",
    "TactileArrayData",
    "TactileData",
    "TactileGeometry",
    "TouchGeometry",
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
        "geometry": "ActuatorGeometry CameraGeometry CameraIntrinsics "
        "FlashLidarGeometry Force6DGeometry IMUGeometry JointEncoderGeometry "
        "LaserGeometry MultiBeamGeometry OdometryGeometry SensorGeometry "
        "SpinningLaserGeometry StereoCameraGeometry TactileGeometry "
        "TouchGeometry",
        "image_export": "export_image",
        "sensor_type": "SensorType",
    },
)
