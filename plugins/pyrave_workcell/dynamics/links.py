"""Changes of a Dynamic WorkCell to links: kind, mass, material, damping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, ResourceError, SceneError
from pyrave.scene import IDENTITY, Inertial, LinkDynamics, XmlElement, XmlReadable
from pyrave_workcell.dynamics.estimated_inertia import (
    Solid,
    about,
    point_inertia,
    solid_of,
    united,
)

if TYPE_CHECKING:
    from pyrave.scene import Pose
    from pyrave.scene.pose import Matrix3
    from pyrave_workcell.dynamics.cell import Cell, Site
    from pyrave_workcell.dynamics.document import Body, Device, Mass, Named, Property
    from pyrave_workcell.dynamics.estimated_inertia import Array
    from pyrave_workcell.dynamics.values import DynamicsReading
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.document import Model

_DAMPINGS = {"LinearDamping": "linear_damping", "AngularDamping": "angular_damping"}
_CONVEYOR_SIZE = 3
NOTHING = Inertial(0.0, inertia=(0.0,) * 9)
"""The inertial of what weighs nothing."""
_MEANT = frozenset({*_DAMPINGS, "Conveyor"})


class LinkBuilder:
    """Makes the changed fields of links of one WorkCell."""

    def __init__(self, cell: Cell, reading: DynamicsReading) -> None:
        self._cell = cell
        self._reading = reading
        self._models: dict[str, list[Model]] = {}
        for model in cell.document.models:
            self._models.setdefault(model.frame, []).append(model)
        self._properties: dict[str, dict[str, tuple[CellNode, Any]]] = {}
        for one in cell.document.properties:
            if one.frame:
                found = self._properties.setdefault(one.frame, {})
                found.setdefault(one.name, (one.node, one.text))

    def has_geometry(self, frame: str) -> bool:
        """Return True if a frame has geometry: it is an object for RobWork."""
        return frame in self._models

    def changes(
        self,
        body: Body,
        name: str,
        site: Site,
        device: Device | None,
        *,
        kinematic: bool,
    ) -> dict[str, Any]:
        """Return the fields of a link that a body changes.

        Parameters
        ----------
        name, site
            Its frame by full name, and where that is.
        device
            Whose base or link it is.
        kinematic
            Whether the device moves it whatever pushes it.
        """
        led = body.kind == "kinematic" or (kinematic and body.kind == "link")
        changed: dict[str, Any] = {
            "static": body.kind == "fixed",
            "kinematic": led,
            "material": body.material or "",
            "object_type": body.object_type or "",
            "dynamics": self._dynamics(body, name),
        }
        kept = tuple(
            ("Property", _kept(one, name))
            for one in body.properties
            if one.name not in _MEANT
        )
        if kept:
            changed["readables"] = kept
        # no force moves it, so that its mass is never asked for
        changed["inertial"] = NOTHING
        if body.mass is not None:
            inertial = self._inertial(body, body.mass, name, device)
            changed["inertial"] = _placed(inertial, site.pose)
        return changed

    # -- mass --------------------------------------------------------------------------

    def _inertial(
        self, body: Body, mass: Mass, name: str, device: Device | None
    ) -> Inertial:
        """Return the inertial of a body in its frame."""
        others = [self._associated(one, device) for one in body.associated]
        if mass.inertia is not None:
            return Inertial(mass.mass, mass.com or (0.0, 0.0, 0.0), mass.inertia)
        own = self._solids(name, name, body.at)
        more: list[Solid] = []
        for frame in filter(None, others):
            more += self._solids(frame, name, body.at)
        # as RobWork does: without a centre of its own, a body is what its frame has
        alone = body.kind == "rigid" and mass.com is None
        solid = united(own if alone else [*own, *more])
        if solid is None:
            return self._point(body, mass, name)
        center = solid.center if mass.com is None else np.array(mass.com)
        inertia = mass.mass / solid.volume * about(solid, center)
        x, y, z = center.tolist()
        return Inertial(mass.mass, (x, y, z), _matrix(inertia))

    def _point(self, body: Body, mass: Mass, name: str) -> Inertial:
        text = f"{name!r} has no geometry that its inertia could be estimated from"
        hint = "write <COG> and <Inertia> instead of <EstimateInertia>"
        if body.kind == "link":
            self._reading.error(body.at, "mass-without-geometry", text, hint)
        else:
            text += "; it is taken for a point"
            self._reading.warn(body.at, "mass-without-geometry", text, hint)
        inertia = _matrix(point_inertia(mass.mass))
        return Inertial(mass.mass, mass.com or (0.0, 0.0, 0.0), inertia)

    def _associated(self, one: Named, device: Device | None) -> str | None:
        """Return the frame that an ``<Associate>`` names; in the device first."""
        names = [one.name]
        if device is not None:
            names.insert(0, f"{device.device}.{one.name}")
        for name in names:
            if name in self._models:
                return name
        self._reading.unknown(one.at, "frame with geometry", one.name, self._models)
        return None

    def _solids(self, frame: str, body: str, at: CellNode) -> list[Solid]:
        """Return the solids of a frame in the frame of a body."""
        pose = IDENTITY
        if frame != body:
            pose = self._cell.world(body).inverse() @ self._cell.world(frame)
        found = []
        for model in self._models.get(frame, ()):
            if not model.collides:
                continue
            for part in model.solids:
                try:
                    solid = solid_of(part.shape, self._reading.context.load_mesh)
                except (ArgumentError, ResourceError, SceneError) as error:
                    self._reading.warn(
                        at,
                        "mass-without-geometry",
                        f"the model {model.name!r} of {frame!r} adds nothing to the "
                        f"estimated inertia: {error}",
                    )
                    continue
                found.append(solid.placed(pose @ model.pose))
        return found

    # -- properties --------------------------------------------------------------------

    def _dynamics(self, body: Body, name: str) -> LinkDynamics:
        """Return the dynamics in a frame's properties; its WorkCell's come first."""
        found = {one.name: (one.at, one.value) for one in body.properties}
        found |= self._properties.get(name, {})
        changed: dict[str, Any] = {"integrator": body.integrator}
        for prop, field in _DAMPINGS.items():
            if prop in found:
                at, value = found[prop]
                numbers = self._numbers(at, prop, value, 1)
                if numbers and not 0.0 <= numbers[0] <= 1.0:
                    text = f"{prop} is {numbers[0]}, expected 0 to 1"
                    self._reading.error(at, "bad-number", text)
                elif numbers:
                    changed[field] = numbers[0]
        if "Conveyor" in found:
            at, value = found["Conveyor"]
            numbers = self._numbers(at, "Conveyor", value, _CONVEYOR_SIZE)
            if numbers:
                changed["surface_velocity"] = numbers[:_CONVEYOR_SIZE]
        return LinkDynamics(**changed)

    def _numbers(
        self, at: CellNode, name: str, value: Any, least: int
    ) -> tuple[float, ...]:  # fmt: skip
        """Return the numbers of a property; texts of WorkCells are numbers too."""
        if isinstance(value, str):
            given = at.get("type", "string")
            if given == "string":
                self._reading.warn(
                    at,
                    "bad-value",
                    f"the property {name} is a text, which RobWork does not take for "
                    "a number; it is left out",
                    'write type="float", or type="Q" for several',
                )
                return ()
            value = self._reading.numbers(at)
        if len(value) < least:
            text = f"the property {name} has {len(value)} numbers, expected {least}"
            self._reading.warn(at, "bad-number", text)
            return ()
        return tuple(value)


def _kept(one: Property, frame: str) -> XmlReadable:
    """Return a property that means nothing here as data, as WorkCells keep theirs."""
    kind = one.at.get("type") or "string"
    attributes = (("name", one.name), ("type", kind), ("refframe", frame))
    return XmlReadable(XmlElement("Property", attributes, one.at.text.strip()))


def _placed(inertial: Inertial, pose: Pose) -> Inertial:
    """Return an inertial in the frame of the link, given T_link_frame."""
    if pose == IDENTITY:
        return inertial
    inertia = np.reshape(inertial.inertia, (3, 3))
    solid = Solid(1.0, np.array(inertial.com), inertia).placed(pose)
    x, y, z = solid.center.tolist()
    return Inertial(inertial.mass, (x, y, z), _matrix(solid.inertia))


def _matrix(inertia: Array) -> Matrix3:
    a, b, c, d, e, f, g, h, i = inertia.ravel().tolist()
    return a, b, c, d, e, f, g, h, i
