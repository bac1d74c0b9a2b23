"""``<gazebo>`` blocks with what URDF has no element for: springs, weight, damping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_urdf.reading.elements.gazebo import blocks_of, read_said
from pyrave_urdf.writing.numbers import add, numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.formats import Losses
    from pyrave.scene import LinkDescription, RobotDescription
    from pyrave_urdf.reading.elements.gazebo import Said
    from pyrave_urdf.writing.tree import Tree

_LOST = "springs of joints with several axes are not written"


def add_said(root: Any, robot: RobotDescription, tree: Tree, losses: Losses) -> None:
    """Append what the blocks that were kept as data do not say of links and joints."""
    said = read_said(blocks_of(root), lambda _element, _code, _message: None)
    for link in robot.links:
        _add_block(root, link.name, _parts_of_link(link, said))
    for joint in tree.joints:
        axis = joint.axis
        spring = (0.0, 0.0) if axis is None else (axis.stiffness, axis.rest)
        if spring == said.springs.get(joint.name, (0.0, 0.0)):
            continue
        if joint.kind in {"floating", "planar"}:
            losses.add(_LOST, joint.name)
            continue
        stiffness, rest = map(numbers, spring)
        parts = {"springStiffness": stiffness, "springReference": rest}
        _add_block(root, joint.name, parts)


def _parts_of_link(link: LinkDescription, said: Said) -> dict[str, str]:
    wanted, parts = link.dynamics, {}
    if link.kinematic != said.kinematic.get(link.name, False):
        parts["kinematic"] = "true" if link.kinematic else "false"
    if wanted.gravity != said.weighs.get(link.name, True):
        parts["gravity"] = "true" if wanted.gravity else "false"
    damping = wanted.linear_damping
    is_one = damping == wanted.angular_damping
    if is_one and damping != said.dampings.get(link.name, 0.0):
        parts["dampingFactor"] = numbers(damping)
    return parts


def _add_block(root: Any, name: str, parts: dict[str, str]) -> None:
    if parts:
        block = add(root, "gazebo", reference=name)
        for tag, text in parts.items():
            add(block, tag).text = text


def unsaid_dynamics(root: Any, links: Iterable[LinkDescription]) -> set[str]:
    """Return the links whose dynamics a written ``<robot>`` does not say."""
    said = read_said(blocks_of(root), lambda _element, _code, _message: None)
    return {link.name for link in links if said.dynamics(link.name) != link.dynamics}
