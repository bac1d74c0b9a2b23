"""The frames of a body as a device, or as frames alone.

What can be a chain is a ``SerialDevice``, all else a ``TreeDevice``. Its ends, in the
order of the file, decide which joints a configuration lists, and in which order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.scene import (
    IDENTITY,
    Inertial,
    JointAxis,
    RobotDescription,
    XmlElement,
    same,
)
from pyrave_workcell.workcell.loops import starts_elsewhere
from pyrave_workcell.workcell.names import FreeNames
from pyrave_workcell.workcell.writing.bodies import (
    OTHERWISE,
    Frames,
    dof_axes,
    frames_of,
    property_element,
)
from pyrave_workcell.workcell.writing.elements import relative
from pyrave_workcell.workcell.writing.parallel import legs_of
from pyrave_workcell.workcell.writing.plan import Device, Piece, Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyrave.formats import Losses
    from pyrave.scene import BodyDescription
    from pyrave_workcell.workcell.writing.mobile import Drive
    from pyrave_workcell.workcell.writing.parallel import Legs

_HOME = "Home"
_JOINT_BASE = "base"
"""The link that the reader adds where a body begins with a joint."""


def plan_of(
    body: BodyDescription,
    losses: Losses,
    *,
    held: bool,
    dynamic: bool = False,
    tied: bool = False,
    holding: Mapping[str, bool] | None = None,
    drive: Drive | None = None,
) -> Plan:
    """Return the plan for writing a body.

    Parameters
    ----------
    held
        Another body holds it, so that it stands in a frame that moves.
    dynamic
        A Dynamic WorkCell is about it.
    tied
        Which ties its base to another body.
    holding
        Links that hold other bodies, and whether these have joints. For RobWork's
        readers they have to move, and a Dynamic WorkCell says which stand still; a
        device stands in a frame of the cell.
    drive
        What drives it as a mobile device, None if nothing does.
    """
    holding = holding or {}
    found = frames_of(body, losses, dynamic=dynamic)
    for link, is_device in holding.items():
        if is_device:
            _keep_mount(found, link)
    if not held and _is_joint_alone(found):
        return _joint_alone(found)
    if not _is_device(found, held=held):
        plan = _frames_alone(found, losses, held=held, dynamic=dynamic)
        if dynamic and holding:
            plan.base.type = "Movable"
        return plan
    plan = _Devices(found, losses, dynamic=dynamic, drive=drive).plan()
    base = body.links[0]
    holds = dynamic and base.name in holding
    leads = dynamic and held and base.kinematic
    if (not held and not tied and not base.static) or holds or leads:
        plan.base.type = "Movable"
    elif held and base.static and not dynamic:
        losses.add("that held bodies are static is not written", body.name)
    device = plan.device
    assert device is not None  # noqa: S101 - just made
    _add_data(device, body, losses)
    return plan


def _keep_mount(found: Frames, link: str) -> None:
    """Leave one frame of a link for a device to stand in outside of the body's own."""
    holder = found.links.get(link)
    mine = [one for one in found.named if one.parent is holder]
    if mine and mine[-1] not in found.ends:
        found.in_cell.add(mine[-1].name)


def _is_device(found: Frames, *, held: bool) -> bool:
    body = found.body
    first = body.links[0]
    if any(piece.axes for piece in found.moving):
        return True
    if isinstance(body, RobotDescription):
        plain = len(body.links) == 1 or not first.static
        is_frame = body.attached_sensors and first.name == body.name and plain
        return not is_frame or bool(body.manipulators)
    if held or not first.static:
        return False
    return len(body.links) > 1 or not first.geometries


def _is_joint_alone(found: Frames) -> bool:
    """Return True if a body is what the reader makes of a joint outside of devices.

    Frames of the cell have no limits and start at rest.
    """
    body, base = found.body, found.body.links[0]
    if isinstance(body, RobotDescription) or len(found.moving) < 2 or found.loops:
        return False
    first = found.moving[1]
    if first.name != body.name or first.parent is not found.base or not first.axes:
        return False
    if base.name != _JOINT_BASE or base.geometries or not base.static:
        return False
    return same(first.pose, IDENTITY) and all(
        not piece.passive and not any(piece.values) and all(map(_is_free, piece.axes))
        for piece in found.moving
    )


