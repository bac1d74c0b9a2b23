"""Motions that play in the open viewer, while the environment stays as it is."""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.bodies.state.glimpse import Glimpse
from pyrave.interfaces.handles import Handle
from pyrave.interfaces.recorded_motion import Recording
from pyrave.spatial import as_number
from pyrave_viser.replay_page import page_of
from pyrave_viser.shown.films import Film, Take, squared
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.bodies import KinBody
    from pyrave.spatial import Array
    from pyrave_viser.shared import Shared

_SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4", "10")
_RATE = 60.0
# the last picture stays so long, seconds
_STAY = 1.0
# the slider follows so often, seconds
_OFTEN = 0.1
# what people record ends when it has so many bytes; so many of these are kept
_MAX_BYTES = 200_000_000
_MAX_TAKES = 8
_NOTE = "The scene shows a motion. *Live* goes back to how it is."


class StandIn:
    """A body at another place, for `ShownBodies`.

    Its stamps are negative, so that they are none of bodies.
    """

    _stamps = itertools.count(-1, -1)

    def __init__(self, body: Any) -> None:
        self.body = body
        self.id = 0
        self.pose_stamp = 0
        self._rows: Any = None
        self._poses: Array | None = None

    def place(self, number: int, rows: Any) -> None:
        """Stand at (n_links, 3, 4) upper rows of T_world_link."""
        self.id = number
        if rows is not self._rows:
            self._rows, self._poses = rows, squared(rows)
            self.pose_stamp = next(self._stamps)

    def glimpse(self) -> Glimpse:
        """Return the shown poses, with the body's own joint values."""
        assert self._poses is not None  # noqa: S101 - `place` comes first
        values = self.body.dof_values_view.copy()
        return Glimpse(self.pose_stamp, self._poses, values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.body, name)


@dataclass(eq=False)
class _Motion:
    """A motion in the list.

    Parameters
    ----------
    label
        What the list says.
    film, recording
        The motion.
    speed, loop
        As it was asked for.
    """

    label: str
    film: Film
    recording: Recording
    speed: float
    loop: bool


