"""``Frame``, ``Joint`` and ``DHJoint``, and what stands in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.formats.numbers import plain_floats
from pyrave.scene import IDENTITY
from pyrave_workcell.workcell.document import (
    JOINT_AXES,
    Dependence,
    Frame,
    Limit,
    Property,
)
from pyrave_workcell.workcell.joints import craig, hayati, schilling

if TYPE_CHECKING:
    from pyrave.scene import Pose
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.document import Model
    from pyrave_workcell.workcell.load import WorkcellReading
    from pyrave_workcell.workcell.models import Models

LIMITS = {
    "PosLimit": ("min", "max"),
    "VelLimit": ("max",),
    "AccLimit": ("max",),
}
"""Elements of limits, and their numbers."""
_PLAIN_TYPES = ("Fixed", "Movable", "EndEffector")
_TYPES = (*_PLAIN_TYPES, *JOINT_AXES)
_FRAME = ("name", "refframe", "type", "daf")
_JOINT = ("name", "refframe", "type", "state")
_POSES = ("Pos", "RPY", "Transform")
_IN_FRAME = ("Property", "Drawable", "CollisionModel")
_IN_JOINT = (*_IN_FRAME, *LIMITS, "Depend")
_DEPEND = ("on", "gain", "offset")
_PROPERTY = ("name", "type", "refframe", "desc")
_PROPERTY_TYPES = ("string", "double", "Q")
_DH_KINDS = (("d", "offset"), ("theta", "offset"), ("beta", "offset"), ("b", "offset"))
_DH = ("name", "alpha", "a", "d", "theta", "beta", "b", "offset", "state", "type")
_DH_CONVENTIONS = {"schilling": "schilling", "HGP": "HGP"}


class Frames:
    """Reads frames and joints, and gathers what stands in them."""

    def __init__(self, reading: WorkcellReading, models: Models) -> None:
        self._reading = reading
        self._models = models
        self._property_type = "string"
        self._convention = ""
        self.limits: list[Limit] = []
        self.models: list[Model] = []
        self.properties: list[Property] = []

    def frame(self, node: CellNode, name: str, parent: str, device: str) -> Frame:
        """Return a ``<Frame>`` or ``<Joint>`` of a full name.

        Parameters
        ----------
        parent
            Full name of its parent.
        device
            Name of the device that it stands in, or empty.
        """
        reading = self._reading
        is_joint = node.tag == "Joint"
        reading.attributes(
            node,
            _JOINT if is_joint else _FRAME,
            ("name", "type") if is_joint else ("name",),
        )
        made = Frame(
            name,
            parent,
            self._type(node),
            node,
            reading.pose(node),
            daf=self._flag(node),
            device=device,
            passive=self._passive(node),
        )
        return self._with_contents(made, _POSES)

    def dh_joint(self, node: CellNode, name: str, parent: str, device: str) -> Frame:
        """Return a ``<DHJoint>`` of a full name."""
        self._reading.attributes(node, _DH, ("name", "alpha", "a"))
        kind, pose = self._denavit_hartenberg(node)
        made = Frame(
            name,
            parent,
            kind,
            node,
            pose,
            device=device,
            passive=self._passive(node),
        )
        return self._with_contents(made, ())

    def model(self, node: CellNode, frame: str) -> Model:
        """Return a ``<Drawable>`` or ``<CollisionModel>`` of a frame."""
        return self._models.read(node, frame)

    def limit(self, node: CellNode, joint: str, *, in_joint: bool) -> None:
        """Keep a limit of a joint."""
        names = LIMITS[node.tag]
        reading = self._reading
        known = names if in_joint else ("refjoint", *names)
        reading.attributes(node, known, known)
        numbers = tuple(reading.number(node, name) for name in names)
        if len(numbers) == 2 and numbers[0] > numbers[1]:
            reading.error(
                node, "bad-limit", f"min is {numbers[0]}, above max {numbers[1]}"
            )
        elif len(numbers) == 1 and numbers[0] < 0.0:
            reading.error(node, "bad-limit", f"max is {numbers[0]}, expected 0 or more")
        else:
            self.limits.append(Limit(joint, node.tag, numbers, in_joint, node))

    def prop(self, node: CellNode, frame: str, device: str) -> None:
        """Keep a property of a frame, else of a device, else of the WorkCell."""
        reading = self._reading
        reading.attributes(node, _PROPERTY, ("name",))
        given = node.get("type")
        if given is None and self._property_type != "string":
            reading.warn(
                node,
                "not-robwork",
                f"the property {node.get('name')!r} has no type; RobWork takes that of "
                f"the property before it: {self._property_type}",
                'write type="string" if that is meant',
            )
        kind = self._property_type = given or self._property_type
        if kind not in _PROPERTY_TYPES:
            reading.warn(
                node,
                "bad-value",
                f"the type of the property {node.get('name')!r} is {kind!r}, expected "
                f"one of {', '.join(_PROPERTY_TYPES)}; it is left out",
            )
            return
        if kind != "string":
            reading.spend(node, node.text)
        if kind != "string" and not _fits(node.text, kind):
            reading.warn(
                node,
                "bad-number",
                f"the property {node.get('name')!r} is {node.text.strip()!r}, expected "
                f"{'one number' if kind == 'double' else 'numbers'}; it is left out",
            )
            return
        self.properties.append(
            Property(
                node.get("name") or "", kind, node.text.strip(), frame, device, node
            )
        )

    # -- parts of frames ---------------------------------------------------------------

    def _with_contents(self, frame: Frame, poses: tuple[str, ...]) -> Frame:
        """Gather what stands in a frame, and return it with what it follows."""
        n_owners = 0
        for child in frame.node:
            tag = child.tag
            if tag in poses:
                continue
            if tag == "Property":
                self.prop(child, frame.name, frame.device)
            elif tag in {"Drawable", "CollisionModel"}:
                self.models.append(self.model(child, frame.name))
            elif frame.is_joint and tag in LIMITS:
                self.limit(child, frame.name, in_joint=True)
            elif frame.is_joint and tag == "Depend":
                n_owners += 1
                frame = self._following(frame, child)
            else:
                known = _IN_JOINT if frame.is_joint else _IN_FRAME
                self._reading.unknown(child, (*poses, *known))
        if n_owners > 1:
            self._reading.last_counts(frame.node, ("Depend",))
        return frame

    def _following(self, frame: Frame, node: CellNode) -> Frame:
        reading = self._reading
        reading.attributes(node, _DEPEND, _DEPEND)
        if frame.type not in {"Revolute", "Prismatic"}:
            reading.error(
                node,
                "bad-mimic",
                f"the joint {frame.name!r} is {frame.type}, and only Revolute and "
                "Prismatic joints follow others",
            )
            return frame
        gain, offset = reading.number(node, "gain"), reading.number(node, "offset")
        found = Dependence((node.get("on") or "").strip(), gain, offset, node)
        return frame._replace(dependence=found)

    def _type(self, node: CellNode) -> str:
        given = node.get("type")
        if given is None or given in _TYPES:
            return given or "Fixed"
        self._reading.error(
            node,
            "bad-value",
            f"the type of {node.get('name')!r} is {given!r}, expected one of "
            f"{', '.join(_TYPES)}",
            self._reading.suggestion(given, _TYPES),
        )
        return "Fixed"

    def _flag(self, node: CellNode) -> bool:
        given = node.get("daf", "false")
        if node.tag == "Frame" and given not in {"true", "false"}:
            self._reading.error(
                node, "bad-value", f"daf is {given!r}, expected 'true' or 'false'"
            )
        return given == "true"

    def _passive(self, node: CellNode) -> bool:
        given = node.get("state", "Active")
        if given not in {"Active", "Passive"}:
            self._reading.error(
                node,
                "bad-value",
                f"the state of {node.get('name')!r} is {given!r}, expected 'Active' or "
                "'Passive'",
            )
        return given == "Passive"

    # -- Denavit-Hartenberg ------------------------------------------------------------

    def _denavit_hartenberg(self, node: CellNode) -> tuple[str, Pose]:
        """Return the type and T_parent_frame of a joint."""
        reading = self._reading
        given = [first for first, _ in _DH_KINDS if first in node.attributes]
        if len(given) != 1 or "offset" not in node.attributes:
            reading.error(
                node,
                "missing-attribute",
                f"<DHJoint> has {' '.join(given) or 'neither d, theta, beta nor b'}, "
                "expected one of d, theta, beta and b, and offset",
                "d and b mean a revolute joint, theta and beta a prismatic one",
            )
            return "Revolute", IDENTITY
        first = given[0]
        revolute = first in {"d", "b"}
        alpha = math.radians(reading.number(node, "alpha"))
        a, offset = reading.number(node, "a"), reading.number(node, "offset")
        other = reading.number(node, first)
        length, angle = (other, offset) if revolute else (offset, other)
        angle = math.radians(angle)
        kind = "Revolute" if revolute else "Prismatic"
        convention = self._sticky(node)
        if first in {"beta", "b"}:
            return kind, hayati(alpha, a, angle, length)
        if convention == "schilling":
            return kind, schilling(alpha, a, angle, length)
        return kind, craig(alpha, a, angle, length)

    def _sticky(self, node: CellNode) -> str:
        """Return the convention, which holds until another is given."""
        given = node.get("type")
        if given is None and self._convention:
            self._reading.warn(
                node,
                "not-robwork",
                f"the joint {node.get('name')!r} has no type; RobWork takes that of "
                f"the DHJoint before it: {self._convention}",
                'write type="craig" if that is meant',
            )
        if given is not None:
            self._convention = _DH_CONVENTIONS.get(given, "")
        return self._convention


def _fits(text: str, kind: str) -> bool:
    """Return True if a text is one number, or of type Q some."""
    try:
        numbers = plain_floats(text)
    except ValueError:
        return False
    return all(map(math.isfinite, numbers)) and (kind == "Q" or len(numbers) == 1)
