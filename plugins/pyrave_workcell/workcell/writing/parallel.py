"""``ParallelDevice``: legs that meet where joints close loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.scene import IDENTITY, same
from pyrave_workcell.workcell.writing.elements import relative

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyrave.scene import JointDescription, Pose
    from pyrave_workcell.workcell.writing.bodies import Frames
    from pyrave_workcell.workcell.writing.plan import Piece

_CLOSES = "-closes"
"""Suffix that the reader gives the frame where a leg ends."""


@dataclass(frozen=True, slots=True)
class Legs:
    """The frames of a parallel device.

    Parameters
    ----------
    inside
        In the order of the file.
    outside
        Those that stand in no leg.
    junctions
        Of each the names of the chains that meet; none: all legs do.
    end
        The frame that the device moves.
    """

    inside: list[Piece]
    outside: list[Piece]
    junctions: list[list[str]]
    end: Piece


@dataclass(frozen=True, slots=True)
class _Leg:
    """A leg: where it stands, and its frames.

    Parameters
    ----------
    before
        The leg at whose end it stands, None: at the base.
    anchor, holder
        The frame that it stands in, and the link that this one is fixed to.
    pose
        T_holder_anchor.
    """

    before: _Leg | None
    anchor: Piece
    holder: Piece
    pose: Pose
    frames: list[Piece]

    @property
    def end(self) -> Piece:
        """The last frame."""
        return self.frames[-1]

    @property
    def name(self) -> str:
        """The name of its chain, empty if it has none."""
        return next(filter(None, map(_scope, reversed(self.frames))), "")

    @property
    def chains(self) -> str:
        """The chains from the base to its end."""
        above = "" if self.before is None else f"{self.before.chains} "
        return above + self.name


def legs_of(found: Frames) -> Legs | None:
    """Return a body's frames as legs that meet as its loops do, None if they cannot.

    The frames are put behind each other only if they can.
    """
    groups = _meeting(found)
    if groups is None:
        return None
    legs = _legs(found, _in_order(found, [end for group in groups for end in group]))
    if legs is None:
        return None
    inside = [found.base, *(one for leg in legs for one in leg.frames)]
    if [one for one in inside if one.link is not None] != found.moving:
        return None
    junctions: list[list[str]] = []
    if groups != [[leg.end for leg in legs]]:
        names = [leg.name for leg in legs]
        if "" in names or len(set(names)) < len(names):
            return None  # legs without names all meet
        chains = {id(leg.end): leg.chains for leg in legs}
        junctions = [[chains[id(end)] for end in group] for group in groups]
    for leg in legs:
        _hang(leg)
    outside = [one for one in found.named if one not in inside]
    return Legs(inside, outside, junctions, groups[0][0])


def _meeting(found: Frames) -> list[list[Piece]] | None:
    """Return the frames that are kept together, None if some are no frames."""
    groups: list[list[Piece]] = []
    for joint in found.loops:
        if joint.type != "fixed" or not joint.closes_loop or joint.readables:
            return None
        far = _frame_at(found, joint.child, joint.T_child_joint, _name(joint))
        near = _frame_at(found, joint.parent, joint.T_parent_joint, "")
        if near is None or far is None:
            return None
        if groups and _stand_alike(groups[-1][-1], near):
            groups[-1].append(far)
        else:
            groups.append([near, far])
    return groups or None


def _stand_alike(one: Piece, other: Piece) -> bool:
    return one.parent is other.parent and same(one.pose, other.pose)


def _name(joint: JointDescription) -> str:
    """Return the frame that the reader named a joint by."""
    return joint.name.rpartition(_CLOSES)[0]


def _frame_at(found: Frames, link: str, pose: Pose, name: str) -> Piece | None:
    """Return the last frame of a link at a pose, of a name if one is given."""
    holder = found.links[link]
    mine = [
        one
        for one in found.named
        if one.parent is holder and same(one.pose, pose) and name in {"", one.name}
    ]
    if mine:
        return mine[-1]
    # a leg may end in the frame of its last link, such as a joint
    is_own = holder is not found.base and same(pose, IDENTITY)
    return holder if is_own and name in {"", holder.name} else None


def _in_order(found: Frames, ends: Sequence[Piece]) -> list[Piece]:
    """Return each end once, as legs are in the file: links before those behind them."""
    places = {id(piece): place for place, piece in enumerate(found.moving)}
    wanted = set(map(id, ends))
    ordered = [one for one in found.named if id(one) in wanted]
    for link in [one for one in found.moving if id(one) in wanted]:
        behind = (
            i
            for i, one in enumerate(ordered)
            if places[id(one if one.link is not None else one.parent)]
            > places[id(link)]
        )
        ordered.insert(next(behind, len(ordered)), link)
    return ordered


def _legs(found: Frames, ends: Sequence[Piece]) -> list[_Leg] | None:
    """Return the legs to ends, with the named frames that stand on their way."""
    waiting = list(found.named)
    legs: list[_Leg] = []
    used = {id(found.base)}
    for end in ends:
        way: list[Piece] = []
        is_link = end.link is not None
        piece = end if is_link else end.parent
        while piece is not None:
            way.insert(0, piece)
            piece = piece.parent
        known = [one for one in way if id(one) in used]
        holder = known[-1]
        before = next((leg for leg in reversed(legs) if leg.end.parent is holder), None)
        if before is None and holder is not found.base:
            return None
        mine = waiting if is_link else waiting[: waiting.index(end) + 1]
        if not is_link:
            del waiting[: len(mine)]
        frames: list[Piece] = []
        for one in way[len(known) - 1 :]:
            if one is not holder:
                frames.append(one)
            while one is not end and mine and mine[0].parent is one:
                frames.append(mine.pop(0))
        if (mine and not is_link) or not frames or frames[-1] is not end:
            return None
        used.update(map(id, frames))
        anchor, pose = (before.end, before.end.pose) if before else (holder, IDENTITY)
        legs.append(_Leg(before, anchor, holder, pose, frames))
    return legs


def _hang(leg: _Leg) -> None:
    """Put each frame of a leg into the one before."""
    before, above = leg.anchor, leg.pose
    for piece in leg.frames:
        pose = piece.pose  # in the last link, which holds named frames and links
        piece.pose = relative(above, pose)
        piece.parent = before
        before, above = piece, pose
        if piece.link is not None or piece.axes:
            # what stands behind it is given in its own frame
            above = IDENTITY


def _scope(piece: Piece) -> str:
    """Return the innermost chain that a frame stands in."""
    inside = piece.name.split(".")
    return inside[-2] if len(inside) > 1 else ""


def runs_of(pieces: Sequence[Piece]) -> Iterator[tuple[str, list[Piece]]]:
    """Yield the chain, and the frames behind each other that stand in it.

    A chain begins where its first frame stands in the one above it.
    """
    run: list[Piece] = []
    name = ""
    before: Piece | None = None
    for piece in pieces:
        chain = piece.name.rpartition(".")[0]
        if piece.parent is not before or "." in chain:
            chain = ""
        if run and chain != name:
            yield name, run
            run = []
        name = chain
        run.append(piece)
        before = piece
    if run:
        yield name, run