class ReplayPanel:
    """The list of motions, with a timeline that comes with the first of them.

    It also records what people see, as long as they want.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._mutex = threading.RLock()
        self._motions: dict[str, _Motion] = {}
        self._count = 0
        self._motion: _Motion | None = None
        self._cast: dict[int, StandIn] = {}
        self._time = 0.0
        self._playing = False
        self._speed = 1.0
        self._loop = False
        self._seen: float | None = None
        self._told = 0.0
        self._widgets: dict[str, Any] = {}
        self._take: Take | None = None
        self._takes: list[Handle] = []
        self._saving: set[int] = set()
        self._make()
        shared.actions.on_move = weakly(self.go_live)

    @property
    def motion(self) -> str:
        """Label of the motion that is shown; empty while the scene is live."""
        return "" if self._motion is None else self._motion.label

    @property
    def time(self) -> float:
        """Seconds since the begin of the motion that is shown."""
        return self._time

    def play(self, motion: Any, speed: float, loop: bool) -> Handle:
        """Play a motion from its begin; see `ViserViewer.play`."""
        factor = as_number(speed, "speed", 1e-3, 1e3)
        recording, moving = _recorded(self._shared.env, motion)
        film = Film(recording, moving=moving)
        with self._mutex:
            self._count += 1
            kind = "Trajectory" if moving else "Recording"
            label = f"{kind} {self._count} ({film.duration:.2f} s)"
            self._motions[label] = _Motion(label, film, recording, factor, bool(loop))
            self._offer()
            self._start(label)
        return Handle(lambda: self._forget(label))

    def go_live(self) -> None:
        """Show the environment as it is."""
        with self._mutex:
            self._motion, self._playing, self._cast = None, False, {}
            self._dress()

    def cast(self, bodies: Iterable[KinBody]) -> list[Any]:
        """Return the bodies, or who stands in for them while a motion is shown."""
        with self._mutex:
            self._pass_time()
            if self._motion is None:
                return list(bodies)
            film = self._motion.film
            rows = film.rows_at(film.number_at(self._time))
            live = [
                body
                for body in bodies
                if body.id not in film.bodies
                or (body.id in rows and len(body.links) != len(rows[body.id]))
            ]
            taken = {body.id for body in live}
            for number, place in rows.items():
                if number not in taken:
                    stand_in = self._cast.get(number)
                    if stand_in is None:
                        stand_in = self._cast[number] = StandIn(film.bodies[number])
                    stand_in.place(number, place)
            return live + [self._cast[one] for one in rows if one not in taken]

    # -- recording -----------------------------------------------------------------

    def toggle_recording(self, env: Any) -> None:
        """Begin to record what is seen, or end it and play it."""
        with self._mutex:
            take, self._take = self._take, None
            if take is None:
                self._take = Take(env.viewpoint())
                self._take.note(self._shared.bodies, set(self._shared.bodies.known))
                self._dress()
                return
        take.note(self._shared.bodies, set())
        self._takes.append(self.play(take.recording, 1.0, False))
        for old in self._takes[:-_MAX_TAKES]:
            old.close()
        del self._takes[:-_MAX_TAKES]

    def follow(self, moved: set[int]) -> None:
        """Record those that moved, if somebody wants that."""
        with self._mutex:
            if self._take is None:
                return
            self._take.note(self._shared.bodies, moved)
            if self._take.size > _MAX_BYTES:
                self._recorded(None)

    def _recorded(self, event: Any) -> None:
        self._shared.actions.ask("record", self.toggle_recording)

    # -- time ----------------------------------------------------------------------

    def _pass_time(self) -> None:
        now = time.monotonic()
        before, self._seen = self._seen, now
        motion = self._motion
        if motion is None or not self._playing or before is None:
            return
        self._time += (now - before) * self._speed
        over = self._time - motion.film.duration
        if over > _STAY * self._speed:
            if not self._loop:
                self.go_live()
                return
            self._time = 0.0
        if now - self._told > _OFTEN:
            self._told = now
            self._show_time()

    def _show_time(self) -> None:
        slider = self._widgets.get("time")
        if slider is not None:
            slider.value = round(min(max(self._time, 0.0), slider.max), 2)

    def _start(self, label: str) -> None:
        motion = self._motions[label]
        self._motion, self._cast = motion, {}
        self._time, self._playing, self._seen = 0.0, True, None
        self._speed, self._loop = motion.speed, motion.loop
        self._dress()

    def _forget(self, label: str) -> None:
        with self._mutex:
            if self._motions.pop(label, None) is None:
                return
            if self.motion == label:
                self._motion, self._playing, self._cast = None, False, {}
            self._offer()
            self._dress()

    # -- widgets -------------------------------------------------------------------

    def _offer(self) -> None:
        """Have the widgets list the motions."""
        if bool(self._motions) != ("choice" in self._widgets):
            self._widgets["folder"].remove()
            self._make()
        if self._motions:
            self._widgets["choice"].options = tuple(self._motions)

    def _make(self) -> None:
        """Make the folder: folded as long as there is nothing to play."""
        gui, some = self._shared.server.gui, bool(self._motions)
        # on top while there is something
        folder = gui.add_folder(
            "Replay", order=-0.5 if some else None, expand_by_default=some
        )
        made = self._widgets = {"folder": folder}
        with folder:
            if some:
                made["note"] = gui.add_markdown(_NOTE, visible=False)
                made["choice"] = gui.add_dropdown("Motion", tuple(self._motions))
                made["time"] = gui.add_slider("Time", 0.0, 1.0, 0.01, 0.0)
                made["play"] = gui.add_button("Play", icon="player-play")
                made["live"] = gui.add_button("Live", icon="arrow-back", color="gray")
                made["speed"] = gui.add_dropdown("Speed", _SPEEDS, initial_value="1")
                made["loop"] = gui.add_checkbox("Loop", False)
                made["save"] = gui.add_button(
                    "Save as page",
                    icon="download",
                    color="gray",
                    hint="Download a page that replays it without a server",
                )
                made["save"].on_click(weakly(self._saved))
                made["choice"].on_update(weakly(self._chosen))
                made["time"].on_update(weakly(self._slid))
                made["play"].on_click(weakly(self._toggled))
                made["live"].on_click(weakly(self._lived))
                made["speed"].on_update(weakly(self._faster))
                made["loop"].on_update(weakly(self._looped))
            made["record"] = gui.add_button(
                "Record",
                icon="player-record",
                color="gray",
                hint="Record what is seen, to play it",
            )
            made["record"].on_click(weakly(self._recorded))

    def _dress(self) -> None:
        """Have the widgets say what is shown."""
        made, motion = self._widgets, self._motion
        recording = self._take is not None
        made["record"].label = "Stop recording" if recording else "Record"
        made["record"].color = "red" if recording else "gray"
        if "choice" not in made:
            return
        made["note"].visible = motion is not None
        made["live"].disabled = motion is None
        made["play"].label = "Pause" if self._playing else "Play"
        made["play"].icon = "player-pause" if self._playing else "player-play"
        if motion is None:
            return
        made["choice"].value = motion.label
        made["time"].max = max(0.01, round(motion.film.duration, 2))
        speed = f"{self._speed:g}"
        if speed not in made["speed"].options:
            made["speed"].options = tuple(sorted({*_SPEEDS, speed}, key=float))
        made["speed"].value = speed
        made["loop"].value = self._loop
        self._show_time()

    def _chosen(self, event: Any) -> None:
        with self._mutex:
            label = event.target.value
            if event.client is not None and label in self._motions:
                self._start(label)

    def _toggled(self, event: Any) -> None:
        with self._mutex:
            if self._motion is None:
                self._start(self._widgets["choice"].value)
                return
            self._playing, self._seen = not self._playing, None
            if self._playing and self._time >= self._motion.film.duration:
                self._time = 0.0
            self._dress()

    def _slid(self, event: Any) -> None:
        if event.client is None:
            return
        with self._mutex:
            if self._motion is None:
                self._start(self._widgets["choice"].value)
            self._playing, self._time = False, float(event.target.value)
            self._dress()

    def _lived(self, event: Any) -> None:
        self.go_live()

    def _saved(self, event: Any) -> None:
        # in a thread of the server; once at a time for each browser
        client = event.client
        with self._mutex:
            motion = self._motions.get(self._widgets["choice"].value)
            if motion is None or client.client_id in self._saving:
                return
            self._saving.add(client.client_id)
        try:
            content = page_of(motion.recording, self._shared.env.draw)
            if client.client_id in self._shared.server.get_clients():
                client.send_file_download("motion.html", content, save_immediately=True)
        finally:
            self._saving.discard(client.client_id)

    def _faster(self, event: Any) -> None:
        if event.client is not None:
            self._speed = float(event.target.value)

    def _looped(self, event: Any) -> None:
        if event.client is not None:
            self._loop = bool(event.target.value)


def _recorded(env: Any, motion: Any) -> tuple[Recording, bool]:
    """Return a motion as a recording, and whether it is one of what moves only."""
    for one in (motion, getattr(motion, "recording", None)):
        if isinstance(one, Recording):
            return one, False
    return env.record(None, motion, rate=_RATE).recording, True
