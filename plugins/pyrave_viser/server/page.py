"""The page of a viewer: viser's, with a name of its own and some style."""

from __future__ import annotations

import gzip
import html
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from pyrave.cards import listed

if TYPE_CHECKING:
    from websockets.http11 import Response

PRODUCT = "pyrave"

_NAMES = 3
_MARK = b"<title>Viser</title>"
# viser puts labels of sliders so near that handles are over them, and beyond the ends
_STYLE = (
    b"<style>.mantine-Slider-markLabel{margin-top:0.2rem}"
    b".mantine-Slider-markWrapper:first-child .mantine-Slider-markLabel"
    b"{transform:translate(-0.2rem,0.05rem)!important}"
    b".mantine-Slider-markWrapper:last-child .mantine-Slider-markLabel"
    b"{transform:translate(calc(0.2rem - 100%),0.05rem)!important}</style>"
)


class Named(Protocol):
    """An object whose name can stand in a title."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def is_robot(self) -> bool:
        """True for robots, which come first in a title."""


class Page:
    """The page that browsers load first: written by one thread, read by another."""

    def __init__(self) -> None:
        self.title = PRODUCT
        """Title of the tabs of browsers that load the page now."""
        self._made: tuple[object, object, bytes] = (None, None, b"")

    def dress(self, response: Response) -> None:
        """Give a response its name and style, if it is the page."""
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return
        squeezed = response.headers.get("Content-Encoding") == "gzip"
        key = self.title, squeezed
        if self._made[0] != key or self._made[1] is not response.body:
            sent = bytes(response.body)
            made = dressed(gzip.decompress(sent) if squeezed else sent, self.title)
            made = gzip.compress(made, 6) if squeezed else made
            self._made = key, response.body, made
        response.body = self._made[2]
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))


def dressed(page: bytes, title: str) -> bytes:
    """Return a page of viser with another name, and with its style."""
    name = html.escape(title).encode("utf-8")
    return page.replace(_MARK, b"<title>" + name + b"</title>" + _STYLE, 1)


def title_of(bodies: Iterable[Named]) -> str:
    """Return the title of a page that shows bodies: after its robots, if any."""
    every = list(bodies)
    robots = [body.name for body in every if body.is_robot]
    names = listed(robots or [body.name for body in every], _NAMES)
    return f"{names} - {PRODUCT}" if names else PRODUCT
