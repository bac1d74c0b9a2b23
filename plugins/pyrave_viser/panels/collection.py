"""All that people use besides the scene itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_viser.panels.clicks import Selection
from pyrave_viser.panels.controls import Controls
from pyrave_viser.panels.files import FileButtons
from pyrave_viser.panels.gizmos import GizmoPanel
from pyrave_viser.panels.joints import JointPanel
from pyrave_viser.panels.looks import LookPanel, ProblemPanel
from pyrave_viser.panels.measures import MeasurePanel
from pyrave_viser.panels.replay import ReplayPanel
from pyrave_viser.panels.sensors import SensorPanel
from pyrave_viser.panels.tree import TreePanel

if TYPE_CHECKING:
    from pyrave_viser.shared import Shared


class Panels:
    """The panels of an open viewer."""

    def __init__(self, shared: Shared) -> None:
        self.files = FileButtons(shared)
        self.controls = Controls(shared)
        self.selection = Selection(shared)
        self.joints = JointPanel(shared)
        self.gizmos = GizmoPanel(shared)
        self.tree = TreePanel(shared)
        self.measures = MeasurePanel(shared, self.selection.callbacks)
        self.replay = ReplayPanel(shared)
        self.sensors = SensorPanel(shared)
        self.looks = LookPanel(shared)
        self.problems = ProblemPanel(shared)
        self._selected = -1
        self._followed = 0

    def follow(self, other: bool, moved: set[int]) -> None:
        """Take over what changed.

        Parameters
        ----------
        other
            Whether bodies came, left or have other shapes.
        moved
            Ids of those that moved.
        """
        self.replay.follow(moved)
        self.selection.follow(moved)
        self._selected = self.selection.number
        if self.selection.count != self._followed:
            self._followed = self.selection.count
            if self._selected >= 0:
                self.joints.choose(self._selected)
            else:
                self.joints.release()
        self.joints.follow(other, moved)
        chosen = self.joints.body
        dragged = self._selected if self._selected >= 0 else -1
        if dragged < 0 and chosen is not None:
            dragged = chosen.id
        self.gizmos.follow(dragged, moved)
        self.tree.follow(other, dragged, self.selection.link)
        self.measures.follow(other, moved)
        self.sensors.follow()
        self.looks.follow(other, moved)
        self.problems.follow()
        self.controls.follow(other or bool(moved))
