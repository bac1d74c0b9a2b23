"""Links that constraints, and joints outside of the tree, tie to each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.scene import CONSTRAINT_FREEDOMS
from pyrave.spatial import Array, invert_pose
from pyrave_mujoco.ties.chains import PoseJointChain
from pyrave_mujoco.ties.springs import Bushing, bushing_of, longest_step, read_spring

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.joint import Joint
    from pyrave.scene import ConstraintDescription, LinkReference
    from pyrave_mujoco.ties.chains import ChainKind

Key = tuple[str, ...]
"""Name of a body, empty for constraints of the scene, and of what ties."""
Range = tuple[float, float]

_ANYWHERE: Range = (-math.inf, math.inf)
_EYE = np.eye(4)
_TURNS = frozenset({"rx", "ry", "rz"})


@dataclass(frozen=True, slots=True)
class End:
    """A link, or the world where `body` is None."""

    body: KinBody | None = None
    link: int = 0

    @property
    def is_put(self) -> bool:
        """True if it stays in its set pose."""
        if self.body is None:
            return True
        link = self.body.links[self.link]
        return link.static or link.kinematic

    @property
    def pose(self) -> Array:
        """T_world_link, (4, 4)."""
        return _EYE if self.body is None else self.body.transforms_view[self.link]


@dataclass(frozen=True, slots=True, eq=False)
class Tie:
    """A tie of one link to another.

    Parameters
    ----------
    first, second
        The links.
    frame
        (4, 4) in the first link.
    chain
        What the second link may do against the first, from `frame`; None: nothing.
        Three turns alone, without limits and springs, are a point.
    start
        (4, 4) T_first_second to begin with.
    carried
        (4, 4) the second link in the last frame of the chain.
    limits
        Of the joints of the chain, of a ball those of its angle.
    """

    key: Key
    first: End
    second: End
    frame: Array
    chain: PoseJointChain | None
    start: Array
    carried: Array
    limits: tuple[Range, ...] = ()
    bushing: Bushing | None = None

    @property
    def is_point(self) -> bool:
        """True if the only constraint is that the links have a point in common."""
        return (
            self.chain is not None
            and self.chain.kinds == ("ball",)
            and self.bushing is None
            and math.isinf(self.limits[0][1])
        )

    def longest_step(self, *bushings: Bushing) -> float:
        """Return the longest step that resolves its spring and others, seconds."""
        known = (self.bushing, *bushings)
        if self.chain is None:
            return math.inf
        poses = (invert_pose(self.frame), self.carried)
        ends = [
            (end.body.links[end.link], pose)
            for end, pose in zip((self.first, self.second), poses, strict=True)
            if end.body is not None and not end.is_put
        ]
        steps = [longest_step(self.chain, ends, one) for one in known if one]
        return min(steps, default=math.inf)


def welded(key: Key, first: End, second: End, start: Array) -> Tie:
    """Return a tie that lets nothing move."""
    return Tie(key, first, second, _EYE, None, start, start)


def tie_of_constraint(
    env: Environment, one: ConstraintDescription, start: Array | None
) -> tuple[Tie | None, list[str]]:
    """Return the tie of a constraint of the scene, and what it leaves out.

    Slides come first and turns after them, about axes that the slides move: so do
    those of the Open Dynamics Engine, whose constraints RobWork's are.

    Parameters
    ----------
    start
        T_parent_child to which the limits refer; None: as the links are now.
    """
    first, second = (end_of(env, end) for end in (one.parent, one.child))
    start = invert_pose(first.pose) @ second.pose if start is None else start
    key, notes = ("", one.name), []
    directions = CONSTRAINT_FREEDOMS[one.kind]
    limits = [(each.lower, each.upper) for each in one.limits]
    limits += [_ANYWHERE] * (len(directions) - len(limits))
    free = list(range(len(directions)))
    stiffness = damping = np.empty((0, 0))
    if one.spring is not None:
        free, stiffness, damping, note = read_spring(one.spring, len(free))
        if note:
            notes.append(f"{note} of the constraint {one.name!r}")
    elif one.kind == "free" and not any(map(_is_limited, limits)):
        return None, notes
    if not free:
        return welded(key, first, second, start), notes
    frame = one.pose.matrix.copy()
    ball = {directions[k] for k in free} >= _TURNS
    slides = [k for k in free if directions[k] not in _TURNS]
    if ball and slides:
        # a turn of the child about its own frame displaces that nowhere
        frame[:3, 3] = start[:3, 3]
    hinges = [] if ball else [k for k in free if directions[k] in _TURNS]
    ranges = [limits[k] for k in slides + hinges]
    if ball:
        angle, said = ball_angle([limits[k] for k in free if directions[k] in _TURNS])
        ranges.append((0.0, angle))
        if not said:
            notes.append(f"limits of the turns of the constraint {one.name!r}")
    kinds: list[ChainKind] = ["slide" for _ in slides]
    kinds += ["hinge" for _ in hinges]
    kinds += ["ball"] if ball else []
    axes = [np.eye(3)["xyz".index(directions[k][-1])] for k in slides + hinges]
    axes += [np.zeros(3)] * ball
    chain = PoseJointChain(tuple(kinds), np.array(axes))
    carried = invert_pose(frame) @ start
    bushing = None
    if one.spring is not None:
        rest = invert_pose(one.pose.matrix) @ start
        bushing = bushing_of(chain, rest, stiffness, damping)
    tie = Tie(key, first, second, frame, chain, start, carried, tuple(ranges), bushing)
    return tie, notes


def tie_of_joint(
    body: KinBody, joint: Joint, start: Array | None
) -> tuple[Tie | None, str]:
    """Return the tie of a joint outside of the tree, and what of it is left out.

    Parameters
    ----------
    start
        T_parent_child to begin with; None: as the links are now. What the joint says
        otherwise stays as it is.
    """
    key, model = (body.name, joint.name), body.model
    first, second = (End(body, k) for k in model.joint_links[joint.index].tolist())
    start = invert_pose(first.pose) @ second.pose if start is None else start
    if joint.static or joint.type == "fixed":
        return welded(key, first, second, start), ""
    if joint.type == "trajectory":
        return None, (
            f"its joint {joint.name!r} follows a path in time and closes a loop; the "
            "loop is open"
        )
    at, count = model.joint_values[joint.index].tolist()
    span = slice(at, at + count)
    limits = [value_limits(body, k) for k in range(at, at + count)]
    note = ""
    axes = np.array(model.axis_directions[span], float)
    if joint.type == "spherical":
        chain = PoseJointChain(("ball",), axes[:1])
        angle, said = ball_angle(limits)
        limits = [(0.0, angle)]
        if not said:
            note = note_of_turns(joint.name)
    else:
        slides = model.prismatic[span].tolist()
        chain = PoseJointChain(
            tuple("slide" if one else "hinge" for one in slides), axes
        )
    frame = model.T_parent_joint[joint.index]
    now = invert_pose(frame) @ start
    values = chain.coordinates(now @ model.T_child_joint[joint.index], chain.zero)
    carried = invert_pose(chain.pose(values)) @ now
    return Tie(key, first, second, frame, chain, start, carried, tuple(limits)), note


def value_limits(body: KinBody, value: int) -> Range:
    """Return the limits of a value of a joint, m or rad."""
    model = body.model
    if model.circular[value]:
        return _ANYWHERE
    if value < model.n_dof:
        lower, upper = body.limit_store.bounds
        return float(lower[value]), float(upper[value])
    return float(model.value_lower[value]), float(model.value_upper[value])


def ball_angle(limits: Sequence[Range]) -> tuple[float, bool]:
    """Return the largest angle of a ball with limits of its rotation vector.

    Returns
    -------
    angle
        Radians; infinite where nothing is limited.
    bool
        Whether that is what the limits say: all three are the same, and 0 is in their
        middle. Then a cone around a cube is left out, 1.7 times the angle.
    """
    if all(low <= -math.pi and high >= math.pi for low, high in limits):
        return math.inf, True
    (low, high), *others = limits
    if low == -high and high > 0.0 and all(one == (low, high) for one in others):
        return high, True
    return math.inf, False


def note_of_turns(joint: str) -> str:
    """Say that the limits of a spherical joint do not act."""
    return (
        f"limits of its spherical joint {joint!r} do not act, as they are not the same "
        "angle to either side about all three axes"
    )


def _is_limited(limits: Range) -> bool:
    return any(map(math.isfinite, limits))


def end_of(env: Environment, end: LinkReference) -> End:
    """Return the link that a description names."""
    if not end.body:
        return End()
    body = env.bodies[end.body]
    return End(body, body.link_index(end.link or 0))
