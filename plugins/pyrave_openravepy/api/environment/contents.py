"""Contents of an environment: look-ups, additions, removals, engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyrave
from pyrave_openravepy.api.enums import ErrorCode, InterfaceAddMode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.handles import VoidHandle
from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.foundation.objects import ApiObject, as_native, wrap

__all__ = ["EnvironmentContents"]


def _creator(name: str) -> Callable[[Any, str], Any]:
    """Return a method that calls a function of the module with its environment."""

    def create(self: Any, id: str = "") -> Any:
        return getattr(home(), name)(self, id)

    create.__name__ = create.__qualname__ = name.removeprefix("Rave")
    return create


class EnvironmentContents(ApiObject):
    """The part of `Environment` that holds bodies, sensors, modules and engines."""

    # -- look-ups --------------------------------------------------------------------

    def GetBodies(self) -> list[Any]:
        return [wrap(body) for body in self._native.bodies]

    def GetRobots(self) -> list[Any]:
        return [wrap(robot) for robot in self._native.robots]

    def GetNumBodies(self) -> int:
        return len(self._native.bodies)

    def GetSensors(self) -> list[Any]:
        return [wrap(sensor) for sensor in self._native.sensors]

    def GetKinBody(self, name: str) -> Any:
        return wrap(self._native.bodies.get(str(name)))

    def GetRobot(self, name: str) -> Any:
        return wrap(self._native.robots.get(str(name)))

    def GetSensor(self, name: str) -> Any:
        return wrap(self._native.sensors.get(str(name)))

    def GetBodyFromEnvironmentBodyIndex(self, bodyIndex: int) -> Any:
        return self.GetBodiesFromEnvironmentBodyIndices([bodyIndex])[0]

    def GetBodyFromEnvironmentId(self, id: int) -> Any:
        return self.GetBodyFromEnvironmentBodyIndex(id)

    def GetBodiesFromEnvironmentBodyIndices(self, bodyIndex: Any) -> list[Any]:
        known = {body.GetEnvironmentBodyIndex(): body for body in self.GetBodies()}
        return [known.get(int(index)) for index in bodyIndex]

    def GetMaxEnvironmentBodyIndex(self) -> int:
        numbers = [body.GetEnvironmentBodyIndex() for body in self.GetBodies()]
        return max(numbers, default=0)

    def GetModules(self) -> list[Any]:
        return [wrap(module) for module in self._native.modules]

    def GetLoadedProblems(self) -> list[Any]:
        return self.GetModules()

    # -- changes ---------------------------------------------------------------------

    def Add(self, interface: Any, addMode: Any = None, cmdargs: str = "") -> None:
        item = _interface(interface)
        self._native.add(item, rename=_renames(addMode), args=str(cmdargs))

    def AddKinBody(self, body: Any, anonymous: Any = False) -> None:
        self.Add(body, anonymous)

    def AddRobot(self, robot: Any, anonymous: Any = False) -> None:
        self.Add(robot, anonymous)

    def AddSensor(self, sensor: Any, anonymous: Any = False) -> None:
        self.Add(sensor, anonymous)

    def AddViewer(self, sensor: Any, anonymous: Any = False) -> None:
        self.Add(sensor, anonymous)

    def Remove(self, interface: Any) -> bool:
        try:
            self._native.remove(_interface(interface))
        except pyrave.NotFoundError:
            return False
        return True

    def RemoveKinBody(self, body: Any) -> bool:
        return self.Remove(body)

    def RemoveKinBodyByName(self, name: str) -> bool:
        body = self._native.bodies.get(str(name))
        return body is not None and self.Remove(wrap(body))

    def AddModule(self, module: Any, args: str = "") -> int:
        self._native.add(_interface(module), args=str(args))
        # pyrave adds a module whose main() is not happy, and says so
        problems = self._native.problems
        failed = bool(problems) and problems[-1].code == "module-failed"
        return -1 if failed and repr(str(args)) in problems[-1].message else 0

    def LoadProblem(self, module: Any, args: str = "") -> int:
        return self.AddModule(module, args)

    # environments created interfaces by themselves until 2011
    CreateCollisionChecker = _creator("RaveCreateCollisionChecker")
    CreateController = _creator("RaveCreateController")
    CreateIkSolver = _creator("RaveCreateIkSolver")
    CreateKinBody = _creator("RaveCreateKinBody")
    CreatePhysicsEngine = _creator("RaveCreatePhysicsEngine")
    CreatePlanner = _creator("RaveCreatePlanner")
    CreateProblem = _creator("RaveCreateProblem")
    CreateRobot = _creator("RaveCreateRobot")
    CreateSensor = _creator("RaveCreateSensor")

    def RemoveProblem(self, prob: Any) -> bool:
        return self.Remove(prob)

    def RegisterBodyCallback(self, callback: Any) -> VoidHandle:
        if not callable(callback):
            raise TypeError(f"callback is {callback!r}, expected a function")
        # 1 for a body that was added, 0 for one that was removed
        actions = {"added": 1, "removed": 0}

        def tell(event: Any) -> None:
            if event.kind in actions:
                callback(wrap(event.body), actions[event.kind])

        return VoidHandle(self._native.on_body(tell))

    # -- engines ---------------------------------------------------------------------

    def SetCollisionChecker(self, collisionchecker: Any) -> bool:
        self._native.set_collision_checker(
            "GenericCollisionChecker"
            if collisionchecker is None
            else _interface(collisionchecker)
        )
        return True

    def GetCollisionChecker(self) -> Any:
        return wrap(self._native.collision_checker)

    def SetPhysicsEngine(self, physics: Any) -> bool:
        self._native.set_physics_engine(
            "GenericPhysicsEngine" if physics is None else _interface(physics)
        )
        return True

    def GetPhysicsEngine(self) -> Any:
        return wrap(self._native.physics_engine)


def _interface(given: Any) -> Any:
    """Return pyrave's interface of one of the API."""
    found = as_native(given)
    if not isinstance(found, pyrave.InterfaceBase):
        raise openrave_exception(
            f"{given!r} is no interface, expected what RaveCreate... or "
            "Environment.Read... returned",
            ErrorCode.InvalidArguments,
        )
    return found


def _renames(mode: Any) -> bool:
    # earlier versions had a bool, anonymous; None is strict
    if mode is None or isinstance(mode, bool):
        return bool(mode)
    return not int(mode) & InterfaceAddMode.StrictNameChecking
