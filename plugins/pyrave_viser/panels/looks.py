"""Panel of views: shapes, frames, masses, problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_viser.panels.contacts import ContactMarks
from pyrave_viser.panels.texts import problem_list
from pyrave_viser.shown.quaternions import quaternions_of
from pyrave_viser.shown.solids import Shapes
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.spatial import Array
    from pyrave_viser.shared import Shared

_COM = (250, 210, 40)


class LookPanel:
    """Switches of what is shown."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        gui = shared.server.gui
        self._marks: dict[str, Any] = {}
        self._folder = gui.add_folder("View", expand_by_default=False)
        with self._folder:
            self._shapes = gui.add_dropdown("Shapes", [one.value for one in Shapes])
            self._shapes.on_update(weakly(self._shape))
            self._switch("Dark", False, self._dark)
            self._switch("Grid", True, self._grid)
            self._axes = self._switch("World axes", False, self._world)
            self._frames = self._switch("Link frames", False, self._again)
            self._masses = self._switch("Centres of mass", False, self._again)
            self._contacts = ContactMarks(shared)

    def follow(self, other: bool, moved: set[int]) -> None:
        """Move the marks with their bodies."""
        self._contacts.follow(other or bool(moved))
        if not (other or moved):
            return
        self._mark("frames", self._frames.value, self._draw_frames)
        self._mark("masses", self._masses.value, self._draw_masses)

    def _switch(self, label: str, on: bool, act: Callable[[Any], None]) -> Any:
        box = self._shared.server.gui.add_checkbox(label, on)
        box.on_update(weakly(act))
        return box

    def _dark(self, event: Any) -> None:
        self._shared.stage.dark = event.target.value

    def _grid(self, event: Any) -> None:
        self._shared.stage.grid = event.target.value

    def _world(self, event: Any) -> None:
        self._shared.server.scene.world_axes.visible = event.target.value

    def _shape(self, event: Any) -> None:
        shapes = Shapes(event.target.value)

        def change(_: Any) -> None:
            self._shared.bodies.shapes = shapes

        self._shared.actions.ask("shapes", change)

    def _again(self, event: Any) -> None:
        def draw(_: Any) -> None:
            self._mark("frames", self._frames.value, self._draw_frames)
            self._mark("masses", self._masses.value, self._draw_masses)

        self._shared.actions.ask("marks", draw)

    def _mark(self, name: str, on: bool, draw: Callable[[], Any]) -> None:
        before = self._marks.pop(name, None)
        if on:
            made = draw()
            if made is not None:
                self._marks[name] = made
                return
        if before is not None:
            before.remove()

    def _draw_frames(self) -> Any:
        poses = np.concatenate(
            [np.zeros((0, 4, 4)), *self._shared.bodies.poses.values()]
        )
        if not len(poses):
            return None
        return self._shared.server.scene.add_batched_axes(
            "/marks/frames", quaternions_of(poses[:, :3, :3]), poses[:, :3, 3],
            axes_length=0.08, axes_radius=0.003,
        )  # fmt: skip

    def _draw_masses(self) -> Any:
        centres: list[Array] = []
        for number, body in self._shared.bodies.known.items():
            weights = np.array([link.mass for link in body.links])
            if weights.sum() > 0.0:
                poses = self._shared.bodies.poses[number]
                local = np.array([(*link.local_com, 1.0) for link in body.links])
                world = np.einsum("nij,nj->ni", poses, local)[:, :3]
                centres.append(weights @ world / weights.sum())
        if not centres:
            return None
        return self._shared.server.scene.add_point_cloud(
            "/marks/masses", np.array(centres), _COM, point_size=0.03,
            point_shape="circle", precision="float32",
        )  # fmt: skip


class ProblemPanel:
    """Problems of the files of the scene and of plugins."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        gui = shared.server.gui
        self._seen = -1
        self._folder = gui.add_folder(
            "Problems", expand_by_default=False, visible=False
        )
        with self._folder:
            self._text = gui.add_html("")

    def follow(self) -> None:
        """Take over the problems there are."""
        problems = self._shared.env.problems
        if len(problems) == self._seen:
            return
        self._seen = len(problems)
        self._folder.visible = bool(problems)
        self._folder.label = f"Problems ({len(problems)})"
        self._text.content = problem_list(problems)
