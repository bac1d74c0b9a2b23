"""The 13 interface types: base classes with exactly the methods an author writes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyrave.interfaces.affine import Affine
    from pyrave.interfaces.attached_sensor import AttachedSensor
    from pyrave.interfaces.base import (
        CONTRACTS,
        INTERFACE_TYPES,
        TYPE_ALIASES,
        InterfaceBase,
    )
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
    from pyrave.interfaces.controller import ControllerBase
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.interfaces.generic_trajectory import GenericTrajectory
    from pyrave.interfaces.geometry import Geometry
    from pyrave.interfaces.handles import Handle
    from pyrave.interfaces.ik_parameterization import (
        IkParameterization,
        IkParameterizationType,
    )
    from pyrave.interfaces.iksolver import (
        IkAction,
        IkFilterOptions,
        IkReturn,
        IkSolverBase,
    )
    from pyrave.interfaces.joint import Joint
    from pyrave.interfaces.kinbody import BodyChange, BodyState, KinBody, LimitCheck
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
        ActuatorData,
        ActuatorGeometry,
        CameraData,
        CameraGeometry,
        CameraIntrinsics,
        ConfigureCommand,
        Force6DData,
        Force6DGeometry,
        IMUData,
        IMUGeometry,
        JointEncoderData,
        JointEncoderGeometry,
        LaserData,
        LaserGeometry,
        OdometryData,
        OdometryGeometry,
        SensorBase,
        SensorData,
        SensorGeometry,
        SensorType,
        TactileData,
        TactileGeometry,
    )
    from pyrave.interfaces.sensorsystem import SensorSystemBase
    from pyrave.interfaces.spacesampler import (
        Interval,
        SampleDataType,
        SpaceSamplerBase,
    )
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.interfaces.viewer import ViewerBase

_HOMES: dict[str, str] = {
    name: module
    for module, names in {
        "affine": "Affine",
        "attached_sensor": "AttachedSensor",
        "base": "CONTRACTS INTERFACE_TYPES TYPE_ALIASES InterfaceBase",
        "collection": "NamedCollection",
        "collisionchecker": "CollisionCheckerBase CollisionOptions CollisionPair "
        "CollisionReport Contact",
        "commands": "Command command",
        "configuration_specification": "ConfigurationSpecification",
        "controller": "ControllerBase",
        "environment": "EnvironmentProtocol",
        "generic_trajectory": "GenericTrajectory",
        "geometry": "Geometry",
        "handles": "Handle",
        "ik_parameterization": "IkParameterization IkParameterizationType",
        "iksolver": "IkAction IkFilterOptions IkReturn IkSolverBase",
        "joint": "Joint",
        "kinbody": "BodyChange BodyState KinBody LimitCheck",
        "link": "Link",
        "manipulator": "Manipulator",
        "module": "ModuleBase",
        "physicsengine": "PhysicsEngineBase",
        "planner": "PlannerAction PlannerBase PlannerParameters PlannerProgress "
        "PlannerStatus PlannerStatusCode",
        "robot": "Robot",
        "sensor": "ActuatorData ActuatorGeometry CameraData CameraGeometry "
        "CameraIntrinsics ConfigureCommand Force6DData Force6DGeometry IMUData "
        "IMUGeometry JointEncoderData JointEncoderGeometry LaserData LaserGeometry "
        "OdometryData OdometryGeometry SensorBase SensorData SensorGeometry "
        "SensorType TactileData TactileGeometry",
        "sensorsystem": "SensorSystemBase",
        "spacesampler": "Interval SampleDataType SpaceSamplerBase",
        "trajectory": "TrajectoryBase",
        "viewer": "ViewerBase",
    }.items()
    for name in names.split()
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - strings, as the table above says


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
