"""Errors about elements, for callers who know what is left out then."""

from __future__ import annotations

from typing import Any


class ElementError(Exception):
    """An element makes no sense. It is caught where the load's problems are at hand.

    Parameters
    ----------
    element
        Where it is wrong.
    """

    def __init__(self, message: str, element: Any) -> None:
        super().__init__(message)
        self.element = element
