"""Messages of OpenRAVE's levels, through Python's ``logging``."""

from __future__ import annotations

import logging
from typing import Any

from pyrave_openravepy.api.enums import DebugLevel
from pyrave_openravepy.api.foundation.guard import guarded

__all__ = [
    "RaveGetDebugLevel",
    "RaveLog",
    "RaveLogDebug",
    "RaveLogError",
    "RaveLogFatal",
    "RaveLogInfo",
    "RaveLogVerbose",
    "RaveLogWarn",
    "RaveSetDebugLevel",
    "logger",
    "raveGetDebugLevel",
    "raveLog",
    "raveLogDebug",
    "raveLogError",
    "raveLogFatal",
    "raveLogInfo",
    "raveLogVerbose",
    "raveLogWarn",
    "raveSetDebugLevel",
]

logger = logging.getLogger("pyrave.openravepy")
_LEVELS = {
    DebugLevel.Fatal: logging.CRITICAL,
    DebugLevel.Error: logging.ERROR,
    DebugLevel.Warn: logging.WARNING,
    DebugLevel.Info: logging.INFO,
    DebugLevel.Debug: logging.DEBUG,
    DebugLevel.Verbose: logging.DEBUG - 5,
}
_level = int(DebugLevel.Info)


@guarded
def RaveSetDebugLevel(level: int) -> None:
    """Show messages up to a level."""
    global _level  # noqa: PLW0603
    _level = int(level)
    logger.setLevel(_LEVELS[_in_range(_level)])


@guarded
def RaveGetDebugLevel() -> int:
    """Return the level up to which messages are shown."""
    return _level


def _in_range(level: int) -> Any:
    # bits above the level say whether plans are verified
    return DebugLevel(min(max(level & 0xF, 0), int(DebugLevel.Verbose)))


@guarded
def RaveLog(log: str, level: int) -> None:
    """Log a message at a level."""
    logger.log(_LEVELS[_in_range(int(level))], "%s", log)


@guarded
def RaveLogFatal(log: str) -> None:
    """Log a message about what ends the program."""
    RaveLog(log, DebugLevel.Fatal)


@guarded
def RaveLogError(log: str) -> None:
    """Log an error."""
    RaveLog(log, DebugLevel.Error)


@guarded
def RaveLogWarn(log: str) -> None:
    """Log a warning."""
    RaveLog(log, DebugLevel.Warn)


@guarded
def RaveLogInfo(log: str) -> None:
    """Log a message for users."""
    RaveLog(log, DebugLevel.Info)


@guarded
def RaveLogDebug(log: str) -> None:
    """Log a message for developers."""
    RaveLog(log, DebugLevel.Debug)


@guarded
def RaveLogVerbose(log: str) -> None:
    """Log a message that only who looks for it wants."""
    RaveLog(log, DebugLevel.Verbose)


# as earlier versions spell them
raveGetDebugLevel = RaveGetDebugLevel
raveLog = RaveLog
raveLogDebug = RaveLogDebug
raveLogError = RaveLogError
raveLogFatal = RaveLogFatal
raveLogInfo = RaveLogInfo
raveLogVerbose = RaveLogVerbose
raveLogWarn = RaveLogWarn
raveSetDebugLevel = RaveSetDebugLevel
