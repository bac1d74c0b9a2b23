"""Snapshot of a file's part of a body, so that the next inclusion need not read it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.formats.openrave_xml.builders.body_builder import BodyBuilder
from pyrave.formats.openrave_xml.builders.item_builders import (
    JointBuilder,
    LinkBuilder,
    ManipulatorBuilder,
    SensorBuilder,
)

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.state import LoadState
    from pyrave.scene import BodyDescription, Readable, SceneDescription

# Fields of a body that a file sets, and that hold none of its parts.
_PLAIN = (
    "name",
    "interface",
    "joint_values",
    "joined_adjacent",
    "moved",
    "lacks_joints",
)
_LISTS = ("controllers", "readables", "commands")


def is_fresh(body: BodyBuilder) -> bool:
    """Return True if nothing was read into a body yet, so that a file may be reused."""
    return not (
        body.links
        or body.joints
        or body.manipulators
        or body.sensors
        or body.controllers
        or body.readables
        or body.commands
        or body.incomplete
        or body.lacks_joints
        or body.joint_values is not None
    )


@dataclass(frozen=True, slots=True)
class _Costs:
    """Counters of a load, so that reusing a file counts as reading it does."""

    found: int
    inclusions: int
    elements: int
    revisits: int

    @classmethod
    def of(cls, load: LoadState) -> _Costs:
        return cls(len(load.found), load.inclusions, load.elements, load.revisits)


class Snapshot:
    """The content of one body that a file gave, to be put into other bodies.

    Parameters
    ----------
    body
        As it is after the file was read into it, before it is renamed or moved.
    before
        What `Snapshot.start` returned before the file was read.
    """

    def __init__(self, body: BodyBuilder, before: _Costs) -> None:
        load = body.scope.load
        now = _Costs.of(load)
        self._found = load.found[before.found :]
        self._inclusions = now.inclusions - before.inclusions
        self._elements = now.elements - before.elements
        self._revisits = now.revisits - before.revisits
        self._body = _copied(body, body)

    @staticmethod
    def start(load: LoadState) -> _Costs:
        """Return the present progress of a load."""
        return _Costs.of(load)

    @staticmethod
    def fits(body: BodyBuilder) -> bool:
        """Return True if a body may be put into others: what they share cannot change.

        Custom readers may return anything; frozen dataclasses are what they should.
        """
        return all(map(_is_frozen, _readables_of(body, body.sensors)))

    def put_into(self, body: BodyBuilder, element: Any) -> None:
        """Put the content into a fresh body, and count it as if it had been read."""
        scope, load = body.scope, body.scope.load
        load.found += self._found
        load.inclusions += self._inclusions
        load.elements += self._elements
        scope.check_sum(element)
        scope.revisit(element, self._revisits)
        _copied(self._body, body)


def _copied(source: BodyBuilder, target: BodyBuilder) -> BodyBuilder:
    """Put copies of the parts of a body into another; the same one means a new one."""
    if source is target:
        target = BodyBuilder(source.element, source.scope, is_robot=source.is_robot)
    parts: dict[object, Any] = {}
    for name in ("links", "joints", "manipulators", "sensors"):
        for item in getattr(source, name):
            parts[item] = _twin(item, parts)
    for link in source.links:
        target.add_link(parts[link])
    for joint in source.joints:
        target.add_joint(parts[joint])
    target.manipulators = [parts[item] for item in source.manipulators]
    target.sensors = [parts[item] for item in source.sensors]
    target.take_adjacency(source, parts)
    for name in _PLAIN:
        setattr(target, name, getattr(source, name))
    for name in _LISTS:
        # in place: readers of the elements around hold these lists
        getattr(target, name)[:] = getattr(source, name)
    return target


def _twin(item: Any, parts: dict[object, Any]) -> Any:
    """Return a copy of a link, joint, manipulator or sensor that refers to copies."""
    made = object.__new__(type(item))
    for name in item.__slots__:
        value = getattr(item, name)
        kind = type(value)
        if kind is list:
            value = [parts[one] if type(one) in _PARTS else one for one in value]
        elif kind is dict:
            value = {key: parts[one] for key, one in value.items()}
        elif kind in _PARTS:
            value = parts[value]
        setattr(made, name, value)
    return made


_PARTS = frozenset({LinkBuilder, JointBuilder, ManipulatorBuilder, SensorBuilder})


def is_shareable(scene: SceneDescription) -> bool:
    """Return True if the bodies of a scene may be parts of several others."""
    return all(
        _is_frozen(readable)
        for body in scene.bodies
        for readable in _readables_of(body, getattr(body, "attached_sensors", ()))
    )


def _readables_of(
    body: BodyBuilder | BodyDescription, sensors: Iterable[Any]
) -> Iterator[Readable]:
    """Yield all readables of a body and its parts."""
    holders: list[Any] = [body, *body.joints, *body.links, *sensors]
    holders += getattr(body, "manipulators", ())
    holders += getattr(body, "controllers", ())
    holders += [geometry for link in body.links for geometry in link.geometries]
    for holder in holders:
        for _, readable in holder.readables or ():
            yield readable
    for joint in body.joints:
        if joint.actuator is not None:
            yield joint.actuator


def _is_frozen(readable: Readable) -> bool:
    params = getattr(readable, "__dataclass_params__", None)
    return dataclasses.is_dataclass(readable) and bool(getattr(params, "frozen", False))
