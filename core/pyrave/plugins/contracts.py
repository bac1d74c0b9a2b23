"""Conditions on classes that serve as interfaces of a type."""

from __future__ import annotations

import functools
import importlib
import inspect
import typing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, PluginError, PluginGuard, did_you_mean, shown
from pyrave.interfaces.base import InterfaceBase
from pyrave.interfaces.contract_changes import (
    CONTRACT_CHANGES,
    CONTRACTS,
    OLDEST_CONTRACTS,
)
from pyrave.interfaces.settings.declarations import settings_of
from pyrave.interfaces.types import INTERFACE_TYPES, TYPE_ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SCENE_PARTS = ("link", "joint", "geometry", "environment")
"""Elements of bodies, and scenes, that may have XML readers, as types may."""

_READER_KINDS = (*INTERFACE_TYPES, *SCENE_PARTS)

BASE_CLASSES: Mapping[str, str] = {
    "planner": "PlannerBase",
    "robot": "Robot",
    "sensorsystem": "SensorSystemBase",
    "controller": "ControllerBase",
    "module": "ModuleBase",
    "iksolver": "IkSolverBase",
    "kinbody": "KinBody",
    "physicsengine": "PhysicsEngineBase",
    "sensor": "SensorBase",
    "collisionchecker": "CollisionCheckerBase",
    "trajectory": "TrajectoryBase",
    "viewer": "ViewerBase",
    "spacesampler": "SpaceSamplerBase",
}

_OUR_BASES = ("pyrave.interfaces.", "pyrave.authoring.", "pyrave.bodies.")


def is_id(name: Any) -> bool:
    """Return True for a text of one word without colon, as ids and tags must be."""
    return isinstance(name, str) and name.split() == [name] and ":" not in name


def resolve_type(interface_type: str) -> str:
    """Return an interface type's name, from any case and from names of older files.

    Raises
    ------
    ArgumentError
        There is no such type.
    """
    if isinstance(interface_type, str) and interface_type in INTERFACE_TYPES:
        return interface_type
    return _resolved(interface_type, INTERFACE_TYPES, "interface type")


def resolve_reader_kind(kind: str) -> str:
    """Return a kind of element that XML readers are for: a type, or a part of a scene.

    Raises
    ------
    ArgumentError
        There is no such kind.
    """
    return _resolved(kind, _READER_KINDS, "interface type or part of a scene")


def _resolved(given: str, known: tuple[str, ...], what: str) -> str:
    if not isinstance(given, str):
        raise ArgumentError(
            f"the {what} is {given!r}, expected a text; there are {', '.join(known)}"
        )
    name = given.strip().lower()
    name = TYPE_ALIASES.get(name, name)
    if name not in known:
        raise ArgumentError(
            f"{given!r} is not an {what}{did_you_mean(name, known)}; "
            f"there are {', '.join(known)}"
        )
    return name


def interface_base(interface_type: str) -> type[InterfaceBase]:
    """Return the base class of a type, imported at first use."""
    room = "bodies" if interface_type in {"kinbody", "robot"} else "interfaces"
    module = importlib.import_module(f"pyrave.{room}")
    base: type[InterfaceBase] = getattr(module, BASE_CLASSES[interface_type])
    return base


def stated_contract(cls: type) -> Any:
    """Return the contract that a class states itself or through a plugin's class.

    What our abstract bases say does not count: absent means 1.
    """
    for ancestor in _of_authors(cls):
        if "contract" in vars(ancestor):
            return vars(ancestor)["contract"]
    return 1


def _of_authors(cls: type) -> Iterator[type]:
    """Give a class and those of its ancestors that are no bases of ours."""
    for ancestor in cls.__mro__:
        ours = ancestor.__module__.startswith(_OUR_BASES)
        if ours and ancestor is not cls:
            break
        yield ancestor


def contract_problem(cls: type, interface_type: str) -> str | None:
    """Return the reason for which a class's contract does not fit, or None."""
    stated, ours = stated_contract(cls), served_contracts(interface_type)
    name = f"{cls.__module__}.{cls.__qualname__}"
    theirs = _as_range(stated)
    if theirs is None:
        return (
            f"{name} states contract = {shown(stated)}, expected a whole number, or a "
            "range such as range(1, 3)"
        )
    text = (
        f"{name} is written for contract {_said(theirs)} of {interface_type}, "
        f"this pyrave has contract {_said(ours)}"
    )
    if theirs[0] > ours[-1]:
        return f"{text}; update pyrave or use an older plugin"
    reasons = _reasons_against(cls, theirs[-1], interface_type)
    if not reasons and theirs[-1] >= ours[0]:
        return None
    changes = reasons or _changes_since(theirs[-1], interface_type)
    return "; ".join((text, *changes, "update the plugin"))


