"""Views of a hand alone."""

from __future__ import annotations

from typing import Any

__all__ = ["GripperVisibility"]


class GripperVisibility:
    """Hides the links of a robot that do not belong to a hand, for a ``with`` block.

    Parameters
    ----------
    manip
        The manipulator whose hand stays visible.
    """

    def __init__(self, manip: Any) -> None:
        self.manip = manip
        self._hidden: list[Any] = []

    def __enter__(self) -> None:
        hand = self.manip.GetChildLinks()
        links = [link for link in self.manip.GetRobot().GetLinks() if link not in hand]
        shapes = [shape for link in links for shape in link.GetGeometries()]
        self._hidden = [shape for shape in shapes if shape.IsVisible()]
        for shape in self._hidden:
            shape.SetVisible(False)

    def __exit__(self, *exc_info: object) -> None:
        for shape in self._hidden:
            shape.SetVisible(True)
        self._hidden = []
