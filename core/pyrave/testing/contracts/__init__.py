"""The contracts of plugins and the 13 interface types: classes of pytest tests."""

from pyrave.errors import NotSupportedError

try:
    import pytest  # noqa: F401 - contracts are its tests
except ModuleNotFoundError as error:
    raise NotSupportedError(
        "contracts are pytest tests and pytest is not installed; "
        "pip install 'pyrave[testing]'"
    ) from error

from pyrave.plugins.contracts import resolve_type
from pyrave.testing.contracts.collisionchecker import CollisionCheckerContract
from pyrave.testing.contracts.controller import ControllerContract
from pyrave.testing.contracts.iksolver import IkSolverContract
from pyrave.testing.contracts.interface import InterfaceContract
from pyrave.testing.contracts.kinbody import KinBodyContract, RobotContract
from pyrave.testing.contracts.module import ModuleContract
from pyrave.testing.contracts.physicsengine import PhysicsEngineContract
from pyrave.testing.contracts.planner import PlannerContract
from pyrave.testing.contracts.plugin import Contract, PluginContract, records_of
from pyrave.testing.contracts.rigid_bodies import RigidBodyContract
from pyrave.testing.contracts.sensor import SensorContract
from pyrave.testing.contracts.sensorsystem import SensorSystemContract
from pyrave.testing.contracts.spacesampler import SpaceSamplerContract
from pyrave.testing.contracts.trajectory import TrajectoryContract
from pyrave.testing.contracts.viewer import ViewerContract

__all__ = [
    "CollisionCheckerContract",
    "Contract",
    "ControllerContract",
    "IkSolverContract",
    "InterfaceContract",
    "KinBodyContract",
    "ModuleContract",
    "PhysicsEngineContract",
    "PlannerContract",
    "PluginContract",
    "RigidBodyContract",
    "RobotContract",
    "SensorContract",
    "SensorSystemContract",
    "SpaceSamplerContract",
    "TrajectoryContract",
    "ViewerContract",
    "contract_of",
    "records_of",
]

_CONTRACTS: dict[str, type[InterfaceContract]] = {
    value.interface_type: value
    for value in list(globals().values())
    if isinstance(value, type)
    and issubclass(value, InterfaceContract)
    and value not in {InterfaceContract, RigidBodyContract}
}


def contract_of(interface_type: str) -> type[InterfaceContract]:
    """Return the contract of an interface type.

    Raises
    ------
    ArgumentError
        There is no such type.
    """
    return _CONTRACTS[resolve_type(interface_type)]
