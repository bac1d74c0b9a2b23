"""Problems since the last load, and what loaded scenes say besides their objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyrave.environment.constraints import joined_properties
from pyrave.environment.problem_log import log_problem
from pyrave.errors import Problem
from pyrave.scene import (
    PluginReference,
    SceneDescription,
    SimulationDescription,
)

if TYPE_CHECKING:
    from pyrave.interfaces.base import InterfaceBase


class LoadRecord:
    """Problems since the last load, failed objects, scene-wide data."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.extras: SceneDescription | None = None
        self.pending: tuple[PluginReference, ...] = ()
        """Plugins that the scene names which is being loaded."""
        self._loading = False

    @property
    def plugins(self) -> tuple[PluginReference, ...]:
        """Plugins that scenes name, the last one at the end."""
        return (*self.scene.plugins, *self.pending)

    @property
    def scene(self) -> SceneDescription:
        """Scene-level metadata of the files that were loaded."""
        return self.extras or SceneDescription()

    def change(self, **fields: Any) -> None:
        """Replace fields of `scene`."""
        self.extras = dataclasses.replace(self.scene, **fields)

    def report(self, problem: Problem) -> None:
        """Keep a problem and log it; those of a load are logged together at its end."""
        self.problems.append(problem)
        if not self._loading:
            log_problem(problem)

    def disable(self, item: InterfaceBase, problem: Problem) -> None:
        """Mark an object as failed and report why."""
        item.disabled = True
        self.report(problem)

    def begin_load(self) -> list[Problem]:
        """Forget the problems so far and return them, for `abort_load`."""
        before, self.problems = self.problems, []
        self._loading = True
        return before

    def abort_load(self, before: list[Problem]) -> None:
        """Put back what `begin_load` returned."""
        self._loading = False
        self.pending = ()
        during, self.problems = self.problems, before
        for problem in during:
            log_problem(problem)

    def finish_load(self, scene: SceneDescription, problems: Iterable[Problem]) -> None:
        """Keep the problems of a load, which were logged, and what else the scene says.

        Parameters
        ----------
        problems
            All of them, with those that were reported meanwhile.
        """
        self._loading = False
        self.pending = ()
        self.problems = list(problems)
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