def contract_warning(cls: type, interface_type: str) -> str | None:
    """Return that a class is written for an old contract that is still served."""
    theirs, ours = _as_range(stated_contract(cls)), CONTRACTS[interface_type]
    if theirs is None or theirs[-1] >= ours:
        return None
    changes = "".join(f"; {one}" for one in _changes_since(theirs[-1], interface_type))
    return (
        f"{cls.__module__}.{cls.__qualname__} is written for contract "
        f"{_said(theirs)} of {interface_type}, which a later pyrave will refuse; "
        f"contract {ours} is current{changes}; update the class, and state "
        f"contract = {ours} in its body"
    )


def _changes_since(version: int, interface_type: str) -> list[str]:
    """Return the changes after a version of a contract, a text for each version."""
    changes = CONTRACT_CHANGES.get(interface_type, {})
    return [
        f"since contract {number}: {change.what}"
        for number, change in sorted(changes.items())
        if number > version
    ]


def _reasons_against(cls: type, version: int, interface_type: str) -> list[str]:
    """Return the changes after a version that concern what a class defines itself."""
    defined: set[str] = set()
    for ancestor in _of_authors(cls):
        stated = _as_range(vars(ancestor).get("contract", version))
        if stated is not None and stated[-1] > version:
            break  # that one is up to date
        defined.update(vars(ancestor))
    return [
        f"since contract {number}: {change.what} (it defines "
        f"{', '.join(sorted(change.methods & defined))})"
        for number, change in sorted(CONTRACT_CHANGES.get(interface_type, {}).items())
        if number > version and change.methods & defined
    ]


def served_contracts(interface_type: str) -> range:
    """Return the versions of a type's contract that this pyrave serves."""
    return range(OLDEST_CONTRACTS[interface_type], CONTRACTS[interface_type] + 1)


def _as_range(stated: Any) -> range | None:
    """Return the versions that a class states, None if it is nonsense."""
    if isinstance(stated, range):
        return stated if len(stated) and stated.step == 1 else None
    if not isinstance(stated, int) or isinstance(stated, bool):
        return None
    return range(stated, stated + 1)


def _said(versions: range) -> str:
    first, last = versions[0], versions[-1]
    return str(first) if first == last else f"{first} to {last}"


def class_problem(cls: type, interface_type: str) -> str | None:
    """Return the reason for which a class is no interface of a type, or None."""
    base = interface_base(interface_type)
    name = f"{cls.__module__}.{cls.__qualname__}"
    other = getattr(cls, "interface_type", None)
    # a robot is a kinbody too, but not what somebody who asks for one expects
    if not issubclass(cls, base) or other != interface_type:
        hint = f"; it is a {other}" if issubclass(cls, InterfaceBase) and other else ""
        return (
            f"{name} is not derived from {base.__module__}.{base.__qualname__}, "
            f"the base of every {interface_type}{hint}"
        )
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(cls.__abstractmethods__))
        return f"{name} lacks methods that a {interface_type} must have: {missing}"
    return None


def checked_factory(interface_type: str, factory: Any) -> Callable[..., Any]:
    """Return a class or factory that can serve as an interface of a type.

    Raises
    ------
    PluginError
        Wrong base class, missing methods, not callable, or another contract.
    """
    if isinstance(factory, type):
        if issubclass(factory, interface_base(interface_type)):
            # first: a newer contract may well have other abstract methods
            contract = contract_problem(factory, interface_type)
            if contract is not None:
                raise IncompatibleError(contract)
        problem = class_problem(factory, interface_type)
        if problem is not None:
            raise PluginError(problem)
        _check_settings(factory)
    elif not callable(factory):
        raise PluginError(
            f"{shown(factory)} is neither a class nor a function that makes a "
            f"{interface_type}"
        )
    else:
        settings_of(settings_type_of(factory))
    made: Callable[..., Any] = factory
    return made


def settings_type_of(factory: Callable[..., Any]) -> Any:
    """Return the dataclass that declares the settings of what a factory makes, or None.

    Classes have it as `settings_type`. A function has an attribute of this name, or
    the class that it returns, by its annotation, has one.
    """
    found: Any = None
    with PluginGuard():  # annotations may be of names that only type checkers know
        if hasattr(factory, "settings_type"):
            return factory.settings_type
        while isinstance(factory, functools.partial):
            factory = factory.func
        said = {"return": inspect.signature(factory).return_annotation}
        names = getattr(inspect.unwrap(factory), "__globals__", {})
        hint = SimpleNamespace(__annotations__=said)
        made = typing.get_type_hints(hint, globalns=names)["return"]
        # an abstract class leaves open what is made
        if not inspect.isabstract(made):
            found = getattr(made, "settings_type", None)
    return found


def _check_settings(cls: type[InterfaceBase]) -> None:
    """Raise PluginError for settings that are not declared as they should be."""
    known = settings_of(cls.settings_type)
    for name in cls.word_settings:
        if name not in known:
            raise PluginError(
                f"{cls.__module__}.{cls.__qualname__} has {name!r} in word_settings"
                f"{did_you_mean(name, known)}; settings: {', '.join(known) or 'none'}"
            )


class IncompatibleError(PluginError):
    """A class is written for another version of its type's contract."""
