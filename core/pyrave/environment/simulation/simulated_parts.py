"""Parts of an environment that tie bodies together or act on them, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.environment.failures import problem_at
from pyrave.environment.membership import free_name
from pyrave.environment.simulation.instruments import place_sensors
from pyrave.environment.simulation.robot_controllers import drive_robots
from pyrave.errors import ArgumentError, NameConflictError, NotFoundError
from pyrave.scene import (
    ConstraintDescription,
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

Part = ConstraintDescription | ControllerDescription | PhysicsSensor | SuctionCup
Item = TypeVar("Item", bound=Part)
_OF_SIMULATION = ("controllers", "sensors", "suction_cups")
_PARTS = ("constraints", *_OF_SIMULATION)
_NOTHING = SimulationDescription()


@dataclass(eq=False)
class _Entry:
    """A part and the bodies, by the names that it has for them."""

    part: Part
    bodies: Mapping[str, KinBody]

    def described(self) -> Part:
        """Return the part with the present names of the bodies.

        It is one object while the names stay, and another one for what is added again.
        """
        names = {known: body.name for known, body in self.bodies.items()}
        if any(known != name for known, name in names.items()):
            self.part = _with_names(self.part, names.__getitem__)
            self.bodies = {body.name: body for body in self.bodies.values()}
        return self.part


class SimulatedParts:
    """Parts of a simulation beside bodies, about bodies that may be renamed.

    Constraints, controllers, sensors and suction cups of one environment, and settings.
    A part leaves with each of the bodies that it names.
    """

    def __init__(self) -> None:
        self._settings: dict[str, tuple[float, ...] | str] = {}
        self._entries: dict[str, dict[str, _Entry]] = {field: {} for field in _PARTS}
        self.instruments: dict[str, SensorBase] = {}
        """The objects that measure for the sensors, by the names of these."""
        # engines ask at each step
        self._described: tuple[list[str], SimulationDescription] | None
        self._described = [], _NOTHING

    @property
    def constraints(self) -> tuple[ConstraintDescription, ...]:
        """The constraints, with the present names of the bodies."""
        return self._described_parts("constraints")

    def _described_parts(self, field: str) -> tuple[Any, ...]:
        return tuple([entry.described() for entry in self._entries[field].values()])

    def describe(self) -> SimulationDescription:
        """Return all but the constraints, with the present names of the bodies."""
        names = [
            body.name
            for field in _OF_SIMULATION
            for entry in self._entries[field].values()
            for body in entry.bodies.values()
        ]
        if self._described is None or self._described[0] != names:
            parts = {field: self._described_parts(field) for field in _OF_SIMULATION}
            found = SimulationDescription(tuple(self._settings.items()), **parts)
            self._described = names, found
        return self._described[1]

    def replace_all(
        self, description: SimulationDescription, bodies: Mapping[str, KinBody]
    ) -> None:
        """Hold what a description says, and nothing else but constraints.

        Raises
        ------
        ArgumentError, NameConflictError, NotFoundError
            It has no meaning, two parts have one name, or a body, link or joint is
            missing; then nothing changes.
        """
        description = validated(SimulationDescription, description)
        made = SimulatedParts()
        made.add_settings(description)
        for field, part in _parts_of(description):
            made.add(field, part, bodies)
        made._entries["constraints"] = self._entries["constraints"]
        self._settings, self._entries = made._settings, made._entries
        self._described = None

    def add_settings(self, description: SimulationDescription) -> None:
        """Take settings; those that are there already get other values."""
        if description.settings:
            self._settings.update(description.settings)
            self._described = None

    def add(self, field: str, part: Part, bodies: Mapping[str, KinBody]) -> None:
        """Add a part of a field of the description; raises as `replace_all`."""
        if field == "constraints":
            part = validated(ConstraintDescription, part)
        if not part.name or part.name in self.names(field):
            raise NameConflictError(
                f"each of the {field.replace('_', ' ')} needs a name of its own, found "
                f"{part.name!r}"
            )
        named: dict[str, KinBody] = {}
        for end in _ends(part):
            body = _body_of(end, bodies)
            if body is not None:
                named[end.body] = body
        if isinstance(part, ControllerDescription):
            _check_joints(part, named)
        elif isinstance(part, ConstraintDescription):
            _check_ends(part, named)
        # what was added again can be told by its identity
        self._entries[field][part.name] = _Entry(replace(part), named)
        self._described = None

    def remove_constraint(self, name: str) -> None:
        """Remove a constraint; `NotFoundError` if there is none of the name."""
        entries = self._entries["constraints"]
        if name not in entries:
            raise NotFoundError("constraint", name, entries)
        del entries[name]

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
    """Add the constraints of a scene and what else it holds for physics engines.

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
    found = [("constraints", one) for one in scene.constraints]
    found += _parts_of(scene.simulation)
    if not found:
        return problems
    for field, part in found:
        taken = table.names(field)
        if rename and part.name in taken:
            part = replace(part, name=free_name(part.name, taken))  # noqa: PLW2901
        try:
            table.add(field, part, bodies)
        except (ArgumentError, NameConflictError, NotFoundError) as error:
            is_tie = field == "constraints"
            label = "constraint {!r}" if is_tie else "{!r} of the " + field
            message = f"{label.format(part.name)} is not added: {error}"
            where = part.location or scene.location
            problems.append(
                problem_at(
                    where,
                    message,
                    code="constraint-conflict" if is_tie else "simulation-conflict",
                )
            )
            continue
        if field == "controllers":
            added.add(part.name)
    controllers = table.describe().controllers
    problems += drive_robots(env, (c for c in controllers if c.name in added))
    return problems + place_sensors(env)


def _parts_of(description: SimulationDescription) -> Iterator[tuple[str, Any]]:
    for field in _OF_SIMULATION:
        for part in getattr(description, field):
            yield field, part


def _ends(part: Part) -> Iterable[LinkReference]:
    if isinstance(part, ControllerDescription):
        if not part.body:
            raise ArgumentError("a controller names the body that it moves")
        return (LinkReference(part.body),)
    return link_references(part).values()


def _body_of(end: LinkReference, bodies: Mapping[str, KinBody]) -> KinBody | None:
    """Return the body of a link that there is; None for the world.

    Raises
    ------
    ArgumentError, NotFoundError
        There is no such body, or no such link.
    """
    if not end.body:
        if end.link:
            raise ArgumentError(f"the world has no link {end.link!r}")
        return None
    if end.body not in bodies:
        raise NotFoundError("body", end.body, bodies)
    body = bodies[end.body]
    if end.link and end.link not in body.model.link_names:
        raise NotFoundError("link", end.link, body.model.link_names)
    return body


def _check_ends(
    constraint: ConstraintDescription, bodies: Mapping[str, KinBody]
) -> None:
    """Raise for a constraint that ties a link to itself."""
    first, second = constraint.parent, constraint.child
    if first.body == second.body:
        base = bodies[first.body].model.link_names[0] if first.body else ""
        if (first.link or base) == (second.link or base):
            raise ArgumentError(
                f"constraint {constraint.name!r} ties a link to itself; parent and "
                "child are different links"
            )


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
