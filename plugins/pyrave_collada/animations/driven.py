"""Maps between target paths of animations and degrees of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import BodyDescription
    from pyrave_collada.document.references import Found
    from pyrave_collada.reading.kinematics.bodies import Body
    from pyrave_collada.reading.kinematics.models import Axis, Joint
    from pyrave_collada.reading.kinematics.systems import System
    from pyrave_collada.reading.scene import Scene

    Place = tuple[System, tuple[Joint, Axis]]


class DrivenJoints:
    """The joints of a file that was read, and what moves them.

    Joints are moved by transforms of nodes, by parameters that give them values, and by
    their axes.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._library = scene.reading.library
        self._by_element: dict[Any, list[Place]] = {}
        for element, place in scene.bindings.driven.items():
            self._by_element.setdefault(element, []).append(place)
        for system, binding in scene.bindings.of.items():
            for element, where in binding.moves.items():
                self._by_element.setdefault(element, []).append((system, where))

    # -- from paths to degrees of freedom ----------------------------------------------

    def place(self, found: Found) -> Place | None:
        """Return the system and axis that a path leads to, None if to none."""
        trail = set(found.trail)
        # robots of one file share its elements: the way to them tells which is meant
        own = [one for one in self._scene.systems if one.instance in trail]
        places = self._by_element.get(found.element, ())
        for place in places:
            if place[0] in own:
                return place
        if places:
            return places[0]
        for system in own or self._scene.systems:
            where = system.axis_of(found)
            if where is not None:
                return system, where
        return None

    def dof(self, place: Place) -> tuple[str, int] | None:
        """Return the name of a body and which of its degrees of freedom it is."""
        system, (joint, axis) = place
        if not axis.moves:
            return None
        for body, description in self._scene.described:
            if body.system is system and joint in body.joints:
                first = _first_dof(description, body.joints[joint])
                if first is not None:
                    moving = [one for one in joint.axes if one.moves]
                    return description.name, first + moving.index(axis)
        return None

    # -- from degrees of freedom to paths ----------------------------------------------

    def bodies(self) -> dict[str, tuple[Body, BodyDescription]]:
        """Return the bodies with joints by name."""
        return {
            description.name: (body, description)
            for body, description in self._scene.described
        }

    def places(self, body: Body, description: BodyDescription) -> list[Place]:
        """Return the axis of each degree of freedom of a body."""
        found: list[Place] = []
        for one in description.joints:
            if one.active:
                joint = body.used[one.name]
                found += [
                    (body.system, (joint, axis)) for axis in joint.axes if axis.moves
                ]
        return found

    def targets(self, place: Place) -> Iterator[tuple[str, Any]]:
        """Yield paths that lead to an axis, and the elements there.

        Transforms come first: that is what other programs animate.
        """
        for path, element in self._paths(place):
            found = self._library.find(path, self._scene.document.root)
            if found is None or found.element is not element:
                continue
            if self.place(found) == place:
                yield path, element

    def _paths(self, place: Place) -> Iterator[tuple[str, Any]]:
        root = self._scene.document.root
        system, (joint, axis) = place
        moved = [one for one, places in self._by_element.items() if place in places]
        for element in moved:
            holder = element.getparent()
            if element.tag != "newparam" and element.getroottree().getroot() is root:
                yield f"{holder.get('id')}/{element.get('sid')}", element
        for element in moved:
            holder = element.getparent()
            if element.tag == "newparam":
                above = holder.getparent().get("id")
                yield f"{above}/{holder.get('sid')}/{element.get('sid')}", element
        instance, ids = system.instance, []
        if system.instances:
            ids = [instance.getparent().get("id"), instance.get("sid")]
        elif system.elements:
            ids = [system.elements[0].get("id")]
        for one, model in system.models:
            if joint in model.joints:
                inner = [] if one is instance else [one.get("sid")]
                last = [joint.place.get("sid"), axis.element.get("sid")]
                yield "/".join(filter(None, [*ids, *inner, *last])), axis.element


def _first_dof(description: BodyDescription, name: str) -> int | None:
    """Return the first degree of freedom of a joint, None if it has none."""
    count = 0
    for joint in description.joints:
        if joint.active:
            if joint.name == name:
                return count
            count += len(joint.axes)
    return None
