"""The interface types: base classes with the methods that an author writes.

Beside them are the data of these methods: settings, collision queries, recordings.

The bases of bodies and robots, which are also the generic ones, are in `pyrave.bodies`.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.interfaces.base import (
        InterfaceBase,
    )
    from pyrave.interfaces.collection import (
        NamedCollection,
    )
    from pyrave.interfaces.collision.compiled import (
        CompiledCollisions,
    )
    from pyrave.interfaces.collision.report import (
        CollisionAction,
        CollisionOptions,
        CollisionPair,
        CollisionReport,
        CollisionSide,
        Contact,
    )
    from pyrave.interfaces.collision.touching_links import (
        Touches,
    )
    from pyrave.interfaces.collisionchecker import (
        CollisionCheckerBase,
    )
    from pyrave.interfaces.commands import (
        Command,
        CommandResult,
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
    from pyrave.interfaces.handles import (
        Control,
        Handle,
    )
    from pyrave.interfaces.iksolver import (
        IkSolverBase,
    )
    from pyrave.interfaces.inverse_kinematics.candidate_checks import (
        IkChecks,
    )
    from pyrave.interfaces.module import (
        ModuleBase,
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
    from pyrave.interfaces.settings.declarations import (
        NoSettings,
        Setting,
        setting,
        settings_of,
    )
    from pyrave.interfaces.settings.sensor_geometry import SensorGeometry
    from pyrave.interfaces.spacesampler import (
        Interval,
        SampleDataType,
        SpaceSamplerBase,
    )
    from pyrave.interfaces.trajectory import (
        TrajectoryBase,
    )
    from pyrave.interfaces.types import INTERFACE_TYPES, TYPE_ALIASES
    from pyrave.interfaces.viewer import (
        ViewerBase,
    )

__all__ = [
    "CONTRACTS",
    "CONTRACT_CHANGES",
    "INTERFACE_TYPES",
    "TYPE_ALIASES",
    "CollisionAction",
    "CollisionCheckerBase",
    "CollisionOptions",
    "CollisionPair",
    "CollisionReport",
    "CollisionSide",
    "Command",
    "CommandResult",
    "CompiledCollisions",
    "ConfigureCommand",
    "Contact",
    "ContractChange",
    "Control",
    "ControllerBase",
    "FileAccess",
    "Handle",
    "IkChecks",
    "IkSolverBase",
    "InterfaceBase",
    "Interval",
    "JointDrive",
    "ModuleBase",
    "NamedCollection",
    "NoSettings",
    "PhysicsContact",
    "PhysicsEngineBase",
    "PlannerAction",
    "PlannerBase",
    "PlannerParameters",
    "PlannerProgress",
    "PlannerStatus",
    "PlannerStatusCode",
    "SampleDataType",
    "SensorBase",
    "SensorGeometry",
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
        "base": "InterfaceBase",
        "collection": "NamedCollection",
        "collisionchecker": "CollisionCheckerBase",
        "collision.compiled": "CompiledCollisions",
        "collision.report": "CollisionAction CollisionOptions CollisionPair "
        "CollisionReport CollisionSide Contact",
        "collision.touching_links": "Touches",
        "commands": "Command CommandResult FileAccess command file_access",
        "contract_changes": "CONTRACTS CONTRACT_CHANGES ContractChange",
        "controller": "ControllerBase",
        "handles": "Control Handle",
        "inverse_kinematics.candidate_checks": "IkChecks",
        "iksolver": "IkSolverBase",
        "module": "ModuleBase",
        "physicsengine": "JointDrive PhysicsContact PhysicsEngineBase",
        "planner": "PlannerAction PlannerBase PlannerParameters PlannerProgress "
        "PlannerStatus PlannerStatusCode",
        "sensor": "ConfigureCommand SensorBase UnresolvedName",
        "settings.sensor_geometry": "SensorGeometry",
        "sensorsystem": "SensorSystemBase",
        "settings.declarations": "NoSettings Setting setting settings_of",
        "spacesampler": "Interval SampleDataType SpaceSamplerBase",
        "trajectory": "TrajectoryBase",
        "types": "INTERFACE_TYPES TYPE_ALIASES",
        "viewer": "ViewerBase",
    },
)
