"""Recording what an environment does, for a viewer that writes it to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pyrave.environment.picturing import file_target
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.recording import RecordedFrame, Recording
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.interfaces.viewer import ViewerBase
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from types import TracebackType

    from pyrave.environment.environment import Environment
    from pyrave.spatial import Array
    from pyrave.world import Changes

ENDINGS = (".html", ".htm")
# times are whole microseconds
_ROUNDING = 1e-7


class Recorder(ViewerBase):
    """Writes down how bodies move while simulated time passes, until closed.

    A context manager that closes at its end. `close` writes the file.

    Parameters
    ----------
    path
        What is written.
    rate
        Most frames a simulated second.
    writer
        Id of the viewer that writes.
    """

    contract = 1

    def __init__(
        self, env: Environment, path: Path, rate: float, writer: ViewerBase
    ) -> None:
        super().__init__(env)
        self._shown = env
        self._path = path
        self._writer = writer
        self._period = 1.0 / rate
        self._start = env.simulation_time
        self._changed: set[int] = set()
        self._removed: set[int] = set()
        self._closed = False
        self.recording = Recording(env.viewpoint())
        """What was recorded so far."""

    @property
    def path(self) -> Path:
        """The file that `close` writes."""
        return self._path

    def main(self, show: bool = True) -> int:
        """Do nothing: it records while others let time pass."""
        return 0

    def quit_main_loop(self) -> None:
        """Record no longer and write the file; a second call does nothing."""
        self.close()

    def update(self, changes: Changes) -> None:
        """Note which bodies came, left or moved."""
        self._changed |= {*changes.added, *changes.moved, *changes.reshaped}
        self._removed |= set(changes.removed)
        for number in changes.added:
            self.recording.bodies[number] = self.env.body_of_id(number)

    def environment_sync(self) -> None:
        """Write down where bodies are, if enough time has passed."""
        self.capture(1e-6 * (self._shown.simulation_time - self._start))

    def capture(self, time: float) -> None:
        """Write down where bodies are, as at a time since the beginning, seconds."""
        if self._closed:
            return
        frames = self.recording.frames
        if frames and time < frames[-1].time + self._period - _ROUNDING:
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

    def close(self) -> None:
        """Write the file; a second call does nothing."""
        if self._closed:
            return
        self.synchronise()
        if self._changed or self._removed or len(self.recording.frames) < 2:
            self.capture(self._end())
        self._closed = True
        if any(one is self for one in self._shown.viewers):
            self._shown.remove(self)
        content = self._writer.recorded(self.recording)
        try:
            self._path.write_bytes(content)
        except OSError as error:
            reason = error.strerror or error
            raise ArgumentError(f"{self._path} cannot be written: {reason}") from error

    def _end(self) -> float:
        """Return the time of a frame that comes after all others."""
        now = 1e-6 * (self._shown.simulation_time - self._start)
        frames = self.recording.frames
        return max(now, frames[-1].time + self._period) if frames else now

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
        state = "written" if self._closed else "recording"
        return f"<Recorder {self._path.name}: {state}>"


def record(
    env: Environment, path: Any, trajectory: Any, rate: Any, speed: Any, viewer: str
) -> Recorder:
    """Return what records; see `Environment.record`."""
    target = file_target(path, ENDINGS)
    frames = as_number(rate, "rate", 0.1, 1000.0)
    faster = as_number(speed, "speed", 1e-3, 1e3)
    writer = env.create("viewer", viewer)
    if not isinstance(writer, ViewerBase):
        raise ArgumentError(f"{writer!r} is no viewer")
    recorder = Recorder(env, target, frames, writer)
    if trajectory is None:
        env.add(recorder)
        return recorder
    motion = getattr(trajectory, "trajectory", trajectory)
    if not isinstance(motion, TrajectoryBase):
        raise ArgumentError(
            f"trajectory is {shown(trajectory)}, expected a trajectory or a plan that "
            "has one"
        )
    with env.preserve_state():
        for time, row in _rows(motion, frames * faster):
            motion.spec.apply(env, row)
            recorder.synchronise()
            recorder.capture(time / faster)
        recorder.close()
    return recorder


def _rows(motion: TrajectoryBase, rate: float) -> list[tuple[float, Array]]:
    """Return times and values of a trajectory; without times a second a waypoint."""
    if motion.spec.find_compatible_group("deltatime") is None:
        return [(float(k), row) for k, row in enumerate(motion.get_waypoints())]
    count = max(2, 1 + int(np.ceil(motion.duration * rate)))
    times = np.linspace(0.0, motion.duration, count)
    return list(zip(times.tolist(), motion.sample_points(times), strict=True))
