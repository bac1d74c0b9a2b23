"""Methods of `Environment` that create, add and choose interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from pyrave import interfaces
from pyrave.argument_names import methods_suggest
from pyrave.interfaces.settings.parts import Part, as_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.environment.internals import Internals
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
    from pyrave.plugins import Registration, Registry
    from pyrave.scene import BodyDescription, RobotDescription

Engine = TypeVar("Engine", bound="PhysicsEngineBase")
Checker = TypeVar("Checker", bound="CollisionCheckerBase")


@methods_suggest
class EnvironmentParts:
    """The part of an environment that creates, adds and installs its parts.

    Wherever a part is chosen it may be an object, an id, or an id with settings.
    """

    internals: Internals
    registry: Registry
    """Source of its interfaces."""

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
        item = self.registry.create(env, interface_type, interface, settings)
        self.registry.call_hook("pyrave_interface_created", env=env, interface=item)
        return item

    @overload
    def create_body(
        self, description: RobotDescription, *, rename: bool = False
    ) -> Robot: ...
    @overload
    def create_body(
        self, description: BodyDescription, *, rename: bool = False
    ) -> KinBody: ...
    def create_body(
        self, description: BodyDescription, *, rename: bool = False
    ) -> KinBody:
        """Create a body or robot from a description and add it.

        Parameters
        ----------
        description
            What `pyrave.scene.body_from_boxes` and its like return, or links and
            joints put together by hand.
        rename
            Number the name if it is taken, instead of raising.

        Raises
        ------
        SceneError
            The description contradicts itself.
        NameConflictError
            The name is taken or not valid.
        """
        from pyrave.environment.membership import create_body

        env: Any = self
        return create_body(env, description, rename=rename)

    def register(
        self, interface_type: str, interface_id: str, factory: Callable[..., Any]
    ) -> Registration:
        """Offer an interface in this environment only, until the handle is closed.

        Parameters
        ----------
        factory
            A class or function called as ``factory(env, *args)``.
        """
        return self.registry.register(interface_type, interface_id, factory)

    @overload
    def add(self, item: Part, /, *, rename: bool = False, args: str = "") -> Part: ...
    @overload
    def add(
        self, item: Literal["robot"], interface: str, /, **settings: Any
    ) -> Robot: ...
    @overload
    def add(
        self, item: Literal["kinbody"], interface: str, /, **settings: Any
    ) -> KinBody: ...
    @overload
    def add(
        self, item: Literal["sensor"], interface: str, /, **settings: Any
    ) -> SensorBase: ...
    @overload
    def add(
        self, item: Literal["module"], interface: str, /, **settings: Any
    ) -> ModuleBase: ...
    @overload
    def add(
        self, item: Literal["viewer"], interface: str, /, **settings: Any
    ) -> ViewerBase: ...
    @overload
    def add(
        self, item: Literal["physicsengine"], interface: str, /, **settings: Any
    ) -> PhysicsEngineBase: ...
    @overload
    def add(
        self, item: Literal["collisionchecker"], interface: str, /, **settings: Any
    ) -> CollisionCheckerBase: ...
    @overload
    def add(self, item: str, interface: str, /, **settings: Any) -> InterfaceBase: ...
    def add(
        self,
        item: InterfaceBase | str,
        interface: str | None = None,
        /,
        *,
        rename: bool = False,
        args: str = "",
        **settings: Any,
    ) -> InterfaceBase:
        """Add a body, sensor, module or viewer, or install an engine.

        Parameters
        ----------
        item, interface
            An object, or type and id of one that is made, as `create` takes them:
            ``env.add("sensor", "BaseLaser2D", max_range=5.0)``.
        rename
            Number the name if it is taken, instead of raising.
        args
            What a module's `main` gets.
        **settings
            Of the object that is made.

        Returns
        -------
        InterfaceBase
            What was added.

        Raises
        ------
        NameConflictError
            The name is taken or not valid.
        ArgumentError
            The object was made for another environment or cannot be added.
        SettingError
            As for `create`. Nothing is added then.
        """
        from pyrave.environment.membership import add, made_or_given

        env: Any = self
        with self.internals.lock.hold():
            given = made_or_given(env, item, interface, settings)
            add(env, given, rename=rename, args=args)
        return given

    @property
    def physics_engine(self) -> PhysicsEngineBase:
        """The physics engine; the generic one until another is chosen.

        Assignable: an engine or an id. `set_physics_engine` takes settings, too.
        """
        env: Any = self
        return self.internals.engines.require_physics(env)

    @physics_engine.setter
    def physics_engine(self, engine: PhysicsEngineBase | str) -> None:
        self.set_physics_engine(engine)

    @overload
    def set_physics_engine(
        self, engine: str, /, **settings: Any
    ) -> PhysicsEngineBase: ...
    @overload
    def set_physics_engine(self, engine: Engine, /) -> Engine: ...
    def set_physics_engine(
        self, engine: PhysicsEngineBase | str, /, **settings: Any
    ) -> PhysicsEngineBase:
        """Let a physics engine take over, and return it.

        Parameters
        ----------
        engine
            An object or an id.
        **settings
            Of the engine of an id, for example ``time_step=1e-3``.

        Raises
        ------
        ArgumentError, SettingError, InterfaceNotFoundError, InterfaceCreationError
            As for `create`; the engine before stays.
        """
        env: Any = self
        with self.internals.lock.hold():
            made = as_part(
                env,
                interfaces.PhysicsEngineBase,
                engine,
                settings,
                what="physics_engine",
            )
            self.add(made)
        return made

    @property
    def collision_checker(self) -> CollisionCheckerBase:
        """The collision checker; the default until another is chosen.

        Assignable: a checker or an id. `set_collision_checker` takes settings, too.
        """
        env: Any = self
        engines = self.internals.engines
        return engines.checker or engines.require_checker(env)

    @collision_checker.setter
    def collision_checker(self, checker: CollisionCheckerBase | str) -> None:
        self.set_collision_checker(checker)

    def keep_self_checkers(self, body: KinBody) -> None:
        """Take over the collision checker that a body has for itself."""
        env: Any = self
        with self.internals.lock.hold():
            self.internals.engines.keep_self_checkers(env, body)

    @overload
    def set_collision_checker(
        self, checker: str, /, **settings: Any
    ) -> CollisionCheckerBase: ...
    @overload
    def set_collision_checker(self, checker: Checker, /) -> Checker: ...
    def set_collision_checker(
        self, checker: CollisionCheckerBase | str, /, **settings: Any
    ) -> CollisionCheckerBase:
        """Let a collision checker take over, and return it; as `set_physics_engine`."""
        env: Any = self
        with self.internals.lock.hold():
            made = as_part(
                env,
                interfaces.CollisionCheckerBase,
                checker,
                settings,
                what="collision_checker",
            )
            self.add(made)
        return made