def _is_free(axis: JointAxis) -> bool:
    """Return True if an axis is as the reader has those without limits."""
    usual = JointAxis(
        axis.direction,
        axis.prismatic,
        -math.inf,
        math.inf,
        velocity_limit=1.0,
        acceleration_limit=1.0,
    )
    return same(axis, usual)


def _joint_alone(found: Frames) -> Plan:
    first = found.moving[1]
    first.parent, first.pose = None, found.base.pose
    for piece in (*found.moving[2:], *found.named):
        if piece.parent is found.base:
            piece.parent = None
            piece.pose = found.base.pose @ piece.pose
    links = found.links | {_JOINT_BASE: first}
    others = [*found.moving[2:], *found.named]
    return Plan(found.body, [first], others, None, links, found.joints)


def _frames_alone(found: Frames, losses: Losses, *, held: bool, dynamic: bool) -> Plan:
    body, base = found.body, found.base
    first = body.links[0]
    if first.name != body.name:
        losses.add(
            "the first links of bodies without joints have the names of their bodies",
            body.name,
            kind=OTHERWISE,
        )
    base.name = body.name
    base.type = "Fixed" if first.static and not held else "Movable"
    if held and first.static and not dynamic:
        losses.add("that held bodies are static is not written", body.name)
    for key, _ in body.readables:
        losses.add("data of bodies without joints are not written", key)
    others = [one for one in (*found.moving, *found.named) if one is not base]
    return Plan(body, [base], others, None, found.links, found.joints)


