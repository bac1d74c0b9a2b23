"""Options of a collision checker that come back at the end of a block."""

from __future__ import annotations

from typing import Any, Self

from pyrave_openravepy.api.enums import CollisionOptions, ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["CollisionOptionsStateSaver"]


class CollisionOptionsStateSaver(Guarded):
    """Sets options of a collision checker for a ``with`` block.

    Parameters
    ----------
    checker
        The checker.
    options
        `CollisionOptions`; None: as they are.
    required
        Raise if the checker cannot do them.
    """

    def __init__(
        self, checker: Any, options: int | None = None, required: bool = True
    ) -> None:
        self.checker = checker
        self.newoptions = options
        self.required = required
        self.oldoptions: int | None = None

    def __enter__(self) -> Self:
        self.oldoptions = self.checker.GetCollisionOptions()
        if self.newoptions is not None:
            done = self.checker.SetCollisionOptions(self.newoptions)
            if not done and self.required:
                wanted = CollisionOptions(int(self.newoptions))
                raise openrave_exception(
                    f"{self.checker.GetXMLId()} cannot do the options {wanted!s}; "
                    "use another collision checker, or required=False",
                    ErrorCode.InvalidArguments,
                )
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self.oldoptions is not None:
            self.checker.SetCollisionOptions(self.oldoptions)
            self.oldoptions = None
