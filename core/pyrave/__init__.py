"""OpenRAVE's plugin architecture as a modern Python package.

>>> import pyrave
>>> env = pyrave.load("scenes/demo.env.xml")
>>> len(env.robots)
1

Names are imported when they are first used, so that ``import pyrave`` is light.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pyrave._lazy import exports
from pyrave.errors import (
    ArgumentError,
    CommandError,
    Error,
    InterfaceCreationError,
    InterfaceNotFoundError,
    LockTimeoutError,
    NameConflictError,
    NotFoundError,
    NotSupportedError,
    PluginError,
    Problem,
    ResourceError,
    SceneError,
    Severity,
    StateError,
)

if TYPE_CHECKING:
    from pyrave.api import convert, load, load_string, read, registry
    from pyrave.environment import (
        BodyEvent,
        CollisionAction,
        Environment,
        LoadReport,
        PublishedBody,
        PublishedState,
    )
    from pyrave.interfaces import (
        ActuatorData,
        ActuatorGeometry,
        ActuatorState,
        Affine,
        AttachedSensor,
        BodyChange,
        CameraData,
        CameraGeometry,
        CameraIntrinsics,
        CollisionCheckerBase,
        CollisionOptions,
        CollisionPair,
        CollisionReport,
        ConfigurationSpecification,
        ConfigureCommand,
        Contact,
        ContactArea,
        ControllerBase,
        EnvironmentProtocol,
        Force6DData,
        Force6DGeometry,
        Geometry,
        GrabbedBody,
        Handle,
        IkAction,
        IkBatch,
        IkContinuum,
        IkFilterOptions,
        IkNearest,
        IkParameterization,
        IkParameterizationType,
        IkPath,
        IkPathEnd,
        IkRejection,
        IkResult,
        IkReturn,
        IkSolverBase,
        IMUData,
        IMUGeometry,
        InterfaceBase,
        Interval,
        Joint,
        JointEncoderData,
        JointEncoderGeometry,
        KinBody,
        LaserData,
        LaserGeometry,
        LimitCheck,
        Link,
        Manipulator,
        ModuleBase,
        NamedCollection,
        OdometryData,
        OdometryGeometry,
        PhysicsEngineBase,
        PlannerAction,
        PlannerBase,
        PlannerParameters,
        PlannerProgress,
        PlannerStatus,
        PlannerStatusCode,
        Robot,
        SampleDataType,
        SensorBase,
        SensorData,
        SensorGeometry,
        SensorSystemBase,
        SensorType,
        SpaceSamplerBase,
        StateParts,
        TactileData,
        TactileGeometry,
        TrajectoryBase,
        UnresolvedName,
        ViewerBase,
        command,
        save_sensor_data,
    )
    from pyrave.plugins import hookimpl
    from pyrave.scene import Readable, SceneDescription, XmlElement, XmlReadable

__version__ = "0.1.0"

# a library never decides where its log goes
logging.getLogger("pyrave").addHandler(logging.NullHandler())


__all__ = [
    "ActuatorData",
    "ActuatorGeometry",
    "ActuatorState",
    "Affine",
    "ArgumentError",
    "AttachedSensor",
    "BodyChange",
    "BodyEvent",
    "CameraData",
    "CameraGeometry",
    "CameraIntrinsics",
    "CollisionAction",
    "CollisionCheckerBase",
    "CollisionOptions",
    "CollisionPair",
    "CollisionReport",
    "CommandError",
    "ConfigurationSpecification",
    "ConfigureCommand",
    "Contact",
    "ContactArea",
    "ControllerBase",
    "Environment",
    "EnvironmentProtocol",
    "Error",
    "Force6DData",
    "Force6DGeometry",
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
    "InterfaceCreationError",
    "InterfaceNotFoundError",
    "Interval",
    "Joint",
    "JointEncoderData",
    "JointEncoderGeometry",
    "KinBody",
    "LaserData",
    "LaserGeometry",
    "LimitCheck",
    "Link",
    "LoadReport",
    "LockTimeoutError",
    "Manipulator",
    "ModuleBase",
    "NameConflictError",
    "NamedCollection",
    "NotFoundError",
    "NotSupportedError",
    "OdometryData",
    "OdometryGeometry",
    "PhysicsEngineBase",
    "PlannerAction",
    "PlannerBase",
    "PlannerParameters",
    "PlannerProgress",
    "PlannerStatus",
    "PlannerStatusCode",
    "PluginError",
    "Problem",
    "PublishedBody",
    "PublishedState",
    "Readable",
    "ResourceError",
    "Robot",
    "SampleDataType",
    "SceneDescription",
    "SceneError",
    "SensorBase",
    "SensorData",
    "SensorGeometry",
    "SensorSystemBase",
    "SensorType",
    "Severity",
    "SpaceSamplerBase",
    "StateError",
    "StateParts",
    "TactileData",
    "TactileGeometry",
    "TrajectoryBase",
    "UnresolvedName",
    "ViewerBase",
    "XmlElement",
    "XmlReadable",
    "__version__",
    "command",
    "convert",
    "hookimpl",
    "load",
    "load_string",
    "read",
    "registry",
    "save_sensor_data",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "environment": "BodyEvent CollisionAction Environment LoadReport PublishedBody "
        "PublishedState",
        "interfaces": "ActuatorData ActuatorGeometry ActuatorState Affine "
        "AttachedSensor BodyChange CameraData CameraGeometry CameraIntrinsics "
        "CollisionCheckerBase CollisionOptions CollisionPair CollisionReport "
        "ConfigurationSpecification ConfigureCommand Contact ContactArea "
        "ControllerBase EnvironmentProtocol Force6DData Force6DGeometry Geometry "
        "GrabbedBody Handle "
        "IMUData IMUGeometry IkAction IkBatch IkContinuum IkFilterOptions IkNearest "
        "IkParameterization IkParameterizationType IkPath IkPathEnd IkRejection "
        "IkResult IkReturn IkSolverBase InterfaceBase "
        "Interval Joint JointEncoderData JointEncoderGeometry KinBody "
        "LaserData LaserGeometry LimitCheck Link Manipulator ModuleBase "
        "NamedCollection OdometryData OdometryGeometry PhysicsEngineBase "
        "PlannerAction PlannerBase PlannerParameters PlannerProgress "
        "PlannerStatus PlannerStatusCode Robot SampleDataType SensorBase "
        "SensorData SensorGeometry SensorSystemBase SensorType "
        "SpaceSamplerBase StateParts TactileData TactileGeometry TrajectoryBase "
        "UnresolvedName ViewerBase command save_sensor_data",
        "plugins": "hookimpl",
        "scene": "Readable SceneDescription XmlElement XmlReadable",
        "api": "convert load load_string read registry",
    },
)
