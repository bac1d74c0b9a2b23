"""Videos of a run, encoded by the program ffmpeg."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pyrave.errors import ArgumentError, NotSupportedError, StateError

if TYPE_CHECKING:
    from types import TracebackType

    from pyrave.environment import Environment
    from pyrave.geometry import Camera
    from pyrave.pictures import Viewpoint

RATE = 25
"""Frames a simulated second."""
ENDINGS = (".mp4", ".mkv", ".webm", ".gif")


def require_video(path: Path) -> str:
    """Return the program that encodes, after checking where a video goes.

    Raises
    ------
    ArgumentError
        The name has another ending.
    NotSupportedError
        There is no such program.
    """
    from pyrave.cli.output import require_folder

    if path.suffix.lower() not in ENDINGS:
        raise ArgumentError(
            f"--video is {path.name!r}, expected a name in {', '.join(ENDINGS)}"
        )
    require_folder(path)
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise NotSupportedError(
            "--video needs the program ffmpeg, which is not installed; "
            "pip install 'pyrave[video]' brings one"
        ) from error


class Video:
    """A video that gets a picture whenever simulated time has come to the next one.

    A context manager: the file is complete when it ends without an exception, and
    removed otherwise.

    Parameters
    ----------
    viewpoint
        Where pictures are taken from; what it leaves open is chosen now. Odd widths and
        heights become even, but of ``.gif``.
    path
        The file, ``.mp4`` and so on.
    program
        What `require_video` returned.
    """

    def __init__(
        self, env: Environment, viewpoint: Viewpoint, path: Path, program: str
    ) -> None:
        from pyrave.environment.picturing import camera_of
        from pyrave.pictures import DEFAULT_SIZE

        self._is_gif = path.suffix.lower() == ".gif"
        if not self._is_gif:
            # videos keep colours of squares of four pixels
            width, height = viewpoint.size or DEFAULT_SIZE
            even = (width + width % 2, height + height % 2)
            viewpoint = replace(viewpoint, size=even)
        self._env = env
        self._path = path
        self._camera: Camera = camera_of(env, viewpoint)
        self._program = program
        self._start = env.simulation_time
        self.frames = 0
        """How many pictures there are."""

    def add(self) -> None:
        """Draw what is due: none, one, or several equal pictures after a long step.

        Raises
        ------
        StateError
            The program has ended, or its disk is full.
        """
        from pyrave.environment.picturing import drawn

        passed = 1e-6 * (self._env.simulation_time - self._start)
        due = int(passed * RATE + 1e-6) + 1 - self.frames
        if due <= 0:
            return
        picture = drawn(self._env, self._camera).tobytes()
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - it is a pipe
        try:
            for _ in range(due):
                stream.write(picture)
        except OSError as error:
            raise self._failed() from error
        self.frames += due

    def __enter__(self) -> Self:
        size = f"{self._camera.width}x{self._camera.height}"
        rate, target = str(RATE), str(self._path.resolve())
        colours = () if self._is_gif else ("-pix_fmt", "yuv420p")
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(  # noqa: S603 - a program that was looked up
            (
                self._program, "-y", "-loglevel", "error", "-f", "rawvideo",
                "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "-", "-an",
                *colours, target,
            ),
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said,
        )  # fmt: skip
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._process.kill()
        try:
            self._process.communicate()
            if kind is None and self._process.returncode:
                raise self._failed()
        finally:
            self._said.close()
            if kind is not None or self._process.returncode:
                self._path.unlink(missing_ok=True)

    def _failed(self) -> StateError:
        self._process.wait()
        self._said.seek(0)
        words = self._said.read().decode("utf-8", "replace").strip()
        return StateError(
            f"ffmpeg could not write {str(self._path)!r}: "
            f"{words or f'it ended with {self._process.returncode}'}"
        )
