"""One load of a URDF file: its problems, its numbers, what it keeps as data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.coercion import HUGE
from pyrave.formats import run_custom_reader, to_xml_element
from pyrave.formats.numbers import plain_float, plain_floats
from pyrave.formats.readings import Reading
from pyrave.scene import IDENTITY, Pose, XmlReadable
from pyrave_urdf.reading.document import UNDECLARED, XACRO
from pyrave_urdf.vocabulary import ELEMENTS, SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from pyrave.formats import ReadContext
    from pyrave.formats.xml import Document
    from pyrave.scene import Readable

Made = TypeVar("Made")
_TOLD = (f"{{{XACRO}", f"{{{UNDECLARED}")
"""Starts of tags in namespaces that have warnings of their own."""
_OF_PARTS = frozenset({
    *("bad-number", "bad-size", "missing-attribute", "missing-tag", "bad-mass"),
    "zero-quaternion",
})  # fmt: skip
"""Problems that cost the part that is read, where ROS leaves that out alone."""
_NO_NUMBERS: tuple[float, ...] = ()
_ORIGIN = frozenset({"xyz", "rpy", "quat_xyzw"})


class UrdfReading(Reading):
    """State that all parts of the reader share. Belongs to one document of one load.

    Parameters
    ----------
    context
        What the load was asked for.
    document
        The parsed file.
    folder
        Where relative names start from, or None: the working directory.
    """

    def __init__(
        self, context: ReadContext, document: Document, folder: str | None
    ) -> None:
        super().__init__(context)
        self.document = document
        self.folder = folder
        self._poses: dict[tuple[str | None, ...], Pose] = {}
        self._strange: dict[tuple[str, str], list[Any]] = {}
        self._noted: set[tuple[str, str]] = set()
        self._slips: set[tuple[int, str]] = set()
        self._cost = ""
        self._losses = 0

    # -- reports ---------------------------------------------------------------------

    def error(
        self, element: Any, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something that refuses the scene; within `spared` it does not."""
        if self._cost and code in _OF_PARTS:
            self._losses += 1
            self.warn(element, code, f"{message}; {self._cost}", hint)
        else:
            super().error(element, code, message, hint)

    def spared(
        self,
        read: Callable[..., Made],
        *given: Any,
        cost: str = "the shape is left out",
    ) -> Made | None:
        """Return the result of reading a part, None if it is wrong, which is a warning.

        Parameters
        ----------
        cost
            What the message says becomes of the part.
        """
        outer, before = self._cost, self._losses
        self._cost = cost
        try:
            made = read(*given)
            return made if self._losses == before else None
        finally:
            self._cost = outer

    # -- elements --------------------------------------------------------------------

    def children(
        self,
        element: Any,
        known: Collection[str],
        ones: Iterable[Any] | None = None,
    ) -> tuple[dict[str, list[Any]], list[Any]]:
        """Return children by tag, and those of unknown tags.

        What looks like a slip is reported. Most of the time that reading takes goes
        into making lxml's objects: each child is asked for once.

        Parameters
        ----------
        ones
            The children that are looked at; None: all.
        """
        found: dict[str, list[Any]] = {}
        others = []
        for child in element if ones is None else ones:
            tag = child.tag
            if tag in found:
                found[tag].append(child)
            elif tag in known:
                found[tag] = [child]
            else:
                others.append(child)
                self._check_slip(element, child, known)
        return found, others

    def parts(
        self, element: Any, owner: str, ones: Iterable[Any] | None = None
    ) -> dict[str, list[Any]]:
        """Return the children of an element by tag; those that act nowhere are noted.

        Parameters
        ----------
        owner
            What the vocabulary calls it.
        ones
            As in `children`.
        """
        meanings = ELEMENTS[owner]
        found, others = self.children(element, meanings, ones)
        idle = [one for tag, ones in found.items() if not meanings[tag].acts
                for one in ones]  # fmt: skip
        for one in (*idle, *others):
            self.note_idle(owner, one)
        return found

    def note_idle(self, owner: str, element: Any) -> None:
        """Note an element that acts nowhere, unless it is reported in other words."""
        tag = element.tag
        # files repeat the same ones for each link; the first is told
        if (owner, tag) in self._noted:
            return
        meaning = ELEMENTS.get(owner, {}).get(tag)
        if meaning is not None and not meaning.told:
            return
        told = element.prefix == "xacro" or tag.startswith(_TOLD)
        if (element.sourceline, tag) not in self._slips and not told:
            self._noted.add((owner, tag))
            shown = SHOWN.get(owner, f"<{owner}>")
            self.idle.note(shown, tag.rpartition("}")[2], element)

    def _check_slip(self, element: Any, child: Any, known: Collection[str]) -> None:
        tag = child.tag
        near = None if "{" in tag else self.near(tag, known)
        if near is not None:
            self._slips.add((child.sourceline, tag))
            self.warn(
                child,
                "unknown-tag",
                f"unknown tag <{tag}> in <{element.tag}>; it is kept as data",
                f"did you mean <{near}>?",
            )

    def last(self, found: list[Any] | None) -> Any:
        """Return the last of some children of one tag, None if there are none.

        It is the one that counts where there should be one.
        """
        if found is None:
            return None
        if len(found) > 1:
            second = found[1]
            self.warn(
                second,
                "repeated-item",
                f"duplicate <{second.tag}> in <{second.getparent().tag}>; "
                "using the last one",
                "delete the others",
            )
        return found[-1]

    def attributes(self, element: Any, known: frozenset[str]) -> list[str]:
        """Return the names of an element's attributes; what nobody reads is reported.

        Values are asked for one by one, which takes less time than a table of all.
        """
        found: list[str] = element.keys()
        if not known.issuperset(found):
            for name in found:
                if name not in known and "{" not in name:
                    self._report_attribute(element, name, known)
        return found

    def _report_attribute(
        self, element: Any, name: str, known: Collection[str]
    ) -> None:
        near = self.near(name, known)
        if near is None:
            self._strange.setdefault((element.tag, name), []).append(element)
            return
        self.warn(
            element,
            "unknown-attribute",
            f"unknown attribute {name!r} of <{element.tag}>",
            f"did you mean {near!r}?",
        )

    def finish(self) -> None:
        """Report what a vendor's tools write and nobody else knows, each once."""
        for (tag, name), elements in self._strange.items():
            more = f", the first of {len(elements)}" if len(elements) > 1 else ""
            self.note(
                elements[0],
                "unknown-attribute",
                f"unknown attribute {name!r} of <{tag}>{more}",
            )
        self._strange.clear()
        self.idle.tell(self.note)

    def named(self, element: Any, what: str, others: Collection[str]) -> str:
        """Return the name of a link or joint; none or a taken one is an error."""
        name = str(element.get("name") or "").strip()
        if not name:
            self.error(
                element,
                "bad-name",
                f"the {what} has no name",
                f'write <{element.tag} name="...">',
            )
        elif name in others:
            self.error(
                element,
                "duplicate-name",
                f"there is a {what} {name!r} already",
                "names of links are unique, and so are those of joints",
            )
        return name

    def unknown(
        self, element: Any, what: str, name: str, known: Collection[str], code: str
    ) -> None:
        """Report a name that nothing has."""
        hint = self.suggestion(name, known)
        self.warn(element, code, f"there is no {what} {name!r}", hint)

    # -- numbers ---------------------------------------------------------------------

    def numbers(
        self, element: Any, attribute: str, *, infinite: bool = False
    ) -> tuple[float, ...] | None:
        """Return the numbers of an attribute; None if it is wrong, which is reported.

        An attribute that is not there has no numbers.
        """
        text = element.get(attribute)
        if text is None:
            return _NO_NUMBERS
        try:
            found = plain_floats(text)
        except ValueError:
            self._bad(element, attribute, text, "expected numbers")
            return None
        if sum(map(abs, found)) <= HUGE:
            return found
        for number in found:
            if not abs(number) <= HUGE and not (infinite and math.isinf(number)):
                self._bad(element, attribute, text, "which is not finite")
                return None
        return found

    def vector(
        self, element: Any, attribute: str, default: tuple[float, ...]
    ) -> tuple[float, ...]:
        """Return as many numbers as the default has, which stands for none or bad."""
        found = self.numbers(element, attribute)
        if not found:
            if found is not None and element.get(attribute) is not None:
                self._bad(element, attribute, "", f"expected {len(default)} numbers")
            return default
        if len(found) > len(default):
            text = element.get(attribute)
            self.warn(
                element,
                "bad-number",
                f"<{element.tag}> has {attribute}={text!r}, expected {len(default)} "
                "numbers; the first ones count",
                "delete the others",
            )
            return found[: len(default)]
        if len(found) != len(default):
            text = element.get(attribute)
            self._bad(element, attribute, text, f"expected {len(default)} numbers")
            return default
        return found

    def number(
        self,
        element: Any,
        attribute: str,
        default: float | None = 0.0,
        *,
        infinite: bool = False,
    ) -> float:
        """Return one number; without a default the attribute must be there."""
        text = element.get(attribute, "")
        try:
            value = plain_float(text)
        except ValueError:
            pass  # what is wrong, if anything, is reported below
        else:
            if -HUGE <= value <= HUGE:
                return value
        found = self.numbers(element, attribute, infinite=infinite)
        if found is not None and len(found) == 1:
            return found[0]
        if element.get(attribute) is None and default is None:
            self.error(
                element,
                "missing-attribute",
                f"<{element.tag}> has no attribute {attribute!r}",
                f'write <{element.tag} {attribute}="...">',
            )
        elif found is not None and element.get(attribute) is not None:
            self._bad(element, attribute, element.get(attribute), "expected one number")
        return 0.0 if default is None else default

    def size(self, element: Any, attribute: str) -> float:
        """Return a length that must be there and is not negative, metres."""
        value = self.number(element, attribute, None)
        if value < 0.0:
            self.error(
                element,
                "bad-size",
                f"{attribute} is {value}, expected 0 or more",
            )
            return 0.0
        return value

    def _bad(self, element: Any, attribute: str, text: str, why: str) -> None:
        hint = None
        if "," in text:
            hint = "numbers are separated by blanks, not by commas"
        elif "${" in text or "$(" in text:
            hint = "this is xacro: expand it, or load the .xacro with allow_code=True"
        self.error(
            element,
            "bad-number",
            f"<{element.tag}> has {attribute}={text!r}, {why}",
            hint,
        )

    def origin(self, found: list[Any] | None) -> Pose:
        """Return the pose of an ``<origin>``, the last of some; none is identity."""
        origin = self.last(found)
        if origin is None:
            return IDENTITY
        self.attributes(origin, _ORIGIN)
        # files repeat few texts: no move, quarter turns, a collision like its visual
        key = origin.get("xyz"), origin.get("rpy"), origin.get("quat_xyzw")
        pose = self._poses.get(key)
        if pose is None:
            before = self.reports
            pose = self._pose(origin)
            if self.reports == before:
                self._poses[key] = pose
        return pose

    def _pose(self, origin: Any) -> Pose:
        x, y, z = self.vector(origin, "xyz", (0.0, 0.0, 0.0))
        if origin.get("quat_xyzw") is not None:
            a, b, c, w = self.vector(origin, "quat_xyzw", (0.0, 0.0, 0.0, 1.0))
            if not a * a + b * b + c * c + w * w > 0.0:
                self.error(origin, "zero-quaternion", "quat_xyzw has no direction")
                return IDENTITY
            return Pose.from_quaternion((w, a, b, c), (x, y, z))
        roll, pitch, yaw = self.vector(origin, "rpy", (0.0, 0.0, 0.0))
        return pose_of(roll, pitch, yaw, (x, y, z))

    # -- what is kept as data --------------------------------------------------------

    def kept(self, element: Any, kinds: tuple[str, ...]) -> tuple[str, Readable]:
        """Return an element by its tag: what a custom reader makes of it, or as is.

        One that acts nowhere is noted.
        """
        tag, owner = element.tag, element.getparent().tag
        meaning = ELEMENTS.get(owner, {}).get(tag)
        for kind in kinds:
            reader = self.context.find_reader(kind, tag.lower())
            if reader is None:
                continue
            done, found = run_custom_reader(reader, element, self)
            if done and found is not None:
                # what only keeps a tag of the vocabulary makes no use of it
                if meaning is not None and isinstance(found, XmlReadable):
                    break
                return tag, found
            break
        if meaning is None or not meaning.acts:
            self.note_idle(owner, element)
        return tag, XmlReadable(to_xml_element(element))


def pose_of(
    roll: float, pitch: float, yaw: float, xyz: tuple[float, float, float]
) -> Pose:
    """Return the pose Rz(yaw) Ry(pitch) Rx(roll), radians, with a translation."""
    if roll == pitch == yaw == 0.0:
        return Pose(translation=xyz)
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    rotation = (
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
        -sp,
        cp * sr,
        cp * cr,
    )
    return Pose(rotation, xyz)
