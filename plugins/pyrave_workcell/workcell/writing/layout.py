"""Order of frames in a written WorkCell, and their parents.

A device stands in the last frame of the cell above it, so that this one has to move as
the device's base does; frames are put there as they are needed.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from pyrave.scene import IDENTITY, Pose, RobotDescription, XmlElement, same
from pyrave_workcell.workcell.document import WORLD
from pyrave_workcell.workcell.joints import motion
from pyrave_workcell.workcell.names import FreeNames, without_blanks
from pyrave_workcell.workcell.writing.bodies import OTHERWISE, property_element
from pyrave_workcell.workcell.writing.devices import plan_of
from pyrave_workcell.workcell.writing.elements import relative
from pyrave_workcell.workcell.writing.mobile import drives_of
from pyrave_workcell.workcell.writing.plan import Cell, Device, Piece, Plan
from pyrave_workcell.workcell.writing.sensors import numbers_in, property_of

if TYPE_CHECKING:
    from pyrave.formats import Losses
    from pyrave.scene import GrabDescription, SceneDescription

_MOUNT = "_mount"


def cell_of(
    scene: SceneDescription, losses: Losses, tied: frozenset[str] | None = None
) -> Cell:
    """Return the layout of a written scene: frames and devices in file order.

    Parameters
    ----------
    tied
        Bodies whose base a Dynamic WorkCell ties to another body; None: there is none.
    """
    return _Layout(scene, losses, tied).done()


class _Layout:
    def __init__(
        self, scene: SceneDescription, losses: Losses, tied: frozenset[str] | None
    ) -> None:
        self._scene = scene
        self._dynamic = tied is not None
        self._tied = tied or frozenset()
        self._losses = losses
        self._cell = Cell(scene.name)
        self._grabs = {one.body: one for one in scene.grabs}
        self._taken = FreeNames((WORLD,))
        self._last: Piece | None = None
        self._still: deque[Piece] = deque()
        self._waiting: dict[str, deque[Piece]] = {}

    def done(self) -> Cell:
        scene, cell = self._scene, self._cell
        self._plan()
        self._add_properties()
        for frame in scene.frames:
            self._still.append(Piece(self._frame_name(frame.name), None, frame.pose))
        self._add_world_sensors()
        self._fill_still()
        for plan in cell.plans.values():
            if _is_world(plan):
                plan.base.full = WORLD
                cell.worlds[plan.base] = IDENTITY
                cell.items.append(plan.base)
            elif plan.device is None:
                self._add_frames(plan)
            else:
                self._add_device(plan, plan.device)
        for waiting in self._waiting.values():
            while waiting:
                self._put(waiting.popleft())
        while self._still:
            self._put(self._still.popleft())
        return cell

    # -- names -------------------------------------------------------------------------

    def _plan(self) -> None:
        """Find the frames of all bodies, and keep the names of bodies for these."""
        jointed = {
            body.name
            for body in self._scene.bodies
            if body.joints or isinstance(body, RobotDescription)
        }
        holding: dict[str, dict[str, bool]] = {}
        drives = drives_of(self._scene)
        for one in self._scene.grabs:
            mine = holding.setdefault(one.holder, {})
            mine[one.link] = mine.get(one.link, False) or one.body in jointed
        for body in self._scene.bodies:
            if not body.links:
                self._losses.add("bodies without links are not written", body.name)
                continue
            plan = plan_of(
                body,
                self._losses,
                held=body.name in self._grabs,
                dynamic=self._dynamic,
                tied=body.name in self._tied,
                holding=holding.get(body.name, {}),
                drive=drives.get(body.name),
            )
            self._cell.plans[body.name] = plan
            if plan.device is None:
                self._taken.keep(body.name)

    def _frame_name(self, name: str) -> str:
        made = self._taken.take(without_blanks(name))
        if made != name:
            self._losses.add(
                "frames of the world with the name of another are renamed",
                name,
                kind=OTHERWISE,
            )
        return made

    def _name(self, plan: Plan) -> None:
        """Give all frames of a body their full names."""
        body = plan.body.name
        if plan.device is not None:
            for piece in plan.pieces:
                piece.device = body
                piece.full = self._taken.take(f"{body}.{piece.name}")
        for piece in plan.outside:
            scoped = f"{body}.{piece.name}"
            local = piece.name
            if local in self._taken or (plan.device is None and local == body):
                local = scoped
                if plan.device is None:
                    self._losses.add(
                        "links and frames of bodies without joints are named with "
                        "their body where others have their names",
                        piece.name,
                        kind=OTHERWISE,
                    )
            piece.full = piece.name = self._taken.take(local)

    # -- frames that stand still -------------------------------------------------------

    def _add_properties(self) -> None:
        """Keep the properties of the cell; those of still frames wait for these."""
        self._of_frames: dict[str, list[XmlElement]] = {}
        for key, readable in self._scene.readables:
            element = property_element(key, readable)
            if element is not None:
                frame = element.get("refframe")
                if frame:
                    self._of_frames.setdefault(frame, []).append(element)
                else:
                    self._cell.properties.append(element)
            elif key.lower() != "proximitysetup":
                self._losses.add("data of the scene are not written", key)

    def _fill_still(self) -> None:
        for piece in self._still:
            for element in self._of_frames.pop(piece.name, ()):
                known = [one.get("name") for one in piece.properties]
                if element.get("name") in known:
                    place = known.index(element.get("name"))
                    piece.properties[place] = element
                else:
                    piece.properties.append(element)
        for elements in self._of_frames.values():
            self._cell.properties += elements

    def _add_world_sensors(self) -> None:
        losses = self._losses
        for sensor in self._scene.interfaces:
            if sensor.type != "sensor":
                continue
            made = property_of(sensor)
            if made is None:
                losses.add(
                    "sensors that RobWork has no property for are not written",
                    sensor.name or sensor.interface,
                )
                continue
            for lost in made.lost:
                losses.add(lost, sensor.name)
            pose = (sensor.pose or IDENTITY) @ made.turn.inverse()
            plain = sensor.name.rpartition("_")[0]
            piece = next(
                (
                    one
                    for one in self._still
                    if one.name in {sensor.name, plain} and same(one.pose, pose)
                ),
                None,
            )
            if piece is None:
                losses.add(
                    "sensors stand in frames of their own", sensor.name, kind=OTHERWISE
                )
                piece = Piece(self._frame_name(sensor.name or "sensor"), None, pose)
                self._still.append(piece)
            kept = [
                one
                for one in self._of_frames.get(piece.name, ())
                if one.get("name") == made.name
                and same(numbers_in(one.text), made.numbers, 1e-9)
            ]
            if not kept:
                piece.properties.append(made.element())

    # -- bodies ------------------------------------------------------------------------

    def _add_frames(self, plan: Plan) -> None:
        """Add a body that is frames alone."""
        base, body = plan.base, plan.body
        base.full = body.name
        if body.name == WORLD:
            self._losses.add(f"no body is named {WORLD}", WORLD, kind=OTHERWISE)
            base.full = self._taken.take(f"{WORLD}_body")
        base.name = base.full
        world = base.pose
        grab = self._grabs.get(body.name)
        holder = None if grab is None else self._holder(grab)
        if holder is not None:
            base.parent = holder
            base.pose = relative(self._cell.worlds[holder], world)
        self._name(plan)
        self._put(base)
        for piece in plan.outside:
            self._put(piece)

    def _add_device(self, plan: Plan, device: Device) -> None:
        base = plan.base
        grab = self._grabs.get(plan.body.name)
        holder = None if grab is None else self._holder(grab)
        self._name(plan)
        if device.drive is None:  # else it stands in the world
            self._stand_in(holder, plan)
            world = base.pose
            base.parent = self._last
            if self._last is not None:
                base.pose = relative(self._cell.worlds[self._last], world)
        for piece in device.pieces:
            self._place(piece)
        self._cell.items.append(device)
        for piece in plan.outside:
            self._place(piece)
        self._waiting[plan.body.name] = deque(plan.outside)

    def _holder(self, grab: GrabDescription) -> Piece | None:
        """Return the frame of the link that holds a body."""
        plan = self._cell.plans.get(grab.holder)
        piece = None if plan is None else plan.links.get(grab.link)
        if piece is None or not self._moves(piece):
            self._losses.add(
                "bodies are held by bodies above them that move; others stand by "
                "themselves",
                grab.body,
            )
            return None
        if grab.touching_links or grab.touching_bodies:
            self._losses.add("what touches held bodies is not written", grab.body)
        return piece

    def _stand_in(self, holder: Piece | None, plan: Plan) -> None:
        """Make the last frame of the cell one that a device may stand in."""
        base = plan.base.pose
        if holder is None:
            # it stands in a frame of the world, or in one that was added for it
            mine = f"{plan.body.name}{_MOUNT}"
            wanted = [
                one
                for one in self._still
                if one.name == mine
                or (same(one.pose, base) and not one.name.endswith(_MOUNT))
            ]
            while wanted:
                piece = self._still.popleft()
                self._put(piece)
                if piece is wanted[0]:
                    return
        if self._fits(self._last, holder):
            return
        if holder is None:
            if self._still:
                self._put(self._still.popleft())
                return
        else:
            body = self._body_of(holder)
            waiting = self._waiting.get(body, deque())
            if any(self._fits(one, holder) for one in waiting):
                while True:
                    piece = waiting.popleft()
                    self._put(piece)
                    if self._fits(piece, holder):
                        return
        self._mount(holder, plan.body.name)

    def _mount(self, holder: Piece | None, body: str) -> None:
        """Add a frame for a device to stand in."""
        self._losses.add("devices stand in frames that are added", body, kind=OTHERWISE)
        mount = Piece(self._taken.take(f"{body}{_MOUNT}"), holder)
        mount.full = mount.name
        self._put(mount)

    def _put(self, piece: Piece) -> None:
        """Add a frame to the cell."""
        if piece.parent is not None and self._last is None:
            # RobWork puts the first frame into the world, whatever it says
            if self._still:
                self._put(self._still.popleft())
            else:
                self._losses.add(
                    "a frame of the world is added: RobWork needs one above the others",
                    kind=OTHERWISE,
                )
                origin = Piece(self._taken.take("Origin"))
                self._put(origin)
        piece.full = piece.full or piece.name
        if piece not in self._cell.worlds:
            self._place(piece)
        self._cell.items.append(piece)
        self._last = piece

    # -- where frames are --------------------------------------------------------------

    def _place(self, piece: Piece) -> None:
        """Find T_world_piece where all joints start."""
        pose: Pose = piece.pose
        if piece.axes:
            values = piece.values
            if piece.follows is not None:
                owner, gain, offset = piece.follows
                piece.values = values = (gain * owner.values[0] + offset,)
            pose = pose @ motion(piece.type, values)
        above = IDENTITY if piece.parent is None else self._cell.worlds[piece.parent]
        self._cell.worlds[piece] = above @ pose

    def _moves(self, piece: Piece | None) -> bool:
        """Return True if a frame is not rigidly connected to the world."""
        while piece is not None:
            if piece.axes or piece.type == "Movable":
                return True
            piece = piece.parent
        return False

    def _fits(self, last: Piece | None, holder: Piece | None) -> bool:
        """Return True if a device may stand in a frame of the cell."""
        if holder is None:
            return not self._moves(last)
        while last is not None and last is not holder:
            if last.axes or last.type == "Movable" or last.link is not None:
                return False
            last = last.parent
        return last is holder

    def _body_of(self, piece: Piece) -> str:
        for name, plan in self._cell.plans.items():
            if piece in plan.links.values():
                return name
        return ""


def _is_world(plan: Plan) -> bool:
    """Return True if a body is geometry of RobWork's world."""
    base = plan.base
    still = plan.device is None and base.type == "Fixed" and not plan.outside
    return plan.body.name == WORLD and still and base.pose == IDENTITY
