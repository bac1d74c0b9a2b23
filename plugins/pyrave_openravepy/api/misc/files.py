"""Folders, trajectories of files, and messages."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.foundation.logs import logger

__all__ = ["InitOpenRAVELogging", "LoadTrajectoryFromFile", "mkdir_recursive"]

_FORM = "%(name)s: %(funcName)s, %(message)s"


@guarded
def InitOpenRAVELogging(stream: Any = None) -> None:
    """Show messages of OpenRAVE's loggers on a stream, standard output if left out."""
    target = sys.stdout if stream is None else stream
    if not callable(getattr(target, "write", None)):
        raise TypeError(f"a stream is {stream!r:.80}, expected an open file")
    for one in (logging.getLogger("openravepy"), logger):
        old = [handler for handler in one.handlers if _is_ours(handler)]
        for handler in old:
            one.removeHandler(handler)
        shown = logging.StreamHandler(target)
        shown.set_name("openravepy")
        shown.setFormatter(logging.Formatter(_FORM))
        one.addHandler(shown)
    logging.getLogger("openravepy").setLevel(logger.getEffectiveLevel())


def _is_ours(handler: logging.Handler) -> bool:
    return handler.get_name() == "openravepy"


@guarded
def LoadTrajectoryFromFile(env: Any, trajfile: str, trajtype: str = "") -> Any:
    made = home().RaveCreateTrajectory(env, trajtype)
    data = Path(trajfile).read_bytes()
    made.deserialize(data if data[:1] not in (b"<", b"\n", b" ") else data.decode())
    return made


@guarded
def mkdir_recursive(newdir: str) -> None:
    Path(newdir).mkdir(parents=True, exist_ok=True)
