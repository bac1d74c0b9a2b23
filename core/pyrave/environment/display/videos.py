"""Videos of an environment, encoded by the program ffmpeg."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from typing import IO, TYPE_CHECKING

from pyrave.environment.display.pictures import camera_of, drawn, file_target
from pyrave.environment.display.recorder import Recorder
from pyrave.errors import NotSupportedError, StateError
from pyrave.files import replaced_file
from pyrave.pictures import DEFAULT_SIZE, DrawnLayer, Viewpoint

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from pyrave.environment.environment import Environment
    from pyrave.pictures import Layer, Watermark

ENDINGS = (".mp4", ".mkv", ".webm", ".avi", ".mov", ".mpg", ".mpeg", ".gif")


def video_target(path: str | PathLike[str], name: str = "path") -> Path:
    """Return the target of a video, after checking that it can be made.

    Parameters
    ----------
    name
        Of the argument, for messages.

    Raises
    ------
    ArgumentError
        The name has another ending.
    ResourceError
        There is no such folder.
    NotSupportedError
        There is no program that encodes.
    """
    target = file_target(path, ENDINGS, name)
    encoder()
    return target


def encoder() -> str:
    """Return the program that encodes; NotSupportedError if there is none."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise NotSupportedError(
            "a video needs the program ffmpeg, which is not installed; "
            "pip install 'pyrave[video]' brings one"
        ) from error


class VideoRecorder(Recorder):
    """Recorder of pictures at a frame rate, which are encoded as a video.

    Parameters
    ----------
    viewpoint
        Where pictures are taken from; what it leaves open is chosen now. Odd widths and
        heights become even, but of ``.gif``.
    shown
        The environment whose drawings are seen; None: `env`.
    real_time
        Times are those of a clock on the wall.
    codec
        What ffmpeg's encoder is called, None: as suits the file.
    watermark
        Is over all pictures.
    """

    contract = 2

    def __init__(
        self,
        env: Environment,
        path: Path,
        viewpoint: Viewpoint,
        *,
        rate: float,
        speed: float = 1.0,
        shown: Environment | None = None,
        real_time: bool = False,
        codec: str | None = None,
        watermark: Watermark | None = None,
    ) -> None:
        super().__init__(env, path, rate, speed, real_time=real_time)
        self._codec = () if codec is None else ("-c:v", codec)
        self._watermark = () if watermark is None else (watermark,)
        self._file = path
        self._is_gif = path.suffix.lower() == ".gif"
        if not self._is_gif:
            # videos keep colours of squares of four pixels
            width, height = viewpoint.size or DEFAULT_SIZE
            even = (width + width % 2, height + height % 2)
            viewpoint = replace(viewpoint, size=even)
        self._program = encoder()
        self._origin = shown or env
        self._camera = camera_of(self._origin, viewpoint)
        self._process: subprocess.Popen[bytes] | None = None
        # what the program says, and the file: open as long as it runs
        self._open = ExitStack()
        self._said: IO[bytes] | None = None
        self.frames = 0
        """Number of pictures written."""

    @property
    def started(self) -> bool:
        """True if there is a picture."""
        return self.frames > 0

    def write(self, time: float) -> None:
        """Draw what is due: none, one, or several equal pictures after a long step.

        Raises
        ------
        StateError
            The program has ended, or its disk is full.
        """
        due = int(time * self.rate + 1e-6) + 1 - self.frames
        if due > 0:
            picture = self._picture().tobytes()
            try:
                for _ in range(due):
                    self._stream.write(picture)
            except OSError as error:
                raise self._failed() from error
            self.frames += due
            self.noted()

    def finish(self) -> None:
        """Put the file in its place, unless the program failed."""
        process = self._process
        if process is None:
            return
        with self._open:
            process.communicate()
            if process.returncode:
                raise self._failed()

    def _picture(self) -> NDArray[np.uint8]:
        layers: list[Layer] = []
        if self._origin is not self._shown:
            entries = self._origin.draw.entries().values()
            layers = [DrawnLayer(one.item) for one in entries if one.visible]
        return drawn(self._shown, self._camera, (*layers, *self._watermark))

    @property
    def _stream(self) -> IO[bytes]:
        """The encoder; the program starts with the first picture."""
        if self._process is None:
            said = tempfile.TemporaryFile()  # noqa: SIM115 - `_open` closes it
            self._said = self._open.enter_context(said)
            file = self._open.enter_context(replaced_file(self._file))
            size = f"{self._camera.width}x{self._camera.height}"
            colours = () if self._is_gif else ("-pix_fmt", "yuv420p")
            self._process = subprocess.Popen(  # noqa: S603 - a program that was looked up
                (
                    self._program, "-y", "-loglevel", "error", "-f", "rawvideo",
                    "-pix_fmt", "rgb24", "-s", size, "-r", f"{self.rate:g}", "-i", "-",
                    "-an", *self._codec, *colours, str(file),
                ),
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said,
                # Ctrl-C is for Python, which completes the file
                start_new_session=True,
            )  # fmt: skip
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - it is a pipe
        return stream

    def _failed(self) -> StateError:
        process, said = self._process, self._said
        assert process is not None  # noqa: S101 - for the type checker
        assert said is not None  # noqa: S101 - for the type checker
        process.wait()
        said.seek(0)
        words = said.read().decode("utf-8", "replace").strip()
        return StateError(
            f"ffmpeg could not write {str(self._file)!r}: "
            f"{words or f'it ended with {process.returncode}'}"
        )
