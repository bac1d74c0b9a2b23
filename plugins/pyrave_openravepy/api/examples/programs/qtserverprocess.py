"""Another process that has an environment and does what it is asked."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, Self

import numpy as np

from pyrave_openravepy.api.examples._program import expect, tell

__all__ = ["ServerProcess", "run"]


class ServerProcess:
    """A process with an environment of its own; a context manager.

    Parameters
    ----------
    seconds
        For which an answer is waited for.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        start = multiprocessing.get_context("spawn")
        self._seconds = seconds
        self._pipe, far = start.Pipe()
        self._process = start.Process(target=_serve, args=(far,), daemon=True)
        self._process.start()
        far.close()

    def call(self, path: str, *arguments: Any) -> Any:
        """Call a function of the other environment; a path goes on to what it gives.

        ``call("GetKinBody/GetTransform", "mug")`` gives the first the arguments.
        """
        self._pipe.send((path, arguments))
        if not self._pipe.poll(self._seconds):
            raise TimeoutError(f"{path}: no answer for {self._seconds:g} s")
        good, answer = self._pipe.recv()
        if not good:
            raise RuntimeError(f"{path}: {answer}")
        return answer

    def close(self) -> None:
        """End the process."""
        if self._process.is_alive():
            self._pipe.send(None)
        self._process.join(self._seconds)
        self._pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _serve(pipe: Connection) -> None:
    from pyrave_openravepy.api.environment.options import options
    from pyrave_openravepy.installation import install

    options.simulation_thread = options.web_viewer = False
    env: Any = install().Environment()
    try:
        while (asked := pipe.recv()) is not None:
            path, arguments = asked
            try:
                answer = env
                for name in path.split("/"):
                    answer = getattr(answer, name)(*arguments)
                    arguments = ()
                pipe.send((True, answer))
            except Exception:  # noqa: BLE001 - who has asked is told of it
                pipe.send((False, traceback.format_exc(limit=0).strip()))
    except EOFError:
        pass  # nobody asks any more
    finally:
        env.Destroy()


def run(args: Sequence[str] | None = None) -> None:
    """Load a scene in another process, and read what it has."""
    del args
    with ServerProcess() as server:
        expect(server.call("Load", "scenes/demo.env.xml"), "the scene is not loaded")
        pose = server.call("GetKinBody/GetTransform", "mug")
        tell(f"the other process has the mug at {np.round(pose[:3, 3], 2)}")
        expect(abs(pose[2, 3] - 0.72) < 1e-9, "expected it on the table")
        values = server.call("GetRobot/GetDOFValues", "heron7")
        tell(f"and a robot with {len(values)} joints")
        try:
            server.call("GetKinBody/GetNothing", "mug")
        except RuntimeError as error:
            tell(str(error))
        else:
            expect(False, "a function that does not exist was called")
    tell("it has ended")
