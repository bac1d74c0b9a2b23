"""Base of viewers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from pyrave.attributes import answers_other_names
from pyrave.errors import NotSupportedError
from pyrave.interfaces.engine import WorldEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces.handles import Control, Handle
    from pyrave.interfaces.recorded_motion import Recording
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase

PANEL = "Application"
"""Title of the panel for controls of scripts."""


@answers_other_names
class ViewerBase(WorldEngine):
    """Shows an environment.

    ``env.add(viewer)`` has the environment call `environment_sync` after each step and
    each ``env.publish()``, `update` before it if something changed, and `body_removed`;
    ``env.remove(viewer)`` calls `quit_main_loop`. Whoever shows it calls `main`.
    Clones and pickles have no viewers.
    """

    interface_type: ClassVar[str] = "viewer"
    contract: ClassVar[int] = 2
    frame_height: int = 520
    """Height of the frame in notebooks, pixels."""

    def __repr__(self) -> str:
        shown = super().__repr__()
        return f"{shown[:-1]} at {self.address}>" if self.address else shown

    @abstractmethod
    def main(self, show: bool = True) -> int:
        """Run until closed; 0 when all went well.

        Parameters
        ----------
        show
            False: run without a window.
        """

    @abstractmethod
    def quit_main_loop(self) -> None:
        """End `main` from any thread."""

    @property
    def address(self) -> str:
        """Address of the view, for example of a web page; empty while it is closed."""
        return ""

    def open(
        self,
        *,
        host: str = "localhost",
        port: int | None = None,
        browser: bool | None = None,
    ) -> None:
        """Begin to show the environment, as `Environment.show` asks for it.

        The parameters are those of `Environment.show`; viewers without an address need
        none of them.
        """

    def close(self) -> None:
        """Stop showing the environment; `main` ends."""
        self.quit_main_loop()

    def environment_sync(self) -> None:
        """Show the present state of the environment.

        The thread that steps calls it, with the environment locked.
        """

    def body_removed(self, body: KinBody) -> None:
        """Stop showing a body; called when it leaves the environment."""

    def set_camera(self, pose: ArrayLike, focal_distance: float = 0.0) -> None:
        """Place the camera: (4, 4) T_world_camera, looking along its +z.

        Parameters
        ----------
        focal_distance
            From the camera to what it turns about, metres; 0: as it is.
        """
        raise NotSupportedError(f"{self!r} has no camera")

    def get_camera_image(
        self, width: int, height: int, pose: ArrayLike, intrinsics: ArrayLike
    ) -> NDArray[np.uint8]:
        """Return an (height, width, 3) image; intrinsics are fx fy cx cy, pixels."""
        raise NotSupportedError(f"{self!r} renders no images")

    def set_size(self, width: int, height: int) -> None:
        """Set the window size, pixels."""
        raise NotSupportedError(f"{self!r} has no size")

    def set_background_color(self, rgb: ArrayLike) -> None:
        """Set the background, (3,) 0..1.

        Parameters
        ----------
        rgb
            (3,) red, green, blue.
        """
        raise NotSupportedError(f"{self!r} has no background")

    def plot(self, kind: str, points: ArrayLike, **style: Any) -> Any:
        """Draw a graphic; it disappears when the returned handle is dropped.

        Parameters
        ----------
        kind
            What `env.draw` asks for: points, lines, mesh, text ...
        points
            (n, 3) world points, metres.
        **style
            Colours, sizes and texts.
        """
        raise NotSupportedError(f"{self!r} draws no {kind}")

    def recorded(self, recording: Recording) -> bytes:
        """Return a file that replays a motion, for `Environment.record`.

        Parameters
        ----------
        recording
            The motion, frame by frame.
        """
        raise NotSupportedError(f"{self!r} writes no recordings")

    def play(
        self,
        motion: TrajectoryBase | Motion | Recording | ViewerBase,
        *,
        speed: float = 1.0,
        loop: bool = False,
    ) -> Handle:
        """Show a motion, without moving the environment, until the handle is closed.

        Parameters
        ----------
        motion
            A trajectory, a plan, a joint path, or what `Environment.record` returned.
        speed
            Above 1 is faster.
        loop
            Whether it begins again when it has ended.
        """
        raise NotSupportedError(f"{self!r} plays no motions")

    # -- small applications --------------------------------------------------------

    def on_click(self, callback: Callable[[Any], object]) -> Handle:
        """Call back when somebody clicks at something, until closed."""
        raise NotSupportedError(f"{self!r} tells of no clicks")

    def on_key(self, key: str, callback: Callable[[], object]) -> Handle:
        """Call back when somebody presses a key, until closed.

        Parameters
        ----------
        callback
            Called without arguments.
        """
        raise NotSupportedError(f"{self!r} tells of no keys")

    def on_change(self, callback: Callable[[Any], object]) -> Handle:
        """Call back with the environment after bodies came, left or moved.

        So people see what a panel computes of the scene, while they drag, too: several
        times a second at most, with the environment's lock, until closed.
        """
        raise NotSupportedError(f"{self!r} tells of no changes")

    def add_button(
        self, label: str, callback: Callable[[], object], *, panel: str = PANEL
    ) -> Handle:
        """Offer a button until closed.

        Parameters
        ----------
        panel
            Title of the panel that it is in, also of the other controls; there is a
            panel as long as something is in it.
        callback
            Called when it is pressed.
        """
        raise NotSupportedError(f"{self!r} has no buttons")

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
        """Offer a slider until closed; the callback gets each new value.

        Parameters
        ----------
        lower
            Least value.
        upper
            Greatest value.
        """
        raise NotSupportedError(f"{self!r} has no sliders")

    def add_checkbox(
        self,
        label: str,
        callback: Callable[[bool], object],
        *,
        value: bool = False,
        panel: str = PANEL,
    ) -> Control:
        """Offer a switch until closed; the callback gets whether it is on.

        Parameters
        ----------
        value
            Whether it is on at first.
        """
        raise NotSupportedError(f"{self!r} has no switches")

    def add_choice(
        self,
        label: str,
        callback: Callable[[str], object],
        choices: Sequence[str],
        *,
        value: str | None = None,
        panel: str = PANEL,
    ) -> Control:
        """Offer a list of texts until closed; the callback gets the one that is chosen.

        Parameters
        ----------
        value
            The first choice; None: that of the list.
        choices
            What can be chosen.
        """
        raise NotSupportedError(f"{self!r} has no lists")

    def add_text(self, text: str, *, panel: str = PANEL) -> Control:
        """Show a text in Markdown until closed; its value is the text."""
        raise NotSupportedError(f"{self!r} has no panel for texts")
