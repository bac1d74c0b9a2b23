"""The items of a WorkCell in the order of the file, names and parents resolved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pyrave_workcell.vocabulary import ELEMENTS
from pyrave_workcell.workcell.document import (
    JOINT_AXES,
    WORLD,
    Configuration,
    Device,
    Document,
    Frame,
    Setup,
)
from pyrave_workcell.workcell.files import Files
from pyrave_workcell.workcell.frames import LIMITS, Frames
from pyrave_workcell.workcell.mobile import mobile_frames
from pyrave_workcell.workcell.models import Models
from pyrave_workcell.workcell.parallel import legs_of, meeting_ends

if TYPE_CHECKING:
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.load import WorkcellReading

DEVICES = ("SerialDevice", "TreeDevice", "ParallelDevice", "MobileDevice")
_MODELS = ("Drawable", "CollisionModel")
_SETUPS = ("CollisionSetup", "ProximitySetup")
_IN_CELL, _IN_DEVICE = tuple(ELEMENTS["WorkCell"]), tuple(ELEMENTS["device"])
_MAX_FRAMES = 5000
_MAX_SETUPS = 200
_MAX_NAME = 1000
_JOINTS = frozenset({"Frame", "Joint", "DHJoint"})
_LAST = frozenset({"Q", "Junction"})


def read_document(root: CellNode, reading: WorkcellReading) -> Document:
    """Return the items of a WorkCell, or of a file that holds one device.

    What is wrong is reported; frames whose parents are unknown hang on the world.
    """
    if root.tag not in {"WorkCell", *DEVICES}:
        reading.error(
            root,
            "wrong-root",
            f"the root is <{root.tag}>, expected <WorkCell> or a device",
            "fragments are for <Include>" if root.tag in _JOINTS else None,
        )
        return Document("", root)
    return _Items(reading).read(root)


@dataclass(slots=True)
class _Scope:
    """A device while it is read."""

    name: str
    type: str
    node: CellNode
    attached: str
    prefix: str
    previous: str = ""
    frames: list[str] = field(default_factory=list)
    configurations: list[Configuration] = field(default_factory=list)
    junctions: list[CellNode] = field(default_factory=list)


class _Items:
    """Items of one WorkCell while it is read."""

    def __init__(self, reading: WorkcellReading) -> None:
        self._reading = reading
        self._frames = Frames(reading, Models(reading, Files(reading)))
        self._by_name: dict[str, Frame] = {}
        self._devices: dict[str, Device] = {}
        self._setups: list[Setup] = []
        self._references: list[tuple[str, CellNode]] = []
        self._loose: list[tuple[str, CellNode]] = []
        self._last = WORLD

    def read(self, root: CellNode) -> Document:
        self._by_name[WORLD] = Frame(WORLD, "", "Fixed", root)
        if root.tag == "WorkCell":
            self._reading.attributes(root, ("name",), ("name",))
            for node in root:
                self._in_cell(node)
        else:
            self._device(root)
        self._check_parents()
        self._resolve_owners()
        for name, node in self._references:
            if name not in self._by_name:
                self._unknown(node, name)
        for name, node in self._loose:
            if name not in self._by_name:
                self._reading.warn(
                    node,
                    "unknown-frame",
                    f"there is no frame {name!r}; RobWork leaves the model "
                    f"{node.get('name')!r} out, and so does pyrave",
                    self._near(name),
                )
        frames = self._frames
        return Document(
            (root.get("name") or "").strip(),
            root,
            tuple(self._by_name.values()),
            tuple(self._devices.values()),
            tuple(one for one in frames.limits if self._is_joint(one.joint, one.node)),
            tuple(one for one in frames.models if one.frame in self._by_name),
            tuple(frames.properties),
            tuple(self._setups),
            self._by_name,
        )

    # -- the cell ----------------------------------------------------------------------

    def _in_cell(self, node: CellNode) -> None:
        reading, tag = self._reading, node.tag
        if tag == "Frame":
            self._cell_frame(node)
        elif tag in DEVICES:
            self._device(node)
        elif tag in _MODELS:
            name = (node.get("refframe") or "").strip() or WORLD
            self._references.append((name, node))
            self._frames.models.append(self._frames.model(node, name))
        elif tag == "Property":
            self._frames.prop(node, "", "")
        elif tag in _SETUPS:
            self._setup(node, "")
        elif tag == "Calibration":
            reading.warn(
                node,
                "not-read-yet",
                f"not read yet: <Calibration> {node.get('file')!r}",
            )
        elif tag == "Camera":
            reading.warn(
                node,
                "not-robwork",
                f"<Camera> {node.get('name')!r} means nothing to RobWork",
                'write <Property name="Camera">fovy width height</Property> in a frame',
            )
        else:
            reading.unknown(node, _IN_CELL)

    def _cell_frame(self, node: CellNode) -> None:
        name = self._name(node, "")
        given = (node.get("refframe") or "").strip()
        parent = given or WORLD
        if self._last == WORLD and parent != WORLD:
            self._reading.warn(
                node,
                "not-robwork",
                f"the first frame {name!r} stands in {WORLD} for RobWork, whatever its "
                f"refframe {given!r} says",
                "write another frame before it",
            )
            parent = WORLD
        self._add(self._frames.frame(node, name, parent, ""))
        self._last = name

    def _setup(self, node: CellNode, scope: str) -> None:
        self._reading.attributes(node, ("file",), ("file",))
        file = (node.get("file") or "").strip()
        if len(self._setups) == _MAX_SETUPS:
            node.refuse("too-complex", f"there are more than {_MAX_SETUPS} setups")
        if file:
            self._setups.append(Setup(node.tag, file, scope, node))

    # -- devices -----------------------------------------------------------------------

    def _device(self, node: CellNode) -> None:
        known = ("name", "basename") if node.tag == "MobileDevice" else ("name",)
        self._reading.attributes(node, known, known)
        name = (node.get("name") or "").strip()
        if name in self._devices:
            self._reading.error(
                node, "duplicate-name", f"there is a device {name!r} already"
            )
            return
        self._check_length(node, name)
        attached = WORLD if node.tag == "MobileDevice" else self._last
        scope = _Scope(name, node.tag, node, attached, f"{name}.")
        if node.tag == "MobileDevice":
            for frame in mobile_frames(node, name, self._reading):
                self._add(frame)
                scope.frames.append(frame.name)
            scope.previous = scope.frames[0] if scope.frames else WORLD
        self._contents(node, scope)
        if not scope.frames:
            self._reading.warn(
                node,
                "empty-device",
                f"the device {name!r} has no frames; it is left out",
                'write <Frame name="Base"/> in it',
            )
            return
        end = ""
        meeting: list[tuple[str, str]] = []
        if node.tag == "ParallelDevice":
            frames = [self._by_name[one] for one in dict.fromkeys(scope.frames)]
            end, meeting = meeting_ends(
                node, name, legs_of(name, frames), scope.junctions, self._reading
            )
        self._devices[name] = Device(
            name,
            node.tag,
            tuple(scope.frames),
            tuple(scope.configurations),
            node,
            end,
            tuple(meeting),
        )

    def _contents(self, node: CellNode, scope: _Scope) -> None:
        late = False
        for child in node:
            if late and child.tag not in _LAST:
                self._reading.warn(
                    child,
                    "not-robwork",
                    f"RobWork reads <{child.tag}> only before all <Q> of the device",
                )
                late = False
            late = late or child.tag == "Q"
            self._in_device(child, scope)

    def _in_device(self, node: CellNode, scope: _Scope) -> None:
        reading, tag = self._reading, node.tag
        if tag in _JOINTS:
            self._device_frame(node, scope)
        elif tag == "SerialChain":
            reading.attributes(node, ("name",), ("name",))
            outer = scope.prefix
            scope.prefix = f"{outer}{(node.get('name') or '').strip()}."
            self._check_length(node, scope.prefix)
            self._contents(node, scope)
            scope.prefix = outer
        elif tag in _MODELS:
            self._device_model(node, scope)
        elif tag in LIMITS:
            name = scope.prefix + (node.get("refjoint") or "").strip()
            self._frames.limit(node, name, in_joint=False)
        elif tag == "Property":
            self._frames.prop(node, "", scope.name)
        elif tag in _SETUPS:
            self._setup(node, scope.prefix)
        elif tag == "Q":
            reading.attributes(node, ("name",), ("name",))
            scope.configurations.append(
                Configuration(node.get("name") or "", reading.numbers(node), node)
            )
        elif tag == "Junction":
            scope.junctions.append(node)
        elif tag in _MOBILE and scope.type == "MobileDevice":
            pass  # read with the device
        elif tag == "Calibration":
            reading.warn(
                node,
                "not-read-yet",
                f"not read yet: <Calibration> {node.get('file')!r}",
            )
        else:
            reading.unknown(node, _IN_DEVICE)

    def _device_model(self, node: CellNode, scope: _Scope) -> None:
        name = scope.prefix + (node.get("refframe") or "").strip()
        if "refframe" not in node.attributes:
            name = scope.previous or scope.attached
        self._loose.append((name, node))
        self._frames.models.append(self._frames.model(node, name))

    def _device_frame(self, node: CellNode, scope: _Scope) -> None:
        name = self._name(node, scope.prefix)
        given = (node.get("refframe") or "").strip()
        parent = scope.previous or scope.attached
        wanted = scope.prefix + given
        if scope.type == "SerialDevice" or not scope.previous:
            if given and parent not in {wanted, given}:
                self._reading.warn(
                    node,
                    "not-robwork",
                    f"the refframe {given!r} of {name!r} is ignored: the frame stands "
                    f"in {parent!r}",
                    "frames of a SerialDevice follow each other, and its first one "
                    "stands in the last frame of the WorkCell above it",
                )
        elif given:
            parent = wanted
        elif scope.type == "MobileDevice":
            parent = scope.frames[0]
        reader = self._frames
        make = reader.dh_joint if node.tag == "DHJoint" else reader.frame
        frame = make(node, name, parent, scope.name)
        self._add(frame)
        scope.frames.append(name)
        scope.previous = name

    # -- names -------------------------------------------------------------------------

    def _name(self, node: CellNode, prefix: str) -> str:
        name = (node.get("name") or "").strip()
        if "name" in node.attributes and not name:
            self._reading.error(node, "bad-name", f"<{node.tag}> has an empty name")
        return prefix + name

    def _check_length(self, node: CellNode, name: str) -> None:
        """Refuse a name that others would repeat at great cost."""
        if len(name) > _MAX_NAME:
            node.refuse(
                "bad-name",
                f"the name {name!r} has {len(name)} characters, at most {_MAX_NAME} "
                "are read",
            )

    def _add(self, frame: Frame) -> None:
        self._check_length(frame.node, frame.name)
        if len(self._by_name) == _MAX_FRAMES:
            frame.node.refuse(
                "too-complex", f"there are more than {_MAX_FRAMES} frames"
            )
        if frame.name in self._by_name:
            self._reading.error(
                frame.node,
                "duplicate-name",
                f"there is a frame {frame.name!r} already",
                "names of frames are unique, and so are those in a device",
            )
            return
        self._by_name[frame.name] = frame

    def _unknown(self, node: CellNode, name: str) -> None:
        self._reading.error(
            node, "unknown-frame", f"there is no frame {name!r}", self._near(name)
        )

    def _near(self, name: str) -> str | None:
        return self._reading.suggestion(name, self._by_name)

    def _check_parents(self) -> None:
        """Report unknown parents and circles; such frames hang on the world."""
        for name, frame in self._by_name.items():
            if name != WORLD and frame.parent not in self._by_name:
                self._unknown(frame.node, frame.parent)
                self._by_name[name] = frame._replace(parent=WORLD)
        good = {WORLD}
        for first in self._by_name:
            path: dict[str, None] = {}
            name = first
            while name not in good and name not in path:
                path[name] = None
                name = self._by_name[name].parent
            if name in path:
                frame = self._by_name[name]
                self._reading.error(
                    frame.node,
                    "frame-cycle",
                    f"frames stand in each other in a circle: "
                    f"{' > '.join([*path, name])}",
                )
                self._by_name[name] = frame._replace(parent=WORLD)
            good.update(path)

    def _resolve_owners(self) -> None:
        """Find the joints that others follow: in their scope, or one around it."""
        order = {name: place for place, name in enumerate(self._by_name)}
        for name, frame in self._by_name.items():
            found = frame.dependence
            if found is None:
                continue
            owner = self._owner(name, found.owner)
            if owner is None or order[owner] >= order[name]:
                what = "no joint" if owner is None else "only further below a joint"
                self._reading.error(
                    found.node,
                    "bad-mimic",
                    f"the joint {name!r} follows {found.owner!r}, and there is {what} "
                    "of that name",
                    "name a joint above it in the same device",
                )
                found = None
            elif len(self._joint_values(owner)) != 1:
                self._reading.error(
                    found.node,
                    "bad-mimic",
                    f"the joint {name!r} follows {owner!r}, which is "
                    f"{self._by_name[owner].type}, expected Revolute or Prismatic",
                )
                found = None
            else:
                device = self._by_name[owner].device
                found = replace(
                    found, owner=owner, foreign=not device or device != frame.device
                )
                if found.foreign:
                    self._reading.warn(
                        found.node,
                        "foreign-owner",
                        f"the joint {name!r} follows {owner!r}, which is not of the "
                        "same device; here it is a passive joint that stays where "
                        "that one starts",
                    )
            passive = frame.passive
            if found is not None:
                passive = passive or self._by_name[found.owner].passive
            self._by_name[name] = frame._replace(dependence=found, passive=passive)

    def _joint_values(self, name: str) -> tuple[tuple[int, bool], ...]:
        return JOINT_AXES.get(self._by_name[name].type, ())

    def _owner(self, name: str, owner: str) -> str | None:
        scope = name
        while True:
            scope, dot, _ = scope.rpartition(".")
            found = self._by_name.get(f"{scope}{dot}{owner}")
            if found is not None and found.is_joint:
                return found.name
            if not dot:
                return None

    def _is_joint(self, name: str, node: CellNode) -> bool:
        frame = self._by_name.get(name)
        if frame is not None and frame.is_joint:
            return True
        known = (one.name for one in self._by_name.values() if one.is_joint)
        self._reading.error(
            node,
            "unknown-joint",
            f"there is no joint {name!r}",
            self._reading.suggestion(name, known),
        )
        return False


_MOBILE = frozenset({"AxelWidth", "LeftWheel", "RightWheel"})
