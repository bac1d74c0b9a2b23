"""Checks of chains of joints: unconnected links, and arm joints in grippers."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats.openrave_xml.builders.body_builder import BodyBuilder
    from pyrave.formats.openrave_xml.builders.item_builders import (
        JointBuilder,
        LinkBuilder,
        ManipulatorBuilder,
    )

    _Graph = dict[LinkBuilder, list[tuple[JointBuilder, LinkBuilder]]]


def check_chains(body: BodyBuilder) -> None:
    """Report links that no joint connects, and leave arm joints out of grippers."""
    if not body.joints or body.incomplete or body.lacks_joints:
        return  # what is missing was reported
    graph = _graph(body)
    reached = set(_tree(graph, body.links[0]))
    for link in body.links:
        if link not in reached:
            link.scope.warn(
                link.element,
                "unconnected-link",
                f"no joint connects link {link.name!r} with the base "
                f"{body.links[0].name!r}",
                "add a <joint>; one with <limits>0 0</limits> and enable='false' "
                "holds it in place",
            )
            reached |= set(_tree(graph, link))
    for manipulator in body.manipulators:
        _leave_out_arm(manipulator, graph)


def _leave_out_arm(manipulator: ManipulatorBuilder, graph: _Graph) -> None:
    base, effector = manipulator.base, manipulator.effector
    if not manipulator.gripper or isinstance(base, str) or isinstance(effector, str):
        return
    arm = set(_chain(graph, base, effector))
    kept: list[JointBuilder | str] = []
    signs: list[float] = []
    directions = iter(manipulator.chucking)
    for joint in manipulator.gripper:
        axes = () if isinstance(joint, str) else joint.axes
        own = [next(directions, 0.0) for _ in axes]
        if isinstance(joint, str) or joint not in arm:
            kept.append(joint)
            signs += own
            continue
        manipulator.scope.warn(
            manipulator.element,
            "gripper-in-arm",
            f"gripper joint {joint.name!r} of manipulator {manipulator.name!r} is "
            "a joint of its arm; it is left out of the gripper",
            "name joints beyond the end effector in <joints>",
        )
    if len(kept) < len(manipulator.gripper):
        manipulator.gripper, manipulator.chucking = kept, tuple(signs)


def _graph(body: BodyBuilder) -> _Graph:
    graph: _Graph = {link: [] for link in body.links}
    for joint in body.joints:
        graph[joint.parent].append((joint, joint.child))
        graph[joint.child].append((joint, joint.parent))
    return graph


def _tree(
    graph: _Graph, root: LinkBuilder
) -> dict[LinkBuilder, tuple[JointBuilder, LinkBuilder] | None]:
    """Return all links that `root` is connected with, and the way to each."""
    found: dict[LinkBuilder, tuple[JointBuilder, LinkBuilder] | None] = {root: None}
    queue = deque([root])
    while queue:
        link = queue.popleft()
        for joint, other in graph[link]:
            if other not in found:
                found[other] = (joint, link)
                queue.append(other)
    return found


def _chain(
    graph: _Graph, base: LinkBuilder, tip: LinkBuilder
) -> Iterator[JointBuilder]:
    """Yield the joints of the shortest way between two links, from the tip on."""
    tree = _tree(graph, base)
    step = tree.get(tip)
    while step is not None:
        joint, link = step
        yield joint
        step = tree[link]
