"""Data of an environment for physics engines, about bodies that may be renamed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.environment.constraints import body_of
from pyrave.environment.failures import problem_at
from pyrave.environment.membership import free_name
from pyrave.environment.simulation.instruments import place_sensors
from pyrave.environment.simulation.robot_controllers import drive_robots
from pyrave.errors import ArgumentError, NameConflictError, NotFoundError
from pyrave.scene import (
    ControllerDescription,
    LinkReference,
    PhysicsSensor,
    SimulationDescription,
    SuctionCup,
)
from pyrave.scene.checks import validated
from pyrave.scene.simulation import link_references

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment.environment import Environment
    from pyrave.errors import Problem
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.scene import SceneDescription

Part = ControllerDescription | PhysicsSensor | SuctionCup
Item = TypeVar("Item", bound=Part)
_PARTS = ("controllers", "sensors", "suction_cups")
_NOTHING = SimulationDescription()


@dataclass(frozen=True, eq=False)
class _Entry:
    """A part and the bodies that it names."""

    part: Part
    bodies: Mapping[str, KinBody]

    def described(self) -> Part:
        """Return the part with the present names of the bodies."""
        return _with_names(self.part, lambda name: self.bodies[name].name)


class SimulatedParts:
    """Settings of physics engines, controllers, sensors and cups of one environment."""

    def __init__(self) -> None:
        self._settings: dict[str, tuple[float, ...] | str] = {}
        self._entries: dict[str, dict[str, _Entry]] = {field: {} for field in _PARTS}
        self.instruments: dict[str, SensorBase] = {}
        """The objects that measure for the sensors, by the names of these."""
        # engines ask at each step
        self._described: tuple[list[str], SimulationDescription] | None
        self._described = [], _NOTHING

    def describe(self) -> SimulationDescription:
        """Return all, with the present names of the bodies."""
        names = [
            body.name
            for entries in self._entries.values()
            for entry in entries.values()
            for body in entry.bodies.values()
        ]
        if self._described is None or self._described[0] != names:
            parts: dict[str, Any] = {
                field: tuple(entry.described() for entry in entries.values())
                for field, entries in self._entries.items()
            }
            found = SimulationDescription(tuple(self._settings.items()), **parts)
            self._described = names, found
        return self._described[1]

    def replace_all(
        self, description: SimulationDescription, bodies: Mapping[str, KinBody]
    ) -> None:
        """Hold what a description says, and nothing else.

        Raises
        ------
        ArgumentError, NameConflictError, NotFoundError
            It has no meaning, two parts have one name, or a body, link or joint is
            missing; then nothing changes.
        """
        description = validated(SimulationDescription, description)
        made = SimulatedParts()
        made.add_settings(description)
        for field, part in _parts(description):
            made.add(field, part, bodies)
        self._settings, self._entries = made._settings, made._entries
        self._described = None

    def add_settings(self, description: SimulationDescription) -> None:
        """Take settings; those that are there already get other values."""
        if description.settings:
            self._settings.update(description.settings)
            self._described = None

    def add(self, field: str, part: Part, bodies: Mapping[str, KinBody]) -> None:
        """Add a part of a field of the description; raises as `replace_all`."""
        if not part.name or part.name in self.names(field):
            raise NameConflictError(
                f"each of the {field.replace('_', ' ')} needs a name of its own, found "
                f"{part.name!r}"
            )
        named: dict[str, KinBody] = {}
        for end in _ends(part):
            body = body_of(end, bodies)
            if body is not None:
                named[end.body] = body
        if isinstance(part, ControllerDescription):
            _check_joints(part, named)
        self._entries[field][part.name] = _Entry(part, named)
        self._described = None

    def names(self, field: str) -> KeysView[str]:
        """Return the names that are taken in a field of the description."""
        return self._entries[field].keys()

    def body_removed(self, body: KinBody) -> None:
        """Remove what is about a body that left."""
        self._entries = {
            field: {
                name: entry
                for name, entry in entries.items()
                if not any(one is body for one in entry.bodies.values())
            }
            for field, entries in self._entries.items()
        }
        self._described = None

    def saved(self) -> Callable[[], None]:
        """Return a function that restores the present parts."""
        settings = dict(self._settings)
        entries = {field: dict(one) for field, one in self._entries.items()}

        def put_back() -> None:
            self._settings, self._entries = settings, entries
            self._described = None

        return put_back

    def clear(self) -> None:
        """Remove all."""
        self._settings.clear()
        self._entries = {field: {} for field in _PARTS}
        self._described = None


def restore_simulation(
    env: Environment,
    scene: SceneDescription,
    bodies: Mapping[str, KinBody],
    *,
    rename: bool,
) -> list[Problem]:
    """Add what a scene holds for physics engines.

    Parameters
    ----------
    bodies
        The bodies of the scene by its names for them.
    rename
        Number names that are taken.

    Returns
    -------
    list of Problem
        A warning for each part that cannot be.
    """
    table = env.internals.simulated
    table.add_settings(scene.simulation)
    problems: list[Problem] = []
    added = set()
    for field, part in _parts(scene.simulation):
        taken = table.names(field)
        if rename and part.name in taken:
            part = replace(part, name=free_name(part.name, taken))  # noqa: PLW2901
        try:
            table.add(field, part, bodies)
        except (ArgumentError, NameConflictError, NotFoundError) as error:
            message = f"{part.name!r} of the {field} is not added: {error}"
            where = part.location or scene.location
            problems.append(problem_at(where, message, code="simulation-conflict"))
            continue
        added.add(part.name)
    controllers = table.describe().controllers
    problems += drive_robots(env, (c for c in controllers if c.name in added))
    return problems + place_sensors(env)


def _parts(description: SimulationDescription) -> Iterator[tuple[str, Part]]:
    for field in _PARTS:
        for part in getattr(description, field):
            yield field, part


def _ends(part: Part) -> Iterable[LinkReference]:
    if isinstance(part, ControllerDescription):
        if not part.body:
            raise ArgumentError("a controller names the body that it moves")
        return (LinkReference(part.body),)
    return link_references(part).values()


def _check_joints(
    controller: ControllerDescription, bodies: Mapping[str, KinBody]
) -> None:
    known = dict.fromkeys(bodies[controller.body].model.joint_names)
    for name in controller.joints:
        if name not in known:
            raise NotFoundError("joint", name, known)


def _with_names(part: Item, name_of: Callable[[str], str]) -> Item:
    if isinstance(part, ControllerDescription):
        return replace(part, body=name_of(part.body))
    changed: dict[str, Any] = {
        field: replace(end, body=name_of(end.body))
        for field, end in link_references(part).items()
        if end.body
    }
    return replace(part, **changed)
