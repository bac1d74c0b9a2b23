"""Visual scenes: a node for each link, with its geometries.

OpenRAVE lets collide what a node has. So what is only shown is no part of the node of a
link that has something else: it is a group of geometries of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import NoShape
from pyrave_collada.vocabulary import VISUAL_GROUP
from pyrave_collada.writing.geometry import SHOWN_GROUP
from pyrave_collada.writing.tags import add, add_pose, numbers

if TYPE_CHECKING:
    from pyrave.scene import LinkDescription
    from pyrave_collada.writing.geometry import GeometryLibrary, Shown
    from pyrave_collada.writing.plan import BodyPlan, WrittenAxis


def add_visual(scene: Any, plan: BodyPlan) -> None:
    """Append the root node of a body, which has its pose, to a ``<visual_scene>``."""
    key = f"visual{plan.number}"
    node = add(scene, "node", id=key, sid=key, name=plan.body.name)
    add_pose(node, plan.placed)
    base = plan.body.links[0].name
    sid = f"node{plan.links[base]:X}"
    add(node, "instance_node", url=f"#{plan.node(base)}", sid=sid, name=base)


def add_nodes(
    library: Any, plan: BodyPlan, geometries: GeometryLibrary
) -> dict[str, list[Shown | None]]:
    """Append the nodes of links to ``<library_nodes>``.

    Joints move the transforms with a sid; their own values there stay 0.

    Returns
    -------
    dict
        What is shown for each geometry of each link, None for those that are not.
    """
    links = {link.name: link for link in plan.body.links}
    axes: dict[str, list[WrittenAxis]] = {}
    for axis in plan.axes:
        axes.setdefault(axis.joint.name, []).append(axis)
    shown: dict[str, list[Shown | None]] = {}
    top = _add_node(library, plan, plan.base)
    _identity(top)
    waiting: list[tuple[Any, str]] = [(top, plan.base)]
    while waiting:
        node, name = waiting.pop()
        shown[name] = _add_geometries(node, plan, links[name], geometries)
        found = []
        for hanging in plan.below.get(name, ()):
            if hanging.closes:
                continue
            below = _add_node(node, plan, hanging.joint.child)
            add_pose(below, hanging.before)
            joint = plan.joint(hanging.joint.name)
            for axis in axes[hanging.joint.name]:
                sid = f"node_{joint}_axis{axis.number}"
                if axis.prismatic:
                    add(below, "translate", "0 0 0", sid=sid)
                else:
                    turn = (*axis.direction, 0.0)
                    add(below, "rotate", numbers(turn), sid=sid)
            add_pose(below, hanging.after)
            found.append((below, hanging.joint.child))
        waiting += reversed(found)
    return shown


def _add_node(parent: Any, plan: BodyPlan, name: str) -> Any:
    sid = f"node{plan.links[name]:X}"
    return add(parent, "node", id=plan.node(name), sid=sid, name=name)


def _identity(node: Any) -> None:
    add(node, "translate", "0 0 0")
    add(node, "rotate", "1 0 0 0")


def _add_geometries(
    node: Any, plan: BodyPlan, link: LinkDescription, geometries: GeometryLibrary
) -> list[Shown | None]:
    found: list[Shown | None] = []
    # what collides is seen in place of what OpenRAVE does not show
    stands_in = _is_seen_by_visuals_alone(link)
    for number, geometry in enumerate(link.geometries):
        key = f"g{plan.number}_{plan.link(link.name)}_geom{number}"
        visible = geometry.visible or (stands_in and geometry.group == SHOWN_GROUP)
        found.append(geometries.shown(geometry, key, visible=visible))
    own = [one for one in found if one is not None and one.group == SHOWN_GROUP]
    if any(one.collides for one in own):
        found = [
            replace(one, group=VISUAL_GROUP)
            if one is not None and one.group == SHOWN_GROUP and not one.collides
            else one
            for one in found
        ]
    for one in found:
        if one is not None and one.group == SHOWN_GROUP:
            instance = add(node, "instance_geometry", url=f"#{one.key}")
            geometries.bind_material(instance, one)
    return found


def _is_seen_by_visuals_alone(link: LinkDescription) -> bool:
    """Return True if nothing that collides is visible, but something else is."""
    seen = [
        isinstance(geometry.shape, NoShape)
        for geometry in link.geometries
        if geometry.group == SHOWN_GROUP and geometry.visible
    ]
    return bool(seen) and all(seen)
