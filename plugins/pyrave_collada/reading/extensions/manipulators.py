"""Manipulators: arms, their grippers, and hints for their inverse kinematics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.formats import to_xml_element
from pyrave.scene import ManipulatorDescription, XmlReadable
from pyrave_collada.document.parsed import child, children, one_word
from pyrave_collada.information import IkHint
from pyrave_collada.reading.readables import interface_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.scene import Readable
    from pyrave.scene.pose import Vec3
    from pyrave_collada.document.extras import Extras
    from pyrave_collada.reading.extensions.places import Places
    from pyrave_collada.reading.load import ColladaReading

_UP = (0.0, 0.0, 1.0)
_DIRECTIONS = ("closing_direction", "chucking_direction", "closingdirection")
_KNOWN = frozenset({
    *("frame_origin", "frame_tip", "gripper_joint", "gripper_axis", "iksolver"),
})  # fmt: skip


def read_manipulators(
    arms: Extras, places: Places, dofs: Mapping[str, int], reading: ColladaReading
) -> tuple[ManipulatorDescription, ...]:
    """Return the manipulators of a robot; of equal names the last one counts.

    Parameters
    ----------
    arms
        (holder, extra, technique) of each.
    dofs
        Number of axes of each joint.
    """
    found: dict[str, ManipulatorDescription] = {}
    for holder, extra, part in arms:
        name = one_word(extra.get("name") or "")
        name = name or f"manipulator{len(found)}"
        made = _Manipulator(holder, part, places, dofs, reading).read(name, extra)
        if made is not None:
            found.pop(name, None)
            found[name] = made
    return tuple(found.values())


class _Manipulator:
    def __init__(
        self,
        holder: Any,
        part: Any,
        places: Places,
        dofs: Mapping[str, int],
        reading: ColladaReading,
    ) -> None:
        self.holder = holder
        self.part = part
        self.places = places
        self.dofs = dofs
        self.reading = reading

    def read(self, name: str, extra: Any) -> ManipulatorDescription | None:
        ends = []
        for tag in ("frame_origin", "frame_tip"):
            element = child(self.part, tag)
            path = "" if element is None else (element.get("link") or "").strip()
            link = self.places.link(path, self.holder)
            if link is None:
                self.reading.warn(
                    extra if element is None else element,
                    "unresolved-reference",
                    f"the manipulator {name!r} has no <{tag}> on a known link: "
                    f"{path!r}; it is left out",
                )
                return None
            ends.append(link)
        tip = child(self.part, "frame_tip")
        joints, signs = self._gripper()
        hints = [self._hint(one) for one in children(self.part, "iksolver")]
        readables: list[tuple[str, Readable]] = [
            ("iksolver", XmlReadable(hint.to_element())) for hint in hints
        ]
        readables += [
            (one.tag, XmlReadable(to_xml_element(one)))
            for one in children(self.part)
            if one.tag not in _KNOWN
            and (one.attrib or len(one) or (one.text or "").strip())
        ]
        return ManipulatorDescription(
            name,
            ends[0],
            ends[1],
            self.reading.values.pose(tip),
            self._direction(tip),
            joints,
            signs,
            _solver(hints),
            self.reading.location(extra),
            tuple(readables),
        )

    def _direction(self, tip: Any) -> Vec3:
        element = child(tip, "direction")
        found = None if element is None else self.reading.values.vector(element)
        x, y, z = found or _UP
        length = (x * x + y * y + z * z) ** 0.5
        return (x / length, y / length, z / length) if length > 0.0 else _UP

    def _gripper(self) -> tuple[tuple[str, ...], tuple[float, ...]]:
        joints: list[str] = []
        signs: list[float] = []
        for element in children(self.part, "gripper_joint", "gripper_axis"):
            name = self._gripper_joint(element)
            if name is None or name in joints:
                continue
            joints.append(name)
            signs += self._closing(element, self.dofs[name])
        return tuple(joints), tuple(signs)

    def _gripper_joint(self, element: Any) -> str | None:
        """Return the joint of a gripper; the oldest files name one of its axes."""
        if element.tag == "gripper_axis":
            path = (element.get("axis") or "").strip()
            for one in (path, path.rpartition("/")[0]):
                name = self.places.joint(one, self.holder)
                if name is not None:
                    return name
        return self.places.joint_at(element, self.holder)

    def _closing(self, element: Any, count: int) -> list[float]:
        """Return the closing direction of each axis: by sid, or by order."""
        closing = [0.0] * max(count, 1)
        for index, one in enumerate(children(element, *_DIRECTIONS)):
            value = self.reading.values.resolved_number(one, self.holder)
            sid = (one.get("axis") or "").strip().rpartition("/")[2]
            digits = sid[len(sid.rstrip("0123456789")) :]
            place = int(digits[:6]) if digits else index
            place = place if place < len(closing) else index
            if value is not None and place < len(closing):
                closing[place] = value
        return closing

    def _hint(self, element: Any) -> IkHint:
        """Return the hint of an ``<iksolver>``; unknown joints are reported."""
        interface = interface_in(element)
        free = []
        for one in children(element, "free_joint"):
            name = self.places.joint_at(one, self.holder)
            if name is not None:
                free.append((name, self._step(one)))
        return IkHint(
            (element.get("type") or "").strip(),
            "" if interface is None else interface.id,
            "" if interface is None else interface.plugin,
            tuple(free),
        )

    def _step(self, element: Any) -> float:
        """Return the step of a free joint, radians or metres; 0 if it is not said."""
        text = element.get("stepsize")
        if text is None:
            return 0.0
        try:
            step = float(text)
        except ValueError:
            step = 0.0
        if not 0.0 < step < float("inf"):
            self.reading.warn(
                element,
                "bad-number",
                f"stepsize is {text[:60]!r}, expected a number above 0; it is ignored",
            )
            return 0.0
        return step


def _solver(hints: list[IkHint]) -> str:
    """Return ``"Id args"`` of the first hint that asks for anything."""
    for hint in hints:
        if hint.interface:
            return hint.interface
        if hint.type or hint.free_joints:
            words = ["Analytic"]
            for name, _ in hint.free_joints:
                words += ["free", name]
            words += [repr(step) for _, step in hint.free_joints if step]
            return " ".join(words)
    return ""
