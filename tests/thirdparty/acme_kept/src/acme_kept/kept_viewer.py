"""The viewer KeptViewer."""

from __future__ import annotations

import sys
import threading

from pyrave import Environment
from pyrave.bodies import KinBody
from pyrave.interfaces import ViewerBase


class KeptViewer(ViewerBase):
    """Shows name and position of every body as lines of text.

    `main` prints what changed ten times a second; with ``show=False`` it looks once.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._quit = threading.Event()
        self.lines: dict[str, str] = {}

    def main(self, show: bool = True) -> int:
        """Run until closed; 0 when all went well.

        Parameters
        ----------
        show
            False: run without a window.
        """
        shown: list[str] = []
        while True:
            self.environment_sync()
            if not show:
                return 0
            lines = list(self.lines.values())
            if lines != shown:
                sys.stdout.write("\n".join(lines) + "\n")
                shown = lines
            if self._quit.wait(0.1):
                self._quit.clear()
                return 0

    def quit_main_loop(self) -> None:
        """End `main` from any thread."""
        self._quit.set()

    def environment_sync(self) -> None:
        """Show the present state of the environment.

        The thread that steps calls it, with the environment locked.
        """
        with self.env.lock():
            self.lines = {
                body.name: "{:<20} {:8.3f} {:8.3f} {:8.3f}".format(
                    body.name, *body.transform[:3, 3]
                )
                for body in self.env.bodies
            }

    def body_removed(self, body: KinBody) -> None:
        """Stop showing a body; called when it leaves the environment."""
        self.lines.pop(body.name, None)
