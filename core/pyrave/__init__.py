"""OpenRAVE's plugin architecture as a modern Python package.

>>> import pyrave
>>> env = pyrave.load("scenes/demo.env.xml")
>>> len(env.robots)
1

Names are imported when they are first used, so that ``import pyrave`` is light.
"""

from __future__ import annotations

from pyrave import _ctrl_c as _ctrl_c  # before all that takes time

# isort: split
from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.api import (
        convert,
        known_robots,
        load,
        load_string,
        read,
        registry,
    )
    from pyrave.authoring import JointController, JointMotion, PeriodicSensor
    from pyrave.bodies import (
        ActiveDofs,
        AttachedSensor,
        BodyDynamics,
        BodyGrabs,
        BodyLimits,
        BodyStructure,
        Configurations,
        ConnectedBodies,
        ConnectedBody,
        ContactArea,
        Geometry,
        Grippers,
        Joint,
        KinBody,
        Link,
        Manipulator,
        Robot,
    )
    from pyrave.collision import PairwiseChecker
    from pyrave.environment import (
        BodyEvent,
        CollisionAction,
        Environment,
        KnownRobot,
        LoadReport,
        PublishedBody,
        PublishedState,
    )
    from pyrave.errors import (
        ArgumentError,
        ArgumentNameError,
        AttributeNameError,
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
        Problems,
        ResourceError,
        SceneError,
        SettingError,
        Severity,
        StateError,
    )
    from pyrave.ik import (
        IkAction,
        IkBatch,
        IkFilterOptions,
        IkNearest,
        IkParameterization,
        IkParameterizationType,
        IkPath,
        IkPathEnd,
        IkRejection,
        IkResult,
        IkReturn,
    )
    from pyrave.interfaces import (
        CollisionCheckerBase,
        CollisionOptions,
        CollisionPair,
        CollisionReport,
        ConfigureCommand,
        Contact,
        ControllerBase,
        Handle,
        IkSolverBase,
        InterfaceBase,
        Interval,
        JointDrive,
        ModuleBase,
        NamedCollection,
        PhysicsContact,
        PhysicsEngineBase,
        PlannerAction,
        PlannerBase,
        PlannerParameters,
        PlannerProgress,
        PlannerStatus,
        PlannerStatusCode,
        SampleDataType,
        SensorBase,
        SensorGeometry,
        SensorSystemBase,
        SpaceSamplerBase,
        TrajectoryBase,
        UnresolvedName,
        ViewerBase,
        command,
        setting,
    )
    from pyrave.kinematics import Affine, LimitCheck
    from pyrave.messages import SceneWarning, set_messages
    from pyrave.plugins import hookimpl, hookspec
    from pyrave.scene import Readable, SceneDescription, XmlElement, XmlReadable
    from pyrave.sensing import (
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
        SensorType,
        TactileArrayData,
        TactileData,
        save_sensor_data,
    )
    from pyrave.trajectories import ConfigurationSpecification
    from pyrave.world import BodyChange, GrabbedBody, StateParts

__version__: str
"""The version that is installed, as git's tags gave it to the build."""

