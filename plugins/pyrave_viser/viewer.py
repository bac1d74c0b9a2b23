"""The viewer ``viser``: an environment in the browser."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, StateError, did_you_mean
from pyrave.geometry import Camera, Lens
from pyrave.interfaces import ViewerBase
from pyrave.interfaces.viewer import PANEL
from pyrave.pictures import Drawing, DrawnLayer, draw
from pyrave.spatial import as_number, as_pose, as_vector
from pyrave_viser.replay_page import page_of
from pyrave_viser.server.notebook import frame
from pyrave_viser.server.viewer_server import open_browser
from pyrave_viser.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies import KinBody
    from pyrave.interfaces import Control, Handle
    from pyrave.interfaces.recorded_motion import Recording
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase
    from pyrave_viser.panels.clicks import Click

_log = logging.getLogger("pyrave.viewer")

_PLOTS = {
    "points": "points", "plot3": "points", "cloud": "points",
    "linestrip": "line_strip", "line_strip": "line_strip",
    "linelist": "lines", "lines": "lines",
}  # fmt: skip


class ViserViewer(ViewerBase):
    """Shows an environment in browsers, at an address of this computer.

    It follows what scripts do in a thread of its own, without the environment's lock;
    it takes the lock for what people do in the browser, and a script that moves bodies
    while people may do that, too, holds it (``with env:``). It never steps the
    environment. An environment that is no longer used ends its viewer.
    """

    contract = 2

    def __init__(self, env: Any, *args: str) -> None:
        super().__init__(env, *args)
        # with what viewers need besides the interface's: drawings, registry, viewers
        self._shown: Any = env
        self._session: Session | None = None
        self._quit = threading.Event()
        # given before it is open
        self._wanted: dict[str, Callable[[], None]] = {}

    # -- open and closed -----------------------------------------------------------

    @property
    def address(self) -> str:
        """The address for browsers; empty while it is closed."""
        return "" if self._session is None else self._session.address

    @property
    def session(self) -> Session:
        """The session while it is open; StateError otherwise."""
        if self._session is None:
            raise StateError(f"{self!r} is closed; env.show() opens a viewer")
        return self._session

    def open(
        self,
        *,
        host: str = "localhost",
        port: int | None = None,
        browser: bool | None = None,
    ) -> None:
        """Listen at an address and tell it; see `Environment.show`."""
        if self._session is not None:
            raise StateError(f"{self!r} is open already, at {self.address}")
        self._quit.clear()
        self._session = Session(self.env, host, port)
        for set_it in self._wanted.values():
            set_it()
        _log.info("the environment is shown at %s", self.address)
        self._shown.registry.call_hook("pyrave_viewer_opened", viewer=self)
        if browser or (browser is None and _has_display()):
            open_browser(self.address)

    def close(self) -> None:
        """Stop listening; `main` ends. A closed viewer may be opened again."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
            if any(one is self for one in self._shown.viewers):
                self._shown.remove(self)
        self._quit.set()

    def main(self, show: bool = True) -> int:
        """Wait until the viewer is closed or interrupted; opens it if need be.

        Parameters
        ----------
        show
            Whether a browser may be opened.
        """
        if self._session is None:
            self.open(browser=None if show else False)
        try:
            while not self._quit.wait(0.2):
                pass
        except KeyboardInterrupt:
            _log.info("interrupted")
        self.close()
        return 0

    def quit_main_loop(self) -> None:
        """Close it from any thread, as `close` does; `main` ends."""
        self.close()

    def environment_sync(self) -> None:
        """Have its thread show how the environment is now, soon; waits for nothing."""
        if self._session is not None:
            self._session.wake()

    def body_removed(self, body: KinBody) -> None:
        """Stop showing a body, soon."""
        self.environment_sync()

    # -- camera --------------------------------------------------------------------

    def set_camera(self, pose: ArrayLike, focal_distance: float = 0.0) -> None:
        """Let all browsers look from (4, 4) T_world_camera, along its +z.

        Parameters
        ----------
        focal_distance
            How far off what they turn about is, metres; 1 if it is 0.
        """
        placed = as_pose(pose, "pose").copy()
        reach = as_number(focal_distance, "focal_distance", 0.0) or 1.0
        self._have("camera", lambda session: session.look_from(placed, reach))

    def get_camera_image(
        self, width: int, height: int, pose: ArrayLike, intrinsics: ArrayLike
    ) -> NDArray[np.uint8]:
        """Return an (height, width, 3) image; intrinsics are fx fy cx cy, pixels.

        It has what scripts drew, and needs no browser.
        """
        fx, fy, cx, cy = as_vector(intrinsics, 4, "intrinsics").tolist()
        camera = Camera(as_pose(pose, "pose"), width, height, Lens(fx, fy, cx, cy))
        with self.env.lock():
            drawn = self.env.draw.entries().values()
            layers = [DrawnLayer(one.item) for one in drawn if one.visible]
            return draw(self.env.visual_scene, camera, layers)

    def set_background_color(self, rgb: ArrayLike) -> None:
        """Set the background, (3,) 0..1."""
        color = np.clip(as_vector(rgb, 3, "rgb"), 0.0, 1.0)
        red, green, blue = (int(one) for one in np.rint(255.0 * color))
        self._have(
            "background",
            lambda session: session.stage.paint_background((red, green, blue)),
        )

    def _have(self, what: str, change: Callable[[Session], None]) -> None:
        """Apply a change now, and whenever the viewer is opened again."""

        def act() -> None:
            if self._session is not None:
                change(self._session)

        self._wanted[what] = act
        act()

    # -- drawing -------------------------------------------------------------------

    def plot(self, kind: str, points: ArrayLike, **style: Any) -> Drawing:
        """Draw ``points``, ``linestrip`` or ``linelist``, as ``env.draw`` does."""
        if kind not in _PLOTS:
            known = ", ".join(_PLOTS)
            hint = did_you_mean(str(kind), list(_PLOTS))
            raise ArgumentError(f"kind is {kind!r}, expected one of {known}{hint}")
        made = getattr(self._shown.draw, _PLOTS[kind])(points, **style)
        assert isinstance(made, Drawing)  # noqa: S101 - for the type checker
        return made

    def recorded(self, recording: Recording) -> bytes:
        """Return a page that replays a motion; it needs nothing but a browser."""
        return page_of(recording, self._shown.draw)

    def play(
        self,
        motion: TrajectoryBase | Motion | Recording | ViewerBase,
        *,
        speed: float = 1.0,
        loop: bool = False,
    ) -> Handle:
        """Play a motion in browsers, while the environment stays as it is.

        It begins at once, or when the first browser is there; people stop it, move
        along its time line, change the speed, and go back to the live scene. It stays
        in their list until the handle is closed.
        """
        return self.session.panels.replay.play(motion, speed, loop)

    # -- small applications --------------------------------------------------------

    def on_click(self, callback: Callable[[Click], object]) -> Handle:
        """Call back with a `Click` when somebody clicks at something, until closed."""
        return self.session.panels.selection.callbacks.add(callback)

    def on_key(self, key: str, callback: Callable[[], object]) -> Handle:
        """Call back when somebody presses a letter or digit, until closed."""
        return self.session.panels.controls.key(key, callback)

    def on_change(self, callback: Callable[[Any], object]) -> Handle:
        """Call back with the environment after bodies came, left or moved."""
        return self.session.panels.controls.changes.add(callback)

    def add_button(
        self, label: str, callback: Callable[[], object], *, panel: str = PANEL
    ) -> Handle:
        """Offer a button until closed."""
        return self.session.panels.controls.button(label, callback, panel)

    def add_slider(
        self,
        label: str,
        callback: Callable[[float], object],
        *,
        lower: float = 0.0,
        upper: float = 1.0,
        value: float | None = None,
        panel: str = PANEL,
    ) -> Control:
        """Offer a slider until closed; the callback gets each new value."""
        controls = self.session.panels.controls
        return controls.slider(label, callback, lower, upper, value, panel)

    def add_checkbox(
        self,
        label: str,
        callback: Callable[[bool], object],
        *,
        value: bool = False,
        panel: str = PANEL,
    ) -> Control:
        """Offer a switch until closed; the callback gets whether it is on."""
        return self.session.panels.controls.checkbox(label, callback, value, panel)

    def add_choice(
        self,
        label: str,
        callback: Callable[[str], object],
        choices: Sequence[str],
        *,
        value: str | None = None,
        panel: str = PANEL,
    ) -> Control:
        """Offer a list of texts until closed; the callback gets the one chosen."""
        controls = self.session.panels.controls
        return controls.choice(label, callback, choices, value, panel)

    def add_text(self, text: str, *, panel: str = PANEL) -> Control:
        """Show a text in Markdown until closed; its value is the text."""
        return self.session.panels.controls.text(text, panel)

    def _repr_html_(self) -> str:
        return frame(self.address, self.frame_height)


def _has_display() -> bool:
    """Return True if a browser can be seen, and no notebook shows the viewer."""
    if "ipykernel" in sys.modules:
        return False
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
