"""Checks of viewers; none of them runs `main`."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import ViewerBase
from pyrave.testing.checks import check, require
from pyrave.testing.scene import BOX, kit_body
from pyrave.testing.subject import Subject


@check("main", "main(show=True) can be called without arguments.", "main")
def main(subject: Subject) -> None:
    viewer: ViewerBase = subject.make()
    signature = inspect.signature(viewer.main)
    signature.bind()
    require(
        "show" in signature.parameters,
        f"main{signature} has no parameter `show`",
        "write def main(self, show: bool = True) -> int",
    )


@check("quit", "quit_main_loop() before main does no harm, also twice.")
def quit_first(subject: Subject) -> None:
    viewer: ViewerBase = subject.make()
    viewer.quit_main_loop()
    viewer.quit_main_loop()


@check("sync", "environment_sync and body_removed never raise.", "environment_sync")
def sync(subject: Subject) -> None:
    viewer: ViewerBase = subject.make()
    viewer.environment_sync()
    body = kit_body(subject.env, BOX)
    subject.env.remove(body)
    viewer.body_removed(body)
    viewer.environment_sync()
    viewer.quit_main_loop()


@check("optional", "Optional methods work or raise NotSupportedError.", "set_camera")
def optional(subject: Subject) -> None:
    viewer: ViewerBase = subject.make()
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("set_camera", (np.eye(4), 1.0)),
        ("set_size", (640, 480)),
        ("set_background_color", ((1.0, 1.0, 1.0),)),
        ("plot", ("points", np.zeros((1, 3)))),
        ("get_camera_image", (32, 24, np.eye(4), (30.0, 30.0, 16.0, 12.0))),
    ]
    for name, arguments in calls:
        try:
            result = getattr(viewer, name)(*arguments)
        except NotSupportedError:
            continue
        if name == "get_camera_image":
            require(
                np.shape(result) == (24, 32, 3) and result.dtype == np.uint8,
                f"get_camera_image returned {result.dtype} of shape "
                f"{np.shape(result)}, expected (24, 32, 3) uint8",
            )
    viewer.quit_main_loop()