__all__ = [
    "ActiveDofs",
    "ActuatorData",
    "ActuatorState",
    "Affine",
    "ArgumentError",
    "ArgumentNameError",
    "AttachedSensor",
    "AttributeNameError",
    "BodyChange",
    "BodyDynamics",
    "BodyEvent",
    "BodyGrabs",
    "BodyLimits",
    "BodyStructure",
    "CameraData",
    "CollisionAction",
    "CollisionCheckerBase",
    "CollisionOptions",
    "CollisionPair",
    "CollisionReport",
    "CommandError",
    "ConfigurationSpecification",
    "Configurations",
    "ConfigureCommand",
    "ConnectedBodies",
    "ConnectedBody",
    "Contact",
    "ContactArea",
    "ContactData",
    "ControllerBase",
    "Environment",
    "Error",
    "Force6DData",
    "Geometry",
    "GrabbedBody",
    "Grippers",
    "Handle",
    "IMUData",
    "IkAction",
    "IkBatch",
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
    "JointController",
    "JointDrive",
    "JointEncoderData",
    "JointMotion",
    "KinBody",
    "KnownRobot",
    "LaserData",
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
    "PairwiseChecker",
    "PeriodicSensor",
    "PhysicsContact",
    "PhysicsEngineBase",
    "PlannerAction",
    "PlannerBase",
    "PlannerParameters",
    "PlannerProgress",
    "PlannerStatus",
    "PlannerStatusCode",
    "PluginError",
    "Problem",
    "Problems",
    "PublishedBody",
    "PublishedState",
    "Readable",
    "ResourceError",
    "Robot",
    "SampleDataType",
    "SceneDescription",
    "SceneError",
    "SceneWarning",
    "SensorBase",
    "SensorData",
    "SensorGeometry",
    "SensorSystemBase",
    "SensorType",
    "SettingError",
    "Severity",
    "SpaceSamplerBase",
    "StateError",
    "StateParts",
    "TactileArrayData",
    "TactileData",
    "TrajectoryBase",
    "UnresolvedName",
    "ViewerBase",
    "XmlElement",
    "XmlReadable",
    "__version__",
    "command",
    "convert",
    "hookimpl",
    "hookspec",
    "known_robots",
    "load",
    "load_string",
    "read",
    "registry",
    "save_sensor_data",
    "set_messages",
    "setting",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "_version": "__version__",
        "environment": "BodyEvent CollisionAction Environment KnownRobot LoadReport "
        "PublishedBody PublishedState",
        "bodies": "ActiveDofs AttachedSensor BodyDynamics BodyGrabs BodyLimits "
        "BodyStructure Configurations ConnectedBodies ConnectedBody ContactArea "
        "Geometry Grippers Joint KinBody Link Manipulator Robot",
        "errors": "ArgumentError ArgumentNameError AttributeNameError CommandError "
        "Error InterfaceCreationError InterfaceNotFoundError LockTimeoutError "
        "NameConflictError NotFoundError NotSupportedError PluginError Problem "
        "Problems ResourceError SceneError SettingError Severity StateError",
        "collision": "PairwiseChecker",
        "messages": "SceneWarning set_messages",
        "ik": "IkAction IkBatch IkFilterOptions IkNearest "
        "IkParameterization IkParameterizationType IkPath IkPathEnd IkRejection "
        "IkResult IkReturn",
        "authoring": "JointController JointMotion PeriodicSensor",
        "interfaces": "CollisionCheckerBase CollisionOptions CollisionPair "
        "CollisionReport ConfigureCommand Contact ControllerBase "
        "Handle IkSolverBase InterfaceBase Interval JointDrive "
        "ModuleBase NamedCollection PhysicsContact "
        "PhysicsEngineBase PlannerAction PlannerBase PlannerParameters PlannerProgress "
        "PlannerStatus PlannerStatusCode SampleDataType SensorBase SensorGeometry "
        "SensorSystemBase SpaceSamplerBase TrajectoryBase UnresolvedName ViewerBase "
        "command setting",
        "kinematics": "Affine LimitCheck",
        "sensing": "ActuatorData ActuatorState CameraData ContactData Force6DData "
        "IMUData JointEncoderData LaserData OdometryData SensorData SensorType "
        "TactileArrayData TactileData save_sensor_data",
        "trajectories": "ConfigurationSpecification",
        "world": "BodyChange GrabbedBody StateParts",
        "plugins": "hookimpl hookspec",
        "scene": "Readable SceneDescription XmlElement XmlReadable",
        "api": "convert known_robots load load_string read registry",
    },
    "authoring bodies collision environment errors formats geometry grasping ik "
    "interfaces kinematics manipulation pictures planning plugins scene sensing "
    "spatial testing trajectories world",
)
