"""Renaming of a scene's parts: other names, prefixes, names without blanks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from pyrave.errors import ArgumentError
from pyrave.formats.solver_hints import renamed_hints, renamed_solver
from pyrave.kinematics.formula import Renaming
from pyrave.scene import (
    BodyDescription,
    JointDescription,
    RobotDescription,
    SceneDescription,
)
from pyrave.scene.physics import LinkReference
from pyrave.texts import name_fault

_SHOWN = 4
"""Largest number of body names in a message."""
Part = TypeVar("Part")
Body = TypeVar("Body", bound=BodyDescription)


def renamed(
    scene: SceneDescription, name: str = "", prefix: str = ""
) -> SceneDescription:
    """Return a scene under other names, with all that refers to them.

    What plugins keep as data is left as it is.

    Parameters
    ----------
    name
        Of the one body of the scene.
    prefix
        What goes before the names of links, joints, frames, manipulators and attached
        sensors, of stand-alone sensors, of constraints, and of bodies where there are
        several.

    Raises
    ------
    ArgumentError
        There is no body to name, or more than one; or a name has characters that are
        refused in names.
    """
    for what, text in (("name", name), ("prefix", prefix)):
        if fault := name_fault(text):
            raise ArgumentError(f"{what} is {text!r}, which {fault}")
    if not name and not prefix:
        return scene
    n = len(scene.bodies)
    if name and n != 1:
        found = [body.name for body in scene.bodies]
        listed = ", ".join(found[:_SHOWN]) + (", ..." if n > _SHOWN else "")
        raise ArgumentError(
            f"name is {name!r}, but {scene.uri or 'the scene'} holds "
            + (f"{n} bodies ({listed}), expected one; " if n else "no body; ")
            + "prefix= goes before the names of all"
        )
    before = prefix if n > 1 else ""
    bodies = {body.name: name or before + body.name for body in scene.bodies}
    return _Renamed(_with(prefix) if prefix else None, bodies).scene(scene)


def prefixed(body: Body, prefix: str) -> Body:
    """Return a body with a prefix before the names of all its parts."""
    return _Renamed(_with(prefix), {body.name: body.name}).body(body)


def without_blanks(scene: SceneDescription) -> tuple[SceneDescription, list[str]]:
    """Return a scene with ``_`` for the blanks in names of parts, and the old names.

    Numbers keep apart what would be alike.
    """
    old = dict.fromkeys(name for body in scene.bodies for name in _names_of(body))
    odd = [name for name in old if " " in name]
    if not odd:
        return scene, []
    taken, new = {*old}, {}
    for name in odd:
        plain = name.replace(" ", "_")
        ends = ("", *map(str, range(1, len(old) + 1)))
        new[name] = next(made for end in ends if (made := plain + end) not in taken)
        taken.add(new[name])
    bodies = {body.name: body.name for body in scene.bodies}
    return _Renamed(lambda name: new.get(name, name), bodies).scene(scene), odd


def _with(prefix: str) -> Callable[[str], str]:
    return lambda name: prefix + name


def _names_of(body: BodyDescription) -> Iterator[str]:
    """Yield the names of the parts of a body that OpenRAVE XML has words for."""
    # frames stand in a block of ours, which takes any name
    parts: list[Iterable[Any]] = [body.links, body.joints]
    if isinstance(body, RobotDescription):
        parts += [body.manipulators, body.attached_sensors]
    for items in parts:
        for one in items:
            yield one.name


class _Renamed:
    """Gives parts of a scene new names, and bodies; None: parts keep theirs."""

    def __init__(
        self, new: Callable[[str], str] | None, bodies: Mapping[str, str]
    ) -> None:
        self._new = new
        self._bodies = bodies

    def scene(self, scene: SceneDescription) -> SceneDescription:
        bodies, simulation = self._bodies, scene.simulation
        return replace(
            scene,
            bodies=tuple(map(self.body, scene.bodies)),
            interfaces=tuple(
                replace(
                    one,
                    name=self._name(one.name) if one.type == "sensor" else one.name,
                    robot=bodies.get(one.robot, one.robot),
                    joints=tuple(map(self._name, one.joints)),
                )
                for one in scene.interfaces
            ),
            grabs=tuple(
                replace(
                    one,
                    holder=bodies.get(one.holder, one.holder),
                    link=self._name(one.link),
                    body=bodies.get(one.body, one.body),
                    ignored_links=tuple(map(self._name, one.ignored_links)),
                    touching_links=tuple(map(self._name, one.touching_links)),
                    touching_bodies=tuple(
                        bodies.get(other, other) for other in one.touching_bodies
                    ),
                )
                for one in scene.grabs
            ),
            ignored_pairs=tuple(
                replace(
                    one,
                    first=bodies.get(one.first, one.first),
                    second=bodies.get(one.second, one.second),
                    first_link=self._name(one.first_link),
                    second_link=self._name(one.second_link),
                )
                for one in scene.ignored_pairs
            ),
            frames=self._named(scene.frames),
            constraints=tuple(map(self._referring, scene.constraints)),
            simulation=replace(
                simulation,
                controllers=tuple(
                    replace(
                        one,
                        name=self._name(one.name),
                        body=bodies.get(one.body, one.body),
                        joints=tuple(map(self._name, one.joints)),
                    )
                    for one in simulation.controllers
                ),
                sensors=tuple(map(self._referring, simulation.sensors)),
                suction_cups=tuple(map(self._referring, simulation.suction_cups)),
            ),
        )

    def _name(self, name: str) -> str:
        return self._new(name) if name and self._new else name

    def _named(self, items: Iterable[Part], *references: str) -> tuple[Part, ...]:
        """Return items under their new names, and those of what they refer to."""
        made: list[Any] = []
        for item in items:
            changed: Any = item
            names = {one: self._name(getattr(item, one)) for one in references}
            made.append(replace(changed, name=self._name(changed.name), **names))
        return tuple(made)

    def _referring(self, part: Any) -> Any:
        """Return a part with its references to links of bodies renamed."""
        found = {one.name: getattr(part, one.name) for one in fields(part)}
        links = {
            name: LinkReference(
                self._bodies.get(one.body, one.body),
                self._name(one.link) if one.body else one.link,
            )
            for name, one in found.items()
            if isinstance(one, LinkReference)
        }
        return replace(part, name=self._name(part.name), **links)

    def body(self, body: Body) -> Body:
        """Return a body under its new name, with the new names of its parts."""
        made = replace(body, name=self._bodies[body.name], composition=None)
        if not self._new:
            return made
        formulas = Renaming.of_joints(body.joints, self._name)
        joints = {joint.name: self._name(joint.name) for joint in body.joints}
        made = replace(
            made,
            links=self._named(body.links),
            joints=tuple(self._joint(joint, formulas) for joint in body.joints),
            adjacent=frozenset(
                (self._name(one), self._name(other)) for one, other in body.adjacent
            ),
            frames=self._named(body.frames, "link"),
        )
        if not isinstance(made, RobotDescription):
            return made
        return replace(
            made,
            manipulators=tuple(
                replace(
                    one,
                    gripper_joints=tuple(map(self._name, one.gripper_joints)),
                    ik_solver=renamed_solver(one.ik_solver, joints),
                    readables=renamed_hints(one.readables, joints),
                )
                for one in self._named(made.manipulators, "base", "end_effector")
            ),
            attached_sensors=self._named(made.attached_sensors, "link"),
            configurations=tuple(
                replace(
                    one,
                    values=tuple((self._name(joint), its) for joint, its in one.values),
                )
                for one in made.configurations
            ),
            connected_bodies=tuple(
                replace(
                    one,
                    name=self._name(one.name),
                    link=self._name(one.link),
                    body=_Renamed(self._new, {one.body.name: one.body.name}).body(
                        one.body
                    ),
                )
                for one in made.connected_bodies
            ),
            grippers=tuple(
                replace(one, joints=tuple(map(self._name, one.joints)))
                for one in made.grippers
            ),
        )

    def _joint(self, joint: JointDescription, formulas: Renaming) -> JointDescription:
        return replace(
            formulas.joint(joint),
            name=self._name(joint.name),
            parent=self._name(joint.parent),
            child=self._name(joint.child),
        )
