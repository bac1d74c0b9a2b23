"""``Frame``, ``Joint`` and what stands in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.coercion import HUGE
from pyrave.formats.output.numbers import FAR, numbers
from pyrave.scene import same
from pyrave_workcell.workcell.document import JOINT_AXES
from pyrave_workcell.workcell.writing.elements import add, add_pose, degrees_of
from pyrave_workcell.workcell.writing.mobile import add_drive
from pyrave_workcell.workcell.writing.parallel import runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.formats import Losses
    from pyrave.scene import JointAxis, XmlElement
    from pyrave_workcell.workcell.writing.models import ModelWriter
    from pyrave_workcell.workcell.writing.plan import Device, Piece

_TYPES = frozenset({"string", "double", "Q"})
_NUMBERS = frozenset({"float", "int"})
_USUAL_RATE = 1.0
_MODELS = frozenset({"Drawable", "CollisionModel"})


class FrameWriter:
    """Writes the frames of one WorkCell."""

    def __init__(self, models: ModelWriter, losses: Losses) -> None:
        self._models = models
        self._losses = losses

    def frame(self, parent: Any, piece: Piece, refframe: str, scope: str = "") -> None:
        """Append a frame or a joint.

        Parameters
        ----------
        refframe
            What it stands in, as the scope has it; empty: what stands above it.
        scope
            What its chain adds to names.
        """
        name = piece.name.removeprefix(scope)
        if piece.axes and not piece.device:
            # the cell itself has frames that move, and no joints
            element = add(
                parent, "Frame", name=name, refframe=refframe, type=piece.type
            )
        elif piece.axes:
            state = "Passive" if piece.passive and piece.follows is None else ""
            element = add(
                parent,
                "Joint",
                name=name,
                refframe=refframe,
                type=piece.type,
                state=state,
            )
        else:
            kind = "" if piece.type == "Fixed" else piece.type
            element = add(parent, "Frame", name=name, refframe=refframe, type=kind)
        add_pose(element, piece.pose, always=True)
        if piece.follows is not None:
            self._add_follower(element, *piece.follows)
        elif piece.axes and piece.device:
            self._add_limits(element, piece)
        self.contents(element, piece)

    def models(self, device: Any, piece: Piece) -> None:
        """Append the geometries of a frame that has no element to its device."""
        link = piece.name if piece.link is None else piece.link.name
        if piece.properties:
            self._losses.add("properties of mobile bases and wheels", piece.name)
        for geometry in piece.geometries:
            known = len(device)
            self._models.add(device, geometry, link)
            for model in device[known:]:
                model.set("refframe", piece.name)
                # RobWork wants it last
                enabled = model.attrib.pop("colmodel", None)
                if enabled is not None:
                    model.set("colmodel", enabled)
                piece.drawn = True

    def contents(self, element: Any, piece: Piece) -> None:
        """Append properties and geometries of a frame."""
        for prop in piece.properties:
            self.prop(element, prop)
        link = piece.name if piece.link is None else piece.link.name
        for geometry in piece.geometries:
            self._models.add(element, geometry, link)
        piece.drawn = any(one.tag in _MODELS for one in element)

    def prop(self, parent: Any, element: XmlElement) -> None:
        """Append a property that was kept."""
        kind = element.get("type") or "string"
        if kind in _NUMBERS:
            kind = "double"
        elif kind not in _TYPES:
            self._losses.add(
                "properties of types that RobWork has not are not written",
                element.get("name") or "",
            )
            return
        made = add(
            parent,
            "Property",
            name=element.get("name") or "",
            type=kind,
            desc=element.get("desc") or "",
        )
        made.text = element.text

    def configuration(self, parent: Any, element: XmlElement) -> None:
        """Append a ``Q``."""
        add(parent, "Q", name=element.get("name") or "").text = element.text

    # -- joints ------------------------------------------------------------------------

    def _add_follower(
        self, element: Any, owner: Piece, gain: float, offset: float
    ) -> None:
        add(
            element,
            "Depend",
            on=owner.name,
            gain=numbers((gain,), HUGE),
            offset=numbers((offset,), HUGE),
        )

    def _add_limits(self, element: Any, piece: Piece) -> None:
        axes, name = piece.axes, piece.name
        turns = [not slides for _, slides in JOINT_AXES[piece.type]]
        limited = [n for n, axis in enumerate(axes) if _is_limited(axis)]
        for number in range(max(limited, default=-1) + 1):
            axis = axes[number]
            ends = axis.lower, axis.upper
            if not all(_is_near(end) for end in ends):
                self._losses.add(
                    "limits that are missing where others are given are far away",
                    name,
                    kind="written-otherwise",
                )
            low, high = (_written(end, turn=turns[number]) for end in ends)
            add(element, "PosLimit", min=low, max=high)
        for tag, field in (
            ("VelLimit", "velocity_limit"),
            ("AccLimit", "acceleration_limit"),
        ):
            rates = [getattr(axis, field) for axis in axes]
            others = [n for n, rate in enumerate(rates) if not same(rate, _USUAL_RATE)]
            for number in range(max(others, default=-1) + 1):
                rate = _written(rates[number], turn=turns[number])
                add(element, tag, max=rate)


def _is_near(value: float) -> bool:
    return abs(value) < FAR


def _is_limited(axis: JointAxis) -> bool:
    endless = axis.circular and axis.lower <= -math.pi and axis.upper >= math.pi
    return not endless and (_is_near(axis.lower) or _is_near(axis.upper))


def _written(value: float, *, turn: bool) -> str:
    """Return a number of a limit: degrees of what turns, metres of what slides."""
    if not _is_near(value):
        return numbers((math.copysign(FAR, value),))
    return numbers((degrees_of(value) if turn else value,), HUGE)


def _add_legs(element: Any, pieces: Sequence[Piece], writer: FrameWriter) -> None:
    """Append the legs of a parallel device, frames of one chain in its element."""
    before: Piece | None = None
    for chain, run in runs_of(pieces):
        holder = add(element, "SerialChain", name=chain) if chain else element
        for piece in run:
            refframe = ""
            if before is not None and piece.parent not in {None, before}:
                refframe = piece.parent.name if piece.parent is not None else ""
            writer.frame(holder, piece, refframe, scope=f"{chain}." if chain else "")
            before = piece


def device_element(parent: Any, device: Device, writer: FrameWriter) -> Any:
    """Append a device without its configurations, which come last."""
    element = add(parent, device.tag, name=device.name)
    before: Piece | None = None
    pieces = device.pieces
    if device.drive is not None:
        element.set("basename", pieces[0].name)
        add_drive(element, device.drive)
        for piece in pieces[:3]:
            writer.models(element, piece)
        before, pieces = pieces[2], pieces[3:]
    if device.tag == "ParallelDevice":
        _add_legs(element, pieces, writer)
        pieces = []
    for piece in pieces:
        refframe = ""
        is_free = device.tag != "SerialDevice" and before is not None
        is_next = piece.parent is before and device.drive is None
        if is_free and piece.parent is not None and not is_next:
            refframe = piece.parent.name
        writer.frame(element, piece, refframe)
        before = piece
    for prop in device.properties:
        writer.prop(element, prop)
    return element
