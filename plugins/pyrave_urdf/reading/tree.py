"""Links and joints as a tree: one root, one way to each link, and its poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.scene import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyrave.scene import JointDescription
    from pyrave_urdf.reading.load import UrdfReading

_SHOWN = 8


def check_tree(
    links: Mapping[str, Any],
    joints: Mapping[str, JointDescription],
    elements: Mapping[str, Any],
    reading: UrdfReading,
    *,
    complete: bool,
) -> list[str] | None:
    """Return link names from the root on, each after its parent.

    None if the joints are no tree over all links; what is wrong is reported.

    Parameters
    ----------
    links, elements
        Elements of links and joints by name.
    complete
        False if joints of the file were refused: links that lack a parent then have
        one that is not known.
    """
    above: dict[str, JointDescription] = {}
    right = True
    for name, joint in joints.items():
        before = above.get(joint.child)
        if before is None:
            above[joint.child] = joint
            continue
        right = False
        line = elements[before.name].sourceline
        reading.error(
            elements[name],
            "two-parents",
            f"the link {joint.child!r} is the child of two joints: {before.name!r} "
            f"(line {line}) and {name!r}",
            "URDF describes trees; close a loop with a mimic joint, or use OpenRAVE "
            "XML or COLLADA",
        )
    roots = [name for name in links if name not in above]
    if len(roots) > 1 and complete:
        listed = ", ".join(repr(name) for name in roots[:_SHOWN])
        more = f" and {len(roots) - _SHOWN} more" if len(roots) > _SHOWN else ""
        first, second = roots[:2]
        reading.error(
            links[second],
            "several-roots",
            f"the link {second!r} has no parent, and so has the root {first!r}; "
            f"links without a parent: {listed}{more}",
            f'join it: <joint name="..." type="fixed"><parent link="{first}"/>'
            f'<child link="{second}"/></joint>',
        )
    below: dict[str, list[str]] = {}
    for child, joint in above.items():
        below.setdefault(joint.parent, []).append(child)
    order = roots[:]
    for name in order:
        order += below.get(name, ())
    if len(roots) > 1:
        right = False
    if right and len(order) < len(links):
        right = False
        _report_loop(set(links) - set(order), above, elements, reading)
    return order if right else None


def _report_loop(
    inside: set[str],
    above: Mapping[str, JointDescription],
    elements: Mapping[str, Any],
    reading: UrdfReading,
) -> None:
    """Report one loop among links that no root leads to."""
    name = min(inside)
    seen: dict[str, None] = {}
    while name not in seen:
        seen[name] = None
        name = above[name].parent
    passed = list(seen)
    inner = passed[: passed.index(name) : -1]  # from parents to children
    more = [f"{len(inner) - _SHOWN} more"] if len(inner) > _SHOWN else []
    path = " > ".join([name, *inner[:_SHOWN], *more, name])
    reading.error(
        elements[above[name].name],
        "kinematic-loop",
        f"links are joined in a loop: {path}",
        "URDF describes trees: one link has no parent; the joint that closes the loop "
        "has to go",
    )


def poses_of(root: str, joints: Iterable[JointDescription]) -> dict[str, Pose]:
    """Return T_root_link by the names of links, each joint at its initial value.

    Parameters
    ----------
    joints
        Of a tree with this root.
    """
    below: dict[str, list[JointDescription]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    poses, waiting = {root: IDENTITY}, [root]
    for name in waiting:
        for joint in below.get(name, ()):
            pose, moved = poses[name] @ joint.T_parent_joint, _moved(joint)
            poses[joint.child] = pose if moved is IDENTITY else pose @ moved
            waiting.append(joint.child)
    return poses


def _moved(joint: JointDescription) -> Pose:
    """Return the motion of a joint at its initial value; only one axis may have one."""
    for axis in joint.axes:
        if axis.initial:
            if axis.prismatic:
                x, y, z = axis.direction
                v = axis.initial
                return Pose.from_translation(v * x, v * y, v * z)
            return Pose.from_axis_angle(axis.direction, axis.initial)
    return IDENTITY
