"""Handles at tools: drag one, and the arm follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import pose_from_wxyz_xyz
from pyrave_viser.panels.texts import plain
from pyrave_viser.shown.quaternions import quaternions_of
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave_viser.shared import Shared

_SIZE = 0.25
_RED = (220, 38, 33)
_BODY = "(body)"


@dataclass(eq=False)
class _Handle:
    """A handle of a manipulator, or of a whole body.

    Parameters
    ----------
    number, arm
        Id of the body, and name of the manipulator; ``(body)`` for the body itself.
    control
        What is dragged.
    mark, reason
        What says that the arm cannot follow.
    dragged
        Whether somebody drags it.
    """

    number: int
    arm: str
    control: Any
    mark: Any
    reason: Any
    dragged: bool = False


class GizmoPanel:
    """Switches of handles: of the arms of a robot, and of bodies as a whole."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        gui = shared.server.gui
        self._folder = gui.add_folder("Drag", expand_by_default=True)
        with self._folder:
            self._reason = gui.add_markdown("", visible=False)
        self._handles: dict[tuple[int, str], _Handle] = {}
        self._rows: dict[str, Any] = {}
        self._number = -1
        self._arms: tuple[str, ...] = ()

    def follow(self, number: int, moved: set[int]) -> None:
        """Offer the handles of a body, and let handles go with what they are at."""
        body = self._shared.body(number)
        arms = _offered(body)
        if number != self._number or arms != self._arms:
            self._number, self._arms = number, arms
            self._offer()
        for key, handle in list(self._handles.items()):
            if self._shared.body(handle.number) is None:
                self._drop(key)
            elif handle.number in moved and not handle.dragged:
                self._put_back(handle)

    def toggle(self, number: int, arm: str, on: bool) -> None:
        """Show a handle, or take it away."""
        key = number, arm
        if not on:
            self._drop(key)
        elif key not in self._handles and arm in _offered(self._shared.body(number)):
            self._handles[key] = self._make(number, arm)
            self._put_back(self._handles[key])

    def drag(self, number: int, arm: str, target: Any) -> None:
        """Let an arm or a body follow its handle to T_world_tool (4, 4)."""
        body = self._shared.body(number)
        handle = self._handles.get((number, arm))
        if body is None or handle is None:
            return
        self._shared.actions.remember(("drag", number, arm), body)
        if arm == _BODY:
            body.transform = target
            return
        manipulator = body.manipulators[arm]  # type: ignore[attr-defined]
        values, why = _solved(manipulator, target)
        if values is not None:
            body.set_dof_values(values, manipulator.arm_indices, LimitCheck.CLAMP)
        self._say(handle, why)
        self._tell(manipulator.name, why)

    def let_go(self, number: int, arm: str) -> None:
        """End a drag: a handle that the arm could not follow goes back to the tool."""
        self._shared.actions.settle()
        handle = self._handles.get((number, arm))
        if handle is not None:
            self._put_back(handle)

    def _offer(self) -> None:
        for row in self._rows.values():
            row.remove()
        self._rows = {}
        gui = self._shared.server.gui
        with self._folder:
            for arm in self._arms:
                on = (self._number, arm) in self._handles
                label = "Whole body" if arm == _BODY else f"Tool of {arm}"
                row = gui.add_checkbox(label, on)
                row.on_update(weakly(self._switched, self._number, arm))
                self._rows[arm] = row

    def _switched(self, number: int, arm: str, event: Any) -> None:
        if event.client is not None:
            on = bool(event.target.value)
            self._shared.actions.ask(
                ("gizmo", number, arm), lambda _: self.toggle(number, arm, on)
            )

    def _make(self, number: int, arm: str) -> _Handle:
        scene = self._shared.server.scene
        name = f"/gizmos/{number}/{_offered(self._shared.body(number)).index(arm)}"
        control = scene.add_transform_controls(name, scale=_SIZE, depth_test=False)
        mark = scene.add_icosphere(
            f"{name}/no", 0.15 * _SIZE, _RED, visible=False, cast_shadow=False
        )
        reason = scene.add_label(f"{name}/why", "", visible=False, depth_test=False)
        control.on_update(weakly(self._dragged, number, arm))
        return _Handle(number, arm, control, mark, reason)

    def _dragged(self, number: int, arm: str, event: Any) -> None:
        if event.client is None:
            return
        handle = self._handles.get((number, arm))
        if handle is None:
            return
        control = event.target
        handle.dragged = event.phase != "end"
        target = pose_from_wxyz_xyz((*control.wxyz, *control.position))
        actions = self._shared.actions
        actions.ask(("drag", number, arm), lambda _: self.drag(number, arm, target))
        if event.phase == "end":
            actions.ask(("settle", number, arm), lambda _: self.let_go(number, arm))

    def _drop(self, key: tuple[int, str]) -> None:
        handle = self._handles.pop(key, None)
        if handle is not None:
            handle.control.remove()

    def _put_back(self, handle: _Handle) -> None:
        """Put a handle to where its tool is."""
        body = self._shared.body(handle.number)
        if body is None:
            return
        poses = self._shared.bodies.poses[handle.number]
        pose = poses[0]
        if handle.arm != _BODY:
            if handle.arm not in _arms(body):
                return
            arm = body.manipulators[handle.arm]  # type: ignore[attr-defined]
            pose = poses[arm.end_effector.index] @ arm.local_tool_transform
        handle.control.position = pose[:3, 3]
        handle.control.wxyz = quaternions_of(pose[None, :3, :3])[0]
        self._say(handle, "")

    def _say(self, handle: _Handle, why: str) -> None:
        handle.mark.visible = handle.reason.visible = bool(why)
        if why:
            handle.reason.text = why

    def _tell(self, arm: str, why: str) -> None:
        """Say in the panel why the arm stays behind; the handle may be out of sight."""
        self._reason.visible = bool(why)
        if why:
            self._reason.content = f"**{plain(arm)} cannot go there:** {plain(why)}"


def _offered(body: Any) -> tuple[str, ...]:
    return () if body is None else (*_arms(body), _BODY)


def _arms(body: Any) -> tuple[str, ...]:
    return tuple(body.manipulators.names) if body.is_robot else ()


def _solved(arm: Manipulator, target: Any) -> tuple[Any, str]:
    """Return the values nearest to the present ones, or None and why not."""
    try:
        values = arm.solve_ik(target, all=False)
        if values is not None:
            return np.asarray(values), ""
        found = arm.find_ik(target)
    except Error as error:
        return None, str(error).splitlines()[0]
    return None, "; ".join(found.reasons[:2]) or "no solution"
