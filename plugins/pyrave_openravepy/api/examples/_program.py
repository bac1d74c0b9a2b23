"""Beginnings of the examples: options, an environment, a scene, a robot."""

from __future__ import annotations

import optparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.misc.arguments import OpenRAVEGlobalArguments

__all__ = ["api", "expect", "scene", "tell"]


@contextmanager
def scene(
    args: Sequence[str] | None,
    text: str,
    name: str = "scenes/demo.env.xml",
    data: str = "",
) -> Iterator[tuple[Any, Any]]:
    """Give an environment with a scene, and its first robot; destroy it at the end.

    Parameters
    ----------
    args
        The words of the command line.
    text
        What the example shows.
    name
        The file of the scene, unless ``--scene`` says another.
    data
        The scene itself, as XML, instead of a file.
    """
    parser = optparse.OptionParser(description=text)
    OpenRAVEGlobalArguments.addOptions(parser)
    parser.add_option("--scene", default=None, help="The file of the scene.")
    options, _ = parser.parse_args(None if args is None else list(args))
    env = OpenRAVEGlobalArguments.parseAndCreate(options)
    try:
        env.StopSimulation()
        file = options.scene or name
        if not (env.LoadData(data) if data and not options.scene else env.Load(file)):
            raise openrave_exception(f"--scene: {file} is not loaded")
        robots = env.GetRobots()
        if not robots:
            raise openrave_exception(f"--scene: {file} has no robot")
        yield env, robots[0]
    finally:
        env.Destroy()


def tell(text: str) -> None:
    """Print a line of an example."""
    print(text)  # noqa: T201 - it is what they are for


def expect(holds: Any, text: str) -> None:
    """End the program with a message and exit code 1, unless something holds."""
    if not holds:
        raise SystemExit(f"failed: {text}")


def api() -> Any:
    """Return the module ``openravepy``."""
    return home()
