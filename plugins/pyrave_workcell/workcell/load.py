"""One load of a WorkCell: its problems, its numbers and poses."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pyrave.coercion import HUGE
from pyrave.formats.numbers import plain_float, plain_floats
from pyrave.scene import IDENTITY, Pose
from pyrave.scene.pose import rotation_error
from pyrave.spatial import nearest_rotations
from pyrave_workcell.load import RobworkReading

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyrave.formats import ReadContext
    from pyrave.scene.pose import Matrix3, Vec3
    from pyrave_workcell.syntax import CellNode

_ROTATION_SLACK = 0.02
_ROUNDING = 1e-9
_POSES = frozenset({"Pos", "RPY", "Transform"})
_ZEROS = (0.0, 0.0, 0.0)
_UNMIRRORED = (1.0, 1.0, 1.0)
_MIRRORED = ((-1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 1.0, -1.0))


class WorkcellReading(RobworkReading):
    """State that all parts of the reader share. Belongs to one load."""

    def __init__(self, context: ReadContext) -> None:
        super().__init__(context)
        self._good: set[tuple[tuple[str, ...], ...]] = set()
        self._known_poses: dict[tuple[str, str, str], Pose] = {}

    # -- attributes --------------------------------------------------------------------

    def attributes(
        self, node: CellNode, known: tuple[str, ...], needed: tuple[str, ...] = ()
    ) -> None:
        """Report attributes that nobody reads, that are missing, or in another order.

        Parameters
        ----------
        known
            In the order that RobWork demands.
        needed
            Those that must be there.
        """
        # most elements of a tag have the same attributes
        key = known, needed, (*node.attributes,)
        if key in self._good:
            return
        before = self.reports
        self._check_attributes(node, known, needed)
        if self.reports == before:
            self._good.add(key)

    def _check_attributes(
        self, node: CellNode, known: tuple[str, ...], needed: tuple[str, ...]
    ) -> None:
        given = list(node.attributes)
        ordered = [name for name in known if name in node.attributes]
        diagnostics = self.context.diagnostics
        for name in given:
            if name in known:
                continue
            if diagnostics.is_full:
                self.reports += 1
                diagnostics.suppressed += 1
            else:
                self.warn(
                    node,
                    "unknown-attribute",
                    f"unknown attribute {name!r} of <{node.tag}>",
                    self.suggestion(name, known),
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

    def unknown(self, node: CellNode, known: Collection[str]) -> None:
        """Report an element that nothing reads."""
        owner = "the root" if node.parent is None else f"<{node.parent.tag}>"
        self.warn(
            node,
            "unknown-tag",
            f"unknown tag <{node.tag}> in {owner}",
            self.suggestion(node.tag, known, "<{}>"),
        )

    # -- numbers -----------------------------------------------------------------------

    def number(self, node: CellNode, attribute: str, default: float = 0.0) -> float:
        """Return one number; what is wrong is reported and gives the default."""
        text = node.get(attribute)
        if text is None:
            return default
        try:
            found = plain_float(text)
            if -HUGE <= found <= HUGE:
                return found
        except ValueError:
            pass
        numbers = self._numbers(node, text, f"{attribute}={text!r}")
        if numbers is None:
            return default
        self._bad(node, f"{attribute}={text!r}", "expected one number")
        return default

    def size(self, node: CellNode, attribute: str) -> float:
        """Return a length that is not negative, metres."""
        value = self.number(node, attribute)
        if value < 0.0:
            self.error(node, "bad-size", f"{attribute} is {value}, expected 0 or more")
            return 0.0
        return value

    def numbers(self, node: CellNode, count: int | None = None) -> tuple[float, ...]:
        """Return the numbers in an element; zeros where they are wrong.

        Parameters
        ----------
        count
            How many there must be, None: any.
        """
        text = node.text
        found = self.known.get(text)
        if found is None:
            found = self._numbers(node, text)
        else:
            self.spend(node, text)
        if found is None:
            return (0.0,) * (count or 0)
        if count is not None and len(found) != count:
            self._bad(node, repr(node.text.strip()), f"expected {count} numbers")
            return (0.0,) * count
        return found

    def _numbers(
        self, node: CellNode, text: str, shown: str | None = None
    ) -> tuple[float, ...] | None:
        self.spend(node, text)
        try:
            found = plain_floats(text)
        except ValueError:
            self._bad(node, shown or repr(text.strip()), "expected numbers")
            return None
        for number in found:
            if not -HUGE <= number <= HUGE:
                self._bad(node, shown or repr(text.strip()), "which is not finite")
                return None
        self.known[text] = found
        return found

    def _bad(self, node: CellNode, shown: str, why: str) -> None:
        hint = "numbers are separated by blanks" if "," in shown else None
        self.error(node, "bad-number", f"<{node.tag}> has {shown}, {why}", hint)

    # -- poses -------------------------------------------------------------------------

    def pose(self, node: CellNode) -> Pose:
        """Return the transform of an element, identity if it has none."""
        poses = [child for child in node.children if child.tag in _POSES]
        if not poses:
            return IDENTITY
        if len(poses) == 2 and poses == node.children[:2]:
            first, second = poses
            if not (first.attributes or second.attributes):
                return self._plain_pose(node, first, second)
        return self._pose(node, poses)

    def model_pose(self, node: CellNode) -> tuple[Pose, Vec3]:
        """Return the transform of a model, and 1 or -1 along each axis of its shapes.

        A matrix that mirrors is a rotation behind a mirror image along one axis.
        """
        poses = [child for child in node.children if child.tag in _POSES]
        first = next((one for one in poses if one.tag == "Transform"), None)
        if first is None:
            return self.pose(node), _UNMIRRORED
        self._check_poses(node, {child.tag: child for child in reversed(poses)})
        return self._transform(first, mirrors=True)

    def _plain_pose(self, node: CellNode, first: CellNode, second: CellNode) -> Pose:
        """Return the pose of two elements without attributes before all others."""
        key = first.tag, first.text, second.text
        known = self._known_poses.get(key)
        if known is not None:
            self.spend(first, first.text)
            self.spend(second, second.text)
            return known
        before = self.reports
        made = self._pose(node, [first, second])
        if self.reports == before:
            self._known_poses[key] = made
        return made

    def _pose(self, node: CellNode, poses: list[CellNode]) -> Pose:
        found = {child.tag: child for child in reversed(poses)}
        self._check_poses(node, found)
        if "Transform" in found:
            return self._transform(found["Transform"])[0]
        return turned(
            self.numbers(found["RPY"], 3) if "RPY" in found else _ZEROS,
            self.numbers(found["Pos"], 3) if "Pos" in found else _ZEROS,
        )

    def _check_poses(self, node: CellNode, found: dict[str, CellNode]) -> None:
        seen = 0
        for place, child in enumerate(node):
            if child.tag not in _POSES:
                continue
            if found[child.tag] is not child:
                self.warn(
                    child,
                    "repeated-item",
                    f"duplicate <{child.tag}> in <{node.tag}>; the first counts",
                )
                continue
            if place > seen:
                self.warn(
                    child,
                    "not-robwork",
                    f"RobWork reads <{child.tag}> only before all else in <{node.tag}>",
                )
            self.attributes(child, ())
            seen += 1
        if "Transform" in found and len(found) > 1:
            self.warn(
                node,
                "repeated-item",
                f"<{node.tag}> has <Transform> besides <Pos> or <RPY>; "
                "<Transform> counts",
            )
        elif len(found) == 1 and "Transform" not in found:
            one = next(iter(found))
            other = "RPY" if one == "Pos" else "Pos"
            self.error(
                found[one],
                "missing-tag",
                f"<{node.tag}> has <{one}> without <{other}>",
                f"write <{other}>0 0 0</{other}> as well",
            )

    def _transform(self, node: CellNode, *, mirrors: bool = False) -> tuple[Pose, Vec3]:
        """Return a matrix as a rotation and translation, and signs of the axes.

        Parameters
        ----------
        mirrors
            Whether it may mirror.
        """
        before = self.reports
        a, b, c, x, d, e, f, y, g, h, i, z = self.numbers(node, 12)
        if self.reports > before:
            return IDENTITY, _UNMIRRORED
        signs = _UNMIRRORED
        determinant = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
        if mirrors and determinant < 0.0:
            # along the axis that leaves least to turn
            signs = _MIRRORED[min(range(3), key=(a, e, i).__getitem__)]
            u, v, w = signs
            a, b, c, d, e, f, g, h, i = (
                *(a * u, b * v, c * w), *(d * u, e * v, f * w), *(g * u, h * v, i * w),
            )  # fmt: skip
        rotation = a, b, c, d, e, f, g, h, i
        off = rotation_error(rotation)
        if off > _ROTATION_SLACK:
            self.error(
                node,
                "bad-rotation",
                f"<Transform> has {[[a, b, c], [d, e, f], [g, h, i]]}, which is no "
                "rotation",
                "write three rows of four numbers: a rotation and a position each",
            )
            return IDENTITY, _UNMIRRORED
        if off > _ROUNDING:
            nearest = nearest_rotations(np.array(rotation).reshape(3, 3))
            a, b, c, d, e, f, g, h, i = nearest.ravel().tolist()
            rotation = a, b, c, d, e, f, g, h, i
        return Pose(rotation, (x, y, z)), signs


def turned(rpy: Sequence[float], xyz: Sequence[float]) -> Pose:
    """Return Rz(roll) Ry(pitch) Rx(yaw), degrees, with a translation, metres."""
    x, y, z = xyz
    if rpy == _ZEROS == xyz:
        return IDENTITY
    roll, pitch, yaw = map(math.radians, rpy)
    return Pose(rotation_of(roll, pitch, yaw), (x, y, z))


@lru_cache(maxsize=1024)
def rotation_of(roll: float, pitch: float, yaw: float) -> Matrix3:
    """Return Rz(roll) Ry(pitch) Rx(yaw), as RobWork names the three; radians."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return (
        cr * cp,
        cr * sp * sy - sr * cy,
        cr * sp * cy + sr * sy,
        sr * cp,
        sr * sp * sy + cr * cy,
        sr * sp * cy - cr * sy,
        0.0 - sp,  # no -0.0
        cp * sy,
        cp * cy,
    )
