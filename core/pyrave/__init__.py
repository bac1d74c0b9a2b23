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
from pyrave.lazy import exports

if TYPE_CHECKING:
    from pyrave.environment import (
        BodyEvent,
        CollisionAction,
        Environment,
        LoadReport,
        PublishedState,
    )
    from pyrave.interfaces import (
        Affine,
        CollisionCheckerBase,
        CollisionOptions,
        CollisionReport,
        ConfigurationSpecification,
        ConfigureCommand,
        ControllerBase,
        Geometry,
        Handle,
        IkFilterOptions,
        IkParameterization,
        IkParameterizationType,
        IkReturn,
        IkSolverBase,
        InterfaceBase,
        Interval,
        Joint,
        KinBody,
        LaserData,
        LaserGeometry,
        LimitCheck,
        Link,
        Manipulator,
        ModuleBase,
        PhysicsEngineBase,
        PlannerBase,
        PlannerParameters,
        PlannerStatus,
        PlannerStatusCode,
        Robot,
        SensorBase,
        SensorData,
        SensorGeometry,
        SensorSystemBase,
        SensorType,
        SpaceSamplerBase,
        TrajectoryBase,
        ViewerBase,
        command,
    )
    from pyrave.plugins import hookimpl
    from pyrave.scene import Readable, SceneDescription, XmlElement, XmlReadable
    from pyrave.session import convert, load, load_string, read, registry

__version__ = "0.1.0"

# a library never decides where its log goes
logging.getLogger("pyrave").addHandler(logging.NullHandler())


__all__ = [
    "Affine",
    "ArgumentError",
    "BodyEvent",
    "CollisionAction",
    "CollisionCheckerBase",
    "CollisionOptions",
    "CollisionReport",
    "CommandError",
    "ConfigurationSpecification",
    "ConfigureCommand",
    "ControllerBase",
    "Environment",
    "Error",
    "Geometry",
    "Handle",
    "IkFilterOptions",
    "IkParameterization",
    "IkParameterizationType",
    "IkReturn",
    "IkSolverBase",
    "InterfaceBase",
    "InterfaceCreationError",
    "InterfaceNotFoundError",
    "Interval",
    "Joint",
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
    "NotFoundError",
    "NotSupportedError",
    "PhysicsEngineBase",
    "PlannerBase",
    "PlannerParameters",
    "PlannerStatus",
    "PlannerStatusCode",
    "PluginError",
    "Problem",
    "PublishedState",
    "Readable",
    "ResourceError",
    "Robot",
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
    "TrajectoryBase",
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
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "environment": "BodyEvent CollisionAction Environment LoadReport "
        "PublishedState",
        "interfaces": "Affine CollisionCheckerBase CollisionOptions CollisionReport "
        "ConfigurationSpecification ConfigureCommand ControllerBase Geometry Handle "
        "IkFilterOptions IkParameterization IkParameterizationType IkReturn "
        "IkSolverBase InterfaceBase Interval Joint KinBody LaserData LaserGeometry "
        "LimitCheck Link Manipulator ModuleBase PhysicsEngineBase PlannerBase "
        "PlannerParameters PlannerStatus PlannerStatusCode Robot SensorBase "
        "SensorData SensorGeometry SensorSystemBase SensorType SpaceSamplerBase "
        "TrajectoryBase ViewerBase command",
        "plugins": "hookimpl",
        "scene": "Readable SceneDescription XmlElement XmlReadable",
        "session": "convert load load_string read registry",
    },
)
