"""Recording what an environment does: to be shown again, or as a file."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import TYPE_CHECKING, Self

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.files import write_file
from pyrave.interfaces.recorded_motion import RecordedFrame, Recording
from pyrave.interfaces.viewer import ViewerBase

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from pyrave.environment.environment import Environment
    from pyrave.geometry import Camera
    from pyrave.world import Changes

# times are whole microseconds, seconds apart
_ROUNDING = 1e-7


class Recorder(ViewerBase):
    """Recorder of what happens while simulated time passes, until closed.

    A context manager that closes at its end. `close` completes the file. As long as no
    time passes at all, each ``env.publish()`` after which something has moved is a
    picture of its own.

    Parameters
    ----------
    path
        What is written; None for no file.
    rate
        Pictures a second.
    speed
        By which factor it is shown faster than it is.
    real_time
        Times are those of a clock on the wall, not simulated ones.
    """

    contract = 2

    def __init__(
        self,
        env: Environment,
        path: Path | None,
        rate: float,
        speed: float = 1.0,
        *,
        real_time: bool = False,
    ) -> None:
        super().__init__(env)
        self.rate = rate
        self._shown = env
        self._path = path
        self._speed = speed
        self._real_time = real_time
        self._start = self._now()
        self._time = 0.0
        self._last = 0.0
        self._without_steps = 0.0
        self._moved = False
        self._closed = False

    def _now(self) -> float:
        return time.monotonic() if self._real_time else self._shown.simulation_time

    @property
    def path(self) -> Path | None:
        """The file that `close` completes, if there is one."""
        return self._path

    @property
    @abstractmethod
    def started(self) -> bool:
        """True if something was written."""

    @abstractmethod
    def write(self, time: float) -> None:
        """Write down how bodies stand, if it is time for it: seconds since the begin.

        It calls `noted` where it did.
        """

    @abstractmethod
    def finish(self) -> None:
        """Complete the file."""

    def noted(self) -> None:
        """Take what has moved up to now as written down."""
        self._moved = False
        self._last = self._time

    def main(self, show: bool = True) -> int:
        """Do nothing: it records while others let time pass.

        Parameters
        ----------
        show
            Has no effect.
        """
        return 0

    def quit_main_loop(self) -> None:
        """Record no longer and complete the file; a second call does nothing."""
        self.close()

    def update(self, changes: Changes) -> None:
        """Note that bodies came, left or moved.

        Parameters
        ----------
        changes
            What changed since the last call.
        """
        self._moved = True

    def environment_sync(self) -> None:
        """Write down how bodies stand, if enough time has passed."""
        self.synchronise()
        passed = (self._now() - self._start) / self._speed
        if not passed and self._moved and self.started:
            self._without_steps += 1.0 / self.rate
        self.capture(passed + self._without_steps)

    def capture(self, time: float) -> None:
        """Write down how bodies stand at a time since the begin, seconds."""
        if not self._closed:
            self._time = time
            self.write(time)

    def close(self) -> None:
        """Complete the file; a second call does nothing."""
        if self._closed:
            return
        try:
            self.synchronise()
            if self._moved or not self.started:
                self.capture(self._last + self.started / self.rate)
            if self._real_time:
                self.capture((self._now() - self._start) / self._speed)
        finally:
            self._closed = True
            if any(one is self for one in self._shown.viewers):
                self._shown.remove(self)
            self.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        name = "" if self._path is None else f" {self._path.name}"
        state = "recording"
        if self._closed:
            state = "recorded" if self._path is None else "written"
        return f"<Recorder{name}: {state}>"


class MotionRecorder(Recorder):
    """Recorder of the motion of bodies, for viewers that replay it.

    Parameters
    ----------
    camera
        Where it is seen from at first.
    writer
        Makes the file of it.
    """

    contract = 2

    def __init__(
        self,
        env: Environment,
        path: Path | None,
        camera: Camera,
        *,
        rate: float,
        speed: float = 1.0,
        real_time: bool = False,
        writer: ViewerBase | None = None,
    ) -> None:
        super().__init__(env, path, rate, speed, real_time=real_time)
        self._writer = writer
        self._changed: set[int] = set()
        self._removed: set[int] = set()
        self.recording = Recording(camera)
        """The recording so far."""

    @property
    def started(self) -> bool:
        """True if there is a frame."""
        return bool(self.recording.frames)

    def update(self, changes: Changes) -> None:
        """Record the bodies that came, left or moved."""
        super().update(changes)
        self._changed |= {*changes.added, *changes.moved, *changes.reshaped}
        self._removed |= set(changes.removed)
        for number in changes.added:
            self.recording.bodies[number] = self.env.body_of_id(number)

    def write(self, time: float) -> None:
        """Write down where bodies are, a period after the frame before."""
        frames = self.recording.frames
        if frames and time < frames[-1].time + 1.0 / self.rate - _ROUNDING:
            return
        world = self.env.world
        links = world.tables.links.poses
        poses = {
            number: links[world.links_of(number)][:, :3].astype(np.float32)
            for number in sorted(self._changed)
            if number in world
        }
        frames.append(RecordedFrame(time, poses, tuple(sorted(self._removed))))
        self._changed.clear()
        self._removed.clear()
        self.noted()

    def finish(self) -> None:
        """Have the viewer write the file, if there is to be one."""
        if self._path is None or self._writer is None:
            return
        content = self._writer.recorded(self.recording)
        try:
            write_file(self._path, content)
        except OSError as error:
            reason = error.strerror or error
            raise ArgumentError(f"{self._path} cannot be written: {reason}") from error