class _Devices:
    def __init__(
        self, found: Frames, losses: Losses, *, dynamic: bool, drive: Drive | None
    ) -> None:
        self._found = found
        self._drive = drive
        self._junctions: list[list[str]] = []
        self._dynamic = dynamic
        self._losses = losses
        self._body = found.body

    def plan(self) -> Plan:
        found, body = self._found, self._body
        if not isinstance(body, RobotDescription):
            self._losses.add(
                "bodies with joints, or with several links standing still, are devices",
                body.name,
                kind=OTHERWISE,
            )
        if any(piece.axes for piece in found.moving):
            self._check_ends()
        elif found.ends:
            self._losses.add(
                "manipulators of robots without joints are frames alone", body.name
            )
            found.ends.clear()
        inside, outside, tag = self._arranged()
        device = Device(body.name, tag, inside, drive=self._drive)
        device.junctions = self._junctions
        plan = Plan(body, inside, outside, device, found.links, found.joints)
        self._report_order(plan, device)
        return plan

    def _arranged(self) -> tuple[list[Piece], list[Piece], str]:
        """Return the frames inside of the device, those outside, and its type."""
        if self._found.loops:
            legs = None if self._drive is not None else legs_of(self._found)
            if legs is not None:
                return self._parallel(legs)
            names = [one.name for one in self._found.loops]
            self._losses.add("joints that close loops are not written", *names)
        self._report_passive()
        if self._drive is not None:
            return (*self._split(), "MobileDevice")
        made = self._serial()
        if made is not None:
            return (*made, "SerialDevice")
        return (*self._tree(), "TreeDevice")

    def _report_passive(self) -> None:
        """Report passive joints that do not start at 0, as those of RobWork do."""
        for one in self._found.moving:
            if one.passive and one.follows is None and any(one.values):
                self._losses.add("values of passive joints are not written", one.name)

    def _parallel(self, legs: Legs) -> tuple[list[Piece], list[Piece], str]:
        """Return the frames of legs, and what their device changes of the body."""
        self._junctions = legs.junctions
        found = self._found
        starts = (value for one in found.moving if one.passive for value in one.values)
        if any(starts) and starts_elsewhere(self._body):
            self._losses.add(
                "the way in which a parallel device is assembled is not written: its "
                "passive joints start at 0 and close the loops from there",
                self._body.name,
            )
        if self._found.ends not in ([legs.end], []):
            self._losses.add(
                "a parallel device has one manipulator, to where its legs meet first",
                self._body.name,
            )
        return legs.inside, legs.outside, "ParallelDevice"

    def _check_ends(self) -> None:
        """Report manipulators that end where nothing moves, or where another does."""
        found = self._found
        ends: list[Piece] = []
        for end in found.ends:
            holder: Piece | None = end
            while holder is not None and holder is not found.base:
                if holder.axes or (holder.link is not None and holder.geometries):
                    break
                holder = holder.parent
            if holder is found.base or end in ends:
                self._losses.add(
                    "manipulators that end at the base, or where another ends, are "
                    "not written",
                    end.name,
                )
            else:
                ends.append(end)
        found.ends = ends

    # -- chains ------------------------------------------------------------------------

    def _serial(self) -> tuple[list[Piece], list[Piece]] | None:
        """Return the frames of a chain, and those outside; None: it is none."""
        found = self._found
        chain = self._chain()
        ends = found.ends
        if any(one.axes for one in found.moving if one not in chain) or len(ends) > 1:
            return None
        last_joint = max((i for i, one in enumerate(chain) if one.axes), default=0)
        end = ends[0] if ends else chain[-1]
        holder = end if end in found.moving else end.parent
        if holder not in chain or chain.index(holder) < last_joint:
            return None
        chain = chain[: chain.index(holder) + 1]
        named = self._named_in(chain, end)
        if named is None:
            return None
        rest = [one for one in found.moving if one not in chain]
        if any(one.name in found.in_cell for one in (*chain, *named)):
            return None
        if self._dynamic and any(map(_is_heavy, rest)):
            return None
        self._insert(chain, named)
        outside = [*rest, *(one for one in found.named if one not in named)]
        return chain, outside

    def _chain(self) -> list[Piece]:
        """Return the longest beginning of the links in which each holds the next."""
        chain: list[Piece] = []
        for piece in self._found.moving:
            fits = piece.parent is (chain[-1] if chain else None)
            if not fits or piece.name in self._found.in_cell:
                break
            chain.append(piece)
        return chain

    def _named_in(self, chain: Sequence[Piece], end: Piece) -> list[Piece] | None:
        """Return the named frames that stand in a chain; None if the end does not."""
        found = self._found
        places = {id(piece): place for place, piece in enumerate(chain)}
        last = len(chain) - 1
        inside: list[Piece] = []
        place = 0
        for one in found.named:
            mine = places.get(id(one.parent))
            most = last - 1 if found.ends and end not in found.named else last
            if mine is None or mine < place or mine > most:
                break
            if one.name in found.in_cell:
                break
            place = mine
            inside.append(one)
            if one is end:
                return inside
        if end not in found.named:
            return inside
        return [end] if not inside else None

    def _insert(self, chain: list[Piece], named: Iterable[Piece]) -> None:
        """Put named frames behind the frames that hold them."""
        for one in named:
            holder = one.parent
            assert holder is not None  # noqa: S101 - named frames stand in links
            place = chain.index(holder) + 1
            # behind those that were put there before
            before, offset = holder, IDENTITY
            while place < len(chain) and chain[place].link is None:
                if chain[place].axes:
                    break
                before = chain[place]
                offset = offset @ before.pose
                place += 1
            one.pose = relative(offset, one.pose)
            one.parent = before
            if place < len(chain):
                behind = chain[place]
                behind.pose = relative(one.pose, behind.pose)
                behind.parent = one
            chain.insert(place, one)

    # -- trees -------------------------------------------------------------------------

    def _split(self) -> tuple[list[Piece], list[Piece]]:
        """Return all frames but those that stand in the cell, and these."""
        found = self._found
        inside = [*found.moving, *found.named]
        outside = [
            one
            for one in inside
            if one.name in found.in_cell and not one.axes and one is not found.base
        ]
        outside = [one for one in outside if one not in found.ends]
        held = {id(one.parent) for one in inside if one not in outside}
        outside = [one for one in outside if id(one) not in held]
        return [one for one in inside if one not in outside], outside

    def _tree(self) -> tuple[list[Piece], list[Piece]]:
        found = self._found
        inside, outside = self._split()
        ends = [self._fixed(end, inside) for end in found.ends]
        reached = {id(one) for end in ends for one in way_to(end)}
        added: list[Piece] = []
        for piece in reversed(found.moving):
            if piece.axes and not piece.passive and id(piece) not in reached:
                end = self._new_end(piece, [*inside, *added])
                if end not in inside:
                    added.append(end)
                ends.append(end)
                reached.update(id(one) for one in way_to(end))
        inside += reversed(added)
        for end in ends:
            end.type = "EndEffector"
        found.ends = ends
        return inside, outside

    def _fixed(self, end: Piece, inside: list[Piece]) -> Piece:
        """Return the frame of an end that may be marked as one."""
        if not end.axes and end is not self._found.base:
            return end
        name = self._free(f"{end.name}.end", inside)
        self._losses.add(
            "manipulators that end in a joint have other names",
            end.name,
            kind=OTHERWISE,
        )
        made = Piece(name, end)
        self._found.named.append(made)
        inside.append(made)
        return made

    def _new_end(self, piece: Piece, inside: list[Piece]) -> Piece:
        """Return an end, so that a joint is among those of the device."""
        self._losses.add(
            "manipulators are added to the ends of joints that none reaches",
            self._body.name,
            kind=OTHERWISE,
        )
        below = [one for one in inside if not one.axes and one.parent is piece]
        if below:
            return below[-1]
        name = self._free(f"{piece.name}.end", inside)
        return Piece(name, piece)

    def _free(self, wanted: str, inside: Iterable[Piece]) -> str:
        return FreeNames(one.name for one in inside).take(wanted)

    # -- order -------------------------------------------------------------------------

    def _report_order(self, plan: Plan, device: Device) -> None:
        """Report what is in another order when it is read again."""
        body = plan.body
        wanted = [plan.joints[axis] for axis in dof_axes(body) if axis in plan.joints]
        found = [piece for piece in joints_of(device) for _ in piece.axes]
        if wanted != found:
            self._losses.add(
                "degrees of freedom are in the order of RobWork's devices",
                body.name,
                kind=OTHERWISE,
            )
        links = [one.link.name for one in plan.all() if one.link is not None]
        if links != [one.name for one in body.links]:
            self._losses.add("links are in another order", body.name, kind=OTHERWISE)
        is_new = not isinstance(body, RobotDescription) or not body.manipulators
        is_new = is_new and device.drive is None
        if is_new and any(piece.axes and not piece.passive for piece in plan.pieces):
            self._losses.add(
                "a manipulator to the end of the device is added",
                body.name,
                kind=OTHERWISE,
            )


