"""Tests of plugins: a class of pytest tests for each interface type.

In a test module of a plugin::

    from pyrave.testing import SensorContract

    class TestMyLaser(SensorContract):
        interface = "MyLaser"

`plugin_contracts` makes such classes for all that a plugin offers, and `check_plugin`
runs them in a process. The fixtures ``pyrave_env`` and ``pyrave_scene`` are in every
test. pytest comes with ``pip install 'pyrave[testing]'``.

A class whose constructor needs words after the id states some for its tests:
``testing_arguments = "kit_arm"`` (`KIT_SCENE` says what is in the scene).

Names are imported when they are first used: pytest loads this package at start-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.testing.contracts import (
        CollisionCheckerContract,
        ControllerContract,
        IkSolverContract,
        InterfaceContract,
        KinBodyContract,
        ModuleContract,
        PhysicsEngineContract,
        PlannerContract,
        PluginContract,
        RigidBodyContract,
        RobotContract,
        SensorContract,
        SensorSystemContract,
        SpaceSamplerContract,
        TrajectoryContract,
        ViewerContract,
        contract_of,
    )
    from pyrave.testing.plugin_check import (
        ContractResult,
        PluginCheckReport,
        check_plugin,
        plugin_contracts,
    )
    from pyrave.testing.scene import KIT_SCENE, kit_environment

__all__ = [
    "KIT_SCENE",
    "CollisionCheckerContract",
    "ContractResult",
    "ControllerContract",
    "IkSolverContract",
    "InterfaceContract",
    "KinBodyContract",
    "ModuleContract",
    "PhysicsEngineContract",
    "PlannerContract",
    "PluginCheckReport",
    "PluginContract",
    "RigidBodyContract",
    "RobotContract",
    "SensorContract",
    "SensorSystemContract",
    "SpaceSamplerContract",
    "TrajectoryContract",
    "ViewerContract",
    "check_plugin",
    "contract_of",
    "kit_environment",
    "plugin_contracts",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "contracts": " ".join(name for name in __all__ if name.endswith("Contract"))
        + " contract_of",
        "plugin_check": "ContractResult PluginCheckReport check_plugin "
        "plugin_contracts",
        "scene": "KIT_SCENE kit_environment",
    },
)
