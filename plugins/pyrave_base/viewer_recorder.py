"""ViewerRecorder: videos by OpenRAVE's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.interfaces import ModuleBase, command
from pyrave.interfaces.commands.files import present_access

if TYPE_CHECKING:
    from pyrave import Environment

_Words = list[str] | str | None
_OPTIONS = ("codec", "timing", "filename", "viewer")
# numbers that ffmpeg had for them when OpenRAVE's scripts were written
_CODECS = {1: "mpeg1video", 2: "mpeg2video", 8: "mjpeg", 13: "mpeg4", 28: "libx264"}
_MOST_PIXELS = 1 << 24


class ViewerRecorder(ModuleBase):
    """Commands that record a video of what a scene's camera sees, a file at a time.

    Pictures are drawn without a viewer, after steps and ``env.publish()``; they need
    the extra ``video``. New programs call `Environment.record`.
    """

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._recorder: Any = None
        self._watermark: Any = None

    @property
    def recording(self) -> bool:
        """True between Start and Stop."""
        return self._recorder is not None

    @command(name="Start", writes=("filename",))
    def start(
        self,
        width: int = 640,
        height: int = 480,
        framerate: float = 30.0,
        options: _Words = None,
        filename: str = "",
        codec: str = "",
        timing: Literal["simtime", "realtime", "controltime"] = "simtime",
        viewer: str = "",
    ) -> bool:
        """Begin a video, and complete the one before.

        Parameters
        ----------
        width, height
            Pixels.
        framerate
            Pictures a second.
        options
            In a text what stands behind the three numbers: the next parameters by
            name; those of files and viewers may have blanks.
        filename
            What is written; the ending says the form.
        codec
            A number or name of GetCodecs, or another encoder of ffmpeg; empty: as
            suits the file.
        timing
            Times of pictures are simulated ones, or those of a clock on the wall.
        viewer
            Of which viewer of the environment, by id; nothing depends on it.
        """
        if options is not None:
            said = _options(options)
            access = present_access()
            if access is not None and "filename" in said:
                said["filename"] = access.to_write(said["filename"])
            filename = said.get("filename", filename)
            codec = said.get("codec", codec)
            viewer = said.get("viewer", viewer)
            timing = _timing(said.get("timing", timing))
        if not filename:
            raise ArgumentError("there is no filename, such as 'motion.mp4'")
        known = [one.interface_id for one in self.env.viewers]
        if viewer and known and viewer.lower() not in map(str.lower, known):
            raise ArgumentError(
                f"no viewer {viewer!r}; those of the environment: {', '.join(known)}"
            )
        self.stop()
        self._recorder = self.env.record(
            filename,
            rate=framerate,
            size=(width, height),
            real_time=timing != "simtime",
            codec=_encoder(codec),
            watermark=self._watermark,
        )
        return True

    @command(name="Stop")
    def stop(self) -> bool:
        """Complete the video, if there is one."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.close()
        return True

    @command(name="GetCodecs")
    def codecs(self) -> str:
        """Return a line for each codec: its number and name."""
        return "\n".join(f"{number} {name}" for number, name in _CODECS.items())

    @command(name="SetWatermark")
    def set_watermark(
        self, width: int, height: int, colors: list[int] | Any = None
    ) -> bool:
        """Put an image into the upper left corner of the videos that come.

        Parameters
        ----------
        width, height
            Pixels; 0 and 0 for none.
        colors
            Whole numbers, row by row from the upper left corner: opacity in the
            highest byte, then blue, green, red.
        """
        count = width * height
        numbers = np.asarray([] if colors is None else colors)
        if min(width, height) < 0 or count > _MOST_PIXELS or numbers.size != count:
            raise ArgumentError(
                f"a watermark of {width} x {height} pixels has {numbers.size} colors, "
                f"expected one number for each pixel, and at most {_MOST_PIXELS}"
            )
        if not count:
            self._watermark = None
            return True
        if (
            numbers.dtype.kind not in "iu"
            or not ((numbers >= 0) & (numbers < 1 << 32)).all()
        ):
            raise ArgumentError("colors has some that are no numbers of 32 bits")
        # little endian, whatever the machine: red is the lowest byte
        pixels = numbers.astype("<u4").reshape(height, width, 1)
        self._watermark = pixels.view(np.uint8)
        return True

    def reset(self) -> None:
        """Complete the video, and forget the watermark."""
        self.stop()
        self._watermark = None

    def destroy(self) -> None:
        """Complete the video."""
        self.stop()

    def get_own_state(self) -> Any:
        """Return the watermark; a recording stays with its environment."""
        return self._watermark

    def set_own_state(self, state: Any) -> None:
        """Take another one's watermark."""
        self._watermark = state


def _options(given: Any) -> dict[str, str]:
    """Return the options of words ``codec 13 timing realtime filename a b.mp4``."""
    words = given.split() if isinstance(given, str) else list(given)
    found: dict[str, list[str]] = {}
    name = ""
    for word in words:
        lowered = str(word).lower().replace("viewername", "viewer")
        if lowered in _OPTIONS and lowered not in found:
            name = lowered
            found[name] = []
        elif name:
            found[name].append(str(word))
        else:
            raise ArgumentError(
                f"{word!r} stands behind width, height and framerate, expected one of "
                f"{', '.join(_OPTIONS)}, and its value"
            )
    return {name: " ".join(values) for name, values in found.items()}


def _timing(word: str) -> Any:
    known = ("simtime", "realtime", "controltime")
    if word.lower() not in known:
        raise ArgumentError(
            f"timing is {shown(word)}, expected one of {', '.join(known)}"
        )
    return word.lower()


def _encoder(codec: str) -> str | None:
    """Return an encoder of ffmpeg, None for the one that suits the file."""
    if not codec or codec == "-1":
        return None
    if not codec.isdecimal():
        return codec
    if int(codec) not in _CODECS:
        known = ", ".join(f"{number} {name}" for number, name in _CODECS.items())
        raise ArgumentError(f"codec is {codec}, expected one of {known}, or a name")
    return _CODECS[int(codec)]
