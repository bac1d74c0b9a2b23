"""The 13 interface types: base classes with exactly the methods an author writes.

Names are imported when they are first used: an environment needs a few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.interfaces.affine import Affine
    from pyrave.interfaces.affine_limits import AffineLimits, AffineRange
    from pyrave.interfaces.attached_sensor import AttachedSensor
    from pyrave.interfaces.base import (
        CONTRACTS,
        INTERFACE_TYPES,
        TYPE_ALIASES,
        InterfaceBase,
    )
    from pyrave.interfaces.body_state import BodyChange, BodyState, StateParts
    from pyrave.interfaces.collection import NamedCollection
    from pyrave.interfaces.collisionchecker import (
        CollisionCheckerBase,
        CollisionOptions,
        CollisionPair,
        CollisionReport,
        Contact,
    )
    from pyrave.interfaces.commands import Command, command
    from pyrave.interfaces.configuration_specification import (
        ConfigurationSpecification,
    )
    from pyrave.interfaces.contact_area import ContactArea
    from pyrave.interfaces.controller import ControllerBase
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.interfaces.generic_trajectory import GenericTrajectory
    from pyrave.interfaces.geometry import Geometry
    from pyrave.interfaces.grabbing import GrabbedBody
    from pyrave.interfaces.handles import Handle
    from pyrave.interfaces.ik_continuum import IkContinuum
    from pyrave.interfaces.ik_parameterization import (
        IkParameterization,
        IkParameterizationType,
    )
    from pyrave.interfaces.ik_results import (
        IkAction,
        IkBatch,
        IkFilterOptions,
        IkNearest,
        IkRejection,
        IkResult,
        IkReturn,
    )
    from pyrave.interfaces.iksolver import IkSolverBase
    from pyrave.interfaces.image_export import export_image
    from pyrave.interfaces.joint import Joint
    from pyrave.interfaces.kinbody import KinBody, LimitCheck
    from pyrave.interfaces.link import Link
    from pyrave.interfaces.manipulator import Manipulator
    from pyrave.interfaces.module import ModuleBase
    from pyrave.interfaces.physicsengine import PhysicsEngineBase
    from pyrave.interfaces.planner import (
        PlannerAction,
        PlannerBase,
        PlannerParameters,
        PlannerProgress,
        PlannerStatus,
        PlannerStatusCode,
    )
    from pyrave.interfaces.robot import Robot
    from pyrave.interfaces.sensor import (
        ConfigureCommand,
        SensorBase,
        UnresolvedName,
    )
    from pyrave.interfaces.sensor_data import (
        ActuatorData,
        ActuatorState,
        CameraData,
        Force6DData,
        IMUData,
        JointEncoderData,
        LaserData,
        OdometryData,
        SensorData,
        StereoCameraData,
        TactileData,
    )
    from pyrave.interfaces.sensor_export import point_columns, save_sensor_data
    from pyrave.interfaces.sensor_geometry import (
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
        SensorType,
        SpinningLaserGeometry,
        StereoCameraGeometry,
        TactileGeometry,
    )
    from pyrave.interfaces.sensorsystem import SensorSystemBase
    from pyrave.interfaces.spacesampler import (
        Interval,
        SampleDataType,
        SpaceSamplerBase,
    )
    from pyrave.interfaces.state_saver import StateSaver
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.interfaces.viewer import ViewerBase

__all__ = [
    "CONTRACTS",
    "INTERFACE_TYPES",
    "TYPE_ALIASES",
    "ActuatorData",
    "ActuatorGeometry",
    "ActuatorState",
    "Affine",
    "AffineLimits",
    "AffineRange",
    "AttachedSensor",
    "BodyChange",
    "BodyState",
    "CameraData",
    "CameraGeometry",
    "CameraIntrinsics",
    "CollisionCheckerBase",
    "CollisionOptions",
    "CollisionPair",
    "CollisionReport",
    "Command",
    "ConfigurationSpecification",
    "ConfigureCommand",
    "Contact",
    "ContactArea",
    "ControllerBase",
    "EnvironmentProtocol",
    "FlashLidarGeometry",
    "Force6DData",
    "Force6DGeometry",
    "GenericTrajectory",
    "Geometry",
    "GrabbedBody",
    "Handle",
    "IMUData",
    "IMUGeometry",
    "IkAction",
    "IkBatch",
    "IkContinuum",
    "IkFilterOptions",
    "IkNearest",
    "IkParameterization",
    "IkParameterizationType",
    "IkPath",
    "IkPathEnd",
    "IkRejection",
    "IkResult",
    "IkReturn",
    "IkSolverBase",
    "InterfaceBase",
    "Interval",
    "Joint",
    "JointEncoderData",
    "JointEncoderGeometry",
    "KinBody",
    "LaserData",
    "LaserGeometry",
    "LimitCheck",
    "Link",
    "Manipulator",
    "ModuleBase",
    "MultiBeamGeometry",
    "NamedCollection",
    "OdometryData",
    "OdometryGeometry",
    "PhysicsEngineBase",
    "PlannerAction",
    "PlannerBase",
    "PlannerParameters",
    "PlannerProgress",
    "PlannerStatus",
    "PlannerStatusCode",
    "Robot",
    "SampleDataType",
    "SensorBase",
    "SensorData",
    "SensorGeometry",
    "SensorSystemBase",
    "SensorType",
    "SpaceSamplerBase",
    "SpinningLaserGeometry",
    "StateParts",
    "StateSaver",
    "StereoCameraData",
    "StereoCameraGeometry",
    "TactileData",
    "TactileGeometry",
    "TrajectoryBase",
    "UnresolvedName",
    "ViewerBase",
    "command",
    "export_image",
    "point_columns",
    "save_sensor_data",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "affine": "Affine",
        "affine_limits": "AffineLimits AffineRange",
        "attached_sensor": "AttachedSensor",
        "base": "CONTRACTS INTERFACE_TYPES TYPE_ALIASES InterfaceBase",
        "body_state": "BodyChange BodyState StateParts",
        "collection": "NamedCollection",
        "collisionchecker": "CollisionCheckerBase CollisionOptions CollisionPair "
        "CollisionReport Contact",
        "contact_area": "ContactArea",
        "commands": "Command command",
        "configuration_specification": "ConfigurationSpecification",
        "controller": "ControllerBase",
        "environment": "EnvironmentProtocol",
        "generic_trajectory": "GenericTrajectory",
        "geometry": "Geometry",
        "grabbing": "GrabbedBody",
        "handles": "Handle",
        "ik_continuum": "IkContinuum",
        "ik_parameterization": "IkParameterization IkParameterizationType",
        "ik_path": "IkPath IkPathEnd",
        "ik_results": "IkAction IkBatch IkFilterOptions IkNearest IkRejection IkResult "
        "IkReturn",
        "iksolver": "IkSolverBase",
        "image_export": "export_image",
        "joint": "Joint",
        "kinbody": "KinBody LimitCheck",
        "link": "Link",
        "manipulator": "Manipulator",
        "module": "ModuleBase",
        "physicsengine": "PhysicsEngineBase",
        "planner": "PlannerAction PlannerBase PlannerParameters PlannerProgress "
        "PlannerStatus PlannerStatusCode",
        "robot": "Robot",
        "sensor": "ConfigureCommand SensorBase UnresolvedName",
        "sensor_data": "ActuatorData ActuatorState CameraData Force6DData IMUData "
        "JointEncoderData LaserData OdometryData SensorData "
        "StereoCameraData TactileData",
        "sensor_geometry": "ActuatorGeometry CameraGeometry CameraIntrinsics "
        "FlashLidarGeometry Force6DGeometry IMUGeometry "
        "JointEncoderGeometry LaserGeometry MultiBeamGeometry "
        "OdometryGeometry SensorGeometry SensorType SpinningLaserGeometry "
        "StereoCameraGeometry "
        "TactileGeometry",
        "sensor_export": "point_columns save_sensor_data",
        "sensorsystem": "SensorSystemBase",
        "spacesampler": "Interval SampleDataType SpaceSamplerBase",
        "state_saver": "StateSaver",
        "trajectory": "TrajectoryBase",
        "viewer": "ViewerBase",
    },
)
