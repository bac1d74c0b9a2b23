"""Databases whose results are known, for tests of what all have in common."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from grasping_scenes import hand_and_ball

from pyrave.bodies import KinBody
from pyrave.databases import Database, geometry_digest, kinematics_digest
from pyrave.errors import Error
from pyrave.interfaces.settings.declarations import setting


class AuthorError(Error):
    """An error that no other process can read, as its arguments are not its text."""

    def __init__(self, what, where):
        super().__init__(f"{what} at {where}")


@dataclass(frozen=True)
class NumberParameters:
    tasks: int = setting(6, "number of them", least=0)
    scale: float = setting(1.0, "of all numbers", unit="m", above=0.0)
    log: str = setting("", "folder in which tasks leave a file when they begin")
    fault: str = setting("", "what befalls the task of index 2")
    gigabytes: int = setting(0, "of memory that it says it needs", least=0)
    pause: float = setting(0.0, "of each task", unit="s", least=0.0)


class NumberDatabase(Database):
    """Random numbers, of each task's own seed."""

    kind = "numbers"
    settings_type = NumberParameters
    takes: ClassVar = {"body": KinBody}

    def _identity(self):
        (body,) = self.subjects
        return {
            "kinematics": kinematics_digest(body),
            "geometry": geometry_digest(body),
        }

    def _task_count(self):
        return self.settings.tasks

    def _memory(self):
        return self.settings.gigabytes << 30

    def _compute(self, index):
        given = self.settings
        if given.log:
            folder = Path(given.log)
            begun = len(list(folder.glob(f"{index}.*")))
            (folder / f"{index}.{begun}").touch()
            if index == 2 and given.fault == "kill once" and not begun:
                os.kill(os.getpid(), signal.SIGKILL)
        if index == 2 and given.fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if index == 2 and given.fault == "raise":
            raise ZeroDivisionError("by its author")
        if index == 2 and given.fault == "own error":
            raise AuthorError("a dent", "the rim")
        if index == 2 and given.fault == "interrupt":
            raise KeyboardInterrupt
        if index == 2 and given.fault == "objects":
            return {"numbers": np.array([{}])}
        if index == 2 and given.fault == "list":
            return [1.0]
        if index == 2 and given.fault == "names":
            return {"others": np.zeros(3)}
        time.sleep(given.pause)
        numbers = given.scale * self._generator(index).normal(size=(3, 2))
        body = self.subjects[0]
        return {
            "numbers": numbers,
            "index": np.full(3, index),
            "where": np.tile(body.transform[:3, 3], (3, 1)),
            "around": np.full(3, len(body.env.bodies)),
        }


class PlacedDatabase(NumberDatabase):
    """Its author forgot that poses do not count."""

    kind = "placed"

    def _identity(self):
        return {"pose": self.subjects[0].transform.tolist()}


def numbers(**parameters):
    """Return a database about a ball that lies somewhere beside a hand."""
    _, ball = hand_and_ball((0.3, 0.2, 0.1))
    return NumberDatabase(ball, **parameters)
