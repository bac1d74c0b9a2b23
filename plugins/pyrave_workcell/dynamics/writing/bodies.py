"""Bodies and devices of written Dynamic WorkCells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.scene import IDENTITY, Inertial, LinkDynamics, LinkReference, same
from pyrave_workcell.dynamics.links import NOTHING
from pyrave_workcell.dynamics.writing.elements import (
    add_kept,
    add_numbers,
    add_text,
    add_value,
)
from pyrave_workcell.dynamics.writing.masses import add_mass, united
from pyrave_workcell.workcell.writing.bodies import OTHERWISE
from pyrave_workcell.workcell.writing.devices import joints_of
from pyrave_workcell.workcell.writing.elements import add

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pyrave.formats import Losses
    from pyrave.scene import (
        ConstraintDescription,
        LinkDescription,
        Pose,
        SceneDescription,
        SuctionCup,
    )
    from pyrave_workcell.workcell.writing.plan import Cell, Piece, Plan

_USUAL = Inertial()
_MOVED = LinkDynamics()


@dataclass(frozen=True, slots=True, eq=False)
class RigidPart:
    """Links that are one rigid body.

    Parameters
    ----------
    frame
        The frame that stands for them.
    link
        Whose kind, material and properties they have; None: the joint has no link.
    links
        All of them.
    """

    frame: Piece
    links: list[Piece] = field(default_factory=list)

    @property
    def link(self) -> LinkDescription | None:
        """The first link."""
        return self.links[0].link if self.links else None


class BodyWriter:
    """Writes bodies, and knows the frames that others name them by.

    Parameters
    ----------
    needed
        Links that constraints and sensors name: they have to be bodies.
    driven
        Bodies that controllers name, with whether springs do.
    ties
        Of bodies whose base is a link of another, the constraint that says it.
    """

    def __init__(
        self,
        root: Any,
        scene: SceneDescription,
        cell: Cell,
        losses: Losses,
        *,
        needed: Collection[LinkReference],
        driven: Mapping[str, bool],
        ties: Mapping[str, ConstraintDescription],
    ) -> None:
        self._root = root
        self._scene = scene
        self._cell = cell
        self._losses = losses
        self._driven = driven
        self._ties = ties
        self._parts: dict[tuple[str, str], RigidPart] = {}
        self._of_plan: dict[str, list[RigidPart]] = {}
        for name, plan in cell.plans.items():
            self._of_plan[name] = self._parts_of(name, plan)
        self._needed = {id(part) for one in needed if (part := self._part(one))}
        self._done: set[int] = set()

    def write(self, write_cups: Callable[[], None]) -> None:
        """Write all bodies: devices last, behind those that they may stand on."""
        cups = self._scene.simulation.suction_cups
        self._by_cups: set[int] = set()
        for cup in cups:
            if self.can_be_cup(cup):
                ends = (self._part(cup.base), self._part(cup.lip))
                self._by_cups.update(map(id, ends))
        plans = self._cell.plans.values()
        for plan in plans:
            if plan.device is None:
                self._add_frames(plan)
        write_cups()
        for plan in plans:
            if plan.device is not None:
                self._add_device(plan)

    def joints_of(self, plan: Plan) -> list[str]:
        """Return the joints that a configuration of a device lists, when it is read."""
        return [] if plan.device is None else [o.name for o in joints_of(plan.device)]

    def n_values(self, plan: Plan) -> int:
        """Return the number of values of a device's configuration."""
        joints = [] if plan.device is None else joints_of(plan.device)
        return sum(len(one.axes) for one in joints)

    def named(self, end: LinkReference) -> tuple[str, Pose] | None:
        """Return the frame that a link's body is called by, and T_frame_link."""
        part = self._part(end)
        plan = self._cell.plans.get(end.body)
        if part is None or plan is None or id(part) not in self._done:
            return None
        link = plan.links[end.link] if end.link else plan.base
        return part.frame.full, self._between(part.frame, link)

    def can_be_cup(self, cup: SuctionCup) -> bool:
        """Return True if both ends of a cup are bodies of their own, the lip rigid."""
        for end in (cup.base, cup.lip):
            part, plan = self._part(end), self._cell.plans.get(end.body)
            if part is None or plan is None or plan.device is not None:
                return False
            link = part.link
            if link is None or part.frame is not plan.base:
                return False
            stands = link.static or link.kinematic
            if (stands and end == cup.lip) or (link.static and not part.frame.drawn):
                return False
        return True

    def end_of_cup(self, parent: Any, end: LinkReference, *, lip: bool) -> None:
        """Append the element of a cup's base or lip."""
        part = self._part(end)
        link = None if part is None else part.link
        if part is None or link is None:
            return
        if lip:
            self._add_rigid(parent, "End", part)
        elif link.static:
            self._add_fixed(parent, "FixedBase", part, part.frame.full)
        elif link.kinematic:
            self._add_kinematic(parent, "KinematicBase", part, part.frame.full)
        else:
            self._add_rigid(parent, "RigidBase", part)
        self._done.add(id(part))

    # -- rigid parts -------------------------------------------------------------------

    def _parts_of(self, name: str, plan: Plan) -> list[RigidPart]:
        """Return the rigid parts of a body as they are read again."""
        found: dict[Piece, RigidPart] = {}
        inside = set(plan.pieces)
        for piece in plan.all():
            if piece.link is None:
                continue
            first = piece
            while not _is_part(first, plan, inside) and first.parent is not None:
                first = first.parent
            if first not in found:
                found[first] = RigidPart(piece if first.link is None else first)
            if piece is first:
                found[first].links.insert(0, piece)
            else:
                found[first].links.append(piece)
                if first.link is not None and not same(piece.link.inertial, NOTHING):
                    self._losses.add(
                        "masses of links that are part of others are added to these",
                        piece.link.name,
                        kind=OTHERWISE,
                    )
            self._parts[name, piece.link.name] = found[first]
        return list(found.values())

    def _part(self, end: LinkReference) -> RigidPart | None:
        plan = self._cell.plans.get(end.body)
        if plan is None:
            return None
        name = end.link or plan.body.links[0].name
        return self._parts.get((end.body, name))

    def _between(self, frame: Piece, link: Piece) -> Pose:
        """Return T_frame_link of two frames that are rigidly connected."""
        if frame is link:
            return IDENTITY
        worlds = self._cell.worlds
        return worlds[frame].inverse() @ worlds[link]

    def _inertial(self, part: RigidPart) -> Inertial:
        return united(
            [
                (one.link.inertial, self._between(part.frame, one))
                for one in part.links
                if one.link is not None
            ]
        )

    # -- bodies that are frames --------------------------------------------------------

    def _add_frames(self, plan: Plan) -> None:
        for part in self._of_plan[plan.body.name]:
            link = part.link
            if link is None or id(part) in self._by_cups:
                continue
            is_needed = id(part) in self._needed
            inertial = self._inertial(part)
            if part.frame is not plan.base:
                weighed = self._is_weighed(plan)
                usual = NOTHING if weighed else _USUAL
                if not same(inertial, usual) or _is_said(part):
                    self._losses.add(
                        "masses and materials of links that are fixed to bodies "
                        "without joints are not written",
                        link.name,
                    )
                continue
            if not is_needed and same(inertial, _USUAL) and not _is_said(part):
                continue
            full = part.frame.full
            if link.static:
                if not part.frame.drawn:
                    self._losses.add(
                        "bodies that stand still and have no geometry take no part in "
                        "the dynamics",
                        plan.body.name,
                    )
                    continue
                self._add_fixed(self._root, "FixedBody", part, full)
            elif link.kinematic:
                self._add_kinematic(self._root, "KinematicBody", part, full)
            else:
                self._add_rigid(self._root, "RigidBody", part)
            self._done.add(id(part))

    def _is_weighed(self, plan: Plan) -> bool:
        """Return True if a body without joints has a mass of its own."""
        first = plan.body.links[0]
        said = not same(first.inertial, _USUAL) or _is_said(
            self._of_plan[plan.body.name][0]
        )
        return said and not first.static and not first.kinematic

    def _add_fixed(self, parent: Any, tag: str, part: RigidPart, frame: str) -> None:
        element = add(parent, tag, frame=frame)
        self._add_ids(element, part)
        self._add_properties(element, part)
        self._report_mass(part)

    def _add_kinematic(
        self, parent: Any, tag: str, part: RigidPart, frame: str
    ) -> None:
        element = add(parent, tag, frame=frame)
        self._add_ids(element, part, needed=True)
        if any(True for _ in self._properties(part)):
            self._losses.add(
                "properties of kinematic bodies are not written", part.frame.full
            )
        self._report_mass(part)

    def _report_mass(self, part: RigidPart) -> None:
        if not same(self._inertial(part), NOTHING):
            self._losses.add(
                "masses of what no force moves are not written", part.frame.full
            )

    def _add_rigid(
        self, parent: Any, tag: str, part: RigidPart, frame: str | None = None
    ) -> None:
        element = add(parent, tag, frame=part.frame.full if frame is None else frame)
        self._add_ids(element, part)
        add_mass(element, self._inertial(part))
        link = part.link
        integrator = "" if link is None else link.dynamics.integrator
        add_text(element, "Integrator", integrator)
        self._add_properties(element, part)

    # -- what bodies say ---------------------------------------------------------------

    def _add_ids(self, element: Any, part: RigidPart, *, needed: bool = False) -> None:
        link = part.link
        if link is None:
            return
        material = link.material
        if needed and not material:
            material = self._scene.contact_properties.default_material
            self._losses.add(
                "kinematic bodies name their default material",
                part.frame.full,
                kind=OTHERWISE,
            )
        if material:
            add_text(element, "MaterialID", material)
        if link.object_type:
            add_text(element, "ObjectID", link.object_type)
        for other in part.links[1:]:
            known = other.link
            if known is not None and (known.material or known.object_type):
                self._losses.add(
                    "materials of links that are part of others are not written",
                    known.name,
                )

    def _properties(self, part: RigidPart) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield the properties of a link's dynamics that its frame does not have."""
        link = part.link
        if link is None:
            return
        dynamics = link.dynamics
        said = {one.get("name") for one in part.frame.properties}
        for name, value in (
            ("LinearDamping", (dynamics.linear_damping,)),
            ("AngularDamping", (dynamics.angular_damping,)),
            ("Conveyor", dynamics.surface_velocity),
        ):
            if any(value) and name not in said:
                yield name, value

    def _add_properties(self, element: Any, part: RigidPart) -> None:
        for name, value in self._properties(part):
            add_value(element, name, value)
        for kept in part.frame.dynamic_properties:
            if not add_kept(element, kept):
                self._losses.add(
                    "properties of types that RobWork has not are not written",
                    kept.get("name") or "",
                )

    # -- devices -----------------------------------------------------------------------

    def _add_device(self, plan: Plan) -> None:
        name, losses = plan.body.name, self._losses
        parts = self._of_plan[name]
        base = parts[0]
        others = parts[1:]
        inertials = {id(part): self._inertial(part) for part in parts}
        limits = _force_limits(plan)
        # frames of joints that are no links weigh nothing only where others are given
        weighed = any(one.axes and one.link is None for one in plan.pieces) or any(
            not same(inertials[id(part)], _USUAL)
            or _is_said(part)
            or id(part) in self._needed
            for part in others
        )
        base_link = base.link
        assert base_link is not None  # noqa: S101 - the base is a link
        free = not base_link.static and not base_link.kinematic
        tied = name in self._ties or self._holder(name) is not None
        is_rigid_base = free and not tied
        if is_rigid_base and (not same(inertials[id(base)], _USUAL) or weighed):
            weighed = True
        is_there = (
            weighed
            or name in self._driven
            or name in self._ties
            or any(limits.values())
            or not same(inertials[id(base)], _USUAL)
            or _is_said(base)
            or any(id(part) in self._needed for part in parts)
        )
        if not is_there:
            return
        if base_link.static and not base.frame.drawn and name not in self._ties:
            losses.add(
                "devices that stand still on a base without geometry take no part in "
                "the dynamics",
                name,
            )
            return
        led = [part for part in others if part.link is not None and part.link.kinematic]
        rigid = not led and (
            weighed or any(limits.values()) or self._driven.get(name, False)
        )
        rigid = rigid or (is_rigid_base and not led)
        mixed = [
            part
            for part in others
            if led and part.link is not None and not part.link.kinematic
        ]
        if any(not same(inertials[id(part)], NOTHING) for part in mixed):
            losses.add("all links of kinematic devices are kinematic", name)
        tag = "RigidDevice" if rigid else "KinematicDevice"
        element = add(self._root, tag, device=name)
        if rigid:
            for joint, limit in limits.items():
                add_numbers(element, "ForceLimit", (limit,), joint=joint)
        elif any(limits.values()):
            losses.add("limits of torques of kinematic devices are not written", name)
        self._add_base(element, plan, base, rigid=rigid, weighed=weighed)
        if not weighed:
            return
        written = 0
        for part in others:
            is_there = _is_said(part) or id(part) in self._needed
            if same(inertials[id(part)], NOTHING) and not is_there:
                continue
            if part.frame.device != name:
                losses.add(
                    "masses and materials of links outside of their device",
                    part.frame.full,
                )
                continue
            self._add_link(element, part, inertials[id(part)], rigid=rigid)
            self._done.add(id(part))
            written += 1
        weightless = all(same(one, NOTHING) for one in inertials.values())
        if weightless and not written and element.find("RigidBase") is None:
            losses.add("that the links of a device have no mass is not written", name)

    def _add_base(
        self, element: Any, plan: Plan, base: RigidPart, *, rigid: bool, weighed: bool
    ) -> None:
        name, link = plan.body.name, base.link
        assert link is not None  # noqa: S101 - the base is a link
        frame = base.frame.name
        holder = self._holder(name)
        tie = self._ties.get(name)
        moves = not link.static and not link.kinematic
        if tie is not None or (holder is not None and moves):
            end = tie.parent if tie is not None else holder
            found = None if end is None else self.named(end)
            if found is not None:
                add(element, "RefBase", body=found[0])
                left = NOTHING if weighed else _USUAL
                if weighed and (not same(self._inertial(base), left) or _is_said(base)):
                    self._add_link(element, base, self._inertial(base), rigid=rigid)
                    self._done.add(id(base))
                return
            if base.frame.type == "Movable":
                self._losses.add(
                    "bases that are links of bodies below them are kinematic", name
                )
        # RobWork moves frames that are Movable alone
        if link.static or base.frame.type != "Movable":
            if not link.static:
                self._losses.add("bases that stand in frames that move are fixed", name)
            self._add_fixed(element, "FixedBase", base, frame)
        elif link.kinematic or not rigid:
            if not link.kinematic:
                self._losses.add("bases of kinematic devices are kinematic", name)
            self._add_kinematic(element, "KinematicBase", base, frame)
        else:
            self._add_rigid(element, "RigidBase", base, frame)
        self._done.add(id(base))

    def _add_link(
        self, parent: Any, part: RigidPart, inertial: Inertial, *, rigid: bool
    ) -> None:
        frame = part.frame
        has_properties = bool(frame.dynamic_properties) or any(
            True for _ in self._properties(part)
        )
        plain = rigid and frame.axes and not frame.geometries and not has_properties
        if plain:
            element = add(parent, "RigidJoint", joint=frame.name)
        else:
            element = add(parent, "Link", object=frame.name)
        self._add_ids(element, part)
        add_mass(element, inertial)
        if not plain:
            self._add_properties(element, part)
        link = part.link
        if link is not None and link.dynamics.integrator:
            self._losses.add("integrators of links are not written", frame.full)

    def _holder(self, body: str) -> LinkReference | None:
        """Return the link that holds a body."""
        for grab in self._scene.grabs:
            if grab.body == body:
                return LinkReference(grab.holder, grab.link)
        return None


def _is_part(piece: Piece, plan: Plan, inside: Collection[Piece]) -> bool:
    """Return True if a frame is read as a link that may be a body."""
    if piece is plan.base or piece.axes:
        return True
    return bool(piece.geometries) and (piece in inside or plan.device is None)


def _is_said(part: RigidPart) -> bool:
    """Return True if a part says more than a mass."""
    return bool(part.frame.dynamic_properties) or any(
        link.kinematic
        or link.material
        or link.object_type
        or not same(link.dynamics, _MOVED)
        for one in part.links
        if (link := one.link) is not None
    )


def _force_limits(plan: Plan) -> dict[str, float]:
    """Return the force limits that a device needs, by the names of its joints."""
    found = {}
    for piece in plan.pieces:
        if piece.axes and not _is_passive(piece):
            found[piece.name] = max(axis.torque_limit for axis in piece.axes)
    return found


def _is_passive(piece: Piece) -> bool:
    while piece.follows is not None:
        piece = piece.follows[0]
    return piece.passive
