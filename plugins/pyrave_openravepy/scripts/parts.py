"""Parts of environments that the command line names: a checker, an engine, modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyrave.errors import ArgumentError
from pyrave_openravepy.installation import install
from pyrave_openravepy.scripts.options import Options

__all__ = ["make_part", "set_run_options"]


def set_run_options(options: Options) -> None:
    """Let all environments from now on begin as the command line says."""
    from pyrave_openravepy.api.environment.options import options as chosen

    chosen.simulation_thread = chosen.web_viewer = not options.test_mode
    chosen.viewer = options.viewer
    chosen.prepare = None
    if options.collision or options.physics:
        chosen.prepare = lambda env: _prepare(env, options)


def _prepare(env: Any, options: Options) -> None:
    api: Any = install()
    if options.collision:
        make = api.RaveCreateCollisionChecker
        env.SetCollisionChecker(make_part(make, env, "collision", options.collision))
    if options.physics:
        make = api.RaveCreatePhysicsEngine
        env.SetPhysicsEngine(make_part(make, env, "physics", options.physics))


def make_part(make: Callable[[Any, str], Any], env: Any, what: str, name: str) -> Any:
    """Return a part of an id.

    Raises
    ------
    ArgumentError
        There is no such id.
    """
    made = make(env, name)
    if made is None:
        raise ArgumentError(
            f"--{what} {name}: there is no such id; `pyrave plugins` lists them"
        )
    return made
