"""All uses of viser's internals.

Its server has no place where connections and messages can be looked at, and its nodes
compare each pose with the last one, which takes more time than all the rest, and takes
what is within 1e-5 of it for the same. What is kept for browsers that come, and icons,
are read more often than need be.
"""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyrave.spatial import Array

_mutex = threading.Lock()


@contextmanager
def listening_with(serve: Callable[..., Any]) -> Iterator[None]:
    """Let servers that start in this block listen with another ``serve``.

    It is that of ``websockets.asyncio.server``, which viser finds by its name.
    """
    import websockets
    from viser.infra import _infra
    from websockets.asyncio import server

    replaced = SimpleNamespace(**{**vars(server), "serve": serve})
    with _mutex:
        _infra.websockets = SimpleNamespace(
            **{**vars(websockets), "asyncio": SimpleNamespace(server=replaced)}
        )
        try:
            yield
        finally:
            _infra.websockets = websockets


@contextmanager
def icons_at_hand() -> Iterator[None]:
    """Let viser open its archive of icons once in a block, not for each icon.

    There are thousands in it: making the panels took mostly that.
    """
    from viser import _icons

    archives: dict[Any, zipfile.ZipFile] = {}

    def opened(path: Any) -> nullcontext[zipfile.ZipFile]:
        if path not in archives:
            archives[path] = zipfile.ZipFile(path)
        return nullcontext(archives[path])

    with _mutex:
        _icons.zipfile = SimpleNamespace(ZipFile=opened)
        try:
            yield
        finally:
            _icons.zipfile = zipfile
            for archive in archives.values():
                archive.close()


def takes(server: Any, uuid: str, value: Any) -> bool:
    """Return True if a control, given its id, is there and may have a value.

    viser takes what comes, or fails: choices that are not offered, numbers beyond the
    ends of a slider, texts in the place of numbers.
    """
    handle = server.gui._gui_input_handle_from_uuid.get(uuid)  # noqa: SLF001
    if handle is None:
        return False
    state = handle._impl  # noqa: SLF001
    if state.removed or getattr(state.props, "disabled", False):
        return False
    options = getattr(handle, "options", None)
    if options is not None:
        return value in options
    if state.is_button or isinstance(state.value, bool):
        return isinstance(value, bool)
    if not isinstance(state.value, tuple):
        return _fits(state.value, value, handle)
    return (
        isinstance(value, list)
        and len(value) == len(state.value)
        and all(map(_fits, state.value, value, [handle] * len(value)))
    )


def _fits(present: Any, value: Any, handle: Any) -> bool:
    """Return True if a value is of the kind of the present one, within its ends."""
    if isinstance(present, str):
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    least, most = getattr(handle, "min", None), getattr(handle, "max", None)
    if least is None or most is None:
        return True
    room = 1e-3 * (most - least)
    return bool(least - room <= value <= most + room)


def turn(nodes: Iterable[Any], wxyzs: Array) -> None:
    """Turn nodes: set ``wxyz`` of each, (n, 4)."""
    from viser._messages import SetOrientationMessage

    for node, wxyz in zip(nodes, wxyzs.tolist(), strict=True):
        state = node._impl  # noqa: SLF001
        state.wxyz[:] = wxyz
        state.api._queue_scene_message(  # noqa: SLF001
            SetOrientationMessage(state.name, tuple(wxyz))
        )


def shift(nodes: Iterable[Any], positions: Array) -> None:
    """Shift nodes: set ``position`` of each, (n, 3)."""
    from viser._messages import SetPositionMessage

    for node, position in zip(nodes, positions.tolist(), strict=True):
        state = node._impl  # noqa: SLF001
        state.position[:] = position
        state.api._queue_scene_message(  # noqa: SLF001
            SetPositionMessage(state.name, tuple(position))
        )


def forget_history(server: Any, most: int = 2_000_000) -> None:
    """Count what is kept for new browsers from 0 again, if nobody looks.

    For whoever comes viser goes through all numbers that there ever were, some twenty
    million a second, and everybody waits for it.
    """
    link = server._websock_server  # noqa: SLF001
    buffer = link._broadcast_buffer  # noqa: SLF001
    if buffer.message_counter < most:
        return

    def renumber() -> None:
        # in the loop in which browsers come
        if link._client_state_from_id or buffer.generator_cursors:  # noqa: SLF001
            return
        with buffer.buffer_lock:
            new = {old: k for k, old in enumerate(buffer.message_from_id)}
            buffer.message_from_id = dict(enumerate(buffer.message_from_id.values()))
            buffer.id_from_redundancy_key = {
                key: new[old] for key, old in buffer.id_from_redundancy_key.items()
            }
            buffer.ids_from_entity_state_key = {
                key: {new[old] for old in several}
                for key, several in buffer.ids_from_entity_state_key.items()
            }
            buffer.message_counter = len(new)

    server.get_event_loop().call_soon_threadsafe(renumber)
