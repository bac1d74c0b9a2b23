"""Materials, types of objects, friction, restitution and settings of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.scene import ContactMaterial, Friction, Restitution
from pyrave_workcell.dynamics.bodies import read_properties
from pyrave_workcell.dynamics.values import DynamicsReading
from pyrave_workcell.vocabulary import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave_workcell.dynamics.document import Property
    from pyrave_workcell.syntax import CellNode

_COULOMB = "coulomb"
_FRICTION = 0.4
"""Coefficient of pairs for which nothing is known, as RobWork has it."""


class Materials:
    """Materials and contact properties of a file, until it is read to its end."""

    def __init__(self, reading: DynamicsReading) -> None:
        self._reading = reading
        self.materials: dict[str, ContactMaterial] = {}
        self.object_types: dict[str, ContactMaterial] = {}
        self.default_material = ""
        self.default_object_type = ""
        self.restitution: dict[frozenset[str], Restitution] = {}
        self._friction: dict[tuple[frozenset[str], str], tuple[Friction, CellNode]] = {}

    def read_materials(self, element: CellNode) -> None:
        """Take a ``<MaterialData>``."""
        self.default_material = (
            self._named_kinds(element, "Material", self.materials)
            or self.default_material
        )

    def read_object_types(self, element: CellNode) -> None:
        """Take an ``<ObjectTypeData>``."""
        self.default_object_type = (
            self._named_kinds(element, "ObjectType", self.object_types)
            or self.default_object_type
        )

    def _named_kinds(
        self, element: CellNode, tag: str, known: dict[str, ContactMaterial]
    ) -> str:
        reading = self._reading
        self._refuse_attributes(element)
        reading.check(element, (tag, "Default"), element.attributes, strict=True)
        reading.last_counts(element, ("Default",))
        default = ""
        for child in element:
            if child.tag == "Default":
                default = reading.name(child)
            elif child.tag == tag:
                reading.check(child, ("Description",), ("id",))
                name = reading.attribute(child, "id")
                about = reading.child(child, "Description", required=False)
                text = "" if about is None else about.text.strip()
                made = ContactMaterial(name, text)
                if known.get(name, made) != made:
                    message = f"<{tag}> {name!r} is given again; the last one counts"
                    reading.warn(child, "repeated-item", message, "delete one of them")
                known[name] = made
        return default

    def _refuse_attributes(self, element: CellNode) -> None:
        """RobWork takes them for elements, which it refuses."""
        for name in element.attributes:
            text = f"<{element.tag}> has an attribute {name!r}, it has none"
            self._reading.error(element, "unknown-attribute", text, "delete it")

    # -- friction --------------------------------------------------------------------

    def read_friction(self, element: CellNode) -> None:
        """Take a ``<FrictionMap>``; materials may be defined below it."""
        for pair in self._pairs(element, "FrictionData"):
            first, second = self._ends(pair)
            for data in pair:
                if data.tag == "FrictionData":
                    self._read_friction(data, first, second)

    def _read_friction(self, element: CellNode, first: str, second: str) -> None:
        reading = self._reading
        reading.check(element, {child.tag for child in element}, ("type",))
        model = reading.attribute(element, "type")
        if model.lower() == _COULOMB:
            model = "Coulomb"
        values = [(child, reading.numbers(child)) for child in element]
        coefficient, rest = self._coefficient(element, model, values)
        made = Friction(first, second, coefficient, model, rest)
        key = frozenset((first, second)), model
        if key in self._friction:
            text = (
                f"{model} friction of {first!r} and {second!r} is given again; the "
                "first one counts"
            )
            reading.warn(element, "repeated-item", text, "delete one of them")
        else:
            self._friction[key] = made, element

    def _coefficient(
        self,
        element: CellNode,
        model: str,
        values: list[tuple[CellNode, tuple[float, ...]]],
    ) -> tuple[float, tuple[tuple[str, tuple[float, ...]], ...]]:
        """Return Coulomb's coefficient, and the other parameters."""
        others = [(child.tag, numbers) for child, numbers in values]
        for child, numbers in values:
            if child.tag.lower() == "mu" and len(numbers) == 1:
                if numbers[0] < 0.0:
                    text = f"<{child.tag}> is {numbers[0]}, expected 0 or more"
                    self._reading.error(child, "bad-number", text)
                    return 0.0, ()
                others.remove((child.tag, numbers))
                return numbers[0], tuple(others)
        if model != "Coulomb":
            return _FRICTION, tuple(others)
        text = "Coulomb friction has no <Mu>"
        if others and others[0][1]:
            name, numbers = others.pop(0)
            self._reading.warn(element, "missing-tag", f"{text}; <{name}> is taken")
            return max(0.0, numbers[0]), tuple(others)
        self._reading.error(
            element, "missing-tag", text, "write <Mu>0.4</Mu> into it"
        )  # fmt: skip
        return _FRICTION, ()

    def friction(self) -> tuple[Friction, ...]:
        """Return friction between materials that there are; others are reported."""
        found = []
        lost: dict[str, list[CellNode]] = {}
        for made, element in self._friction.values():
            unknown = {made.first, made.second} - self.materials.keys()
            if unknown:
                lost.setdefault(min(unknown), []).append(element)
            else:
                found.append(made)
        for name, elements in lost.items():
            self._reading.warn(
                elements[0],
                "unknown-material",
                f"there is no material {name!r}; friction of {len(elements)} pairs "
                "with it is left out",
                self._reading.suggestion(name, self.materials),
            )
        return tuple(found)

    # -- restitution -----------------------------------------------------------------

    def read_restitution(self, element: CellNode) -> None:
        """Take a ``<ContactMap>``; types of objects are defined above it."""
        reading = self._reading
        for pair in self._pairs(element, "ContactData"):
            first, second = self._ends(pair)
            for name in (first, second):
                if name not in self.object_types:
                    reading.unknown(pair, "type of objects", name, self.object_types)
            for data in pair:
                if data.tag != "ContactData":
                    continue
                reading.check(data, ("cr",), ("type",))
                reading.attribute(data, "type")
                value = reading.child_number(data, "cr")
                if not 0.0 <= value <= 1.0:
                    text = f"<cr> is {value}, expected 0 to 1"
                    reading.error(data, "bad-number", text)
                    value = 0.0
                key = frozenset((first, second))
                self.restitution[key] = Restitution(first, second, value)

    def _pairs(self, element: CellNode, tag: str) -> Iterator[CellNode]:
        self._refuse_attributes(element)
        self._reading.check(element, ("Pair",), element.attributes, strict=True)
        for pair in element:
            if pair.tag == "Pair":
                self._reading.check(pair, (tag,), ("first", "second"), strict=True)
                yield pair

    def _ends(self, pair: CellNode) -> tuple[str, str]:
        reading = self._reading
        return reading.attribute(pair, "first"), reading.attribute(pair, "second")


def read_engine(element: CellNode, reading: DynamicsReading) -> tuple[Property, ...]:
    """Return the settings of a ``<PhysicsEngine>``.

    RobWork reads the elements besides its properties and uses none of them.
    """
    reading.check(element, ELEMENTS["PhysicsEngine"])
    reading.note_idle("PhysicsEngine", element)
    disable = reading.child(element, "AutoDisable", required=False)
    if disable is not None and disable.text not in {"true", "false"}:
        text = f"<AutoDisable> is {disable.text!r}, expected true or false"
        reading.error(disable, "bad-value", text)
    margin = reading.child(element, "CollisionMargin", required=False)
    if margin is not None:
        reading.number(margin)
    return read_properties(element, reading)
