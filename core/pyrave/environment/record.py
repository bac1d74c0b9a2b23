"""Problem log and scene-level metadata of an environment."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyrave.environment.constraints import joined_properties
from pyrave.errors import Problem, Severity
from pyrave.scene import SceneDescription, SimulationDescription

if TYPE_CHECKING:
    from pyrave.interfaces.base import InterfaceBase

_log = logging.getLogger("pyrave")


class Record:
    """Problems of the last load and since, failed objects, scene-wide data."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.extras: SceneDescription | None = None

    @property
    def scene(self) -> SceneDescription:
        """Scene-level metadata of the files that were loaded."""
        return self.extras or SceneDescription()

    def change(self, **fields: Any) -> None:
        """Replace fields of `scene`."""
        self.extras = dataclasses.replace(self.scene, **fields)

    def report(self, problem: Problem) -> None:
        """Keep a problem and log it once."""
        self.problems.append(problem)
        serious = problem.traceback or problem.severity is Severity.ERROR
        text = f"{problem}\n{problem.traceback}" if problem.traceback else str(problem)
        _log.log(logging.ERROR if serious else logging.WARNING, "%s", text)

    def disable(self, item: InterfaceBase, problem: Problem) -> None:
        """Mark an object as failed and report why."""
        item.disabled = True
        self.report(problem)

    def begin_load(self) -> list[Problem]:
        """Forget the problems so far and return them, for `abort_load`."""
        before, self.problems = self.problems, []
        return before

    def abort_load(self, before: list[Problem]) -> None:
        """Put back what `begin_load` returned."""
        self.problems = before

    def finish_load(self, scene: SceneDescription, problems: Iterable[Problem]) -> None:
        """Log the warnings of a load and keep what else the scene says."""
        during, self.problems = self.problems, []
        for problem in problems:
            self.report(problem)
        self.problems += during
        extras = dataclasses.replace(
            scene,
            bodies=(),
            interfaces=(),
            problems=(),
            grabs=(),
            constraints=(),
            simulation=SimulationDescription(),
            ignored_pairs=(),
        )
        if self.extras is not None:
            # each plugin once, also when the same file is loaded many times
            plugins = tuple(dict.fromkeys((*self.extras.plugins, *scene.plugins)))
            base = extras if scene.root == "environment" else self.extras
            known = {one.name: one for one in (*self.extras.frames, *scene.frames)}
            extras = dataclasses.replace(
                base,
                plugins=plugins,
                frames=tuple(known.values()),
                contact_properties=joined_properties(
                    self.extras.contact_properties, scene.contact_properties
                ),
            )
        self.extras = extras
