"""Values of a Dynamic WorkCell's elements, and reports of what is wrong with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.coercion import HUGE
from pyrave.formats.numbers import plain_float, plain_floats
from pyrave.scene import IDENTITY, Pose
from pyrave.scene.pose import rotation_error
from pyrave_workcell.dynamics.document import Property
from pyrave_workcell.load import RobworkReading
from pyrave_workcell.workcell.load import rotation_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyrave.scene.pose import Matrix3, Vec3
    from pyrave_workcell.dynamics.document import Value
    from pyrave_workcell.syntax import CellNode

_ROTATION_SIZE = 9
_ROTATION_TOLERANCE = 1e-4
_TRUE, _FALSE = frozenset({"true", "1", "on"}), frozenset({"false", "0", "off"})
_NO_MOVE: Vec3 = (0.0, 0.0, 0.0)


class DynamicsReading(RobworkReading):
    """Values of elements; what is wrong with them is reported.

    A value that is missing or wrong is reported, which refuses the scene, and something
    that fits is returned, so that all problems of a file are reported.
    """

    # -- elements --------------------------------------------------------------------

    def unknown(
        self, element: CellNode, what: str, name: str, known: Collection[str]
    ) -> None:
        """Report as an error a name that nothing has."""
        hint = self.suggestion(name, known)
        self.error(element, "unknown-name", f"there is no {what} {name!r}", hint)

    def check(
        self,
        element: CellNode,
        tags: Collection[str],
        attributes: Collection[str] = (),
        *,
        strict: bool = False,
    ) -> None:
        """Report children and attributes that nobody reads.

        Parameters
        ----------
        strict
            Unknown children are errors, as they are for RobWork.
        """
        for child in element:
            if child.tag in tags:
                continue
            hint = self.suggestion(child.tag, tags, "<{}>")
            text = f"unknown element <{child.tag}> in <{element.tag}>"
            if strict:
                self.error(child, "unknown-tag", text, hint)
            else:
                self.warn(child, "unknown-tag", f"{text} means nothing", hint)
        for name in element.attributes:
            if name not in attributes:
                hint = self.suggestion(name, attributes)
                text = f"unknown attribute {name!r} of <{element.tag}>"
                report = self.warn if hint else self.note
                report(element, "unknown-attribute", text, hint)

    def child(
        self, element: CellNode, tag: str, *, required: bool = True
    ) -> CellNode | None:
        """Return the first child of a tag; of several only that one counts."""
        found = [one for one in element.children if one.tag == tag]
        if len(found) > 1:
            text = f"duplicate <{tag}> in <{element.tag}>; the first one counts"
            self.warn(found[1], "repeated-item", text, "delete the others")
        if found:
            return found[0]
        if required:
            self.error(
                element,
                "missing-tag",
                f"<{element.tag}> has no <{tag}>",
                f"write <{tag}>...</{tag}> into it",
            )
        return None

    def attribute(self, element: CellNode, name: str) -> str:
        """Return an attribute that must be there, as written."""
        value = element.get(name)
        if value is None:
            self.error(
                element,
                "missing-attribute",
                f"<{element.tag}> has no attribute {name!r}",
                f'write <{element.tag} {name}="...">',
            )
        return value or ""

    def text(self, element: CellNode, tag: str) -> str:
        """Return the text of a child that must be there, blanks around it cut."""
        found = self.child(element, tag)
        return "" if found is None else found.text.strip()

    def name(self, element: CellNode) -> str:
        """Return a text that is a name.

        RobWork takes blanks around it as a part of it, so that nothing has that name;
        here they are none.
        """
        name = element.text.strip()
        if name != element.text:
            self.warn(
                element,
                "bad-name",
                f"<{element.tag}> has blanks around {name!r}, which RobWork takes as "
                "part of the name; they are left out",
                f"write <{element.tag}>{name}</{element.tag}>",
            )
        return name

    # -- numbers ---------------------------------------------------------------------

    def numbers(self, element: CellNode, count: int | None = None) -> tuple[float, ...]:
        """Return the numbers of an element's text: so many, or any number of them."""
        found = self._parsed(element, element.text)
        if found is None:
            return (0.0,) * (count or 0)
        if count is not None and len(found) != count:
            self.error(
                element,
                "bad-number",
                f"<{element.tag}> has {len(found)} numbers, expected {count}",
            )
            return (0.0,) * count
        return found

    def number(self, element: CellNode) -> float:
        """Return the one number of an element's text."""
        return self.numbers(element, 1)[0]

    def child_numbers(
        self, element: CellNode, tag: str, count: int | None = None
    ) -> tuple[float, ...]:
        """Return the numbers of a child that must be there."""
        found = self.child(element, tag)
        return (0.0,) * (count or 0) if found is None else self.numbers(found, count)

    def child_number(self, element: CellNode, tag: str) -> float:
        """Return the number of a child that must be there."""
        return self.child_numbers(element, tag, 1)[0]

    def attribute_number(self, element: CellNode, name: str, default: float) -> float:
        """Return the number of an attribute, or the default if it is not there."""
        text = element.get(name)
        if text is None:
            return default
        found = self._parsed(element, text)
        if found is not None and len(found) != 1:
            text = f"{name}={text!r} of <{element.tag}>, expected one number"
            self.error(element, "bad-number", text)
            return default
        return default if found is None else found[0]

    def not_negative(self, element: CellNode, tag: str) -> float:
        """Return the number of a child that must be there, which is 0 or more."""
        value = self.child_number(element, tag)
        if value < 0.0:
            text = f"<{tag}> of <{element.tag}> is {value}, expected 0 or more"
            self.error(element, "bad-number", text)
            return 0.0
        return value

    def boolean(self, element: CellNode, tag: str) -> bool:
        """Return the truth value of a child that must be there."""
        word = self.text(element, tag).lower()
        if word not in _TRUE | _FALSE and self._has(element, tag):
            text = f"<{tag}> is {word!r}, expected true or false"
            self.error(element, "bad-value", text)
        return word in _TRUE

    def _has(self, element: CellNode, tag: str) -> bool:
        return any(child.tag == tag for child in element)

    def _parsed(self, element: CellNode, text: str) -> tuple[float, ...] | None:
        self.spend(element, text)
        known = self.known.get(text)
        if known is not None:
            return known
        try:
            found = plain_floats(text)
        except ValueError:
            found = (math.nan,)
        for number in found:
            if not -HUGE <= number <= HUGE:
                break
        else:
            self.known[text] = found
            return found
        # other blanks than those of ASCII are none between numbers
        words = map(bytes.decode, text.encode().split())
        word = next(word for word in words if not _is_number(word))
        hint = "numbers are separated by blanks" if "," in word else None
        what = f"<{element.tag}> holds {word!r:.80}, expected a number"
        self.error(element, "bad-number", what, hint)
        return None

    # -- values of several elements --------------------------------------------------

    def property(self, element: CellNode) -> Property:
        """Return a ``<Property>``: a text, or numbers if its type says so."""
        self.check(element, (), ("name", "type", "desc"))
        name = self.attribute(element, "name")
        kind = element.get("type", "string")
        value: Value = element.text
        if kind in {"int", "float"}:
            value = (self.number(element),)
            if kind == "int" and not value[0].is_integer():
                text = f"property {name!r} is {value[0]}, expected a whole number"
                self.error(element, "bad-number", text)
        elif kind == "Q":
            value = self.numbers(element)
        elif kind != "string":
            self.error(
                element,
                "bad-value",
                f"property {name!r} has the type {kind!r}, expected string, int, float "
                "or Q",
                "numbers are of type float" if kind == "double" else None,
            )
        else:
            value = element.text.strip()
        return Property(name, value, at=element)

    def transform(self, element: CellNode) -> Pose:
        """Return the pose of ``<Pos>``, ``<RPY>`` in radians and ``<Rotation3D>``."""
        tags = ("Pos", "RPY", "Rotation3D")
        self.check(element, tags)
        self.last_counts(element, tags)
        pose = IDENTITY
        for child in element:
            if child.tag == "Pos":
                x, y, z = self.numbers(child, 3)
                pose = Pose(pose.rotation, (x, y, z))
            elif child.tag == "RPY":
                roll, pitch, yaw = self.numbers(child, 3)
                pose = Pose(rotation_of(roll, pitch, yaw), pose.translation)
            elif child.tag == "Rotation3D":
                pose = Pose(self._rotation(child), pose.translation)
        return pose

    def _rotation(self, element: CellNode) -> Matrix3:
        a, b, c, d, e, f, g, h, i = self.numbers(element, _ROTATION_SIZE)
        rotation = a, b, c, d, e, f, g, h, i
        if rotation_error(rotation) > _ROTATION_TOLERANCE:
            text = f"<{element.tag}> is {element.text.strip()!r:.120}, no rotation"
            self.error(element, "not-a-rotation", text, "rows of a rotation matrix")
            return IDENTITY.rotation
        return rotation

    def square(self, element: CellNode, size: int) -> tuple[tuple[float, ...], ...]:
        """Return the rows of a square matrix, in the order of the text."""
        found = self.numbers(element, size * size)
        return rows_of(found, size)


def rows_of(
    numbers: tuple[float, ...], columns: int
) -> tuple[tuple[float, ...], ...]:  # fmt: skip
    """Return the rows of a matrix."""
    starts = range(0, len(numbers), max(1, columns))
    return tuple(numbers[i : i + columns] for i in starts)


def _is_number(word: str) -> bool:
    """Return True if a word is one finite number of a sensible size."""
    try:
        number = plain_float(word)
    except ValueError:
        return False
    return -HUGE <= number <= HUGE
