"""Problems since the last load, and what loaded scenes say besides their objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.environment.problem_log import log_problem
from pyrave.errors import Problem
from pyrave.scene import (
    ContactProperties,
    Friction,
    PluginReference,
    SceneDescription,
    SimulationDescription,
)
from pyrave.scene.surfaces import completed

if TYPE_CHECKING:
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.scene import Restitution

Item = TypeVar("Item")


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
                contact_properties=_joined_properties(
                    self.extras.contact_properties, scene.contact_properties
                ),
            )
        self.extras = extras


def _joined_properties(
    known: ContactProperties, added: ContactProperties
) -> ContactProperties:
    """Return contact properties of two scenes; those added win where both have some.

    Pairs of a material of each that neither lists follow from `completed`.
    """
    joined = ContactProperties(
        _by_key((*known.materials, *added.materials), lambda one: one.name),
        _by_key((*known.object_types, *added.object_types), lambda one: one.name),
        _by_key((*known.friction, *added.friction), _pair),
        _by_key((*known.restitution, *added.restitution), _pair),
        added.default_material or known.default_material,
        added.default_object_type or known.default_object_type,
    )
    return completed(joined, known, added)


def _by_key(items: Iterable[Item], key: Callable[[Item], Hashable]) -> tuple[Item, ...]:
    """Return the last item of each key."""
    return tuple({key(item): item for item in items}.values())


def _pair(item: Friction | Restitution) -> Hashable:
    model = item.model if isinstance(item, Friction) else ""
    return frozenset((item.first, item.second)), model
