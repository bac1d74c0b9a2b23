"""The interface types: base classes with exactly the methods an author writes.

The bases of bodies and robots, which are also the generic ones, are in `pyrave.bodies`.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.interfaces.base import (
        INTERFACE_TYPES,
        TYPE_ALIASES,
        InterfaceBase,
    )
    from pyrave.interfaces.collection import (
        NamedCollection,
    )
    from pyrave.interfaces.collisionchecker import (
        CollisionCheckerBase,
    )
    from pyrave.interfaces.collisioncompiled import (
        CompiledCollisions,
    )
    from pyrave.interfaces.collisionreport import (
        CollisionAction,
        CollisionOptions,
        CollisionPair,
        CollisionReport,
        CollisionSide,
        Contact,
    )
    from pyrave.interfaces.collisiontouches import (
        Touches,
    )
    from pyrave.interfaces.commands import (
        Command,
        FileAccess,
        command,
        file_access,
    )
    from pyrave.interfaces.contract_changes import (
        CONTRACT_CHANGES,
        CONTRACTS,
        ContractChange,
    )
    from pyrave.interfaces.controller import (
        ControllerBase,
    )
    from pyrave.interfaces.generic_trajectory import (
        GenericTrajectory,
    )
    from pyrave.interfaces.handles import (
        Control,
        Handle,
    )
    from pyrave.interfaces.ik_checks import (
        IkChecks,
    )
    from pyrave.interfaces.iksolver import (
        IkSolverBase,
    )
    from pyrave.interfaces.joint_controller import (
        BoundController,
        JointController,
    )
    from pyrave.interfaces.module import (
        ModuleBase,
    )
    from pyrave.interfaces.path_follower import (
        JointMotion,
        PathFollower,
        SavedPath,
    )
    from pyrave.interfaces.periodic_sensor import (
        PeriodicSensor,
    )
    from pyrave.interfaces.physicsengine import (
        JointDrive,
        PhysicsContact,
        PhysicsEngineBase,
    )
    from pyrave.interfaces.planner import (
        PlannerAction,
        PlannerBase,
        PlannerParameters,
        PlannerProgress,
        PlannerStatus,
        PlannerStatusCode,
    )
    from pyrave.interfaces.sensor import (
        ConfigureCommand,
        SensorBase,
        UnresolvedName,
    )
    from pyrave.interfaces.sensorsystem import (
        SensorSystemBase,
    )
    from pyrave.interfaces.settings import (
        NoSettings,
        Setting,
        setting,
        settings_of,
    )
    from pyrave.interfaces.spacesampler import (
        Interval,
        SampleDataType,
        SpaceSamplerBase,
    )
    from pyrave.interfaces.trajectory import (
        TrajectoryBase,
    )
    from pyrave.interfaces.viewer import (
        ViewerBase,
    )

__all__ = [
    "CONTRACTS",
    "CONTRACT_CHANGES",
    "INTERFACE_TYPES",
    "TYPE_ALIASES",
    "BoundController",
    "CollisionAction",
    "CollisionCheckerBase",
    "CollisionOptions",
    "CollisionPair",
    "CollisionReport",
    "CollisionSide",
    "Command",
    "CompiledCollisions",
    "ConfigureCommand",
    "Contact",
    "ContractChange",
    "Control",
    "ControllerBase",
    "FileAccess",
    "GenericTrajectory",
    "Handle",
    "IkChecks",
    "IkSolverBase",
    "InterfaceBase",
    "Interval",
    "JointController",
    "JointDrive",
    "JointMotion",
    "ModuleBase",
    "NamedCollection",
    "NoSettings",
    "PathFollower",
    "PeriodicSensor",
    "PhysicsContact",
    "PhysicsEngineBase",
    "PlannerAction",
    "PlannerBase",
    "PlannerParameters",
    "PlannerProgress",
    "PlannerStatus",
    "PlannerStatusCode",
    "SampleDataType",
    "SavedPath",
    "SensorBase",
    "SensorSystemBase",
    "Setting",
    "SpaceSamplerBase",
    "Touches",
    "TrajectoryBase",
    "UnresolvedName",
    "ViewerBase",
    "command",
    "file_access",
    "setting",
    "settings_of",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "base": "INTERFACE_TYPES TYPE_ALIASES InterfaceBase",
        "collection": "NamedCollection",
        "collisionchecker": "CollisionCheckerBase",
        "collisioncompiled": "CompiledCollisions",
        "collisionreport": "CollisionAction CollisionOptions CollisionPair "
        "CollisionReport CollisionSide Contact",
        "collisiontouches": "Touches",
        "commands": "Command FileAccess command file_access",
        "contract_changes": "CONTRACTS CONTRACT_CHANGES ContractChange",
        "controller": "ControllerBase",
        "generic_trajectory": "GenericTrajectory",
        "handles": "Control Handle",
        "ik_checks": "IkChecks",
        "iksolver": "IkSolverBase",
        "joint_controller": "BoundController JointController",
        "module": "ModuleBase",
        "path_follower": "JointMotion PathFollower SavedPath",
        "periodic_sensor": "PeriodicSensor",
        "physicsengine": "JointDrive PhysicsContact PhysicsEngineBase",
        "planner": "PlannerAction PlannerBase PlannerParameters PlannerProgress "
        "PlannerStatus PlannerStatusCode",
        "sensor": "ConfigureCommand SensorBase UnresolvedName",
        "sensorsystem": "SensorSystemBase",
        "settings": "NoSettings Setting setting settings_of",
        "spacesampler": "Interval SampleDataType SpaceSamplerBase",
        "trajectory": "TrajectoryBase",
        "viewer": "ViewerBase",
    },
)
