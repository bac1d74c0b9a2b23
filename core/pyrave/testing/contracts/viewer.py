"""The contract of viewers."""

from __future__ import annotations

import inspect
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.testing.comparison import difference
from pyrave.testing.contracts.interface import InterfaceContract, optional
from pyrave.testing.scene import BALL, BOX, goes_away, state_of_world
from pyrave.testing.time_limit import run_within

if TYPE_CHECKING:
    from pyrave.environment import Environment

_PATIENCE = 20.0
"""Seconds that `main` may take to end."""


class ViewerContract(InterfaceContract):
    """Contract of viewers."""

    interface_type = "viewer"

    def test_main(self, env: Environment) -> None:
        """``main(show=True)`` can be called without arguments."""
        signature = inspect.signature(self.make(env).main)
        signature.bind()
        fix = "write def main(self, show: bool = True) -> int"
        assert "show" in signature.parameters, fix

    def test_main_ends(self, env: Environment) -> None:
        """``main(show=False)`` ends when quit_main_loop was called in a thread."""
        viewer, codes = self.make(env), list[Any]()
        quitting = threading.Event()

        def end() -> None:
            while not quitting.wait(0.1):
                viewer.quit_main_loop()

        worker = threading.Thread(target=end, daemon=True)
        worker.start()
        try:
            fix = "let quit_main_loop set a threading.Event that main looks at"
            run_within(
                min(self.time_limit, _PATIENCE),
                lambda: codes.append(viewer.main(show=False)),
            )
        except AssertionError as error:
            raise AssertionError(f"main: {error}\n{fix}") from None
        finally:
            quitting.set()
            worker.join()
        (code,) = codes
        assert isinstance(code, int), "end main with `return 0`"
        assert code == 0, "main returns 0 when all went well"

    def test_shows_only(self, env: Environment) -> None:
        """``environment_sync`` moves nothing, and no clock; removed bodies go away."""
        viewer = self.make(env)
        before, clock = state_of_world(env), env.simulation_time
        viewer.environment_sync()
        assert difference(before, state_of_world(env), "bodies") is None
        assert env.simulation_time == clock, "leave stepping to env.step"
        viewer.body_removed(self.body(env, BALL))
        fix = "keep bodies by their ids, and forget them in body_removed"
        assert goes_away(env, BALL), fix
        viewer.quit_main_loop()

    def test_quit(self, env: Environment) -> None:
        """``quit_main_loop()`` before main does no harm, also twice."""
        viewer = self.make(env)
        viewer.quit_main_loop()
        viewer.quit_main_loop()

    def test_sync(self, env: Environment) -> None:
        """``environment_sync`` and body_removed never raise."""
        viewer, body = self.make(env), self.body(env, BOX)
        viewer.environment_sync()
        env.remove(body)
        viewer.body_removed(body)
        viewer.environment_sync()
        viewer.quit_main_loop()

    def test_optional(self, env: Environment) -> None:
        """Optional methods work or raise NotSupportedError."""
        viewer = self.make(env)
        calls: dict[str, tuple[Any, ...]] = {
            "set_camera": (np.eye(4), 1.0),
            "set_size": (640, 480),
            "set_background_color": ((1.0, 1.0, 1.0),),
            "plot": ("points", np.zeros((1, 3))),
            "get_camera_image": (32, 24, np.eye(4), (30.0, 30.0, 16.0, 12.0)),
        }
        for name, image in optional(viewer, calls):
            if name == "get_camera_image":
                assert (image.shape, image.dtype) == ((24, 32, 3), np.uint8)
        viewer.quit_main_loop()
