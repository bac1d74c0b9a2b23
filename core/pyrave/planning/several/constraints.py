"""Constraints of robots that move together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.query.constraints import (
    PathConstraints,
    TaskSpaceRegion,
    ToolDirection,
)

if TYPE_CHECKING:
    from pyrave.planning.several.space import JoinedSpace
    from pyrave.spatial import Array


class SeveralConstraints(PathConstraints):
    """Constraints of each robot by itself, or functions of the values of all.

    Parameters
    ----------
    given
        By the index of the part that it is of, or functions of all values.
    start
        (n,) values of all, where the motion begins.
    """

    def __init__(
        self, space: JoinedSpace, given: Mapping[int, Any] | Any, start: Array
    ) -> None:
        of_parts = given if isinstance(given, Mapping) else {}
        super().__init__(space, None, () if of_parts else given, start)
        for one in self.all:
            if isinstance(one, (TaskSpaceRegion, ToolDirection)):
                raise ArgumentError(
                    f"{one.what} is a constraint of one tool; give a mapping of robots "
                    "or manipulators to their constraints"
                )
        self._parts = [
            (
                part.columns,
                PathConstraints(part.space, part.arm, of_parts[k], start[part.columns]),
            )
            for k, part in enumerate(space.parts)
            if k in of_parts
        ]

    def __bool__(self) -> bool:
        return super().__bool__() or any(own for _, own in self._parts)

    def are_met(self, values: Array, tolerances: float = 1.0) -> bool:
        """Return True if a configuration (n,) meets all within so many tolerances."""
        return super().are_met(values, tolerances) and all(
            self._asked(own, own.are_met, values[columns], tolerances)
            for columns, own in self._parts
        )

    def text(self, values: Array) -> str:
        """Return the constraints that a configuration violates, and the amounts."""
        texts = [super().text(values)] if self.all else []
        texts += [
            self._asked(own, own.text, values[columns]) for columns, own in self._parts
        ]
        return "; ".join(filter(None, texts))

    def projected(self, values: Array) -> Array | None:
        """Return a configuration near `values` (n,) that meets all, None without."""
        if not self._parts:
            return super().projected(values)
        found = np.array(values)
        for columns, own in self._parts:
            rows = self._asked(own, own.projected, values[columns])
            if rows is None:
                return None
            found[columns] = rows
        return found

    def _asked(self, own: PathConstraints, call: Any, *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except BaseException:
            self.error = own.error
            raise
