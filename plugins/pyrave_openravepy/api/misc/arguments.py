"""Options that programs of OpenRAVE share, for ``optparse`` and ``argparse``."""

# ruff: noqa: ARG004

from __future__ import annotations

import argparse
import logging
import optparse
from collections.abc import Callable
from typing import Any

from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded, guarded
from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.foundation.logs import RaveSetDebugLevel

__all__ = ["OpenRAVEGlobalArguments", "SetViewerUserThread"]

_OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("--collision", "_collision", "Collision checker of the environment."),
    ("--physics", "_physics", "Physics engine of the environment."),
    ("--viewer", "_viewer", "Viewer of the environment."),
    ("--server", "_server", "Module that answers clients."),
    ("--serverport", "_serverport", "Port of the server."),
)
_LEVELS = ("fatal", "error", "warn", "info", "debug", "verbose", "verifyplans")


class OpenRAVEGlobalArguments(Guarded):
    """Options that programs of OpenRAVE share, and environments as they say."""

    def __init__(self) -> None:
        pass

    @staticmethod
    def addOptions(parser: Any, testmode: bool = True) -> None:
        """Add the options to a parser of either kind."""
        if isinstance(parser, argparse.ArgumentParser):
            group: Any = parser.add_argument_group("OpenRAVE environment options")
            add = group.add_argument
        else:
            group = optparse.OptionGroup(parser, "OpenRAVE environment options")
            add = group.add_option
        add(
            "--loadplugin",
            action="append",
            dest="_loadplugins",
            default=[],
            help="A plugin to load; may be given again.",
        )
        for flag, dest, text in _OPTIONS:
            add(flag, action="store", dest=dest, default=None, help=text)
        add(
            "--module",
            action="append",
            dest="_modules",
            default=[],
            nargs=2,
            help="A module to load and its arguments; may be given again.",
        )
        add(
            "--level",
            "-l",
            "--log_level",
            action="store",
            dest="_level",
            default=None,
            help="Level of messages, one of " + ", ".join(_LEVELS) + ".",
        )
        if testmode:
            add(
                "--testmode",
                action="store_true",
                dest="testmode",
                default=False,
                help="Run to the end without asking anybody.",
            )
        if isinstance(parser, optparse.OptionParser):
            parser.add_option_group(group)

    @staticmethod
    def parseGlobal(options: Any, **kwargs: Any) -> None:
        """Set the level of messages and load plugins, as the options say."""
        level = getattr(options, "_level", None)
        if level is not None:
            RaveSetDebugLevel(_level(level))
        for name in getattr(options, "_loadplugins", None) or ():
            home().RaveLoadPlugin(name)

    @staticmethod
    def parseEnvironment(
        options: Any,
        env: Any,
        defaultviewer: Any = False,
        returnviewer: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Set engines, modules and the viewer as the options say."""
        api = home()
        collision = getattr(options, "_collision", None)
        if collision:
            checker = api.RaveCreateCollisionChecker(env, collision)
            if checker is not None:
                env.SetCollisionChecker(checker)
        physics = getattr(options, "_physics", None)
        if physics:
            engine = api.RaveCreatePhysicsEngine(env, physics)
            if engine is not None:
                env.SetPhysicsEngine(engine)
        server = getattr(options, "_server", None)
        if server:
            module = api.RaveCreateModule(env, server)
            if module is not None:
                port = getattr(options, "_serverport", None) or "4765"
                env.Add(module, True, str(port))
        for name, args in getattr(options, "_modules", None) or ():
            module = api.RaveCreateModule(env, name)
            if module is not None:
                env.Add(module, True, args)
        viewer = getattr(options, "_viewer", None)
        if viewer is None and defaultviewer and not getattr(options, "testmode", False):
            viewer = defaultviewer if isinstance(defaultviewer, str) else "qtcoin"
        if returnviewer:
            return viewer
        if viewer:
            env.SetViewer(viewer)
        return None

    @staticmethod
    def parseAndCreate(
        options: Any,
        createenv: Callable[[], Any] | None = None,
        returnviewer: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Return an environment as the options say; with the viewer's name if asked."""
        OpenRAVEGlobalArguments.parseGlobal(options)
        env = (home().Environment if createenv is None else createenv)()
        viewer = OpenRAVEGlobalArguments.parseEnvironment(
            options, env, returnviewer=returnviewer, **kwargs
        )
        return (env, viewer) if returnviewer else env

    @staticmethod
    def parseAndCreateThreadedUser(
        options: Any,
        userfn: Callable[[Any, Any], Any],
        createenv: Callable[[], Any] | None = None,
        returnviewer: bool = True,
        **kwargs: Any,
    ) -> None:
        """Call a function with an environment as the options say, and the options."""
        env, viewer = OpenRAVEGlobalArguments.parseAndCreate(
            options, createenv=createenv, returnviewer=True, **kwargs
        )
        SetViewerUserThread(env, viewer, lambda: userfn(env, options))


def _level(given: Any) -> int:
    text = str(given).strip().lower()
    if text.lstrip("-").isdigit():
        return int(text)
    if text not in _LEVELS:
        raise openrave_exception(
            f"--level is {given!r}, expected one of {', '.join(_LEVELS)}"
        )
    members = home().DebugLevel.__members__
    return next(int(value) for name, value in members.items() if name.lower() == text)


@guarded
def SetViewerUserThread(
    env: Any, viewername: str | None, userfn: Callable[[], Any]
) -> None:
    """Show an environment while a function runs; viewers here need no main thread."""
    if viewername:
        env.SetViewer(viewername)
    if not callable(userfn):
        raise TypeError(f"userfn is {userfn!r}, expected a function")
    logging.getLogger("openravepy").debug("the user's function begins")
    userfn()
