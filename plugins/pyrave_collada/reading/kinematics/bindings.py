"""Bindings of a scene: which nodes show which model, and the values of its joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_collada.document.parsed import child, children
from pyrave_collada.reading.kinematics.bodies import Binding, value_factor
from pyrave_collada.reading.shapes.nodes import visual_scene

if TYPE_CHECKING:
    from pyrave_collada.document.references import Found
    from pyrave_collada.reading.kinematics.models import Axis, Joint
    from pyrave_collada.reading.kinematics.systems import System
    from pyrave_collada.reading.load import ColladaReading
    from pyrave_collada.reading.shapes.nodes import VisualNode


class Bindings:
    """Bindings of the systems of a file to its nodes.

    Nodes and transforms are searched below the visual scene of the document that binds
    them (COLLADA 1.5, bind_joint_axis), then as everything else.

    Parameters
    ----------
    systems, nodes
        The systems of all kinematics scenes, and the roots of the visual scene.
    """

    def __init__(
        self, systems: list[System], nodes: list[VisualNode], reading: ColladaReading
    ) -> None:
        self._systems = systems
        self._reading = reading
        self._visual_scenes: dict[Any, Any] = {}
        self._at: dict[Any, list[VisualNode]] = {}
        for top in nodes:
            for one in top.walk():
                self._at.setdefault(one.element, []).append(one)
                if one.via is not None:
                    self._at.setdefault(one.via, []).append(one)
        self._suffixed = {
            one.element.get("id", "") + one.suffix: one
            for top in nodes
            for one in top.walk()
            if one.suffix
        }
        self.of = {system: Binding(nodes) for system in systems}
        """Binding of each system."""
        self.driven: dict[Any, tuple[System, tuple[Joint, Axis]]] = {}
        """The axis that takes its value from an element, a parameter for example."""

    def read(self, instance: Any) -> None:
        """Read the bindings in an ``<instance_kinematics_scene>``.

        A scene of another document has the bindings of that document, too; those here
        override them.
        """
        theirs = self._theirs(instance)
        for one in (instance, *theirs):
            for bind in children(one, "bind_kinematics_model"):
                self._bind_model(bind, one)
        for one in (*theirs, instance):
            for bind in children(one, "bind_joint_axis"):
                self._bind_axis(bind, one)

    def _theirs(self, instance: Any) -> list[Any]:
        """Return the instances of the same scene in the document that it is from."""
        library = self._reading.library
        target = library.target(instance)
        if target is None or library.document(target) is library.document(instance):
            return []
        scene = child(library.document(target).root, "scene")
        found = () if scene is None else children(scene, "instance_kinematics_scene")
        return [one for one in found if library.target(one) is target]

    # -- models ------------------------------------------------------------------------

    def _bind_model(self, bind: Any, context: Any) -> None:
        path = _path(bind)
        found = self._reading.library.find(path, context) if path else None
        system = None if found is None else self._system_of(found)
        if system is None:
            self._reading.dangling(bind, "the kinematics model", path)
            return
        name = (bind.get("node") or "").strip()
        node = self._node(name, context)
        if node is None:
            self._reading.dangling(bind, "the node", name)
        elif self.of[system].node is None:
            self.of[system].node = node

    def _node(self, path: str, context: Any) -> VisualNode | None:
        if path in self._suffixed:
            return self._suffixed[path]
        found = self._shown(path, context) if path else None
        return None if found is None else self._reached(found.element, found)

    def _reached(self, element: Any, found: Found) -> VisualNode | None:
        """Return the use of a node element that a path leads through."""
        here = self._at.get(element, ())
        return next((one for one in here if one.is_reached_by(element, found)), None)

    def _shown(self, path: str, context: Any) -> Found | None:
        """Return the target of a path from the visual scene, else from an element."""
        library = self._reading.library
        root = library.document(context).root
        if root not in self._visual_scenes:
            self._visual_scenes[root] = visual_scene(root, library.target)[0]
        scene = self._visual_scenes[root]
        found = None if scene is None else library.find(path, scene)
        return library.find(path, context) if found is None else found

    # -- axes --------------------------------------------------------------------------

    def _bind_axis(self, bind: Any, context: Any) -> None:
        holder = child(bind, "axis")
        path = "" if holder is None else _path(holder)
        found = self._reading.library.find(path, context) if path else None
        system = None if found is None else self._system_of(found)
        where = None
        if found is not None and system is not None:
            where = system.axis_of(found)
        if system is None or where is None:
            self._reading.dangling(bind, "the axis", path)
            return
        target = (bind.get("target") or "").strip()
        if target:
            self._bind_transform(bind, target, system, where, context)
        value = child(bind, "value")
        if value is None:
            return
        for one in children(value, "param"):
            driving = self._reading.library.find(
                one.get("ref") or one.text or "", context
            )
            if driving is not None:
                self.driven[driving.element] = system, where
        number = self._reading.values.resolved_number(value, context)
        if number is not None:
            library = self._reading.library
            factor = value_factor(
                where[1],
                self._reading,
                bind,
                lambda one: library.document(one).has_radians,
            )
            system.settings_of(*where).value = number * factor

    def _bind_transform(
        self,
        bind: Any,
        path: str,
        system: System,
        where: tuple[Joint, Axis],
        context: Any,
    ) -> None:
        """Let an axis drive the transform that a path leads to."""
        binding, top = self.of[system], self.of[system].node
        found = self._shown(path, context)
        if found is None:
            first, _, rest = path.partition("/")
            suffixed = self._suffixed.get(first)
            if suffixed is not None and rest:
                top = suffixed
                found = self._reading.library.find(f"./{rest}", top.element)
        if found is None:
            self._reading.warn(
                bind,
                "unresolved-reference",
                f"the transform {path!r} is not found below the visual scene; no node "
                "moves with the joint",
            )
            return
        binding.moves[found.element] = where
        uses = [
            one
            for one in self._at.get(found.element.getparent(), ())
            if one.is_reached_by(one.element, found)
        ]
        # a path that starts at an id may lead to several uses of a node
        own = [one for one in uses if top is not None and one.is_below(top)]
        binding.holders += (own or uses)[:1]

    # -- systems -----------------------------------------------------------------------

    def _system_of(self, found: Found) -> System | None:
        trail = set(found.trail)
        for system in self._systems:
            if system.instance in trail:
                return system
        for system in self._systems:
            parts = {*system.elements, *(instance for instance, _ in system.models)}
            parts |= {model.element for _, model in system.models}
            if parts & trail:
                return system
        return self._systems[0] if len(self._systems) == 1 else None


def _path(element: Any) -> str:
    """Return the path in a parameter or SIDREF that an element holds."""
    for one in children(element, "param", "SIDREF"):
        return (one.get("ref") or one.text or "").strip()
    return (element.text or "").strip()
