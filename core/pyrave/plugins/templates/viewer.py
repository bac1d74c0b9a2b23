"""Template of a viewer: shows the scene as text."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The viewer @id@."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from pyrave.interfaces import ViewerBase

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave.interfaces import EnvironmentProtocol


class @id@(ViewerBase):
    """Shows name and position of every body as lines of text."""

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._quit = threading.Event()
        self.lines: dict[str, str] = {}

    def main(self, show: bool = True) -> int:
        """Print the scene ten times a second until `quit_main_loop` is called.

        With ``show=False`` it is looked at once and nothing is printed.
        """
        shown: list[str] = []
        while True:
            self.environment_sync()
            if not show:
                return 0
            lines = list(self.lines.values())
            if lines != shown:
                sys.stdout.write("\\n".join(lines) + "\\n")
                shown = lines
            if self._quit.wait(0.1):
                self._quit.clear()
                return 0

    def quit_main_loop(self) -> None:
        """End `main` from any thread; if it does not run yet, it ends at once."""
        self._quit.set()

    def environment_sync(self) -> None:
        """Look at the environment."""
        with self.env.lock():
            self.lines = {
                body.name: "{:<20} {:8.3f} {:8.3f} {:8.3f}".format(
                    body.name, *body.transform[:3, 3]
                )
                for body in self.env.bodies
            }

    def body_removed(self, body: KinBody) -> None:
        """Stop showing a body."""
        self.lines.pop(body.name, None)
'''

_TEST = '''"""What @id@ shows."""

import threading


def test_it_shows_every_body(scene):
    viewer = scene.create("viewer", "@id@")
    assert viewer.main(show=False) == 0
    assert set(viewer.lines) == {body.name for body in scene.bodies}
    viewer.body_removed(scene.bodies["ball"])
    assert "ball" not in viewer.lines


def test_the_main_loop_ends(scene, capsys):
    viewer = scene.create("viewer", "@id@")
    timer = threading.Timer(0.05, viewer.quit_main_loop)
    timer.start()
    assert viewer.main() == 0
    timer.join()
    assert "ball" in capsys.readouterr().out
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <viewer type="@id@"/>\n')
