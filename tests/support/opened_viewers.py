"""Viewers that tests act on from their own thread."""

import time
from typing import Any


def opened(env: Any) -> Any:
    """Show an environment, without a browser, and wait until the viewer has looked.

    For choosing from where to look it holds the lock of the environment, which what
    people do waits for only briefly.
    """
    viewer = env.show(browser=False)
    end = time.monotonic() + 120.0
    while not viewer.session._is_aimed and time.monotonic() < end:
        viewer.session.wake()
        time.sleep(0.01)
    return viewer


def act(viewer: Any) -> None:
    """Do what waits, as the viewer's thread does while a browser is there."""
    viewer.session.actions.run(viewer.env)
    viewer.session.show_now()
