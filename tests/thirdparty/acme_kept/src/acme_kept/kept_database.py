"""A database: distances of a tool from the base of its arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pyrave import Manipulator, setting
from pyrave.databases import Database, arm_digest


@dataclass(frozen=True)
class SpanParameters:
    """What is asked."""

    tasks: int = setting(2, "of a hundred configurations each", least=1)


class SpanDatabase(Database):
    """Distances of a tool from the base of its arm, at random configurations."""

    kind = "kept-spans"
    version = 1
    settings_type = SpanParameters
    takes: ClassVar[Mapping[str, type]] = {"manipulator": Manipulator}

    def __init__(self, arm: Manipulator, **parameters: Any) -> None:
        super().__init__(arm, **parameters)
        self.arm = arm

    def _identity(self) -> Mapping[str, object]:
        return {"arm": arm_digest(self.arm)}

    def _task_count(self) -> int:
        return int(self.settings.tasks)

    def _compute(self, index: int) -> dict[str, Any]:
        rows = self.arm.sample_configurations(100, seed=self._seed(index))
        base = self.arm.base.transform[:3, 3]
        places = self.arm.compute_transforms(rows)[:, :3, 3]
        return {"distances": np.linalg.norm(places - base, axis=1)}
