"""A WorkCell as a scene, and where its frames are in it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.scene import (
    FrameDescription,
    GrabDescription,
    InterfaceDescription,
    SceneDescription,
    XmlElement,
    XmlReadable,
)
from pyrave_workcell.syntax import WORKCELL, parse
from pyrave_workcell.workcell.bodies import NO_DYNAMICS, Bodies, Dynamics, Place
from pyrave_workcell.workcell.document import WORLD, Document
from pyrave_workcell.workcell.ignored import ignored_pairs
from pyrave_workcell.workcell.items import read_document
from pyrave_workcell.workcell.load import WorkcellReading
from pyrave_workcell.workcell.loops import close_devices
from pyrave_workcell.workcell.mobile import drive_of
from pyrave_workcell.workcell.names import FreeNames, without_blanks
from pyrave_workcell.workcell.pairs import Pairs, places_of
from pyrave_workcell.workcell.proximity import (
    Rule,
    checked_pairs,
    default_pairs,
    rules_of,
)
from pyrave_workcell.workcell.sensors import Sensor, sensor_of
from pyrave_workcell.workcell.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from pyrave.formats import ReadContext, SceneSource
    from pyrave.scene import Readable
    from pyrave_workcell.workcell.bodies import Group
    from pyrave_workcell.workcell.document import Property
    from pyrave_workcell.workcell.pairs import Chosen, Pair

_ONE = (1.0, 1.0, 1.0)
_MAX_SENSORS = 1000
_MAX_ADJACENT = 500_000


@dataclass(frozen=True, slots=True)
class WorkCell:
    """Contents of a WorkCell file.

    Parameters
    ----------
    scene
        Its bodies, sensors and frames.
    document
        Its items by their own names.
    places
        Where each frame is, by its full name, such as ``Device.Frame``.
    robots
        The body of each device, by the device's name.
    objects
        The frames with geometry that collides.
    pairs
        The pairs of these that may collide.
    """

    scene: SceneDescription
    document: Document
    places: Mapping[str, Place] = field(default_factory=dict)
    robots: Mapping[str, str] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()
    pairs: AbstractSet[Pair] = frozenset()


def read_workcell(source: SceneSource, context: ReadContext) -> WorkCell:
    """Return the bodies of a WorkCell or of a file that holds one device.

    Problems go to the diagnostics of the context.

    Raises
    ------
    SceneError
        RobWork could not read the characters of the file, an included file is missing,
        or the file costs too much.
    """
    return arrange(source, context).workcell()


def arrange(source: SceneSource, context: ReadContext) -> Arrangement:
    """Return the frames of a WorkCell in bodies; see `read_workcell`."""
    reading = WorkcellReading(context)
    root = parse(source, context, WORKCELL)
    if context.scale != _ONE:
        reading.error(
            root, "not-read-yet", f"not read yet: a WorkCell scaled by {context.scale}"
        )
    document = read_document(root, reading)
    if context.diagnostics.has_errors:
        document = Document("", root)  # what frames lack is reported
    uri = source.file if source.folder is not None else ""
    return Arrangement(document, uri, reading)


class Arrangement:
    """The frames of a WorkCell in bodies, before these are described."""

    def __init__(self, document: Document, uri: str, reading: WorkcellReading) -> None:
        self.document = document
        self._uri = uri
        self._reading = reading
        self.state = State(document, reading)
        self._sensors: dict[str, list[tuple[Property, Sensor]]] = defaultdict(list)
        n_sensors = 0
        for prop in document.properties:
            sensor = sensor_of(prop, reading)
            if sensor is None:
                continue
            n_sensors += 1
            if n_sensors > _MAX_SENSORS:
                prop.node.refuse(
                    "too-complex", f"there are more than {_MAX_SENSORS} sensors"
                )
            self._sensors[prop.frame].append((prop, sensor))
        self._bodies = Bodies(document, self.state, self._sensors, reading)
        close_devices(self._bodies, self.state, reading)
        self._rules = rules_of(document, reading)
        self._pairs = self._checked()
        self._n_adjacent = 0
        self.places = self._bodies.places
        self.grabs = tuple(self._grabs())

    def workcell(self, dynamics: Dynamics = NO_DYNAMICS) -> WorkCell:
        """Describe the bodies, with what a Dynamic WorkCell says of them."""
        document, bodies = self.document, self._bodies
        root = document.node
        kind = "environment" if root.tag == "WorkCell" else "robot"
        scene = SceneDescription(
            tuple(bodies.bodies(self._adjacent(), dynamics)),
            (*self._world_sensors(), *self._drives()),
            name=document.name if kind == "environment" else "",
            readables=(*bodies.kept_by_scene(), *self._kept_rules()),
            uri=self._uri,
            root=kind,
            location=root.location,
            grabs=self.grabs,
            frames=tuple(self._still_frames()),
            ignored_pairs=ignored_pairs(
                bodies, self.state, self._pairs, root, self._reading
            ),
        )
        robots = {
            group.device.name: group.name
            for group in bodies.groups
            if group.device is not None
        }
        return WorkCell(
            scene, document, bodies.places, robots, bodies.objects, self._pairs
        )

    def _still_frames(self) -> Iterator[FrameDescription]:
        """Yield the frames that stand still and are no bodies."""
        names = FreeNames()
        for name, place in self._bodies.places.items():
            if place.body or name == WORLD:
                continue
            made = names.take(without_blanks(name))
            where = self.document.by_name[name].node.location
            yield FrameDescription(made, pose=self.state.world[name], location=where)

    # -- collisions --------------------------------------------------------------------

    def _checked(self) -> Pairs:
        objects, rigid = self._bodies.objects, self.state.rigid_with
        if self._rules is None:
            return default_pairs(objects, rigid, self.document.by_name)
        return checked_pairs(
            objects, rigid, self._rules, self.document.node, self._reading
        )

    def _adjacent(self) -> dict[str, frozenset[tuple[str, str]]]:
        """Return the pairs of links of each body that collide and are not checked."""
        pairs, found = self._pairs, {}
        for group in self._bodies.groups:
            if len(group.links) == 1:
                continue
            left = pairs.chosen(group.links)
            self._n_adjacent += sum(
                (left.row & ~pairs.partners(place)).bit_count() for place in left.places
            )
            if self._n_adjacent > 2 * _MAX_ADJACENT:
                self.document.node.refuse(
                    "too-complex",
                    f"more than {_MAX_ADJACENT} pairs of links are not checked",
                )
            found[group.name] = frozenset(self._unchecked(group, left))
        return found

    def _unchecked(self, group: Group, solid: Chosen) -> Iterator[tuple[str, str]]:
        """Yield the pairs of links of a body that are not checked, in its order."""
        pairs, left = self._pairs, solid.row
        links = group.links
        for place in solid.places:
            left ^= 1 << place
            for other in places_of(left & ~pairs.partners(place)):
                yield links[pairs.names[place]], links[pairs.names[other]]

    def _grabs(self) -> Iterator[GrabDescription]:
        """Yield the bodies in moving frames of others, which move with them."""
        places, frames = self._bodies.places, self.document.by_name
        for group in self._bodies.groups:
            parent = frames[group.anchor].parent
            holder = places[parent] if parent else Place()
            if not holder.body or self.state.rigid_with[parent] == WORLD:
                continue
            yield GrabDescription(
                holder.body,
                holder.link,
                group.name,
                ignored_links=tuple(self._ignored(holder.body, group.frames)),
            )

    def _ignored(self, holder: str, held: Iterable[str]) -> Iterator[str]:
        """Yield the links of a body that no frame of a held one is checked with."""
        pairs, held_ones = self._pairs, self._pairs.chosen(held)
        links = self._bodies.by_name[holder].links
        for place in pairs.chosen(links).places:
            if not pairs.partners(place) & held_ones.row:
                yield links[pairs.names[place]]

    def _kept_rules(self) -> Iterator[tuple[str, Readable]]:
        if self._rules is not None:
            yield (
                "proximitysetup",
                XmlReadable(
                    XmlElement(
                        "ProximitySetup", children=tuple(map(_element, self._rules))
                    )
                ),
            )

    def _drives(self) -> Iterator[InterfaceDescription]:
        """Yield the drives of the bases of mobile devices."""
        for group in self._bodies.groups:
            device = group.device
            if device is None or device.type != "MobileDevice":
                continue
            wheels = tuple(group.links[name] for name in device.frames[1:3])
            yield InterfaceDescription(
                "controller",
                drive_of(device),
                robot=group.name,
                joints=wheels,
                control_transform=True,
                location=device.node.location,
            )

    # -- sensors -----------------------------------------------------------------------

    def _world_sensors(self) -> Iterator[InterfaceDescription]:
        """Yield the sensors of frames that stand still and are no bodies."""
        names = FreeNames()
        for name, sensors in self._sensors.items():
            place = self._bodies.places[name]
            for prop, sensor in sensors:
                if place.body:
                    continue
                made = names.take(without_blanks(name))
                yield InterfaceDescription(
                    "sensor",
                    sensor.interface,
                    made,
                    pose=place.pose @ sensor.turn,
                    readables=((sensor.interface, sensor.readable),),
                    location=prop.node.location,
                )


def _element(rule: Rule) -> XmlElement:
    names = (("PatternA", rule.first), ("PatternB", rule.second))
    return XmlElement("Exclude" if rule.excludes else "Include", names)
