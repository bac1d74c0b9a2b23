"""Scenes: kinematics, visual and physics scenes brought together."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from pyrave.errors import nearest
from pyrave.scene import (
    DEFAULT_GRAVITY,
    BodyDescription,
    LinkDescription,
    PluginReference,
    SceneDescription,
    Surface,
)
from pyrave.scene.checks import coerced
from pyrave_collada.document.extras import exact_part
from pyrave_collada.document.parsed import child, children, one_word
from pyrave_collada.reading.constraints import read_constraints, with_adjacent
from pyrave_collada.reading.exact import exact, exact_elsewhere
from pyrave_collada.reading.extensions.grabs import read_grabs
from pyrave_collada.reading.extensions.robots import complete_body
from pyrave_collada.reading.kinematics.bindings import Bindings
from pyrave_collada.reading.kinematics.bodies import Body, read_body
from pyrave_collada.reading.kinematics.masses import (
    RigidBodies,
    RigidPlaces,
    read_gravity,
)
from pyrave_collada.reading.kinematics.systems import System, read_system
from pyrave_collada.reading.load import ColladaReading
from pyrave_collada.reading.rigid import rigid_part
from pyrave_collada.reading.shapes.geometries import Geometries
from pyrave_collada.reading.shapes.nodes import VisualNode, read_nodes, visual_scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats import ReadContext, SceneSource
    from pyrave.scene.pose import Vec3
    from pyrave_collada.document.parsed import ColladaDocument

_SYSTEMS = ("instance_articulated_system", "instance_kinematics_model")
_LIBRARY = frozenset({"articulated_system", "kinematics_model"})
_MAX_DEPTH = 32
# gravity where the axis that points up is not that of the default, m/s2
_Z_DOWN = DEFAULT_GRAVITY[2]
_DOWN = {"X_UP": (_Z_DOWN, 0.0, 0.0), "Y_UP": (0.0, _Z_DOWN, 0.0)}


def read_collada(source: SceneSource, context: ReadContext) -> SceneDescription:
    """Return the scene of a COLLADA file or archive.

    Problems are collected in ``context.diagnostics``.

    Raises
    ------
    SceneError
        The file is damaged, or breaks a limit.
    """
    return open_scene(source, context).read()


def open_scene(source: SceneSource, context: ReadContext) -> Scene:
    """Return a file that is about to be read.

    Raises
    ------
    SceneError
        The file is damaged, or breaks a limit.
    """
    reading = ColladaReading(context)
    document, fragment = reading.open(source)
    return Scene(source, document, fragment, reading)


class Scene:
    """One file being read.

    Attributes
    ----------
    systems, bindings, described
        When it is read: the systems of its scenes, what binds them to nodes, and the
        bodies that they made.
    """

    bindings: Bindings

    def __init__(
        self,
        source: SceneSource,
        document: ColladaDocument,
        fragment: str,
        reading: ColladaReading,
    ) -> None:
        self.source = source
        self.document = document
        self.fragment = fragment
        self.reading = reading
        self.described: list[tuple[Body, BodyDescription]] = []
        self.systems: list[System] = []
        self.nodes: list[VisualNode] = []
        self.physics_instances: list[Any] = []
        self.physics_scenes: list[Any] = []

    def read(self) -> SceneDescription:
        """Return the scene of the file; once."""
        root, source = self.document.root, self.source
        if root.tag != "COLLADA":
            self.reading.error(
                root, "wrong-root", f"the root is <{root.tag}>, expected <COLLADA>"
            )
            return SceneDescription(uri=source.file)
        scene = child(root, "scene")
        self._read_visual()
        self._read_physics(scene)
        # what a manifest names may be something else, and is no one's wish
        self._read_systems(scene, self.fragment, required=bool(source.fragment))
        skip = self.reading.context.skip_geometry
        geometries = None if skip else Geometries(self.reading)
        physics = RigidBodies(self.physics_scenes, self.reading)
        made: list[Body] = []
        for system in self.systems:
            body = read_body(
                system, self.bindings.of[system], physics, geometries, self.reading
            )
            if body is not None:
                made.append(body)
        bodies: list[BodyDescription] = []
        plain: list[BodyDescription] = []
        shows: list[dict[VisualNode, str]] = []
        plugins: dict[str, None] = {}
        for body in made:
            description, named = complete_body(body, geometries, self.reading)
            plain.append(description)
            bodies.append(self._exactly(description, body.system))
            shows.append({n: link for link, ns in body.nodes.items() for n in ns})
            plugins |= dict.fromkeys(named)
        loose = () if source.fragment else self._loose(geometries, made, physics)
        for description, nodes in loose:
            plain.append(description)
            bodies.append(description)
            shows.append(dict.fromkeys(nodes, description.links[0].name))
        if not source.fragment:
            anchors = [ns for body in made for ns in body.anchors.values()]
            physics.report_unbound([*chain(*anchors), *chain(*shows[len(made) :])])
        bodies = [self._sound(body) for body in _with_own_names(bodies)]
        shown = {
            node: (body.name, link)
            for body, links in zip(bodies, shows, strict=True)
            for node, link in links.items()
        }
        places = RigidPlaces(physics, shown, self.reading)
        # as the scenes have them: in blocks of pyrave links may have other names
        tied = read_constraints(
            places,
            self.nodes,
            [replace(a, name=b.name) for a, b in zip(plain, bodies, strict=True)],
            self.reading,
            partly=bool(source.fragment),
        )
        bodies = [with_adjacent(body, tied.adjacent) for body in bodies]
        self.described = list(zip(made, bodies, strict=False))
        own = None if source.fragment else exact_part(scene)
        if not bodies and not skip and own is None:
            self.reading.warn(
                root,
                "empty-scene",
                "the file has no kinematics and no visual scene with geometries",
            )
        self.reading.tell_idle()
        self.reading.partials.report(self.reading.warn)
        uri = source.file if source.folder is not None else ""
        described = SceneDescription(
            bodies=tuple(replace(body, uri=uri) for body in bodies),
            plugins=tuple(map(PluginReference, plugins)),
            gravity=self._gravity(),
            unit=("meter", 1.0),
            uri=uri,
            root="environment" if len(bodies) != 1 else "robot",
            location=self.reading.location(root),
            grabs=tuple(read_grabs(self.physics_instances, places, self.reading)),
            constraints=tied.made,
            ignored_pairs=tied.ignored,
            contact_properties=physics.surfaces.properties_of(plain),
        )
        return exact(described, own, self.reading)

    def _exactly(self, description: BodyDescription, system: System) -> BodyDescription:
        """Return a body with what extras of our own profile say of it, inner first."""
        for element in (*system.elements, *reversed(system.instances)):
            part = exact_part(element)
            if part is None:
                continue
            here = self.reading.library.document(element) is self.document
            apply = exact if here else exact_elsewhere
            description = apply(description, part, self.reading)
        return description

    def _sound(self, body: BodyDescription) -> BodyDescription:
        """Report what no description may hold: products of absurd numbers."""
        for fault in coerced(body)[1][:1]:
            location = body.location
            self.reading.error(
                self.document.root,
                "absurd-number",
                f"{body.name!r}: {fault}",
                f"it is described at line {location.line}" if location else None,
            )
        return body

    def _gravity(self) -> Vec3 | None:
        """Return the gravity of physics scenes, else down as robots have it."""
        found = read_gravity(self.physics_scenes, self.reading)
        if found is None and self.systems:
            up = self.document.root.find("asset/up_axis")
            found = _DOWN.get("" if up is None else (up.text or "").strip().upper())
        return found

    # -- the three scenes ------------------------------------------------------------

    def _read_visual(self) -> None:
        library = self.reading.library
        holder, instance = visual_scene(self.document.root, library.target)
        if holder is None:
            if instance is not None:
                self.reading.dangling(
                    instance, "the visual scene", instance.get("url") or ""
                )
            return
        self.nodes = read_nodes(
            holder,
            library.target,
            self.reading.unit,
            lambda message, element: self.reading.warn(element, "bad-node", message),
        )

    def _read_physics(self, scene: Any) -> None:
        for one in () if scene is None else children(scene, "instance_physics_scene"):
            target = self.reading.library.target(one)
            if target is None:
                self.reading.dangling(one, "the physics scene", one.get("url") or "")
            else:
                self.physics_instances.append(one)
                self.physics_scenes.append(target)

    def _read_systems(self, scene: Any, fragment: str, *, required: bool) -> None:
        instances = (
            [] if scene is None else list(children(scene, "instance_kinematics_scene"))
        )
        holders = []
        for one in instances:
            target = self.reading.library.target(one)
            if target is None:
                self.reading.dangling(one, "the kinematics scene", one.get("url") or "")
            else:
                holders.append(target)
        root = self.document.root
        if not instances:
            holders = list(root.iterfind("library_kinematics_scenes/kinematics_scene"))
        found = [one for holder in holders for one in children(holder, *_SYSTEMS)]
        if not found:
            found = self._from_libraries()
        if fragment:
            found = self._named(fragment, found, required=required)
        for one in found:
            system = read_system(one, self.reading)
            if system is not None:
                self.systems.append(system)
        self.bindings = Bindings(self.systems, self.nodes, self.reading)
        for one in instances:
            self.bindings.read(one)

    def _named(self, fragment: str, found: list[Any], *, required: bool) -> list[Any]:
        """Return the system of an id: as the scene has it, or as a library does."""
        for one in found:
            if fragment in self._ids(one):
                return [one]
        element = self.document.by_id.get(fragment)
        if element is not None and element.tag in _LIBRARY:
            return [element]
        if not required:
            return found
        known = [key for one in found for key in self._ids(one)]
        near = nearest(fragment, known)
        self.reading.error(
            self.document.root,
            "unknown-fragment",
            f"no articulated system and no kinematics model has the id {fragment!r}",
            f"did you mean {near!r}?" if near else f"there are {', '.join(known[:8])}",
        )
        return []

    def _ids(self, instance: Any) -> list[str]:
        """Return the ids by which a system goes, its own and those inside it."""
        found, here = [], instance
        for _ in range(_MAX_DEPTH):
            found.append(here.get("id"))
            if here.get("url") is not None:
                here = self.reading.library.target(here)
                if here is None:
                    break
                found.append(here.get("id"))
            motion = child(here, "motion")
            inner = None
            if motion is not None:
                inner = child(motion, "instance_articulated_system")
            if inner is None:
                break
            here = inner
        return [key for key in found if key]

    def _from_libraries(self) -> list[Any]:
        """Return the whole systems of a file without a kinematics scene."""
        root = self.document.root
        systems = list(root.iterfind("library_articulated_systems/articulated_system"))
        inner = {
            self.reading.library.target(one)
            for system in systems
            for one in system.iter("instance_articulated_system")
        }
        outer = [one for one in systems if one not in inner]
        if outer:
            return outer
        return list(root.iterfind("library_kinematics_models/kinematics_model"))

    # -- nodes without kinematics ------------------------------------------------------

    def _loose(
        self, geometries: Geometries | None, made: list[Body], physics: RigidBodies
    ) -> Iterator[tuple[BodyDescription, list[VisualNode]]]:
        """Yield a body for what each root node shows besides the links of bodies."""
        if geometries is None:
            return
        taken = {node for body in made for ns in body.nodes.values() for node in ns}
        for number, top in enumerate(self.nodes):
            inside = list(top.walk())
            nodes = [one for one in inside if one.geometries and one not in taken]
            pose = rigid_part(top.world(lambda _: False))
            inverse = pose.inverse().matrix
            shown = [
                geometry
                for node in nodes
                for instance in node.geometries
                for geometry in geometries.read(
                    instance, inverse @ node.world(lambda _: False)
                )
            ]
            if not shown:
                continue
            name = top.element.get("name") or top.element.get("id") or f"node{number}"
            if len(taken.intersection(inside)):
                more = f" nor {len(nodes) - 1} others" if len(nodes) > 1 else ""
                self.reading.warn(
                    nodes[0].element,
                    "unbound-node",
                    f"no link has the node {_called(nodes[0])!r}{more} below "
                    f"{_called(top)!r}, which show shapes and become a body of their "
                    "own",
                    "bind one of their transforms to a joint (<bind_joint_axis>)",
                )
                inside = nodes
            location = self.reading.location(top.element)
            rigid = next(filter(None, map(physics.body_at, inside)), None)
            surface = Surface("") if rigid is None else rigid.surface
            link = LinkDescription(
                "base",
                geometries=tuple(shown),
                static=True,
                location=location,
                material=surface.material,
                object_type=surface.object_type,
            )
            body = BodyDescription(
                one_word(name), (link,), pose=pose, location=location
            )
            yield body, inside


def _called(node: VisualNode) -> str:
    get = node.element.get
    return get("id") or get("name") or get("sid") or "node"


def _with_own_names(bodies: list[BodyDescription]) -> Iterator[BodyDescription]:
    taken: set[str] = set()
    for body in bodies:
        name, number = body.name, 2
        while name in taken:
            name, number = f"{body.name}_{number}", number + 1
        taken.add(name)
        yield body if name == body.name else replace(body, name=name)
