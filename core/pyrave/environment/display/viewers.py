"""Viewers and drawings of an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave import interfaces
from pyrave.argument_names import methods_suggest
from pyrave.interfaces.settings.parts import as_part
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.environment.display.recorder import Recorder
    from pyrave.environment.internals import Internals
    from pyrave.geometry import Camera
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase
    from pyrave.interfaces.viewer import ViewerBase
    from pyrave.pictures import Drawings


@methods_suggest
class Viewing:
    """Viewers of an environment, and drawings in it."""

    internals: Internals

    @property
    def draw(self) -> Drawings:
        """Drawings of scripts: ``mark = env.draw.points(...)``; see `Drawings`.

        Viewers and pictures show it, those that come later, too.
        """
        drawings = self.internals.drawings
        if drawings is None:
            from pyrave.pictures import Drawings

            env: Any = self
            drawings = self.internals.drawings = Drawings(env)
        return drawings

    @property
    def viewers(self) -> tuple[ViewerBase, ...]:
        """Viewers that were added; each step and `publish` has them show the state."""
        return self.internals.contents.viewers

    def viewpoint(self) -> Camera:
        """Return the camera that pictures are taken with where nobody says which.

        That of the scene, or one from where most can be seen.
        """
        from pyrave.environment.display.pictures import camera_of
        from pyrave.pictures import Viewpoint

        env: Any = self
        with self.internals.lock.hold():
            return camera_of(env, Viewpoint())

    def show(
        self,
        viewer: str | ViewerBase | None = None,
        *,
        host: str = "localhost",
        port: int | None = None,
        browser: bool | None = None,
        height: int | None = None,
        block: bool = False,
        **settings: Any,
    ) -> ViewerBase:
        """Show the environment in a viewer; one that shows it already goes on.

        Scripts go on as well. The viewer follows what they do, and it never waits for
        them nor lets them wait. Notebooks show the result in a frame below the cell.

        Parameters
        ----------
        viewer
            An object or an id; None: that of the extra ``viewer``, in the browser.
        host
            Where it listens: others than this computer reach it only if told so.
        port
            Where it listens; None: 8080, or the next one that is free.
        browser
            Whether a browser is opened; None: if there is a display, and no notebook.
        height
            Of the frame in which notebooks show the result, pixels; None: as it is.
        block
            Wait until it is closed, as scripts need that end otherwise.
        **settings
            Of the viewer of an id; one that shows the environment changes to them.

        Raises
        ------
        InterfaceNotFoundError
            The viewer is not installed: ``pip install 'pyrave[viewer]'``.
        StateError
            The port is taken, or this is no host of the computer.
        ArgumentError
            The id is that of something else, or the height is none.
        """
        env: Any = self
        frame_height = None if height is None else int(as_number(height, "height", 1))
        viewer = viewer or env.registry.default_id("viewer")
        found = self._shown_by(viewer, port)
        if found is None or not isinstance(viewer, str):
            found = as_part(env, interfaces.ViewerBase, viewer, settings, what="viewer")
        if not found.address or port is not None:
            found.open(host=host, port=port, browser=browser)
            env.add(found)
        elif settings:
            found.change_settings(**settings)
        if frame_height is not None:
            found.frame_height = frame_height
        if block:
            found.main()
        return found

    def _shown_by(
        self, viewer: str | ViewerBase, port: int | None
    ) -> ViewerBase | None:
        """Return the open viewer of an id, or the one that is given; None: open one."""
        env: Any = self
        if not isinstance(viewer, str):
            given = as_part(env, interfaces.ViewerBase, viewer, what="viewer")
            return given if given.address and port is None else None
        if port is not None:
            return None
        wanted = env.registry.alias_target("viewer", viewer) or viewer
        for one in self.viewers:
            if one.interface_id.lower() == wanted.lower() and one.address:
                return one
        return None

    def record(
        self,
        path: str | PathLike[str] | None = None,
        trajectory: TrajectoryBase | Motion | None = None,
        *,
        rate: float = 30.0,
        speed: float = 1.0,
        eye: ArrayLike | None = None,
        target: ArrayLike | KinBody | Link | str | None = None,
        size: tuple[int, int] | None = None,
        zoom: float = 1.0,
        viewer: ViewerBase | str | None = None,
        real_time: bool = False,
        codec: str | None = None,
        watermark: ArrayLike | None = None,
    ) -> Recorder:
        """Record a motion: as a video, as a page that replays it, or for a viewer.

        With a trajectory all is recorded at once, without moving the bodies. Otherwise
        what happens in steps is recorded until the result is closed:
        ``with env.record("motion.mp4"): ...``. As long as no simulated time passes,
        each `publish` after which something has moved is a picture.

        Parameters
        ----------
        path
            A file in ``.html``, a page that needs neither Python nor network; or in
            ``.mp4``, ``.mkv``, ``.webm``, ``.avi``, ``.mov``, ``.mpg`` or ``.gif``,
            which need the program ffmpeg.
            None: no file, for `ViewerBase.play`.
        trajectory
            What is shown: of a plan or a joint path its trajectory.
        rate
            Pictures a second; of pages it is the most.
        speed
            Above 1 is faster.
        eye, target, zoom
            Where it is seen from, as in `Environment.picture`.
        size
            Of a video, as in `Environment.picture`.
        viewer
            The viewer that writes the page: an object or an id; None: as `show`.
        real_time
            Times of pictures are those of a clock on the wall, not simulated ones.
        codec
            Encoder of a video, as ffmpeg calls it; None: as suits the file.
        watermark
            (h, w, 4) uint8 red green blue opacity, in the upper left corner of videos.

        Raises
        ------
        ArgumentError
            A name with another ending, a file that cannot be written, something else
            than a trajectory.
        ResourceError
            There is no folder for the file.
        NotSupportedError
            ffmpeg or the viewer is missing: the extras ``video`` and ``viewer``.
        StateError
            ffmpeg could not write the video.
        """
        from pyrave.environment.display.recordings import VideoSettings, record
        from pyrave.pictures import Viewpoint

        env: Any = self
        with self.internals.lock.hold():
            viewpoint = Viewpoint(eye, target, size, zoom)
            video = VideoSettings.given(real_time, codec, watermark)
            return record(env, path, trajectory, rate, speed, viewpoint, viewer, video)
