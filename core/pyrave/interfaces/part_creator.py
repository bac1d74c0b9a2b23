"""The call that creates a part of an environment, with the type of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.interfaces.controller import ControllerBase
    from pyrave.interfaces.iksolver import IkSolverBase
    from pyrave.interfaces.module import ModuleBase
    from pyrave.interfaces.physicsengine import PhysicsEngineBase
    from pyrave.interfaces.planner import PlannerBase
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.interfaces.sensorsystem import SensorSystemBase
    from pyrave.interfaces.spacesampler import SpaceSamplerBase
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.interfaces.viewer import ViewerBase


class PartCreator(Protocol):
    """The part of an environment that creates objects of the 13 interface types."""

    registry: Any
    """Where its interfaces come from."""

    @overload
    def create(
        self, interface_type: Literal["planner"], interface: str, /, **settings: Any
    ) -> PlannerBase: ...
    @overload
    def create(
        self, interface_type: Literal["robot"], interface: str, /, **settings: Any
    ) -> Robot: ...
    @overload
    def create(
        self,
        interface_type: Literal["sensorsystem"],
        interface: str,
        /,
        **settings: Any,
    ) -> SensorSystemBase: ...
    @overload
    def create(
        self, interface_type: Literal["controller"], interface: str, /, **settings: Any
    ) -> ControllerBase: ...
    @overload
    def create(
        self, interface_type: Literal["module"], interface: str, /, **settings: Any
    ) -> ModuleBase: ...
    @overload
    def create(
        self, interface_type: Literal["iksolver"], interface: str, /, **settings: Any
    ) -> IkSolverBase: ...
    @overload
    def create(
        self, interface_type: Literal["kinbody"], interface: str, /, **settings: Any
    ) -> KinBody: ...
    @overload
    def create(
        self,
        interface_type: Literal["physicsengine"],
        interface: str,
        /,
        **settings: Any,
    ) -> PhysicsEngineBase: ...
    @overload
    def create(
        self, interface_type: Literal["sensor"], interface: str, /, **settings: Any
    ) -> SensorBase: ...
    @overload
    def create(
        self,
        interface_type: Literal["collisionchecker"],
        interface: str,
        /,
        **settings: Any,
    ) -> CollisionCheckerBase: ...
    @overload
    def create(
        self, interface_type: Literal["trajectory"], interface: str, /, **settings: Any
    ) -> TrajectoryBase: ...
    @overload
    def create(
        self, interface_type: Literal["viewer"], interface: str, /, **settings: Any
    ) -> ViewerBase: ...
    @overload
    def create(
        self,
        interface_type: Literal["spacesampler"],
        interface: str,
        /,
        **settings: Any,
    ) -> SpaceSamplerBase: ...
    @overload
    def create(
        self, interface_type: str, interface: str, /, **settings: Any
    ) -> InterfaceBase: ...
    def create(
        self, interface_type: str, interface: str, /, **settings: Any
    ) -> InterfaceBase:
        """Create an interface for this environment; it is not added.

        Parameters
        ----------
        interface_type
            One of the 13 types, for example ``"sensor"``; old names work.
        interface
            ``"Id"``, or ``"Id name=value"``; ids match without case.
            ``"distribution:Id"`` picks one of several plugins that offer the same id.
        **settings
            By name, SI units and radians; ``pyrave plugins show Id`` lists them.

        Raises
        ------
        InterfaceNotFoundError
            Nobody offers it; says what is there and which plugins failed.
        InterfaceCreationError
            The plugin's class raised; chained to what it raised.
        SettingError
            A setting is unknown, or its value is of another type or out of range.
        """
        env: Any = self
        item: InterfaceBase = self.registry.create(
            env, interface_type, interface, settings
        )
        self.registry.call_hook("pyrave_interface_created", env=env, interface=item)
        return item
