"""Pages that replay a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_viser.server.page import dressed, title_of
from pyrave_viser.server.viewer_server import start_server, stop_server
from pyrave_viser.shown.bodies import NodeChain
from pyrave_viser.shown.drawings import ShownDrawings
from pyrave_viser.shown.films import squared
from pyrave_viser.shown.pools import Pools
from pyrave_viser.shown.solids import Shapes, solids_of
from pyrave_viser.shown.stage import Stage

if TYPE_CHECKING:
    import viser

    from pyrave.interfaces.recorded_motion import Recording
    from pyrave.pictures import Drawings
    from pyrave.spatial import Array


def page_of(recording: Recording, drawings: Drawings) -> bytes:
    """Return a page of HTML that holds everything it needs.

    Parameters
    ----------
    drawings
        What is drawn into the environment; it is there all the time.
    """
    # viser writes pages of what a server showed; nobody connects to this one
    server = start_server("localhost", 0)
    try:
        Stage(server).look_from(recording.camera)
        ShownDrawings(server).follow(drawings)
        scene = _Scene(server, recording)
        frames = recording.frames
        scene.show(0)
        film = server.get_scene_serializer()
        for k in range(1, len(frames)):
            film.insert_sleep(frames[k].time - frames[k - 1].time)
            scene.show(k)
        # the last frame can be seen, too, before it begins again
        film.insert_sleep(0.5 if len(frames) > 1 else 0.0)
        title = title_of(recording.bodies.values())
        return dressed(str(film.as_html()).encode("utf-8"), title)
    finally:
        stop_server(server)


class _Scene:
    """The bodies of a recording, which move from frame to frame."""

    def __init__(self, server: viser.ViserServer, recording: Recording) -> None:
        self._server = server
        self._recording = recording
        self._pools = Pools(server)
        self._chains: dict[int, NodeChain] = {}

    def show(self, k: int) -> None:
        """Show a frame, after the one before."""
        frame = self._recording.frames[k]
        for number in frame.removed:
            chain = self._chains.pop(number, None)
            if chain is None:
                self._pools.remove(number)
            else:
                chain.remove()
        for number, rows in frame.poses.items():
            self._place(number, squared(rows))
        self._pools.flush()

    def _place(self, number: int, poses: Array) -> None:
        chain = self._chains.get(number)
        if chain is not None:
            chain.move(poses)
        elif self._pools.has(number):
            self._pools.move(number, poses[0])
        elif len(poses) == 1:
            solids = solids_of(self._recording.bodies[number], Shapes.VISUAL)
            self._pools.put(number, solids, poses[0])
        else:
            body = self._recording.bodies[number]
            self._chains[number] = NodeChain(
                self._server, number, body, Shapes.VISUAL, poses
            )
