"""Rows of the tables of public names: what they are, and what they are asked with."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import importlib
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signatures import (
    UNIT,
    Docstring,
    arguments_of,
    attribute_text,
    returned_by,
    text_of,
)
from sphinx.pycode import ModuleAnalyzer

import pyrave
import pyrave_environments
from pyrave.cards import unlisted_names
from pyrave.environment.files.scene_names import located
from pyrave.formats.resolver import Resolver
from pyrave.interfaces import INTERFACE_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGES = (
    "pyrave",
    "pyrave.databases",
    "pyrave.grasping",
    "pyrave.manipulation",
    "pyrave.planning",
    "pyrave.scene",
)
_RESULTS = {
    "pyrave.bodies": "AffineLimits Execution StateSaver",
    "pyrave.bodies.views.frame": "Frame",
    "pyrave.environment": "EnvironmentSaver",
    "pyrave.environment.display.recorder": "Recorder",
    "pyrave.environment.ray_world": "WorldHits",
    "pyrave.geometry": "Camera Mesh Picture RayHits",
    "pyrave.interfaces": "Command Control",
    "pyrave.interfaces.collision.report": "CollisionSide",
    "pyrave.interfaces.trajectory": "Motion",
    "pyrave.pictures": "Drawing Drawings",
    "pyrave.planning": "PlanFailure PlanResult PlanStatistics TimedPath",
    "pyrave.plugins": "Registration Registry",
    "pyrave.trajectories.groups": "Group",
    "pyrave.world": "BodyState",
}
"""Classes of what public functions return, by their modules."""
_TYPES = {
    "pyrave.bodies.collision_queries": "CollisionFilter",
    "pyrave.bodies.state.named_values": "JointValues",
    "pyrave.bodies.views.affine_limits": "Quantity",
    "pyrave.environment.files.options": "AnyPath",
    "pyrave.ik.parameterization": "IkTypeLike",
    "pyrave.interfaces.iksolver": "IkFilter IkFinishCallback",
    "pyrave.interfaces.named_bodies": "Bodies",
    "pyrave.scene": (
        "ConstraintKind ContactShape ControlMode ControllerKind PhysicsSensor Shape"
    ),
    "pyrave.scene.body": "JointType",
    "pyrave.scene.pose": "Matrix3 Vec3",
    "pyrave.scene.readable": "ReadableItems",
    "pyrave.spatial": "IndicesLike",
}
"""Names of types in the columns of arguments and results, by their modules."""
_HOMES = {name: home for home, names in _RESULTS.items() for name in names.split()}
_ABOVE = {"Exception", "BaseException", "object", "Warning"}


@dataclasses.dataclass(frozen=True)
class PublicName:
    """A row of the table.

    Parameters
    ----------
    arguments
        Each with type, default, and what it is.
    """

    name: str
    arguments: tuple[tuple[str, str], ...]
    returns: str
    raises: tuple[str, ...]
    units: tuple[str, ...]
    purpose: str


def owners() -> tuple[str, ...]:
    """Return what there is a table for: packages, classes, interface types, files."""
    kinds = [name for name in pyrave.__all__ if inspect.isclass(getattr(pyrave, name))]
    types = [one for one in INTERFACE_TYPES if public_names(one)]
    return ("types", *_PACKAGES, *kinds, *_HOMES, *types, "files")


@functools.cache
def public_names(owner: str) -> tuple[PublicName, ...]:
    """Return the rows of a class, of a package, of ids of a type, or of files.

    Rows of a class begin with how it is made. What it has from a class that has a table
    of its own stands there.
    """
    if owner == "files":
        return tuple(_files())
    if owner == "types":
        return tuple(_types())
    if owner in INTERFACE_TYPES:
        return tuple(_ids(owner))
    if owner in _PACKAGES:
        module = importlib.import_module(owner)
        found = {name: getattr(module, name) for name in module.__all__}
        if owner == "pyrave":
            found = {k: v for k, v in found.items() if not inspect.isclass(v)}
        if owner == "pyrave.scene":
            found = {k: v for k, v in found.items() if _is_described(v)}
        docs = ModuleAnalyzer.for_module(owner).find_attr_docs()
        texts = {name: " ".join(docs.get(("", name), ())).strip() for name in found}
        return tuple(_row(name, one, texts[name]) for name, one in found.items())
    kind = class_of(owner)
    return (_row(owner, kind, ""), *_members(owner, kind))


def class_of(owner: str) -> type:
    """Return the class that a table is about."""
    home = importlib.import_module(_HOMES.get(owner, "pyrave"))
    kind: type = getattr(home, owner)
    return kind


def inherited(owner: str) -> str:
    """Return the class whose rows belong to a class, too; empty if there is none."""
    if owner in ("types", *_PACKAGES, *INTERFACE_TYPES, "files"):
        return ""
    names = [one for one in owners() if one[0].isupper()]
    own = {class_of(name): name for name in names}
    kinds = class_of(owner).__mro__[1:]
    return next((own[kind] for kind in kinds if kind in own), "")


def _types() -> Iterator[PublicName]:
    """Yield names of types: the text below each says what it is, or its members do."""
    for home, names in _TYPES.items():
        docs = ModuleAnalyzer.for_module(home).find_attr_docs()
        for name in names.split():
            text = " ".join(docs.get(("", name), ())).strip()
            if not text:
                alias = getattr(importlib.import_module(home), name)
                shown = [getattr(one, "__name__", f'"{one}"') for one in alias.__args__]
                text = f"One of {', '.join(f'`{one}`' for one in shown)}."
            yield PublicName(name, (), "", (), (), text)


def _is_described(value: Any) -> bool:
    """Return whether a value is a class or a function, whose docstring is its own."""
    return inspect.isclass(value) or inspect.isfunction(value)


def _files() -> Iterator[PublicName]:
    """Yield scenes, robots and objects that ship: the first comment says what it is."""
    root = Path(pyrave_environments.__file__).parent
    resolver = Resolver(data_roots=(root,))
    for file in sorted(root.rglob("*.xml")):
        name = file.relative_to(root).as_posix()
        said = re.search(r"<!--\s*(.*?)\s*-->", file.read_text("utf-8"), re.DOTALL)
        text = " ".join(said[1].split()) if said else ""
        short = Path(file.name.split(".")[0])
        found: Path | None = None
        with contextlib.suppress(pyrave.ResourceError):
            found = located(pyrave.registry(), short, resolver)
        names = f'"{name}" or "{short}"' if found == file else f'"{name}"'
        yield PublicName(names, (), "", (), (), text)


def _ids(interface_type: str) -> Iterator[PublicName]:
    """Yield the ids of a type with settings, as ``create`` and its like take them."""
    registry = pyrave.registry()
    for name in sorted(registry.ids(interface_type), key=str.lower):
        if "*" in name or registry.alias_target(interface_type, name):
            continue
        made = registry.provider(interface_type, name).load()
        if not (inspect.isclass(made) and made.__module__.startswith("pyrave")):
            continue
        settings = registry.declared_settings(interface_type, name)
        text = Docstring(inspect.getdoc(made) or "").summary
        if not text:
            continue  # a function that makes what an older id means
        rows = [one.to_dict() for one in settings.values()]
        arguments = []
        for row in rows:
            default = row["default_text"] or repr(row["default"])
            said = filter(None, (row["help"], row["range"], row["unit"]))
            one = f"{row['name']}: {row['type']} = {default}"
            arguments.append((one, " ".join(said)))
        units = tuple(dict.fromkeys(row["unit"] for row in rows if row["unit"]))
        yield PublicName(name, tuple(arguments), "", (), units, text)


def _members(owner: str, kind: type) -> Iterator[PublicName]:
    above = class_of(inherited(owner)) if inherited(owner) else object
    hidden = unlisted_names(kind) - {"contract", "settings_type"}  # for authors
    fields = getattr(kind, "__dataclass_fields__", {})
    if issubclass(kind, enum.Enum):
        return
    for one in kind.__mro__:
        if one in above.__mro__ or not one.__module__.startswith("pyrave"):
            continue
        types = inspect.get_annotations(one)
        named = dict.fromkeys(types) | vars(one)
        for name, value in named.items():
            if name.startswith("_") or name in hidden or name in fields:
                continue
            hidden.add(name)
            yield _row(name, value, attribute_text(one, name), types.get(name, ""))


def _row(name: str, value: Any, text: str, annotation: Any = "") -> PublicName:
    value = getattr(value, "__func__", value)
    if isinstance(value, functools.cached_property):
        value = property(value.func)
    known = isinstance(value, (property, type)) or callable(value)
    described = known or hasattr(type(value), "__get__")
    doc = Docstring(text or (inspect.getdoc(value) or "" if described else ""))
    if isinstance(value, property):
        getter: Any = value.fget
        doc = Docstring(inspect.getdoc(getter) or "")
        arguments = [("read, assign" if value.fset else "read", "")]
        returns = str(inspect.signature(getter).return_annotation).strip("'")
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        members = [(one, attribute_text(value, one)) for one in value.__members__]
        arguments, returns = members, value.__name__
    elif isinstance(value, type):
        arguments, returns = arguments_of(value, doc), value.__name__
        if hasattr(value, "__enter__"):
            returns += ", for `with`"
        above = {one.__name__ for one in value.__mro__ if one.__module__ == "builtins"}
        if issubclass(value, Exception) and above - _ABOVE:
            returns += f", also `{min(above - _ABOVE)}`"
    elif callable(value):
        arguments, returns = arguments_of(value, doc), returned_by(value)
    elif hasattr(type(value), "__set__") or value is None:
        get = getattr(type(value), "__get__", None)
        typed = returned_by(get).split(" or ")[-1] if inspect.isfunction(get) else ""
        returns = str(annotation).strip("'") or typed
        arguments = [("read, assign", "")]
    else:
        arguments, returns = [("read", "")], text_of(value)
    said = " ".join([doc.summary, doc.returned, *dict(arguments).values()])
    said = re.sub(r"\b[A-Z][a-z]{3,}", lambda word: word[0].lower(), said)
    return PublicName(
        name,
        tuple(arguments),
        " ".join(filter(None, (returns, doc.returned))),
        doc.raised,
        tuple(dict.fromkeys(UNIT.findall(said))),
        doc.summary,
    )
