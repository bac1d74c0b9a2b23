"""The environments of a process, its beginning and its end."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.environment.life import all_environments
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.logs import RaveSetDebugLevel

__all__ = [
    "RaveDestroy",
    "RaveGetDefaultViewerType",
    "RaveGetEnvironment",
    "RaveGetEnvironmentId",
    "RaveGetEnvironments",
    "RaveGlobalState",
    "RaveInitialize",
    "openravepyCompilerVersion",
]


@guarded
def RaveInitialize(load_all_plugins: bool = True, level: int | None = None) -> int:  # noqa: ARG001
    """Set the level of messages; plugins are loaded when they are used.

    Parameters
    ----------
    load_all_plugins
        Of no effect.
    level
        A `DebugLevel`.
    """
    if level is not None:
        RaveSetDebugLevel(level)
    return 0


@guarded
def RaveDestroy() -> None:
    """Destroy all environments."""
    for env in all_environments().values():
        env.Destroy()


@guarded
def RaveGlobalState() -> None:
    """Return None: there is no state that several copies of OpenRAVE would share."""


@guarded
def RaveGetEnvironment(id: int) -> Any:
    """Return the environment of a number, None if there is none."""
    return all_environments().get(int(id))


@guarded
def RaveGetEnvironmentId(env: Any) -> int:
    """Return the number of an environment, 0 if it was destroyed."""
    number = int(env.GetId())
    return number if number in all_environments() else 0


@guarded
def RaveGetEnvironments() -> list[Any]:
    """Return the environments that were not destroyed."""
    return list(all_environments().values())


@guarded
def RaveGetDefaultViewerType() -> str:
    """Return the id of the viewer that is shown where none is named."""
    import pyrave

    return pyrave.registry().default_id("viewer")


@guarded
def openravepyCompilerVersion() -> str:
    """Return the version of Python: nothing of this is compiled before."""
    import platform

    return f"python {platform.python_version()}"
