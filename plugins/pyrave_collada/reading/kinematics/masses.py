"""Masses and surfaces of links, by the frame that OpenRAVE's files mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.scene import IDENTITY, Inertial, Pose, Surface
from pyrave_collada.document.parsed import child, children
from pyrave_collada.reading.kinematics.surfaces import Surfaces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyrave.scene.pose import Vec3
    from pyrave_collada.reading.load import ColladaReading
    from pyrave_collada.reading.shapes.nodes import VisualNode

# what OpenRAVE gives a link of which nothing is said
_MASS, _MOMENTS = 1e-10, (1e-7, 1e-7, 1e-7)


@dataclass(frozen=True, slots=True, eq=False)
class RigidBody:
    """Mass and surface of one link.

    Parameters
    ----------
    instance
        Its ``<instance_rigid_body>``.
    target
        Id of the node that it is bound to, or empty.
    frame
        T_parent_mass: centre of mass and principal axes in the frame of the node that
        ``<instance_physics_model>`` names as parent.
    surface
        Its physics material.
    """

    instance: Any
    sid: str
    dynamic: bool
    mass: float
    moments: Vec3
    frame: Pose
    parent: str
    target: str
    surface: Surface

    def inertial(self, parent_to_link: Pose) -> Inertial:
        """Return the mass in the frame of the link: T_link_parent is given."""
        pose = parent_to_link @ self.frame
        r, moments = pose.rotation, self.moments
        xx, xy, xz, yy, yz, zz = (
            sum(r[3 * i + k] * moments[k] * r[3 * j + k] for k in range(3))
            for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        )
        inertia = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
        return Inertial(self.mass, pose.translation, inertia)


class RigidBodies:
    """All rigid bodies that the physics scenes of a file instantiate."""

    def __init__(self, scenes: list[Any], reading: ColladaReading) -> None:
        self._reading = reading
        self.surfaces = Surfaces(reading)
        self.bodies: list[tuple[RigidBody, Any]] = []
        """Each with the ``<instance_physics_model>`` that it comes with."""
        self.instances: list[tuple[Any, Any]] = []
        """Each ``<instance_physics_model>``, and its model."""
        self._of_model: dict[Any, dict[str | None, Any]] = {}
        self._by_target: dict[str, tuple[int, RigidBody]] = {}
        self._second: list[RigidBody] = []
        for scene in scenes:
            for one in children(scene, "instance_physics_model"):
                model = reading.library.target(one)
                if model is None:
                    reading.dangling(one, "the physics model", one.get("url") or "")
                    continue
                self.instances.append((one, model))
                for instance in children(one, "instance_rigid_body"):
                    self._add(instance, one, model)

    def body_at(self, node: VisualNode) -> RigidBody | None:
        """Return the rigid body bound to a visual node.

        One use of a node with a suffix goes by the id with that suffix, if any does.
        """
        names = {node.element.get("id"), node.element.get("name")}
        if node.via is not None:
            names.add(node.via.get("id"))
        own = {f"{name}{node.suffix}" for name in names if name and node.suffix}
        for wanted in (own, names):
            found = [self._by_target[one] for one in wanted if one in self._by_target]
            if found:
                return min(found, key=lambda one: one[0])[1]
        return None

    def report_unbound(self, nodes: Iterable[VisualNode]) -> None:
        """Report rigid bodies bound to other nodes than links' own, or to taken ones.

        Parameters
        ----------
        nodes
            The own nodes of all links.
        """
        found = {
            rigid.target for rigid in map(self.body_at, nodes) if rigid is not None
        }
        rest = [one for one, _ in self.bodies if one.target and one.target not in found]
        hint = "name the node that holds the transform of the link's joint"
        self._report(rest, "is no link's own node", hint)
        hint = "name the node of another link"
        self._report(self._second, "is that of another rigid body", hint)

    def _report(self, bodies: list[RigidBody], why: str, hint: str) -> None:
        """Report rigid bodies whose targets give no link a mass, as one problem."""
        if not bodies:
            return
        first, others = bodies[0], len(bodies) - 1
        more = f" nor {others} others" if others else ""
        self._reading.warn(
            first.instance,
            "unbound-rigid-body",
            f"no link has the mass of the rigid body {first.sid!r}{more}: its target "
            f"{first.target!r} {why}",
            hint,
        )

    def _named(self, model: Any) -> dict[str | None, Any]:
        """Return the first ``<rigid_body>`` of each sid, id and name in a model."""
        found = self._of_model.get(model)
        if found is None:
            found = self._of_model[model] = {}
            for one in children(model, "rigid_body"):
                for key in (one.get("sid"), one.get("id"), one.get("name")):
                    found.setdefault(key, one)
        return found

    def _add(self, instance: Any, model_instance: Any, model: Any) -> None:
        sid = instance.get("body") or ""
        body = self._named(model).get(sid) if sid else None
        if body is None:
            self._reading.dangling(instance, "the rigid body", sid)
            return
        common = child(body, "technique_common")
        given = child(instance, "technique_common")
        dynamic, mass, frame = True, _MASS, IDENTITY
        moments: Vec3 = _MOMENTS
        values = self._reading.values
        for technique in (common, given):
            if technique is None:
                continue
            one = child(technique, "dynamic")
            # OpenRAVE writes it at the instance too, and reads only the body's
            if one is not None and technique is common:
                truth = values.truth(one)
                dynamic = dynamic if truth is None else truth
            one = child(technique, "mass")
            if one is not None:
                number = values.number(one)
                mass = mass if number is None else number
            one = child(technique, "inertia")
            if one is not None:
                moments = values.vector(one) or moments
            one = child(technique, "mass_frame")
            if one is not None:
                frame = values.pose(one)
        if mass < 0.0 or min(moments) < 0.0:
            self._reading.warn(
                body,
                "bad-mass",
                f"the rigid body {sid!r} has the mass {mass:g} and the moments "
                f"{moments}, expected 0 or more; it gets those of an unknown link",
            )
            mass, moments = _MASS, _MOMENTS
        parent = (model_instance.get("parent") or "").removeprefix("#")
        target = (instance.get("target") or "").removeprefix("#")
        surface = self.surfaces.read((given, common), sid)
        found = RigidBody(
            instance, sid, dynamic, mass, moments, frame, parent, target, surface
        )
        if target:
            _, first = self._by_target.setdefault(target, (len(self.bodies), found))
            if first.sid != sid:
                self._second.append(found)
        self.bodies.append((found, model_instance))


class RigidPlaces:
    """Links of the rigid bodies of a file.

    Parameters
    ----------
    shown
        (body, link) that nodes show.
    """

    def __init__(
        self,
        physics: RigidBodies,
        shown: Mapping[VisualNode, tuple[str, str]],
        reading: ColladaReading,
    ) -> None:
        self.shown = shown
        self.instances = physics.instances
        self._library = reading.library
        self._physics = physics
        self._places: dict[RigidBody, tuple[str, str]] = {}
        for node, place in shown.items():
            rigid = physics.body_at(node)
            if rigid is not None:
                self._places.setdefault(rigid, place)
        self._by_sid: dict[tuple[Any, str | None], RigidBody] = {}
        for body, model in physics.bodies:
            for sid in (body.sid, body.instance.get("sid")):
                self._by_sid.setdefault((model, sid), body)

    def is_own(self, node: VisualNode) -> bool:
        """Return True if a node is that of a rigid body."""
        return self._physics.body_at(node) is not None

    def at(self, model: Any, sid: str) -> tuple[str, str] | None:
        """Return the (body, link) of a rigid body of an instance of a model."""
        rigid = self._by_sid.get((model, sid))
        return None if rigid is None else self._places.get(rigid)

    def below(self, path: str, context: Any) -> tuple[tuple[str, str], Any] | None:
        """Return the (body, link) of ``path of an instance/sid``, and the instance."""
        head, _, sid = path.rpartition("/")
        found = self._library.find(head, context) if head else None
        place = None if found is None else self.at(found.element, sid)
        return None if found is None or place is None else (place, found.element)

    def named(self, path: str, model: Any, element: Any) -> tuple[str, str] | None:
        """Return the (body, link) that an element of a physics model names, or None.

        Parameters
        ----------
        path
            A sid in the model, the URL of an id, or the path of an instance and a sid.
        model
            The instance of the model.
        """
        if path.startswith("#"):
            target = self._library.by_url(path, element)
            keys = () if target is None else (target.get("sid"), target.get("id"))
            found = (self.at(model, key) for key in keys if key)
            return next(filter(None, found), None)
        own = self.at(model, path.removeprefix("./"))
        below = self.below(path, element) if own is None else None
        return own if below is None else below[0]


def read_gravity(scenes: list[Any], reading: ColladaReading) -> Vec3 | None:
    """Return the gravity of the first physics scene that gives one, m/s2."""
    for scene in scenes:
        element = scene.find("technique_common/gravity")
        if element is not None:
            found = reading.values.vector(element)
            if found is not None:
                return found
    return None
