"""The root of a Dynamic WorkCell: one pass in the order of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave_workcell.dynamics.bodies import read_body, read_cup, read_device
from pyrave_workcell.dynamics.document import (
    Body,
    Constraint,
    Cup,
    Device,
    DynamicWorkCell,
)
from pyrave_workcell.dynamics.materials import Materials, read_engine
from pyrave_workcell.dynamics.sensors import (
    CONTROLLERS,
    read_force_torque,
    read_skin,
    read_touch,
)
from pyrave_workcell.dynamics.ties import read_constraint, with_spring
from pyrave_workcell.dynamics.values import DynamicsReading
from pyrave_workcell.vocabulary import ELEMENTS

if TYPE_CHECKING:
    from pyrave.scene.pose import Vec3
    from pyrave_workcell.dynamics.document import Item, Property
    from pyrave_workcell.syntax import CellNode

ROOTS = ("DynamicWorkCell", "DynamicWorkcell")
_ITEMS: dict[str, Callable[[CellNode, DynamicsReading], Item]] = {
    **dict.fromkeys(("FixedBody", "KinematicBody", "RigidBody"), read_body),
    **dict.fromkeys(("KinematicDevice", "RigidDevice"), read_device),
    **dict.fromkeys(("FTSensor", "TactileMultiAxisSensor"), read_force_torque),
    "SuctionCup": read_cup,
    "Constraint": read_constraint,
    "BodyContactSensor": read_touch,
    "TactileArraySensor": read_skin,
    **CONTROLLERS,
}


def read_dynamics(root: CellNode, reading: DynamicsReading) -> DynamicWorkCell:
    """Return the dynamics of a file with resolved includes; problems are reported."""
    if root.tag not in ROOTS:
        reading.error(
            root,
            "wrong-root",
            f"the root is <{root.tag}>, expected <{ROOTS[0]}>",
            "such files are for <Include>; load the scene that includes it"
            if root.tag == "IncludeData"
            else None,
        )
        return DynamicWorkCell("", at=root)
    return _File(root, reading).read()


class _File:
    """Contents of one file while it is read."""

    def __init__(self, root: CellNode, reading: DynamicsReading) -> None:
        self._root = root
        self._reading = reading
        self._materials = Materials(reading)
        self._gravity: Vec3 = (0.0, 0.0, 0.0)
        self._settings: dict[str, Property] = {}
        self._items: list[Item] = []
        self._constraints: dict[str, tuple[int, Constraint]] = {}
        self._defaults: list[tuple[int, str, str]] = []
        self._others: dict[str, Callable[[CellNode], None]] = {
            "PhysicsEngine": self._read_engine,
            "Gravity": self._read_gravity,
            "MaterialData": self._read_materials,
            "FrictionMap": self._materials.read_friction,
            "ObjectTypeData": self._read_object_types,
            "ContactMap": self._materials.read_restitution,
            "Spring": self._read_spring,
        }

    def read(self) -> DynamicWorkCell:
        """Read all."""
        reading, materials = self._reading, self._materials
        workcell = reading.attribute(self._root, "workcell")
        known = ELEMENTS["DynamicWorkCell"]
        reading.check(self._root, known, ("workcell",), strict=True)
        reading.note_idle("DynamicWorkCell", self._root)
        reading.last_counts(self._root, ("Gravity",))
        for child in self._root:
            if reading.context.diagnostics.is_full:
                break  # what follows would only be counted
            if child.tag in _ITEMS:
                self._add(_ITEMS[child.tag](child, reading))
            elif child.tag in self._others:
                self._others[child.tag](child)
        self._keep_defaults()
        reading.idle.tell(reading.note)
        return DynamicWorkCell(
            workcell,
            self._gravity,
            tuple(self._settings.values()),
            tuple(materials.materials.values()),
            tuple(materials.object_types.values()),
            materials.default_material,
            materials.default_object_type,
            materials.friction(),
            tuple(materials.restitution.values()),
            tuple(self._items),
            at=self._root,
        )

    def _read_materials(self, element: CellNode) -> None:
        before = self._materials.default_material
        self._materials.read_materials(element)
        if before and before != self._materials.default_material:
            self._defaults.append((len(self._items), "material", before))

    def _read_object_types(self, element: CellNode) -> None:
        before = self._materials.default_object_type
        self._materials.read_object_types(element)
        if before and before != self._materials.default_object_type:
            self._defaults.append((len(self._items), "object_type", before))

    def _keep_defaults(self) -> None:
        """Give bodies above another default the one that they were read with."""
        start = {"material": 0, "object_type": 0}
        for end, field, default in self._defaults:
            for i in range(start[field], end):
                self._items[i] = _with_default(self._items[i], field, default)
            start[field] = end

    def _add(self, item: Item) -> None:
        if isinstance(item, Constraint):
            self._constraints.setdefault(item.name, (len(self._items), item))
        self._items.append(item)

    def _read_engine(self, element: CellNode) -> None:
        for one in read_engine(element, self._reading):
            self._settings.setdefault(one.name, one)

    def _read_gravity(self, element: CellNode) -> None:
        x, y, z = self._reading.numbers(element, 3)
        self._gravity = x, y, z

    def _read_spring(self, element: CellNode) -> None:
        name = self._reading.attribute(element, "constraint")
        if name in self._constraints:
            place, found = self._constraints[name]
            made = with_spring(element, found, self._reading)
            self._constraints[name] = place, made
            self._items[place] = made
        elif element.get("constraint") is not None:
            known = self._constraints
            self._reading.unknown(element, "constraint above", name, known)


def _with_default(item: Item, field: str, default: str) -> Item:
    def known(body: Body) -> Body:
        if field == "material":
            return replace(body, material=body.material or default)
        return replace(body, object_type=body.object_type or default)

    if isinstance(item, Body):
        return known(item)
    if isinstance(item, Device):
        base = known(item.base) if isinstance(item.base, Body) else item.base
        return replace(item, base=base, links=tuple(map(known, item.links)))
    if isinstance(item, Cup):
        ends = (None if one is None else known(one) for one in (item.base, item.end))
        base, end = ends
        return replace(item, base=base, end=end)
    return item
