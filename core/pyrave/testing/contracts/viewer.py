"""The contract of viewers; no test runs `main`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.testing.contracts.interface import InterfaceContract, optional
from pyrave.testing.scene import BOX

if TYPE_CHECKING:
    from pyrave.environment import Environment


class ViewerContract(InterfaceContract):
    """What viewers promise."""

    interface_type = "viewer"

    def test_main(self, env: Environment) -> None:
        """``main(show=True)`` can be called without arguments."""
        signature = inspect.signature(self.make(env).main)
        signature.bind()
        fix = "write def main(self, show: bool = True) -> int"
        assert "show" in signature.parameters, fix

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
