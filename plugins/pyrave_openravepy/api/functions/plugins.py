"""Plugins and the interfaces that they offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyrave
from pyrave_openravepy.api.enums import InterfaceType
from pyrave_openravepy.api.foundation.guard import Guarded, guarded
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.objects import as_native, wrap

__all__ = [
    "PluginInfo",
    "RaveClone",
    "RaveCreateCollisionChecker",
    "RaveCreateController",
    "RaveCreateIkSolver",
    "RaveCreateInterface",
    "RaveCreateKinBody",
    "RaveCreateModule",
    "RaveCreateMultiController",
    "RaveCreatePhysicsEngine",
    "RaveCreatePlanner",
    "RaveCreateProblem",
    "RaveCreateProblemInstance",
    "RaveCreateRobot",
    "RaveCreateSensor",
    "RaveCreateSensorSystem",
    "RaveCreateSpaceSampler",
    "RaveCreateTrajectory",
    "RaveCreateViewer",
    "RaveGetLoadedInterfaces",
    "RaveGetPluginInfo",
    "RaveHasInterface",
    "RaveLoadPlugin",
    "RaveReloadPlugins",
]

_LIBRARIES = (".so", ".dll", ".dylib")
_VERSION = 149 << 8 | 1
_OLD_IDS = {("planner", "rbirrt"): "BiRRT"}
_MOVES = "IdealController and odevelocity move joints"
# plugins of laboratories, and what does here what scripts create them for
_INSTEAD = {
    "cbirrt": "MoveToHandPosition of interfaces.BaseManipulation takes constraints",
    "generalik": "Manipulator.FindIKSolution needs no module",
    "logging": "Environment.Save writes the scene",
    "nloptik": "Manipulator.FindIKSolution has a solver for each arm",
    "servocontroller": _MOVES,
    "trajectorycontroller": _MOVES,
}


class PluginInfo(Guarded):
    """Interfaces that a plugin offers.

    Parameters
    ----------
    interfacenames
        Pairs of an `InterfaceType` and the ids of that type.
    """

    def __init__(self, interfacenames: Any = ()) -> None:
        self.interfacenames = list(interfacenames)
        self.version = _VERSION


def _type_name(kind: Any) -> str:
    """Return the name of a type of interfaces, given as such or as a number."""
    return kind if isinstance(kind, str) else str(InterfaceType(int(kind)).name)


def _created(env: Any, kind: str, name: str) -> Any:
    native = as_native(env)
    if not isinstance(native, pyrave.Environment):
        raise TypeError(f"env is {env!r}, expected an Environment")
    text = str(name)
    text = _OLD_IDS.get((kind, text.lower()), text)
    try:
        try:
            return wrap(native.create(kind, text))
        except pyrave.SettingError as error:
            # OpenRAVE's plugins look past words that they do not know
            RaveLogWarn(f"words behind an id are left out: {error}")
            return wrap(native.create(kind, text.split(maxsplit=1)[0]))
    except pyrave.PluginError as error:
        # nobody offers it, or it cannot be made: None, and a line about it
        said = str(error).partition("\n")[0]
        instead = _INSTEAD.get(text.partition(" ")[0].lower())
        RaveLogWarn(f"{said}; instead: {instead}" if instead else said)
        return None


@guarded
def RaveCreateInterface(env: Any, type: Any, name: str) -> Any:
    """Return a new interface of a type, None if nobody offers the id."""
    return _created(env, _type_name(type), name)


def _creator(kind: str, function_name: str) -> Callable[[Any, str], Any]:
    def create(env: Any, name: str) -> Any:
        return _created(env, kind, name)

    create.__name__ = create.__qualname__ = function_name
    create.__doc__ = f"Return a new {kind}, None if nobody offers the id."
    return guarded(create)


RaveCreateCollisionChecker = _creator("collisionchecker", "RaveCreateCollisionChecker")
RaveCreateController = _creator("controller", "RaveCreateController")
RaveCreateIkSolver = _creator("iksolver", "RaveCreateIkSolver")
RaveCreateKinBody = _creator("kinbody", "RaveCreateKinBody")
RaveCreateModule = _creator("module", "RaveCreateModule")
RaveCreatePhysicsEngine = _creator("physicsengine", "RaveCreatePhysicsEngine")
RaveCreatePlanner = _creator("planner", "RaveCreatePlanner")
RaveCreateProblem = _creator("module", "RaveCreateProblem")
RaveCreateProblemInstance = _creator("module", "RaveCreateProblemInstance")
RaveCreateRobot = _creator("robot", "RaveCreateRobot")
RaveCreateSensor = _creator("sensor", "RaveCreateSensor")
RaveCreateSensorSystem = _creator("sensorsystem", "RaveCreateSensorSystem")
RaveCreateTrajectory = _creator("trajectory", "RaveCreateTrajectory")
RaveCreateViewer = _creator("viewer", "RaveCreateViewer")


@guarded
def RaveCreateSpaceSampler(env: Any, name: str) -> Any:
    """Return a new sampler; one of a robot follows its active degrees of freedom."""
    made = _created(env, "spacesampler", name)
    if made is not None and made.GetXMLId() == "RobotConfiguration":
        made.SendCommand("TrackActiveSpace 1")
    return made


@guarded
def RaveCreateMultiController(env: Any, name: str = "") -> Any:
    """Return a new controller that shares the joints among others."""
    return _created(env, "controller", name or "GenericMultiController")


@guarded
def RaveClone(ref: Any, cloningoptions: int, cloneenv: Any = None) -> Any:
    """Return a copy of an interface, in its environment or another one."""
    env = ref.GetEnv() if cloneenv is None else cloneenv
    made = _created(env, ref._native.interface_type, ref._native.interface_id)
    if made is not None:
        made.Clone(ref, cloningoptions)
    return made


@guarded
def RaveLoadPlugin(filename: str) -> bool:
    """Load a plugin, and return whether it is there.

    Parameters
    ----------
    filename
        A Python file, or the name of an installed package. Compiled plugins of
        OpenRAVE are not loaded: False.
    """
    name = str(filename)
    if name.lower().endswith(_LIBRARIES):
        RaveLogWarn(
            f"{name} is a plugin for OpenRAVE's C++ interface and cannot be loaded; "
            "pyrave's are Python packages, see 'pyrave new-plugin'"
        )
        return False
    registry = pyrave.registry()
    try:
        if name.endswith(".py"):
            # who names a file in a script lets it run
            return bool(registry.load_path(name, allow=True).state.usable)
        found = registry.find_plugin(name)
    except pyrave.Error as error:
        RaveLogWarn(str(error))
        return False
    if not found.records:
        RaveLogWarn(f"no plugin {name!r} is installed; 'pyrave plugins' lists them")
    return bool(found.records)


@guarded
def RaveReloadPlugins() -> None:
    """Do nothing: plugins are loaded when they are used."""


@guarded
def RaveGetPluginInfo() -> list[tuple[str, PluginInfo]]:
    """Return the plugins and what they offer."""
    found: dict[str, dict[str, list[str]]] = {}
    for record in pyrave.registry().report(load=True).records:
        # the packages of one distribution are what OpenRAVE's libraries are
        package = record.value.partition(".")[0].partition(":")[0]
        own = found.setdefault(package or record.name, {})
        for kind, names in record.interfaces.items():
            own.setdefault(kind, []).extend(names)
    return [
        (plugin, PluginInfo([(_kind(kind), names) for kind, names in own.items()]))
        for plugin, own in found.items()
    ]


@guarded
def RaveGetLoadedInterfaces() -> dict[Any, list[str]]:
    """Return the ids that there are, by type of interface."""
    registry = pyrave.registry()
    kinds = dict.fromkeys(one.name for one in InterfaceType)
    return {_kind(kind): registry.ids(kind) for kind in kinds}


@guarded
def RaveHasInterface(type: Any, name: str) -> bool:
    """Return True if somebody offers an id of a type."""
    return pyrave.registry().offers(_type_name(type), str(name))


def _kind(name: str) -> Any:
    return InterfaceType[name]
