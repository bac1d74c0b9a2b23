"""One load of a WorkCell: its problems, its numbers and poses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import nearest
from pyrave.scene import IDENTITY, Pose
from pyrave.spatial import nearest_rotations

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyrave.formats import ReadContext
    from pyrave_workcell.syntax import Node

MOST = 1e30
"""The largest finite number that means something."""
_ROTATION_SLACK = 0.02
_ROUNDING = 1e-9
_POSES = ("Pos", "RPY", "Transform")


class Reading:
    """What all parts of the reader share. Belongs to one load."""

    def __init__(self, context: ReadContext) -> None:
        self.context = context
        self.reports = 0

    def warn(
        self, node: Node, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something that is left out or mended."""
        self.reports += 1
        self.context.diagnostics.warning(
            code,
            message,
            node.document,
            node,
            hint,
            named_at=node.document.named_at,
        )

    def error(
        self, node: Node, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something that refuses the scene."""
        self.reports += 1
        self.context.diagnostics.error(
            code,
            message,
            node.document,
            node,
            hint,
            named_at=node.document.named_at,
        )

    # -- attributes --------------------------------------------------------------------

    def attributes(
        self, node: Node, known: Sequence[str], needed: Collection[str] = ()
    ) -> None:
        """Report attributes that nobody reads, that are missing, or in another order.

        Parameters
        ----------
        known
            In the order that RobWork demands.
        needed
            Those that must be there.
        """
        given = list(node.attributes)
        ordered = [name for name in known if name in node.attributes]
        for name in given:
            if name not in known:
                near = nearest(name, known)
                self.warn(
                    node,
                    "unknown-attribute",
                    f"unknown attribute {name!r} of <{node.tag}>",
                    f"did you mean {near!r}?" if near else None,
                )
        if [name for name in given if name in known] != ordered:
            self.warn(
                node,
                "not-robwork",
                f"RobWork reads the attributes of <{node.tag}> in one order only: "
                f"{' '.join(ordered)}",
            )
        for name in needed:
            if name not in node.attributes:
                self.error(
                    node,
                    "missing-attribute",
                    f"<{node.tag}> has no attribute {name!r}",
                    f'write <{node.tag} {name}="...">',
                )

    def unknown(self, node: Node, known: Collection[str]) -> None:
        """Report an element that nothing reads."""
        owner = "the root" if node.parent is None else f"<{node.parent.tag}>"
        near = nearest(node.tag, known)
        self.warn(
            node,
            "unknown-tag",
            f"unknown tag <{node.tag}> in {owner}",
            f"did you mean <{near}>?" if near else None,
        )

    def last_counts(self, node: Node, tags: Collection[str]) -> None:
        """Report children that stand there again, and take the place of the first."""
        seen: set[str] = set()
        for child in node:
            if child.tag in seen:
                self.warn(
                    child,
                    "repeated-item",
                    f"duplicate <{child.tag}> in <{node.tag}>; the last counts",
                )
            elif child.tag in tags:
                seen.add(child.tag)

    # -- numbers -----------------------------------------------------------------------

    def number(self, node: Node, attribute: str, default: float = 0.0) -> float:
        """Return one number; what is wrong is reported and gives the default."""
        text = node.get(attribute)
        if text is None:
            return default
        found = self._numbers(node, text, f"{attribute}={text!r}")
        if found is None:
            return default
        if len(found) != 1:
            self._bad(node, f"{attribute}={text!r}", "expected one number")
            return default
        return found[0]

    def size(self, node: Node, attribute: str) -> float:
        """Return a length that is not negative, metres."""
        value = self.number(node, attribute)
        if value < 0.0:
            self.error(node, "bad-size", f"{attribute} is {value}, expected 0 or more")
            return 0.0
        return value

    def numbers(self, node: Node, count: int | None = None) -> tuple[float, ...]:
        """Return the numbers in an element; zeros where they are wrong.

        Parameters
        ----------
        count
            How many there must be, None: any.
        """
        text = node.text.strip()
        found = self._numbers(node, text, repr(text))
        if found is None:
            return (0.0,) * (count or 0)
        if count is not None and len(found) != count:
            self._bad(node, repr(text), f"expected {count} numbers")
            return (0.0,) * count
        return found

    def _numbers(self, node: Node, text: str, shown: str) -> tuple[float, ...] | None:
        try:
            found = numbers_of(text)
        except ValueError:
            self._bad(node, shown, "expected numbers")
            return None
        if any(not abs(number) <= MOST for number in found):
            self._bad(node, shown, "which is not finite")
            return None
        return found

    def _bad(self, node: Node, shown: str, why: str) -> None:
        hint = "numbers are separated by blanks" if "," in shown else None
        self.error(node, "bad-number", f"<{node.tag}> has {shown}, {why}", hint)

    # -- poses -------------------------------------------------------------------------

    def pose(self, node: Node) -> Pose:
        """Return the transform of an element, identity if it has none."""
        found: dict[str, Node] = {}
        for place, child in enumerate(node):
            if child.tag not in _POSES:
                continue
            if child.tag in found:
                self.warn(
                    child,
                    "repeated-item",
                    f"duplicate <{child.tag}> in <{node.tag}>; the first counts",
                )
                continue
            if place > len(found):
                self.warn(
                    child,
                    "not-robwork",
                    f"RobWork reads <{child.tag}> only before all else in <{node.tag}>",
                )
            self.attributes(child, ())
            found[child.tag] = child
        if not found:
            return IDENTITY
        if "Transform" in found:
            if len(found) > 1:
                self.warn(
                    node,
                    "repeated-item",
                    f"<{node.tag}> has <Transform> besides <Pos> or <RPY>; "
                    "<Transform> counts",
                )
            return self._transform(found["Transform"])
        if len(found) == 1:
            one = next(iter(found))
            other = "RPY" if one == "Pos" else "Pos"
            self.error(
                found[one],
                "missing-tag",
                f"<{node.tag}> has <{one}> without <{other}>",
                f"write <{other}>0 0 0</{other}> as well",
            )
        return turned(
            self.numbers(found["RPY"], 3) if "RPY" in found else (0.0, 0.0, 0.0),
            self.numbers(found["Pos"], 3) if "Pos" in found else (0.0, 0.0, 0.0),
        )

    def _transform(self, node: Node) -> Pose:
        before = self.reports
        rows = np.array(self.numbers(node, 12)).reshape(3, 4)
        if self.reports > before:
            return IDENTITY
        given = rows[:, :3]
        off = float(np.abs(given @ given.T - np.eye(3)).max())
        if off > _ROTATION_SLACK or not np.linalg.det(given) > 0.0:
            self.error(
                node,
                "bad-rotation",
                f"<Transform> has {given.tolist()}, which is no rotation",
                "write three rows of four numbers: a rotation and a position each",
            )
            return IDENTITY
        rotation = given if off <= _ROUNDING else nearest_rotations(given)
        x, y, z = rows[:, 3].tolist()
        return Pose(tuple(rotation.ravel().tolist()), (x, y, z))


def numbers_of(text: str) -> tuple[float, ...]:
    """Return the numbers of a text.

    Raises
    ------
    ValueError
        A word is none as files write them; Python takes more, such as ``1_0``.
    """
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return tuple(map(float, text.split()))


def turned(rpy: Sequence[float], xyz: Sequence[float]) -> Pose:
    """Return Rz(roll) Ry(pitch) Rx(yaw), degrees, with a translation, metres."""
    roll, pitch, yaw = map(math.radians, rpy)
    x, y, z = xyz
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    rotation = (
        cr * cp,
        cr * sp * sy - sr * cy,
        cr * sp * cy + sr * sy,
        sr * cp,
        sr * sp * sy + cr * cy,
        sr * sp * cy - cr * sy,
        -sp,
        cp * sy,
        cp * cy,
    )
    return Pose(rotation, (x, y, z))