def _is_heavy(piece: Piece) -> bool:
    """Return True if a link has to stand in its device: dynamics name it there."""
    link = piece.link
    weightless = Inertial(0.0, inertia=(0.0,) * 9)
    if link is None:
        return False
    return not any(same(link.inertial, one) for one in (weightless, Inertial()))


def way_to(end: Piece) -> list[Piece]:
    """Return the frames from the base of a body to an end."""
    way = []
    piece: Piece | None = end
    while piece is not None:
        way.append(piece)
        piece = piece.parent
    return way[::-1]


def joints_of(device: Device) -> list[Piece]:
    """Return the joints that a configuration of a device lists, in its order."""
    pieces = device.pieces
    if device.tag == "TreeDevice":
        ends = [one for one in pieces if one.type == "EndEffector"] or pieces[-1:]
        way = dict.fromkeys(one for end in ends for one in way_to(end))
        pieces = [one for one in way if one in pieces]
    return [one for one in pieces if one.axes and not one.passive and not one.follows]


# -- data ------------------------------------------------------------------------------


def _add_data(device: Device, body: BodyDescription, losses: Losses) -> None:
    """Add properties and configurations that were kept, and where joints start."""
    home = tuple(value for piece in joints_of(device) for value in piece.values)
    axes = [axis for piece in joints_of(device) for axis in piece.axes]
    is_home_there = False
    for key, readable in body.readables:
        prop = property_element(key, readable)
        element = readable.to_xml()
        if prop is not None:
            device.properties.append(prop)
        elif key.lower() == "q" and element is not None and element.tag == "Q":
            if element.get("name") == _HOME:
                if is_home_there or not _is_home(element, home, axes):
                    continue
                is_home_there = True
            device.configurations.append(element)
        else:
            losses.add("data of bodies are not written", key)
    if not is_home_there and any(home):
        text = " ".join(map(repr, home))
        device.configurations.append(XmlElement("Q", (("name", _HOME),), text))


def _is_home(
    element: XmlElement, home: tuple[float, ...], axes: Sequence[JointAxis]
) -> bool:
    """Return True if a configuration is where joints start, moved into their limits."""
    try:
        values = tuple(map(float, element.text.split()))
    except ValueError:
        return False
    if len(values) != len(home):
        return False
    clamped = tuple(
        min(max(value, axis.lower), axis.upper)
        for value, axis in zip(values, axes, strict=True)
    )
    return same(values, home) or same(clamped, home)
