"""Constraints between links of an environment, and contact properties of scenes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from pyrave.environment.failures import problem_at
from pyrave.environment.membership import free_name
from pyrave.errors import ArgumentError, NameConflictError, NotFoundError
from pyrave.scene import (
    ConstraintDescription,
    ContactProperties,
    Friction,
    LinkReference,
)
from pyrave.scene.checks import validated
from pyrave.scene.surfaces import completed

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment.environment import Environment
    from pyrave.errors import Problem
    from pyrave.scene import Restitution, SceneDescription

Item = TypeVar("Item")


@dataclass(eq=False)
class _Entry:
    """A constraint and its bodies, None for the world."""

    description: ConstraintDescription
    parent: KinBody | None
    child: KinBody | None

    def described(self) -> ConstraintDescription:
        """Return the description with the present names of the bodies.

        It is one object while the names stay, and another one for what is added again.
        """
        known = self.description
        parent = _renamed(known.parent, self.parent)
        child = _renamed(known.child, self.child)
        if (parent, child) != (known.parent, known.child):
            self.description = replace(known, parent=parent, child=child)
        return self.description


class ConstraintTable:
    """The constraints of one environment by name, in the order they were added."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def __iter__(self) -> Iterator[ConstraintDescription]:
        return (entry.described() for entry in self._entries.values())

    def add(
        self, description: ConstraintDescription, bodies: Mapping[str, KinBody]
    ) -> None:
        """Add a constraint between links of bodies given by the description's names.

        Raises
        ------
        ArgumentError, NameConflictError, NotFoundError
            The description has no meaning, its name is taken, or a body or link is
            missing.
        """
        description = validated(ConstraintDescription, description)
        if not description.name or description.name in self._entries:
            raise NameConflictError(
                f"a constraint needs a name of its own, found {description.name!r}"
            )
        parent = body_of(description.parent, bodies)
        child = body_of(description.child, bodies)
        if parent is child and _same_link(description, parent):
            raise ArgumentError(
                f"constraint {description.name!r} ties a link to itself; parent and "
                "child are different links"
            )
        # what was added again can be told by its identity
        self._entries[description.name] = _Entry(replace(description), parent, child)

    def remove(self, name: str) -> None:
        """Remove a constraint; `NotFoundError` if there is none of the name."""
        if name not in self._entries:
            raise NotFoundError("constraint", name, self._entries)
        del self._entries[name]

    def body_removed(self, body: KinBody) -> None:
        """Remove the constraints of a body that left."""
        for name, entry in tuple(self._entries.items()):
            if body is entry.parent or body is entry.child:
                del self._entries[name]

    def clear(self) -> None:
        """Remove all."""
        self._entries.clear()


def restore_constraints(
    env: Environment,
    scene: SceneDescription,
    bodies: Mapping[str, KinBody],
    *,
    rename: bool,
) -> list[Problem]:
    """Add the constraints of a scene.

    Parameters
    ----------
    bodies
        The bodies of the scene by its names for them.
    rename
        Number names that are taken.

    Returns
    -------
    list of Problem
        A warning for each that cannot be.
    """
    table = env.internals.constraints
    problems: list[Problem] = []
    taken = {one.name for one in table}
    for one in scene.constraints:
        if rename and one.name in taken:
            one = replace(one, name=free_name(one.name, taken))  # noqa: PLW2901
        taken.add(one.name)
        try:
            table.add(one, bodies)
        except (ArgumentError, NameConflictError, NotFoundError) as error:
            message = f"constraint {one.name!r} is not added: {error}"
            where = one.location or scene.location
            problems.append(problem_at(where, message, code="constraint-conflict"))
    return problems


def joined_properties(
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


def body_of(end: LinkReference, bodies: Mapping[str, KinBody]) -> KinBody | None:
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


def _same_link(description: ConstraintDescription, body: KinBody | None) -> bool:
    base = "" if body is None else body.model.link_names[0]
    ends = (description.parent.link or base, description.child.link or base)
    return ends[0] == ends[1]


def _renamed(end: LinkReference, body: KinBody | None) -> LinkReference:
    if body is None or end.body == body.name:
        return end
    return replace(end, body=body.name)
