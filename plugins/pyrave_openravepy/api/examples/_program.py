"""Beginnings of the examples: options, an environment, a scene, a robot."""

from __future__ import annotations

import optparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.misc.arguments import OpenRAVEGlobalArguments

__all__ = ["api", "scene", "tell"]


@contextmanager
def scene(
    args: Sequence[str] | None, text: str, name: str = "scenes/demo.env.xml"
) -> Iterator[tuple[Any, Any]]:
    """Give an environment with a scene, and its first robot; destroy it at the end."""
    parser = optparse.OptionParser(description=text)
    OpenRAVEGlobalArguments.addOptions(parser)
    parser.add_option("--scene", default=name, help="The file of the scene.")
    options, _ = parser.parse_args(None if args is None else list(args))
    env = OpenRAVEGlobalArguments.parseAndCreate(options)
    try:
        env.StopSimulation()
        if not env.Load(options.scene):
            raise openrave_exception(f"--scene: {options.scene} is not loaded")
        robots = env.GetRobots()
        if not robots:
            raise openrave_exception(f"--scene: {options.scene} has no robot")
        yield env, robots[0]
    finally:
        env.Destroy()


def tell(text: str) -> None:
    """Print a line of an example."""
    print(text)  # noqa: T201 - it is what they are for


def api() -> Any:
    """Return the module ``openravepy``."""
    return home()
