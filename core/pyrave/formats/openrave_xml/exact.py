"""The ``<pyrave>`` element: values that OpenRAVE has no tag for, exactly.

Its children are ``<set name="field">JSON</set>``: fields of the description that the
enclosing element makes, for which the OpenRAVE tags alone would give other values;
``<order name="field">2 0 1</order>``: the order of a field's objects, where that of the
elements is another; ``<readable key="..">XML</readable>``: what OpenRAVE would take for
a tag of its own; and elements of interfaces that OpenRAVE does not have.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, TypeVar

import pyrave.scene as scene_model
from pyrave.formats.field_values import decode, field_types, from_json, with_files
from pyrave.formats.mesh_values import with_corners
from pyrave.formats.xml import local_name, to_xml_element
from pyrave.scene import XmlReadable
from pyrave.scene.checks import coerced_field

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.formats.openrave_xml.scope import Scope

Described = TypeVar("Described")
_ORDERED = frozenset({"attached_sensors", "interfaces", "manipulators", "readables"})
# What is said by elements alone.
_ELEMENTS = frozenset({
    *("attached_sensors", "bodies", "geometries", "interfaces", "joints", "links"),
    *("location", "manipulators", "problems", "readables"),
})  # fmt: skip
_NAMED = (
    scene_model.AttachedSensorDescription,
    scene_model.BodyDescription,
    scene_model.JointDescription,
    scene_model.LinkDescription,
    scene_model.ManipulatorDescription,
)


class Overrides:
    """What the ``<pyrave>`` element of an object says, until the object is made."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.values: dict[str, tuple[Any, Any]] = {}
        self.orders: dict[str, tuple[list[str], Any]] = {}
        self.readables: list[tuple[str, XmlReadable]] = []


def read_overrides(
    element: Any,
    scope: Scope,
    found: Overrides | None = None,
    read_element: Callable[[str, Any], bool] | None = None,
) -> Overrides:
    """Return what a ``<pyrave>`` element says; problems are reported.

    Parameters
    ----------
    found
        What another one of the same object says, which is added to.
    read_element
        Reads the element of an interface, given its tag; returns False for others.
    """
    found = Overrides(scope) if found is None else found
    for child in element:
        tag, name = local_name(child), child.get("name")
        if tag == "order" and name:
            scope.leaf(child, ("name",))
            found.orders[name] = ((child.text or "").split(), child)
        elif tag == "set" and name:
            try:
                data = from_json(child.text or "")
            except (ValueError, RecursionError) as problem:
                message = f"<set> does not hold JSON: {problem}"
                scope.error(child, "bad-pyrave", message)
                continue
            found.values[name] = (data, child)
        elif tag == "readable":
            found.readables += [
                (child.get("key") or local_name(one), XmlReadable(to_xml_element(one)))
                for one in child
            ]
        elif tag and (read_element is None or not read_element(tag, child)):
            scope.unknown_tag(child, ("set", "order", "readable"))
    return found


def with_overrides(item: Described, overrides: Overrides | None) -> Described:
    """Return a description with what its ``<pyrave>`` element sets."""
    if overrides is None:
        return item
    scope, hints = overrides.scope, field_types(type(item))
    changed: dict[str, Any] = {}
    if overrides.readables:
        readables = (*item.readables, *overrides.readables)  # type: ignore[attr-defined]
        item = dataclasses.replace(item, readables=readables)  # type: ignore[type-var]
    for name, (data, element) in overrides.values.items():
        if name not in hints or not is_settable(item, name):
            message = f"{type(item).__name__} has no field {name!r} that can be set"
            scope.error(element, "bad-pyrave", message)
            continue
        try:
            whole = with_corners(data, getattr(item, name))
            value, faults = coerced_field(type(item), name, decode(whole, hints[name]))
            for fault in faults:
                scope.error(element, "bad-pyrave", str(fault))
            changed[name] = with_files(
                value, functools.partial(scope.resource, element)
            )
        except (TypeError, ValueError, OverflowError, RecursionError) as problem:
            scope.error(element, "bad-pyrave", f"<set name={name!r}>: {problem}")
    for name, (words, element) in overrides.orders.items():
        has = name in _ORDERED and hasattr(item, name)
        objects = getattr(item, name) if has else ()
        if has and sorted(words) == sorted(map(str, range(len(objects)))):
            changed[name] = tuple(objects[int(word)] for word in words)
        else:
            message = f"<order name={name!r}> does not fit {len(objects)} objects"
            hint = "delete it; the order of the elements is taken"
            scope.warn(element, "stale-pyrave", message, hint)
    return dataclasses.replace(item, **changed) if changed else item  # type: ignore[type-var]


def is_settable(item: Any, name: str) -> bool:
    """Return whether a ``<set>`` can say a field of a description."""
    if name in _ELEMENTS or (name == "name" and isinstance(item, _NAMED)):
        return False
    return any(f.name == name and f.compare for f in dataclasses.fields(item))
