"""Sliders of joints."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.kinematics.limits import LimitCheck
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave_viser.shared import Shared

_FREE = math.pi
# sliders show other values so often, seconds: nobody reads more of them
_PERIOD = 0.1
_STEPS = 2000
_NOBODY = "(none)"


class JointPanel:
    """Sliders for the degrees of freedom of one body, and values of what follows."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        gui = shared.server.gui
        self._folder = gui.add_folder("Joints")
        self._number = -1
        self._sliders: list[Any] = []
        self._followers: list[tuple[Any, Any]] = []
        self._stale = False
        self._read = 0.0
        # asked for nobody's
        self._is_empty = False
        with self._folder:
            self._choice = gui.add_dropdown("Body", (_NOBODY,))
            self._choice.on_update(weakly(self._chosen))
            self._home = gui.add_button("Rest values", icon="home")
            self._home.on_click(weakly(self._rest))

    @property
    def body(self) -> KinBody | None:
        """The body whose joints are shown."""
        return self._shared.body(self._number)

    def follow(self, other: bool, moved: set[int]) -> None:
        """Take over which bodies there are, and where their joints are."""
        if other:
            self._list()
        self._stale |= self._number in moved
        if self._stale and time.monotonic() - self._read > _PERIOD:
            self._refresh()

    def choose(self, number: int) -> None:
        """Show the joints of a body, or nobody's if it has none."""
        body = self._shared.body(number)
        if body is not None and not body.dof:
            body = None
        self._is_empty = body is None
        number = -1 if body is None else number
        if number == self._number:
            return
        self._number = number
        self._choice.value = _NOBODY if body is None else body.name
        self._make()

    def release(self) -> None:
        """Show anybody's, as nothing is selected any more."""
        if self._is_empty:
            self._is_empty = False
            self._list()

    def _list(self) -> None:
        jointed = [body for body in self._shared.bodies.known.values() if body.dof]
        jointed.sort(key=lambda body: (not body.is_robot, body.id))
        names = (*(body.name for body in jointed), _NOBODY)
        if names != tuple(self._choice.options):
            self._choice.options = names
        body = self.body
        if body is None and jointed and not self._is_empty:
            self._number = -1
            self.choose(jointed[0].id)
        elif body is None or len(self._sliders) != body.dof:
            self._make()

    def _make(self) -> None:
        for one in (*self._sliders, *(row for row, _ in self._followers)):
            one.remove()
        self._sliders, self._followers = [], []
        body = self.body
        self._home.disabled = body is None
        if body is None:
            return
        gui = self._shared.server.gui
        lower, upper = body.dof_limits
        values = self._shared.bodies.values[self._number]
        with self._folder:
            for index, name in enumerate(body.dof_names):
                least, most = _range(float(lower[index]), float(upper[index]))
                present = min(max(float(values[index]), least), most)
                slider = gui.add_slider(
                    name, least, most, (most - least) / _STEPS or 1e-6, present,
                    marks=((least, f"{least:.4g}"), (most, f"{most:.4g}")),
                )  # fmt: skip
                slider.on_update(weakly(self._slid, index))
                self._sliders.append(slider)
            for joint in body.all_joints:
                if joint.is_mimic:
                    row = gui.add_number(
                        f"{joint.name} (follows)", 0.0, disabled=True, step=1e-4
                    )
                    self._followers.append((row, joint))
        self._refresh()

    def _refresh(self) -> None:
        self._stale, self._read = False, time.monotonic()
        body = self.body
        values = self._shared.bodies.values.get(self._number)
        if body is None or values is None or len(values) != len(self._sliders):
            return
        for slider, value in zip(self._sliders, values.tolist(), strict=True):
            inside = min(max(value, slider.min), slider.max)
            if abs(slider.value - inside) > 0.5 * slider.step:
                slider.value = inside
        for row, joint in self._followers:
            value = round(float(np.sum(joint.values)), 4)
            if row.value != value:
                row.value = value

    def _chosen(self, event: Any) -> None:
        if event.client is not None:
            number = self._shared.labels().get(event.target.value, -1)
            self._shared.actions.ask("choose", lambda _: self.choose(number))

    def _slid(self, index: int, event: Any) -> None:
        if event.client is None:
            return
        number, value = self._number, float(event.target.value)

        def move(_: Any) -> None:
            body = self._shared.body(number)
            if body is None or index >= body.dof:
                return
            self._shared.actions.remember(("joint", number, index), body)
            body.set_dof_values([value], [index], LimitCheck.CLAMP)

        self._shared.actions.ask(("joint", number, index), move)

    def _rest(self, event: Any) -> None:
        number = self._number

        def move(_: Any) -> None:
            body = self._shared.body(number)
            if body is not None:
                self._shared.actions.remember(("rest", number), body)
                rest = body.model.rest_values[: body.dof]
                body.set_dof_values(rest, limits=LimitCheck.CLAMP)
                self._shared.actions.settle()

        self._shared.actions.ask(("rest", number), move)


def _range(lower: float, upper: float) -> tuple[float, float]:
    """Return the range of a slider; joints without limits turn once."""
    if not (math.isfinite(lower) and math.isfinite(upper)) or upper - lower > 1e3:
        return -_FREE, _FREE
    return (lower, upper) if upper > lower else (lower, lower + 1e-6)
