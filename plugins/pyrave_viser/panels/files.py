"""Buttons: undo, save the scene, keep a picture, look at all of it."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pyrave.geometry import encode_png
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from pyrave_viser.shared import Shared

_WIDTH, _HEIGHT = 1600, 1200
_TIMEOUT = 20.0
_NAME = "scene.env.xml"
# so often a browser may ask for the scene, seconds
_EVERY = 1.0


class FileButtons:
    """The buttons at the top."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._mutex = threading.Lock()
        self._taking: set[int] = set()
        self._saved: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        gui = shared.server.gui
        undo = gui.add_button("Undo", icon="arrow-back-up")
        undo.on_click(weakly(self._undo))
        save = gui.add_button(
            "Save scene", icon="download", hint="Download it as OpenRAVE XML"
        )
        save.on_click(weakly(self._save))
        picture = gui.add_button(
            "Screenshot", icon="camera", hint="Download what this browser shows"
        )
        picture.on_click(weakly(self._picture))

    def _undo(self, event: Any) -> None:
        self._shared.actions.ask("undo", self._shared.actions.undo)

    def _save(self, event: Any) -> None:
        client = event.client

        def save(env: Any) -> None:
            now = time.monotonic()
            if now - self._saved.get(client, -_EVERY) < _EVERY:
                return
            self._saved[client] = now
            content = scene_file(env)
            if client.client_id in self._shared.server.get_clients():
                client.send_file_download(_NAME, content, save_immediately=True)

        self._shared.actions.ask(("save", event.client_id), save)

    def _picture(self, event: Any) -> None:
        # in a thread of the server, which may wait for the browser, but once for each
        client = event.client
        with self._mutex:
            if client.client_id in self._taking:
                return
            self._taking.add(client.client_id)
        try:
            _send_picture(client)
        except (RuntimeError, TimeoutError) as error:
            self._shared.actions.tell("No screenshot", str(error))
        finally:
            self._taking.discard(client.client_id)


def _send_picture(client: Any) -> None:
    camera = client.camera
    ratio = camera.image_width / max(camera.image_height, 1) or _WIDTH / _HEIGHT
    height = max(1, min(_HEIGHT, int(_WIDTH / ratio)))
    image = client.get_render(
        height, max(1, int(ratio * height)), transport_format="png", timeout=_TIMEOUT
    )
    client.send_file_download(
        "screenshot.png", encode_png(image[..., :3]), save_immediately=True
    )


def scene_file(env: Any) -> bytes:
    """Return the scene as one file of OpenRAVE XML, which needs no other."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / _NAME
        env.save(target, expand=True, embed_meshes=True)
        return target.read_bytes()
