"""One open viewer: its server, what it shows, and the tick that joins both."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from pyrave.errors import LockTimeoutError
from pyrave_viser.actions import Actions
from pyrave_viser.panels.collection import Panels
from pyrave_viser.server.page import Page, title_of
from pyrave_viser.server.viewer_server import address_of, start_server, stop_server
from pyrave_viser.server.viser_internals import forget_history, icons_at_hand
from pyrave_viser.shared import Shared
from pyrave_viser.shown.bodies import ShownBodies
from pyrave_viser.shown.drawings import ShownDrawings
from pyrave_viser.shown.quaternions import quaternions_of
from pyrave_viser.shown.stage import Stage
from pyrave_viser.viewer_thread import Ticker
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from pyrave.interfaces.handles import Handle
    from pyrave.spatial import Array


# so long it waits for who computes, seconds
_PATIENCE = 0.2


class Session:
    """The parts of a viewer while it is open.

    Parameters
    ----------
    env
        The environment that is shown.
    host, port
        See `start_server`.
    """

    def __init__(self, env: Any, host: str, port: int | None) -> None:
        self.env = env
        self._page = Page()
        self.server = start_server(host, port, self._page)
        self.address = address_of(host, self.server.get_port())
        # a thread of its own: the last reference may go in one of the server's
        self._end = weakref.finalize(self, _stop_elsewhere, self.server)
        self._end.atexit = False
        self._mutex = threading.Lock()
        self._edited: set[int] = set()
        self.stage = Stage(self.server)
        self.actions = Actions(self.server)
        self.bodies = ShownBodies(self.server, weakly(self._clicked))
        self.drawings = ShownDrawings(self.server)
        shared = Shared(env, self.server, self.stage, self.bodies, self.actions)
        with icons_at_hand():
            self.panels = Panels(shared)
        self._edits: Handle = env.on_body(weakly(self._body_changed))
        self._is_aimed = self._has_ticked = False
        self.show_now()
        self._ticker = Ticker(self._tick)
        self.server.on_client_connect(weakly(self._connected))

    def close(self) -> None:
        """End it."""
        self._edits.close()
        self._ticker.stop()
        if self._end.detach() is not None:
            stop_server(self.server)

    def show_now(self) -> None:
        """Show how the environment is now."""
        with self._mutex, self.server.atomic():
            edited, self._edited = self._edited, set()
            for number in edited:
                self.bodies.rebuild(number)
            other, moved = self.bodies.follow(self.panels.replay.cast(self.env.bodies))
            self.drawings.follow(self.env.draw)
            if other:
                self._page.title = title_of(self.bodies.known.values())
            self.panels.follow(other or bool(edited), moved)

    def look_from(self, pose: Array, reach: float) -> None:
        """Let all browsers look from (4, 4) T_world_camera at what is so far off."""
        self._is_aimed = True
        target = pose[:3, 3] + reach * pose[:3, 2]
        self.server.initial_camera.position = pose[:3, 3]
        self.server.initial_camera.look_at = target
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.wxyz = quaternions_of(pose[None, :3, :3])[0]
                client.camera.position = pose[:3, 3]
                client.camera.look_at = target

    def wake(self) -> None:
        """Show it soon."""
        self._ticker.wake()

    def _tick(self) -> bool:
        is_first, self._has_ticked = not self._has_ticked, True
        # who opened it first goes on: choosing from where to look holds the lock
        if not (is_first or self._is_aimed):
            self._aim()
        self.actions.run(self.env)
        looked = bool(self.server.get_clients())
        if looked:
            self.show_now()
        else:
            forget_history(self.server)
        return looked or is_first

    def _aim(self) -> None:
        """Let browsers look from where most can be seen.

        That takes longer than all the rest, and they have their page to load meanwhile.
        """
        try:
            with self.env.lock(_PATIENCE):
                camera = self.env.viewpoint()
        except LockTimeoutError:
            return
        if not self._is_aimed:
            self._is_aimed = True
            self.stage.look_from(camera)

    def _connected(self, client: Any) -> None:
        self._ticker.wake()

    def _clicked(self, body: int, link: int, geometry: int, event: Any) -> None:
        self.panels.selection.clicked(body, link, geometry, event)

    def _body_changed(self, event: Any) -> None:
        """Hear of other shapes and looks; called by the environment's thread."""
        if event.kind == "changed" and event.body.id >= 0:
            self._edited.add(event.body.id)


def _stop_elsewhere(server: Any) -> None:
    threading.Thread(target=stop_server, args=(server,), daemon=True).start()
