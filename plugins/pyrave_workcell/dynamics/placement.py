"""The bodies and devices of a Dynamic WorkCell among those of its WorkCell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.scene import ConstraintDescription
from pyrave_workcell.dynamics.document import Body, Cup, Device
from pyrave_workcell.dynamics.links import NOTHING, LinkBuilder
from pyrave_workcell.workcell import Dynamics

if TYPE_CHECKING:
    from pyrave.scene import LinkReference
    from pyrave_workcell.dynamics.cell import Cell, Site
    from pyrave_workcell.dynamics.document import DynamicWorkCell, Item, Named
    from pyrave_workcell.dynamics.values import DynamicsReading
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.document import Frame


@dataclass(frozen=True, slots=True)
class Made:
    """A body that was made, and where it is."""

    body: Body
    site: Site


class Bodies:
    """Bodies and devices, in the order of the file.

    Parameters
    ----------
    constraints
        Takes those that tie devices to their bases.
    """

    def __init__(
        self,
        found: DynamicWorkCell,
        cell: Cell,
        constraints: dict[str, ConstraintDescription],
        reading: DynamicsReading,
    ) -> None:
        self._found = found
        self._cell = cell
        self._constraints = constraints
        self._reading = reading
        self._links = LinkBuilder(cell, reading)
        self._frames = cell.document.by_name
        self._of_link: dict[LinkReference, str] = {}
        self._weighed: set[str] = set()
        self._changed: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        self._force_limits: dict[str, dict[str, float]] = defaultdict(dict)
        self._known_devices = {one.name: one for one in cell.document.devices}
        self._all_names = {name for item in found.items for name in _body_names(item)}
        self.made: dict[str, Made] = {}
        self.devices: dict[str, Device] = {}

    def body(self, at: CellNode, name: str) -> Made | None:
        """Return a body made above; another name is reported."""
        made = self.made.get(name)
        if made is None:
            if name in self._all_names:
                text = f"the body {name!r} stands below, or is wrong"
                self._reading.error(at, "unknown-name", text, "bodies come first")
            else:
                self._reading.unknown(at, "body", name, self.made)
        return made

    def dynamics(self) -> Dynamics:
        """Return the dynamics of the WorkCell's bodies in the file."""
        # what is no body of its own weighs nothing: it is part of another
        rest = {"inertial": NOTHING}
        return Dynamics(self._changed, self._weighed, rest, self._force_limits)

    # -- bodies ------------------------------------------------------------------------

    def add_body(self, body: Body, device: Device | None = None) -> None:
        """Make a body; the names in a device are without its own."""
        reading = self._reading
        name = body.frame if device is None else f"{device.device}.{body.frame}"
        frame = self._frames.get(name)
        if frame is None:
            reading.unknown(body.at, "frame", name, self._frames)
            return
        if not self._fits(body, frame):
            return
        if name in self.made:
            text = f"there is a body {name!r} already; the first one counts"
            reading.warn(body.at, "duplicate-name", text, "delete one of them")
            return
        made = Made(body, self._cell.site(name))
        self.made[name] = made
        end = made.site.link
        if end in self._of_link:
            reading.warn(
                body.at,
                "not-read-yet",
                f"not read yet: {name!r} is one rigid part with the body "
                f"{self._of_link[end]!r} above; mass and material are left out",
            )
            return
        self._of_link[end] = name
        if body.mass is not None:
            self._weighed.add(end.body)
        kinematic = device is not None and not device.rigid
        self._changed[end.body][end.link] = self._links.changes(
            body, name, made.site, device, kinematic=kinematic
        )

    def _fits(self, body: Body, frame: Frame) -> bool:
        """Return True if a frame may be a body of its kind; reports if not."""
        if body.kind == "fixed" and not self._links.has_geometry(frame.name):
            self._reading.error(
                body.at,
                "bad-body",
                f"<{body.at.tag}> needs geometry, the frame {frame.name!r} has none",
                "give it a Drawable or a CollisionModel in the WorkCell",
            )
            return False
        if body.kind in {"kinematic", "rigid"} and frame.type != "Movable":
            self._reading.error(
                body.at,
                "bad-body",
                f"the frame {frame.name!r} is {frame.type}, <{body.at.tag}> needs a "
                "Movable one",
                'write <Frame ... type="Movable"> in the WorkCell',
            )
            return False
        return True

    def check_materials(self) -> None:
        """Report materials that there are not; without a default all need one."""
        found, reading = self._found, self._reading
        kinds = (
            ("material", found.materials, found.default_material),
            ("object_type", found.object_types, found.default_object_type),
        )
        for field, known, default in kinds:
            what = "material" if field == "material" else "type of objects"
            names = {one.name for one in known}
            for name, made in self.made.items():
                given = getattr(made.body, field)
                if given is None and not default:
                    reading.error(
                        made.body.at,
                        "missing-tag",
                        f"the body {name!r} names no {what}, and there is no default",
                        "write <Default>...</Default> where they are defined",
                    )
                elif given is not None and given not in names:
                    reading.warn(
                        made.body.at,
                        "unknown-material",
                        f"there is no {what} {given!r}",
                        reading.suggestion(given, names),
                    )

    # -- devices -----------------------------------------------------------------------

    def add_device(self, device: Device) -> None:
        """Make the base and the links of a device."""
        reading, name = self._reading, device.device
        known = self._known_devices
        if name not in known:
            reading.unknown(device.at, "device", name, known)
            return
        if known[name].type == "MobileDevice":
            reading.error(
                device.at,
                "bad-body",
                f"the device {name!r} is mobile, <{device.at.tag}> needs one of joints",
            )
            return
        if name in self.devices:
            text = f"the device {name!r} is made dynamic above; the first one counts"
            reading.warn(device.at, "duplicate-name", text, "delete one of them")
            return
        self.devices[name] = device
        if isinstance(device.base, Body):
            self.add_body(device.base, device)
        elif device.base is not None:
            self._add_base(device.base, name, known[name].frames[0])
        for link in device.links:
            self.add_body(link, device)
        if device.rigid:
            self._add_force_limits(device, known[name].frames)

    def _add_base(self, base: Named, device: str, first: str) -> None:
        """Tie the first frame of a device to a body that is its base."""
        made = self.body(base.at, base.name)
        if made is None:
            return
        child = self._cell.site(first)
        holder = made.site.link
        if child.link == holder or self._cell.is_held(child.link.body, holder):
            return
        start = self._cell.world(base.name) @ made.site.pose.inverse()
        end = child.link
        self._changed[end.body].setdefault(end.link, {})["static"] = False
        self._constraints[f"{device}.base"] = ConstraintDescription(
            f"{device}.base",
            "fixed",
            made.site.link,
            end,
            start.inverse() @ self._cell.world(first),
            location=base.at.location,
        )

    def _add_force_limits(self, device: Device, frames: tuple[str, ...]) -> None:
        reading = self._reading
        prefix = f"{device.device}."
        joints = {
            name: self._frames[name]
            for name in frames
            if name in self._frames
            and self._frames[name].is_joint
            and not self._frames[name].passive
        }
        short_names = [name.removeprefix(prefix) for name in joints]
        given = {prefix + one.joint: one for one in device.force_limits}
        for name, one in given.items():
            if name not in joints:
                reading.warn(
                    one.at,
                    "unknown-joint",
                    f"{device.device!r} has no joint {one.joint!r} that moves",
                    reading.suggestion(one.joint, short_names),
                )
            elif one.limit < 0.0:
                text = f"the force limit is {one.limit}, expected 0 or more"
                reading.error(one.at, "bad-number", text)
        for name in joints:
            if name not in given:
                short = name.removeprefix(prefix)
                reading.error(
                    device.at,
                    "missing-tag",
                    f"the joint {short!r} of {device.device!r} has no force limit",
                    f'write <ForceLimit joint="{short}">...</ForceLimit> into it',
                )
            else:
                body, joint = self._cell.joint(name)
                self._force_limits[body][joint] = given[name].limit


def _body_names(item: Item) -> list[str]:
    if isinstance(item, Body):
        return [item.frame]
    if isinstance(item, Device):
        base = [item.base] if isinstance(item.base, Body) else []
        return [f"{item.device}.{one.frame}" for one in (*base, *item.links)]
    if isinstance(item, Cup):
        return [one.frame for one in (item.base, item.end) if one is not None]
    return []
