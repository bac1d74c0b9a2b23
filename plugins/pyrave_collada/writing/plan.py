"""Plan of a body in a file: the names of its parts, and the tree of its links.

Names are those that OpenRAVE's own writer makes: numbers count from 1 and are
hexadecimal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.scene import IDENTITY, JointDescription, Pose
from pyrave_collada.writing.names import named_body

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription


_MAX_AXES = 3


@dataclass(frozen=True, slots=True)
class WrittenAxis:
    """An axis of a joint as it is written: a joint without axes has one that rests."""

    joint: JointDescription
    number: int
    prismatic: bool
    direction: tuple[float, float, float]
    index: int

    @property
    def moves(self) -> bool:
        """True if it is an axis of the description."""
        return any(self.direction)


@dataclass(frozen=True, slots=True)
class Hanging:
    """A joint below a link, and the frames before and behind its motion.

    Parameters
    ----------
    closes
        The link below hangs elsewhere already: this closes a loop.
    """

    joint: JointDescription
    before: Pose
    after: Pose
    closes: bool


@dataclass(slots=True)
class BodyPlan:
    """Names and structure of one body.

    Parameters
    ----------
    number
        Which body of the scene it is, from 0.
    body
        The body, everything in it named.
    links, joints
        Numbers by name, from 1.
    glue
        Joints that are not the body's: they hold links that no joint carries.
    below
        What hangs below each link.
    zero
        T_base_link of each link, all joints at zero.
    """

    number: int
    body: BodyDescription
    links: dict[str, int]
    joints: dict[str, int]
    glue: dict[str, JointDescription] = field(default_factory=dict)
    below: dict[str, list[Hanging]] = field(default_factory=dict)
    zero: dict[str, Pose] = field(default_factory=dict)
    axes: list[WrittenAxis] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The first link, from which all others hang."""
        return self.body.links[0].name

    @property
    def model(self) -> str:
        """Id of the kinematics model."""
        return f"kmodel{self.number}"

    @property
    def kinematics(self) -> str:
        """Id of the inner articulated system."""
        return f"body{self.number}_kinematics"

    @property
    def motion(self) -> str:
        """Id of the outer articulated system."""
        return f"body{self.number}_motion"

    @property
    def physics(self) -> str:
        """Id of the physics model."""
        return f"pmodel{self.number}"

    def link(self, name: str) -> str:
        """Return the sid of a link."""
        return f"link{self.links[name]:X}"

    def joint(self, name: str) -> str:
        """Return the sid of a joint."""
        return f"joint{self.joints[name]:X}"

    def node(self, name: str) -> str:
        """Return the id of a link's visual node."""
        return f"v{self.number}.node{self.links[name]:X}"

    def link_path(self, name: str) -> str:
        """Return the path of a link."""
        return f"{self.model}/{self.link(name)}"

    def joint_path(self, name: str) -> str:
        """Return the path of a joint."""
        return f"{self.model}/{self.joint(name)}"

    def axis(self, axis: WrittenAxis) -> str:
        """Return the name of an axis in parameters."""
        return f"{self.joint(axis.joint.name)}.axis{axis.number}"

    @property
    def start(self) -> dict[tuple[str, int], float]:
        """Value of each axis, by joint and number, that is a degree of freedom."""
        given = iter(self.body.dof_values or ())
        return {
            (joint.name, number): next(given, axis.initial)
            for joint in self.body.joints
            if joint.active
            for number, axis in enumerate(joint.axes)
            if axis.mimic is None
        }

    @property
    def placed(self) -> Pose:
        """T_world_base."""
        return self.body.pose @ self.body.links[0].pose


def plan_body(number: int, body: BodyDescription) -> BodyPlan:
    """Return the plan for writing a body with links."""
    body = named_body(body)
    # as OpenRAVE counts them: degrees of freedom first
    ordered = sorted(body.joints, key=lambda joint: not joint.active)
    plan = BodyPlan(
        number,
        body,
        {link.name: index for index, link in enumerate(body.links, 1)},
        {joint.name: index for index, joint in enumerate(ordered, 1)},
    )
    _hang(plan)
    for joint in (*ordered, *plan.glue.values()):
        plan.axes += _written_axes(joint, len(plan.axes))
    return plan


def rests_for_others(joint: JointDescription) -> bool:
    """Return True if a joint moves in a way that other programs have no joint for.

    OpenRAVE's have three axes at most.
    """
    return joint.type == "trajectory" or len(joint.axes) > _MAX_AXES


def _written_axes(joint: JointDescription, first: int) -> list[WrittenAxis]:
    if rests_for_others(joint) or not joint.axes:
        return [WrittenAxis(joint, 0, False, (0.0, 0.0, 0.0), first)]
    return [
        WrittenAxis(joint, number, axis.prismatic, axis.direction, first + number)
        for number, axis in enumerate(joint.axes)
    ]


def _hang(plan: BodyPlan) -> None:
    """Make a tree of links; joints that lead to a link of it close loops.

    Links that no joint carries are glued to the base: OpenRAVE gives the shapes of
    those that hang from nothing to the base, and them no mass.
    """
    body = plan.body
    poses = {link.name: link.pose for link in body.links}
    to_base = body.links[0].pose.inverse()
    from_link: dict[str, list[JointDescription]] = {}
    for joint in body.joints:
        from_link.setdefault(joint.parent, []).append(joint)
    carried = {joint.child for joint in body.joints}
    base = body.links[0].name
    rest = [name for name in poses if name != base]
    order = [base, *(n for n in rest if n not in carried), *rest]
    for root in order:
        if root in plan.zero:
            continue
        plan.zero[root] = IDENTITY if root == base else to_base @ poses[root]
        if root != base:
            _glue(plan, base, root)
        waiting = [root]
        while waiting:
            parent = waiting.pop(0)
            for joint in from_link.get(parent, ()):
                before, after = _frames(joint, poses)
                closes = joint.child in plan.zero
                plan.below.setdefault(parent, []).append(
                    Hanging(joint, before, after, closes)
                )
                if not closes:
                    plan.zero[joint.child] = plan.zero[parent] @ before @ after
                    waiting.append(joint.child)


def _glue(plan: BodyPlan, base: str, root: str) -> None:
    """Hang a link from the base by a joint that rests."""
    name = f"{base}_{root}"
    while name in plan.joints:
        name += "_"
    place = plan.zero[root]
    joint = JointDescription(
        name, "fixed", base, root, T_parent_joint=place, active=False
    )
    plan.glue[name] = joint
    plan.joints[name] = len(plan.joints) + 1
    hanging = Hanging(joint, place, IDENTITY, closes=False)
    plan.below.setdefault(base, []).append(hanging)


def _frames(joint: JointDescription, poses: dict[str, Pose]) -> tuple[Pose, Pose]:
    """Return the frames before and behind the motion of a joint."""
    if joint.type == "trajectory":
        # as it stands: COLLADA has no joints along paths
        return poses[joint.parent].inverse() @ poses[joint.child], IDENTITY
    return joint.T_parent_joint, joint.T_child_joint.inverse()
