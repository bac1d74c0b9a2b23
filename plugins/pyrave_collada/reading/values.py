"""Numbers, truth values and poses as COLLADA writes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.coercion import HUGE
from pyrave.scene import IDENTITY, Pose
from pyrave_collada.document.parsed import child, children
from pyrave_collada.reading.rigid import rigid_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene.pose import Vec3
    from pyrave_collada.document.references import Library

_TRANSFORMS = {"translate": 3, "rotate": 4, "matrix": 16}
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_NUMBERS = ("float", "int")
_DRIFT = 1e-6


class Values:
    """Reads values of elements; what cannot be read is reported.

    Parameters
    ----------
    library
        Documents of the load and what they refer to.
    warn
        Reports (element, code, message, hint).
    """

    def __init__(self, library: Library, warn: Callable[..., None]) -> None:
        self._library = library
        self._warn = warn
        self.set: dict[Any, Any] = {}
        """Elements that hold values set by instances, by parameter."""

    # -- plain texts ---------------------------------------------------------------

    def numbers(self, element: Any, count: int) -> tuple[float, ...] | None:
        """Return exactly `count` finite numbers of an element's text, or None."""
        words = (element.text or "").split()
        try:
            found = tuple(map(float, words))
        except ValueError:
            found = ()
        if len(found) == count and sum(map(abs, found)) <= HUGE:
            return found
        self._warn(
            element,
            "bad-number",
            f"<{element.tag}> holds {(element.text or '').strip()[:60]!r}, expected "
            f"{count} number{'s' * (count != 1)}; it is ignored",
        )
        return None

    def number(self, element: Any) -> float | None:
        """Return the one number of an element's text, or None."""
        found = self.numbers(element, 1)
        return None if found is None else found[0]

    def vector(self, element: Any) -> Vec3 | None:
        """Return the three numbers of an element's text, or None."""
        found = self.numbers(element, 3)
        return None if found is None else (found[0], found[1], found[2])

    def truth(self, element: Any) -> bool | None:
        """Return the truth value of ``true``, ``false``, ``1`` or ``0``, or None."""
        found = _TRUTHS.get((element.text or "").strip().lower())
        if found is None:
            self._warn(
                element,
                "bad-truth",
                f"<{element.tag}> holds {(element.text or '').strip()[:60]!r}, "
                "expected true or false; it is ignored",
            )
        return found

    # -- values that may be parameters -----------------------------------------------

    def resolved_number(self, element: Any, context: Any) -> float | None:
        """Return the number in an element, or that its parameter leads to.

        Parameters
        ----------
        element
            Holds ``<float>``, ``<int>`` or ``<param>``.
        context
            Where the parameter's name is looked for.
        """
        found: float | None = self._resolved(element, context, _NUMBERS, self.number)
        return found

    def resolved_truth(self, element: Any, context: Any) -> bool | None:
        """Return the truth value in an element, or that its parameter leads to."""
        found: bool | None = self._resolved(
            element, context, ("bool", "int"), self.truth
        )
        return found

    def _resolved(
        self,
        element: Any,
        context: Any,
        tags: tuple[str, ...],
        read: Callable[[Any], Any],
    ) -> Any:
        for inner in children(element, *tags):
            return read(inner)
        name = child(element, "param")
        if name is None:
            return read(element) if (element.text or "").strip() else None
        path = name.get("ref") or name.text or ""
        found = self._library.find(path, context)
        if found is None:
            self._warn(
                name,
                "unresolved-reference",
                f"the parameter {path.strip()!r} is not found; it is ignored",
            )
            return None
        for inner in children(self.set.get(found.element, found.element), *tags):
            return read(inner)
        return None

    def parameter(
        self, holder: Any, sid: str, tags: tuple[str, ...] = ("bool", "float", "int")
    ) -> Any:
        """Return the value element of a newparam or setparam of an element, or None."""
        for one in children(holder, "newparam", "setparam"):
            if (one.get("sid") or one.get("ref")) == sid:
                for inner in children(self.set.get(one, one), *tags):
                    return inner
                onward = child(one, "SIDREF")
                if onward is not None:
                    found = self._library.find(onward.text or "", holder)
                    if found is not None:
                        return next(children(found.element, *tags), None)
        return None

    # -- poses -----------------------------------------------------------------------

    def pose(self, element: Any, skipped: frozenset[Any] = frozenset()) -> Pose:
        """Return the product of the transforms that are children, in their order.

        Parameters
        ----------
        skipped
            Transforms that count as none: those that joints move.
        """
        total = IDENTITY
        for one in children(element):
            if one.tag in _TRANSFORMS and one not in skipped:
                step = self.transform(one)
                if step is not None:
                    total = total @ step
        return total

    def transform(self, element: Any) -> Pose | None:
        """Return the pose of one translate, rotate or matrix; None if it has none."""
        numbers = self.numbers(element, _TRANSFORMS[element.tag])
        if numbers is None:
            return None
        unit = self._library.document(element).unit(element)
        if element.tag == "translate":
            x, y, z = (unit * n for n in numbers)
            return Pose.from_translation(x, y, z)
        if element.tag == "rotate":
            *axis, angle_deg = numbers
            if math.hypot(*axis) == 0.0:
                return IDENTITY
            return Pose.from_axis_angle(axis, math.radians(angle_deg))
        return self._matrix(element, numbers, unit)

    def _matrix(self, element: Any, n: tuple[float, ...], unit: float) -> Pose:
        pose = Pose.from_matrix([n[0:4], n[4:8], n[8:12]])
        rigid = rigid_part(pose.matrix)
        off = max(
            abs(a - b) for a, b in zip(pose.rotation, rigid.rotation, strict=True)
        )
        if off > _DRIFT:
            self._warn(
                element,
                "bad-rotation",
                f"<matrix> is no rigid motion: it is off by {off:.2g}; the nearest "
                "rotation is taken",
                "scaling belongs to geometries, not to the frames of links",
            )
        x, y, z = (unit * t for t in pose.translation)
        return Pose(rigid.rotation, (x, y, z))
