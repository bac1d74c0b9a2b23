"""A database of small tasks that leave a mark when they begin, for `chaos`."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import pyrave
from pyrave.databases import Database, arm_digest
from pyrave.interfaces.settings.declarations import setting

TASKS = 24


@dataclass(frozen=True)
class MarkedParameters:
    seconds: float = setting(0.03, "that a task takes at least", unit="s", least=0.0)


class MarkedDatabase(Database):
    """Poses of an arm at random, task by task."""

    kind = "chaos"
    settings_type = MarkedParameters
    takes: ClassVar = {"manipulator": pyrave.Manipulator}

    def _identity(self) -> Mapping[str, object]:
        return {"arm": arm_digest(self.subjects[0])}

    def _task_count(self) -> int:
        return TASKS

    def _compute(self, index: int) -> dict[str, Any]:
        if marks := os.environ.get("CHAOS_MARKS"):
            (Path(marks) / f"{index}.{os.urandom(6).hex()}").touch()
        time.sleep(self.settings.seconds)
        arm = self.subjects[0]
        rows = arm.sample_configurations(200, seed=self._seed(index))
        return {"index": np.full(200, index), "poses": arm.compute_transforms(rows)}


def database() -> MarkedDatabase:
    """Return the database of an arm that ships."""
    robot = pyrave.load("robots/arms/panda.robot.xml").robots[0]
    return MarkedDatabase(robot.manipulators[0])


def main() -> None:
    """Build, and be killed once so many tasks are done."""
    most = int(sys.argv[1])

    def end(done: int, _total: int) -> None:
        if done >= most:
            os.kill(os.getpid(), signal.SIGKILL)

    database().build(workers=2, progress=end)


if __name__ == "__main__":
    main()
